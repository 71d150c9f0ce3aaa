"""How well the first features of every ranking classify (Tables 3 and 4 of Chen 2012)."""

from itertools import product

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.svm import SVC

from chen2012.protocol import (
    DEFAULTS,
    METHODS,
    area,
    learn,
    mean_of_folds,
    rank_features,
    read,
    split,
    splits_of,
)
from compendium.protocol import name_of, run
from compendium.units import seed_for

__all__ = ["EVALUATORS", "ORIGINAL", "auc", "dominance", "named_aucs", "subset_sizes"]

ORIGINAL = "GMLVQ_original_omega"
EVALUATORS = ("GMLVQ", "RBFSVM")


def subset_sizes(n_features, step=None):
    """The sizes at which Tables 3 and 4 count: multiples of a step, by default N/16 rounded.

    The printed percentages are multiples of 1/16, 1/16, 1/15, 1/15 and 1/14; this rule gives as many sizes.
    """
    step = step or max(1, round(n_features / 16))
    return list(range(step, n_features + 1, step))


def auc(
    datasets,
    settings=DEFAULTS,
    *,
    methods=METHODS,
    evaluators=EVALUATORS,
    step=None,
    svm_C=(0.1, 1.0, 10.0, 100.0),
    svm_gamma=(0.25, 1.0, 4.0),
    n_splits=5,
    n_repeats=25,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claims C1, C2, C3 and C9, Tables 3 and 4: test AUC of the first features of every ranking.

    Each subset is evaluated by a new GMLVQ (no entropy; the best step on the validation part) and by an RBF-SVM (C and
    gamma with the best AUC on the validation part, then learned on both parts; the grid is ours). The ranking GMLVQ
    cut to the subset (`ORIGINAL`) is not learned anew. With several classes: the mean AUC of one class against the
    rest.

    Parameters
    ----------
    step : int, optional
        Of the subset sizes, see `subset_sizes`; sizes 2, 6 and N come on top, without being counted.
    svm_C, svm_gamma : sequence of float
        gamma in units of 1 / (number of features).

    Returns
    -------
    DataFrame
        dataset, evaluator, method, n_features, counted, repeat, metric ("auc"), value: the mean over the folds.
    """
    shared = {
        **{"methods": tuple(methods), "evaluators": tuple(evaluators), "settings": settings, "step": step},
        **{"svm_C": tuple(svm_C), "svm_gamma": tuple(svm_gamma)},
        **{"target": target, "seed": seed},
    }
    units = splits_of(datasets, n_repeats, n_splits, shared)
    return mean_of_folds(run(_evaluate_split, units, n_jobs, "AUC by subset size"))


def _evaluate_split(
    dataset, repeat, fold, methods, evaluators, settings, step, svm_C, svm_gamma, n_splits, target, seed
):
    X, y = read(dataset, target)
    parts = split(X, y, dataset, repeat, fold, n_splits, seed)
    counted = subset_sizes(X.shape[1], step)
    sizes = sorted({*counted, X.shape[1], *(size for size in (2, 6) if size < X.shape[1])})
    known, rows = {}, []
    for method in methods:
        order, model = rank_features(method, parts, settings, seed_for(seed, "ties", name_of(dataset), repeat, fold))
        for size in sizes:
            features = np.sort(order[:size])  # so that equal subsets are equal, whichever ranking chose them
            measured = []
            for evaluator in evaluators:
                key = evaluator, *features
                if key not in known:
                    chosen = [(A[:, features], b) for A, b in parts]
                    known[key] = (
                        _auc_of_gmlvq(chosen, settings)
                        if evaluator == "GMLVQ"
                        else _auc_of_svm(chosen, svm_C, svm_gamma)
                    )
                measured.append((evaluator, method, known[key]))
            if model is not None and "GMLVQ" in evaluators:
                A, b = parts[2]
                cut = model.restrict(features).decision_function(A[:, features])
                measured.append(("GMLVQ", ORIGINAL, area(cut, b, model.classes_)))
            what = {"dataset": dataset, "repeat": repeat, "fold": fold, "n_features": size, "counted": size in counted}
            rows += [
                {**what, "evaluator": evaluator, "method": name, "metric": "auc", "value": float(value)}
                for evaluator, name, value in measured
            ]
    return rows


def _auc_of_gmlvq(parts, settings):
    model = learn(parts, settings._replace(alpha=0.0, delete_rate=0.0))
    A, b = parts[2]
    return area(model.decision_function(A), b, model.classes_)


def _auc_of_svm(parts, svm_C, svm_gamma):
    (A, a), (V, v), (T, t) = parts
    grid = [{"C": C, "gamma": gamma / A.shape[1]} for C in svm_C for gamma in svm_gamma]
    with config_context(assume_finite=True, skip_parameter_validation=True):  # thousands of small machines
        classes = np.unique(a)
        won = max(grid, key=lambda given: area(SVC(**given).fit(A, a).decision_function(V), v, classes))
        best = SVC(**won).fit(np.vstack([A, V]), np.append(a, v))
        return area(best.decision_function(T), t, classes)


def named_aucs(table):
    """AUC by the names under which section 5.3 prints some: ``AUC_eval_GMLVQ_6_features``, ``..._all_features``.

    Parameters
    ----------
    table : DataFrame
        As from `auc`.

    Returns
    -------
    DataFrame
        dataset, method (also "all" where all features are in), metric, repeat, value.
    """
    n_features = table.groupby("dataset")["n_features"].transform("max")
    size = table["n_features"].astype(str)
    prefix = "AUC_eval_" + table["evaluator"] + "_"
    named = table.assign(metric=prefix + size + "_features")
    full = table[table["n_features"] == n_features].assign(metric=prefix + "all_features")
    rows = pd.concat([named, full, full[full["method"] == METHODS[0]].assign(method="all")])
    return rows[["dataset", "method", "metric", "repeat", "value"]].reset_index(drop=True)


def dominance(table, n_bootstrap=200, seed=0):
    """Tables 3 and 4: percentage of the counted sizes at which a method has the best mean AUC; ties are shared.

    Parameters
    ----------
    table : DataFrame
        As from `auc`.
    n_bootstrap : int
        Resamples of the repetitions, for the standard deviation (none with one repetition).

    Returns
    -------
    DataFrame
        dataset, evaluator, method, value, sd, n (repetitions).
    """
    rows = []
    for (dataset, evaluator), part in table[table["counted"]].groupby(["dataset", "evaluator"], sort=False):
        methods = part["method"].unique()
        cube = part.pivot_table(index="repeat", columns=["n_features", "method"], values="value")
        sizes = cube.columns.unique("n_features")
        values = cube[list(product(sizes, methods))].to_numpy().reshape(len(cube), len(sizes), len(methods))
        rng = np.random.default_rng(seed_for(seed, "dominance", name_of(dataset), evaluator))
        draws = rng.integers(len(values), size=(n_bootstrap, len(values)))
        shares = np.array([_won(values[draw].mean(axis=0)) for draw in draws])
        sd = shares.std(axis=0, ddof=1) if len(values) > 1 else np.full(len(methods), np.nan)
        for method, value, spread in zip(methods, _won(values.mean(axis=0)), sd, strict=True):
            what = {"dataset": dataset, "evaluator": evaluator, "method": method}
            rows.append({**what, "value": float(value), "sd": float(spread), "n": len(values)})
    return pd.DataFrame(rows)


def _won(means):
    best = np.isclose(means, means.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    return 100 * (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
