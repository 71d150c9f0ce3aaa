"""Significance tests that compare methods over the folds of one data set, or over several data sets."""

import numpy as np
from scipy import stats


def corrected_resampled_t(differences, test_share):
    """Two-sided p-value of the hypothesis that fold-wise differences have mean zero, for repeated cross-validation.

    Training parts overlap, so the differences are correlated and the variance of their mean exceeds ``1 / J`` times
    theirs; the test uses the factor ``1 / J + n_test / n_train`` [1]_.

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

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003) 239-281.

    Examples
    --------
    >>> from compendium.statistics import corrected_resampled_t
    >>> round(corrected_resampled_t([0.1, 0.2, 0.0, 0.1], 0.25), 3)
    0.182
    """
    d = np.asarray(differences, dtype=float)
    spread = np.sqrt((1 / len(d) + test_share) * d.var(ddof=1)) if len(d) > 1 else 0.0
    if spread == 0:
        return 1.0 if len(d) == 1 or d.mean() == 0 else 0.0
    return float(2 * stats.t.sf(abs(d.mean()) / spread, len(d) - 1))


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
    >>> from compendium.statistics import holm
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


def critical_difference(n_methods, n_datasets, level=0.05):
    """Nemenyi's critical difference: smaller differences between mean ranks are not significant [1]_.

    Parameters
    ----------
    n_methods, n_datasets : int
    level : float, default=0.05

    Returns
    -------
    float

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006) 1-30.

    Examples
    --------
    >>> from compendium.statistics import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
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
