"""Cross-validation: the rows of each split, checked."""

from collections.abc import Iterable

import numpy as np
from sklearn.utils.metadata_routing import get_routing_for_object

from fscore._columns import as_array
from fscore._validation import is_structured


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
