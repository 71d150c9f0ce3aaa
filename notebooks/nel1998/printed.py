"""Tables of the pages: the printed numbers beside ours, and our numbers in the form of print."""

__all__ = ["over_draws"]


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
