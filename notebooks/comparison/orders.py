"""Orders of methods over data sets: mean ranks, groups that tests can't tell apart, fronts, and how firm they are."""

import numpy as np
import pandas as pd
from scipy import stats

from compendium.statistics import holm

__all__ = ["agreement_by_size", "cliques", "front", "knee", "left_out", "mean_ranks", "needed", "wilcoxon_holm"]


def mean_ranks(scores):
    """Mean rank of each method over the blocks, ascending; rank 1 has the highest score, equal scores share a rank.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)

    Returns
    -------
    Series
    """
    ranks = stats.rankdata(-scores.round(6).to_numpy(), axis=1)
    return pd.Series(ranks.mean(axis=0), scores.columns).sort_values(kind="stable")


def wilcoxon_holm(scores):
    """P-values of Wilcoxon's signed-rank test for all pairs of methods, adjusted by Holm's procedure.

    Differences count to six digits, so that equal ones tie; zero differences are split between the signs. Unlike
    Nemenyi's test, a pair's result doesn't depend on which other methods are compared, apart from their number.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)

    Returns
    -------
    DataFrame of shape (n_methods, n_methods)
        Symmetric, with ones on the diagonal.
    """
    values = scores.to_numpy()
    m = values.shape[1]
    first, second = np.triu_indices(m, 1)
    raw = [_wilcoxon((values[:, a] - values[:, b]).round(6)) for a, b in zip(first, second, strict=True)]
    adjusted = np.ones((m, m))
    adjusted[first, second] = adjusted[second, first] = holm(raw)
    return pd.DataFrame(adjusted, scores.columns, scores.columns)


def _wilcoxon(d):
    return float(stats.wilcoxon(d, zero_method="zsplit", method="approx").pvalue) if d.any() else 1.0


def cliques(ranks, p_values, level=0.05):
    """Maximal runs of methods, in the order of their ranks, of which no two differ significantly.

    Parameters
    ----------
    ranks : Series
        Ascending.
    p_values : DataFrame
        As from `wilcoxon_holm`.
    level : float, default=0.05

    Returns
    -------
    list of list of str
        At least two methods each.
    """
    names = list(ranks.index)
    alike = p_values.loc[names, names].to_numpy() >= level
    runs, furthest = [], -1
    for start in range(len(names)):
        end = start
        while end + 1 < len(names) and alike[start : end + 1, end + 1].all():
            end += 1
        if end > start and end > furthest:
            runs.append(names[start : end + 1])
            furthest = end
    return runs


def front(points):
    """The points that no other point dominates: at least as good in everything and better in something.

    Parameters
    ----------
    points : DataFrame of shape (n_methods, n_aims)
        Larger is better. Rows with NaN are left out.

    Returns
    -------
    list
        Index of the front, in the order of ``points``.
    """
    points = points.dropna()
    P = points.to_numpy()
    dominated = [np.any((p <= P).all(axis=1) & (p < P).any(axis=1)) for p in P]
    return points.index[~np.array(dominated, dtype=bool)].tolist()


def knee(points):
    """The point of a front next to the ideal one, each aim scaled to [0, 1] over the front.

    Parameters
    ----------
    points : DataFrame
        The front; larger is better.

    Returns
    -------
    object
        Its index.
    """
    span = (points.max() - points.min()).replace(0, 1.0)
    return (((points.max() - points) / span) ** 2).sum(axis=1).idxmin()


def agreement_by_size(scores, sizes, n_draws=50, seed=0):
    """How well the orders of two disjoint random sets of rows agree, by their size.

    Parameters
    ----------
    scores : DataFrame of shape (n_rows, n_methods)
    sizes : sequence of int
        Rows in each set; twice as many must be there.
    n_draws, seed : int

    Returns
    -------
    DataFrame
        size, tau (mean of Kendall's coefficient of the mean ranks), low and high (its 5th and 95th percentile), and
        same_best (share of the draws in which both sets have the same best method).
    """
    rng = np.random.default_rng(seed)
    rows = []
    for size in sizes:
        taus, same = [], []
        for _ in range(n_draws):
            chosen = rng.permutation(len(scores))[: 2 * size]
            first, second = (mean_ranks(scores.iloc[part]) for part in np.split(chosen, 2))
            taus.append(stats.kendalltau(first, second.reindex(first.index)).statistic)
            same.append(first.index[0] == second.index[0])
        low, high = np.nanpercentile(taus, [5, 95])
        rows.append({"size": size, "tau": np.nanmean(taus), "low": low, "high": high, "same_best": np.mean(same)})
    return pd.DataFrame(rows)


def needed(orders, target=0.9):
    """How many orders to average, so that two such averages of different orders correlate by ``target``.

    Parameters
    ----------
    orders : DataFrame of shape (n_orders, n_methods)
        Scores or ranks of the methods, for instance on each data set.
    target : float, default=0.9

    Returns
    -------
    correlation : float
        Mean of Spearman's coefficient over all pairs of orders.
    number : float
        By the formula of Spearman and Brown; infinite if the orders don't correlate.
    """
    ranks = stats.rankdata(orders.round(6).to_numpy(), axis=1)
    ranks = ranks[np.ptp(ranks, axis=1) > 0]  # an order in which all methods are equal correlates with none
    correlation = float(np.corrcoef(ranks)[np.triu_indices(len(ranks), 1)].mean()) if len(ranks) > 1 else np.nan
    if not correlation > 0:
        return correlation, np.inf
    return correlation, target * (1 - correlation) / (correlation * (1 - target))


def left_out(scores):
    """The order of the others when a method is left out.

    Parameters
    ----------
    scores : DataFrame of shape (n_blocks, n_methods)

    Returns
    -------
    DataFrame
        left_out, tau (Kendall, with the order of the same methods when all take part), exchanged (pairs whose order
        changes), best.
    """
    everyone = mean_ranks(scores)
    rows = []
    for name in scores.columns:
        ranks = mean_ranks(scores.drop(columns=name))
        before = everyone.reindex(ranks.index)
        signs = np.sign(np.subtract.outer(ranks.to_numpy(), ranks.to_numpy()).round(9))
        signs_before = np.sign(np.subtract.outer(before.to_numpy(), before.to_numpy()).round(9))
        exchanged = int(np.sum(signs * signs_before < 0)) // 2
        tau = stats.kendalltau(ranks, before).statistic
        rows.append({"left_out": name, "tau": tau, "exchanged": exchanged, "best": ranks.index[0]})
    return pd.DataFrame(rows)
