"""Maximum distance minimization: what Hocke and Martinetz 2014 claim of it, measured.

The end of the paper with its data sets, protocol and tables is not at hand: the protocol is ours. k = 3 neighbours, 10
x stratified 5-fold cross-validation, soft MDM's nu by inner 3-fold cross-validation of the training part, the same
folds for all methods, inputs raw and standardized.

Every function returns a tidy table, one measured value per row: the columns that say what was measured, then ``metric``
and ``value``. ``dataset`` is a name for :func:`fscore.datasets.load` or a CSV file, whose label is in ``target``.
"""

import time

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from fscore.datasets import load
from fscore.filters import relief
from fscore.studies._hocke2014_program import (
    Illustration,
    equivalence,
    feasibility,
    illustration,
    program_size,
)
from fscore.studies._units import run_units, seed_for, tidy
from fscore.weighting import MDM, mdm_path

__all__ = [
    "METHODS",
    "NUS",
    "Illustration",
    "equivalence",
    "feasibility",
    "illustration",
    "knn_gain",
    "noise_columns",
    "outliers",
    "program_size",
    "scaling_invariance",
]

NUS = (0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02)
METHODS = ("none", "minmax", "zscore", "relief", "hard MDM", "soft MDM")


def scaling_invariance(
    datasets, *, methods=METHODS, n_repeats=5, decades=3.0, nu=0.2, k=3, target=None, seed=0, n_jobs=None
):
    """Claims M1 and M10: what changes when columns are multiplied by random positive factors.

    Half the sample, stratified, is weighted; the other half is classified by k-NN, before and after.

    Parameters
    ----------
    datasets : sequence of str
    methods : sequence of str
        Of `METHODS`. "relief" takes w = max(score, 0) in eq. (1) as it is; "relief, unit ranges" divides it by the
        squared range first, for Relief compares differences divided by ranges; "relief, no ranges" is Relief without
        that division.
    n_repeats : int
        Sets of factors, and halves.
    decades : float
        Factors are 10**u with u uniform in [-decades, decades].
    nu : float
        Of soft MDM.
    k : int
        Neighbours.

    Returns
    -------
    DataFrame
        dataset, method, repeat, metric, value. Metrics: ``distance_change``, the largest relative change of a weighted
        distance, both sets of distances having mean one; ``prediction_change``, the share of predictions that differ;
        ``objective_change``, relative (MDM only).
    """
    shared = {"decades": decades, "nu": nu, "k": k, "target": target, "seed": seed}
    units = [
        {"dataset": dataset, "method": method, "repeat": repeat, **shared}
        for dataset in datasets
        for method in methods
        for repeat in range(n_repeats)
    ]
    return run_units(_rescale, units, n_jobs=n_jobs, label="scaling")


def _rescale(dataset, method, repeat, decades, nu, k, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    rng = np.random.default_rng(seed_for(seed, "scaling", dataset, repeat))
    factors = 10 ** rng.uniform(-decades, decades, X.shape[1])
    folds = StratifiedKFold(2, shuffle=True, random_state=int(rng.integers(2**31)))
    train, test = next(folds.split(X, y))
    distances, predictions, objectives = [], [], []
    for Z in X, X * factors:
        w, fit = _weigh(method, Z[train], y[train], nu)
        d = pdist(Z[train] * np.sqrt(w))
        distances.append(d / d.mean())
        predictions.append(_predict(w, Z[train], y[train], Z[test], k))
        objectives.append(getattr(fit, "objective_", np.nan))
    before, after = distances
    apart = np.maximum(before, after)
    change = np.divide(np.abs(after - before), apart, out=np.zeros_like(apart), where=apart > 1e-8)
    measured = {"distance_change": change.max(), "prediction_change": np.mean(predictions[0] != predictions[1])}
    if fit is not None:
        measured["objective_change"] = abs(objectives[1] - objectives[0]) / max(objectives[0], 1e-12)
    return tidy({"dataset": dataset, "method": method, "repeat": repeat}, measured)


def noise_columns(datasets, *, n_noise=10, nus=(None, 0.2), n_repeats=5, tiny=1e-9, target=None, seed=0, n_jobs=None):
    """Claim M3: how often does appended noise get weight zero, how often the set's own columns?

    Parameters
    ----------
    n_noise : int
        Standard normal columns, appended.
    nus : sequence of float or None
        None is hard MDM.
    tiny : float
        A feature's share of the weighted variance below this counts as zero (and does not depend on units).

    Returns
    -------
    DataFrame
        dataset, method, nu, column_kind ("own" without constant ones, "noise"), repeat, metric, value. Metrics:
        ``zero_share``, of the columns of that kind; ``importance``, their sum of shares of the weighted variance.
    """
    shared = {"n_noise": n_noise, "tiny": tiny, "target": target, "seed": seed}
    units = [
        {"dataset": dataset, "nu": nu, "repeat": repeat, **shared}
        for dataset in datasets
        for nu in nus
        for repeat in range(n_repeats)
    ]
    return run_units(_weigh_noise, units, n_jobs=n_jobs, label="noise columns")


def _weigh_noise(dataset, nu, repeat, n_noise, tiny, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    rng = np.random.default_rng(seed_for(seed, "noise", dataset, repeat))
    X_more = np.hstack([X, rng.normal(size=(len(X), n_noise))])
    share = MDM(nu=nu, duplicates="drop").fit(X_more, y).feature_importances_
    what = {"dataset": dataset, "method": "hard MDM" if nu is None else "soft MDM", "nu": nu}
    rows = []
    for kind, part in ("own", share[: X.shape[1]][np.ptp(X, axis=0) > 0]), ("noise", share[X.shape[1] :]):
        measured = {"zero_share": np.mean(part < tiny), "importance": part.sum()}
        rows += tidy({**what, "column_kind": kind, "repeat": repeat}, measured)
    return rows


def outliers(
    datasets,
    *,
    kinds=("moved", "flipped"),
    n_outliers=3,
    distance=5.0,
    nus=(None, 0.1, 0.3),
    n_splits=5,
    n_repeats=2,
    k=3,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim M4: what do a few bad training samples do to the weights, hard and soft?

    The weights are learned on the clean and on the spoilt training part; both then serve k-NN on the *clean* one, so
    that the test errors differ by the weights alone.

    Parameters
    ----------
    kinds : sequence of {"moved", "flipped"}
        Moved by ``distance`` standard deviations up or down in every feature, or given another label.
    n_outliers : int
        Samples spoilt.
    nus : sequence of float or None
        None is hard MDM.

    Returns
    -------
    DataFrame
        dataset, kind, method, nu, repeat, fold, metric, value. Metrics: ``weight_change``, total variation between the
        features' shares of the weighted variance (of the clean sample), 0 to 1; ``error_clean`` and ``error_spoilt``.
    """
    shared = {"n_outliers": n_outliers, "distance": distance, "n_splits": n_splits, "k": k}
    shared |= {"target": target, "seed": seed}
    units = [
        {"dataset": dataset, "kind": kind, "nu": nu, "repeat": repeat, **shared}
        for dataset in datasets
        for kind in kinds
        for nu in nus
        for repeat in range(n_repeats)
    ]
    return run_units(_spoil, units, n_jobs=n_jobs, label="outliers")


def _spoil(dataset, kind, nu, repeat, n_outliers, distance, n_splits, k, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    what = {"dataset": dataset, "kind": kind, "method": "hard MDM" if nu is None else "soft MDM", "nu": nu}
    rows = []
    for fold, (train, test) in enumerate(_folds(X, y, dataset, repeat, n_splits, seed)):
        rng = np.random.default_rng(seed_for(seed, "outliers", dataset, kind, repeat, fold))
        A, b = X[train], y[train]
        spoilt_A, spoilt_b = A.copy(), b.copy()
        bad = rng.choice(len(A), n_outliers, replace=False)
        if kind == "moved":
            spoilt_A[bad] += rng.choice([-1, 1], (n_outliers, A.shape[1])) * distance * A.std(axis=0)
        else:
            spoilt_b[bad] = [rng.choice(np.unique(b[b != b[i]])) for i in bad]
        learned = [MDM(nu=nu, duplicates="drop").fit(*sample).weights_ for sample in ((A, b), (spoilt_A, spoilt_b))]
        shares = [w * A.var(axis=0) / (w @ A.var(axis=0)) for w in learned]
        errors = [np.mean(_predict(w, A, b, X[test], k) != y[test]) for w in learned]
        measured = {
            "weight_change": np.abs(shares[1] - shares[0]).sum() / 2,
            "error_clean": errors[0],
            "error_spoilt": errors[1],
        }
        rows += tidy({**what, "repeat": repeat, "fold": fold}, measured)
    return rows


def knn_gain(
    datasets,
    *,
    methods=METHODS,
    inputs=("raw", "standardized"),
    n_splits=5,
    n_repeats=10,
    k=3,
    nus=NUS,
    n_inner_splits=3,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim M5: test error of k-NN with learned weights and without, on the same folds.

    Everything is learned on the training part: means and ranges, weights, and soft MDM's nu by inner cross-validation
    over ``nus`` and 1/N (ties go to the larger nu, the smoother problem).

    Returns
    -------
    DataFrame
        dataset, inputs, method, repeat, fold, metric, value. Metrics: ``error``; ``n_nonzero``, features whose share of
        the weighted variance exceeds 1e-6; ``seconds`` to learn the weights; ``nu`` (soft MDM only).
    """
    shared = {"n_splits": n_splits, "k": k, "n_inner_splits": n_inner_splits, "target": target, "seed": seed}
    units = [
        {"dataset": dataset, "inputs": given, "method": method, "repeat": repeat, "nus": tuple(nus), **shared}
        for dataset in datasets
        for given in inputs
        for method in methods
        for repeat in range(n_repeats)
    ]
    return run_units(_classify, units, n_jobs=n_jobs, label="k-NN")


def _classify(dataset, inputs, method, repeat, nus, n_splits, k, n_inner_splits, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    rows = []
    for fold, (train, test) in enumerate(_folds(X, y, dataset, repeat, n_splits, seed)):
        A, B = X[train], X[test]
        if inputs == "standardized":
            scaler = StandardScaler().fit(A)
            A, B = scaler.transform(A), scaler.transform(B)
        nu, start = None, time.perf_counter()
        if method == "soft MDM":
            inner_seed = seed_for(seed, "inner", dataset, repeat, fold)
            inner = StratifiedKFold(n_inner_splits, shuffle=True, random_state=inner_seed)
            nu = _best_nu(A, y[train], inner, (*nus, 1 / len(A)), k)
        w, _ = _weigh(method, A, y[train], nu)
        seconds = time.perf_counter() - start
        contribution = w * A.var(axis=0)
        measured = {
            "error": np.mean(_predict(w, A, y[train], B, k) != y[test]),
            "n_nonzero": np.sum(contribution > 1e-6 * contribution.sum()),
            "seconds": seconds,
            **({} if nu is None else {"nu": nu}),
        }
        rows += tidy({"dataset": dataset, "inputs": inputs, "method": method, "repeat": repeat, "fold": fold}, measured)
    return rows


def _best_nu(X, y, folds, nus, k):
    nus = sorted(nus, reverse=True)
    wrong = np.zeros(len(nus), dtype=int)
    for train, test in folds.split(X, y):
        for n, w in enumerate(mdm_path(X[train], y[train], nus, duplicates="drop")):
            wrong[n] += np.sum(_predict(w, X[train], y[train], X[test], k) != y[test])
    return float(nus[np.argmin(wrong)])


def _weigh(method, X, y, nu=None):
    """Weights of eq. (1) by a method, and the fitted MDM where it is one. Constant features get weight zero."""
    if method in ("hard MDM", "soft MDM"):
        mdm = MDM(nu=None if method == "hard MDM" else nu, duplicates="drop").fit(X, y)
        return mdm.weights_, mdm
    if method == "none":
        return np.ones(X.shape[1]), None
    span = X.std(axis=0) if method == "zscore" else np.ptp(X, axis=0)
    inverse = np.divide(1.0, span**2, out=np.zeros_like(span), where=span > 0)
    if method in ("zscore", "minmax"):
        return inverse, None
    if method == "relief":
        return np.maximum(relief(X, y), 0), None
    if method == "relief, unit ranges":
        return np.maximum(relief(X, y), 0) * inverse, None
    if method == "relief, no ranges":
        return np.maximum(_relief_without_ranges(X, y), 0), None
    known = [*METHODS, "relief, unit ranges", "relief, no ranges"]
    raise ValueError(f"Unknown method {method!r}; choose from {', '.join(map(repr, known))}.")


def _relief_without_ranges(X, y):
    """Relief in the units of the data: nearest hit and miss in Euclidean distance, squared differences undivided."""
    d = squareform(pdist(X, "sqeuclidean"))
    np.fill_diagonal(d, np.inf)
    friends = y[:, None] == y
    hits, misses = np.where(friends, d, np.inf).argmin(axis=1), np.where(friends, np.inf, d).argmin(axis=1)
    return np.mean((X - X[misses]) ** 2 - (X - X[hits]) ** 2, axis=0)


def _predict(w, X, y, X_test, k):
    root = np.sqrt(w / w.max()) if w.max() > 0 else w
    return KNeighborsClassifier(k, algorithm="brute").fit(X * root, y).predict(X_test * root)


def _folds(X, y, dataset, repeat, n_splits, seed):
    """The splits that all methods share."""
    return StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(seed, "split", dataset, repeat)).split(X, y)
