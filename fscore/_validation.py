"""Checks that several rooms share: one sentence each, with the offending value and the remedy."""

from collections.abc import Iterable

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y, validate_data

__all__ = ["as_array", "check_labelled", "check_scale", "check_sortable", "check_splits", "encode_labels"]


def encode_labels(y):
    """Return ``(classes, codes)`` with ``classes[codes] == y``; refuse a single class.

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
        If ``y`` is not a classification target, has labels of types that cannot be sorted, or has fewer than two
        classes.
    """
    check_sortable(y, "y")
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has only one class ({classes.tolist()[0]!r}), but at least two are needed. Check the label column."
        )
    return classes, codes


def check_sortable(labels, name):
    """Raise ValueError if labels of different types cannot be compared, such as numbers and strings."""
    labels = as_array(labels)
    if labels.dtype != object:
        return
    try:
        np.unique(labels)
    except TypeError:
        types = sorted({type(label).__name__ for label in labels.ravel()})
        raise ValueError(
            f"{name} mixes labels of the types {', '.join(types)}. Convert them to one type, for example by "
            f"[str(label) for label in {name}]."
        ) from None


def as_array(values):
    """The values as an array, of dtype object if they are nested lists of different lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.asarray(values, dtype=object)


def check_labelled(X, y, *, estimator=None, **check_params):
    """Validate a labelled sample for a score function or an estimator's ``fit``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    estimator : estimator, optional
        When given, its ``n_features_in_`` and ``feature_names_in_`` are set, as scikit-learn's ``validate_data`` does.
    **check_params
        Passed on to scikit-learn's validation (``ensure_min_samples``, ...).

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64, C-contiguous
    codes : ndarray of shape (n_samples,), dtype intp
        Class numbers 0..n_classes-1.
    classes : ndarray of shape (n_classes,)

    Raises
    ------
    ValueError
        NaN or infinite values, fewer than two classes, inconsistent lengths.
    """
    check_params = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2, **check_params}
    if estimator is None:
        X, y = check_X_y(X, y, **check_params)
    else:
        X, y = validate_data(estimator, X, y, **check_params)
    classes, codes = encode_labels(y)
    return X, codes, classes


def check_scale(X, caller, *, argument="X", smallest=1e-145, largest=1e145, each_column=False):
    """Refuse values whose squared differences overflow or underflow.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite.
    caller : estimator or str
        Named in the message. The feature names of an estimator are used, if it has any.
    argument : str, default="X"
        Name of the argument that X was given for.
    smallest, largest : float
        Bounds on the ranges of the columns, and on the absolute values. The defaults keep squares within floats, even
        summed over many samples and features.
    each_column : bool, default=False
        Whether ``smallest`` applies to every column that varies. Otherwise it applies to the column with the largest
        range, since others then contribute nothing to distances.

    Raises
    ------
    ValueError
        Names the column, the value and a remedy.
    """
    name = caller if isinstance(caller, str) else type(caller).__name__
    names = getattr(caller, "feature_names_in_", np.arange(X.shape[1]))
    low, high = X.min(axis=0), X.max(axis=0)
    magnitude = np.maximum(high, -low)
    column = magnitude.argmax()
    if magnitude[column] > largest:
        value = high[column] if high[column] == magnitude[column] else low[column]
        raise ValueError(
            f"Column {names[column]} of {argument} contains {value:.3g}, but {name} requires absolute values up to "
            f"{largest:g} to avoid overflow. Divide the column by {abs(value):.0e}, or remove the value if it marks "
            "missing data."
        )
    ranges = high - low
    varying = np.flatnonzero(ranges)
    if not varying.size:
        return
    column = varying[ranges[varying].argmin() if each_column else ranges[varying].argmax()]
    if ranges[column] < smallest:
        where, what = ("", "the column") if each_column else (" in some column", "all columns")
        raise ValueError(
            f"Column {names[column]} of {argument} has the range {ranges[column]:.3g}, but {name} requires at least "
            f"{smallest:g}{where} to avoid underflow. Divide {what} by {ranges[column]:.0e}."
        )


def check_splits(cv, X, y):
    """The (train, test) indices of a classifier's cross-validation.

    Parameters
    ----------
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn.
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)

    Returns
    -------
    list of tuple
        Pairs of integer arrays.

    Raises
    ------
    ValueError
        If there is no split, if an element is not a pair of index arrays (or masks), or if indices are out of range.
    """
    from sklearn.model_selection import check_cv

    if isinstance(cv, Iterable) and not isinstance(cv, str):
        splits = list(cv)
    else:
        splits = list(check_cv(cv, y, classifier=True).split(X, y))
    if not splits:
        raise ValueError("cv contains no split. Give at least one pair (train, test), or a number of folds.")
    return [_checked_split(k, split, len(y)) for k, split in enumerate(splits)]


def _checked_split(number, split, n_samples):
    try:
        train, test = split
    except (TypeError, ValueError):
        raise ValueError(f"Split {number} of cv must be a pair (train, test) of index arrays, got {split!r}.") from None
    return _checked_indices(f"train part of split {number}", train, n_samples), _checked_indices(
        f"test part of split {number}", test, n_samples
    )


def _checked_indices(name, indices, n_samples):
    indices = as_array(indices)
    if indices.dtype == bool and indices.shape == (n_samples,):
        indices = np.flatnonzero(indices)
    if indices.ndim != 1 or indices.size == 0 or indices.dtype.kind not in "iu":
        raise ValueError(f"The {name} of cv must be a non-empty array of sample numbers, got {indices!r}.")
    invalid = indices[(indices < -n_samples) | (indices >= n_samples)]
    if invalid.size:
        raise ValueError(
            f"The {name} of cv contains the sample number {invalid[0]}, but X has {n_samples} samples. Use numbers "
            f"from 0 to {n_samples - 1}."
        )
    return indices
