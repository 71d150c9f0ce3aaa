"""Summaries for Somol et al. 2011: costs, and sentences with numbers computed from the tables."""

from compendium.tables import means
from somol2011.claims import gains

__all__ = ["costs", "course", "ensembles", "fragility", "hybrid", "with_significance"]


def with_significance(cases):
    """Cases with a column ``significant``: ``*`` where ``p_value`` is below 0.05."""
    return cases.assign(significant=["*" if p < 0.05 else "" for p in cases["p_value"]])


def costs(ensembles):
    """Evaluations and seconds of all outer folds together.

    Parameters
    ----------
    ensembles : DataFrame
        Table of `somol2011.ensembles.Ensembles`.

    Returns
    -------
    DataFrame
        dataset, method, evaluations, seconds.
    """
    cost = ensembles[ensembles["metric"].isin(["seconds", "evaluations"])]
    index = ["dataset", "method"]
    return cost.pivot_table(index=index, columns="metric", values="value", aggfunc="sum", sort=False).reset_index()


def course(best):
    """Sentences on the courses.

    Parameters
    ----------
    best : DataFrame
        Table of `somol2011.course.Course`.

    Returns
    -------
    list of str
    """
    return [
        f"On {row.dataset} {row.method} found {row.size} features with a value of {row.value:.3f} after evaluating "
        f"{row.evaluations} subsets."
        for row in best.itertuples(index=False)
    ]


def fragility(selected, near):
    """Sentences on fragile preference and tau.

    Parameters
    ----------
    selected, near : DataFrame
        Tables of `somol2011.fragility.Fragility`.

    Returns
    -------
    list of str
    """
    blocks = near.pivot_table(index=["dataset", "search", "criterion", "repeat"], columns="metric", values="value")
    means = selected.pivot_table(index="tau", columns="metric", values="value")
    first, last = means.index[[0, -1]]
    size, test = means["size"], 100 * means["test"]
    best = test.idxmax()
    moved = "gained" if test[last] > test[first] else "lost"
    return [
        f"A search typically evaluated {blocks['n_near'].median():.0f} different subsets near the best value; two "
        f"of them had {blocks['ati'].median():.0%} of their features in common on average.",
        f"Taking the smallest subset within {last:.0%} of the maximum shrank the selection from {size[first]:.1f} to "
        f"{size[last]:.1f} features on average and {moved} {abs(test[last] - test[first]):.1f} points of test "
        "accuracy.",
        f"The best mean test accuracy was {test[best]:.1f} %, at tau = {best:g}; at tau = {first:g} it was "
        f"{test[first]:.1f} %.",
    ]


def ensembles(ensembles):
    """Sentences on voting.

    Parameters
    ----------
    ensembles : DataFrame
        Table of `somol2011.ensembles.Ensembles`.

    Returns
    -------
    list of str
    """
    sentences = []
    for method in "order", "weighted":
        gain = gains(ensembles, method)
        up = (gain > 0).sum()
        sentences.append(
            f"{method.capitalize()} voting selected more stably (CW_rel) on {up['cw_rel']} of {len(gain)} data sets "
            f"and classified unseen samples better on {up['rate']}; the mean change of the rate was "
            f"{100 * gain['rate'].mean():+.2f} points, and the largest loss {100 * min(0, gain['rate'].min()):.1f}."
        )
    rates = ensembles[ensembles["metric"] == "rate"]
    spread = rates.groupby(["dataset", "method"])["value"].std().mean()
    sentences.append(f"From fold to fold the rates vary by {100 * spread:.1f} points (standard deviation).")
    return sentences


def hybrid(hybrid):
    """Sentences on hybrids.

    Parameters
    ----------
    hybrid : DataFrame
        Table of `somol2011.hybrid.FilterWrapper`.

    Returns
    -------
    list of str
    """
    keys = ["dataset", "search", "lambda"]
    cases = means(hybrid, keys).set_index(keys)[["wrapper_evaluations", "test"]].sort_index()
    pure = cases.groupby(["dataset", "search"]).transform("last")
    work = (cases / pure)["wrapper_evaluations"].groupby("lambda").median()
    test = (cases - pure)["test"].groupby("lambda").mean()
    low = work.index[work.index > 0][0] if (work.index > 0).any() else work.index[0]
    best = test.idxmax()
    return [
        f"At lambda = {low:g} a search made {work[low]:.0%} of the wrapper evaluations that it makes at the largest "
        f"lambda (median), and the test accuracy changed by {100 * test[low]:+.1f} points on average.",
        f"The mean test accuracy was best at lambda = {best:g}: {100 * test[best]:+.1f} points relative to the largest "
        "lambda.",
    ]
