"""Fragile preference and its remedy (Section 2 of Somol et al. 2011: Fig. 3, Tables 1 and 2)."""

import time
import warnings
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from fscore.criteria import CVAccuracy
from fscore.search import SFFS, DynamicOscillatingSearch, regularize
from fscore.stability import average_tanimoto_index
from somol2011.protocol import classifier, halves, hits, joined, paired_p_value, sample, scaled
from compendium.units import run_units, tidy

TAUS = (0.0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05)
SEARCHES = ("SFFS", "DOS")
BLOCK = ("dataset", "search", "criterion", "scaling", "repeat")


class Fragility(NamedTuple):
    """What one search a block tells; see `fragility`."""

    selected: pd.DataFrame
    near: pd.DataFrame
    course: pd.DataFrame


def fragility(
    datasets,
    *,
    searches=SEARCHES,
    criteria=("SVM", "3-NN"),
    taus=TAUS,
    margin=0.01,
    max_size=60,
    depth=15,
    group_size=1,
    n_splits=3,
    n_repeats=1,
    folds="contiguous",
    scaling=("minmax",),
    svm_C=1.0,
    svm_gamma=1.0,
    svm_evaluations=None,
    max_samples=None,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Figure 3 and Tables 1 and 2: what a small loss of criterion value buys.

    Half of each class serves the search, the other half is classified once. One search a block answers all tau.

    Parameters
    ----------
    datasets : sequence of str
    searches : sequence of {"SFFS", "DOS"}
        The paper has SFFS for the lower-dimensional sets and DOS for the others.
    criteria : sequence of str
        "SVM", or "k-NN" for some k: accuracy in ``n_splits``-fold cross-validation of the half for selection.
    taus : sequence of float
        The first is the one that the others are compared with.
    margin : float
        Subsets whose value is at least (1 - margin) of the maximum count as near it.
    max_size : int
        SFFS goes on to all features, or to so many.
    depth : int
        Delta of DOS.
    group_size : int
        c, how many features come and go at once.
    n_repeats : int
        Divisions into halves; 2 contiguous ones at most, the second with exchanged roles.
    folds : {"contiguous", "shuffled"}
        How the halves are drawn.
    scaling : sequence of {"minmax", "raw"}
    svm_C, svm_gamma : float
        Not stated in the paper; 1 and 1 are the defaults of the authors' toolbox.
    svm_evaluations : int, optional
        How many subsets a search may value by an SVM.
    max_samples : int, optional
        Take a stratified part of larger sets.

    Returns
    -------
    Fragility
        ``selected``: dataset, search, criterion, scaling, repeat, tau, metric, value; metrics ``size``, ``train``
        (value of the criterion), ``test``, ``improved`` (1 = smaller than at the first tau and not worse on the test
        half), ``p_value`` (paired t-test over the test samples against the first tau).
        ``near``: dataset, search, criterion, scaling, repeat, metric, value; over all subsets that the search valued:
        ``n_near``, ``smallest``, ``largest`` and ``ati`` of those near the maximum; the same with ``_steps`` for the
        subsets that a step ended in; ``maximum``, ``evaluations``, ``stopped`` (1 = budget spent), ``seconds``.
        ``course``: the steps of SFFS: dataset, search, criterion, repeat, iteration, size, value, near, features.
    """
    shared = {"taus": tuple(taus), "margin": margin, "max_size": max_size, "depth": depth, "group_size": group_size}
    shared |= {"n_splits": n_splits, "folds": folds, "max_samples": max_samples, "target": target, "seed": seed}
    svm = {"SVM": (svm_C, svm_gamma, svm_evaluations)}
    cases = product(datasets, searches, criteria, scaling, range(n_repeats))
    units = [
        {**dict(zip(BLOCK, case, strict=True)), "svm": svm.get(case[BLOCK.index("criterion")]), **shared}
        for case in cases
    ]
    table = run_units(_select, units, n_jobs=n_jobs, label="fragility")
    parts = {name: part.drop(columns="table") for name, part in table.groupby("table", sort=False)}
    return Fragility(
        selected=_only(parts.get("selected"), [*BLOCK, "tau", "metric", "value"]),
        near=_only(parts.get("near"), [*BLOCK, "metric", "value"]),
        course=_only(parts.get("course"), [*BLOCK, "iteration", "size", "value", "near", "features"]),
    )


def _only(part, columns):
    return pd.DataFrame(columns=columns) if part is None else part[columns].reset_index(drop=True)


def _select(
    dataset,
    search,
    criterion,
    scaling,
    repeat,
    svm,
    taus,
    margin,
    max_size,
    depth,
    group_size,
    n_splits,
    folds,
    max_samples,
    target,
    seed,
):
    X, y = sample(dataset, target, max_samples, seed)
    first, second = halves(X, y, folds, dataset, repeat, seed)
    A, B = scaled(scaling, X[first], X[second])
    C, gamma, budget = svm or (None, None, None)
    model = classifier(criterion, C, gamma)
    limit = max_size - max_size % group_size if max_size < X.shape[1] else None
    start = time.perf_counter()
    with warnings.catch_warnings():  # a spent budget is in the table
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = _searched(search, model, n_splits, depth, group_size, budget, limit).fit(A, y[first])
    seconds = time.perf_counter() - start

    what = dict(zip(BLOCK, (dataset, search, criterion, scaling, repeat), strict=True))
    rows, known, trace = [], {}, found.trace_
    for tau in taus:
        chosen = trace.iloc[regularize(trace, tau)]
        features = chosen["features"]
        if features not in known:
            known[features] = hits(model, A, y[first], B, y[second], features)
        if tau == taus[0]:
            standard, size = known[features], chosen["size"]
        test = known[features].mean()
        measured = {
            "size": chosen["size"],
            "train": chosen["value"],
            "test": test,
            "improved": chosen["size"] < size and test >= standard.mean(),
            "p_value": paired_p_value(standard, known[features]),
        }
        rows += tidy({"table": "selected", **what, "tau": tau}, measured)

    cost = {"evaluations": found.n_evaluations_, "stopped": found.stopped_ is not None, "seconds": seconds}
    measured = {"maximum": trace["value"].max(), **near_maximum(trace, margin, X.shape[1]), **cost}
    steps = found.path_[found.path_["move"] != "value"].drop_duplicates("features")
    for metric, value in near_maximum(steps, margin, X.shape[1], trace["value"].max()).items():
        measured[f"{metric}_steps"] = value
    rows += tidy({"table": "near", **what}, measured)

    if search == "SFFS":
        border = (1 - margin) * trace["value"].max()
        for iteration, step in enumerate(found.path_.to_dict("records")):
            place = {"iteration": iteration, "size": step["size"], "value": step["value"]}
            place |= {"near": step["value"] >= border, "features": joined(step["features"])}
            rows.append({"table": "course", **what, **place})
    return rows


def _searched(search, model, n_splits, depth, group_size, budget=None, size=None, tau=0.0):
    J, shared = CVAccuracy(model, cv=n_splits), {"group_size": group_size, "max_evaluations": budget, "tau": tau}
    if search == "SFFS":
        return SFFS(J, n_features_to_select=size, **shared)
    if search == "DOS":
        return DynamicOscillatingSearch(J, depth=depth, **shared)
    raise ValueError(f"search {search!r} is unknown; it is {' or '.join(map(repr, SEARCHES))}.")


def near_maximum(subsets, margin, n_features, maximum=None):
    """How many subsets lie within ``margin`` of the maximum, their sizes and their average Tanimoto index.

    Parameters
    ----------
    subsets : DataFrame
        Columns ``features``, ``size`` and ``value``.
    margin : float
        Relative.
    n_features : int
        All there are.
    maximum : float, optional
        If it isn't that of ``subsets``.

    Returns
    -------
    dict
    """
    maximum = subsets["value"].max() if maximum is None else maximum
    near = subsets[subsets["value"] >= (1 - margin) * maximum]
    if near.empty:
        return {"n_near": 0, "smallest": np.nan, "largest": np.nan, "ati": np.nan}
    masks = np.zeros((len(near), n_features), dtype=bool)
    for mask, features in zip(masks, near["features"], strict=True):
        mask[list(features)] = True
    ati = average_tanimoto_index(masks)
    return {"n_near": len(near), "smallest": near["size"].min(), "largest": near["size"].max(), "ati": ati}


def one_run_for_all_tau(
    datasets,
    *,
    searches=SEARCHES,
    criterion="3-NN",
    taus=TAUS,
    depth=15,
    group_size=1,
    n_splits=3,
    scaling="minmax",
    max_samples=None,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Remark 2.2: one search answers all tau, at no further evaluation.

    Each tau gets a search of its own, with a memory of its own, and is compared with the one search at tau = 0 whose
    trace is read for all tau.

    Returns
    -------
    DataFrame
        dataset, search, tau, metric, value. Metrics: ``evaluations`` of the search at this tau, ``same_order`` (1 =
        the same subsets valued in the same order as at tau = 0), ``same_subset`` (1 = the one trace gives what
        this search gives), ``size``, and ``size_printed``, the size by the on-line rule as printed in steps 1-4.
    """
    shared = {"criterion": criterion, "taus": tuple(taus), "depth": depth, "group_size": group_size}
    shared |= {"n_splits": n_splits, "scaling": scaling, "max_samples": max_samples, "target": target, "seed": seed}
    units = [{"dataset": dataset, "search": search, **shared} for dataset in datasets for search in searches]
    return run_units(_one_run, units, n_jobs=n_jobs, label="one run for all tau")


def _one_run(dataset, search, criterion, taus, depth, group_size, n_splits, scaling, max_samples, target, seed):
    X, y = sample(dataset, target, max_samples, seed)
    X, _ = scaled(scaling, X, X)
    once = _searched(search, classifier(criterion), n_splits, depth, group_size).fit(X, y).trace_
    rows = []
    for tau in taus:
        own = _searched(search, classifier(criterion), n_splits, depth, group_size, tau=tau).fit(X, y)
        read = once.iloc[regularize(once, tau)]
        measured = {
            "evaluations": own.n_evaluations_,
            "same_order": own.trace_["features"].tolist() == once["features"].tolist(),
            "same_subset": tuple(np.flatnonzero(own.support_)) == read["features"],
            "size": own.size_,
            "size_printed": once["size"].iloc[regularize(once, tau, rule="printed")],
        }
        rows += tidy({"dataset": dataset, "search": search, "tau": tau}, measured)
    return rows
