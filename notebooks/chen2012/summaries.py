"""Summary tables of our results for Chen 2012."""

__all__ = ["entropy", "places_of_copies"]


def entropy(table):
    """One row per weight of the entropy, with the means over the splits and one column per metric.

    Parameters
    ----------
    table : DataFrame
        Table ``entropy`` of `chen2012.training.Training`.

    Returns
    -------
    DataFrame
        dataset, stopping, alpha, setting, and one column per metric.
    """
    means = table.groupby(["dataset", "stopping", "setting", "metric"], sort=False)[["alpha", "value"]].mean()
    means = means.reset_index()
    means["alpha"] = means.groupby(["dataset", "setting"])["alpha"].transform("mean")
    by = ["dataset", "stopping", "alpha", "setting"]
    return means.pivot_table(index=by, columns="metric", values="value").reset_index()


def places_of_copies(redundant):
    """Figure 17, bottom: mean rank of every copied feature, and of the last of its copies.

    Parameters
    ----------
    redundant : DataFrame
        Table of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    DataFrame
        dataset, feature (from 1), what ("original", "copies"), and one column per method.
    """
    part = redundant[redundant["metric"].str.match(r"(original|copies) \d+")]
    what = part["metric"].str.split(" ", expand=True)
    part = part.assign(what=what[0], feature=what[1].astype(int))
    by = ["dataset", "feature", "what"]
    return part.pivot_table(index=by, columns="method", values="value", sort=False).reset_index()
