"""The folds of a cross-validation, and the mean of what they score."""

from numbers import Integral

import numpy as np
from sklearn.model_selection._split import _CVIterableWrapper

from fscore._validation import as_splits, encode_labels

__all__ = ["fold_mean", "list_splits"]


def fold_mean(hits, sizes):
    """Mean of the fold accuracies ``hits / sizes``, summed so that equal means are equal numbers.

    Folds of one size are added as integers first: (56 + 55) / 57 and (55 + 56) / 57 must not differ in the last bit,
    or a search takes another path.

    Parameters
    ----------
    hits : int array of shape (..., n_folds)
    sizes : int array of shape (n_folds,)

    Returns
    -------
    float array of shape (...)
    """
    total = 0.0
    for size in np.unique(sizes):
        total = total + hits[..., sizes == size].sum(axis=-1) / size
    return total / len(sizes)


def list_splits(cv, splitter, X, y, metadata=None, *, stratified=True):
    """Draw the splits once.

    Parameters
    ----------
    cv : int, splitter or iterable
        As given by the user.
    splitter : object with ``split``
        What scikit-learn makes of `cv`.
    X, y : the data
    metadata : dict, optional
        Further arguments of ``split``.
    stratified : bool, default=True
        Whether y holds class labels, of which the largest class must have as many samples as there are folds.

    Returns
    -------
    list of (train, test) index arrays

    Raises
    ------
    ValueError
        If no class has as many samples as there are folds, or `cv` does not consist of pairs of row numbers of X.
    """
    if isinstance(cv, bytes):  # has a method split
        raise ValueError(f"cv={cv!r} holds bytes; give a number of folds, a splitter or a list of (train, test).")
    codes = encode_labels(y)[1] if stratified else None
    if stratified and isinstance(cv, Integral) and cv > np.bincount(codes).max():
        raise ValueError(
            f"cv={cv} folds need a class with at least {cv} samples, but the largest has "
            f"{np.bincount(codes).max()}; lower cv or pass a splitter."
        )
    listed = isinstance(splitter, _CVIterableWrapper)  # its split would fail to unpack what is not a pair
    drawn = splitter.cv if listed else splitter.split(X, y, **(metadata or {}))
    return as_splits(drawn, len(y))
