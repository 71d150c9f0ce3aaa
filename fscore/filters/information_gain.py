"""Information gain of discretized features."""

from numbers import Integral
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from fscore._magnitudes import rescale_extremes
from fscore._sklearn import Interval, StrOptions, validate_params
from fscore._typing import ArrayLike, Columns, Floats, Seed
from fscore._validation import check_labeled, refuse_masked
from fscore.filters._discrete import DISCRETE, encode_discrete

__all__ = ["information_gain", "mdl_cuts"]

_MOST_BINS = 2**20
_MOST_CELLS = 2**22  # of a table of frequencies with its zeros
_MAX_EXPONENT = 1000  # differences of two values up to 2.0**1000 are floats


@validate_params(
    {
        "discretizer": [StrOptions({"mdl", "width", "frequency"})],
        "n_bins": [Interval(Integral, 2, _MOST_BINS, closed="both")],
        "random_state": ["random_state"],
        "discrete_features": DISCRETE,
    },
    prefer_skip_nested_validation=True,
)
def information_gain(
    X: ArrayLike,
    y: ArrayLike,
    *,
    discretizer: Literal["mdl", "width", "frequency"] = "mdl",
    n_bins: int = 10,
    random_state: Seed = None,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
) -> Floats:
    """Information that each discretized feature gives about the class, in bits.

    ``I(X_i; Y) = H(X_i) - H(X_i | Y)`` (equations 54 to 57 of [1]_). The thesis does not say how it discretized real
    values; Fayyad and Irani's cuts are common practice and explain its results.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.
    discretizer : {"mdl", "width", "frequency"}, default="mdl"
        Cuts accepted by the minimum description length principle [2]_ (see :func:`mdl_cuts`), bins of equal width,
        or bins of equal frequency (equal values stay together).
    n_bins : int, default=10
        Number of bins for "width" and "frequency".
    random_state : int, RandomState instance or None, default=None
        A feature without an accepted cut scores exactly 0. Often many do, and a ranking would list them in the order
        of the columns. With a seed, each of them gets a distinct random value in [-1e-9, 0) instead.
    discrete_features : "auto", bool or array-like of column numbers, names or booleans, default="auto"
        The features whose values are categories, each of which is a bin. "auto" takes the columns of category type of a
        data frame.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        Between 0 and H(Y).

    References
    ----------
    .. [1] Chen (2012), section 3.4.1.
    .. [2] Fayyad & Irani (1993), "Multi-interval discretization of continuous-valued attributes for classification
       learning", IJCAI.

    Examples
    --------
    >>> import numpy as np
    >>> from fscore.filters import information_gain
    >>> x = np.arange(40.0)
    >>> information_gain(np.column_stack([x, x % 2]), x < 20)
    array([1., 0.])
    """
    X, discrete = encode_discrete(X, discrete_features)
    X, y, _ = check_labeled(X, y)
    bins = {
        "mdl": lambda x: np.searchsorted(_mdl_cuts(x, y), x),
        "width": lambda x: _equal_width(x, n_bins),
        "frequency": lambda x: np.searchsorted(np.unique(np.quantile(x, np.arange(1, n_bins) / n_bins)), x),
    }[discretizer]
    if discretizer != "mdl":  # cuts depend on the order of the values only
        X = rescale_extremes(X, _MAX_EXPONENT)
    binned = [
        np.unique(x, return_inverse=True)[1] if is_category else bins(x)
        for x, is_category in zip(X.T, discrete, strict=True)
    ]
    scores = np.array([frequency_information(x, y) for x in binned])
    if random_state is not None:
        zeros = scores == 0
        scores[zeros] = -1e-9 * (1 - check_random_state(random_state).uniform(size=zeros.sum()))
    return scores


def mdl_cuts(x: ArrayLike, y: ArrayLike) -> Floats:
    """Cut points of one feature by Fayyad and Irani's minimum description length principle.

    An interval of N samples, k classes and class entropy E is cut where the mean entropy of its two parts is smallest,
    if the gain exceeds ``(log2(N - 1) + log2(3^k - 2) - (k E - k_1 E_1 - k_2 E_2)) / N``. Each part is then treated in
    the same way.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_cuts,)
        Ascending; midway between neighboring values.
    """
    refuse_masked(x, "x")
    x = np.asarray(x)
    if x.ndim != 1:
        raise ValueError(f"x of shape {x.shape} is not one feature; pass a single column, such as X[:, 0].")
    X, codes, _ = check_labeled(x[:, None], y)
    return _mdl_cuts(X[:, 0], codes)


def _mdl_cuts(x, y):
    """`mdl_cuts` of a validated array and class numbers from 0."""
    order = np.argsort(x, kind="stable")
    x, y, n_classes = x[order], y[order], y.max() + 1
    table = _xlog2x(np.arange(len(x) + 1))
    boundaries = np.flatnonzero(x[1:] > x[:-1]) + 1
    cuts = []
    intervals = [(0, len(x))]
    while intervals:
        start, stop = intervals.pop()
        candidates = boundaries[np.searchsorted(boundaries, start, "right") : np.searchsorted(boundaries, stop, "left")]
        if len(candidates) == 0:
            continue
        split_bits = _split_bits(y[start:stop], candidates - start, n_classes, table)
        best = split_bits.argmin()
        middle = candidates[best]
        whole, left = (np.bincount(y[start:end], minlength=n_classes) for end in (stop, middle))
        n, k, bits = stop - start, np.count_nonzero(whole), _class_bits(whole, table)
        entropies = k * bits / n - sum(
            np.count_nonzero(side) * _class_bits(side, table) / side.sum() for side in (left, whole - left)
        )
        # 3^k overflows for more than 600 classes; the 2 is negligible long before.
        price = np.log2(n - 1) + (np.log2(3.0**k - 2) if k < 500 else k * np.log2(3)) - entropies
        if bits - split_bits[best] > price:
            cuts.append(_midpoint(x[middle - 1], x[middle]))
            intervals += [(start, middle), (middle, stop)]
    return np.sort(cuts)


def _split_bits(y, candidates, n_classes, table):
    """Number of samples times class entropy, summed over both parts, for a cut before each candidate sample.

    y holds class numbers in the order of the feature; the result has the shape of `candidates`.
    """
    last = candidates[-1]
    interval = np.searchsorted(candidates, np.arange(last), side="right")  # between a candidate and the one before it
    cells = np.bincount(interval * n_classes + y[:last], minlength=len(candidates) * n_classes)
    left = np.cumsum(cells.reshape(len(candidates), n_classes), axis=0)
    right = np.bincount(y, minlength=n_classes) - left
    return _class_bits(left, table) + _class_bits(right, table)


def _midpoint(low, high):
    """A number with ``low <= middle < high``, so that ``x <= middle`` separates two neighboring values."""
    middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def _xlog2x(counts):
    return counts * np.log2(np.maximum(counts, 1))


def _class_bits(counts, table):
    """Number of samples times class entropy, for class counts along the last axis."""
    return table[counts.sum(axis=-1)] - table[counts].sum(axis=-1)


def _equal_width(x, n_bins):
    low, high = x.min(), x.max()
    if low == high:
        return np.zeros(len(x), int)
    return np.minimum((n_bins * ((x - low) / (high - low))).astype(int), n_bins - 1)


def frequency_information(codes, others):
    """Mutual information of two arrays of whole numbers from 0, by the frequencies of their values, in bits."""
    n_values, n_others = codes.max() + 1, others.max() + 1
    if n_values == 1:
        return 0.0
    pairs = codes * n_others + others
    if n_values * n_others > _MOST_CELLS:
        joint = np.unique(pairs, return_counts=True)[1]
    else:
        joint = np.bincount(pairs, minlength=n_values * n_others)
    sums = [_xlog2x(counts).sum() for counts in (joint, np.bincount(others), np.bincount(codes))]
    return max((sums[0] - sums[1] - sums[2] + _xlog2x(len(codes))) / len(codes), 0.0)
