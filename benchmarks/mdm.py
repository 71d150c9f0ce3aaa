"""MDM against the full program, nu paths against single fits, large fits."""

import sys
from statistics import median
from time import perf_counter

import numpy as np
from common import Row, absent, against, format_seconds, interleaved, peak_megabytes, run_in_subprocess
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_classification

from fscore.datasets import DatasetUnavailableError, load
from fscore.weighting import MDM, mdm_path
from fscore.weighting.mdm._certificate import evaluate

NUS = (0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02)  # the grid used in the book


def rows(quick=False, repeats=5):
    """Hard and soft MDM on wdbc against scipy's linprog (HiGHS) on the full program.

    The peer's matrix is built beforehand. Only its solver is timed, once, because it takes seconds to minutes; our
    whole ``fit`` is timed ``repeats`` times before and after it. ``equal``: the objectives agree to a relative 1e-9.
    Further rows: a path of nu against the sum of its single fits and against the slowest of them; and, unless quick,
    time and memory with many samples or features.
    """
    X, y = load("wdbc", return_X_y=True)
    for C in None, 0.01:
        estimator = MDM(C=C).fit(X, y)
        program = _full_program(X, y, C)
        ours = [_seconds(estimator.fit, X, y)[0] for _ in range(repeats)]
        peer_seconds, peer = _seconds(linprog, **program, method="highs")
        ours += [_seconds(estimator.fit, X, y)[0] for _ in range(repeats)]
        equal = abs(estimator.objective_ - peer.fun) < 1e-9 * peer.fun
        work = "MDM hard, wdbc" if C is None else f"MDM soft C={C}, wdbc"
        yield against(work, "linprog, full program", [peer_seconds], [median(ours)], equal, goal=150)
    for name in ("wdbc",) if quick else ("wdbc", "sonar", "ionosphere", "alon", "generated 2000x30"):
        yield from _path(name, repeats)
    if not quick:
        yield _large("generated", "5000x30", seconds=15, megabytes=500)
        yield _large(_wide(), "72x7129", seconds=60, megabytes=1500)


def _path(name, repeats):
    """``equal``: the objectives agree to a relative 2e-9 (each within 1e-9 of the optimum)."""
    work = f"MDM path of {len(NUS)} nu, {name}"
    try:
        X, y = _generated(2000) if name.startswith("generated") else load(name, return_X_y=True)
    except DatasetUnavailableError:
        yield absent(work, name)
        return
    y = np.unique(y, return_inverse=True)[1]
    estimators = [MDM(nu=nu, duplicates="drop") for nu in NUS]
    path_seconds, *single_seconds = interleaved(
        lambda: mdm_path(X, y, NUS, duplicates="drop"),
        *[lambda mdm=mdm: mdm.fit(X, y) for mdm in estimators],
        repeats=repeats,
    )
    path = mdm_path(X, y, NUS, duplicates="drop")
    equal = all(
        abs(_objective(X, y, weights, mdm.C_) - mdm.objective_) <= 2e-9 * mdm.objective_
        for weights, mdm in zip(path, estimators, strict=True)
    )
    yield against(work, "single fits, sum", np.sum(single_seconds, axis=0), path_seconds, equal)
    yield against(work, "slowest single fit", np.max(single_seconds, axis=0), path_seconds, equal)


def _objective(X, y, weights, C):
    """Eq. (14) for given weights and the best radius, from the distances of all pairs."""
    distances = squareform(pdist(X * np.sqrt(weights), "sqeuclidean"))
    return evaluate(np.where(y[:, None] == y, distances, 0).max(axis=1), C)[-1]


def _large(data, shape, seconds, megabytes):
    """One fit in a new process: its time, its certificate, and the peak memory of the whole process."""
    spent, gap, peak = run_in_subprocess(__file__, data)
    return Row(
        f"MDM soft nu=0.2, {data} {shape}",
        "-",
        f"{format_seconds(spent)}, {peak:.0f} MB, gap {gap:.1e}",
        "-",
        f"<= {seconds} s, <= {megabytes} MB, gap <= 1e-6",
        spent <= seconds and peak <= megabytes and gap <= 1e-6,
    )


def _generated(n_samples):
    return make_classification(n_samples, 30, n_informative=10, random_state=0)


def _wide():
    """Golub's leukaemia where it can be had, else normal features of its shape."""
    try:
        load("golub")
    except DatasetUnavailableError:
        return "wide_gaussian"
    return "golub"


def _full_program(X, y, C):
    """Eqs. (9)-(11) and their soft form, each constraint once, on features in unit range."""
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    n, d = X.shape
    i, j = np.triu_indices(n, 1)
    Z, same = (X[i] - X[j]) ** 2, y[i] == y[j]
    between, within, ends = -Z[~same], Z[same], (i[same], j[same])
    if C is None:
        A = np.vstack([np.c_[between, np.zeros(len(between))], np.c_[within, -np.ones(len(within))]])
        return {"c": np.r_[np.zeros(d), 1], "A_ub": A, "b_ub": np.r_[-np.ones(len(between)), np.zeros(len(within))]}
    ones, units = np.ones((len(within), 1)), eye_array(n, format="csr")
    A = vstack(
        [hstack([csr_array(between), csr_array((len(between), 1 + n))])]
        + [hstack([csr_array(np.c_[within, -ones]), -units[end]]) for end in ends]
    )
    return {
        "c": np.r_[np.zeros(d), 1, np.full(n, C)],
        "A_ub": A.tocsr(),
        "b_ub": np.r_[-np.ones(len(between)), np.zeros(2 * len(within))],
    }


def _seconds(function, *args, **kwargs):
    start = perf_counter()
    result = function(*args, **kwargs)
    return perf_counter() - start, result


if __name__ == "__main__":
    sample = _generated(5000) if sys.argv[1] == "generated" else load(sys.argv[1], return_X_y=True)
    spent, mdm = _seconds(MDM(nu=0.2).fit, *sample)
    print(spent, mdm.duality_gap_, peak_megabytes())
