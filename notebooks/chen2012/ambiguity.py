"""Uniqueness of the relevances of GMLVQ (Section 4.3 of Chen 2012)."""

import numpy as np
from scipy.stats import spearmanr
from sklearn.preprocessing import StandardScaler

from chen2012.protocol import DEFAULTS, area, gmlvq, learn, mean_of_folds, read, split, splits_of
from compendium.protocol import name_of, run
from compendium.units import seed_for

__all__ = ["ambiguity", "ambiguity_by_feature", "delete_rates"]


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
