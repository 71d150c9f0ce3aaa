"""Constraint generation: start from few pairs, solve, and add the pairs that the solution violates."""

import numpy as np

from fscore.weighting.mdm._interior import InteriorProgram
from fscore.weighting.mdm._program import evaluate, relative_gap
from fscore.weighting.mdm._sample import Rows
from fscore.weighting.mdm._simplex import SimplexProgram

ROUNDING = 1e-12  # relative violation that is none


def initial_program(sample, C, extremes):
    """The program constrained by each sample's farthest same-class and nearest other-class sample.

    The choice between simplex and interior point depends on the shape. With hundreds of features, more of them than
    samples, hundreds enter the basis and simplex slows down; with many samples the interior point method's normal
    equations grow. The threshold is where measured times are about equal.

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
    many_features = sample.n_features > max(300, 2 * sample.n_samples)
    solver = InteriorProgram if many_features else SimplexProgram
    program = solver(sample, C, margin=extremes.nearest_distance.min())
    program.add(_new_rows(extremes, extremes.farthest_distance > 0, near, program.rows, soft=C is not None))
    return program


def violated_rows(extremes, solution, margin, known, soft):
    """Each sample's most violated constraint of either kind, without those known."""
    far = extremes.farthest_distance > (solution.r + solution.slacks) * (1 + ROUNDING)
    near = extremes.nearest_distance < margin * (1 - ROUNDING)
    return _new_rows(extremes, far, near, known, soft)


def _new_rows(extremes, far, near, known, soft):
    """Constraints of the samples marked in ``far`` (same class) and ``near`` (other class), without those known."""
    n = len(far)
    everyone = np.arange(n)
    same = np.column_stack([everyone, extremes.farthest])[far]
    other = np.column_stack([everyone, extremes.nearest])[near]
    if not soft:  # then both orders of a pair are the same constraint
        same = np.sort(same, axis=1)
    return Rows(_unknown(same, known.same, n), _unknown(np.sort(other, axis=1), known.other, n))


def _unknown(pairs, known, n_samples):
    """The pairs that are not among those known, each once."""
    numbers = np.setdiff1d(pairs @ [n_samples, 1], known @ [n_samples, 1])
    return np.column_stack(np.divmod(numbers, n_samples))


def generate_rows(program, tolerance):
    """Solve ``program`` and add the constraints that its solution violates, until there are none.

    Every round gives a lower bound (the optimum of a program with fewer constraints) and an upper bound (the objective
    of the weights once they are scaled to keep classes apart). The rounds end when the bounds meet.

    Parameters
    ----------
    program : Program
    tolerance : float
        Relative gap between the bounds at which the rounds end.

    Returns
    -------
    program : Program
        The last program: another one than ``program`` if that is solved approximately and then refined.
    solution : Solution
    extremes : Extremes
        Under the weights of ``solution``.
    n_rounds : int
    """
    sample, C, n_rounds = program.sample, program.C, 0
    accuracy, gap = program.first_accuracy, np.inf
    while True:
        solution = program.solve(accuracy)
        n_rounds += 1
        extremes = sample.extremes(solution.w)
        *_, value = evaluate(extremes, C)
        last_gap, gap = gap, relative_gap(value, solution.bound / program.margin)
        if gap <= max(tolerance, program.sufficient_gap):
            break
        new = violated_rows(extremes, solution, program.margin, program.rows, soft=C is not None)
        if not new.count() and not gap < last_gap:  # the limit of the solver's precision
            break
        program.add(new)
        accuracy = max(min(accuracy, gap / 100), program.best_accuracy)
    refined = program.refined(solution)
    if refined is None:
        return program, solution, extremes, n_rounds
    *optimum, n_more = generate_rows(refined, tolerance)
    return *optimum, n_rounds + n_more
