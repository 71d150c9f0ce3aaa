"""Evaluation of weights: radius, slacks and objective, and a bound on their distance from the optimum."""

import numpy as np

from fscore.weighting.mdm._program import dual_constraints

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


def evaluate(farthest_distance, C):
    """The largest optimal r for given weights, its slacks, and the objective: eq. (8), or eq. (14) if ``C`` is given.

    ``min_r r + C sum_i max(f_i - r, 0)``, with f_i the distance to the farthest sample of the same class, is attained
    at the ceil(1/C)-th largest f: MDM minimizes the conditional value at risk of f.
    """
    n = len(farthest_distance)
    rank = 1 if C is None else np.ceil(1 / C - 1e-9)  # infinite for the smallest C
    if rank > n:
        r = 0.0
    else:
        r = float(np.partition(farthest_distance, n - int(rank))[n - int(rank)])
    slacks = np.maximum(farthest_distance - r, 0.0)
    return r, slacks, r if C is None else r + C * slacks.sum()


def evaluate_scaled(extremes, C):
    """As :func:`evaluate`, of the weights that have these extremes once they are scaled to keep classes at distance 1.

    The objective is infinite if the weights let samples of different classes coincide.
    """
    nearest = extremes.nearest_distance.min()
    if nearest == 0:
        return np.inf, np.zeros(len(extremes.farthest)), np.inf
    return evaluate(extremes.farthest_distance / nearest, C)


def relative_gap(upper, lower):
    """The gap as a fraction of the value; of 1e-4 (of the distance between classes) if the value is smaller."""
    return float((upper - lower) / max(upper, 1e-4)) if np.isfinite(upper) else np.inf


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
    w : ndarray of shape (n_features,)
        Scaled to keep classes at distance one.
    gap : float
        Bound on the relative error of their objective.
    """
    *_, value = evaluate_scaled(extremes, C)
    beta = np.maximum(solution.same_duals, 0)
    if C is not None:
        load = np.bincount(rows.same[:, 0], weights=beta, minlength=sample.n_samples)
        beta = beta / np.maximum(load / C, 1)[rows.same[:, 0]]
    left, right = dual_constraints(sample, rows, beta / max(1.0, beta.sum()), solution.other_duals)
    positive = left > 0
    bound = np.maximum(solution.other_duals, 0).sum() * min(1.0, np.min(right[positive] / left[positive], initial=1.0))
    scale = extremes.nearest_distance.min() or 1.0
    rounding = np.finfo(float).eps * (sample.X**2 @ solution.w).max() / scale
    gap = relative_gap(value, bound) if rounding < CONFUSION else 1.0
    return solution.w / scale, gap
