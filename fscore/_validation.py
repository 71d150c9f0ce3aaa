"""Input checks shared by several subpackages; each error is one sentence with the value and the remedy."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, check_is_fitted, check_X_y, validate_data

from fscore._columns import (
    as_array,
    check_column_names,
    is_number,
    name_column,
    refuse_dates,
    refuse_equal_as_floats,
    refuse_sparse_columns,
)


def refuse_masked(values, name):
    """Refuse masked values, which numpy and scikit-learn would use as if they were valid."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values, which would be used as if they were valid; fill or remove them.")


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
        values = [value for value in values if not is_number(value)]
    elif values.dtype.kind in "biufc":  # scikit-learn refuses complex ones
        return
    if len(values):
        raise ValueError(
            f"y holds {str(values[0])[:50]!r}, which is not a number; convert y to numbers or, if it holds classes, "
            "use a classifier or another method for classes."
        )


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
                refuse_equal_as_floats(X)
                check_params["force_writeable"] = True  # compiled loops have other code for read-only arrays
            return check(X, *args, **check_params)
        except OverflowError:
            raise ValueError(
                "X or y holds an integer beyond the range of floats (about 1e308); rescale its column."
            ) from None
        except (TypeError, ValueError) as error:
            name_column(error, X)
            raise


def _exact(y):
    """Integers and booleans of pandas as those of numpy; scikit-learn would make nullable ones floats."""
    kind = getattr(getattr(y, "dtype", None), "kind", None)
    return y.to_numpy() if hasattr(y, "isna") and kind in ("i", "u", "b") and not y.isna().any() else y
