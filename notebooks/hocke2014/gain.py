"""Claim M5 of Hocke and Martinetz 2014: k-NN with and without learned weights."""

import time

import numpy as np

from compendium.units import crossed, name_of, run_units, seed_for, tidy
from hocke2014.methods import SIMPLE, learn
from hocke2014.protocol import NONZERO, folds, knn_error, samples_of, tuned, variance_shares, varying_scaled


def knn_gain(dataset, *, n_repeats, methods=SIMPLE, inputs=("raw", "zscore"), **shared):
    """Claim M5: test error of k-NN with and without learned weights, on the same folds.

    Everything is learned on the training part: means and ranges, weights, and soft MDM's nu, by inner cross-validation
    over the parameter ``nu`` and 1/N (ties go to the larger one, the smoother problem).

    Parameters
    ----------
    dataset : sequence of str
    n_repeats : int
    methods : sequence of str
        As in `hocke2014.methods.learn`.
    inputs : sequence of {"raw", "minmax", "zscore"}
        Scalings of the features.
    **shared
        n_splits, n_neighbors, nu, n_inner_splits, seed, target: as in `hocke2014.mdm.MethodClaims`.

    Returns
    -------
    DataFrame
        dataset, inputs, method, repeat, fold, metric, value. Metrics: ``error``; ``n_nonzero``, features whose share of
        the weighted variance exceeds 1e-6; ``seconds`` to learn the weights; ``nu`` (soft MDM only); ``duality_gap``
        (MDM only), a bound on the relative excess of the objective over the optimum.
    """
    units = crossed(shared, dataset=dataset, inputs=inputs, method=methods, repeat=range(n_repeats))
    return run_units(_classify, units, label="k-NN")


def _classify(dataset, inputs, method, repeat, n_splits, n_neighbors, nu, n_inner_splits, seed, target=None):
    X, y = samples_of(dataset, target)
    rows = []
    for fold, (train, test) in enumerate(folds(X, y, dataset, repeat, n_splits, seed)):
        A, B = varying_scaled(inputs, X[train], X[test])
        inner_seed = seed_for(seed, "inner", name_of(dataset), repeat, fold)
        start = time.perf_counter()
        (best,) = tuned(method, A, y[train], nu, n_inner_splits, [n_neighbors], inner_seed)
        (transform,) = learn(method, A, y[train], [best])
        seconds = time.perf_counter() - start
        measured = {
            "error": knn_error(transform, A, y[train], B, y[test], n_neighbors),
            "n_nonzero": np.sum(variance_shares(transform.weights, A) > NONZERO),
            "seconds": seconds,
            **({} if best is None else {"nu": best}),
            **transform.certificate(),
        }
        rows += tidy({"dataset": dataset, "inputs": inputs, "method": method, "repeat": repeat, "fold": fold}, measured)
    return rows
