"""Claims M2, M8 and M9 of Hocke and Martinetz 2014, on the linear program: feasibility, equivalence, size."""

import time

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_classification

from compendium.units import crossed, name_of, run_units, seed_for, tidy
from fscore.weighting import MDM
from hocke2014.protocol import samples_of

TWIN = "one label flipped twin"
CASES = ("as is", "distinct", TWIN)


def feasibility(dataset, *, seed, target=None, n_random=20, max_samples=60):
    """Claim M2: is the hard program feasible on random data, on real data, and with identical samples of two classes?

    The program written in full (HiGHS through cvxpy) answers on at most ``max_samples`` samples, `MDM` on all.

    Parameters
    ----------
    dataset : sequence of str
    seed, target
        As in `hocke2014.mdm.MethodClaims`.
    n_random : int
        Random data sets.
    max_samples : int
        Largest sample of the program in full, and largest random data set.

    Returns
    -------
    DataFrame
        dataset ("random" for generated ones), case ("as is"; "distinct": without the samples that occur more than once,
        if at least two classes remain; "one label flipped twin": with a copy of a sample under another label), repeat,
        metric, value. Metrics:
        ``n_samples``, ``n_features``, ``identical_pairs``, ``optimal_full`` (0 or 1), ``optimal_mdm`` (0 or 1: the
        weights keep different classes at distance one, and the optimum is certified to 1e-6).
    """
    shared = {"max_samples": max_samples, "seed": seed}
    real = crossed({"target": target, **shared}, dataset=dataset, case=CASES)
    random = crossed(shared, repeat=range(n_random), case=[CASES[0], TWIN])  # random samples are always distinct
    return pd.concat(
        [
            run_units(_is_feasible, real, label="feasibility"),
            run_units(_is_feasible_at_random, random, label="feasibility on random data"),
        ],
        ignore_index=True,
    )


def _is_feasible(dataset, target, case, max_samples, seed):
    rng = np.random.default_rng(seed_for(seed, "feasibility", name_of(dataset), 0))
    X, y = samples_of(dataset, target)
    return tidy({"dataset": dataset, "case": case, "repeat": 0}, _optima(X, y, case, max_samples, rng))


def _is_feasible_at_random(case, repeat, max_samples, seed):
    rng = np.random.default_rng(seed_for(seed, "feasibility", "None", repeat))  # "None": no data set
    n, d, n_classes = rng.integers(10, max_samples + 1), rng.integers(1, 31), rng.integers(2, 5)
    X, y = rng.normal(size=(n, d)), rng.permutation(np.arange(n) % n_classes)
    return tidy({"dataset": "random", "case": case, "repeat": repeat}, _optima(X, y, case, max_samples, rng))


def _optima(X, y, case, max_samples, rng):
    if case == "distinct":
        _, point, copies = np.unique(X, axis=0, return_inverse=True, return_counts=True)
        X, y = X[copies[point] == 1], y[copies[point] == 1]
        if len(np.unique(y)) < 2:
            return {}
    if case == TWIN:
        twin = rng.integers(len(X))
        X, y = np.vstack([X, X[twin]]), np.append(y, rng.choice(np.unique(y[y != y[twin]])))
    identical = (squareform(pdist(X)) == 0) & (y[:, None] != y)
    rows = _some(y, max_samples, rng)
    if case == TWIN:
        rows = np.unique([*rows, twin, len(X) - 1])
    return {
        "n_samples": len(X),
        "n_features": X.shape[1],
        "identical_pairs": np.sum(identical) / 2,
        "optimal_full": _full_is_optimal(X[rows], y[rows]),
        "optimal_mdm": _mdm_is_optimal(X, y),
    }


def _some(y, max_samples, rng):
    """Rows of ``max_samples`` random samples, plus one more if all of them have the same class."""
    rows = np.sort(rng.permutation(len(y))[:max_samples])
    if len(np.unique(y[rows])) < 2:
        rows = np.unique([*rows, np.argmax(y != y[rows[0]])])
    return rows


def _full_is_optimal(X, y):
    import cvxpy as cp

    between, _ = _pair_differences(X, y)
    w = cp.Variable(X.shape[1], nonneg=True)
    problem = cp.Problem(cp.Minimize(0), [between @ w >= 1])  # r is unbounded above, so only eq. (6) matters
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


def equivalence(dataset, *, seed, target=None, max_samples=80, solver="CLARABEL"):
    """Claim M8: minimum distance maximization, solved independently, against maximum distance minimization.

    The second program maximizes the smallest distance between classes while distances within classes are at most one.
    Identical samples of different classes, which no weights separate, are not constrained.

    Parameters
    ----------
    dataset : sequence of str
    seed, target
        As in `hocke2014.mdm.MethodClaims`.
    max_samples : int
        Larger sets are sampled.
    solver : str
        cvxpy's solver of the second program; not the one that `MDM` uses.

    Returns
    -------
    DataFrame
        dataset, metric, value. Metrics: ``ratio_minmax`` (r) and ``ratio_maxmin`` (1/t), the largest squared distance
        within classes over the smallest between classes; ``ratio_difference``, relative; ``weight_difference``, total
        variation between the features' shares of the weighted variance.
    """
    shared = {"max_samples": max_samples, "solver": solver, "target": target, "seed": seed}
    return run_units(_solve_both, crossed(shared, dataset=dataset), label="equivalence")


def _solve_both(dataset, max_samples, solver, target, seed):
    import cvxpy as cp

    X, y = samples_of(dataset, target)
    rows = _some(y, max_samples, np.random.default_rng(seed_for(seed, "equivalence", name_of(dataset))))
    X, y = X[rows], y[rows]
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
    *, sizes, seed, n_features=(5, 10, 20, 40), base=(100, 10), solvers=("full", "constraints"), nu=None, n_repeats=3
):
    """Claim M9: rows, columns and time of the program against the numbers of samples N and of features D.

    Parameters
    ----------
    sizes : sequence of int
        N, at D = ``base[1]``.
    seed : int
    n_features : sequence of int
        D, at N = ``base[0]``.
    base : (int, int)
    solvers : sequence of str
        Of `MDM`.
    nu : float or None
        nu of soft MDM; None is hard MDM.
    n_repeats : int
        Random data sets of each size.

    Returns
    -------
    DataFrame
        varied ("N", "D"), n_samples, n_features, solver, repeat, metric, value. Metrics: ``rows_printed`` (N**2, eq.
        10), ``rows`` (without repetitions), ``rows_used`` by the solver, ``seconds``; and for the full program, as
        cvxpy counts them, ``constraints`` and ``unknowns``.
    """
    cases = [("N", n, base[1]) for n in sizes] + [("D", base[0], d) for d in n_features]
    units = [
        {"varied": varied, "n_samples": n, "n_features": d, **unit}
        for varied, n, d in cases
        for unit in crossed({"nu": nu, "seed": seed}, solver=solvers, repeat=range(n_repeats))
    ]
    return run_units(_measure_size, units, label="program size")


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
        counted = _full_program(X, y, mdm.C_).size_metrics
        measured["constraints"] = counted.num_scalar_leq_constr + counted.num_scalar_eq_constr
        measured["unknowns"] = counted.num_scalar_variables
    return tidy(what, measured)


def _full_program(X, y, C):
    """Eqs. (6)-(8) in cvxpy with every pair once; (12)-(14) where ``C`` is given, same-class pairs in both orders."""
    import cvxpy as cp

    between, within = _pair_differences(X, y)
    w, r = cp.Variable(X.shape[1], nonneg=True), cp.Variable(nonneg=True)
    if C is None:
        return cp.Problem(cp.Minimize(r), [between @ w >= 1, within @ w <= r])
    slacks = cp.Variable(len(X), nonneg=True)
    first, second = np.triu_indices(len(X), 1)
    same_class = y[first] == y[second]
    ends = [within @ w <= r + slacks[end[same_class]] for end in (first, second)]
    return cp.Problem(cp.Minimize(r + C * cp.sum(slacks)), [between @ w >= 1, *ends])


def _pair_differences(X, y):
    """Squared coordinate differences of all pairs of different classes, and of all pairs of one class."""
    i, j = np.triu_indices(len(X), 1)
    Z, same_class = (X[i] - X[j]) ** 2, y[i] == y[j]
    return Z[~same_class], Z[same_class]
