"""Rankings of all features, and how stable they are (Section 5.3 of Chen 2012)."""

import numpy as np
import pandas as pd

from chen2012.protocol import METHODS, VARIANTS, RankingExperiment, rank_features, read, split, tie_seed
from compendium.experiment import Schema, table
from compendium.protocol import load_set
from compendium.units import name_of, run_units, tidy


class Ranking(RankingExperiment):
    """Figures 12, 13, 18, 23, 28 and 33, Table 2 and Claim C4: the rankings on every split of the data.

    25 repetitions of 5 folds are the thesis' 125 "epochs".

    Tables
    ------
    outline
        Table 2, see `outline`.
    average_ranks
        See `average_ranks`; without the variants of GMLVQ.
    stability
        See `stability`; with the variants of GMLVQ.
    """

    schema = Schema(
        outline=table("dataset metric"),
        average_ranks=table("dataset method feature", values="mean_rank sd_rank top_share place"),
        stability=table("dataset method size metric", values="value n"),
    )

    def measure(self):
        """See the class."""
        ranks = self.rankings()
        return {
            "outline": outline(self.dataset, self.target),
            "average_ranks": average_ranks(ranks[ranks["method"].isin(METHODS)]),
            "stability": stability(ranks),
        }

    def rankings(self, methods=(*METHODS, *VARIANTS)):
        """Rank of every feature by every method on every split.

        Parameters
        ----------
        methods : sequence of str
            Of `METHODS` and `VARIANTS`.

        Returns
        -------
        DataFrame
            dataset, method, repeat, fold, feature (from 1), rank (1 is the best).
        """
        units = self.splits(methods=tuple(methods), **self.pick("n_neighbors", "discretizer", "ties"))
        return run_units(_rank_split, units, label="rankings")


def _rank_split(dataset, repeat, fold, methods, n_splits, target, seed, **ranking):
    X, y = read(dataset, target)
    parts = split(X, y, dataset, repeat, fold, n_splits, seed)
    rows = []
    drawn = tie_seed(seed, dataset, repeat, fold)
    for method in methods:
        order, _ = rank_features(method, parts, drawn, **ranking)
        what = {"dataset": dataset, "method": method, "repeat": repeat, "fold": fold}
        rows += [{**what, "feature": k + 1, "rank": int(r)} for k, r in enumerate(np.argsort(order) + 1)]
    return rows


def outline(dataset, target=None):
    """Sizes of the data sets, with constant features.

    Parameters
    ----------
    dataset : sequence of str
    target : str, optional
        Label column of CSV files.

    Returns
    -------
    DataFrame
        dataset, metric ("n_instances", "n_attributes", "n_classes"), value.
    """
    rows = []
    for name in dataset:
        bunch = load_set(name, target)
        n, d = bunch.data.shape
        measured = {"n_instances": n, "n_attributes": d, "n_classes": len(np.unique(bunch.target))}
        rows += tidy({"dataset": name_of(name)}, measured)
    return pd.DataFrame(rows)


def average_ranks(ranks):
    """Mean rank of each feature, and how often it is among the first three.

    Parameters
    ----------
    ranks : DataFrame
        As from `Ranking.rankings`.

    Returns
    -------
    DataFrame
        dataset, method, feature, mean_rank, sd_rank, top_share, place (1 has the lowest mean rank).
    """
    by = ["dataset", "method", "feature"]
    table = ranks.assign(top_share=ranks["rank"] <= 3).groupby(by, sort=False)
    table = table.agg(mean_rank=("rank", "mean"), sd_rank=("rank", "std"), top_share=("top_share", "mean"))
    places = table.groupby(["dataset", "method"])["mean_rank"].rank(method="first").astype(int)
    return table.assign(place=places).reset_index()


def stability(ranks, sizes=(3, 10)):
    """Mean overlap (Jaccard index) of the first features over all pairs of splits (Claim C4).

    Parameters
    ----------
    ranks : DataFrame
        As from `Ranking.rankings`.
    sizes : sequence of int
        How many of the first features to compare; sizes that leave no feature out say nothing, and are left out.

    Returns
    -------
    DataFrame
        dataset, method, size, metric ("jaccard"), value, n (splits).
    """
    rows = []
    for (dataset, method), group in ranks.groupby(["dataset", "method"], sort=False):
        table = group.pivot_table(index=["repeat", "fold"], columns="feature", values="rank").to_numpy()
        for size in [size for size in sizes if size < table.shape[1]] or [1]:
            chosen = (table <= size).astype(float)
            i, j = np.triu_indices(len(chosen), 1)
            common = (chosen @ chosen.T)[i, j]
            value = np.mean(common / (2 * size - common))
            what = {"dataset": dataset, "method": method, "size": size, "metric": "jaccard"}
            rows.append({**what, "value": float(value), "n": len(chosen)})
    return pd.DataFrame(rows)
