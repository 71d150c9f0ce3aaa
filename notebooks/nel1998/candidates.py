"""Candidates: subsets that a method proposes from the training parts only.

A table of candidates has the columns sample, method, order (from 1, by the method's own criterion), subset and score.
"""

from compendium.units import run_units
from fscore.filters import MIFS
from nel1998.masks import mask_of
from nel1998.protocol import training_part


def units_of(samples, n_splits, **shared):
    """One unit of work per sample and split.

    Parameters
    ----------
    samples : dict of str to str
        As from `samples_of`.
    n_splits : int
    **shared
        Further arguments of every unit.

    Returns
    -------
    list of dict
    """
    return [
        {"sample": sample, "dataset": dataset, "split": split, **shared}
        for sample, dataset in samples.items()
        for split in range(n_splits)
    ]


def ordered(table, n_best=None):
    """Number the candidates of each sample by descending score; break ties by fewer features, then by mask.

    Parameters
    ----------
    table : DataFrame
        sample, method, subset, score.
    n_best : int, optional
        Number to return for each sample; by default all.

    Returns
    -------
    DataFrame
        Candidates.
    """
    table = table.assign(size=table["subset"].str.count("1"))
    table = table.sort_values(["score", "size", "subset"], ascending=[False, True, False], kind="stable")
    table["order"] = table.groupby("sample").cumcount() + 1
    if n_best is not None:
        table = table[table["order"] <= n_best]
    return table.sort_values(["sample", "order"])[["sample", "method", "order", "subset", "score"]].reset_index(
        drop=True
    )


def prefixes(samples, *, alpha, mode, bandwidth, n_splits, seed, target=None):
    """Sections 7.3.2 and 7.4.2: from each split's ranking by mutual information the subsets of the first 2 to n - 1.

    Parameters
    ----------
    samples : dict of str to str
    alpha, mode, bandwidth
        As in :class:`fscore.filters.MIFS`.
    n_splits, seed : int
    target : str, optional
        Label column of the CSV files.

    Returns
    -------
    DataFrame
        sample, split, subset.
    """
    shared = {"alpha": alpha, "mode": mode, "bandwidth": bandwidth, "target": target, "seed": seed}
    return run_units(_prefixes, units_of(samples, n_splits, **shared), label="ranking by information")


def information_prefixes(proposed):
    """The subsets of `prefixes` as candidates.

    Parameters
    ----------
    proposed : DataFrame
        As from `prefixes`.

    Returns
    -------
    DataFrame
        Candidates; ``score`` is the share of splits whose ranking holds the subset. Mutual information itself doesn't
        order subsets of different size.
    """
    counts = proposed.groupby(["sample", "subset"]).size().rename("score").reset_index()
    return ordered(counts.assign(method="mutual_information", score=counts["score"] / proposed["split"].nunique()))


def _prefixes(sample, dataset, split, alpha, mode, bandwidth, target, seed):
    X, y = training_part(sample, dataset, split, target, seed)
    n_features = X.shape[1]
    selector = MIFS(n_features, alpha=alpha, mode=mode, density="values", bandwidth=bandwidth)
    order = selector.fit(X, y).order_
    return [
        {"sample": sample, "split": split, "subset": mask_of(order[:size], n_features)}
        for size in range(min(2, n_features), max(3, n_features))
    ]
