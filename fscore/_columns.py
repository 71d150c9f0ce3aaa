"""Columns of X: refusals that name the column and its value, and columns given by number, name or mask."""

import re
from datetime import date, time, timedelta
from numbers import Integral
from typing import Any

import numpy as np

from fscore._sklearn import column_indices, is_polars_df


def as_array(values: Any) -> np.ndarray:
    """The values as an array, of dtype object if they are nested lists of different lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.asarray(values, dtype=object)


def refuse_sparse_columns(X):
    """Refuse a data frame with sparse columns, which scikit-learn takes only if all are and zero is left out."""
    types = X.dtypes if getattr(X, "ndim", None) == 2 and hasattr(X, "iloc") else ()
    if any(str(dtype).startswith("Sparse") for dtype in types):
        raise TypeError(
            "X is a data frame with sparse columns; make them dense by X.astype(float), or pass X.sparse.to_coo() "
            "where sparse data are accepted."
        )


def check_column_names(X):
    """Refuse a data frame without columns, or of pandas with two of one name, which could not be told apart."""
    names = getattr(X, "columns", None) if hasattr(X, "iloc") or is_polars_df(X) else None
    if names is not None and len(names) == 0:
        raise ValueError("X is a data frame without columns; leave at least one.")
    if not getattr(names, "is_unique", True):
        raise ValueError(f"X has several columns named {names[names.duplicated()][0]!r}; give each a name of its own.")


def refuse_dates(X):
    """Refuse dates and durations: numpy takes them for counts of nanoseconds, or finds no common type with numbers."""
    for name, column in _columns(X):
        if _holds_dates(column):
            raise ValueError(
                f"Column {name} of X holds dates or durations, which have no unit of their own; give numbers, such as "
                "the days since the first: (X[name] - X[name].min()) / pd.Timedelta(days=1)."
            )


def _columns(X):
    """Names and columns of a data frame, numbers and columns of an array; none of what has no two dimensions."""
    if is_polars_df(X):
        return ((x.name, x) for x in X.iter_columns())
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return X.items()
    X = as_array(X)
    return enumerate(X.T if X.ndim == 2 else ())


def _holds_dates(column):
    """Whether a column has a type of dates or durations, or its first value has; categories are no dates."""
    if hasattr(column.dtype, "is_temporal"):  # polars
        return column.dtype.is_temporal()
    if column.dtype.kind in "biufc":
        return False
    if column.dtype.kind != "O" or str(column.dtype).startswith(("category", "period")):
        return column.dtype.kind in "mM" or str(column.dtype).startswith("period")
    from pandas import isna

    first = next((value for value in column if isna(value) is not True), None)
    return isinstance(first, date | time | timedelta | np.datetime64 | np.timedelta64)


def name_column(error, X):
    """Raise an error about a value of X anew, with its column and a remedy; return after any other error."""
    message = str(error)
    match = re.search(
        "^(could not convert string|dtype='numeric')|^Input (?:X )?contains (NaN|infinity)|NAType", message
    )
    if match is None:
        return
    from pandas import isna, to_numeric

    for name, column in _columns(X):
        values = np.asarray(column)
        if match[1]:
            is_wrong = [not is_number(v) and (match[1] == "dtype='numeric'" or repr(str(v)) in message) for v in values]
            remedy = "encode it, for example by OrdinalEncoder"
        elif match[2] == "infinity":
            is_wrong, remedy = np.isinf(to_numeric(values, errors="coerce")), "replace the infinite values"
        else:
            is_wrong, remedy = isna(values), "fill in missing values, for example by SimpleImputer"
        for value in values[np.asarray(is_wrong, dtype=bool)][:1]:
            value = repr(str(value)[:50]) if isinstance(value, str | bytes) else "NaN" if isna(value) else value
            raise ValueError(
                f"Column {name} of X holds {value}, which is not a finite number; {remedy}, or leave the column out."
            ) from error


def refuse_equal_as_floats(X):
    """Refuse whole numbers beyond 2^53, such as codes of 18 digits, of which different ones are the same float."""
    columns = _columns(X)
    if is_polars_df(X):
        columns = ((name, x.drop_nulls().to_numpy()) for name, x in columns if x.dtype.is_integer())
    else:
        columns = (
            (name, x.dropna().to_numpy() if hasattr(x, "dropna") else x) for name, x in columns if x.dtype.kind in "iuO"
        )
    for name, column in columns:
        large = _beyond_floats(column)
        if len(set(map(float, large))) < len(large):
            raise ValueError(
                f"Column {name} of X holds whole numbers beyond 2**53, of which different ones become equal as "
                "floats; subtract their smallest, or, if they are codes, give them as categories."
            )


def _beyond_floats(column):
    """The different whole numbers of a column from 2^53 on."""
    if column.dtype.kind == "O":
        return {int(value) for value in column if isinstance(value, Integral) and abs(value) >= 2**53}
    return set(column[(column >= 2**53) | (column <= -(2**53))].tolist())


def is_number(value):
    """Whether Python reads a value, which may be a text, as a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_mask(columns, name, n_columns):
    """Refuse a mask that is shorter or longer than the columns; scikit-learn would read a short one as numbers."""
    if not np.iterable(columns) or not all(isinstance(c, bool | np.bool_) for c in columns):
        return
    if 0 < len(columns) != n_columns:
        raise ValueError(
            f"{name} is a mask of {len(columns)} entries, but X has {n_columns} columns; give one for each."
        )


def column_numbers(columns, name, X):
    """Numbers of columns of X that are given by number, name or mask.

    Parameters
    ----------
    columns : sequence of int, str or bool
    name : str
        Name of the argument, for the message.
    X : array or data frame of shape (n_samples, n_features)

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If X has no such column, or one is given twice.
    """
    check_mask(columns, name, X.shape[1])
    if isinstance(columns, str):
        raise ValueError(f"{name}={columns!r} is one text; give a list of numbers or names of columns of X, or a mask.")
    try:
        numbers = column_indices(X, list(columns))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{name}={columns!r:.200} must be numbers or names of columns of X, or a mask: {error}"
        ) from None
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"{name}={columns!r:.200} has a column twice; give each once, or booleans for a mask.")
    return numbers
