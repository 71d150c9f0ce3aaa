"""The Gamma Test: how much of the variance of the output no smooth function of the features can explain."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np

from fscore._jobs import n_workers, threaded
from fscore._magnitudes import check_scale
from fscore._sklearn import Interval, estimator_dataclass, validate_params
from fscore._typing import ArrayLike, Floats
from fscore._validation import check_labeled, check_regression
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._subsets import check_enumerable, flat, lexicographic, lexicographic_order, n_shared

__all__ = ["GammaTest", "GammaTestResult", "gamma_all_subsets", "gamma_test"]

MAX_BATCH = 4096  # most subsets that one thread scores at a time; their sums take a few megabytes
WORK_PER_BATCH = 2**27  # of subsets times pairs of samples in a batch: a quarter of a second, after which Ctrl-C acts


class GammaTestResult(NamedTuple):
    """What `gamma_test` returns.

    Attributes
    ----------
    gamma : float
        Intercept of the line: the part of the variance of y that the features leave unexplained.
    slope : float
    points : ndarray of shape (p_max, 2)
        The points (Delta(p), Gamma(p)) to which the line is fitted.
    v_ratio : float
        gamma divided by the variance of y: 0 if the features explain it completely, 1 if not at all.
    """

    gamma: float
    slope: float
    points: Floats
    v_ratio: float


@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "p_max": [Interval(Integral, 2, None, closed="left")],
        "cumulative": ["boolean"],
        "continuous": ["boolean"],
    },
    prefer_skip_nested_validation=True,
)
def gamma_test(
    X: ArrayLike, y: ArrayLike, p_max: int = 20, *, cumulative: bool = True, continuous: bool = False
) -> GammaTestResult:
    """Gamma Test of a sample.

    For p = 1..p_max, delta(p) is the mean squared distance to the p-th nearest neighbor and gamma(p) half the mean
    squared difference between a sample's output and its p-th neighbor's. For class labels that is half the share of
    p-th neighbors that are of another class. gamma is the intercept of the line through these points.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        On comparable scales; the thesis scales every feature to [-1, 1].
    y : array-like of shape (n_samples,)
        Class labels. Their distance is 0 or 1 (the discrete metric), as for labels 0 and 1 in the thesis; labels -1
        and 1 would give four times the value. Numbers, if `continuous`.
    p_max : int, default=20
        Number of neighbors, less than the number of samples. The thesis takes 20, 25, ..., 50.
    cumulative : bool, default=True
        Fit the line to the running means of delta and gamma (equations 5.3 and 5.4); otherwise to delta(p) and gamma(p)
        themselves, as in later publications.
    continuous : bool, default=False
        Whether y is a continuous output, for which the test was invented.

    Returns
    -------
    GammaTestResult

    Raises
    ------
    ValueError
        If there are not more than ``p_max`` samples.

    Notes
    -----
    If y is a smooth function of the features plus noise, gamma tends to the variance of the noise as the sample grows.
    For class labels it tends to ``E[sum_c eta_c(x) (1 - eta_c(x))] / 2`` with ``eta_c(x) = P(c | x)``, which for
    two classes is ``E[eta (1 - eta)]``: half the asymptotic error of the nearest neighbor rule. A finite sample may
    give a negative value.

    Not stated in the thesis: equally distant neighbors share their mean difference in y, so that the order of the
    samples does not matter; if all distances are equal the line is horizontal, at the mean difference.

    References
    ----------
    Nel (1998), chapter 5; Stefansson, Koncar, Jones (1997), "A note on the Gamma test".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import gamma_test
    >>> X, y = load_iris(return_X_y=True)
    >>> round(gamma_test(X, y, p_max=10).gamma, 3)
    0.016

    Of the variance of the petal width, the other three measurements leave 4.5% unexplained:

    >>> result = gamma_test(X[:, :3], X[:, 3], continuous=True)
    >>> round(result.gamma, 3), round(result.v_ratio, 3)
    (0.026, 0.045)
    """
    X, y = _checked(X, y, continuous)
    _check_enough(len(y), p_max)
    delta, gamma = _points(X, y, [tuple(range(X.shape[1]))], p_max, cumulative)
    intercept, slope = _line(delta, gamma)
    variance = y.var() if continuous else (1 - np.sum((np.bincount(y) / len(y)) ** 2)) / 2
    points = np.column_stack([delta[0], gamma[0]])
    return GammaTestResult(float(intercept[0]), float(slope[0]), points, float(intercept[0] / variance))


@validate_params(
    {"X": ["array-like"], "y": ["array-like"], "cumulative": ["boolean"], "continuous": ["boolean"]},
    prefer_skip_nested_validation=True,
)
def gamma_all_subsets(
    X: ArrayLike,
    y: ArrayLike,
    p_max: int | Sequence[int] = (20,),
    *,
    cumulative: bool = True,
    continuous: bool = False,
    n_jobs: int | None = None,
) -> Floats:
    """Gamma of every subset of the columns, for several numbers of neighbors at once.

    Parameters
    ----------
    X, y, cumulative, continuous
        As in `gamma_test`.
    p_max : int or sequence of int, default=(20,)
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (2^n_features, len(p_max))
        Row m is the subset of the columns f with ``m >> f & 1``; row 0, the empty one, is NaN. With 25 features a
        column takes 268 MB; more features are refused.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import gamma_all_subsets
    >>> values = gamma_all_subsets(*load_iris(return_X_y=True), p_max=(10, 20))
    >>> values.shape, bin(values[1:, 0].argmin() + 1)
    ((16, 2), '0b1111')
    """
    X, y = _checked(X, y, continuous)
    n_features = X.shape[1]
    check_enumerable(n_features)
    numbers = np.atleast_1d(p_max).tolist()
    if not numbers:
        raise ValueError("p_max is empty; give at least one number of neighbors.")
    for p in numbers:
        _check_enough(len(y), p)
    values = np.full((2**n_features, len(numbers)), np.nan)

    def score_batch(subsets):
        delta, gamma = _points(X, y, subsets, max(numbers), cumulative)
        masks = [sum(1 << f for f in subset) for subset in subsets]
        return masks, np.column_stack([_line(delta[:, :p], gamma[:, :p])[0] for p in numbers])

    with threaded(score_batch, _batches(lexicographic(n_features), len(y)), n_workers(n_jobs)) as batches:
        for masks, gammas in batches:
            values[masks] = gammas
    return values


@estimator_dataclass
class GammaTest(Criterion):
    """Minus the Gamma of the columns: higher is better, as for every criterion.

    Parameters
    ----------
    p_max : int, default=20
    cumulative : bool, default=True
    continuous : bool, default=False
        See `gamma_test`.

    References
    ----------
    Nel (1998), section 5.3: the best subset has the lowest Gamma, negative values included.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import GammaTest
    >>> GammaTest().bind(*load_iris(return_X_y=True)).score([(0,), (2, 3)]).round(3)
    array([-0.197, -0.021])

    For a continuous output the value is minus an estimate of the variance of its noise:

    >>> from fscore.search import SFS
    >>> X, _ = load_iris(return_X_y=True)
    >>> SFS(GammaTest(continuous=True), 1).fit(X[:, :3], X[:, 3]).get_support()
    array([False, False,  True])
    """

    p_max: int = 20
    _: KW_ONLY
    cumulative: bool = True
    continuous: bool = False

    # p_max is checked against the sample in bind
    _parameter_constraints: ClassVar[dict] = {"cumulative": ["boolean"], "continuous": ["boolean"]}

    @property
    def needs_classes(self) -> bool:  # type: ignore[override]
        """Whether y holds class labels."""
        return not self.continuous

    def _bind(self, X, y, n_jobs, params):
        X, y = _checked(X, y, self.continuous)
        _check_enough(len(y), self.p_max)
        return BoundGamma(X, y, self.p_max, self.cumulative, n_jobs)


class BoundGamma(BoundCriterion):
    """Subsets share the distances of their common leading columns; a subset has the same score in every list."""

    max_batch = 1024  # half a second for a few hundred samples

    def __init__(self, X, y, p_max, cumulative, n_jobs):
        self.X, self.y, self.p_max, self.cumulative = X, y, p_max, cumulative
        self.n_jobs = n_workers(n_jobs)

    def _score(self, subsets):
        scores = np.empty(len(subsets))
        order = lexicographic_order(subsets)

        def score_batch(positions):
            delta, gamma = _points(self.X, self.y, [subsets[q] for q in positions], self.p_max, self.cumulative)
            return positions, -_line(delta, gamma)[0]

        share = -(-len(order) // self.n_jobs)
        with threaded(score_batch, _batches(order, len(self.y), share), self.n_jobs) as batches:
            for positions, batch_scores in batches:
                scores[positions] = batch_scores
        return scores


def _batches(items, n_samples, max_size=MAX_BATCH):
    size = max(1, min(max_size, MAX_BATCH, WORK_PER_BATCH // n_samples**2))
    items = iter(items)
    return iter(lambda: list(islice(items, size)), [])


def _checked(X: Any, y: Any, continuous: bool) -> tuple[np.ndarray, np.ndarray]:
    """Samples, and class numbers or a continuous output."""
    if continuous:
        X, y = check_regression(X, y)
        check_scale(y[:, None], "the Gamma Test", argument="y")
    else:
        X, y, _ = check_labeled(X, y)
    check_scale(X, "the Gamma Test", power=4, ranges="each")  # squares of squared distances
    return X, y


def _check_enough(n_samples, p_max):
    if not isinstance(p_max, Integral) or p_max < 2:
        raise ValueError(f"p_max={p_max!r} must be an integer of at least 2, because a line needs two points.")
    if n_samples <= p_max:
        raise ValueError(f"p_max={p_max} neighbors need at least {p_max + 1} samples, not {n_samples}; lower p_max.")


def _points(X, y, subsets, p_max, cumulative):
    """delta and gamma of each p, or, if cumulative, their running means; each of shape (n_subsets, p_max)."""
    from fscore.kernels.gamma import neighbor_differences, neighbor_sums

    indptr, columns = flat(subsets)
    stored = max(1, 2**26 // (512 * len(y)))  # prefixes: 64 MB
    delta = np.zeros((len(subsets), p_max))
    gamma = np.zeros_like(delta)
    shared = np.minimum(n_shared(subsets), stored)
    kernel, y = (neighbor_differences, y) if y.dtype == np.float64 else (neighbor_sums, y.astype(np.int64))
    kernel(np.ascontiguousarray(X.T), y, indptr, columns, shared, p_max, delta, gamma)
    delta, gamma = delta / len(y), gamma / (2 * len(y))
    if not cumulative:
        return delta, gamma
    p = np.arange(1, p_max + 1)
    return np.cumsum(delta, axis=1) / p, np.cumsum(gamma, axis=1) / p


def _line(delta, gamma):
    """Intercept and slope of the least squares line in each row; horizontal if all distances are equal."""
    d = delta - delta.mean(axis=1, keepdims=True)
    spread = np.sum(d**2, axis=1)
    flat = spread <= (1e-12 * delta.max(axis=1)) ** 2
    slope = np.where(flat, 0.0, np.sum(d * gamma, axis=1) / np.where(flat, 1.0, spread))
    return gamma.mean(axis=1) - slope * delta.mean(axis=1), slope
