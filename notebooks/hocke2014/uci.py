"""Claim M6: maximum distance minimization against the other weightings and projections on the UCI sets."""

import time

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from compendium.statistics import corrected_resampled_t, critical_difference, friedman, holm
from compendium.units import run_units, seed_for
from fscore.datasets import load
from hocke2014.methods import (
    GRIDS,
    INPUTS,
    PROJECTIONS,
    WEIGHTINGS,
    chosen,
    folds,
    knn_error,
    learn,
    nu_grid,
    rescaled,
    tidy,
)

__all__ = ["uci", "uci_ranks", "uci_summary", "uci_tests"]


def uci(
    datasets,
    *,
    methods=(*WEIGHTINGS, *PROJECTIONS),
    inputs=INPUTS,
    ks=(1, 3, 5),
    nus=GRIDS["soft MDM"],
    n_splits=5,
    n_repeats=10,
    n_inner_splits=3,
    target=None,
    seed=0,
    n_jobs=None,
):
    """k-NN error of every method on every set, on the same stratified folds.

    Everything is learned on the training part: ranges, weights, and for each k the method's parameter (nu, sigma, c),
    by inner cross-validation over its grid. Features constant in the training part are left out.

    Parameters
    ----------
    datasets : sequence of str
    methods : sequence of str
        Weightings: "none", "Relief", "ReliefF", "Simba", "I-Relief", "LMBA (reconstructed)", "diagonal LMNN",
        "hard MDM", "soft MDM".
        Projections, which mix the features: "LMNN", "LDA", "PCA", "ICA", "NCA".
    inputs : sequence of {"raw", "minmax", "zscore"}
        How the features come to the method.
    ks : sequence of int
        Neighbours.
    nus : sequence of float
        Grid of soft MDM, to which 1/N is added. That of I-Relief is 1/16, 1/8, ..., 2 mean distances, that of LMBA 0.1,
        1, 10.

    Returns
    -------
    DataFrame
        dataset, inputs, method, k, repeat, fold, metric, value. Metrics: ``error``; ``parameter``, the value chosen;
        ``n_nonzero``, features whose share of the weighted variance exceeds 1e-6 (weightings only); ``duality_gap``
        (MDM only), the fraction by which the objective exceeds the optimum at most; and, without a k,
        ``seconds`` to learn once and ``search_seconds`` for the inner cross-validation: wall times of this run.
    """
    shared = {"ks": tuple(ks), "nus": tuple(nus), "n_splits": n_splits, "n_inner_splits": n_inner_splits}
    shared |= {"target": target, "seed": seed}
    units = [
        {"dataset": dataset, "inputs": given, "method": method, "repeat": repeat, **shared}
        for dataset in datasets
        for given in inputs
        for method in methods
        for repeat in range(n_repeats)
    ]
    return run_units(_compare, units, n_jobs=n_jobs, label="UCI")


def _compare(dataset, inputs, method, repeat, ks, nus, n_splits, n_inner_splits, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    rows = []
    for fold, (train, test) in enumerate(folds(X, y, dataset, repeat, n_splits, seed)):
        A, B = rescaled(inputs, X[train], X[test])
        fold_seed = seed_for(seed, "inner", dataset, repeat, fold)
        grid = nu_grid(nus, len(A)) if method == "soft MDM" else GRIDS.get(method, (None,))
        start = time.perf_counter()
        values = [grid[0]] * len(ks)
        if len(grid) > 1:
            inner = StratifiedKFold(n_inner_splits, shuffle=True, random_state=fold_seed)
            values = chosen(method, A, y[train], inner, grid, ks, fold_seed)
        found = time.perf_counter()
        maps = {value: learn(method, A, y[train], [value], fold_seed)[0] for value in dict.fromkeys(values)}
        seconds = (time.perf_counter() - found) / len(maps)
        what = {"dataset": dataset, "inputs": inputs, "method": method, "repeat": repeat, "fold": fold}
        for k, value in zip(ks, values, strict=True):
            into = maps[value]
            measured = {"error": knn_error(into, A, y[train], B, y[test], k), **into.certificate()}
            if len(grid) > 1:
                measured["parameter"] = value
            if into.weights is not None:
                contribution = into.weights * A.var(axis=0)
                measured["n_nonzero"] = np.sum(contribution > 1e-6 * contribution.sum())
            rows += tidy({**what, "k": k}, measured)
        rows += tidy({**what, "k": None}, {"seconds": seconds, "search_seconds": found - start})
    return rows


def uci_summary(table):
    """Mean, standard deviation and number over folds and repetitions of every metric of :func:`uci`.

    Returns
    -------
    DataFrame
        dataset, inputs, method, k, metric, mean, std, count.
    """
    by = ["dataset", "inputs", "method", "k", "metric"]
    return table.groupby(by, sort=False, dropna=False)["value"].agg(["mean", "std", "count"]).reset_index()


def uci_tests(table, *, reference="soft MDM"):
    """Every method against ``reference`` on every set, the errors averaged over the k: corrected resampled t-tests.

    Holm's correction runs over the methods, for each set and form of the inputs.

    Returns
    -------
    DataFrame
        dataset, inputs, method, difference (error of the method minus that of ``reference``), p, p_holm.
    """
    errors = table[table["metric"] == "error"]
    by = ["dataset", "inputs", "repeat", "fold", "method"]
    errors = errors.groupby(by, sort=False)["value"].mean().unstack("method", sort=False).round(12)
    rows = []
    for (dataset, inputs), fold_errors in errors.groupby(["dataset", "inputs"], sort=False):
        n_splits = fold_errors.index.get_level_values("fold").nunique()
        differences = fold_errors.drop(columns=reference).sub(fold_errors[reference], axis=0)
        p = [corrected_resampled_t(differences[method], 1 / (n_splits - 1)) for method in differences]
        rows += [
            {"dataset": dataset, "inputs": inputs, "method": method, "difference": difference, "p": raw, "p_holm": held}
            for (method, difference), raw, held in zip(differences.mean().items(), p, holm(p), strict=True)
        ]
    return pd.DataFrame(rows)


def uci_ranks(table):
    """Mean ranks over the data sets, Friedman's p-value and Nemenyi's critical difference.

    Returns
    -------
    DataFrame
        among ("weightings" or "all" methods), inputs, k (a number as text, or "mean" for errors averaged over the k),
        method, mean_rank, friedman_p, critical_difference (level 0.05), n_datasets.
    """
    errors = table[table["metric"] == "error"]
    errors = errors.groupby(["inputs", "k", "dataset", "method"], sort=False)["value"].mean()
    errors = errors.unstack("method", sort=False).round(12)  # equal errors are to rank equal
    averaged = errors.groupby(["inputs", "dataset"], sort=False).mean().round(12)
    forms = [(inputs, "mean", part) for inputs, part in averaged.groupby("inputs", sort=False)]
    forms += [(inputs, f"{k:g}", part) for (inputs, k), part in errors.groupby(["inputs", "k"], sort=False)]
    rows = []
    for among, members in ("weightings", WEIGHTINGS), ("all", errors.columns):
        for inputs, k, part in forms:
            part = part[[method for method in errors.columns if method in members]]
            ranks, p = friedman(part)
            n, m = part.shape
            what = {"among": among, "inputs": inputs, "k": k}
            more = {"friedman_p": p, "critical_difference": critical_difference(m, n), "n_datasets": n}
            rows += [{**what, "method": method, "mean_rank": r, **more} for method, r in zip(part, ranks, strict=True)]
    return pd.DataFrame(rows)
