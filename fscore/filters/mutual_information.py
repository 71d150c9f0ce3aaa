"""Mutual information by kernel density estimation: of a feature and the class, and of two features."""

from numbers import Integral

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from fscore._validation import check_labelled

__all__ = ["mutual_information", "pairwise_mutual_information"]

_GRID = {1: 256, 2: 64}  # points along each axis of a density of one and of two variables
_BLOCK = 32  # features whose kernels are held at the same time
_TINY = np.finfo(np.float64).tiny

_BANDWIDTH = StrOptions({"normal_reference", "adaptive"})
_N_GRID = [Interval(Integral, 16, None, closed="left"), None]


@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "mode": [StrOptions({"class_conditional", "joint2d"})],
        "bandwidth": [_BANDWIDTH],
        "n_grid": _N_GRID,
    },
    prefer_skip_nested_validation=True,
)
def mutual_information(X, y, *, mode="class_conditional", bandwidth="normal_reference", n_grid=None):
    """Mutual information I(C; f) of the class and each feature (equation 4.13), in nats.

    ``I = sum_c integral p(c, f) ln( p(c, f) / (p(c) p(f)) ) df`` with densities by Gaussian kernels on a grid.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.
    mode : {"class_conditional", "joint2d"}, default="class_conditional"
        How p(c, f) is estimated: a density of f for each class with a bandwidth of its own; or a density in the plane
        of the feature and the class number 0, 1, ..., which smears the class. The thesis computed the second, it seems
        (its program takes "two vectors of values"); its values depend on the order of more than two classes.
    bandwidth : {"normal_reference", "adaptive"}, default="normal_reference"
        The width that is best for normal data: ``(4 / 3n)^(1/5) min(std, IQR / 1.349)`` for one variable,
        ``n^(-1/6) std`` in each of two. "adaptive" multiplies it at every sample by ``sqrt(g / f(x))``, f being the
        estimate with the fixed width and g its geometric mean (Silverman). The thesis can be read both ways.
    n_grid : int or None, default=None
        Grid points along an axis: 256, in two dimensions 64. No kernel is narrower than the distance between two.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        At least 0, with ``class_conditional`` at most the entropy of the class; higher is better; 0 for a constant
        feature.

    Notes
    -----
    Each kernel has mass 1 on the grid, so the estimate is the mutual information of a discrete distribution: the bounds
    hold exactly. The estimator is biased in two ways: kernels of width h blur the densities, as if the feature had
    noise of variance h^2, and lower the value; the sample's own fluctuations raise it, about as ``1 / (n h)``.

    References
    ----------
    Nel (1998), chapter 4; Silverman (1986), "Density estimation for statistics and data analysis", sections 3.4.2, 5.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fscore.filters import mutual_information
    >>> SelectKBest(mutual_information, k=2).fit(*load_iris(return_X_y=True)).get_support(indices=True)
    array([2, 3])
    """
    X, codes, classes = check_labelled(X, y)
    if mode == "joint2d":
        return pairwise_mutual_information(X, codes[:, None], bandwidth=bandwidth, n_grid=n_grid)[:, 0]
    members = np.eye(len(classes))[codes] / len(codes)
    return np.array([_class_information(x, codes, members, bandwidth, n_grid or _GRID[1]) for x in X.T])


@validate_params(
    {"X": ["array-like"], "Z": ["array-like", None], "bandwidth": [_BANDWIDTH], "n_grid": _N_GRID},
    prefer_skip_nested_validation=True,
)
def pairwise_mutual_information(X, Z=None, *, bandwidth="normal_reference", n_grid=None):
    """Mutual information of pairs of features by densities in their plane, in nats.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    Z : array-like of shape (n_samples, n_other) or None, default=None
        Features to pair with those of X; None pairs X with itself.
    bandwidth, n_grid
        As in `mutual_information`. A kernel is the product of one for each feature.

    Returns
    -------
    ndarray of shape (n_features, n_other)
        Non-negative; symmetric when Z is None, with the value of a feature and itself (finite, as kernels blur it) on
        the diagonal.

    References
    ----------
    Nel (1998), section 4.2, equation 4.14.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.filters import pairwise_mutual_information
    >>> X, _ = load_iris(return_X_y=True)
    >>> information = pairwise_mutual_information(X)
    >>> bool(information[2, 3] > information[0, 1])  # length and width of a petal; of a sepal
    True
    """
    X = check_array(X, dtype=np.float64, ensure_min_samples=2)
    symmetric = Z is None
    Z = X if symmetric else check_array(Z, dtype=np.float64, ensure_min_samples=2)
    if len(X) != len(Z):
        raise ValueError(f"X has {len(X)} samples and Z has {len(Z)}; they must be the same samples.")
    values = np.zeros((X.shape[1], Z.shape[1]))
    pairs = _adaptive_pairs if bandwidth == "adaptive" else _pairs
    for start in range(0, Z.shape[1], _BLOCK):
        block = slice(start, start + _BLOCK)
        # the pair (a, b) is left to (b, a) where b < a
        first = np.arange(X.shape[1]) - start if symmetric else np.zeros(X.shape[1], dtype=int)
        pairs(X, Z[:, block], np.maximum(first, 0), n_grid or _GRID[2], values[:, block])
    if symmetric:
        values = np.triu(values) + np.triu(values, 1).T
    return np.maximum(values, 0.0)  # rounding


def _class_information(x, codes, members, bandwidth, n_grid):
    """I(C; f) of one feature by a density for each class."""
    span = np.ptp(x)
    if span == 0:
        return 0.0
    widths = np.array([_normal_width(x[codes == c]) for c in range(members.shape[1])])
    grid, step = _grid(x, max(widths.max(), span / (n_grid - 7)), n_grid)
    h = np.maximum(widths, step)[codes]
    kernels = _kernels(grid, x, h)
    if bandwidth == "adaptive":
        for c in range(members.shape[1]):
            own = codes == c
            h[own] *= _local_factors(np.interp(x[own], grid, kernels[:, own].mean(axis=1)))
        kernels = _kernels(grid, x, np.maximum(h, step))
    joint = kernels @ members  # p(c, f)
    product = joint.sum(axis=1, keepdims=True) * members.sum(axis=0)
    return max(0.0, np.sum(joint * np.log((joint + _TINY) / (product + _TINY))))


def _normal_width(x):
    """Best bandwidth for a normal sample; robust against outliers unless more than half of the values are equal."""
    spread = np.std(x, ddof=1) if len(x) > 1 else 0.0
    low, high = np.quantile(x, [0.25, 0.75])
    if high > low:
        spread = min(spread, (high - low) / 1.349)
    return spread * (4 / (3 * len(x))) ** 0.2


def _grid(x, h, n_grid):
    """Points from three bandwidths below the least to three above the greatest value, and their distance."""
    return np.linspace(x.min() - 3 * h, x.max() + 3 * h, n_grid, retstep=True)


def _kernels(grid, x, h):
    """Gaussian kernels of the samples on the grid, each of mass 1: shape (n_grid, n_samples)."""
    kernels = (grid[:, None] - x) * (1 / h)
    np.multiply(kernels, kernels, out=kernels)
    kernels *= -0.5
    np.exp(kernels, out=kernels)
    kernels /= kernels.sum(axis=0)
    return kernels


def _local_factors(pilot):
    """sqrt(g / f(x)) at each sample."""
    log = np.log(pilot + _TINY)
    return np.exp(0.5 * (log.mean() - log))


def _axis(x, n_grid):
    """Grid, bandwidth and distance of grid points for one of two variables; None for a constant one."""
    span = np.ptp(x)
    if span == 0:
        return None
    h = max(np.std(x, ddof=1) * len(x) ** (-1 / 6), span / (n_grid - 7))
    return *_grid(x, h, n_grid), h


def _plane_kernels(x, n_grid):
    """Kernels of one of two variables; a constant tells nothing, that is, all samples are everywhere."""
    axis = _axis(x, n_grid)
    if axis is None:
        return np.full((n_grid, len(x)), 1 / n_grid)
    grid, _, h = axis
    return _kernels(grid, x, h)


def _pairs(X, Z, first, n_grid, values):
    """Values of feature a of X with features first[a], first[a] + 1, ... of Z: their joint densities in one product."""
    n = len(X)
    kernels_z = np.stack([_plane_kernels(z, n_grid) for z in Z.T])
    entropy_z = _entropy(kernels_z.mean(axis=2))
    for a in np.flatnonzero(first < Z.shape[1]):
        kernels = _plane_kernels(X[:, a], n_grid)
        joint = (kernels / n) @ kernels_z[first[a] :].reshape(-1, n).T
        information = np.sum(joint * np.log(joint + _TINY), axis=0).reshape(-1, n_grid).sum(axis=1)
        values[a, first[a] :] = information + entropy_z[first[a] :] + _entropy(kernels.mean(axis=1))


def _entropy(p):
    """Entropy of distributions along the last axis."""
    return -np.sum(p * np.log(p + _TINY), axis=-1)


def _adaptive_pairs(X, Z, first, n_grid, values):
    """The same when the bandwidth of a sample depends on the density in the plane of the pair."""
    axes_x, axes_z = ([_axis(v, n_grid) for v in V.T] for V in (X, Z))
    for a, b in np.ndindex(values.shape):
        if b >= first[a] and axes_x[a] is not None and axes_z[b] is not None:
            values[a, b] = _adaptive_pair(X[:, a], Z[:, b], axes_x[a], axes_z[b])


def _adaptive_pair(x, z, axis_x, axis_z):
    from scipy.interpolate import RegularGridInterpolator

    (grid_x, step_x, h_x), (grid_z, step_z, h_z) = axis_x, axis_z
    pilot = _kernels(grid_x, x, h_x) @ _kernels(grid_z, z, h_z).T
    factors = _local_factors(RegularGridInterpolator((grid_x, grid_z), pilot)(np.column_stack([x, z])))
    kernels_x = _kernels(grid_x, x, np.maximum(h_x * factors, step_x))
    kernels_z = _kernels(grid_z, z, np.maximum(h_z * factors, step_z))
    joint = kernels_x @ kernels_z.T / len(x)
    return _entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0)) - _entropy(joint.ravel())
