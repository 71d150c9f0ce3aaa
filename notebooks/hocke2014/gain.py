"""Claim M5 of Hocke and Martinetz 2014: k-NN with learned weights and without."""

import time

import numpy as np
from sklearn.model_selection import StratifiedKFold

from compendium.units import run_units, seed_for
from fscore.datasets import load
from hocke2014.methods import NUS, chosen, folds, knn_error, learn, nu_grid, rescaled, tidy

__all__ = ["METHODS", "knn_gain"]

METHODS = ("none", "minmax", "zscore", "Relief", "hard MDM", "soft MDM")


def knn_gain(
    datasets,
    *,
    methods=METHODS,
    inputs=("raw", "zscore"),
    n_splits=5,
    n_repeats=10,
    k=3,
    nus=NUS,
    n_inner_splits=3,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim M5: test error of k-NN with learned weights and without, on the same folds.

    Everything is learned on the training part: means and ranges, weights, and soft MDM's nu by inner cross-validation
    over ``nus`` and 1/N (ties go to the larger nu, the smoother problem).

    Returns
    -------
    DataFrame
        dataset, inputs, method, repeat, fold, metric, value. Metrics: ``error``; ``n_nonzero``, features whose share of
        the weighted variance exceeds 1e-6; ``seconds`` to learn the weights; ``nu`` (soft MDM only); ``duality_gap``
        (MDM only), the fraction by which the objective exceeds the optimum at most.
    """
    shared = {"n_splits": n_splits, "k": k, "n_inner_splits": n_inner_splits, "target": target, "seed": seed}
    units = [
        {"dataset": dataset, "inputs": given, "method": method, "repeat": repeat, "nus": tuple(nus), **shared}
        for dataset in datasets
        for given in inputs
        for method in methods
        for repeat in range(n_repeats)
    ]
    return run_units(_classify, units, n_jobs=n_jobs, label="k-NN")


def _classify(dataset, inputs, method, repeat, nus, n_splits, k, n_inner_splits, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    rows = []
    for fold, (train, test) in enumerate(folds(X, y, dataset, repeat, n_splits, seed)):
        A, B = rescaled(inputs, X[train], X[test])
        nu, start = None, time.perf_counter()
        if method == "soft MDM":
            inner_seed = seed_for(seed, "inner", dataset, repeat, fold)
            inner = StratifiedKFold(n_inner_splits, shuffle=True, random_state=inner_seed)
            nu = chosen(method, A, y[train], inner, nu_grid(nus, len(A)), [k])[0]
        (into,) = learn(method, A, y[train], [nu])
        seconds = time.perf_counter() - start
        contribution = into.weights * A.var(axis=0)
        measured = {
            "error": knn_error(into, A, y[train], B, y[test], k),
            "n_nonzero": np.sum(contribution > 1e-6 * contribution.sum()),
            "seconds": seconds,
            **({} if nu is None else {"nu": nu}),
            **into.certificate(),
        }
        rows += tidy({"dataset": dataset, "inputs": inputs, "method": method, "repeat": repeat, "fold": fold}, measured)
    return rows
