"""MDM's linear program with all its rows."""

import os

import numpy as np

from fscore.weighting.mdm._program import Solution

BYTES_PER_COEFFICIENT = 300  # memory of cvxpy and HiGHS, measured on wdbc with 162,000 rows of 31 coefficients


def full_program(sample, C=None):
    """Eqs. (6)-(8), or (12)-(14) if ``C`` is given, in cvxpy, with all constraints.

    Parameters
    ----------
    sample : Sample
    C : float, optional

    Returns
    -------
    problem : cvxpy.Problem
    variables : tuple
        w, r, and the slacks (None for the hard program).
    rows : Rows

    Raises
    ------
    MemoryError
        If the machine has not enough memory for it.
    """
    import cvxpy as cp

    same, other = sample.n_pairs()
    n_rows = same * (1 if C is None else 2) + other
    need = n_rows * (sample.n_features + 1) * BYTES_PER_COEFFICIENT
    have = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 8e9
    if need > have:
        raise MemoryError(
            f"The full program of {sample.n_samples} samples has {n_rows} rows and {sample.n_features + 1} columns: "
            f"about {need / 1e9:.0f} GB in the solver; this machine has {have / 1e9:.0f} GB. Use solver='constraints'."
        )
    rows = sample.all_pairs(ordered=C is not None)
    w, r = cp.Variable(sample.n_features, nonneg=True), cp.Variable(nonneg=True)
    slacks = None if C is None else cp.Variable(sample.n_samples, nonneg=True)
    constraints = [sample.differences(rows.other) @ w >= 1]
    if len(rows.same):
        allowance = r if slacks is None else r + slacks[rows.same[:, 0]]
        constraints.append(sample.differences(rows.same) @ w <= allowance)
    goal = r if slacks is None else r + C * cp.sum(slacks)
    return cp.Problem(cp.Minimize(goal), constraints), (w, r, slacks), rows


def solve_full(sample, C=None):
    """Solve the full program with HiGHS.

    Returns
    -------
    solution : Solution or None
        None if the program is infeasible to the solver's precision.
    rows : Rows
    """
    import cvxpy as cp

    problem, (w, r, slacks), rows = full_program(sample, C)
    problem.solve(solver=cp.HIGHS)
    if problem.status in (cp.INFEASIBLE, cp.INFEASIBLE_INACCURATE):
        return None, rows
    if problem.status != cp.OPTIMAL:
        raise RuntimeError(f"HiGHS ended with status {problem.status!r} on the full program.")
    other, same = problem.constraints[0], problem.constraints[1:]
    return Solution(
        np.maximum(w.value, 0),
        float(r.value),
        np.zeros(sample.n_samples) if slacks is None else slacks.value,
        problem.value,
        same[0].dual_value if same else np.empty(0),
        other.dual_value,
    ), rows
