"""What two pages on Hocke and Martinetz 2014 share: the features with the largest shares, in words."""

import pandas as pd

from compendium.protocol import named


def largest_shares(shares, names):
    """The features with the largest shares of the weighted variance in words: one row per data set and method.

    Parameters
    ----------
    shares : DataFrame
        As from `hocke2014.shares.feature_shares`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        dataset, method, features. Shares that round to zero are left out.
    """
    rows = []
    for (dataset, method), group in shares.groupby(["dataset", "method"], sort=False):
        shown = group[group["share"] >= 0.0005].itertuples()
        listed = ", ".join(f"{named(row.feature, names.get(dataset))}: {row.share:.1%}" for row in shown)
        rows.append({"dataset": dataset, "method": method, "features": listed or "none"})
    return pd.DataFrame(rows)
