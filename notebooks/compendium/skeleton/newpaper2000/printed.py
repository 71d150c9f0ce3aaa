"""Comparison of our numbers with the printed ones."""

from compendium.published import compare, published, with_verdicts


def comparisons(tables):
    """Every printed number with ours, by printed table.

    Parameters
    ----------
    tables : dict of str to DataFrame
        All tables of the paper's experiments.

    Returns
    -------
    dict of str to DataFrame
        As from `compendium.published.compare`, with a column ``item`` that names the number.
    """
    printed = published("newpaper2000").astype({"n_features": int})
    table = compare(printed, tables["accuracy"], on=["dataset", "n_features"])
    return {"Table 1": table.assign(item=[f"{row.dataset}, {row.n_features} features" for row in table.itertuples()])}


def table_1(accuracy):
    """Table 1: published, reproduced, difference.

    Parameters
    ----------
    accuracy : DataFrame
        Table of `newpaper2000.accuracy.Accuracy`.
    """
    return with_verdicts(comparisons({"accuracy": accuracy})["Table 1"]).drop(columns="item")
