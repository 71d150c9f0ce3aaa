"""Scores of single features from the means and variances of the classes: Fisher's score, Bhattacharyya's distance."""

from numbers import Integral, Real
from typing import Literal

import numpy as np

from fscore._magnitudes import rescale_extremes
from fscore._sklearn import Interval, Options, validate_params
from fscore._typing import ArrayLike, Floats
from fscore._validation import check_labeled
from fscore.filters._discrete import refuse_categories

__all__ = ["bhattacharyya_score", "fisher_score"]


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
    refuse_categories(X, "fisher_score")
    X, y, classes = check_labeled(X, y)
    X = rescale_extremes(X)
    X = np.asarray(X - X[0])  # a constant feature is exactly zero
    groups = _by_class(X, y)
    lowest, highest = np.array([g.min(axis=0) for g in groups]), np.array([g.max(axis=0) for g in groups])
    counts = np.bincount(y).astype(np.float64)
    # Sums of squares below this are rounding errors.
    noise = len(X) * (4 * np.finfo(float).eps * np.abs(X).max(axis=0)) ** 2
    X -= X.mean(axis=0)
    means = (y[:, None] == np.arange(len(classes))).astype(np.float64).T @ X / counts[:, None]
    between = counts @ means**2
    residuals = means[y]
    np.square(np.subtract(X, residuals, out=residuals), out=residuals)
    within = np.where((lowest == highest).all(axis=0), 0.0, residuals.sum(axis=0))
    constant = lowest.min(axis=0) == highest.max(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(constant | (between <= noise), 0.0, between / within)


def _by_class(X, y):
    """The samples of each class."""
    return np.split(X[np.argsort(y, kind="stable")], np.cumsum(np.bincount(y))[:-1])


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
    refuse_categories(X, "bhattacharyya_score")
    X, y, classes = check_labeled(X, y)
    counts = np.bincount(y)
    if counts.min() < 2:
        single = classes.tolist()[counts.argmin()]
        raise ValueError(f"class {single!r} has a single sample, so its variance is unknown; drop it or collect more.")
    X = rescale_extremes(X)
    scale = X.std(axis=0)
    X = X - X.mean(axis=0)
    X /= np.where(scale > 0, scale, 1.0)
    groups = _by_class(X, y)
    means = np.array([g.mean(axis=0) for g in groups])
    variances = np.array([g.var(axis=0, ddof=ddof) for g in groups]) + ridge
    a, b = np.triu_indices(len(classes), 1)  # all pairs of classes
    weights = counts[a] * counts[b]
    # s / sqrt(s1 s2) = 1 + (sd1 - sd2)^2 / (2 sd1 sd2): at least 1 whatever the rounding
    first, second = np.sqrt(variances[a]), np.sqrt(variances[b])
    spread = np.log1p((first - second) ** 2 / (2 * first * second)) / 2
    distances = (means[a] - means[b]) ** 2 / (4 * (variances[a] + variances[b])) + spread
    return weights @ distances / weights.sum()
