"""Training of GMLVQ and uniqueness of its relevances: chapter 4 of Chen 2012, measured.

The protocol and the settings are those of ``fscore.studies.chen2012``. Every function returns a tidy table, one
measured value per row.
"""

from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

from fscore.lvq import NormalizedGradient, WaypointAveraging
from fscore.studies._chen2012_protocol import (
    DEFAULTS,
    area,
    gmlvq,
    learn,
    mean_of_folds,
    read,
    split,
    splits_of,
)
from fscore.studies._files import name_of, run
from fscore.studies._units import seed_for

__all__ = ["ambiguity", "ambiguity_by_feature", "delete_rates", "descent", "entropy", "entropy_profiles", "valley"]

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


def ambiguity(
    datasets, n_samples=(10, 20), settings=DEFAULTS, *, n_starts=10, n_repeats=5, target=None, seed=0, n_jobs=None
):
    """Claim C6: what removing the unseen directions from Omega changes, and what it doesn't.

    GMLVQ learns from a few samples (fewer than features, so that directions are unseen) with random starts of Omega;
    the others are the test part. ``n_samples`` of 0 takes half of all samples.

    Returns
    -------
    DataFrame
        dataset, n_samples, repeat, start, metric, value. Metrics: ``unseen`` directions; ``distance_change`` by the
        corrected projection ``Omega (I - V V^T)`` and ``distance_change_printed`` by equation 92,
        ``(I - V V^T) Omega`` (largest change of a distance between training samples and prototypes, beyond a common
        factor, relative to the largest distance); ``prediction_change_train``, ``prediction_change_test`` (shares);
        ``rank_correlation`` of the relevances before and after; and without a start (-1), ``spread_before`` and
        ``spread_after``: the standard deviation of a relevance over the starts, summed over the features.
    """
    units = [
        {"dataset": dataset, "n_samples": n, "repeat": repeat, "n_starts": n_starts, "settings": settings}
        | {"target": target, "seed": seed}
        for dataset in datasets
        for n in n_samples
        for repeat in range(n_repeats)
    ]
    return run(_remove_ambiguity, units, n_jobs, "ambiguity")


def _remove_ambiguity(dataset, n_samples, repeat, n_starts, settings, target, seed):
    (A, a), (T, _) = _few(dataset, n_samples, repeat, target, seed)
    what = {"dataset": dataset, "n_samples": n_samples, "repeat": repeat}
    rows, relevances = [], []
    for start in range(n_starts):
        model = _started(A, a, settings, seed_for(seed, "start", name_of(dataset), n_samples, repeat, start))
        minimal = model.remove_ambiguity(0.0)
        V = _unseen(A, model.prototypes_)
        printed = model.Omega_ - V @ (V.T @ model.Omega_)
        before = _squared(model.Omega_, A, model.prototypes_)
        measured = {
            "unseen": V.shape[1],
            "distance_change": _change(before, _squared(minimal.Omega_, A, model.prototypes_)),
            "distance_change_printed": _change(before, _squared(printed, A, model.prototypes_)),
            "prediction_change_train": np.mean(model.predict(A) != minimal.predict(A)),
            "prediction_change_test": np.mean(model.predict(T) != minimal.predict(T)),
            "rank_correlation": spearmanr(model.feature_importances_, minimal.feature_importances_).statistic,
        }
        relevances.append((model.feature_importances_, minimal.feature_importances_))
        rows += [{**what, "start": start, "metric": metric, "value": float(v)} for metric, v in measured.items()]
    spread = np.std(relevances, axis=0).sum(axis=1)
    for metric, value in zip(("spread_before", "spread_after"), spread, strict=True):
        rows.append({**what, "start": -1, "metric": metric, "value": float(value)})
    return rows


def _started(X, y, settings, seed):
    """GMLVQ from a random Omega. (Orthonormal rows wouldn't do: they start Lambda, and so end it, at one place.)"""
    Omega = np.random.default_rng(seed).normal(size=(X.shape[1], X.shape[1]))
    return gmlvq(settings, delete_rate=None, omega_init=Omega).fit(X, y)


def _few(dataset, n_samples, repeat, target, seed):
    """z-scored training part of ``n_samples`` with every class in it, and the other samples."""
    X, y = read(dataset, target)
    rng = np.random.default_rng(seed_for(seed, "few", name_of(dataset), n_samples, repeat))
    order = rng.permutation(len(X))
    # The classes take turns, each in the order of the lots.
    turn = np.concatenate([np.arange(np.sum(y == c)) for c in np.unique(y)])
    by_class = np.concatenate([order[y[order] == c] for c in np.unique(y)])
    order = by_class[np.argsort(turn, kind="stable")]
    n = n_samples or len(X) // 2
    train, test = order[:n], order[n:]
    scaler = StandardScaler().fit(X[train])
    return (scaler.transform(X[train]), y[train]), (scaler.transform(X[test]), y[test])


def _unseen(X, W):
    """Orthonormal eigenvectors of C = sum x x^T + sum w w^T (centred) with eigenvalue zero, shape (N, J)."""
    Z = np.vstack([X, W]) - X.mean(axis=0)
    eigenvalues, vectors = np.linalg.eigh(Z.T @ Z)
    return vectors[:, eigenvalues < 1e-10 * eigenvalues[-1]]


def _squared(Omega, X, W):
    return np.square((X[:, None] - W) @ Omega.T).sum(axis=2)


def _change(before, after):
    """Largest difference beyond a common factor, relative to the largest distance."""
    factor = np.vdot(before, after) / np.vdot(after, after) if np.any(after) else 0.0
    return np.abs(factor * after - before).max() / before.max()


def ambiguity_by_feature(dataset, n_samples, settings=DEFAULTS, *, target=None, seed=0):
    """Which relevances of one model were ambiguous: those of :meth:`fscore.lvq.GMLVQ.ambiguity`, by feature from 1."""
    (A, a), _ = _few(dataset, n_samples, 0, target, seed)
    model = _started(A, a, settings, seed_for(seed, "start", name_of(dataset), n_samples, 0, 0))
    table = model.ambiguity(0.0)
    return table.assign(feature=np.arange(1, len(table) + 1), dataset=name_of(dataset)).reset_index(drop=True)


def delete_rates(
    datasets,
    rates=(0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
    settings=DEFAULTS,
    *,
    n_splits=5,
    n_repeats=5,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Section 4.3, end: the delete rate, chosen by the thesis for each set "by experiment" and not reported.

    Returns
    -------
    DataFrame
        dataset, rate, repeat, metric, value: the mean over the folds. Metrics: ``auc`` on the test part;
        ``rank_correlation`` with the relevances as trained.
    """
    shared = {"rates": tuple(rates), "settings": settings, "target": target, "seed": seed}
    return mean_of_folds(run(_delete, splits_of(datasets, n_repeats, n_splits, shared), n_jobs, "delete rate"))


def _delete(dataset, repeat, fold, rates, settings, n_splits, target, seed):
    parts = split(*read(dataset, target), dataset, repeat, fold, n_splits, seed)
    T, t = parts[2]
    model = learn(parts, settings, delete_rate=None)
    rows = []
    for rate in rates:
        minimal = model.remove_ambiguity(rate)
        measured = {
            "auc": area(minimal.decision_function(T), t, minimal.classes_),
            "rank_correlation": spearmanr(model.feature_importances_, minimal.feature_importances_).statistic,
        }
        what = {"dataset": dataset, "rate": float(rate), "repeat": repeat, "fold": fold}
        rows += [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]
    return rows
