"""Columns that are offered in place of columns of the file, or beside them."""

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

__all__ = ["KINDS", "OfferedColumns", "derive"]

KINDS = {  # by how a column is derived
    "category": "category",  # the name of the one column that is set
    "hour": "number",  # of a time stamp, 0 to 24
    "weekday": "category",
    "month": "number",
    "difference": "number",  # the second column minus the first; of dates in days
}
_WEEKDAYS = np.array(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"], dtype=object)


class OfferedColumns(TransformerMixin, BaseEstimator):
    """Makes the columns that a report offers from typed columns of the file.

    Parameters
    ----------
    columns : list of str
        Those to return.
    derived : dict of str to (str, list of str)
        Those that are made from others: how, and from which. "category": the name of the column that is set, out of
        several of zeros and ones; "hour", "weekday", "month": of days since 1970; "difference": the second of two
        columns minus the first.

    Examples
    --------
    >>> import pandas as pd
    >>> from fscore.report import OfferedColumns
    >>> X = pd.DataFrame({"site_north": [1, 0], "site_south": [0, 1], "age": [31, 27]})
    >>> OfferedColumns(["age", "site"], {"site": ("category", ["site_north", "site_south"])}).fit_transform(X)
       age        site
    0   31  site_north
    1   27  site_south
    """

    def __init__(self, columns: Sequence[str], derived: Mapping[str, tuple[str, Sequence[str]]]) -> None:
        self.columns = columns
        self.derived = derived

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Nothing is learned.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Make the columns.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Typed; a row in which none of a category's columns is set has no value.

        Returns
        -------
        DataFrame
        """
        return derive(X, self.derived)[list(self.columns)]


def derive(X, derived):
    """Add derived columns to typed ones, and take those of categories away."""
    new = {name: _derived(how, X[list(columns)]) for name, (how, columns) in derived.items()}
    merged = {name for how, columns in derived.values() if how == "category" for name in columns}
    return X.drop(columns=list(merged)).assign(**new)


def _derived(how, columns):
    first = columns.iloc[:, 0]
    if how == "category":
        is_set = columns > 0
        return is_set.idxmax(axis=1).astype(object).where(is_set.any(axis=1))
    if how == "difference":
        return columns.iloc[:, 1] - first
    if how == "hour":
        return (24 * 3600 * (first % 1)).round() / 3600
    days = np.floor(first.fillna(0)).to_numpy().astype("datetime64[D]")
    if how == "weekday":
        return pd.Series(_WEEKDAYS[(days.astype(int) + 3) % 7], first.index).where(first.notna())
    return pd.Series(days.astype("datetime64[M]").astype(int) % 12 + 1.0, first.index).where(first.notna())
