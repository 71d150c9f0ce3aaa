"""A filter before the wrapper (Section 4 of Somol et al. 2011: Tables 5, 6 and 7)."""

import time
from itertools import product

import numpy as np
import pandas as pd

from fscore.criteria import Bhattacharyya, CVAccuracy
from fscore.search import DynamicOscillatingSearch, Hybrid, OscillatingSearch
from fscore.studies._somol2011_protocol import classifier, halves, hits, joined, paired_p_value, sample, scaled
from fscore.studies._units import run_units, tidy

LAMBDAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SEARCHES = ("DOS", "OS")
BLOCK = ("dataset", "search", "scaling", "repeat")
PRINTED_SIZES = {"madelon": 20, "musk2": 20, "wdbc": 8}  # OS's d, "set manually"


def hybrid(
    datasets,
    *,
    searches=SEARCHES,
    lambdas=LAMBDAS,
    criterion="5-NN",
    d=None,
    depth_dos=15,
    depth_os=10,
    group_size=1,
    n_splits=10,
    n_repeats=1,
    folds="contiguous",
    scaling=("minmax",),
    max_samples=None,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Tables 5 to 7: the Bhattacharyya distance narrows the candidates, k-NN decides.

    Half of each class serves the search, the other half is classified once.

    Parameters
    ----------
    datasets : sequence of str
    searches : sequence of {"DOS", "OS"}
    lambdas : sequence of float
        Shares of the candidates that the wrapper sees; 1 is the pure wrapper, 0 leaves one candidate a step.
    criterion : str
        "k-NN" for some k, or "SVM"; also classifies the test half.
    d : int, optional
        Size for OS. By default the printed one; where none is printed, a quarter of the features, 20 at most.
    depth_dos, depth_os : int
        Delta.
    n_repeats : int
        Divisions into halves; 2 contiguous ones at most, the second with exchanged roles.
    scaling : sequence of {"minmax", "raw"}

    Returns
    -------
    DataFrame
        dataset, search, scaling, repeat, lambda, metric, value. Metrics: ``train`` (value of the criterion), ``test``,
        ``size``, ``wrapper_evaluations``, ``filter_evaluations``, ``seconds``, and ``p_value`` of a paired t-test over
        the test samples against the largest lambda (1, the pure wrapper, unless left out).
    """
    shared = {"criterion": criterion, "group_size": group_size, "n_splits": n_splits, "folds": folds}
    shared |= {"max_samples": max_samples, "target": target, "seed": seed}
    depth = {"DOS": depth_dos, "OS": depth_os}
    if unknown := set(searches) - set(depth):
        raise ValueError(f"search {min(unknown)!r} is unknown; it is {' or '.join(map(repr, SEARCHES))}.")
    cases = product(datasets, searches, scaling, range(n_repeats), lambdas)
    units = [
        {
            **dict(zip((*BLOCK, "lam"), case, strict=True)),
            **{"depth": depth[case[1]], "d": d if case[1] == "OS" else None},
            **shared,
        }
        for case in cases
    ]
    runs = run_units(_narrowed, units, n_jobs=n_jobs, label="hybrids")
    metrics = ["train", "test", "size", "wrapper_evaluations", "filter_evaluations", "seconds"]
    rows = []
    for names, part in runs.groupby(list(BLOCK), sort=False):
        pure = _hits(part.loc[part["lambda"].idxmax()])
        for run in part.to_dict("records"):
            measured = {metric: run[metric] for metric in metrics} | {"p_value": paired_p_value(pure, _hits(run))}
            rows += tidy({**dict(zip(BLOCK, names, strict=True)), "lambda": run["lambda"]}, measured)
    return pd.DataFrame(rows)


def _hits(run):
    """Which test samples a run got right, from the list of those it missed."""
    right = np.ones(run["n_test"])
    right[[int(row) for row in run["missed"].split()]] = 0
    return right


def _narrowed(
    dataset,
    search,
    scaling,
    repeat,
    lam,
    depth,
    d,
    criterion,
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
    model = classifier(criterion)
    J = Hybrid(Bhattacharyya(), CVAccuracy(model, cv=n_splits), lam=lam)
    if search == "DOS":
        walk = DynamicOscillatingSearch(J, group_size=group_size, depth=depth)
    else:
        d = d or PRINTED_SIZES.get(dataset, max(1, min(20, X.shape[1] // 4)))
        walk = OscillatingSearch(J, n_features_to_select=d, group_size=group_size, depth=depth)
    start = time.perf_counter()
    walk.fit(A, y[first])
    seconds = time.perf_counter() - start
    right = hits(model, A, y[first], B, y[second], np.flatnonzero(walk.support_))
    (_, filtered), (_, wrapped) = walk.computed_
    measured = {
        "train": walk.score_,
        "test": right.mean(),
        "size": walk.size_,
        "wrapper_evaluations": wrapped,
        "filter_evaluations": filtered,
        "seconds": seconds,
        "n_test": len(right),
        "missed": joined(np.flatnonzero(~right)),
    }
    return [{"dataset": dataset, "search": search, "scaling": scaling, "repeat": repeat, "lambda": lam, **measured}]
