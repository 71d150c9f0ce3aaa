"""Training of GMLVQ: the entropy of its relevances and its descent (Sections 4.1 and 4.2 of Chen 2012)."""

from itertools import product

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

from chen2012.protocol import (
    DEFAULTS,
    area,
    gmlvq,
    learn,
    read,
    split,
    splits_of,
)
from compendium.protocol import run
from fscore.lvq import NormalizedGradient, WaypointAveraging

__all__ = ["descent", "entropy", "entropy_profiles", "valley"]

LITERAL, OURS, NONE = "N^2/10", "auto", "none"
SOLVERS = {"waypoint averaging": WaypointAveraging, "plain steps": NormalizedGradient}


def entropy(
    datasets,
    alphas=(0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0),
    settings=DEFAULTS,
    *,
    stopping=("validation", "end"),
    n_splits=5,
    n_repeats=25,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim C5, Figures 7, 8 and 9: what the weight of the entropy does to the relevances and to the classifier.

    Besides ``alphas`` come no entropy ("none"), ``n_samples / (4 N)`` ("auto") and the thesis' N^2/10.

    Parameters
    ----------
    stopping : sequence of {"validation", "end"}
        Keep the step with the least cost on the validation part, as in the thesis, or the last one: then nothing holds
        a strong entropy back.

    Returns
    -------
    DataFrame
        dataset, stopping, setting (text), repeat, metric, alpha (number), value: the mean over the folds. Metrics:
        ``entropy`` (bits) and ``largest`` of the relevances, ``auc`` and ``accuracy`` on the test part, and
        ``relevance 1``, ``relevance 2``, ... (settings "none", "auto", "N^2/10" only).
    """
    alphas = tuple(dict.fromkeys([NONE, *(float(a) for a in alphas if a > 0), OURS, LITERAL]))
    shared = {"alphas": alphas, "settings": settings, "stopping": tuple(stopping), "target": target, "seed": seed}
    table = run(_weigh_entropy, splits_of(datasets, n_repeats, n_splits, shared), n_jobs, "entropy")
    by = ["dataset", "stopping", "setting", "repeat", "metric"]  # "auto" may differ from fold to fold by a sample
    return table.groupby(by, sort=False)[["alpha", "value"]].mean().reset_index()


def _weigh_entropy(dataset, repeat, fold, alphas, settings, stopping, n_splits, target, seed):
    parts = split(*read(dataset, target), dataset, repeat, fold, n_splits, seed)
    (A, a), _, (T, t) = parts
    rows = []
    for stop, alpha in product(stopping, alphas):
        given = {"alpha": 0.0 if alpha == NONE else alpha, "delete_rate": None}
        model = gmlvq(settings, **given).fit(A, a) if stop == "end" else learn(parts, settings, **given)
        p = model.feature_importances_
        measured = {
            "entropy": -(p @ np.log2(np.maximum(p, np.finfo(float).tiny))),
            "largest": p.max(),
            "auc": area(model.decision_function(T), t, model.classes_),
            "accuracy": np.mean(model.predict(T) == t),
        }
        if isinstance(alpha, str):
            measured |= {f"relevance {k + 1}": value for k, value in enumerate(p)}
        what = {
            **{"dataset": dataset, "stopping": stop, "setting": alpha if isinstance(alpha, str) else f"{alpha:g}"},
            **{"repeat": repeat, "fold": fold, "alpha": model.alpha_},
        }
        rows += [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]
    return rows


def entropy_profiles(table):
    """Figures 7 and 9: mean relevance of each feature.

    Returns
    -------
    DataFrame
        dataset, stopping, setting, feature, mean, std (over repetitions).
    """
    part = table[table["metric"].str.startswith("relevance ")]
    part = part.assign(feature=part["metric"].str.removeprefix("relevance ").astype(int))
    by = ["dataset", "stopping", "setting", "feature"]
    return part.groupby(by, sort=False)["value"].agg(["mean", "std"]).reset_index()


def descent(
    datasets,
    factors=(0.25, 1.0, 4.0, 16.0),
    settings=DEFAULTS,
    *,
    max_evaluations=150,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim C10: cost against evaluations of the cost, with waypoint averaging and with plain normalized steps.

    All samples, no entropy, the same start. Looking at one place twice counts once.

    Parameters
    ----------
    factors : sequence of float
        By which the initial steps of ``settings`` are multiplied.

    Returns
    -------
    DataFrame
        dataset, solver, factor, evaluations, metric ("cost", per sample), value.
    """
    units = [
        {"dataset": dataset, "solver": solver, "factor": float(factor), "settings": settings}
        | {"max_evaluations": max_evaluations, "target": target, "seed": seed}
        for dataset in datasets
        for factor in factors
        for solver in SOLVERS
    ]
    return run(_descend, units, n_jobs, "descent")


def _descend(dataset, solver, factor, settings, max_evaluations, target, seed):
    X, y = read(dataset, target)
    steps = {"step_prototypes": factor * settings.step_prototypes, "step_metric": factor * settings.step_metric}
    watched = _Watched(SOLVERS[solver](**steps), max_evaluations)
    changed = {"alpha": 0.0, "delete_rate": None, "solver": watched, "max_iter": max_evaluations}
    gmlvq(settings, **changed).fit(StandardScaler().fit_transform(X), y)
    what = {"dataset": dataset, "solver": solver, "factor": factor}
    return [
        {**what, "evaluations": count, "metric": "cost", "value": float(value) / len(X)}
        for count, value in watched.record
    ]


class _Watched(BaseEstimator):
    """A solver that stops after so many evaluations, and records (evaluations, cost) after each step."""

    def __init__(self, solver, max_evaluations):
        self.solver, self.max_evaluations = solver, max_evaluations
        self.record = []

    def __sklearn_clone__(self):
        return self

    def minimize(self, cost, theta, report, max_iter):
        counted = _CountedCost(cost)

        def noted(theta, value, steps):
            report(theta, value, steps)
            self.record.append((counted.n_evaluations, value))
            if counted.n_evaluations >= self.max_evaluations:
                raise StopIteration

        self.record.append((1, counted.value(theta)))
        self.solver.minimize(counted, theta, noted, max_iter)


class _CountedCost:
    """A cost that counts the places at which it was asked, not twice in a row."""

    def __init__(self, cost):
        self._cost, self._last, self.n_evaluations = cost, None, 0

    def __getattr__(self, name):
        return getattr(self._cost, name)

    def _count(self, theta):
        if self._last is None or not np.array_equal(self._last, theta):
            self.n_evaluations += 1
            self._last = theta.copy()

    def value(self, theta):
        self._count(theta)
        return self._cost.value(theta)

    def value_and_gradient(self, theta):
        self._count(theta)
        return self._cost.value_and_gradient(theta)


class _Valley:
    """f(x) = x_1^2 / 16 + x_2^2: something to step down, with the manners of a cost."""

    prototype_shape = (1, 2)
    curvature = np.array([1 / 16, 1.0])

    def blocks(self):
        return [slice(0, 2)]

    def project(self, x):
        return x

    def value(self, x):
        return float(self.curvature @ x**2)

    def value_and_gradient(self, x):
        return self.value(x), 2 * self.curvature * x


def valley(start=(-4.0, 0.7), step=1.0, max_iter=14):
    """Figure 10: both ways down a narrow valley with a step that is too long for it.

    The thesis shows the figure of another paper without its function or numbers; these are ours.

    Returns
    -------
    DataFrame
        solver, iteration, x1, x2, cost, step.
    """
    rows = []
    for name, solver in SOLVERS.items():
        cost, theta = _Valley(), np.array(start)
        path = [(theta, cost.value(theta), [step])]
        solver(step_prototypes=step).minimize(
            cost, theta, lambda x, value, steps, path=path: path.append((x, value, list(steps))), max_iter
        )
        rows += [
            {"solver": name, "iteration": i, "x1": x[0], "x2": x[1], "cost": float(value), "step": float(steps[0])}
            for i, (x, value, steps) in enumerate(path)
        ]
    return pd.DataFrame(rows)
