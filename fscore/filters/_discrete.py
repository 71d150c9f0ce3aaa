"""Discrete features: columns of categories, given by the type of a column or by an argument."""

import numpy as np
from scipy.sparse import issparse

from fscore._columns import as_array, column_numbers
from fscore._sklearn import StrOptions

DISCRETE = [StrOptions({"auto"}), "boolean", "array-like"]  # constraint on the parameter


def encode_discrete(X, discrete_features):
    """Replace categories by numbers, and say which columns hold them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    discrete_features : "auto", bool, or array-like of names, column numbers or booleans

    Returns
    -------
    X : array-like of shape (n_samples, n_features)
        As given, unless it has columns of categories or of other things than numbers that are discrete.
    discrete : ndarray of shape (n_features,), bool
    """
    shape = X.shape if hasattr(X, "shape") else as_array(X).shape
    if len(shape) != 2 or issparse(X):
        return X, np.zeros(0, dtype=bool)  # the check of X refuses it
    discrete = _mask(X, shape[1], discrete_features)
    if not discrete.any():
        return X, discrete
    if hasattr(X, "dtypes"):  # a data frame
        X = X.copy() if hasattr(X, "iloc") else X.clone()
        for k in np.flatnonzero(discrete):
            if hasattr(X, "iloc"):
                X.isetitem(k, _codes(X.iloc[:, k]))
            else:
                column = X[:, int(k)]
                X.replace_column(int(k), type(column)(column.name, _codes(column)))
        return X, discrete
    array = as_array(X)
    if array.dtype.kind in "US" and not hasattr(X, "dtype"):
        array = np.asarray(X, dtype=object)  # NaN in a list is no word
    if array.dtype.kind not in "OUSiu":
        return X, discrete
    array = array.copy() if array.dtype.kind in "iu" else array.astype(object)
    for k in np.flatnonzero(discrete):
        array[:, k] = _codes(array[:, k])
    return array, discrete


def refuse_categories(X, name):
    """Refuse a data frame with columns of category type, for a function that compares means.

    Parameters
    ----------
    X : array-like
    name : str
        Name of the function.
    """
    columns = np.flatnonzero(_of_category_type(X))
    if len(columns):
        raise ValueError(
            f"Column {list(X.columns)[columns[0]]!r} of X holds categories, but {name} compares means. Encode it, for "
            "example by OneHotEncoder, or use mutual_information or relieff."
        )


def _of_category_type(X):
    """Mask of the columns whose type is pandas' category, or polars' Categorical or Enum."""
    types = [str(dtype) for dtype in getattr(X, "dtypes", [])] if hasattr(X, "columns") else []
    return np.array([name == "category" or name.startswith(("Categorical", "Enum")) for name in types], dtype=bool)


def _mask(X, n_features, discrete_features):
    if isinstance(discrete_features, str):  # "auto"
        is_category = _of_category_type(X)
        return is_category if len(is_category) else np.zeros(n_features, dtype=bool)
    if isinstance(discrete_features, (bool, np.bool_)):
        return np.full(n_features, bool(discrete_features))
    mask = np.zeros(n_features, dtype=bool)
    mask[column_numbers(discrete_features, "discrete_features", X if hasattr(X, "columns") else as_array(X))] = True
    return mask


def _codes(column):
    """Numbers of the categories of a column as floats, NaN where it is missing."""
    from pandas import factorize

    codes = factorize(np.asarray(column, dtype=object), sort=True)[0]
    return np.where(codes < 0, np.nan, codes)
