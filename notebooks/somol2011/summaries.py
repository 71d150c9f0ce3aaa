"""What the experiments of Somol et al. 2011 say in plain words; every number comes from the tables given."""

from somol2011.claims import gains

__all__ = ["course", "ensembles", "fragility", "hybrid"]


def course(last):
    """Sentences on the courses.

    Parameters
    ----------
    last : DataFrame
        dataset, method, size, value, evaluations: the best subset of each course.

    Returns
    -------
    list of str
    """
    return [
        f"On {row.dataset} {row.method} found {row.size} features worth {row.value:.3f}; it valued {row.evaluations} "
        "subsets."
        for row in last.itertuples()
    ]


def fragility(selected, near):
    """Sentences on fragile preference and tau.

    Parameters
    ----------
    selected, near : DataFrame
        As in :class:`somol2011.Fragility`.

    Returns
    -------
    list of str
    """
    blocks = near.pivot_table(index=["dataset", "search", "criterion", "repeat"], columns="metric", values="value")
    means = selected.pivot_table(index="tau", columns="metric", values="value")
    last = means.index[-1]
    size, test = means["size"], 100 * means["test"]
    best = test.idxmax()
    moved = "gained" if test[last] > test.iloc[0] else "lost"
    return [
        f"Near the best value a search typically met {blocks['n_near'].median():.0f} different subsets, and two of "
        f"them shared {blocks['ati'].median():.0%} of their features.",
        f"Taking the smallest subset within {last:.0%} of the maximum shrank the selection from {size.iloc[0]:.1f} to "
        f"{size[last]:.1f} features on average and {moved} {abs(test[last] - test.iloc[0]):.1f} points of test "
        "accuracy.",
        f"The best mean test accuracy was at tau = {best:g}: {test[best]:.1f} points, and {test.iloc[0]:.1f} without "
        "tau.",
    ]


def ensembles(values):
    """Sentences on voting.

    Parameters
    ----------
    values : DataFrame
        ``Ensembles.values`` of :func:`somol2011.ensembles`.

    Returns
    -------
    list of str
    """
    said = []
    for method in "order", "weighted":
        gain = gains(values, method)
        up = (gain > 0).sum()
        said.append(
            f"{method.capitalize()} voting selected more stably (CW_rel) on {up['cw_rel']} of {len(gain)} data sets "
            f"and classified unseen samples better on {up['rate']}; the mean change of the rate was "
            f"{100 * gain['rate'].mean():+.2f} points, and the largest loss {100 * min(0, gain['rate'].min()):.1f}."
        )
    spread = values[values["metric"] == "rate"].groupby(["dataset", "method"])["value"].std().mean()
    said.append(f"From fold to fold the rates vary by {100 * spread:.1f} points (standard deviation).")
    return said


def hybrid(table):
    """Sentences on hybrids.

    Parameters
    ----------
    table : DataFrame
        As from :func:`somol2011.hybrid`.

    Returns
    -------
    list of str
    """
    means = table.pivot_table(index=["dataset", "search", "lambda"], columns="metric", values="value", sort=False)
    relative = means / means.groupby(["dataset", "search"], sort=False).transform("last")
    work = relative["wrapper_evaluations"].groupby("lambda").median()
    test = (means["test"] - means["test"].groupby(["dataset", "search"]).transform("last")).groupby("lambda").mean()
    low = work.index[work.index > 0][0] if (work.index > 0).any() else work.index[0]
    best = test.idxmax()
    return [
        f"At lambda = {low:g} the search made {work[low]:.0%} of the wrapper evaluations that it makes at the "
        f"largest lambda (median), and the test accuracy changed by {100 * test[low]:+.1f} points on average.",
        f"The best mean test accuracy was at lambda = {best:g}: {100 * test[best]:+.1f} points against the largest "
        "lambda.",
    ]
