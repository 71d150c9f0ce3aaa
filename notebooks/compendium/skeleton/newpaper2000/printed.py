"""Comparison of our numbers with the printed ones."""

from compendium.published import compare, published, with_verdicts


def table_1(accuracy):
    """Table 1: published, reproduced, difference.

    Parameters
    ----------
    accuracy : DataFrame
        Table of `newpaper2000.accuracy.Accuracy`.
    """
    printed = published("newpaper2000").astype({"n_features": int})
    return with_verdicts(compare(printed, accuracy, on=["dataset", "n_features"]))
