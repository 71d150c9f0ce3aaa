"""The Relief family: a good feature differs between neighbors whose targets differ, and not otherwise."""

from numbers import Integral, Real
from typing import Literal, overload

import numpy as np
from sklearn.utils import check_random_state

from fscore._jobs import n_workers, threaded
from fscore._magnitudes import rescale_extremes
from fscore._sklearn import Interval, StrOptions, validate_params
from fscore._typing import ArrayLike, Columns, Floats, Seed
from fscore._validation import check_labeled, check_regression
from fscore.filters._discrete import DISCRETE, encode_discrete

__all__ = ["multisurf", "relief", "relieff", "rrelieff", "surf"]

MIN_WORK_PER_THREAD = 2**19  # differences
MAX_DISTANCES = 2**24  # distances that are kept at a time
WORK_PER_CALL = 2**28  # differences in a call: a fraction of a second, after which Ctrl-C acts

_COMMON = {"discrete_features": DISCRETE, "n_jobs": [Integral, None]}
_CONSTRAINTS = {
    "n_iterations": [Interval(Integral, 1, None, closed="left"), None],
    "difference": [StrOptions({"absolute", "squared"})],
    "random_state": ["random_state"],
    **_COMMON,
}


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)
def relief(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_iterations: int | None = None,
    difference: Literal["squared", "absolute"] = "squared",
    random_state: Seed = None,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
    n_jobs: int | None = None,
) -> Floats:
    """Relief: differences to the nearest miss minus differences to the nearest hit.

    ``score_f = mean over sampled x of diff_f(x, NM(x)) - diff_f(x, NH(x))``, where ``diff_f`` is the difference
    in feature f divided by the feature's range, and the nearest hit and miss have the smallest sum of ``diff_f``. With
    several classes the nearest miss is the nearest sample of any other class.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Values may be missing (NaN, or as in a data frame).
    y : array-like of shape (n_samples,)
        Class labels; each class needs two samples.
    n_iterations : int or None, default=None
        Number of samples drawn at random without replacement; None uses every sample once.
    difference : {"squared", "absolute"}, default="squared"
        Kira and Rendell square the differences (their neighbors are Euclidean); later authors do not.
    random_state : int, RandomState instance or None, default=None
        Used only when ``n_iterations`` is given.
    discrete_features : "auto", bool or array-like of column numbers, names or booleans, default="auto"
        The features whose values are categories, of which two differ by one. "auto" takes the columns of category type
        of a data frame.
    n_jobs : int or None, default=None
        Number of threads; None means one, -1 all processors. The scores don't depend on it.

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
    the order of the samples, and on that of the features where rounding tells equal distances apart. The mean over
    several orders is free of it.

    A difference between a missing value and a known one is the expected difference between the known one and the values
    of the class of the sample in which it is missing. If both are missing, it is that between values of both classes.
    For categories this is Kononenko's rule, ``1 - P(v | c)`` and ``1 - sum_v P(v | c) P(v | c')``.

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
    return _mean_difference(X, y, False, 1, n_iterations, difference, random_state, discrete_features, n_jobs)[0]


@overload
def relieff(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_neighbors: int = ...,
    n_iterations: int | None = ...,
    difference: Literal["squared", "absolute"] = ...,
    random_state: Seed = ...,
    discrete_features: Literal["auto"] | bool | Columns = ...,
    n_jobs: int | None = ...,
    return_errors: Literal[False] = ...,
) -> Floats: ...


@overload
def relieff(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_neighbors: int = ...,
    n_iterations: int | None = ...,
    difference: Literal["squared", "absolute"] = ...,
    random_state: Seed = ...,
    discrete_features: Literal["auto"] | bool | Columns = ...,
    n_jobs: int | None = ...,
    return_errors: Literal[True],
) -> tuple[Floats, Floats]: ...


@validate_params(
    {**_CONSTRAINTS, "n_neighbors": [Interval(Integral, 1, None, closed="left")], "return_errors": ["boolean"]},
    prefer_skip_nested_validation=True,
)
def relieff(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_neighbors: int = 10,
    n_iterations: int | None = None,
    difference: Literal["squared", "absolute"] = "absolute",
    random_state: Seed = None,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
    n_jobs: int | None = None,
    return_errors: bool = False,
) -> Floats | tuple[Floats, Floats]:
    """ReliefF: k nearest hits and k nearest misses of every other class, weighted by class priors.

    ``score_f = mean over x of [ - mean over k hits of diff_f + sum over classes c != y(x) of
    P(c) / (1 - P(y(x))) * mean over k misses from c of diff_f ]`` with ``diff_f`` divided by the feature's range.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Values may be missing (NaN, or as in a data frame).
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
    discrete_features : "auto", bool or array-like of column numbers, names or booleans, default="auto"
        The features whose values are categories, of which two differ by one. "auto" takes the columns of category type
        of a data frame.
    n_jobs : int or None, default=None
        Number of threads; None means one, -1 all processors. The scores don't depend on it.
    return_errors : bool, default=False
        Whether to return the standard errors, too.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [-1, 1]; higher is better; 0 for a constant feature.
    errors : ndarray of shape (n_features,)
        Only if ``return_errors``: by how much the scores of ``n_iterations`` random samples differ from those of all,
        as a standard deviation. If it is small beside the differences between the scores, so many samples suffice. It
        is ``sd / sqrt(m) * sqrt(1 - m / n_samples)`` with the standard deviation over the m samples drawn; zero if
        all are used, NaN for one.

    Raises
    ------
    ValueError
        If a class holds too few samples for ``n_neighbors``, or ``n_iterations`` exceeds the number of samples.

    Notes
    -----
    Among samples at the same distance the earlier ones count as nearest, so the scores of discrete features depend on
    the order of the samples, and on that of the features where rounding tells equal distances apart. The mean over
    several orders is free of it.

    A difference between a missing value and a known one is the expected difference between the known one and the values
    of the class of the sample in which it is missing. If both are missing, it is that between values of both classes.
    For categories this is Kononenko's rule, ``1 - P(v | c)`` and ``1 - sum_v P(v | c) P(v | c')``.

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
    scores, errors = _mean_difference(
        X, y, True, n_neighbors, n_iterations, difference, random_state, discrete_features, n_jobs, return_errors
    )
    return (scores, errors) if return_errors else scores


@validate_params(
    {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "sigma": [Interval(Real, 0, None, closed="neither"), None],
        "n_iterations": _CONSTRAINTS["n_iterations"],
        "random_state": _CONSTRAINTS["random_state"],
        **_COMMON,
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
    discrete_features: Literal["auto"] | bool | Columns = "auto",
    n_jobs: int | None = None,
) -> Floats:
    """RReliefF: ReliefF for a continuous target.

    ``score_f = P(diff_f | diff_y) - P(diff_f | not diff_y)`` among nearest neighbors, estimated by
    ``N_yf / N_y - (N_f - N_yf) / (m - N_y)``. Here ``N_y``, ``N_f`` and ``N_yf`` are the sums of ``d(i, j) diff_y``,
    ``d(i, j) diff_f`` and ``d(i, j) diff_y diff_f`` over the m sampled i and the neighbors j of each (Figure 3 of
    [1]_). ``diff`` is the absolute difference divided by the range of the feature or of the target. The influence
    ``d(i, j)`` of the neighbor with rank r is proportional to ``exp(-(r / sigma)^2)``, and sums to 1 for each i.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Values may be missing (NaN, or as in a data frame).
    y : array-like of shape (n_samples,)
        Numbers, not all equal.
    n_neighbors : int, default=10
        Number of neighbors, less than n_samples.
    sigma : float or None, default=20.0
        Controls how fast the influence falls with the rank; None gives all neighbors the same influence.
    n_iterations : int or None, default=None
        Number of samples drawn at random without replacement; None uses every sample once.
    random_state : int, RandomState instance or None, default=None
        Used only when ``n_iterations`` is given.
    discrete_features : "auto", bool or array-like of column numbers, names or booleans, default="auto"
        The features whose values are categories, of which two differ by one. "auto" takes the columns of category type
        of a data frame.
    n_jobs : int or None, default=None
        Number of threads; None means one, -1 all processors. The scores don't depend on it.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [-1, 1]; higher is better; 0 for a constant feature. A fraction 0 / 0 counts as 0: no neighbors differ in
        the target, or all differ by its whole range.

    Raises
    ------
    ValueError
        If y is not numeric or is constant, or ``n_neighbors`` or ``n_iterations`` is too large for the sample.

    Notes
    -----
    Among samples at the same distance the earlier ones count as nearest, so the scores of discrete features depend on
    the order of the samples, and on that of the features where rounding tells equal distances apart. The mean over
    several orders is free of it.

    A difference between a missing value and a known one is the expected difference between the known one and all values
    of the feature; if both are missing, the expected difference between two values.

    References
    ----------
    .. [1] Robnik-Sikonja & Kononenko (2003), "Theoretical and empirical analysis of ReliefF and RReliefF", Machine
       Learning 53, 23-69. The neighbors and sigma are free parameters there; the defaults are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.filters import rrelieff
    >>> X = np.random.default_rng(0).uniform(size=(300, 4))
    >>> scores = rrelieff(X, np.sin(6 * X[:, 0]) * (X[:, 2] - 0.5))
    >>> np.sort(np.argsort(-scores)[:2])
    array([0, 2])
    """
    X, discrete = encode_discrete(X, discrete_features)
    X, y = check_regression(X, y, ensure_all_finite="allow-nan")
    if n_neighbors >= len(X):
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, but X has {len(X)}. Lower it, or add "
            "samples."
        )
    X, y, n_queries, place = _queries_first(X, y, n_iterations, random_state)
    y = rescale_extremes(y[:, None])[:, 0]
    target, one_class = (y - y.min()) / np.ptp(y), np.zeros(len(y), dtype=np.intp)
    sample = _Differences(X, discrete, one_class, False, n_jobs)
    neighbors = sample.nearest(n_queries, place, True, n_neighbors)[:, 0]
    influence = np.broadcast_to(_influence(n_neighbors, sigma), neighbors.shape)
    target_differences = np.abs(target[:n_queries, None] - target[neighbors])
    target_sum = np.sum(influence * target_differences) / n_queries
    feature_sums = sample.sums(neighbors, influence) / n_queries
    joint_sums = sample.sums(neighbors, influence * target_differences) / n_queries
    different = joint_sums / target_sum if target_sum > 0 else 0.0
    alike = (feature_sums - joint_sums) / (1 - target_sum) if target_sum < 1 else 0.0
    return different - alike  # type: ignore[return-value]


@validate_params(_COMMON, prefer_skip_nested_validation=True)
def surf(
    X: ArrayLike,
    y: ArrayLike,
    *,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
    n_jobs: int | None = None,
) -> Floats:
    """SURF: ReliefF with all neighbors within the mean distance, in place of a number of neighbors.

    ``score_f = mean over x of [ mean over near misses of diff_f - mean over near hits of diff_f ]`` with ``diff_f`` the
    absolute difference in feature f divided by the feature's range. The samples near x are those whose distance, the
    sum of ``diff_f``, is below the mean distance of all pairs. A mean over no samples counts as zero. With several
    classes, misses are the samples of all other classes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Values may be missing (NaN, or as in a data frame); see `relieff`.
    y : array-like of shape (n_samples,)
        Class labels.
    discrete_features, n_jobs
        As in `relieff`.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [-1, 1]; higher is better; 0 for a constant feature.

    References
    ----------
    Greene, Penrod, Kiralis, Moore (2009), "Spatially uniform ReliefF (SURF) for computationally-efficient filtering of
    gene-gene interactions", BioData Mining 2:5.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fscore.filters import surf
    >>> SelectKBest(surf, k=2).fit(*load_iris(return_X_y=True)).get_support(indices=True)
    array([2, 3])
    """
    sample = _labeled_differences(X, y, discrete_features, n_jobs)
    return sample.near_sums(sample.mean_distance()) / sample.n_samples


@validate_params(_COMMON, prefer_skip_nested_validation=True)
def multisurf(
    X: ArrayLike,
    y: ArrayLike,
    *,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
    n_jobs: int | None = None,
) -> Floats:
    """MultiSURF: `surf` with a threshold for each sample, which adapts to the density around it.

    The samples near x are those whose distance from x is below the mean less half the standard deviation of the
    distances from x to all other samples. Scores are those of `surf` over these neighbors.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Values may be missing (NaN, or as in a data frame); see `relieff`.
    y : array-like of shape (n_samples,)
        Class labels.
    discrete_features, n_jobs
        As in `relieff`.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In [-1, 1]; higher is better; 0 for a constant feature.

    References
    ----------
    Urbanowicz, Olson, Schmitt, Meeker, Moore (2018), "Benchmarking relief-based feature selection methods for
    bioinformatics data mining", Journal of Biomedical Informatics 85, 168-188.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.filters import multisurf
    >>> X = np.random.default_rng(0).integers(2, size=(200, 5))
    >>> scores = multisurf(X, X[:, 1] ^ X[:, 3], discrete_features=True)  # neither is related to the class alone
    >>> np.sort(np.argsort(-scores)[:2])
    array([1, 3])
    """
    sample = _labeled_differences(X, y, discrete_features, n_jobs)
    return sample.near_sums(np.nan) / sample.n_samples


def _influence(n_neighbors, sigma):
    """Weights of the neighbors, the nearest first; they sum to 1."""
    if sigma is None:
        return np.full(n_neighbors, 1 / n_neighbors)
    ranks = np.arange(1, n_neighbors + 1)
    sigma = max(sigma, 1e-3)  # where the second neighbor has lost all influence
    influence = np.exp((1 - ranks) / sigma * ((1 + ranks) / sigma))  # relative to the first
    return influence / influence.sum()


def _labeled_differences(X, y, discrete_features, n_jobs):
    """The differences of a validated sample."""
    X, discrete = encode_discrete(X, discrete_features)
    X, codes, _ = check_labeled(X, y, ensure_all_finite="allow-nan")
    return _Differences(X, discrete, codes, False, n_jobs, np.float64)


def _mean_difference(
    X, y, per_class, n_neighbors, n_iterations, difference, random_state, discrete_features, n_jobs, with_errors=False
):
    """The steps that Relief and ReliefF share: scale, sample, and average over samples and neighbors."""
    X, discrete = encode_discrete(X, discrete_features)
    X, codes, classes = check_labeled(X, y, ensure_all_finite="allow-nan")
    _check_enough(codes, classes, n_neighbors)
    X, codes, n_queries, place = _queries_first(X, codes, n_iterations, random_state)
    sample = _Differences(X, discrete, codes, difference == "squared", n_jobs)
    neighbors = sample.nearest(n_queries, place, per_class, n_neighbors)
    weights = _class_weights(codes, n_queries) if per_class else np.tile([-1.0, 1.0], (n_queries, 1))
    weights, neighbors = np.repeat(weights, n_neighbors, axis=1), neighbors.reshape(n_queries, -1)
    scores = sample.sums(neighbors, weights) / (n_queries * n_neighbors)
    return scores, sample.standard_errors(neighbors, weights) / n_neighbors if with_errors else None


def _class_weights(codes, n_queries):
    """Weight of each class for each query: -1 for its own, the share among the other classes for another."""
    prior, own_class = np.bincount(codes) / len(codes), codes[:n_queries]
    weights = prior / (1 - prior[own_class])[:, None]
    weights[np.arange(n_queries), own_class] = -1.0
    return weights


class _Differences:
    """Differences between the samples of X, computed by ``n_jobs`` threads.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    discrete : ndarray of shape (n_features,), bool
    codes : ndarray of shape (n_samples,), dtype intp
        Class numbers. The values of its class stand for a missing value of a sample.
    squared : bool
    n_jobs : int or None
    precision : dtype, default=np.float32
        Of the features from which distances are computed. Single precision is for `nearest`, whose result it does not
        change.
    """

    def __init__(self, X, discrete, codes, squared, n_jobs, precision=np.float32):
        from fscore.kernels.relief import Features

        self.n_samples, self.n_features = X.shape
        self.n_threads = n_workers(n_jobs)
        low, high = self._extremes(X)
        partial = np.isnan(low)
        low[partial], high[partial] = np.fmin.reduce(X[:, partial]), np.fmax.reduce(X[:, partial])
        extremes = np.stack([low, high])
        rescaled = rescale_extremes(extremes)
        if rescaled is not extremes:
            X, (low, high) = rescale_extremes(X), rescaled
        low, width = np.where(discrete, 0.0, low), np.where(discrete | (high <= low), 1.0, high - low)
        groups = ~discrete & ~partial, discrete & ~partial, partial
        self.columns = [np.flatnonzero(group) for group in groups]
        given, nominal, missing = (X if group.all() else X.compress(group, axis=1) for group in groups)
        if (nominal.astype(precision) != nominal).any():
            nominal = np.column_stack([np.unique(x, return_inverse=True)[1] for x in nominal.T]) * 1.0
        self.nominal, missing = nominal, np.ascontiguousarray(((missing - low[partial]) / width[partial]).T)
        low, width, n_nominal = low[groups[0]], width[groups[0]], nominal.shape[1]
        expected, both_expected = _expected_differences(missing, discrete[partial], codes, squared)
        self.features = Features(
            self._by_feature(given, low, 1 / width, precision),
            self._by_feature(nominal, np.zeros(n_nominal), np.ones(n_nominal), precision),
            missing,
            discrete[partial],
            expected,
            both_expected,
            codes,
            squared,
            given,
            low,
            width,
        )

    def _extremes(self, X):
        """Least and greatest value of each column; NaN where one is missing."""
        extremes = self._by_ranges(lambda a, b: (X[:, a:b].min(axis=0), X[:, a:b].max(axis=0)), X, self.n_samples)
        return map(np.concatenate, zip(*extremes, strict=True))

    def _by_feature(self, X, low, unit, dtype):
        """Features from 0 to 1 by rows, with the zeros that the kernel wants."""
        from fscore.kernels.relief import ROWS, UNROLL, scale_by_feature

        n_samples, n = X.shape
        rows = np.zeros((n + -n % UNROLL, n_samples + -n_samples % ROWS), dtype)
        self._by_ranges(lambda start, stop: scale_by_feature(X, low, unit, start, stop, rows), X, n_samples)
        return rows

    def nearest(self, n_queries, place, per_class, k):
        """Row numbers of the k nearest samples of each pool, shape (n_queries, n_pools, k); see the kernel."""
        from fscore.kernels.relief import ROWS, are_exact, nearest, pair_distances

        n_pools = int(self.features.codes.max()) + 1 if per_class else 2
        neighbors = np.empty((n_queries, n_pools, k), dtype=np.int64)
        n_rows = max(MAX_DISTANCES // self.n_samples // ROWS, 1) * ROWS
        distances = np.empty((min(n_rows, n_queries), self.n_samples), dtype=np.float32)
        places = place, np.argsort(place)
        buffers = distances, distances.view(np.int32), are_exact(self.features), neighbors
        for begin in range(0, n_queries, n_rows):
            end = min(begin + n_rows, n_queries)
            self._shared(end - begin, pair_distances, self.features, begin, end, distances)
            self._shared(end - begin, nearest, self.features, *places, per_class, begin, end, *buffers)
        return neighbors

    def sums(self, neighbors, weights, queries=None):
        """Weighted sum of the differences between queries and neighbors, in each feature.

        ``queries`` is the number of a first query, and the one after a last; by default all of them are summed.
        """
        from fscore.kernels.relief import ABSOLUTE, SQUARED, UNEQUAL, partial_sums, weighted_sums

        queries = (0, len(neighbors)) if queries is None else queries
        work = (queries[1] - queries[0]) * neighbors.shape[1]

        def of_all(X, kind):
            sums_by_range = self._by_ranges(
                lambda *of: weighted_sums(X, kind, neighbors, weights, queries, *of), X, work
            )
            return np.concatenate([np.zeros(0), *sums_by_range])

        weights = np.ascontiguousarray(weights)
        numbers = of_all(self.features.given, SQUARED if self.features.squared else ABSOLUTE)
        missing = partial_sums(self.features, neighbors, weights, queries)
        return self._by_column(numbers, of_all(self.nominal, UNEQUAL), missing)

    def standard_errors(self, neighbors, weights):
        """Standard errors of the mean over the queries of their `sums`, as a sample without replacement of all."""
        n, weights = len(neighbors), np.ascontiguousarray(weights)
        if n == self.n_samples:
            return np.zeros(self.n_features)
        if n == 1:
            return np.full(self.n_features, np.nan)
        sums = [self.sums(neighbors, weights, (i, i + 1)) for i in range(n)]
        return np.std(sums, axis=0, ddof=1) * np.sqrt((1 - n / self.n_samples) / n)

    def mean_distance(self):
        """Mean distance of all pairs of samples."""
        from fscore.kernels.relief import row_sums

        sums = np.zeros(self.n_samples)
        self._shared(self.n_samples, row_sums, self.features, sums)
        return sums.sum() / (self.n_samples * (self.n_samples - 1))

    def near_sums(self, threshold):
        """Mean difference to the near misses less that to the near hits, summed over samples, in each feature."""
        from fscore.kernels.relief import ROWS, near_sums

        n_blocks = -(-self.n_samples // ROWS)
        sums = [np.zeros((n_blocks, len(columns))) for columns in self.columns]
        self._shared(self.n_samples, near_sums, self.features, self.nominal, threshold, *sums)
        return self._by_column(*(blocks.sum(axis=0) for blocks in sums))

    def _shared(self, n_queries, kernel, *arguments):
        """Call a kernel for each share of the pairs of so many samples with all."""
        n = self._n_parts(n_queries * self.n_samples * self.n_features)
        return self._run(lambda share: kernel(*arguments, share, n), range(n))

    def _by_ranges(self, function, X, work):
        """The function's results for ranges of the columns of X, given the work for a column."""
        n = X.shape[1]
        size = -(-n // self._n_parts(n * work)) or 1
        return self._run(lambda start: function(start, min(start + size, n)), range(0, n, size))

    def _n_parts(self, work):
        """Into how many calls some work is divided: one for each thread if it is long, more if it is very long."""
        n_long = work // WORK_PER_CALL // self.n_threads * self.n_threads
        return max(min(self.n_threads, 1 + work // MIN_WORK_PER_THREAD), n_long)

    def _run(self, function, items):
        """The function's results; a single item needs no thread."""
        if len(items) == 1:
            return [function(items[0])]
        with threaded(function, items, self.n_threads) as results:
            return list(results)

    def _by_column(self, *sums_by_range):
        out = np.empty(self.n_features)
        widths = self.features.width ** (2 if self.features.squared else 1), 1.0, 1.0
        for columns, sums, unit in zip(self.columns, sums_by_range, widths, strict=True):
            out[columns] = sums / unit
        return out


def _expected_differences(X, nominal, codes, squared):
    """Expected differences between each value and a value of each class, and between values of two classes.

    Parameters
    ----------
    X : ndarray of shape (n_features, n_samples)
        Features with missing values.
    nominal : ndarray of shape (n_features,), bool
    codes : ndarray of shape (n_samples,), dtype intp
    squared : bool

    Returns
    -------
    expected : ndarray of shape (n_features, n_samples, n_classes)
    both_expected : ndarray of shape (n_features, n_classes, n_classes)
    """
    n_classes = codes.max() + 1 if len(X) else 0
    expected = np.zeros((*X.shape, n_classes))
    both_expected = np.zeros((len(X), n_classes, n_classes))
    for f, x in enumerate(X):
        known = ~np.isnan(x)
        if not known.any():
            continue
        members = [np.flatnonzero(known & (codes == c)) for c in range(n_classes)]
        members = [rows if len(rows) else np.flatnonzero(known) for rows in members]
        for c, rows in enumerate(members):
            expected[f, known, c] = _expected_difference(x[known], x[rows], nominal[f], squared)
        both_expected[f] = [np.ascontiguousarray(expected[f, rows].T).mean(axis=1) for rows in members]
    return expected, both_expected


def _expected_difference(x, group, nominal, squared):
    """Mean difference between each x and the values of a group."""
    if nominal:
        values, counts = np.unique(group, return_counts=True)
        position = np.minimum(np.searchsorted(values, x), len(values) - 1)
        return 1 - np.where(values[position] == x, counts[position] / len(group), 0.0)
    if squared:
        return (x - group.mean()) ** 2 + group.var()
    ordered = np.sort(group)
    sums, below = np.concatenate([[0.0], np.cumsum(ordered)]), np.searchsorted(ordered, x)
    return (x * (2 * below - len(group)) + sums[-1] - 2 * sums[below]) / len(group)


def _check_enough(y, classes, n_neighbors):
    counts = np.bincount(y)
    smallest = counts.argmin()
    if counts[smallest] == 1:
        raise ValueError(
            f"class {classes[smallest]} has one sample, but each class needs two, so that a sample has a neighbor in "
            "its class. Leave the class out, or merge it with another."
        )
    if counts[smallest] <= n_neighbors:
        raise ValueError(
            f"class {classes[smallest]} has {counts[smallest]} samples, but n_neighbors={n_neighbors} needs "
            f"{n_neighbors + 1} in each class. Lower n_neighbors, or leave the class out."
        )


def _queries_first(
    X: np.ndarray, y: np.ndarray, n_iterations: int | None, random_state: Seed
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """X and y with the sampled queries first, their number, and where each sample was; all if every one is a query."""
    if n_iterations is None:
        return X, y, len(X), np.arange(len(X))
    if n_iterations > len(X):
        raise ValueError(
            f"n_iterations={n_iterations} exceeds the {len(X)} samples, which are drawn without replacement. "
            "Use n_iterations=None to use each of them once."
        )
    shuffled = check_random_state(random_state).permutation(len(X))
    order = np.concatenate([np.sort(shuffled[:n_iterations]), np.sort(shuffled[n_iterations:])])
    return X[order], y[order], n_iterations, order
