"""Stability of selected subsets: relative weighted consistency, average Tanimoto index, Nogueira's measure."""

from numbers import Real
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from fscore._columns import as_array
from fscore._typing import Masks
from fscore._validation import refuse_masked

__all__ = ["Stability", "average_tanimoto_index", "nogueira_stability", "relative_weighted_consistency"]


def relative_weighted_consistency(subsets: Masks) -> float:
    """Relative weighted consistency CW_rel of subsets of any sizes.

    The share of runs that agree on a feature, weighted by how often it was selected (CW), rescaled so that 0 is the
    least and 1 the greatest agreement possible for the same numbers of runs, features and selections.

    Parameters
    ----------
    subsets : list of masks, array-like of shape (n_subsets, n_features), or list of fitted selectors
        True (or 1) marks a selected feature.

    Returns
    -------
    float
        In [0, 1]. 1 for a single subset; CW itself if the greatest possible CW does not exceed the smallest; -1 if
        nothing was selected at all.

    Raises
    ------
    ValueError
        Not a matrix of zeros and ones; masks of different lengths.

    References
    ----------
    Somol, Novovicova (2008), LNCS 5342, 956-966; used in Somol, Grim, Novovicova, Pudil (2011), Tables 3 and 4.

    Examples
    --------
    >>> from fscore.stability import relative_weighted_consistency
    >>> relative_weighted_consistency([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
    0.5
    """
    Z = _masks(subsets)
    n, Y = Z.shape
    F = [int(f) for f in Z.sum(axis=0)]
    N = sum(F)
    if n == 1:
        return 1.0
    if N == 0:
        return -1.0
    agreement = sum(f * (f - 1) for f in F)
    D, H = N % Y, N % n
    # CW, its minimum and its maximum, all times Y N (n - 1): integers, so that 0 and 1 are exact
    least = N * N - Y * (N - D) - D * D
    most = Y * (H * H + N * (n - 1) - H * n)
    if most <= least:
        return agreement / (N * (n - 1))
    return (Y * agreement - least) / (most - least)


def average_tanimoto_index(subsets: Masks, *, both_empty: float = -1.0) -> float:
    """Average Tanimoto index ATI: mean over all pairs of ``|A & B| / |A | B|``.

    Parameters
    ----------
    subsets : list of masks, array-like of shape (n_subsets, n_features), or list of fitted selectors
        True (or 1) marks a selected feature.
    both_empty : float, default=-1.0
        The value of a pair of empty subsets, whose index is undefined. The authors' toolbox uses -1; with NaN the
        result is NaN if there is such a pair.

    Returns
    -------
    float
        In [0, 1] unless subsets are empty; 0 if no two share a feature, 1 if all are equal or there is only one.

    Raises
    ------
    ValueError
        Not a matrix of zeros and ones; masks of different lengths; an infinite ``both_empty``.

    References
    ----------
    Kalousis, Prados, Hilario (2007), Knowledge and Information Systems 12, 95-116; used in Somol et al. (2011).

    Examples
    --------
    >>> from fscore.stability import average_tanimoto_index
    >>> average_tanimoto_index([[1, 1, 0], [1, 0, 0]])
    0.5
    """
    if not isinstance(both_empty, Real):
        raise TypeError(f"both_empty={both_empty!r} must be a number.")
    if np.isinf(both_empty):
        raise ValueError(f"both_empty={both_empty!r} must be finite, or NaN where the index shall be undefined.")
    Z = _masks(subsets)
    n = len(Z)
    if n == 1:
        return 1.0
    common = Z @ Z.T
    size = common.diagonal()
    first, second = np.triu_indices(n, 1)
    common = common[first, second]
    union = size[first] + size[second] - common
    return float(np.where(union > 0, common / np.maximum(union, 1), both_empty).mean())


class Stability(NamedTuple):
    """An estimate with its confidence interval; the bounds are NaN where there is none."""

    value: float
    lower: float
    upper: float


def nogueira_stability(subsets: Masks, *, confidence: float = 0.95) -> Stability:
    """Stability of Nogueira, Sechidis and Brown: one minus the observed over the expected variance of selection.

    Parameters
    ----------
    subsets : list of masks, array-like of shape (n_subsets, n_features), or list of fitted selectors
        True (or 1) marks a selected feature.
    confidence : float in (0, 1), default=0.95
        Of the interval, which is asymptotic. In simulations with a confidence of 0.95 it covered the value for 82 to
        90% of the samples of 10 subsets, for 88 to 93% of 20, and for 93 to 94% of 50.

    Returns
    -------
    Stability
        ``value`` with ``lower`` and ``upper``. 1 if all subsets are equal, 0 on average for random ones; NaN if all
        subsets are empty or all are full, because agreement and chance are then the same. The bounds are NaN for two
        subsets, whose spread says nothing about that of the value. The interval ends at
        ``-1 / (n_subsets - 1)`` and 1, the least and the largest possible value.

    Raises
    ------
    ValueError
        Fewer than two subsets; not a matrix of zeros and ones; a confidence out of range.

    References
    ----------
    Nogueira, Sechidis, Brown (2018), JMLR 18 (174), 1-54, Definition 4 and Theorem 7.
    """
    Z = _masks(subsets)
    n, d = Z.shape
    if n < 2:
        raise ValueError("stability compares subsets, but there is only one; give at least two.")
    if not isinstance(confidence, Real) or not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r} must be between 0 and 1.")
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    share = k.mean() / d
    chance = share * (1 - share)
    if chance == 0:
        return Stability(np.nan, np.nan, np.nan)
    value = 1 - (n / (n - 1) * p * (1 - p)).mean() / chance
    if n == 2:  # of equal size, both would have the same influence, and the interval no width
        return Stability(float(value), np.nan, np.nan)
    # influence of each subset on the value
    phi = (Z @ p / d - k / d * share + value / 2 * (2 * share * k / d - k / d - share + 1)) / chance
    deviation = 2 / n * np.sqrt(((phi - phi.mean()) ** 2).sum())
    half = 0.0 if value == 1 else NormalDist().inv_cdf((1 + confidence) / 2) * deviation
    return Stability(float(value), float(min(max(value - half, -1 / (n - 1)), value)), float(min(value + half, 1.0)))


def _masks(subsets):
    """Masks, a matrix, or fitted selectors -> integer array of shape (n_subsets, n_features)."""
    refuse_masked(subsets, "subsets")
    try:
        if not hasattr(subsets, "shape"):
            subsets = [s.get_support() if hasattr(s, "get_support") else as_array(s) for s in subsets]
        Z = as_array(subsets)
        if Z.ndim == 2 and 0 not in Z.shape and np.isin(Z, (0, 1)).all():
            return Z.astype(np.int64)
    except TypeError:  # nothing to iterate over, or to compare
        pass
    raise ValueError(
        "subsets must be masks: for each subset a row of zeros and ones (or booleans), one for each feature, and not "
        "the indices of the selected features."
    )
