"""Checks that several rooms share: one sentence each, with the offending value and the remedy."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y, validate_data

__all__ = ["check_label_types", "check_labelled", "encode_labels"]


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
        If ``y`` is not a classification target, mixes strings and numbers, or holds fewer than two classes.
    """
    check_label_types(y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class ({classes.tolist()[0]!r}); features can be told apart only by what separates "
            "at least two classes. Check the label column."
        )
    return classes, codes


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
    check_label_types(y)
    if estimator is None:
        X, y = check_X_y(X, y, **check_params)
    else:
        X, y = validate_data(estimator, X, y, **check_params)
    classes, codes = encode_labels(y)
    return X, codes, classes
