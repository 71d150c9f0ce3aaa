"""Criteria that vote (Section 3 of Somol et al. 2011: Tables 3 and 4)."""

import time
from typing import NamedTuple

import numpy as np
import pandas as pd

from fscore.criteria import CVAccuracy
from fscore.search import DynamicOscillatingSearch, OrderVoting, WeightedVoting
from fscore.stability import average_tanimoto_index, nogueira_stability, relative_weighted_consistency
from fscore.studies._somol2011_protocol import (
    classifier,
    hits,
    joined,
    paired_p_value,
    sample,
    scaled,
    stratified_folds,
)
from fscore.studies._units import run_units, tidy

METHODS = ("single", "order", "weighted")


class Ensembles(NamedTuple):
    """Measured values and the subsets behind them; see `ensembles`."""

    values: pd.DataFrame
    subsets: pd.DataFrame


def ensembles(
    datasets,
    *,
    methods=METHODS,
    k=3,
    ks=(1, 3, 5, 7),
    main="mean",
    depth=15,
    group_size=1,
    n_splits=10,
    folds=("contiguous",),
    scaling=("minmax",),
    max_samples=None,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Tables 3 and 4: DOS with one criterion and with four that vote, in two-tier cross-validation.

    Parameters
    ----------
    datasets : sequence of str
    methods : sequence of {"single", "order", "weighted"}
        k-NN by itself; order voting and weighted voting of k-NN over ``ks``.
    k : int
        Of the single criterion, and of the classifier that judges the selected features on the outer folds.
    ks : sequence of int
    main : {"mean", "single"}
        Whose value DOS compares while the vote decides who comes and goes: the mean of the voters, or the single
        criterion. Not stated in the paper.
    depth : int
        Delta of DOS. Not stated in the paper for these tables.
    n_splits : int
        Outer folds, and inner ones.
    folds : sequence of {"contiguous", "shuffled"}
        How the outer folds are drawn; inner ones are contiguous.
    scaling : sequence of {"minmax", "raw"}

    Returns
    -------
    Ensembles
        ``values``: dataset, method, scaling, folds, fold, metric, value. Metrics by outer fold: ``rate``, ``size``,
        ``seconds`` and ``evaluations`` (k-NN accuracies of a subset, one for each k) of the search. Over all folds
        (fold "all"): ``cw_rel``, ``ati``, and Nogueira's measure as ``nogueira``, ``nogueira_low``, ``nogueira_high``.
        ``subsets``: dataset, method, scaling, folds, fold, features (columns, from 0).
    """
    shared = {"k": k, "ks": tuple(ks), "main": main, "depth": depth, "group_size": group_size, "n_splits": n_splits}
    shared |= {"max_samples": max_samples, "target": target, "seed": seed}
    units = [
        {"dataset": dataset, "method": method, "scaling": units, "folds": drawn, "fold": fold, **shared}
        for dataset in datasets
        for method in methods
        for units in scaling
        for drawn in folds
        for fold in range(n_splits)
    ]
    runs = run_units(_outer_fold, units, n_jobs=n_jobs, label="ensembles")
    block = ["dataset", "method", "scaling", "folds"]
    rows = []
    for names, part in runs.groupby(block, sort=False):
        what = dict(zip(block, names, strict=True))
        for run in part.to_dict("records"):
            measured = {metric: run[metric] for metric in ("rate", "size", "seconds", "evaluations")}
            rows += tidy({**what, "fold": str(run["fold"])}, measured)
        rows += tidy({**what, "fold": "all"}, _stability(part))
    return Ensembles(pd.DataFrame(rows), runs[[*block, "fold", "features"]])


def fold_tests(values):
    """Paired t-tests of the rates over the outer folds, each ensemble against the single criterion.

    Parameters
    ----------
    values : DataFrame
        As in `Ensembles`.

    Returns
    -------
    DataFrame
        dataset, method, gain (of the mean rate), p_value.
    """
    rate = values[values["metric"] == "rate"].pivot_table(
        index=["dataset", "fold"], columns="method", values="value", sort=False
    )
    rows = []
    for dataset, part in rate.groupby("dataset", sort=False):
        for method in part.columns.drop("single"):
            gain = round((part[method] - part["single"]).mean(), 12)
            p_value = paired_p_value(part["single"], part[method])
            rows.append({"dataset": dataset, "method": method, "gain": gain, "p_value": p_value})
    return pd.DataFrame(rows)


def _outer_fold(
    dataset,
    method,
    scaling,
    folds,
    fold,
    k,
    ks,
    main,
    depth,
    group_size,
    n_splits,
    max_samples,
    target,
    seed,
):
    X, y = sample(dataset, target, max_samples, seed)
    train, test = list(stratified_folds(n_splits, folds, seed, "outer", dataset).split(X, y))[fold]
    A, B = scaled(scaling, X[train], X[test])
    start = time.perf_counter()
    search = DynamicOscillatingSearch(_criterion(method, k, ks, main, n_splits), group_size=group_size, depth=depth)
    search.fit(A, y[train])
    seconds = time.perf_counter() - start
    features = np.flatnonzero(search.support_).tolist()
    weight = {"CVAccuracy": 1, "KNNPanel": len(ks)}
    what = {"dataset": dataset, "method": method, "scaling": scaling, "folds": folds, "fold": fold}
    measured = {
        "rate": hits(classifier(f"{k}-NN"), A, y[train], B, y[test], features).mean(),
        "size": search.size_,
        "seconds": seconds,
        "evaluations": sum(weight.get(name, 0) * count for name, count in search.computed_),
        "n_features": X.shape[1],
        "features": joined(features),
    }
    return [{**what, **measured}]


def _criterion(method, k, ks, main, n_splits):
    single = CVAccuracy(classifier(f"{k}-NN"), cv=n_splits)
    if method == "single":
        return single
    voting = {"order": OrderVoting, "weighted": WeightedVoting}
    if method not in voting:
        raise ValueError(f"method {method!r} is unknown; choose from {', '.join(map(repr, METHODS))}.")
    if main not in ("mean", "single"):
        raise ValueError(f"main={main!r} is unknown; it is 'mean' (of the voters) or 'single' (the one criterion).")
    voters = [CVAccuracy(classifier(f"{k}-NN"), cv=n_splits) for k in ks]
    return voting[method](voters, main=single if main == "single" else None)


def _stability(runs):
    masks = np.zeros((len(runs), runs["n_features"].iloc[0]), dtype=bool)
    for mask, features in zip(masks, runs["features"], strict=True):
        mask[[int(f) for f in features.split()]] = True
    nogueira = nogueira_stability(masks)
    return {
        "cw_rel": relative_weighted_consistency(masks),
        "ati": average_tanimoto_index(masks),
        "nogueira": nogueira.value,
        "nogueira_low": nogueira.lower,
        "nogueira_high": nogueira.upper,
    }
