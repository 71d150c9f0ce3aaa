"""Traps that lie between rows: copies, groups of rows that belong together, order in time."""

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, kruskal, rankdata, spearmanr

from fscore.dossier.traps import IDENTIFIER_NAME

__all__ = ["duplicate_rows", "follows_time", "group_column"]

_SURE = 1e-4  # p-value that counts as evidence of order in time
_N_PERMUTATIONS = 40
_MOST_COMPARED = 40  # columns


def duplicate_rows(X, y):
    """Rows that occur more than once, where chance doesn't explain it.

    Parameters
    ----------
    X : DataFrame
    y : ndarray of shape (n_samples,)

    Returns
    -------
    repeated : ndarray of shape (n_samples,), bool
        Copies of an earlier row, target included.
    alike : ndarray of shape (n_samples,), int
        Number of the set of rows with the same features.
    natural : bool
        Whether rows repeat because the columns have few different values: then copies may be different cases.
    """
    alike = X.groupby(list(X), dropna=False, sort=False).ngroup().to_numpy() if X.shape[1] else np.zeros(len(X), int)
    repeated = pd.DataFrame({"row": alike, "y": y}).duplicated().to_numpy()
    # The number of pairs of equal rows to expect if columns were independent. Copies must not make copies look likely.
    distinct = X[~pd.Series(alike).duplicated().to_numpy()]
    pairs = len(distinct) * (len(distinct) - 1) / 2
    log_chance = sum(np.log(_share_of_equal_pairs(distinct[name])) for name in X)
    natural = bool(pairs * np.exp(log_chance) > 0.01) or bool(X.nunique().max() <= 20)
    return repeated, alike, natural


def _share_of_equal_pairs(column):
    counts = column.value_counts(dropna=False).to_numpy()
    n = counts.sum()
    return max((counts * (counts - 1)).sum() / max(n * (n - 1), 1), 1 / n**2)


def group_column(X, y, kinds, dropped):
    """The column that says which rows belong together (a patient's, a site's), if there is one.

    A candidate has many values that repeat, and a name or text that names something. It counts if rows of one value
    resemble each other more than in any of 40 permutations, and by a fifth of the variance on average.

    Parameters
    ----------
    X : DataFrame
    y : ndarray of shape (n_samples,)
        Numbers.
    kinds : dict of str to str
    dropped : DataFrame
        Columns that are no features for other reasons, such as free text; they may hold groups all the same.

    Returns
    -------
    str or None
    """
    n = len(X)
    best, best_share = None, 0.2
    numbers = X.select_dtypes(np.float64)
    for name, column in [*X.items(), *dropped.items()]:
        n_values = column.nunique()
        if not max(10, n / 100) <= n_values <= n / 2:
            continue
        named = bool(IDENTIFIER_NAME.search(name.lower()))
        words = kinds.get(name) in ("category", "text")
        whole = kinds.get(name) == "number" and np.array_equal(column.dropna(), column.dropna().round())
        if not (words or (whole and named)):
            continue
        others = numbers.drop(columns=name, errors="ignore").iloc[:, :_MOST_COMPARED]
        Z = np.column_stack([others.fillna(others.mean()).to_numpy(), y])
        share, reached = _likeness(pd.factorize(column)[0], Z)
        if share > best_share and share > reached:
            best, best_share = name, share
    return best


def _likeness(codes, Z):
    """Mean adjusted share of variance between groups, and the most that permutations reach."""
    Z = (Z - Z.mean(axis=0)) / np.where(Z.std(axis=0) > 0, Z.std(axis=0), 1)
    counts = np.bincount(codes + 1)
    counts_used = np.maximum(counts, 1)[:, None]

    def share(codes):
        sums = np.zeros((len(counts), Z.shape[1]))
        np.add.at(sums, codes + 1, Z)
        between = (sums**2 / counts_used).sum(axis=0) / len(Z)
        n_groups = (counts > 0).sum()
        return float(np.mean(1 - (1 - between) * (len(Z) - 1) / max(len(Z) - n_groups, 1)))

    rng = np.random.default_rng(0)
    return share(codes), max(share(rng.permutation(codes)) for _ in range(_N_PERMUTATIONS))


def follows_time(time, y, task):
    """Whether the target drifts, or differs between blocks of consecutive rows.

    Parameters
    ----------
    time : ndarray of shape (n_samples,)
    y : ndarray of shape (n_samples,)
        Class numbers, or values.
    task : {"classification", "regression"}

    Returns
    -------
    bool
    """
    known = ~np.isnan(time)
    order = np.argsort(time[known], kind="stable")
    y = np.asarray(y, dtype=np.float64)[known][order]
    if len(y) < 30 or np.ptp(time[known]) == 0 or np.ptp(y) == 0:
        return False
    blocks = np.arange(len(y)) * max(4, round(len(y) ** 0.5)) // len(y)
    ranks = rankdata(time[known][order])
    if task == "regression":
        return (
            kruskal(*(y[blocks == k] for k in np.unique(blocks))).pvalue < _SURE or spearmanr(ranks, y).pvalue < _SURE
        )
    if chi2_contingency(pd.crosstab(blocks, y)).pvalue < _SURE:
        return True
    return any(spearmanr(ranks, y == c).pvalue < _SURE / len(np.unique(y)) for c in np.unique(y))
