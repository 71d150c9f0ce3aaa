"""Bhattacharyya distance between normal classes, for each feature alone."""

from numbers import Integral, Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Options

from fscore._parameters import Interval, validate_params
from fscore._typing import Floats
from fscore._validation import check_labelled, rescale_extremes

__all__ = ["bhattacharyya_score"]

_BLOCK = 2**21  # pairs of classes times features that are held at a time


@validate_params(
    {"ridge": [Interval(Real, 0, None, closed="neither")], "ddof": [Options(Integral, {0, 1})]},
    prefer_skip_nested_validation=True,
)
def bhattacharyya_score(X: ArrayLike, y: ArrayLike, *, ridge: float = 1e-8, ddof: Literal[0, 1] = 1) -> Floats:
    """Bhattacharyya distance of each feature.

    ``B = (m1 - m2)^2 / (8 s) + ln(s / sqrt(s1 s2)) / 2`` with the variances s1 and s2 and ``s = (s1 + s2) / 2``;
    several classes: the sum over pairs, weighted by the product of the priors (weights sum to one). These are the
    values that the criterion :class:`fscore.criteria.Bhattacharyya` gives subsets of one feature.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels; each class needs two samples.
    ridge : float, default=1e-8
        Added to the variances of the standardized feature, so that the distance stays finite where a feature is
        constant within a class.
    ddof : {0, 1}, default=1
        The variance of a class of n samples divides by ``n - ddof``.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        At least 0, higher is better; 0 for a constant feature. Unlike Fisher's score, it is positive for classes that
        differ only in their variances.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), section 4: the pre-filter of Tables 5-7. The formula is not printed there.

    Examples
    --------
    >>> from fscore.filters import bhattacharyya_score
    >>> bhattacharyya_score([[0, 5], [2, 1], [4, 5], [6, 1]], [0, 0, 1, 1]).round(3)
    array([1., 0.])
    """
    X, y, classes = check_labelled(X, y)
    counts = np.bincount(y)
    if counts.min() < 2:
        single = classes.tolist()[counts.argmin()]
        raise ValueError(f"class {single!r} has a single sample, so its variance is unknown; drop it or collect more.")
    X = rescale_extremes(X)
    scale = X.std(axis=0)
    X = X - X.mean(axis=0)
    X /= np.where(scale > 0, scale, 1.0)
    groups = np.split(X[np.argsort(y, kind="stable")], np.cumsum(counts)[:-1])
    means = np.array([g.mean(axis=0) for g in groups])
    variances = np.array([g.var(axis=0, ddof=ddof) for g in groups]) + ridge
    total, total_weight = 0.0, 0
    for a, b in _blocks_of_pairs(len(classes), X.shape[1]):
        weights = counts[a] * counts[b]
        # s / sqrt(s1 s2) = 1 + (sd1 - sd2)^2 / (2 sd1 sd2): at least 1 whatever the rounding
        first, second = np.sqrt(variances[a]), np.sqrt(variances[b])
        spread = np.log1p((first - second) ** 2 / (2 * first * second)) / 2
        distances = (means[a] - means[b]) ** 2 / (4 * (variances[a] + variances[b])) + spread
        total = total + weights @ distances
        total_weight += weights.sum()
    return total / total_weight  # type: ignore[return-value]


def _blocks_of_pairs(n_classes, n_features):
    """All pairs a < b of class numbers, in blocks of about `_BLOCK` pairs times features."""
    step = max(1, _BLOCK // (n_classes * n_features))
    for start in range(0, n_classes - 1, step):
        a, b = np.nonzero(np.arange(start, min(start + step, n_classes))[:, None] < np.arange(n_classes))
        yield a + start, b
