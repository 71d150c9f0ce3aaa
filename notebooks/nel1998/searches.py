"""Beyond Nel's thesis: what its chapter 2 says of search algorithms, measured against the true optimum."""

import time

import numpy as np

from compendium.units import run_units, seed_for
from fscore.criteria import Bhattacharyya, GammaTest, RANNAccuracy
from fscore.search import (
    PBIL,
    SBS,
    SFFS,
    SFS,
    BranchAndBound,
    DynamicOscillatingSearch,
    ExhaustiveSearch,
    GeneticSearch,
    RandomSearch,
)
from nel1998.samples import mask_of, partition, scaled

__all__ = ["compare_searches", "compare_sized_searches"]

SEARCHES = ("exhaustive", "random", "SFS", "SBS", "SFFS", "DOS", "GA", "PBIL")
_DRAWN = ("random", "GA", "PBIL")


def compare_searches(
    samples,
    *,
    criteria=("gamma_test", "RANN_wrapper"),
    searches=SEARCHES,
    n_splits=3,
    n_runs=5,
    n_evaluations=2000,
    max_features=12,
    p_max=20,
    n_hidden=20,
    target=None,
    seed=0,
    n_jobs=None,
):
    """The best subset of any size by several searches, and how many subsets each of them valued.

    Parameters
    ----------
    samples : dict of str to str
    criteria : sequence of {"gamma_test", "RANN_wrapper"}
    searches : sequence of str
    n_runs : int
        Runs of the searches that draw (random, GA, PBIL) on each training part.
    n_evaluations : int
        Subsets that random search draws, and the most that GA and PBIL may value.
    max_features : int
        Only the first so many features of a sample are used, so that all subsets can be valued.

    Returns
    -------
    DataFrame
        sample, criterion, search, split, run, subset, metric, value. Metrics: ``value`` of the criterion (higher is
        better), ``n_evaluations``, different subsets valued, ``n_features`` and ``seconds``.
    """
    shared = {"n_evaluations": n_evaluations, "max_features": max_features, "p_max": p_max}
    shared |= {"n_hidden": n_hidden, "target": target, "seed": seed}
    units = [
        {"sample": sample, "dataset": dataset, "criterion": criterion, "search": search, "split": split, "run": run}
        | shared
        for sample, dataset in samples.items()
        for criterion in criteria
        for search in searches
        for split in range(n_splits)
        for run in range(n_runs if search in _DRAWN else 1)
    ]
    return run_units(_search, units, n_jobs=n_jobs, label="searches")


def _search(sample, dataset, criterion, search, split, run, n_evaluations, max_features, p_max, n_hidden, target, seed):
    X, y = _training_part(sample, dataset, split, max_features, target, seed)
    if criterion == "gamma_test":
        J = GammaTest(p_max)
    else:
        J = RANNAccuracy(n_hidden, random_state=seed_for(seed, "wrapper", sample, split))
    drawn = {"random_state": seed_for(seed, "search", sample, criterion, search, split, run)}
    most = {**drawn, "max_evaluations": n_evaluations}
    make = {
        "exhaustive": lambda: ExhaustiveSearch(J),
        "random": lambda: RandomSearch(J, n_iter=n_evaluations, **drawn),
        "SFS": lambda: SFS(J),
        "SBS": lambda: SBS(J),
        "SFFS": lambda: SFFS(J),
        "DOS": lambda: DynamicOscillatingSearch(J),
        "GA": lambda: GeneticSearch(J, **most),
        "PBIL": lambda: PBIL(J, **most),
    }
    if search not in make:
        raise ValueError(f"Unknown search {search!r}; choose from {', '.join(map(repr, make))}.")
    what = {"sample": sample, "criterion": criterion, "search": search, "split": split, "run": run}
    return _rows(what, make[search](), X, y)


def compare_sized_searches(samples, sizes, *, n_splits=3, max_features=15, target=None, seed=0, n_jobs=None):
    """Branch and bound, which needs a monotone criterion and a given size, against exhaustive and greedy search.

    The criterion is the Bhattacharyya distance.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of features to select; those not smaller than the number of features are passed over.

    Returns
    -------
    DataFrame
        As from `compare_searches`, with the size in ``criterion`` ("Bhattacharyya, 5 features").
    """
    units = [
        {"sample": sample, "dataset": dataset, "search": search, "size": int(size), "split": split}
        | {"max_features": max_features, "target": target, "seed": seed}
        for sample, dataset in samples.items()
        for size in sizes
        for search in ("exhaustive", "branch and bound", "SFS", "SBS", "SFFS")
        for split in range(n_splits)
    ]
    return run_units(_sized_search, units, n_jobs=n_jobs, label="searches of one size")


def _sized_search(sample, dataset, search, size, split, max_features, target, seed):
    X, y = _training_part(sample, dataset, split, max_features, target, seed)
    if size >= X.shape[1]:
        return []
    classes = {"exhaustive": ExhaustiveSearch, "branch and bound": BranchAndBound, "SFS": SFS, "SBS": SBS, "SFFS": SFFS}
    what = {
        "sample": sample,
        "criterion": f"Bhattacharyya, {size} features",
        "search": search,
        "split": split,
        "run": 0,
    }
    return _rows(what, classes[search](Bhattacharyya(), n_features_to_select=size), X, y)


def _training_part(sample, dataset, split, max_features, target, seed):
    X, y = scaled(sample, dataset, target)
    train, _ = partition(sample, y, split, seed)
    return X[train, :max_features], y[train]


def _rows(what, search, X, y):
    start = time.perf_counter()
    search.fit(X, y)
    seconds = time.perf_counter() - start
    what = {**what, "subset": mask_of(np.flatnonzero(search.support_), X.shape[1])}
    measured = {
        "value": search.score_,
        "n_evaluations": search.n_evaluations_,
        "n_features": search.n_features_to_select_,
        "seconds": seconds,
    }
    return [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]
