"""Intervals and tests: for the rules that judge claims, and to compare methods over folds or data sets.

A rule asks what the data can tell: an estimate, its interval, and on which side of a threshold the interval lies (see
`compendium.statements`). The units of an interval are independent of each other, data sets or repetitions of one
experiment, unless its name says "resampled".
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from fscore.search import resampled_error

RESAMPLES = 2000
ROUNDING = 1e-9  # of the largest value: what differs by less is equal but for rounding


def _vary(values):
    """Whether values say anything about their spread: there are two or more, and rounding alone does not part them."""
    return len(values) > 1 and bool(np.any(np.ptp(values, axis=0) > ROUNDING * np.abs(values).max(axis=0)))


def _by_group(values, groups):
    """Number, mean and variance of the values of each group; the variance is 0 where they say nothing about it."""
    x = np.asarray(values, dtype=float)
    codes = np.unique(np.asarray(groups), return_inverse=True)[1]
    counts = np.bincount(codes)
    y = np.bincount(codes, x) / counts
    within = np.bincount(codes, (x - y[codes]) ** 2) / np.maximum(counts - 1, 1)
    return counts, y, np.where([_vary(x[codes == group]) for group in range(len(y))], within, 0.0)


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
        Infinite for fewer than two values and for equal ones, which say nothing about their spread.

    Examples
    --------
    >>> from compendium.inference import mean_interval
    >>> [round(bound, 2) for bound in mean_interval([1, 2, 3])]
    [-0.48, 4.48]
    >>> mean_interval([1.0, 1.0])
    (-inf, inf)
    """
    x = np.asarray(values, dtype=float)
    if not _vary(x):
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
        Infinite for fewer than two values on one side, and if the values of each side are equal.

    Examples
    --------
    >>> from compendium.inference import welch_interval
    >>> [round(bound, 1) for bound in welch_interval([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])]
    [-0.3, 4.3]
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if min(len(a), len(b)) < 2 or not (_vary(a) or _vary(b)):
        return -np.inf, np.inf
    interval = stats.ttest_ind(a, b, equal_var=False).confidence_interval(level)
    return float(interval.low), float(interval.high)


def resampled_interval(values, level=0.95):
    """Interval of a mean over random halves of the same samples, which overlap.

    Its error is that of `fscore.search.resampled_error`: two halves share half of their samples.

    Parameters
    ----------
    values : array-like of shape (J,)
    level : float, default=0.95

    Returns
    -------
    low, high : float
        Infinite for fewer than two values and for equal ones.

    Examples
    --------
    >>> from compendium.inference import resampled_interval
    >>> [round(bound, 1) for bound in resampled_interval([1, 2, 3])]
    [-3.0, 7.0]
    """
    x = np.asarray(values, dtype=float)
    if not _vary(x):
        return -np.inf, np.inf
    half = stats.t.ppf((1 + level) / 2, len(x) - 1) * resampled_error(x, test_share=1)
    return float(x.mean() - half), float(x.mean() + half)


@dataclass(frozen=True)
class RandomEffects:
    """A mean over units in general, of which each was measured with an error of its own.

    Attributes
    ----------
    mean, error : float
        Estimate and its standard error (Hartung and Knapp).
    tau : float
        Standard deviation of the true values between units.
    n : int
        Number of units.
    """

    mean: float
    error: float
    tau: float
    n: int

    def interval(self, level=0.95):
        """Interval of the mean over all such units."""
        return self._around(self.error, level)

    def prediction(self, level=0.95):
        """Interval in which the true value of one more unit lies."""
        return self._around(np.hypot(self.error, self.tau), level)

    def _around(self, error, level):
        if self.n < 2 or not error > 0:
            return -np.inf, np.inf
        half = stats.t.ppf((1 + level) / 2, self.n - 1) * error
        return float(self.mean - half), float(self.mean + half)


def random_effects(values, groups):
    """Mean over units in general by a random-effects model, from repeated measurements of each.

    Between units the variance is estimated by the method of moments [1]_, the error of the mean as by Hartung and Knapp
    [2]_, who keep its level for few units, and not below what chance within the units gives [3]_: units whose means are
    equal by chance are not certainty.

    Parameters
    ----------
    values : array-like of shape (n_values,)
    groups : array-like of shape (n_values,)
        The unit that each value belongs to; each has two or more values.

    Returns
    -------
    RandomEffects

    Notes
    -----
    A unit whose values are all equal has the mean variance of all units: few equal values are not certainty. If all
    units are such, every unit counts the same.

    References
    ----------
    .. [1] DerSimonian and Laird (1986). Meta-analysis in clinical trials. Controlled Clinical Trials 7, 177-188.
    .. [2] Hartung and Knapp (2001). A refined method for the meta-analysis of controlled clinical trials. Statistics in
       Medicine 20, 3875-3889.
    .. [3] Röver, Knapp and Friede (2015). Hartung-Knapp-Sidik-Jonkman approach and its modification for random-effects
       meta-analysis with few studies. BMC Medical Research Methodology 15, 99.

    Examples
    --------
    >>> from compendium.inference import random_effects
    >>> found = random_effects([1, 3, 2, 4, 5, 7], ["a", "a", "b", "b", "c", "c"])
    >>> round(found.mean, 2), round(found.tau, 2), [round(bound, 2) for bound in found.interval()]
    (3.67, 1.83, [-1.5, 8.84])
    """
    counts, y, within = _by_group(values, groups)
    if not _vary(y):
        y = np.full(len(y), y[0])
    error = np.where(within > 0, within, within.mean()) / counts
    least = 1.0  # relative error of the mean
    if not (error > 0).all():
        error, least = np.ones(len(y)), 0.0
    weight, n = 1 / error, len(y)
    mean = np.average(y, weights=weight)
    excess = np.sum(weight * (y - mean) ** 2) - (n - 1)
    between = max(0.0, excess / (weight.sum() - np.sum(weight**2) / weight.sum())) if n > 1 else 0.0
    weight = 1 / (error + between)
    mean = np.average(y, weights=weight)
    relative = max(np.sum(weight * (y - mean) ** 2) / (n - 1), least) if n > 1 else np.nan
    variance = relative / weight.sum()
    return RandomEffects(float(mean), float(np.sqrt(variance)), float(np.sqrt(between)), n)


def mean_over_groups_interval(values, groups, level=0.95):
    """Interval of the mean over these very groups, whose repeated measurements alone are left to chance.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Independent measurements.
    groups : array-like of shape (n_values,)
    level : float, default=0.95

    Returns
    -------
    low, high : float
        Degrees of freedom as by Welch and Satterthwaite. Infinite if no group has two different values.

    Examples
    --------
    >>> from compendium.inference import mean_over_groups_interval
    >>> [round(bound, 2) for bound in mean_over_groups_interval([1, 3, 2, 4], ["a", "a", "b", "b"])]
    [-0.54, 5.54]
    """
    counts, y, within = _by_group(values, groups)
    parts = within / counts
    if not parts.any():
        return -np.inf, np.inf
    freedom = parts.sum() ** 2 / np.sum(parts**2 / np.maximum(counts - 1, 1))
    half = stats.t.ppf((1 + level) / 2, freedom) * np.sqrt(parts.sum()) / len(y)
    return float(y.mean() - half), float(y.mean() + half)


def correlation_interval(correlations, sizes, level=0.95):
    """Interval of a correlation coefficient, or of the mean of several independent ones, by the mean of Fisher's z.

    Parameters
    ----------
    correlations : array-like of shape (k,)
    sizes : array-like of shape (k,)
        Number of pairs behind each, four or more.
    level : float, default=0.95

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> from compendium.inference import correlation_interval
    >>> [round(bound, 2) for bound in correlation_interval([-0.5, -0.5], [12, 12])]
    [-0.77, -0.09]
    """
    r, n = np.asarray(correlations, dtype=float), np.asarray(sizes, dtype=float)
    if not len(r) or n.min() < 4 or not np.isfinite(r).all():
        return -1.0, 1.0
    z = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)).mean()
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt(np.sum(1 / (n - 3))) / len(r)
    return float(np.tanh(z - half)), float(np.tanh(z + half))


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
        Infinite for fewer than two units, for equal ones, or if fewer than half of the resamples give a number.

    Examples
    --------
    >>> from compendium.inference import bootstrap_interval
    >>> [round(bound, 1) for bound in bootstrap_interval([1.0, 2.0, 3.0, 4.0])]
    [1.5, 3.5]
    """
    x = np.asarray(values, dtype=float)
    if not _vary(x):
        return -np.inf, np.inf
    draws = np.random.default_rng(0).integers(len(x), size=(RESAMPLES, len(x)))
    found = np.array([statistic(x[rows]) for rows in draws], dtype=float)
    found = found[np.isfinite(found)]
    if len(found) < RESAMPLES / 2:
        return -np.inf, np.inf
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


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


def corrected_resampled_t(differences, test_share):
    """Two-sided p-value of the hypothesis that fold-wise differences have mean zero, for repeated cross-validation.

    Student's test with the error of `fscore.search.resampled_error`, since training parts overlap.

    Parameters
    ----------
    differences : array-like of shape (J,)
        One difference per fold and repetition.
    test_share : float
        n_test / n_train: 1 / (n_splits - 1).

    Returns
    -------
    float
        1 if all differences are zero or there is only one; 0 if they are equal but not zero.

    Examples
    --------
    >>> from compendium.inference import corrected_resampled_t
    >>> round(corrected_resampled_t([0.1, 0.2, 0.0, 0.1], 0.25), 3)
    0.182
    """
    d = np.asarray(differences, dtype=float)
    if not _vary(d):
        return 1.0 if len(d) == 1 or d.mean() == 0 else 0.0
    return float(2 * stats.t.sf(abs(d.mean()) / resampled_error(d, test_share), len(d) - 1))


def holm(p_values):
    """Holm's step-down adjustment of p-values.

    Rejecting where the adjusted value is below a level keeps the probability of any wrong rejection below that level.

    Parameters
    ----------
    p_values : array-like of shape (n_hypotheses,)

    Returns
    -------
    ndarray of shape (n_hypotheses,)

    Examples
    --------
    >>> from compendium.inference import holm
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def friedman(errors):
    """Mean rank of each method over data sets, and the p-value of Friedman's test.

    Rank 1 has the lowest error; equal errors get their average rank.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)

    Returns
    -------
    mean_ranks : ndarray of shape (n_methods,)
    p : float
        p-value of the hypothesis that all methods have the same mean rank, corrected for ties. NaN for fewer than two
        data sets or three methods, and if all errors on each data set are equal.
    """
    errors = np.asarray(errors, dtype=float)
    ranks = stats.rankdata(errors, axis=1)
    enough = errors.shape[0] > 1 and errors.shape[1] > 2 and np.ptp(errors, axis=1).any()
    return ranks.mean(axis=0), float(stats.friedmanchisquare(*errors.T).pvalue) if enough else np.nan


def critical_difference(n_methods, n_datasets):
    """Nemenyi's critical difference: smaller differences between mean ranks are not significant at 5% [1]_.

    Parameters
    ----------
    n_methods, n_datasets : int

    Returns
    -------
    float

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006) 1-30.

    Examples
    --------
    >>> from compendium.inference import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = stats.studentized_range.ppf(0.95, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def connected_groups(ranks, reach):
    """Maximal groups of two or more mean ranks that span less than the critical difference.

    Parameters
    ----------
    ranks : ndarray of shape (n_methods,)
        Ascending.
    reach : float

    Returns
    -------
    list of (float, float)
        The lowest and the highest rank of each group.
    """
    runs = []
    for start in range(len(ranks)):
        end = np.searchsorted(ranks, ranks[start] + reach, side="left") - 1
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return [(ranks[start], ranks[end]) for start, end in runs]
