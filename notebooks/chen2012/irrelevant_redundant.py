"""Irrelevant and redundant features among those of a data set (Tables 5 and 6 of Chen 2012)."""

import numpy as np

from chen2012.protocol import (
    METHODS,
    RANDOM_ORDER,
    RankingExperiment,
    mean_over,
    rank_features,
    read,
    split,
    tie_seed,
)
from compendium.experiment import Schema, parameter, table
from compendium.units import name_of, run_units, seed_for, tidy

# Section 5.3: features appended to each data set. Other data sets use the most common values.
N_IRRELEVANT = {"adrenal_tumour": 9, "spectf": 9}
COPIED = {"spectf": (21, 10, 43)}


class IrrelevantRedundant(RankingExperiment):
    """Claims C7 and C8, Tables 5 and 6: how many of the appended features are among the first n of a ranking.

    Irrelevant features are uniform or normal; those of the Adrenal tumor data take 2, 4 and 8 values in turn.
    Redundant features are noisy copies of features of the set. By default there are 9 irrelevant features for SPECTF
    and the Adrenal tumor, else 20; copied are features 5, 20 and 25, for SPECTF 21, 10 and 43, and in a set with too
    few features those at one sixth, one half and five sixths. The thesis gives no unit for the signal-to-noise
    ratios; we use decibels of variance.

    Tables
    ------
    irrelevant, redundant
        dataset, kind, method, size (n), n_own, n_added, repeat, metric, value: the mean over the folds, at the original
        number N of features. Metrics: ``added``, appended features among the first n; and for the redundant ones
        ``extra``, members of a group (an original and its copies) among the first n beyond the first member, because a
        copy may replace its original; ``original 5``, ``copies 5`` and so on: ranks of feature 5 and of
        the last of its copies.
    irrelevant_curves, redundant_curves
        The same at all sizes n, without the column repeat: the mean over the repetitions.
    """

    schema = Schema(
        irrelevant=table("dataset kind method n_own n_added size metric", repetition="repeat"),
        irrelevant_curves=table("dataset kind method n_own n_added size metric"),
        redundant=table("dataset kind method n_own n_added size metric", repetition="repeat"),
        redundant_curves=table("dataset kind method n_own n_added size metric"),
    )

    noise: str = parameter("uniform", "distribution of the random features", "{uniform, normal}")
    n_irrelevant: int | None = parameter(None, "number of random features; by default as in the thesis", "[1, 1000]")
    copied: list[int] | None = parameter(None, "features to copy, from 1; by default as in the thesis", "[1, 100000]")
    noise_db: list[float] = parameter(
        [10.0, 50.0, 80.0], "signal-to-noise ratios of the copies, in decibels", "[-100, 300]"
    )

    def measure(self):
        """See the class."""
        tables = {}
        for kind in ("irrelevant", "redundant"):
            counts = self.added_features(kind)
            tables[kind] = at_original_size(counts)
            tables[f"{kind}_curves"] = mean_over("repeat", counts)
        return tables

    def added_features(self, kind, methods=(*METHODS, RANDOM_ORDER)):
        """The counts of table ``irrelevant`` or ``redundant`` for all sizes n.

        Parameters
        ----------
        kind : {"irrelevant", "redundant"}
        methods : sequence of str
            Of `chen2012.protocol.METHODS`, and `chen2012.protocol.RANDOM_ORDER`.

        Returns
        -------
        DataFrame
        """
        shared = self.pick("n_neighbors", "discretizer", "ties", "noise", "n_irrelevant", "copied", "noise_db")
        units = self.splits(kind=kind, methods=tuple(methods), **shared)
        return mean_over("fold", run_units(_rank_with_added, units, label=f"{kind} features"))


def _rank_with_added(
    dataset, repeat, fold, kind, methods, noise, n_irrelevant, copied, noise_db, n_splits, target, seed, **ranking
):
    X, y = read(dataset, target)
    rng = np.random.default_rng(seed_for(seed, kind, name_of(dataset), repeat))
    n_own = X.shape[1]
    if kind == "irrelevant":
        kind_of_values = "discrete" if name_of(dataset) == "adrenal_tumour" else noise
        added = _irrelevant(rng, len(X), n_irrelevant or N_IRRELEVANT.get(name_of(dataset), 20), kind_of_values)
    else:
        chosen = _copied(dataset, n_own, copied)
        groups = np.repeat(chosen, len(noise_db))
        spread = X[:, groups].std(axis=0) * 10 ** (-np.tile(noise_db, len(chosen)) / 20)
        added = X[:, groups] + spread * rng.normal(size=(len(X), len(groups)))
    parts = split(np.hstack([X, added]), y, dataset, repeat, fold, n_splits, seed)
    drawn, rows = tie_seed(seed, dataset, repeat, fold), []
    for method in methods:
        order, _ = rank_features(method, parts, drawn, **ranking)
        counts = {"added": np.cumsum(order >= n_own)}
        if kind == "redundant":
            source = np.append(np.arange(n_own), groups)[order]
            members = [np.cumsum(source == k) for k in np.unique(groups)]
            counts["extra"] = sum(np.maximum(count - 1, 0) for count in members)
        what = {"dataset": dataset, "kind": kind, "method": method, "n_own": n_own, "n_added": added.shape[1]}
        of_fold = {"repeat": repeat, "fold": fold}
        for metric, count in counts.items():
            for size, value in enumerate(count, start=1):
                rows += tidy({**what, "size": size, **of_fold}, {metric: value})
        if kind == "redundant":
            places = np.argsort(order) + 1
            for k in np.unique(groups):
                last = places[n_own:][groups == k].max()
                named = {f"original {k + 1}": places[k], f"copies {k + 1}": last}
                rows += tidy({**what, "size": n_own, **of_fold}, named)
    return rows


def _irrelevant(rng, n_samples, n_added, values):
    if values == "normal":
        return rng.normal(size=(n_samples, n_added))
    if values == "uniform":
        return rng.uniform(size=(n_samples, n_added))
    levels = np.resize([2, 4, 8], n_added)
    return rng.integers(levels, size=(n_samples, n_added)).astype(float)


def _copied(dataset, n_features, copied):
    chosen = COPIED.get(name_of(dataset), (5, 20, 25)) if copied is None else copied
    if copied is None and max(chosen) > n_features:
        return np.array([n_features // 6, n_features // 2, 5 * n_features // 6])
    if not all(1 <= k <= n_features for k in chosen):
        raise ValueError(f"copied={list(chosen)} are not features 1 to {n_features} of {dataset}; name some of these.")
    return np.array(chosen) - 1


def at_original_size(table):
    """The rows whose n is the number of features without the appended ones, as in Tables 5 and 6.

    Parameters
    ----------
    table : DataFrame
        As from `IrrelevantRedundant.added_features`.

    Returns
    -------
    DataFrame
    """
    return table[table["size"] == table["n_own"]].reset_index(drop=True)
