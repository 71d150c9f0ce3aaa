"""Input checks shared by several subpackages; each error is one sentence with the value and the remedy."""

import re
from collections.abc import Iterable
from datetime import date, time, timedelta
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, check_is_fitted, check_X_y, validate_data

from fscore._sklearn import column_indices, is_polars_df


def refuse_masked(values, name):
    """Refuse masked values, which numpy and scikit-learn would use as if they were valid."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values, which would be used as if they were valid; fill or remove them.")


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


def check_label_types(y, name="y"):
    """Refuse masked and missing labels, and labels that mix strings with other types, which numpy cannot sort.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    name : str, default="y"
        Name of the argument, for the message.
    """
    refuse_masked(y, name)
    y = y.to_list() if hasattr(y, "to_list") and not hasattr(y, "isna") else y  # a series of polars
    objects = getattr(y, "dtype", None) == np.dtype(object) or isinstance(y, (list, tuple))
    if not objects and not hasattr(y, "isna"):
        return
    from pandas import Series

    array = None if hasattr(y, "isna") else np.asarray(y, dtype=object)
    labels = y if array is None else Series(array.ravel(), dtype=object)
    missing = np.asarray(labels.isna()).reshape(np.shape(y if array is None else array))
    missing = np.flatnonzero(missing.any(axis=1) if missing.ndim == 2 else missing)
    if len(missing):
        raise ValueError(
            f"{name} has missing values ({len(missing)}, the first in row {missing[0]}). Remove these samples."
        )
    types = set(map(type, labels)) if objects else set()
    if len({issubclass(t, str) for t in types}) > 1:
        names = ", ".join(sorted(t.__name__ for t in types))
        raise ValueError(
            f"{name} has labels of different types ({names}); convert them to one, for example to strings."
        )


def refuse_objects(y):
    """Refuse labels of type object that are no texts, as a column of a mixed array has; scikit-learn does, too."""
    if getattr(y, "dtype", None) == np.dtype(object):
        other = next((label for label in np.ravel(y) if not isinstance(label, str)), None)
        if other is not None:
            raise ValueError(
                f"Unknown label type: y is an array of objects with {other!r}, which is no text; convert it, for "
                "example by y.astype(int) or y.astype(str)."
            )


def has_several_outputs(y):
    """Whether a target has several columns."""
    return len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1


def is_structured(y):
    """Whether a target has named fields, such as event and time."""
    return getattr(getattr(y, "dtype", None), "names", None) is not None


def refuse_structured(y):
    """Refuse a target with named fields where one value for each sample is needed."""
    if is_structured(y):
        raise ValueError(
            f"y has the fields {', '.join(y.dtype.names)}, but one value for each sample is needed; pass one field, as "
            f"y[{y.dtype.names[-1]!r}], or score an estimator that takes them all."
        )


def refuse_words(y):
    """Refuse a target of words or dates where numbers are needed; an array of objects may hold texts of numbers."""
    values = as_array(y).ravel()
    if values.dtype.kind == "O":
        values = [value for value in values if not _is_number(value)]
    elif values.dtype.kind in "biufc":  # scikit-learn refuses complex ones
        return
    if len(values):
        raise ValueError(
            f"y holds {str(values[0])[:50]!r}, which is not a number; convert y to numbers or, if it holds classes, "
            "use a classifier or another method for classes."
        )


def _is_number(value):
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def encode_labels(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(classes, codes)`` with ``classes[codes] == y``; a single class is an error.

    Parameters
    ----------
    y : array-like of shape (n_samples,)

    Returns
    -------
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n_samples,), dtype intp

    Raises
    ------
    ValueError
        If ``y`` is empty or not a classification target, mixes strings and numbers, or holds fewer than two classes.
    """
    check_label_types(y)
    refuse_structured(y)
    if np.ndim(y) != 1:
        raise ValueError(
            f"y has shape {np.shape(y)}, but one label per sample is needed; pass a single column, as y.ravel()."
        )
    refuse_objects(y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class ({', '.join(map(repr, classes.tolist()))}); at least two are needed to compare "
            "features. Check the label column."
        )
    return classes, codes


def as_array(values: Any) -> np.ndarray:
    """The values as an array, of dtype object if they are nested lists of different lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.asarray(values, dtype=object)


def check_labeled(
    X: Any, y: Any, *, estimator: Any = None, **check_params: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Validate samples and class labels for a score function or an estimator's ``fit``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    estimator : estimator, optional
        If given, its ``n_features_in_`` and ``feature_names_in_`` are set, as by scikit-learn's ``validate_data``.
    **check_params
        Passed to scikit-learn's validation (``ensure_min_samples``, ...).

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64, C-contiguous
    codes : ndarray of shape (n_samples,), dtype intp
        Class numbers 0, ..., n_classes - 1.
    classes : ndarray of shape (n_classes,)

    Raises
    ------
    ValueError
        NaN or infinite values, fewer than two classes, inconsistent lengths.
    """
    check_label_types(y)
    X, y = _check_X_y(X, y, estimator, check_params)
    classes, codes = encode_labels(y)
    return X, codes, classes


def check_regression(X: Any, y: Any, *, estimator: Any = None, **check_params: Any) -> tuple[np.ndarray, np.ndarray]:
    """Validate samples and a continuous target, as `check_labeled` does for class labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    estimator, **check_params
        As in `check_labeled`.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64, C-contiguous
    y : ndarray of shape (n_samples,), float64

    Raises
    ------
    ValueError
        NaN or infinite values, a target that is not numeric or is constant, inconsistent lengths.
    """
    check_label_types(y)
    X, y = _check_X_y(X, y, estimator, check_params)
    refuse_words(y)
    y = y.astype(np.float64)
    assert_all_finite(y, input_name="y")
    if (y == y[0]).all():
        raise ValueError(
            f"y holds only one value ({y[0]:g}), but features can explain only a target that varies. Check the target "
            "column."
        )
    return X, y


def _check_X_y(X, y, estimator, check_params):
    check_params = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2, **check_params}
    if estimator is None:
        return validated(check_X_y, X, y, **check_params)
    return validated(partial(validate_data, estimator), X, y, **check_params)


def check_features(X: Any) -> np.ndarray:
    """Validate samples alone: a float64 array of shape (n_samples, n_features), with at least two samples."""
    return validated(check_array, X, dtype=np.float64, ensure_min_samples=2)


def check_new_samples(estimator, X):
    """Validate samples for a fitted estimator, as it did in ``fit``: a float64 array of as many columns."""
    check_is_fitted(estimator)
    return validated(partial(validate_data, estimator), X, dtype=np.float64, reset=False)


def validated(check, X, *args, **check_params):
    """Call a check of scikit-learn, with additional checks and clearer errors.

    Parameters
    ----------
    check : callable
        `check_array`, `check_X_y`, or `validate_data` with its estimator.
    X : array-like of shape (n_samples, n_features)
    *args, **check_params
        Passed on; the first of ``args``, if there is one, is y.

    Returns
    -------
    ndarray or tuple
        What the check returns.

    Raises
    ------
    ValueError
        X or y has masked values, or integers beyond the range of floats or that become equal as floats; X holds dates
        where numbers are needed; or the check refuses it.
    TypeError
        X is lazy: it holds no values yet; or a data frame with sparse columns.
    """
    if not hasattr(X, "shape") and callable(getattr(X, "collect", None)):
        raise TypeError(f"X is a {type(X).__name__}, which holds no values yet; pass X.collect().")
    refuse_masked(X, "X")
    refuse_sparse_columns(X)
    if check_params.get("dtype") in (np.float64, "numeric"):
        refuse_dates(X)
    check_column_names(X)
    if args:
        refuse_masked(args[0], "y")
        if "dtype" in check_params:
            refuse_structured(args[0])
        args = (_exact(args[0]), *args[1:])
    with np.errstate(invalid="ignore"):  # NaN is found by the sum of X, where 1e308 and -1e308 overflow
        try:
            if check_params.get("dtype") is np.float64:
                _refuse_equal_as_floats(X)
                check_params["force_writeable"] = True  # compiled loops have other code for read-only arrays
            return check(X, *args, **check_params)
        except OverflowError:
            raise ValueError(
                "X or y holds an integer beyond the range of floats (about 1e308); rescale its column."
            ) from None
        except (TypeError, ValueError) as error:
            name_column(error, X)
            raise


def name_column(error, X):
    """Raise an error about a value of X anew, with its column and a remedy; return after any other error."""
    said = str(error)
    found = re.search("^(could not convert string|dtype='numeric')|^Input (?:X )?contains (NaN|infinity)|NAType", said)
    if found is None:
        return
    from pandas import isna, to_numeric

    for name, column in _columns(X):
        values = np.asarray(column)
        if found[1]:
            is_wrong = [not _is_number(v) and (found[1] == "dtype='numeric'" or repr(str(v)) in said) for v in values]
            remedy = "encode it, for example by OrdinalEncoder"
        elif found[2] == "infinity":
            is_wrong, remedy = np.isinf(to_numeric(values, errors="coerce")), "replace the infinite values"
        else:
            is_wrong, remedy = isna(values), "fill in missing values, for example by SimpleImputer"
        for value in values[np.asarray(is_wrong, dtype=bool)][:1]:
            value = repr(str(value)[:50]) if isinstance(value, str | bytes) else "NaN" if isna(value) else value
            raise ValueError(
                f"Column {name} of X holds {value}, which is not a finite number; {remedy}, or leave the column out."
            ) from error


def _refuse_equal_as_floats(X):
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


def _exact(y):
    """Integers and booleans of pandas as those of numpy; scikit-learn would make nullable ones floats."""
    kind = getattr(getattr(y, "dtype", None), "kind", None)
    return y.to_numpy() if hasattr(y, "isna") and kind in ("i", "u", "b") and not y.isna().any() else y


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


def as_splitter(cv, y, classifier):
    """What scikit-learn makes of a number of folds, a splitter or a list of splits."""
    from sklearn.model_selection import check_cv

    if isinstance(cv, bytes | type):  # they have a method called split
        raise ValueError(f"cv={cv!r} cannot split samples; give a number of folds, a splitter or pairs (train, test).")
    return check_cv(cv, y, classifier=classifier)


def check_splits(cv, X, y, *, classifier=True, **metadata):
    """The (train, test) row numbers of a cross-validation.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn; the pairs hold row numbers or masks.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None
    classifier : bool, default=True
        Whether a number of folds means stratified ones.
    **metadata : dict
        Passed to the splitter's ``split``.

    Returns
    -------
    list of tuple
        Pairs of integer arrays.

    Raises
    ------
    ValueError
        If there is no split, or if one is not a pair of row numbers of X (or masks), or has an empty part.
    """
    if isinstance(cv, Iterable) and not hasattr(cv, "split"):  # in a list, scikit-learn fails on what is not a pair
        splits = cv
    else:
        splitter = as_splitter(cv, None if is_structured(y) else y, classifier)
        if "groups" not in metadata and get_routing_for_object(splitter).consumes("split", ["groups"]):
            raise ValueError(
                f"cv={cv!r} needs the group of each sample; pass groups=... with X and y, or give the splits "
                "themselves, list(cv.split(X, y, groups))."
            )
        splits = splitter.split(X, y, **metadata)
    checked = []
    for number, split in enumerate(splits):
        try:
            train, test = split
        except (TypeError, ValueError):
            raise ValueError(
                f"cv holds {split!r:.60}; its splits must be pairs (train, test) of row numbers."
            ) from None
        checked.append(
            tuple(_rows(number, role, rows, X.shape[0]) for role, rows in (("training", train), ("test", test)))
        )
    if not checked:
        raise ValueError("cv holds no splits; pass a list of them (a generator can be used only once) or a number.")
    return checked


def _rows(number, role, rows, n_samples):
    """Row numbers; a mask is converted."""
    rows = as_array(rows)
    try:
        rows = np.arange(n_samples)[rows] if rows.size else rows
    except IndexError as error:
        raise ValueError(
            f"split {number} of cv has {role} samples that are neither row numbers nor a mask of X: {error}."
        ) from None
    if rows.ndim != 1 or rows.size == 0:
        raise ValueError(f"split {number} of cv has no {role} samples; use fewer folds or another splitter.")
    return rows
