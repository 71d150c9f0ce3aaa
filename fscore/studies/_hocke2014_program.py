"""Claims on MDM's linear program itself (feasibility, equivalence, size), and the two figures."""

import time
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs, make_classification

from fscore.datasets import load
from fscore.studies._hocke2014_methods import tidy
from fscore.studies._units import run_units, seed_for
from fscore.weighting import MDM
from fscore.weighting.mdm._full import full_program
from fscore.weighting.mdm._preprocessing import PreparedData

__all__ = ["Illustration", "equivalence", "feasibility", "illustration", "program_size"]


def feasibility(datasets, *, n_random=20, max_samples=60, target=None, seed=0, n_jobs=None):
    """Claim M2: is the hard program feasible on random data, on real data, and with identical samples of two classes?

    Whether an optimum exists is asked of the program written in full (HiGHS through cvxpy) on at most ``max_samples``
    samples, and of `MDM` on all.

    Returns
    -------
    DataFrame
        dataset ("random" for generated ones), case ("as is"; "distinct": samples that occur more than
        once left out; "one label flipped twin": with a copy of a sample under another label), repeat, metric, value.
        Metrics: ``n_samples``, ``n_features``, ``identical_pairs``, ``optimal_full`` (0 or 1), ``optimal_mdm`` (0 or 1:
        weights were found that keep all classes at distance one, certified to 1e-6).
    """
    shared = {"max_samples": max_samples, "target": target, "seed": seed}
    cases = ("as is", "distinct", "one label flipped twin")
    units = [{"dataset": dataset, "case": case, "repeat": 0, **shared} for dataset in datasets for case in cases]
    units += [{"case": case, "repeat": r, **shared} for r in range(n_random) for case in cases[::2]]
    return run_units(_is_feasible, units, n_jobs=n_jobs, label="feasibility")


def _is_feasible(case, repeat, max_samples, target, seed, dataset=None):
    rng = np.random.default_rng(seed_for(seed, "feasibility", str(dataset), repeat))
    if dataset is None:
        n, d, n_classes = rng.integers(10, max_samples + 1), rng.integers(1, 31), rng.integers(2, 5)
        X, y = rng.normal(size=(n, d)), rng.permutation(np.arange(n) % n_classes)
    else:
        X, y = load(dataset, return_X_y=True, target=target)
    if case == "distinct":
        _, place, copies = np.unique(X, axis=0, return_inverse=True, return_counts=True)
        X, y = X[copies[place] == 1], y[copies[place] == 1]
    if case == "one label flipped twin":
        twin = rng.integers(len(X))
        X, y = np.vstack([X, X[twin]]), np.append(y, rng.choice(np.unique(y[y != y[twin]])))
    identical = (squareform(pdist(X)) == 0) & (y[:, None] != y)
    kept = _some(y, max_samples, rng)
    if case == "one label flipped twin":
        kept = np.unique([*kept, twin, len(X) - 1])
    return tidy(
        {"dataset": "random" if dataset is None else dataset, "case": case, "repeat": repeat},
        {
            "n_samples": len(X),
            "n_features": X.shape[1],
            "identical_pairs": np.sum(identical) / 2,
            "optimal_full": _full_is_optimal(X[kept], y[kept]),
            "optimal_mdm": _mdm_is_optimal(X, y),
        },
    )


def _some(y, max_samples, rng):
    """Rows of ``max_samples`` samples drawn by lot, and of one more if these are of one class."""
    kept = np.sort(rng.permutation(len(y))[:max_samples])
    if len(np.unique(y[kept])) < 2:
        kept = np.unique([*kept, np.argmax(y != y[kept[0]])])
    return kept


def _full_is_optimal(X, y):
    import cvxpy as cp

    between, _ = _pair_differences(X, y)
    w = cp.Variable(X.shape[1], nonneg=True)
    problem = cp.Problem(cp.Minimize(0), [between @ w >= 1])  # r can always be raised: eq. (6) alone decides
    problem.solve(solver=cp.HIGHS)
    return float(problem.status == cp.OPTIMAL)


def _mdm_is_optimal(X, y):
    try:
        mdm = MDM().fit(X, y)
    except ValueError as error:
        if "identical" not in str(error):
            raise
        return 0.0
    d = squareform(pdist(mdm.transform(X), "sqeuclidean"))
    return float(mdm.duality_gap_ < 1e-6 and d[y[:, None] != y].min() > 1 - 1e-9)


def equivalence(datasets, *, max_samples=80, solver="CLARABEL", target=None, seed=0, n_jobs=None):
    """Claim M8: minimum distance maximization, solved on its own, against maximum distance minimization.

    Maximize the smallest distance between classes while distances within classes are at most one. The solver is not the
    one that `MDM` uses. Identical samples of different classes, which no weights tell apart, are under no constraint.

    Returns
    -------
    DataFrame
        dataset, metric, value. Metrics: ``ratio_minmax`` (r) and ``ratio_maxmin`` (1/t), the largest squared distance
        within over the smallest between classes; ``ratio_difference``, relative; ``weight_difference``, total
        variation between the features' shares of the weighted variance.
    """
    units = [
        {"dataset": dataset, "max_samples": max_samples, "solver": solver, "target": target, "seed": seed}
        for dataset in datasets
    ]
    return run_units(_solve_both, units, n_jobs=n_jobs, label="equivalence")


def _solve_both(dataset, max_samples, solver, target, seed):
    import cvxpy as cp

    X, y = load(dataset, return_X_y=True, target=target)
    kept = _some(y, max_samples, np.random.default_rng(seed_for(seed, "equivalence", dataset)))
    X, y = X[kept], y[kept]
    minmax = MDM(duplicates="drop").fit(X, y)
    X = (X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1)
    between, within = _pair_differences(X, y)
    between = between[between.any(axis=1)]
    w, t = cp.Variable(X.shape[1], nonneg=True), cp.Variable()
    problem = cp.Problem(cp.Maximize(t), [between @ w >= t, within @ w <= 1])
    problem.solve(solver=solver)
    ratio = 1 / problem.value
    share = np.maximum(w.value, 0) * X.var(axis=0)
    measured = {
        "ratio_minmax": minmax.r_,
        "ratio_maxmin": ratio,
        "ratio_difference": abs(ratio - minmax.r_) / minmax.r_,
        "weight_difference": np.abs(share / share.sum() - minmax.feature_importances_).sum() / 2,
    }
    return tidy({"dataset": dataset}, measured)


def program_size(
    n_samples=(50, 100, 200, 400),
    n_features=(5, 10, 20, 40),
    *,
    base=(100, 10),
    solvers=("full", "constraints"),
    nu=None,
    n_repeats=3,
    seed=0,
    n_jobs=None,
):
    """Claim M9: rows, columns and solve time of the program against N (at D = ``base[1]``) and D (at N = ``base[0]``).

    Returns
    -------
    DataFrame
        varied ("N", "D"), n_samples, n_features, solver, repeat, metric, value. Metrics: ``rows_printed`` (N**2, eq.
        10), ``rows`` (without repetitions), ``rows_used`` by the solver, ``seconds``; and for the full program, as
        cvxpy counts them, ``constraints`` and ``unknowns``.
    """
    sizes = [("N", n, base[1]) for n in n_samples] + [("D", base[0], d) for d in n_features]
    units = [
        {"varied": varied, "n_samples": n, "n_features": d, "solver": solver, "nu": nu, "repeat": repeat, "seed": seed}
        for varied, n, d in sizes
        for solver in solvers
        for repeat in range(n_repeats)
    ]
    return run_units(_measure_size, units, n_jobs=n_jobs, label="program size")


def _measure_size(varied, n_samples, n_features, solver, nu, repeat, seed):
    X, y = make_classification(
        n_samples,
        n_features,
        n_informative=max(2, n_features // 2),
        n_redundant=0,
        random_state=seed_for(seed, "size", n_samples, n_features, repeat),
    )
    start = time.perf_counter()
    mdm = MDM(nu=nu, solver=solver).fit(X, y)
    seconds = time.perf_counter() - start
    what = {"varied": varied, "n_samples": n_samples, "n_features": n_features, "solver": solver, "repeat": repeat}
    measured = {
        "rows_printed": n_samples**2,
        "rows": mdm.n_constraints_.full,
        "rows_used": mdm.n_constraints_.used,
        "seconds": seconds,
    }
    if solver == "full":
        program, *_ = full_program(PreparedData(X, y, "error").sample, mdm.C_)
        counted = program.size_metrics
        measured["constraints"] = counted.num_scalar_leq_constr + counted.num_scalar_eq_constr
        measured["unknowns"] = counted.num_scalar_variables
    return tidy(what, measured)


class Illustration(NamedTuple):
    """Figures 1 and 2 as tables, in coordinates of the weighted space: the closest strangers are 1 apart."""

    points: pd.DataFrame  # figure, setting, sample, label, x1, x2, slack
    pairs: pd.DataFrame  # figure, setting, name (d1, d2, d3), i, j, squared_distance
    radii: pd.DataFrame  # figure, setting, r, w1, w2, objective


def illustration(*, n_samples=24, spread=0.6, stretch=4.0, nu=0.2, seed=0):
    """Figures 1 and 2: what hard and soft MDM do, on two round classes of which one axis is stretched.

    Figure 1 has the settings "equal weights" and "hard MDM"; Figure 2 adds one point far from its class and has
    "hard MDM" and "soft MDM". ``d1`` is the shortest pair of two classes, ``d2`` and ``d3`` the longest of each class.

    Returns
    -------
    Illustration
    """
    rng_seed = seed_for(seed, "illustration")
    X, y = make_blobs(n_samples, centers=[[0, 0], [2.5, 1.5]], cluster_std=spread, random_state=rng_seed)
    X[:, 1] *= stretch
    outlier = np.array([[-3.0, 2.5 * stretch * spread]])
    tables = [], [], []
    settings = [
        (1, "equal weights", X, y, None),
        (1, "hard MDM", X, y, MDM()),
        (2, "hard MDM", np.vstack([X, outlier]), np.append(y, 0), MDM()),
        (2, "soft MDM", np.vstack([X, outlier]), np.append(y, 0), MDM(nu=nu)),
    ]
    for figure, setting, A, b, mdm in settings:
        for table, part in zip(tables, _drawn(A, b, mdm), strict=True):
            table.append(part.assign(figure=figure, setting=setting))
    return Illustration(*(pd.concat(table, ignore_index=True) for table in tables))


def _drawn(X, y, mdm):
    if mdm is None:
        w, slacks = np.ones(2), np.zeros(len(X))
        w /= squareform(pdist(X, "sqeuclidean"))[y[:, None] != y].min()
    else:
        mdm.fit(X, y)
        w, slacks = mdm.weights_, mdm.slacks_
    Z = X * np.sqrt(w)
    d = squareform(pdist(Z, "sqeuclidean"))
    pairs = [("d1", np.where(y[:, None] != y, d, np.inf).argmin())]
    pairs += [(f"d{c + 2}", np.where((y[:, None] == c) & (y == c), d, -1).argmax()) for c in (0, 1)]
    pairs = [{"name": name, "i": p // len(X), "j": p % len(X), "squared_distance": d.flat[p]} for name, p in pairs]
    r = max(pair["squared_distance"] for pair in pairs[1:]) if mdm is None else mdm.r_
    points = pd.DataFrame({"sample": range(len(X)), "label": y, "x1": Z[:, 0], "x2": Z[:, 1], "slack": slacks})
    radius = {"r": r, "w1": w[0], "w2": w[1], "objective": r if mdm is None else mdm.objective_}
    return points, pd.DataFrame(pairs), pd.DataFrame([radius])


def _pair_differences(X, y):
    """Squared coordinate differences of all pairs of different classes, and of one class."""
    i, j = np.triu_indices(len(X), 1)
    Z, friends = (X[i] - X[j]) ** 2, y[i] == y[j]
    return Z[~friends], Z[friends]
