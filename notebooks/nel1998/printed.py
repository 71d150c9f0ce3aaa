"""Tables of the pages: the printed numbers beside ours, and our numbers in the form of print."""

from compendium.published import compare, with_verdicts
from nel1998 import published_settings

__all__ = ["over_draws", "table_5_1"]


def over_draws(criteria, criterion, by):
    """Values of one criterion on the three-feature example: mean, standard deviation and number of random draws.

    Parameters
    ----------
    criteria : DataFrame
        Table of `nel1998.three_features.ThreeFeatures`.
    criterion : str
    by : list of str
        Columns that identify a value.

    Returns
    -------
    DataFrame
        Columns ``by``, mean, std, count.
    """
    values = criteria[criteria["criterion"] == criterion].groupby(by, sort=False)["value"]
    return values.agg(["mean", "std", "count"]).reset_index()


def table_5_1(distances, theory, *, corrected):
    """Table 5.1 beside our draws and theory, in thousandths.

    Parameters
    ----------
    distances, theory : DataFrame
        Tables of `nel1998.gamma_test.GammaAgainstTheory`.
    corrected : bool
        Whether the first row is read at half its printed distance.

    Returns
    -------
    DataFrame
        distance, published, reproduced, sd, n, difference, verdict, theory.
    """
    rows = published_settings.table_5_1()
    if corrected:
        rows = rows.assign(distance=rows["corrected"])
    beside = with_verdicts(compare(rows, distances, on=["distance"]))
    return beside.merge(theory.rename(columns={"value": "theory"}), on="distance")
