"""Lossless conversion of tables to JSON and back, for the results that a run stores."""

import math

import numpy as np
import pandas as pd

__all__ = ["from_json", "to_json"]


def to_json(frame):
    """Convert a table to plain lists.

    Parameters
    ----------
    frame : DataFrame
        Columns of numbers, booleans, strings or objects (None, or tuples of these). The index is dropped.

    Returns
    -------
    dict
        ``columns``, ``dtypes`` (one per column) and ``data`` (one list per row). NaN becomes null, an infinite number
        the string ``"inf"`` or ``"-inf"``.
    """
    columns = [[_plain(value) for value in frame[column].tolist()] for column in frame.columns]
    return {
        "columns": [str(column) for column in frame.columns],
        "dtypes": [str(dtype) for dtype in frame.dtypes],
        "data": [list(row) for row in zip(*columns, strict=True)],
    }


def _plain(value):
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def from_json(content):
    """Restore a table from the output of `to_json`; lists in cells become tuples, which are hashable.

    Parameters
    ----------
    content : dict
        As from `to_json`; without ``dtypes``, pandas infers them.

    Returns
    -------
    DataFrame
    """
    names, rows = content["columns"], content["data"]
    dtypes = content.get("dtypes", [None] * len(names))
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return pd.DataFrame(
        {name: _column(values, dtype) for name, dtype, values in zip(names, dtypes, columns, strict=True)},
        columns=names,
    )


def _column(values, dtype):
    if dtype is not None and dtype.startswith("float"):
        return pd.Series([math.nan if value is None else float(value) for value in values], dtype=dtype)
    return pd.Series([_hashable(value) for value in values], dtype=dtype)


def _hashable(value):
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value
