"""Rankings of all features, and how stable they are (Section 5.3 of Chen 2012)."""

import numpy as np
import pandas as pd

from chen2012.protocol import DEFAULTS, METHODS, rank_features, read, split, splits_of
from compendium.protocol import name_of, run
from compendium.units import seed_for

__all__ = ["average_ranks", "first_features", "rankings", "stability"]


def rankings(
    datasets, settings=DEFAULTS, *, methods=METHODS, n_splits=5, n_repeats=25, target=None, seed=0, n_jobs=None
):
    """Rank of every feature by every method on every split (25 repetitions of 5 are the thesis' 125 "epochs").

    Parameters
    ----------
    datasets : sequence of str
    settings : Settings
    methods : sequence of str
        Of `METHODS` and `VARIANTS`.

    Returns
    -------
    DataFrame
        dataset, method, repeat, fold, feature (from 1), rank (1 is the best).
    """
    shared = {"methods": tuple(methods), "settings": settings, "target": target, "seed": seed}
    return run(_rank_split, splits_of(datasets, n_repeats, n_splits, shared), n_jobs, "rankings")


def _rank_split(dataset, repeat, fold, methods, settings, n_splits, target, seed):
    X, y = read(dataset, target)
    parts = split(X, y, dataset, repeat, fold, n_splits, seed)
    rows = []
    for method in methods:
        order, _ = rank_features(method, parts, settings, seed_for(seed, "ties", name_of(dataset), repeat, fold))
        ranks = np.empty(len(order), dtype=int)
        ranks[order] = np.arange(1, len(order) + 1)
        what = {"dataset": dataset, "method": method, "repeat": repeat, "fold": fold}
        rows += [{**what, "feature": k + 1, "rank": int(r)} for k, r in enumerate(ranks)]
    return rows


def average_ranks(ranks, top=3):
    """Mean rank of each feature, and how often it is among the first.

    Returns
    -------
    DataFrame
        dataset, method, feature, mean_rank, sd_rank, top_share, place (1 has the least mean rank).
    """
    by = ["dataset", "method", "feature"]
    table = ranks.assign(top_share=ranks["rank"] <= top).groupby(by, sort=False)
    table = table.agg(mean_rank=("rank", "mean"), sd_rank=("rank", "std"), top_share=("top_share", "mean"))
    places = table.groupby(["dataset", "method"])["mean_rank"].rank(method="first").astype(int)
    return table.assign(place=places).reset_index()


def first_features(ranks, tops=(8, 10, 12)):
    """The features that section 5.3 names: the first three of every method, and those that all methods have in common.

    Parameters
    ----------
    ranks : DataFrame
        As from `average_ranks`.
    tops : sequence of int
        Sizes for what is common ("the top 12").

    Returns
    -------
    DataFrame
        dataset, method (or "all"), metric ("top3_average_ranking", "common_in_top8", ...), value (list of features).
    """
    rows = []
    for dataset, part in ranks.groupby("dataset", sort=False):
        orders = {
            name: own.sort_values("place")["feature"].tolist() for name, own in part.groupby("method", sort=False)
        }
        rows += [
            {"dataset": dataset, "method": method, "metric": "top3_average_ranking", "value": order[:3]}
            for method, order in orders.items()
        ]
        for top in tops:
            common = set.intersection(*(set(order[:top]) for order in orders.values()))
            what = {"dataset": dataset, "method": "all", "metric": f"common_in_top{top}"}
            rows.append({**what, "value": sorted(common)})
    return pd.DataFrame(rows)


def stability(ranks, sizes=(3, 10)):
    """Claim C4: how much the first features of two splits have in common, over all pairs of splits.

    Returns
    -------
    DataFrame
        dataset, method, size, metric ("jaccard"), value, n (splits).
    """
    rows = []
    for (dataset, method), part in ranks.groupby(["dataset", "method"], sort=False):
        table = part.pivot_table(index=["repeat", "fold"], columns="feature", values="rank").to_numpy()
        for size in sizes:
            chosen = (table <= size).astype(float)
            i, j = np.triu_indices(len(chosen), 1)
            common = (chosen @ chosen.T)[i, j]
            value = np.mean(common / (2 * min(size, table.shape[1]) - common))
            what = {"dataset": dataset, "method": method, "size": size, "metric": "jaccard"}
            rows.append({**what, "value": float(value), "n": len(chosen)})
    return pd.DataFrame(rows)
