"""The objective of given weights, and the bound that certifies how far they are from the optimum."""

from typing import NamedTuple

import numpy as np

CONFUSION = 0.1  # rounding error, relative to the distance between classes, that may hide the nearest samples
HARD_PENALTY = 0.75  # above 1/2, where the soft program has the optima of the hard one


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
