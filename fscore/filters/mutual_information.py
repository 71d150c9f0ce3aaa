"""Mutual information by kernel density estimation: between a feature and the class, and between two features."""

from numbers import Integral
from typing import Literal

import numpy as np

from fscore._sklearn import Interval, StrOptions, validate_params
from fscore._typing import ArrayLike, Columns, Floats
from fscore._validation import check_features, check_labeled, check_regression
from fscore.filters._discrete import DISCRETE, encode_discrete
from fscore.filters._information import Densities

__all__ = ["mutual_information", "mutual_information_regression", "pairwise_mutual_information"]

_OPTIONS = {
    "density": [StrOptions({"normal_scores", "values"})],
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
    density: Literal["normal_scores", "values"] = "normal_scores",
    bandwidth: Literal["normal_reference", "adaptive"] = "normal_reference",
    n_grid: int | None = None,
    discrete_features: Literal["auto"] | bool | Columns = "auto",
) -> Floats:
    """Mutual information I(C; f) of the class and each feature (equation 4.13), in nats.

    ``I = sum_c integral p(c, f) ln( p(c, f) / (p(c) p(f)) ) df`` with frequencies of the values that repeat, and
    densities of the others by Gaussian kernels on a grid.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.
    mode : {"class_conditional", "joint2d"}, default="class_conditional"
        How p(c, f) is estimated: one density of f per class, each with its own bandwidth; or one in the plane of the
        feature and the class number 0, 1, ... The latter blurs the class, and its values depend on the order of more
        than two classes. The thesis seems to have computed it (its program takes "two vectors of values"). With
        normal scores both are the same, unless a class is so small that its number doesn't count as repeated.
    density : {"normal_scores", "values"}, default="normal_scores"
        What densities are estimated of. "normal_scores": a value that ``n^(2/5)`` of the n samples share (13 of 600; at
        least two) counts by its frequency, and so do all values of a feature if so many share half of them. Two
        features of k and l such values need ``5 (k - 1) (l - 1)`` samples, or the one of more values is taken as
        numbers. Numbers are replaced by the normal quantiles of their ranks. So no increasing map of a feature, such as
        a logarithm, changes the result. "values": the numbers themselves, as in the thesis. Then a feature with heavy
        tails seems to be informative, because its kernels are too wide for most of its values, and two features of few
        values can seem to share more than their entropy.
    bandwidth : {"normal_reference", "adaptive"}, default="normal_reference"
        The optimal bandwidth for normal data: ``(4 / 3n)^(1/5) min(std, IQR / 1.349)`` for one variable, or that of all
        classes together where all values of a class are equal; for two variables ``n^(-1/6)`` times the square root
        of the sample's covariance. "adaptive" multiplies it at each sample by ``sqrt(g / f(x))``, where f is the
        estimate with the fixed bandwidth and g its geometric mean (Silverman). The thesis can be read both ways. With
        normal scores and one density per class, the bandwidths are halved, up to three times, as long as that raises
        the likelihood of the samples' classes, each estimated from the other samples. Classes that don't overlap have
        touching ranks, and wide kernels would mix them.
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
        At least 0; higher is better; 0 for a constant feature. At most the entropy of the class and of the feature's
        frequencies (with ``density="values"``, only of the class, and only with ``mode="class_conditional"``).

    Notes
    -----
    A feature can have both: values that repeat, such as zeros in counts, and others. Its information is that of the
    repeated value, or of having none, plus that of the others by their densities (the chain rule). With
    ``density="values"`` and one density per class, values that a tenth of the samples share (and at least five) are
    counted so; otherwise the width of a class of mostly equal values would tell it from the others.

    Each kernel has mass 1 on the grid, so the estimate is the mutual information of a discrete distribution and the
    bounds hold exactly. The estimator has two biases. Kernels of width h blur the densities like noise of variance h^2
    in the feature, which lowers the value. Random fluctuations of the sample raise it by about ``1 / (n h)``, and by
    ``(k - 1)(c - 1) / (2 n)`` for the frequencies of k values and c classes. Measured: 0.005 nats for a normal feature
    without information and 600 samples; 0.675 instead of 0.693 for two classes of 300 that don't overlap.

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
    densities = Densities(density, bandwidth, n_grid)
    return information_with_class(densities, densities.columns(X, discrete), codes, mode)


def information_with_class(densities, columns, codes, mode):
    """`mutual_information` of prepared columns and class numbers from 0."""
    values = np.empty(len(columns))
    for as_class in (True, False):
        chosen = [k for k, column in enumerate(columns) if as_class == (mode != "joint2d" or column.is_category)]
        target = densities.columns(codes[:, None].astype(np.float64), [as_class])
        values[chosen] = densities.information([columns[k] for k in chosen], target)[:, 0]
    return values


@validate_params(_OPTIONS, prefer_skip_nested_validation=True)
def pairwise_mutual_information(
    X: ArrayLike,
    Z: ArrayLike | None = None,
    *,
    density: Literal["normal_scores", "values"] = "normal_scores",
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
    density, bandwidth, n_grid
        As in `mutual_information`.
    discrete_features
        As in `mutual_information`: columns of X. The columns of Z that are categories are those of category type. A
        pair of categories gets the mutual information of its observed frequencies, and a category and a number that of
        one density for each category.

    Returns
    -------
    ndarray of shape (n_features, n_other)
        At least 0; symmetric if Z is None; with normal scores, at most the smaller entropy of the frequencies of the
        two features. The mutual information of a continuous feature and a function of it is infinite. For a linear
        function the value is about 8, because kernels keep a thousandth of their width, or this entropy,
        ``ln n_samples``, if it is smaller.

    Notes
    -----
    Kernels with the shape of the sample's covariance don't change the correlation of two normal features. Products of
    one kernel per feature would, and their values would never exceed about 0.8 nats.

    Samples are divided between neighboring grid points and the grid is smoothed, which is within 1e-4 of the integral
    over the sums of kernels and makes the time of a pair nearly independent of the number of samples.

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
    densities = Densities(density, bandwidth, n_grid)
    X, discrete = encode_discrete(X, discrete_features)
    X = check_features(X)
    if Z is None:
        return densities.pairwise(densities.columns(X, discrete))
    Z, discrete_other = encode_discrete(Z, "auto")
    Z = check_features(Z)
    if len(X) != len(Z):
        raise ValueError(f"X has {len(X)} samples and Z has {len(Z)}; their rows must be the same samples.")
    return densities.information(densities.columns(X, discrete), densities.columns(Z, discrete_other))


@validate_params(_OPTIONS, prefer_skip_nested_validation=True)
def mutual_information_regression(
    X: ArrayLike,
    y: ArrayLike,
    *,
    density: Literal["normal_scores", "values"] = "normal_scores",
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
    density, bandwidth, n_grid
        As in `mutual_information`.
    discrete_features
        As in `mutual_information`; a category gets the mutual information by one density of the target for each of its
        values.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        At least 0, higher is better; 0 for a constant feature; with normal scores, at most the entropy of the
        frequencies of the feature and of the target.

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
    densities = Densities(density, bandwidth, n_grid)
    return densities.information(densities.columns(X, discrete), densities.columns(y[:, None], [False]))[:, 0]
