"""Mutual information by kernel density estimation: between a feature and the class, and between two features."""

from numbers import Integral
from typing import Literal

import numpy as np
from sklearn.metrics import mutual_info_score

from fscore._magnitudes import large_offsets, rescale_extremes
from fscore._sklearn import Interval, StrOptions, validate_params
from fscore._typing import ArrayLike, Columns, Floats
from fscore._validation import check_features, check_labeled, check_regression
from fscore.filters._discrete import DISCRETE, encode_discrete

__all__ = ["mutual_information", "mutual_information_regression", "pairwise_mutual_information"]

_REACH = 5  # bandwidths from the outermost values to the ends of the grid: less than 1e-6 of a kernel lies beyond
_CLASS_POINTS = 256, 4096  # of the grid for the densities of classes: the fewest and the most
_PAIR_POINTS = 64, 512  # the same, along each axis for a pair
_NARROWEST = 1e-3  # least width of the kernels across the regression line, relative to those of the second feature
_SHARED, _FEWEST = 0.1, 5  # share of the samples, and number, from which an equal value is a mass
_TINY = np.finfo(np.float64).tiny

_OPTIONS = {
    "bandwidth": [StrOptions({"normal_reference", "adaptive"})],
    "n_grid": [Interval(Integral, 16, 4096, closed="both"), None],
    "discrete_features": DISCRETE,
}


@validate_params(
    {"mode": [StrOptions({"class_conditional", "joint2d"})], **_OPTIONS}, prefer_skip_nested_validation=True
)
def mutual_information(
    X: ArrayLike,
    y: ArrayLike,
    *,
    mode: Literal["class_conditional", "joint2d"] = "class_conditional",
    bandwidth: Literal["normal_reference", "adaptive"] = "normal_reference",
    n_grid: int | None = None,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
) -> Floats:
    """Mutual information I(C; f) of the class and each feature (equation 4.13), in nats.

    ``I = sum_c integral p(c, f) ln( p(c, f) / (p(c) p(f)) ) df`` with densities by Gaussian kernels on a grid.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.
    mode : {"class_conditional", "joint2d"}, default="class_conditional"
        How p(c, f) is estimated: one density of f per class, each with its own bandwidth; or one density in the plane
        of the feature and the class number 0, 1, ..., which blurs the class. The thesis seems to have computed the
        second (its program takes "two vectors of values"), whose values depend on the order of more than two classes.
    bandwidth : {"normal_reference", "adaptive"}, default="normal_reference"
        The optimal bandwidth for normal data: ``(4 / 3n)^(1/5) min(std, IQR / 1.349)`` for one variable, or that of all
        classes together where all values of a class are equal; for two variables ``n^(-1/6)`` times the square root
        of the sample's covariance. "adaptive" multiplies it at each sample by ``sqrt(g / f(x))``, where f is the
        estimate with the fixed bandwidth and g its geometric mean (Silverman). The thesis can be read both ways.
    n_grid : int or None, default=None
        Number of grid points along each axis, from 16 to 4096. None means as many as the narrowest kernel requires: for
        one variable between 256 and 4096, for two between 64 and 512. No kernel is narrower than the distance between
        two grid points.
    discrete_features : "auto", bool or array-like of column numbers, names or booleans, default="auto"
        The features whose values are categories. "auto" takes the columns of category type of a data frame. Their
        mutual information is that of the observed frequencies, in every mode.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        At least 0, with ``class_conditional`` at most the entropy of the class; higher is better; 0 for a constant
        feature.

    Notes
    -----
    With one density per class, a value that a tenth of the samples share (and at least five), as zeros in counts and
    codes with few values, is spread by no kernel: its frequency in each class counts, beside the densities of the other
    values. Otherwise the width of a class of mostly equal values would tell it from the others.

    Each kernel has mass 1 on the grid, so the estimate is the mutual information of a discrete distribution and the
    bounds hold exactly. The estimator has two biases: kernels of width h blur the densities like noise of variance h^2
    in the feature, which lowers the value; random fluctuations of the sample raise it by about ``1 / (n h)``.

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
    X, discrete = encode_discrete(X, discrete_features)
    X, codes, _ = check_labeled(X, y)
    return information_with_class(X, discrete, codes, mode, bandwidth, n_grid)


def information_with_class(X, discrete, codes, mode, bandwidth, n_grid=None):
    """`mutual_information` of validated arrays; ``discrete`` is a mask of features."""

    def scores(columns, as_class):
        pairs = X[:, columns], discrete[columns], codes[:, None], [as_class]
        return information_of_pairs(*pairs, bandwidth, n_grid)[:, 0]

    if mode == "class_conditional":
        return scores(slice(None), True)
    values = scores(slice(None), False)
    values[discrete] = scores(discrete, True)
    return values


@validate_params(_OPTIONS, prefer_skip_nested_validation=True)
def pairwise_mutual_information(
    X: ArrayLike,
    Z: ArrayLike | None = None,
    *,
    bandwidth: Literal["normal_reference", "adaptive"] = "normal_reference",
    n_grid: int | None = None,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
) -> Floats:
    """Mutual information of each pair of features, by a density in their plane, in nats.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    Z : array-like of shape (n_samples, n_other) or None, default=None
        Features to pair with those of X; None means X itself.
    bandwidth, n_grid
        As in `mutual_information`.
    discrete_features
        As in `mutual_information`: columns of X. The columns of Z that are categories are those of category type. A
        pair of categories gets the mutual information of its observed frequencies, and a category and a number that of
        one density for each category.

    Returns
    -------
    ndarray of shape (n_features, n_other)
        At least 0; symmetric if Z is None. If one feature is a linear function of the other, their mutual information
        is infinite, but the value is finite (about 8), because kernels keep a thousandth of their width.

    Notes
    -----
    Kernels with the shape of the sample's covariance don't change the correlation of two normal features. Products of
    one kernel per feature would, and their values would never exceed about 0.8 nats.

    References
    ----------
    Nel (1998), section 4.2, equation 4.14.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.filters import pairwise_mutual_information
    >>> X, _ = load_iris(return_X_y=True)
    >>> information = pairwise_mutual_information(X)
    >>> bool(information[2, 3] > information[0, 1])  # petal length and width; sepal length and width
    True
    """
    X, discrete = encode_discrete(X, discrete_features)
    X = check_features(X)
    if Z is None:
        return information_of_pairs(X, discrete, None, None, bandwidth, n_grid)
    Z, discrete_other = encode_discrete(Z, "auto")
    Z = check_features(Z)
    if len(X) != len(Z):
        raise ValueError(f"X has {len(X)} samples and Z has {len(Z)}; their rows must be the same samples.")
    return information_of_pairs(X, discrete, Z, discrete_other, bandwidth, n_grid)


def information_of_pairs(X, discrete, Z, discrete_other, bandwidth, n_grid=None):
    """`pairwise_mutual_information` of validated arrays; ``discrete`` and ``discrete_other`` are masks of columns."""
    symmetric, adaptive, X = Z is None, bandwidth == "adaptive", _conditioned(X)
    Z, discrete_other = (X, discrete) if symmetric else (_conditioned(Z), discrete_other)
    values = np.zeros((X.shape[1], Z.shape[1]))
    for a, b in np.ndindex(values.shape):
        if symmetric and b < a:
            values[a, b] = values[b, a]
        elif discrete[a] and discrete_other[b]:
            values[a, b] = mutual_info_score(_numbered(X[:, a]), _numbered(Z[:, b]))
        elif discrete[a]:
            values[a, b] = _class_information(Z[:, b], _numbered(X[:, a]), adaptive, n_grid)
        elif discrete_other[b]:
            values[a, b] = _class_information(X[:, a], _numbered(Z[:, b]), adaptive, n_grid)
        else:
            values[a, b] = _pair_information(X[:, a], Z[:, b], adaptive, n_grid)
    return np.maximum(values, 0.0)  # rounding


def _numbered(x):
    """The different values of x, numbered from 0."""
    return np.unique(x, return_inverse=True)[1]


@validate_params(_OPTIONS, prefer_skip_nested_validation=True)
def mutual_information_regression(
    X: ArrayLike,
    y: ArrayLike,
    *,
    bandwidth: Literal["normal_reference", "adaptive"] = "normal_reference",
    n_grid: int | None = None,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
) -> Floats:
    """Mutual information I(f; y) of each feature and a continuous target, in nats.

    The densities of the feature, of the target and of both are estimated as in `pairwise_mutual_information`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Numbers, not all equal.
    bandwidth, n_grid
        As in `mutual_information`.
    discrete_features
        As in `mutual_information`; a category gets the mutual information by one density of the target for each of its
        values.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        At least 0, higher is better; 0 for a constant feature; at most about 8, where the target is a linear function
        of the feature.

    Raises
    ------
    ValueError
        If y is not numeric or is constant.

    References
    ----------
    Nel (1998), section 4.2, equation 4.14.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.feature_selection import SelectKBest
    >>> from fscore.filters import mutual_information_regression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> SelectKBest(mutual_information_regression, k=2).fit(X, y).get_support(indices=True)  # bmi and s5
    array([2, 8])
    """
    X, discrete = encode_discrete(X, discrete_features)
    X, y = check_regression(X, y)
    return information_of_pairs(X, discrete, y[:, None], [False], bandwidth, n_grid)[:, 0]


def _conditioned(X):
    """X with extreme columns rescaled, and columns shifted if their range is a billionth of their values or less.

    A grid over the range of such a column would have equal points. The shift is exact.
    """
    X = rescale_extremes(X)
    return X - large_offsets(X, 1e9)


def _class_information(x, codes, adaptive, n_grid):
    """I(C; f) of one feature: frequencies of the values that many samples share, and one density per class of the rest.

    If no class varies in the rest, it is counted, too.
    """
    n_classes = codes.max() + 1
    distinct, numbers, counts = np.unique(x, return_inverse=True, return_counts=True)
    is_mass = counts >= max(_SHARED * len(x), _FEWEST)
    rest = ~is_mass[numbers]
    classes = [rest & (codes == c) for c in range(n_classes)]
    widths = np.array([_normal_width(x[own]) for own in classes])
    table = np.zeros((len(distinct), n_classes))
    np.add.at(table, (numbers, codes), 1 / len(x))
    joint = table  # p(c, f)
    if widths.any():
        widths[widths == 0] = _normal_width(x[rest])
        joint = np.concatenate([table[is_mass], _density_masses(x, codes, classes, widths, adaptive, n_grid)])
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return np.sum(joint * np.log((joint + _TINY) / (product + _TINY)))


def _density_masses(x, codes, classes, widths, adaptive, n_grid):
    """Masses of the densities of the classes on a grid, one column each; `classes` are masks of the samples."""
    from fscore.kernels.density import line_masses

    rest = np.any(classes, axis=0)
    share, classes = np.array([own.mean() for own in classes]), [own[rest] for own in classes]
    x, h = x[rest], widths[codes[rest]]
    places = _without_gaps(x, h)
    h, grid, _ = _resolved(places, h, n_grid, _CLASS_POINTS)
    if adaptive:
        for own in filter(np.any, classes):
            h[own] *= _local_factors(np.interp(places[own], grid, line_masses(places[own], h[own], grid)))
        places = _without_gaps(x, h)
        h, grid, _ = _resolved(places, h, n_grid, _CLASS_POINTS)
    return np.array([line_masses(places[own], h[own], grid) for own in classes]).T * share


def _normal_width(x):
    """Optimal bandwidth for a normal sample; robust to outliers unless more than half of the values are equal."""
    if len(x) == 0 or np.ptp(x) == 0:
        return 0.0
    shrinkage = (4 / (3 * len(x))) ** 0.2
    low, high = np.quantile(x, [0.25, 0.75])
    if high == low:
        return shrinkage * np.std(x, ddof=1)
    unit = (high - low) / 1.349
    with np.errstate(over="ignore", invalid="ignore"):  # outliers beyond the range of floats
        return shrinkage * unit * np.fmin(np.std(x / unit, ddof=1), 1)


def _grid(x, h, n_grid):
    """Points that reach `_REACH` bandwidths beyond every value, and their distance."""
    return np.linspace((x - _REACH * h).min(), (x + _REACH * h).max(), n_grid, retstep=True)


def _without_gaps(x, h):
    """x with each gap between neighbors cut to its least length at which no two kernels meet in it."""
    order = np.argsort(x, kind="stable")
    steps = np.diff(x[order], prepend=x[order[0]])
    places = np.empty_like(x)
    places[order] = np.cumsum(np.minimum(steps, 2 * _REACH * h.max()))
    return places


def _local_factors(pilot):
    """sqrt(g / f(x)) at each sample."""
    log = np.log(pilot + _TINY)
    return np.exp(0.5 * (log.mean() - log))


def _entropy(p, step):
    """Differential entropy of a density given by its masses p on a grid with cells of size `step`."""
    return np.log(step) - np.sum(p * np.log(p + _TINY))


def _pair_information(x, z, adaptive, n_grid):
    """I(x; z) = h(x) + h(z) - h(x, z), in coordinates in which the kernels are products.

    The kernels have the shape of the sample's covariance. The residual of z after its regression on x is uncorrelated
    with x, and the map (x, z) -> (x, residual) preserves areas, so h(x, z) = h(x, residual).
    """
    from fscore.kernels.density import line_masses, plane_masses

    if np.ptp(x) == 0 or np.ptp(z) == 0:
        return 0.0
    n = len(x)
    slope = (x - x.mean()) @ (z - z.mean()) / np.sum((x - x.mean()) ** 2)
    residual = z - slope * x
    widths = np.array([np.std(v, ddof=1) for v in (x, residual, z)]) * n ** (-1 / 6)
    widths[1] = max(widths[1], _NARROWEST * widths[2])
    h_x, grid_x, step_x = _resolved(x, np.full(n, widths[0]), n_grid, _PAIR_POINTS)
    h_residual, grid_residual, step_residual = _resolved(residual, np.full(n, widths[1]), n_grid, _PAIR_POINTS)
    joint = plane_masses(x, residual, h_x, h_residual, grid_x, grid_residual)
    if adaptive:
        from scipy.interpolate import RectBivariateSpline

        pilot = RectBivariateSpline(grid_x, grid_residual, joint)(x, residual, grid=False)
        factors = _local_factors(np.maximum(pilot, 0.0))
        h_x, grid_x, step_x = _resolved(x, h_x * factors, n_grid, _PAIR_POINTS)
        h_residual, grid_residual, step_residual = _resolved(residual, h_residual * factors, n_grid, _PAIR_POINTS)
        joint = plane_masses(x, residual, h_x, h_residual, grid_x, grid_residual)
    h_z = np.hypot(h_residual, slope * h_x)  # of the same kernels, projected on z
    grid_z, step_z = _grid(z, h_z, n_grid or _enough_points(z, h_z, _PAIR_POINTS))
    p_z = line_masses(z, h_z, grid_z)
    return _entropy(joint.sum(axis=1), step_x) + _entropy(p_z, step_z) - _entropy(joint, step_x * step_residual)


def _resolved(x, h, n_grid, limits):
    """Bandwidths that the grid resolves, the grid, and the distance of its points."""
    n_grid = n_grid or _enough_points(x, h, limits)
    h = np.maximum(h, np.ptp(x) / (n_grid - 1 - 2 * _REACH))
    grid, step = _grid(x, h, n_grid)
    return np.maximum(h, step), grid, step


def _enough_points(x, h, limits):
    """Number of points at which no kernel is narrower than their distance, within the limits."""
    reach = np.max(x + _REACH * h) - np.min(x - _REACH * h)
    return int(np.clip(np.ceil(reach / h.min()) + 1, *limits))
