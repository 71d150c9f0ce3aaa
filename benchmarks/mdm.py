"""MDM against the full program: the same optimum, how much sooner."""

import time

import numpy as np
from scipy.optimize import linprog

from fscore.datasets import load
from fscore.weighting import MDM

__all__ = ["mdm"]


def mdm(n_repeats=5):
    """Hard and soft MDM on wdbc against scipy's linprog (HiGHS) on the full program, interleaved in one run.

    The peer's matrix is built beforehand: only its solver is timed, against all of ``fit``.

    Parameters
    ----------
    n_repeats : int, default=5
        Of ours, for each run of the peer (which takes seconds to minutes).

    Returns
    -------
    list of dict
        work, peer, peer_seconds, ours_seconds, ratio (of the peer's time to the median of ours), equal (objectives agree to
        a relative 1e-9).
    """
    X, y = load("wdbc", return_X_y=True)
    rows = []
    for work, C in ("hard MDM, wdbc", None), ("soft MDM C=0.01, wdbc", 0.01):
        MDM(C=C).fit(X, y)
        program = _full_program(X, y, C)
        before = [_timed(MDM(C=C).fit, X, y) for _ in range(n_repeats)]
        peer_seconds, peer = _timed(linprog, **program, method="highs")
        after = [_timed(MDM(C=C).fit, X, y) for _ in range(n_repeats)]
        seconds = float(np.median([seconds for seconds, _ in before + after]))
        gap = abs(after[0][1].objective_ - peer.fun) / peer.fun
        rows.append(
            {
                "work": work,
                "peer": "scipy.optimize.linprog, full program",
                "peer_seconds": peer_seconds,
                "ours_seconds": seconds,
                "ratio": peer_seconds / seconds,
                "equal": bool(gap < 1e-9),
            }
        )
    return rows


def _full_program(X, y, C):
    """Eqs. (9)-(11) and their soft form, each constraint once, on features in unit range."""
    from scipy.sparse import csr_array, eye_array, hstack, vstack

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


def _timed(function, *args, **kwargs):
    start = time.perf_counter()
    result = function(*args, **kwargs)
    return time.perf_counter() - start, result
