"""Relief, ReliefF and RReliefF: a good feature differs between neighbours whose targets differ, and not otherwise."""

from numbers import Integral, Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from fscore._parameters import Interval, validate_params
from fscore._typing import Floats, Seed
from fscore._validation import check_labelled, check_regression, rescale_extremes

__all__ = ["relief", "relieff", "rrelieff"]

_CONSTRAINTS = {
    "n_iterations": [Interval(Integral, 1, None, closed="left"), None],
    "difference": [StrOptions({"absolute", "squared"})],
    "random_state": ["random_state"],
}


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)
def relief(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_iterations: int | None = None,
    difference: Literal["squared", "absolute"] = "squared",
    random_state: Seed = None,
) -> Floats:
    """Relief: differences to the nearest miss minus differences to the nearest hit.

    ``score_f = mean over sampled x of diff_f(x, NM(x)) - diff_f(x, NH(x))``, where ``diff_f`` is the difference
    in feature f divided by the feature's range, and the nearest hit and miss have the smallest sum of ``diff_f``. With
    several classes the nearest miss is the nearest sample of any other class.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels; each class needs two samples.
    n_iterations : int or None, default=None
        Number of samples drawn at random without replacement; None uses every sample once.
    difference : {"squared", "absolute"}, default="squared"
        Kira and Rendell square the differences (their neighbours are Euclidean); later authors do not.
    random_state : int, RandomState instance or None, default=None
        Used only when ``n_iterations`` is given.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [-1, 1]; higher is better; 0 for a constant feature. Algorithm 1 of [2]_ divides by the number of samples
        once more, which changes no ranking.

    Raises
    ------
    ValueError
        If a class holds fewer than two samples, or ``n_iterations`` exceeds the number of samples.

    Notes
    -----
    Among samples at the same distance the earlier ones count as nearest, so the scores of discrete features depend on
    the order of the samples. The mean over several orders is free of it.

    References
    ----------
    .. [1] Kira & Rendell (1992), "A practical approach to feature selection", ICML.
    .. [2] Chen (2012), Algorithm 1.

    Examples
    --------
    >>> from fscore.filters import relief
    >>> relief([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    array([ 1., -1.])
    """
    return _mean_difference(X, y, False, 1, n_iterations, difference, random_state)


@validate_params(
    {**_CONSTRAINTS, "n_neighbors": [Interval(Integral, 1, None, closed="left")]}, prefer_skip_nested_validation=True
)
def relieff(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_neighbors: int = 10,
    n_iterations: int | None = None,
    difference: Literal["squared", "absolute"] = "absolute",
    random_state: Seed = None,
) -> Floats:
    """ReliefF: k nearest hits and k nearest misses of every other class, weighted by class priors.

    ``score_f = mean over x of [ - mean over k hits of diff_f + sum over classes c != y(x) of
    P(c) / (1 - P(y(x))) * mean over k misses from c of diff_f ]`` with ``diff_f`` divided by the feature's range.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels; each class needs ``n_neighbors + 1`` samples.
    n_neighbors : int, default=10
        The k of the paper (also the "n" in lines 9 and 11 of Chen's Algorithm 2).
    n_iterations : int or None, default=None
        Number of samples drawn at random without replacement; None uses every sample once.
    difference : {"absolute", "squared"}, default="absolute"
        Which differences are summed, both in the distance and in the score.
    random_state : int, RandomState instance or None, default=None
        Used only when ``n_iterations`` is given.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [-1, 1]; higher is better; 0 for a constant feature.

    Raises
    ------
    ValueError
        If a class holds too few samples for ``n_neighbors``, or ``n_iterations`` exceeds the number of samples.

    Notes
    -----
    Among samples at the same distance the earlier ones count as nearest, so the scores of discrete features depend on
    the order of the samples. The mean over several orders is free of it.

    References
    ----------
    Kononenko (1994), "Estimating attributes: analysis and extensions of RELIEF", ECML; Robnik-Sikonja & Kononenko
    (2003), Machine Learning 53, 23-69; Chen (2012), Algorithm 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fscore.filters import relieff
    >>> SelectKBest(relieff, k=2).fit(*load_iris(return_X_y=True)).get_support(indices=True)
    array([2, 3])
    """
    return _mean_difference(X, y, True, n_neighbors, n_iterations, difference, random_state)


@validate_params(
    {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "sigma": [Interval(Real, 0, None, closed="neither"), None],
        "n_iterations": _CONSTRAINTS["n_iterations"],
        "random_state": _CONSTRAINTS["random_state"],
    },
    prefer_skip_nested_validation=True,
)
def rrelieff(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_neighbors: int = 10,
    sigma: float | None = 20.0,
    n_iterations: int | None = None,
    random_state: Seed = None,
) -> Floats:
    """RReliefF: ReliefF for a continuous target.

    ``score_f = P(diff_f | diff_y) - P(diff_f | not diff_y)`` among nearest neighbours, estimated by
    ``N_yf / N_y - (N_f - N_yf) / (m - N_y)``. Here ``N_y``, ``N_f`` and ``N_yf`` are the sums of ``d(i, j) diff_y``,
    ``d(i, j) diff_f`` and ``d(i, j) diff_y diff_f`` over the m sampled i and the neighbours j of each (Figure 3 of
    [1]_). ``diff`` is the absolute difference divided by the range of the feature or of the target. The influence
    ``d(i, j)`` of the neighbour with rank r is proportional to ``exp(-(r / sigma)^2)``, and sums to 1 for each i.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Numbers, not all equal.
    n_neighbors : int, default=10
        Number of neighbours, less than n_samples.
    sigma : float or None, default=20.0
        Controls how fast the influence falls with the rank; None gives all neighbours the same influence.
    n_iterations : int or None, default=None
        Number of samples drawn at random without replacement; None uses every sample once.
    random_state : int, RandomState instance or None, default=None
        Used only when ``n_iterations`` is given.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [-1, 1]; higher is better; 0 for a constant feature. A fraction 0 / 0 counts as 0: no neighbours differ in
        the target, or all differ by its whole range.

    Raises
    ------
    ValueError
        If y is not numeric or is constant, or ``n_neighbors`` or ``n_iterations`` is too large for the sample.

    Notes
    -----
    Among samples at the same distance the earlier ones count as nearest, so the scores of discrete features depend on
    the order of the samples. The mean over several orders is free of it.

    References
    ----------
    .. [1] Robnik-Sikonja & Kononenko (2003), "Theoretical and empirical analysis of ReliefF and RReliefF", Machine
       Learning 53, 23-69. The neighbours and sigma are free parameters there; the defaults are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.filters import rrelieff
    >>> X = np.random.default_rng(0).uniform(size=(300, 4))
    >>> scores = rrelieff(X, np.sin(6 * X[:, 0]) * (X[:, 2] - 0.5))
    >>> np.sort(np.argsort(-scores)[:2])
    array([0, 2])
    """
    from fscore.kernels.relief import regression_sums

    X, y = check_regression(X, y)
    if n_neighbors >= len(X):
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, but X has {len(X)}. Lower it, or add "
            "samples."
        )
    order, n_queries = _queries_first(len(X), n_iterations, random_state)
    target = _unit_range(y[:, None])[:, 0]
    sums = regression_sums(_unit_range(X)[order], target[order], n_queries, _influence(n_neighbors, sigma))
    target_sum, feature_sums, joint_sums = (s / n_queries for s in sums)
    different = joint_sums / target_sum if target_sum > 0 else 0.0
    alike = (feature_sums - joint_sums) / (1 - target_sum) if target_sum < 1 else 0.0
    return different - alike  # type: ignore[return-value]


def _influence(n_neighbors, sigma):
    """Weights of the neighbours, the nearest first; they sum to 1."""
    if sigma is None:
        return np.full(n_neighbors, 1 / n_neighbors)
    ranks = np.arange(1, n_neighbors + 1)
    sigma = max(sigma, 1e-3)  # where the second neighbour has lost all influence
    influence = np.exp((1 - ranks) / sigma * ((1 + ranks) / sigma))  # relative to the first
    return influence / influence.sum()


def _mean_difference(X, y, per_class, n_neighbors, n_iterations, difference, random_state):
    """The steps that Relief and ReliefF share: scale, sample, and average over samples and neighbours."""
    from fscore.kernels.relief import relief_weights

    X, y, classes = check_labelled(X, y)
    _check_enough(y, classes, n_neighbors)
    order, n_queries = _queries_first(len(X), n_iterations, random_state)
    prior = np.bincount(y) / len(y)
    total = relief_weights(
        _unit_range(X)[order], y[order], n_queries, prior, per_class, n_neighbors, difference == "squared"
    )
    return total / (n_queries * n_neighbors)


def _unit_range(X):
    """Each feature divided by its range, from 0 to 1; 0 for a constant feature."""
    X = rescale_extremes(X)
    low, high = X.min(axis=0), X.max(axis=0)
    X = X - low
    X /= np.where(high > low, high - low, 1.0)
    return X


def _check_enough(y, classes, n_neighbors):
    counts = np.bincount(y)
    smallest = counts.argmin()
    if counts[smallest] == 1:
        raise ValueError(
            f"class {classes[smallest]} has one sample, but each class needs two, so that a sample has a neighbour in "
            "its class. Leave the class out, or merge it with another."
        )
    if counts[smallest] <= n_neighbors:
        raise ValueError(
            f"class {classes[smallest]} has {counts[smallest]} samples, but n_neighbors={n_neighbors} needs "
            f"{n_neighbors + 1} in each class. Lower n_neighbors, or leave the class out."
        )


def _queries_first(n_samples, n_iterations, random_state):
    """Order of the samples with the queries first, and the number of queries."""
    if n_iterations is None:
        return np.arange(n_samples), n_samples
    if n_iterations > n_samples:
        raise ValueError(
            f"n_iterations={n_iterations} exceeds the {n_samples} samples, which are drawn without replacement. "
            "Use n_iterations=None to use each of them once."
        )
    shuffled = check_random_state(random_state).permutation(n_samples)
    return np.concatenate([np.sort(shuffled[:n_iterations]), np.sort(shuffled[n_iterations:])]), n_iterations
