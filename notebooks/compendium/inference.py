"""Intervals and tests for the rules that judge claims.

A rule asks what the data can tell: an estimate, its interval, and on which side of a threshold the interval lies (see
`compendium.statements`). The units of every function here are independent of each other: data sets, or
repetitions of one experiment, but not the folds of one cross-validation (`compendium.statistics`).
"""

import numpy as np
from scipy import stats

RESAMPLES = 2000


def share_interval(successes, n, level=0.95):
    """Exact interval of a share (Clopper and Pearson).

    Parameters
    ----------
    successes, n : int
        Successes among ``n`` independent trials.
    level : float, default=0.95

    Returns
    -------
    low, high : float
        (0, 1) for ``n = 0``.

    Examples
    --------
    >>> from compendium.inference import share_interval
    >>> [round(bound, 3) for bound in share_interval(8, 10)]
    [0.444, 0.975]
    """
    if n == 0:
        return 0.0, 1.0
    interval = stats.binomtest(int(successes), int(n)).proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)


def mean_interval(values, level=0.95):
    """Student's interval of a mean.

    Parameters
    ----------
    values : array-like of shape (n,)
    level : float, default=0.95

    Returns
    -------
    low, high : float
        Infinite for fewer than two values, which say nothing about their spread.

    Examples
    --------
    >>> from compendium.inference import mean_interval
    >>> [round(bound, 2) for bound in mean_interval([1, 2, 3])]
    [-0.48, 4.48]
    """
    x = np.asarray(values, dtype=float)
    if len(x) < 2:
        return -np.inf, np.inf
    half = stats.t.ppf((1 + level) / 2, len(x) - 1) * x.std(ddof=1) / np.sqrt(len(x))
    return float(x.mean() - half), float(x.mean() + half)


def welch_interval(a, b, level=0.95):
    """Welch's interval of the difference of two means, ``a`` minus ``b``.

    Parameters
    ----------
    a, b : array-like
        Values of independent units, with variances that may differ.
    level : float, default=0.95

    Returns
    -------
    low, high : float
        Infinite for fewer than two values on one side.

    Examples
    --------
    >>> from compendium.inference import welch_interval
    >>> [round(bound, 1) for bound in welch_interval([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])]
    [-0.3, 4.3]
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if min(len(a), len(b)) < 2:
        return -np.inf, np.inf
    if a.var() == b.var() == 0:
        return (float(a.mean() - b.mean()),) * 2
    interval = stats.ttest_ind(a, b, equal_var=False).confidence_interval(level)
    return float(interval.low), float(interval.high)


def resampled_interval(values, level=0.95):
    """Interval of a mean over random halves of the same samples, which overlap.

    The variance of the mean is ``1 / J + 1`` times that of the J values, not ``1 / J`` times [1]_.

    Parameters
    ----------
    values : array-like of shape (J,)
    level : float, default=0.95

    Returns
    -------
    low, high : float
        Infinite for fewer than two values.

    References
    ----------
    .. [1] Nadeau and Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> from compendium.inference import resampled_interval
    >>> [round(bound, 1) for bound in resampled_interval([1, 2, 3])]
    [-3.0, 7.0]
    """
    x = np.asarray(values, dtype=float)
    if len(x) < 2:
        return -np.inf, np.inf
    half = stats.t.ppf((1 + level) / 2, len(x) - 1) * np.sqrt(1 / len(x) + 1) * x.std(ddof=1)
    return float(x.mean() - half), float(x.mean() + half)


def signed_rank_interval(values, level=0.95):
    """Interval of the median of a symmetric distribution: what Wilcoxon's signed-rank test does not reject [1]_.

    Parameters
    ----------
    values : array-like of shape (n,)
        One difference per independent unit.
    level : float, default=0.95

    Returns
    -------
    low, high : float
        Infinite if so few values can't reach the level.

    References
    ----------
    .. [1] Hollander, Wolfe and Chicken (2014). Nonparametric Statistical Methods, section 3.3. Wiley.

    Examples
    --------
    >>> from compendium.inference import signed_rank_interval
    >>> signed_rank_interval([1, 2, 3, 4, 5, 6])
    (1.0, 6.0)
    """
    x = np.asarray(values, dtype=float)
    n = len(x)
    averages = np.sort([(x[i] + x[j]) / 2 for i in range(n) for j in range(i, n)])
    ways = np.ones(1)  # in which ranks 1, 2, ... sum to 0, 1, ...
    for rank in range(1, n + 1):
        ways = np.concatenate([ways, np.zeros(rank)]) + np.concatenate([np.zeros(rank), ways])
    cut = int(np.searchsorted(np.cumsum(ways) / 2.0**n, (1 - level) / 2, side="right"))
    if cut == 0:
        return -np.inf, np.inf
    return float(averages[cut - 1]), float(averages[-cut])


def best_interval(values, n, level=0.95):
    """Interval of the largest of ``n`` means, from the values of the one that is largest in the sample.

    The largest in the sample tends to lie above the largest mean. So the lower bound allows for the choice
    (Bonferroni); the upper bound is the usual one, which the choice makes safer.

    Parameters
    ----------
    values : array-like
        Values of the chosen one.
    n : int
        Number from which it was chosen.
    level : float, default=0.95

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> from compendium.inference import best_interval
    >>> [round(bound, 2) for bound in best_interval([1, 2, 3], 10)]
    [-6.13, 4.48]
    """
    return mean_interval(values, 1 - (1 - level) / n)[0], mean_interval(values, level)[1]


def bootstrap_interval(values, statistic=np.mean, level=0.95):
    """Percentile interval of a statistic under resampling of independent units.

    Parameters
    ----------
    values : array-like of shape (n, ...)
        One row per independent unit.
    statistic : callable, default=numpy.mean
        Maps an array of the shape of ``values`` to a number. Resamples for which it is NaN are left out.
    level : float, default=0.95

    Returns
    -------
    low, high : float
        Infinite for fewer than two units, or if fewer than half of the resamples give a number.

    Examples
    --------
    >>> from compendium.inference import bootstrap_interval
    >>> [round(bound, 1) for bound in bootstrap_interval([1.0, 2.0, 3.0, 4.0])]
    [1.5, 3.5]
    """
    x = np.asarray(values, dtype=float)
    if len(x) < 2:
        return -np.inf, np.inf
    draws = np.random.default_rng(0).integers(len(x), size=(RESAMPLES, len(x)))
    found = np.array([statistic(x[rows]) for rows in draws], dtype=float)
    found = found[np.isfinite(found)]
    if len(found) < RESAMPLES / 2:
        return -np.inf, np.inf
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def correlation_interval(r, n, level=0.95):
    """Interval of Pearson's correlation coefficient by Fisher's z.

    Parameters
    ----------
    r : float
    n : int
        Number of pairs.
    level : float, default=0.95

    Returns
    -------
    low, high : float
        (-1, 1) for fewer than four pairs or an undefined coefficient; (r, r) for ``abs(r) = 1``.

    Examples
    --------
    >>> from compendium.inference import correlation_interval
    >>> [round(bound, 2) for bound in correlation_interval(-0.5, 12)]
    [-0.83, 0.1]
    """
    if n < 4 or not np.isfinite(r):
        return -1.0, 1.0
    if abs(r) >= 1:
        return float(np.sign(r)), float(np.sign(r))
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt(1.0 / (n - 3))
    return float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))


def grouped_error(values, groups):
    """Standard error of the mean of values of which those of one group depend on each other.

    Parameters
    ----------
    values : array-like of shape (n,)
    groups : array-like of shape (n,)
        Which group each value belongs to. Groups are independent of each other.

    Returns
    -------
    float
        NaN for fewer than two groups. If each value is its own group, the usual error, with ``n - 1``.

    Notes
    -----
    The variance of the sums over groups, as for clustered samples [1]_: a group of many equal values counts little
    more than one value. With few groups, or some that hold most values, it is too small rather than too large.

    References
    ----------
    .. [1] Liang and Zeger (1986). Longitudinal data analysis using generalized linear models. Biometrika 73, 13-22.

    Examples
    --------
    Two groups of two equal values tell as much as two values:

    >>> from compendium.inference import grouped_error
    >>> grouped_error([0, 1], [1, 2]), grouped_error([0, 0, 1, 1], ["a", "a", "b", "b"])
    (0.5, 0.5)
    """
    values = np.asarray(values, dtype=float)
    codes = np.unique(groups, return_inverse=True)[1]
    sums = np.bincount(codes, values - values.mean())
    if len(sums) < 2:
        return np.nan
    return float(np.sqrt(len(sums) / (len(sums) - 1) * np.sum(sums**2)) / len(values))
