"""Fisher's score: variance between the classes over variance within them."""

import numpy as np
from numpy.typing import ArrayLike

from fscore._typing import Floats
from fscore._validation import check_labelled, rescale_extremes

__all__ = ["fisher_score"]

_BLOCK = 2**22  # samples times classes that are held at a time


def fisher_score(X: ArrayLike, y: ArrayLike) -> Floats:
    """Fisher score of each feature.

    ``F_i = sum_j n_j (mu_ij - mu_i)^2 / sum_j n_j sigma_ij^2`` over the classes j, with variances that divide by
    ``n_j``. Equation 58 of [1]_ is printed without the square in the numerator, which would be zero for every feature.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        At least 0, higher is better; 0 for a constant feature, ``inf`` for one that is constant within every class
        and differs between them. Equal to ``(C - 1) / (n - C)`` times the F statistic of the analysis of variance.

    References
    ----------
    .. [1] Chen (2012), section 3.4.3.

    Examples
    --------
    >>> from fscore.filters import fisher_score
    >>> fisher_score([[0, 5], [2, 1], [4, 5], [6, 1]], [0, 0, 1, 1])
    array([4., 0.])
    """
    X, y, classes = check_labelled(X, y)
    X = rescale_extremes(X)
    X = X - X[0]  # a constant feature is exactly zero
    lowest, highest = _class_extremes(X, y)
    counts = np.bincount(y).astype(np.float64)
    # Sums of squares below this are rounding errors.
    noise = len(X) * (4 * np.finfo(float).eps * np.abs(X).max(axis=0)) ** 2
    X -= X.mean(axis=0)
    means = _class_sums(X, y, len(classes)) / counts[:, None]
    between = counts @ means**2
    residuals = means[y]
    np.square(np.subtract(X, residuals, out=residuals), out=residuals)
    within = np.where((lowest == highest).all(axis=0), 0.0, residuals.sum(axis=0))
    constant = lowest.min(axis=0) == highest.max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(constant | (between <= noise), 0.0, between / within)


def _class_extremes(X, y):
    """Lowest and highest value in each class, each of shape (n_classes, n_features)."""
    order = np.argsort(y, kind="stable")
    starts = np.searchsorted(y[order], np.arange(y[order[-1]] + 1))
    X = X[order]
    return np.minimum.reduceat(X, starts), np.maximum.reduceat(X, starts)


def _class_sums(X, y, n_classes):
    """Sum of the samples of each class, shape (n_classes, n_features), a block of classes at a time."""
    step = max(1, _BLOCK // len(X))
    blocks = [np.arange(start, min(start + step, n_classes)) for start in range(0, n_classes, step)]
    return np.concatenate([(y[:, None] == block).astype(np.float64).T @ X for block in blocks])
