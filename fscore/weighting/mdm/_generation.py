"""Maximum distance minimization by constraint generation: start from few pairs, add those the weights violate."""

import numpy as np

from fscore.weighting.mdm._certificate import best_radius, relative_gap, worth
from fscore.weighting.mdm._interior import InteriorProgram
from fscore.weighting.mdm._sample import Rows
from fscore.weighting.mdm._simplex import NEARLY, SimplexProgram


def start_program(sample, C, extremes):
    """The program of each sample's farthest friend and nearest stranger under equal weights.

    Simplex or interior point, by shape: with features in the hundreds and more of them than samples, hundreds enter the
    basis and simplex slows down; with many samples the interior point's normal equations grow. Measured, the two meet
    near the line drawn here.
    """
    near = np.isfinite(extremes.nearest_distance)
    Program = InteriorProgram if sample.n_features > max(300, 2 * sample.n_samples) else SimplexProgram
    program = Program(sample, C, unit=extremes.nearest_distance.min())
    program.add(_rows(extremes, extremes.farthest_distance > 0, near, program.rows, soft=C is not None))
    return program


def continue_program(program, C, solution, extremes):
    """Move a solved soft program to another price of slack, with the rows that its weights would violate there."""
    program.forget(solution)
    program.set_C(C)
    r, _ = best_radius(extremes.farthest_distance, C)
    staying = solution._replace(r=r, slacks=0.0)
    program.add(violated_rows(extremes, staying, program.unit, program.rows, soft=True, tolerance=-NEARLY))


def violated_rows(extremes, solution, unit, known, soft, tolerance=1e-12):
    """Each sample's most violated constraint of either kind, without those known."""
    far = extremes.farthest_distance > (solution.r + solution.slacks) * (1 + tolerance)
    near = extremes.nearest_distance < unit * (1 - tolerance)
    return _rows(extremes, far, near, known, soft)


def _rows(extremes, far, near, known, soft):
    n = len(far)
    everyone = np.arange(n)
    same = np.column_stack([everyone, extremes.farthest])[far]
    other = np.column_stack([everyone, extremes.nearest])[near]
    if not soft:  # then both orders say the same
        same = np.sort(same, axis=1)
    return Rows(_unknown(same, known.same, n), _unknown(np.sort(other, axis=1), known.other, n))


def _unknown(pairs, known, n_samples):
    """The pairs that are not among those known, each once."""
    numbers = np.setdiff1d(pairs @ [n_samples, 1], known @ [n_samples, 1])
    return np.column_stack(np.divmod(numbers, n_samples))


def generate_rows(program, tolerance):
    """Solve ``program`` and add the rows its optimum violates until it violates none.

    Every round gives a bound from below (a program with some of the rows) and, once the weights are scaled to keep
    strangers apart, a feasible point, hence a bound from above. The rounds end when the bounds meet.

    Returns
    -------
    program : Program
        The last program: where ``program`` is solved inside, another one that refines its solution to a vertex.
    solution : Solution
    extremes : Extremes
        Under its weights.
    n_rounds : int
    """
    sample, C, n_rounds = program.sample, program.C, 0
    accuracy, gap = program.first_accuracy, np.inf
    while True:
        solution = program.solve(accuracy)
        n_rounds += 1
        extremes = sample.extremes(solution.w)
        *_, value = worth(extremes, C)
        last_gap, gap = gap, relative_gap(value, solution.bound / program.unit)
        if gap <= max(tolerance, program.sufficient_gap):
            break
        new = violated_rows(extremes, solution, program.unit, program.rows, soft=C is not None)
        if not new.count() and not gap < last_gap:  # as far as the solver's precision goes
            break
        program.add(new)
        accuracy = max(min(accuracy, gap / 100), program.best_accuracy)
    refined = program.refined(solution)
    if refined is None:
        return program, solution, extremes, n_rounds
    *optimum, n_more = generate_rows(refined, tolerance)
    return *optimum, n_rounds + n_more
