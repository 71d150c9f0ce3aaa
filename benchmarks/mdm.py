"""MDM against the full program: the same optimum, how much sooner."""

from statistics import median
from time import perf_counter

import numpy as np
from common import against
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

from fscore.datasets import load
from fscore.weighting import MDM


def rows(quick=False, repeats=5):
    """Hard and soft MDM on wdbc against scipy's linprog (HiGHS) on the full program.

    The peer's matrix is built beforehand: its solver alone is timed, once (it takes seconds to minutes), between
    ``repeats`` and ``repeats`` of our whole ``fit``. ``equal``: the objectives agree to a relative 1e-9.
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


def _full_program(X, y, C):
    """Eqs. (9)-(11) and their soft form, each constraint once, on features in unit range."""
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    n, d = X.shape
    i, j = np.triu_indices(n, 1)
    Z, friends = (X[i] - X[j]) ** 2, y[i] == y[j]
    between, within, ends = -Z[~friends], Z[friends], (i[friends], j[friends])
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
