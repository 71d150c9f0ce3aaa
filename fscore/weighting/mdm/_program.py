"""MDM's linear program: what constraint generation asks of a solver, the bound that certifies weights, all its rows."""

import os
from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from fscore._extras import extra

CONFUSION = 0.1  # rounding error, relative to the distance between classes, that may hide the nearest samples
HARD_PENALTY = 0.75  # above 1/2, where the soft program has the optima of the hard one
BYTES_PER_COEFFICIENT = 300  # memory of cvxpy and HiGHS, measured on wdbc with 162,000 rows of 31 coefficients


class Solution(NamedTuple):
    """An optimum of a program: variables, a lower bound on its value, and the multipliers of its rows."""

    w: np.ndarray
    r: float
    slacks: np.ndarray
    bound: float
    same_duals: np.ndarray
    other_duals: np.ndarray


class Program(ABC):
    r"""MDM's linear program restricted to the constraints found so far.

    .. math:: \min_{w, r, \xi \ge 0} r + C \sum_i \xi_i \quad\text{s.t.}\quad
        \|x_i - x_j\|_w^2 \ge \text{margin} \;\; ((i, j) \in \text{other}), \qquad
        \|x_i - x_j\|_w^2 \le r + \xi_i \;\; ((i, j) \in \text{same})

    Without :math:`\xi` if ``C`` is None. :func:`~fscore.weighting.mdm._generation.generate_rows` alternates
    between :meth:`solve` and :meth:`add` until no pair violates the solution, then continues with the program that
    :meth:`refined` returns, if any. A path over several ``C`` calls :meth:`set_C` in between.

    Attributes
    ----------
    name : str
        Reported as ``MDM.solver_``.
    first_accuracy : float
        The accuracy to ask of the first :meth:`solve`: coarse where early solutions only serve to find violated pairs.
    best_accuracy : float
        The finest accuracy worth asking for. Zero for a program that always solves exactly.
    sufficient_gap : float
        The relative gap at which constraint generation may stop even if its own tolerance is smaller, because
        :meth:`refined` closes the rest. Zero for a program that solves exactly.
    sample : Sample
    C : float or None
    margin : float
        Lower bound on the distances between classes.
    rows : Rows
        The constraints, in the order of the multipliers of a :class:`Solution`.
    """

    name: str
    first_accuracy = best_accuracy = sufficient_gap = 0.0

    @abstractmethod
    def add(self, rows):
        """Append constraints.

        Parameters
        ----------
        rows : Rows
            None of them known yet.
        """

    @abstractmethod
    def set_C(self, C):
        """Change the penalty of a soft program; the constraints stay. A hard program cannot become soft, nor back."""

    @abstractmethod
    def solve(self, accuracy=0.0):
        """Solve the program over all features and the constraints found so far.

        Parameters
        ----------
        accuracy : float, default=0.0
            Relative accuracy that suffices; the solution may be more accurate.

        Returns
        -------
        Solution
            With non-negative weights. Its ``bound`` is a lower bound on the value of the full program, to within the
            accuracy.

        Raises
        ------
        RuntimeError
            If the solver finds no optimum.
        """

    def refined(self, solution):
        """Return the program that continues from an approximate solution to an exact one.

        Parameters
        ----------
        solution : Solution
            The last one of this program.

        Returns
        -------
        Program or None
            Holds the same constraints. None (the default) if :meth:`solve` is exact: a vertex, in which irrelevant
            features have weight exactly zero.
        """
        return None


def effective_penalty(C, n_samples):
    """The penalty to solve for: None (the hard program) if ``C > 1/2``, and at least ``1 / n_samples``.

    The pair farthest apart takes its excess over r from both of its samples, so a unit of it costs at least 2 C: more
    than the unit of r that would cover it. The two programs then have the same optima, and a large penalty would only
    exceed the solver's tolerances.

    If ``C <= 1 / n_samples``, r is zero and the objective is C times the sum of the slacks. The optimal weights do not
    depend on C then, but a small objective would be below the tolerances.
    """
    return None if C is None or C > 0.5 else max(C, 1 / n_samples)


def best_radius(farthest_distance, C):
    """The largest optimal r for given weights, and its slacks.

    ``min_r r + C sum_i max(f_i - r, 0)``, with f_i the distance to the farthest sample of the same class, is attained
    at the ceil(1/C)-th largest f: MDM minimizes the conditional value at risk of f.
    """
    n = len(farthest_distance)
    rank = 1 if C is None else np.ceil(1 / C - 1e-9)  # infinite for the smallest C
    if rank > n:
        r = 0.0
    else:
        r = float(np.partition(farthest_distance, n - int(rank))[n - int(rank)])
    return r, np.maximum(farthest_distance - r, 0.0)


def objective(r, slacks, C):
    """Eq. (8), or eq. (14) if ``C`` is given."""
    return r if C is None else r + C * slacks.sum()


class Evaluation(NamedTuple):
    """Radius, slacks and objective of weights scaled to keep classes at distance one."""

    r: float
    slacks: np.ndarray
    objective: float


class Certified(NamedTuple):
    """Weights scaled to keep classes at distance one, with their objective and a bound on its relative error."""

    w: np.ndarray
    r: float
    slacks: np.ndarray
    objective: float
    gap: float


def relative_gap(upper, lower):
    """The gap as a fraction of the value; of 1e-4 (of the distance between classes) if the value is smaller."""
    return float((upper - lower) / max(upper, 1e-4)) if np.isfinite(upper) else np.inf


def evaluate(extremes, C):
    """The :class:`Evaluation` of the weights that have these extremes.

    The objective is infinite if the weights let samples of different classes coincide.
    """
    nearest = extremes.nearest_distance.min()
    if nearest == 0:
        return Evaluation(np.inf, np.zeros(len(extremes.farthest)), np.inf)
    r, slacks = best_radius(extremes.farthest_distance / nearest, C)
    return Evaluation(r, slacks, objective(r, slacks, C))


def certify(sample, rows, solution, C, extremes):
    """Make weights exactly feasible for all pairs, and bound their distance from the optimum by weak duality.

    The multipliers of any rows give a lower bound once they are feasible: same-class ones reduced to
    sum_q beta_q <= 1 and sum_j beta_ij <= C, different-class ones scaled so that
    sum_p alpha_p z_p <= sum_q beta_q z_q holds for every feature. The bound is then sum_p alpha_p.

    Parameters
    ----------
    sample : Sample
    rows : Rows
        The constraints to which the multipliers of ``solution`` belong.
    solution : Solution
    C : float or None
    extremes : Extremes
        Under the weights of ``solution``.

    Returns
    -------
    Certified
    """
    r, slacks, value = evaluate(extremes, C)
    beta = np.maximum(solution.same_duals, 0)
    if C is not None:
        load = np.bincount(rows.same[:, 0], weights=beta, minlength=sample.n_samples)
        beta = beta / np.maximum(load / C, 1)[rows.same[:, 0]]
    feasible = solution._replace(same_duals=beta / max(1.0, beta.sum()))
    left, right = dual_constraints(sample, rows, feasible)
    positive = left > 0
    bound = np.maximum(solution.other_duals, 0).sum() * min(1.0, np.min(right[positive] / left[positive], initial=1.0))
    scale = extremes.nearest_distance.min() or 1.0
    rounding = np.finfo(float).eps * (sample.X**2 @ solution.w).max() / scale
    gap = relative_gap(value, bound) if rounding < CONFUSION else 1.0
    return Certified(solution.w / scale, r, slacks, value, gap)


def dual_constraints(sample, rows, solution):
    """Left and right side of each feature's dual constraint, sum_p alpha_p z_p <= sum_q beta_q z_q.

    A feature whose left side is larger improves the optimum if it enters.
    """
    alpha, beta = np.maximum(solution.other_duals, 0), np.maximum(solution.same_duals, 0)
    tight_other, tight_same = alpha > 0, beta > 0
    left = alpha[tight_other] @ sample.differences(rows.other[tight_other])
    return left, beta[tight_same] @ sample.differences(rows.same[tight_same])


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
    with extra("cvxpy", "MDM with solver='full'"):
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
    problem, (w, r, slacks), rows = full_program(sample, C)
    import cvxpy as cp

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
