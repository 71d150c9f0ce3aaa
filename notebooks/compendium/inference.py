"""Intervals and tests for the rules that judge claims.

A rule asks what the data can tell: an estimate, its interval, and on which side of a threshold the interval lies (see
`compendium.verdicts.by_interval`). The units of every function here are independent of each other: data sets, or
repetitions of one experiment, but not the folds of one cross-validation (`compendium.statistics`).
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

__all__ = [
    "SignTest",
    "bootstrap_interval",
    "correlation_interval",
    "equivalent",
    "grouped_error",
    "jackknife_error",
    "mean_interval",
    "share_interval",
    "sign_test",
]

SPEARMAN = 1.06  # variance of Fisher's z for Spearman's coefficient: 1.06 / (n - 3) (Fieller, Hartley and Pearson 1957)
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


@dataclass(frozen=True)
class SignTest:
    """Result of `sign_test`: counts, two-sided p-value, and the interval of the share of wins among untied units."""

    wins: int
    losses: int
    ties: int
    p: float
    low: float
    high: float

    def __str__(self):
        tied = f", {self.ties} tied" if self.ties else ""
        return f"{self.wins} better, {self.losses} worse{tied} (sign test, p = {self.p:.2g})"


def sign_test(differences, level=0.95):
    """Exact sign test: are positive differences more frequent than negative ones?

    Parameters
    ----------
    differences : array-like of shape (n,)
        One difference per independent unit. Zeros are ties and do not count; NaN is left out.
    level : float, default=0.95

    Returns
    -------
    SignTest
        Two-sided p-value, 1 without untied units, and the Clopper-Pearson interval of the share of wins.

    Examples
    --------
    >>> from compendium.inference import sign_test
    >>> test = sign_test([1, 2, 1, 3, 0, -1])
    >>> test.wins, test.losses, test.ties, round(test.p, 3)
    (4, 1, 1, 0.375)
    """
    d = np.asarray(differences, dtype=float)
    wins, losses, ties = int((d > 0).sum()), int((d < 0).sum()), int((d == 0).sum())
    n = wins + losses
    p = float(stats.binomtest(wins, n).pvalue) if n else 1.0
    return SignTest(wins, losses, ties, p, *share_interval(wins, n, level))


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


def bootstrap_interval(values, statistic=np.mean, level=0.95, seed=0):
    """Percentile interval of a statistic under resampling of independent units.

    Parameters
    ----------
    values : array-like of shape (n, ...)
        One row per independent unit.
    statistic : callable, default=numpy.mean
        Maps an array of the shape of ``values`` to a number. Resamples for which it is NaN are left out.
    level : float, default=0.95
    seed : int, default=0

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
    draws = np.random.default_rng(seed).integers(len(x), size=(RESAMPLES, len(x)))
    found = np.array([statistic(x[rows]) for rows in draws], dtype=float)
    found = found[np.isfinite(found)]
    if len(found) < RESAMPLES / 2:
        return -np.inf, np.inf
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def correlation_interval(r, n, level=0.95, *, rank=False):
    """Interval of a correlation coefficient by Fisher's z.

    Parameters
    ----------
    r : float
        Pearson's coefficient, or Spearman's with ``rank``.
    n : int
        Number of pairs.
    level : float, default=0.95
    rank : bool, default=False
        For Spearman's coefficient, whose z has a variance of 1.06 / (n - 3).

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
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt((SPEARMAN if rank else 1.0) / (n - 3))
    return float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))


def equivalent(low, high, margin):
    """Whether an interval lies within ``margin`` of zero: two one-sided tests, if it is a 90 % interval.

    Parameters
    ----------
    low, high : float
    margin : float
        The largest difference that does not matter.

    Returns
    -------
    bool

    Examples
    --------
    >>> from compendium.inference import equivalent
    >>> equivalent(-0.4, 0.7, 1.0), equivalent(-0.4, 1.2, 1.0)
    (True, False)
    """
    return bool(-margin < low and high < margin)


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


def jackknife_error(leave_one_out):
    """Standard error of a statistic from its values with one unit left out at a time.

    Parameters
    ----------
    leave_one_out : array-like of shape (n,)

    Returns
    -------
    float
        NaN for fewer than two values.

    Examples
    --------
    The mean of 1, 2 and 3 has a standard error of 1 / sqrt(3):

    >>> from compendium.inference import jackknife_error
    >>> round(jackknife_error([2.5, 2.0, 1.5]), 4)
    0.5774
    """
    values = np.asarray(leave_one_out, dtype=float)
    n = len(values)
    if n < 2:
        return np.nan
    return float(np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum()))
