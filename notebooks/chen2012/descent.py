"""The descent of GMLVQ by waypoint averaging and by plain steps (Section 4.2 of Chen 2012)."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from chen2012.protocol import gmlvq, learn, read, split
from compendium.protocol import scaled
from compendium.units import tidy
from fscore.lvq import NormalizedGradient, WaypointAveraging
from fscore.lvq.generalized import area

SOLVERS = {"waypoint averaging": WaypointAveraging, "plain steps": NormalizedGradient}


def descend(dataset, solver, factor, settings, max_evaluations, target):
    """Train GMLVQ on all samples, without entropy, and record the cost. All descents start at the same point.

    Parameters
    ----------
    dataset : str
    solver : str
        Of `SOLVERS`.
    factor : float
        Factor of the first steps in ``settings``.
    settings : dict
        As for `chen2012.protocol.gmlvq`.
    max_evaluations : int
        Evaluations of the cost. Repeated evaluation at the same point counts once; a step is not interrupted.
    target : str or None

    Returns
    -------
    list of dict
        Rows: dataset, solver, factor, evaluations, metric ("cost", per sample), value.
    """
    X, y = read(dataset, target)
    (X,) = scaled("zscore", X)
    first = {name: factor * settings[name] for name in ("step_prototypes", "step_metric")}
    watched = _RecordingSolver(SOLVERS[solver](**first), max_evaluations)
    gmlvq(settings, alpha=0.0, delete_rate=None, solver=watched, max_iter=max_evaluations).fit(X, y)
    what = {"dataset": dataset, "solver": solver, "factor": factor}
    return [
        {**what, "evaluations": count, "metric": "cost", "value": float(value) / len(X)}
        for count, value in watched.record
    ]


def evaluate_by_steps(dataset, repeat, fold, steps, settings, n_splits, target, seed):
    """Test AUC of a GMLVQ without entropy on all features: what Section 5.2 leaves open of the evaluator.

    Parameters
    ----------
    dataset : str
    repeat, fold : int
        Of the split.
    steps : sequence of int
        Numbers of steps, for a GMLVQ that is trained on the training and the validation part.
    settings : dict
        As for `chen2012.protocol.gmlvq`.
    n_splits : int
    target : str or None
    seed : int

    Returns
    -------
    list of dict
        Rows: dataset, repeat, fold, training ("training part", or "both parts"), steps (a number, or "stopped" where
        the step with the least loss on the validation part is kept), metric, value.
    """
    parts = split(*read(dataset, target), dataset, repeat, fold, n_splits, seed)
    (A, a), (V, v), (T, t) = parts
    both = np.vstack([A, V]), np.append(a, v)
    none = {"alpha": 0.0, "delete_rate": 0.0}
    models = {("both parts", str(n)): gmlvq({**settings, "max_iter": n}, **none).fit(*both) for n in steps}
    models["both parts", "stopped"] = learn([both, *parts[1:]], settings, **none)
    models["training part", "stopped"] = learn(parts, settings, **none)
    what = {"dataset": dataset, "repeat": repeat, "fold": fold}
    return [
        row
        for (training, number), model in models.items()
        for row in tidy(
            {**what, "training": training, "steps": number},
            {"auc": area(model.decision_function(T), t, model.classes_)},
        )
    ]


class _RecordingSolver(BaseEstimator):
    """A solver that stops after ``max_evaluations`` and records (evaluations, cost) after each step."""

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
    """A cost that counts its evaluations; repeated evaluation at the same point counts once."""

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
    """f(x) = x_1^2 / 16 + x_2^2, with the interface of a cost."""

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


def valley():
    """Descend a narrow valley by both solvers, with a first step that is too long (Figure 10).

    The thesis copies this figure from another paper without its function or numbers; these are ours.

    Returns
    -------
    DataFrame
        solver, iteration, x1, x2, cost, step.
    """
    rows = []
    for name, solver in SOLVERS.items():
        cost, theta, step = _Valley(), np.array([-4.0, 0.7]), 1.0
        path = [(theta, cost.value(theta), [step])]
        solver(step_prototypes=step).minimize(
            cost, theta, lambda x, value, steps, path=path: path.append((x, value, list(steps))), 14
        )
        rows += [
            {"solver": name, "iteration": i, "x1": x[0], "x2": x[1], "cost": float(value), "step": float(steps[0])}
            for i, (x, value, steps) in enumerate(path)
        ]
    return pd.DataFrame(rows)
