"""Comparison of our numbers with the printed ones."""

from compendium.comparison import PublishedNumbers
from compendium.published import compare, published

PUBLISHED = PublishedNumbers("newpaper2000", rates={r"^Table 1:": 1.0})


def comparisons(tables):
    """Every printed number with ours, by printed table.

    Parameters
    ----------
    tables : dict of str to DataFrame
        All tables of the paper's experiments.

    Returns
    -------
    dict of str to DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`.
    """
    printed = published("newpaper2000").astype({"n_features": int})
    return {"Table 1": PUBLISHED.graded("Table 1", compare(printed, tables["accuracy"], on=["dataset", "n_features"]))}
