"""Claim M6 of Hocke and Martinetz 2014: maximum distance minimization against its competitors on the UCI sets."""

import time
from dataclasses import replace

import numpy as np
import pandas as pd

from compendium.experiment import Schema, parameter, table
from compendium.inference import corrected_resampled_t, critical_difference, friedman, holm
from compendium.protocol import SCALINGS
from compendium.units import crossed, name_of, run_units, seed_for, tidy
from hocke2014.methods import PROJECTIONS, WEIGHTINGS, learn
from hocke2014.protocol import (
    NONZERO,
    CrossValidation,
    folds,
    knn_error,
    samples_of,
    tuned,
    variance_shares,
    varying_scaled,
)
from hocke2014.shares import feature_shares

RANKS = {"friedman_p": "Friedman's p", "n_datasets": "data sets"}


class Competitors(CrossValidation):
    """Claim M6: error of k-NN with every weighting and projection on the same stratified folds.

    Everything is learned on the training part: ranges, weights, and for each k the method's parameter (nu, sigma or c),
    by inner cross-validation over its grid. Features that are constant in the training part are left out. In the
    tables, ``inputs`` is the scaling of the features ("raw", "minmax", "zscore") and ``k`` one of ``n_neighbors``.

    Tables
    ------
    uci_summary
        dataset, inputs, method, k, metric, mean, std, count, max (over folds and repetitions). Metrics: ``error``;
        ``parameter``, the value chosen; ``n_nonzero``, features whose share of the weighted variance exceeds 1e-6
        (weightings only); ``duality_gap`` (MDM only), a bound on the relative excess of the objective over the optimum;
        and, without a k, ``seconds`` to learn once and ``search_seconds`` for the inner cross-validation (wall times
        of this run).
    uci_tests
        dataset, inputs, method, difference, p, p_holm: see `paired_tests`.
    uci_ranks
        among, inputs, k, method, mean_rank, friedman_p, critical_difference, n_datasets: see `mean_ranks`.
    uci_shares
        dataset, method, feature, share: see `hocke2014.shares.feature_shares`; of the weightings but "none", whose
        shares on z-scored inputs are equal, for the middle k.
    """

    schema = Schema(
        uci_summary=table("dataset inputs method k metric", values="mean std count max"),
        uci_tests=table("dataset inputs method", values="difference p p_holm"),
        uci_ranks=table(
            "among inputs k method n_datasets", values="mean_rank friedman_p critical_difference", labels=RANKS
        ),
        uci_shares=table("dataset method feature", values="share"),
    )

    dataset: list[str] = replace(CrossValidation.dataset, default=[*CrossValidation.dataset.default, "vowel"])
    n_neighbors: list[int] = parameter([1, 3, 5], "neighbors of the classifier", "[1, 99]")

    def measure(self):
        """See the class."""
        errors = self.compare((*WEIGHTINGS, *PROJECTIONS))
        return {
            "uci_summary": summary(errors),
            "uci_tests": paired_tests(errors),
            "uci_ranks": mean_ranks(errors),
            "uci_shares": self.shares([method for method in WEIGHTINGS if method != "none"]),
        }

    def shares(self, methods):
        """Table ``uci_shares`` of these methods."""
        shared = self.pick("dataset", "nu", "n_inner_splits", "target", "seed")
        middle = sorted(self.n_neighbors)[len(self.n_neighbors) // 2]
        return feature_shares(methods=methods, n_neighbors=middle, **shared)

    def compare(self, methods):
        """Measure the table that `summary` summarizes.

        Returns
        -------
        DataFrame
            dataset, inputs, method, k, repeat, fold, metric, value.
        """
        shared = self.pick("n_neighbors", "nu", "n_splits", "n_inner_splits", "target", "seed")
        units = crossed(shared, dataset=self.dataset, inputs=SCALINGS, method=methods, repeat=range(self.n_repeats))
        return run_units(_compare, units, label="UCI")


def _compare(dataset, inputs, method, repeat, n_neighbors, nu, n_splits, n_inner_splits, target, seed):
    X, y = samples_of(dataset, target)
    rows = []
    for fold, (train, test) in enumerate(folds(X, y, dataset, repeat, n_splits, seed)):
        A, B = varying_scaled(inputs, X[train], X[test])
        fold_seed = seed_for(seed, "inner", name_of(dataset), repeat, fold)
        start = time.perf_counter()
        values = tuned(method, A, y[train], nu, n_inner_splits, n_neighbors, fold_seed)
        chosen = time.perf_counter()
        transforms = {value: learn(method, A, y[train], [value], fold_seed)[0] for value in dict.fromkeys(values)}
        seconds = (time.perf_counter() - chosen) / len(transforms)
        what = {"dataset": dataset, "inputs": inputs, "method": method, "repeat": repeat, "fold": fold}
        for k, value in zip(n_neighbors, values, strict=True):
            transform = transforms[value]
            measured = {"error": knn_error(transform, A, y[train], B, y[test], k), **transform.certificate()}
            if value is not None:
                measured["parameter"] = value
            if transform.weights is not None:
                measured["n_nonzero"] = np.sum(variance_shares(transform.weights, A) > NONZERO)
            rows += tidy({**what, "k": k}, measured)
        rows += tidy({**what, "k": None}, {"seconds": seconds, "search_seconds": chosen - start})
    return rows


def summary(table):
    """Mean, standard deviation, number and maximum over folds and repetitions of every metric.

    Parameters
    ----------
    table : DataFrame
        As from `Competitors.compare`.

    Returns
    -------
    DataFrame
        dataset, inputs, method, k, metric, mean, std, count, max.
    """
    by = ["dataset", "inputs", "method", "k", "metric"]
    return table.groupby(by, sort=False, dropna=False)["value"].agg(["mean", "std", "count", "max"]).reset_index()


def paired_tests(table):
    """Corrected resampled t-tests of every method against the soft MDM on every set, with errors averaged over the k.

    Holm's correction runs over the methods, for each set and scaling of the inputs.

    Parameters
    ----------
    table : DataFrame
        As from `Competitors.compare`.

    Returns
    -------
    DataFrame
        dataset, inputs, method, difference (error of the method minus that of the soft MDM), p, p_holm.
    """
    errors = table[table["metric"] == "error"]
    by = ["dataset", "inputs", "repeat", "fold", "method"]
    errors = errors.groupby(by, sort=False)["value"].mean().unstack("method", sort=False).round(12)
    rows = []
    for (dataset, inputs), fold_errors in errors.groupby(["dataset", "inputs"], sort=False):
        n_splits = fold_errors.index.get_level_values("fold").nunique()
        differences = fold_errors.drop(columns="soft MDM").sub(fold_errors["soft MDM"], axis=0)
        p = [corrected_resampled_t(differences[method], 1 / (n_splits - 1)) for method in differences]
        rows += [
            {"dataset": dataset, "inputs": inputs, "method": method, "difference": difference, "p": raw, "p_holm": held}
            for (method, difference), raw, held in zip(differences.mean().items(), p, holm(p), strict=True)
        ]
    return pd.DataFrame(rows)


def mean_ranks(table):
    """Mean ranks over the data sets, p-value of Friedman's test, and Nemenyi's critical difference.

    Parameters
    ----------
    table : DataFrame
        As from `Competitors.compare`.

    Returns
    -------
    DataFrame
        among ("weightings" or "all" methods), inputs, k (number as string, or "mean" for errors averaged over the k),
        method, mean_rank, friedman_p, critical_difference (level 0.05), n_datasets.
    """
    errors = table[table["metric"] == "error"]
    errors = errors.groupby(["inputs", "k", "dataset", "method"], sort=False)["value"].mean()
    errors = errors.unstack("method", sort=False).round(12)  # equal errors must rank equal
    averaged = errors.groupby(["inputs", "dataset"], sort=False).mean().round(12)
    parts = [(inputs, "mean", compared) for inputs, compared in averaged.groupby("inputs", sort=False)]
    parts += [(inputs, f"{k:g}", compared) for (inputs, k), compared in errors.groupby(["inputs", "k"], sort=False)]
    rows = []
    for among, members in ("weightings", WEIGHTINGS), ("all", errors.columns):
        for inputs, k, compared in parts:
            compared = compared[[method for method in errors.columns if method in members]]
            ranks, p = friedman(compared)
            n, m = compared.shape
            what = {"among": among, "inputs": inputs, "k": k}
            more = {"friedman_p": p, "critical_difference": critical_difference(m, n), "n_datasets": n}
            rows += [
                {**what, "method": method, "mean_rank": r, **more} for method, r in zip(compared, ranks, strict=True)
            ]
    return pd.DataFrame(rows)
