"""Input checks shared by several subpackages; each error is one sentence with the value and the remedy."""

from functools import partial

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array, check_X_y, validate_data

__all__ = [
    "check_features",
    "check_label_types",
    "check_labelled",
    "check_regression",
    "encode_labels",
    "rescale_extremes",
]

_EXTREME = 400  # 2^400 is about 3e120: sums of squares of such values don't overflow


def check_label_types(y):
    """Refuse labels of which some are strings and some are not; numpy would convert them or fail to sort them.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    """
    if getattr(y, "dtype", None) != np.dtype(object) and not isinstance(y, (list, tuple)):
        return
    types = {type(label) for label in np.ravel(np.asarray(y, dtype=object))}
    if len({issubclass(t, str) for t in types}) > 1:
        names = ", ".join(sorted(t.__name__ for t in types))
        raise ValueError(f"y has labels of different types ({names}); convert them to one, for example to strings.")


def encode_labels(y):
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
        If ``y`` is not a classification target, mixes strings and numbers, or holds fewer than two classes.
    """
    check_label_types(y)
    if type_of_target(y, input_name="y") == "unknown":
        names = ", ".join(sorted({type(label).__name__ for label in y}))
        raise ValueError(f"Unknown label type: y holds objects of type {names}; use y.astype(int) or y.astype(str).")
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class ({classes.tolist()[0]!r}); at least two are needed to compare features. Check the "
            "label column."
        )
    return classes, codes


def check_labelled(X, y, *, estimator=None, **check_params):
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


def check_regression(X, y, *, estimator=None, **check_params):
    """Validate samples and a continuous target, as `check_labelled` does for class labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    estimator, **check_params
        As in `check_labelled`.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float64, C-contiguous
    y : ndarray of shape (n_samples,), float64

    Raises
    ------
    ValueError
        NaN or infinite values, a target that is not numeric or is constant, inconsistent lengths.
    """
    X, y = _check_X_y(X, y, estimator, check_params)
    try:
        y = y.astype(np.float64) if y.dtype.kind in "biufO" else None
    except (TypeError, ValueError):
        y = None
    if y is None or not np.isfinite(y).all():
        raise ValueError(
            "y holds values that are not finite numbers, which a continuous target needs; encode or remove them, or "
            "use a method for classification."
        )
    if (y == y[0]).all():
        raise ValueError(
            f"y holds only one value ({y[0]:g}), but features can explain only a target that varies. Check the target "
            "column."
        )
    return X, y


def _check_X_y(X, y, estimator, check_params):
    check_params = {"dtype": np.float64, "order": "C", "ensure_min_samples": 2, **check_params}
    if estimator is None:
        return _validated(check_X_y, X, y, **check_params)
    return _validated(partial(validate_data, estimator), X, y, **check_params)


def check_features(X):
    """Validate samples alone: a float64 array of shape (n_samples, n_features), with at least two samples."""
    return _validated(check_array, X, dtype=np.float64, ensure_min_samples=2)


def _validated(check, X, *args, **check_params):
    """Call a check of scikit-learn; refuse what it accepts wrongly or reports unclearly."""
    if np.ma.is_masked(X):
        raise ValueError("X has masked values, which would be used as if they were valid; fill or remove them.")
    with np.errstate(invalid="ignore"):  # NaN is found by the sum of X, where 1e308 and -1e308 overflow
        try:
            return check(X, *args, **check_params)
        except OverflowError:
            raise ValueError(
                "X holds an integer beyond the range of floats (about 1e308); rescale its column."
            ) from None


def rescale_extremes(X, largest=_EXTREME):
    """Multiply columns of very large or very small values by a power of two, so that sums of their squares are exact.

    For scores that don't depend on the units of a feature. All other columns are returned unchanged.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
        Finite.
    largest : int
        The greatest magnitude in each returned column is between ``2**-largest`` and ``2**largest``, or zero.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        X itself if no column is extreme. Scaling by a power of two is exact, except for values that are more than 1e300
        times smaller than the greatest of their column.
    """
    _, exponents = np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))
    shift = np.clip(exponents, -largest, largest) - exponents
    return np.ldexp(X, shift) if shift.any() else X
