"""Constraint generation: start from few pairs, solve, and add the pairs that the solution violates."""

import numpy as np

from fscore.weighting.mdm._certificate import evaluate_scaled, relative_gap
from fscore.weighting.mdm._program import Program
from fscore.weighting.mdm._sample import Rows

ROUNDING = 1e-12  # relative violation that is a rounding error


def initial_program(sample, C, extremes):
    """The program constrained by each sample's farthest same-class and nearest other-class sample.

    Parameters
    ----------
    sample : Sample
    C : float or None
    extremes : Extremes
        Under equal weights.

    Returns
    -------
    Program
    """
    near = np.isfinite(extremes.nearest_distance)
    program = Program(sample, C, margin=extremes.nearest_distance.min())
    program.add(_new_rows(program, extremes, extremes.farthest_distance > 0, near))
    return program


def _new_rows(program, extremes, far, near):
    """Constraints of the samples marked in ``far`` (same class) and ``near`` (other class), without those known."""
    everyone = np.arange(len(far))
    same = np.column_stack([everyone, extremes.farthest])[far]
    other = np.column_stack([everyone, extremes.nearest])[near]
    if program.C is None:  # then both orders of a pair are the same constraint
        same = np.sort(same, axis=1)
    return Rows(_unknown(same, program.rows.same, len(far)), _unknown(np.sort(other), program.rows.other, len(far)))


def _unknown(pairs, known, n_samples):
    """The pairs that are not among those known, each once."""
    numbers = np.setdiff1d(pairs @ [n_samples, 1], known @ [n_samples, 1])
    return np.column_stack(np.divmod(numbers, n_samples))


def generate_rows(program, tolerance):
    """Solve ``program`` and add each sample's most violated constraints, until the solution violates none.

    Every round gives a lower bound (the optimum of a program with fewer constraints) and an upper bound (the objective
    of the weights once they are scaled to keep classes apart). The rounds end when the bounds meet.

    Parameters
    ----------
    program : Program
    tolerance : float
        Relative gap between the bounds at which the rounds end.

    Returns
    -------
    solution : Solution
    extremes : Extremes
        Under the weights of ``solution``.
    n_rounds : int
    """
    gap, n_rounds = np.inf, 0
    while True:
        solution, n_rounds = program.solve(), n_rounds + 1
        extremes = program.sample.extremes(solution.w)
        *_, value = evaluate_scaled(extremes, program.C)
        last_gap, gap = gap, relative_gap(value, solution.bound / program.margin)
        if gap <= tolerance:
            break
        far = extremes.farthest_distance > (solution.r + solution.slacks) * (1 + ROUNDING)
        near = extremes.nearest_distance < program.margin * (1 - ROUNDING)
        new = _new_rows(program, extremes, far, near)
        if not new.count() and not gap < last_gap:  # the limit of the solver's precision
            break
        program.add(new)
    return solution, extremes, n_rounds
