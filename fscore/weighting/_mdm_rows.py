"""Maximum distance minimization by constraint generation: start from few pairs, add those the weights violate."""

import numpy as np

from fscore.weighting._mdm_program import Rows, Solution, relative_gap, worth

FEASIBILITY = 1e-10  # the least that HiGHS accepts


class SimplexProgram:
    """The rows found so far as a HiGHS model that keeps its basis while rows arrive.

    Simplex ends in a vertex, so irrelevant features get weight exactly zero.

    Parameters
    ----------
    sample : Sample
    C : float or None
    unit : float
        What different-class distances must reach. The optimum is homogeneous in it; the smallest such distance that
        unweighted data show keeps weights and radius near one however close two strangers are.
    """

    name = "constraint generation, simplex"
    first_accuracy = best_accuracy = sufficient_gap = 0.0

    def __init__(self, sample, C, unit):
        import highspy

        self.sample, self.C, self.unit = sample, C, unit
        self.rows = Rows.empty()
        self._is_same = np.empty(0, dtype=bool)
        self._row_scale = np.empty(0)
        self.highs = highspy.Highs()
        self.highs.silent()
        for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self.highs.setOptionValue(option, FEASIBILITY)
        self.highs.setOptionValue("presolve", "off")  # it costs more than it saves on few, dense rows
        self.highs.setOptionValue("simplex_scale_strategy", 0)  # features and rows are in unit range already
        self.highs.setOptionValue("small_matrix_value", 1e-12)  # HiGHS drops coefficients below: z is a square
        n_columns = sample.n_features + 1 + (0 if C is None else sample.n_samples)
        self.highs.addVars(n_columns, np.zeros(n_columns), np.full(n_columns, np.inf))
        self.set_C(C)

    def set_C(self, C):
        """Change the price of the slacks (of a soft program)."""
        self.C = C
        d, n = self.sample.n_features, self.highs.getNumCol()
        cost = np.r_[np.zeros(d), 1.0, np.full(n - d - 1, C if C is not None else 0.0)]
        self.highs.changeColsCost(n, np.arange(n, dtype=np.int32), cost)

    def add(self, rows):
        """Append constraints: z.w >= unit divided by the largest z, and z.w - r - slack_i <= 0."""
        d = self.sample.n_features
        Z = self.sample.differences(rows.other)
        scale = Z.max(axis=1)
        self._append(Z / scale[:, None], None, self.unit / scale, np.inf)
        extra = [np.full(len(rows.same), d)] + ([] if self.C is None else [d + 1 + rows.same[:, 0]])
        self._append(self.sample.differences(rows.same), np.column_stack(extra), -np.inf, 0.0)
        self.rows = self.rows.joined(rows)
        self._is_same = np.r_[self._is_same, np.zeros(len(rows.other), bool), np.ones(len(rows.same), bool)]
        self._row_scale = np.r_[self._row_scale, scale]

    def _append(self, Z, minus_one_at, lower, upper):
        n = len(Z)
        columns = np.broadcast_to(np.arange(Z.shape[1]), Z.shape)
        if minus_one_at is not None:
            columns = np.hstack([columns, minus_one_at])
            Z = np.hstack([Z, np.full(minus_one_at.shape, -1.0)])
        present = Z != 0
        starts = np.concatenate([[0], np.cumsum(present.sum(axis=1))])[:-1]
        self.highs.addRows(
            n,
            np.broadcast_to(lower, n).astype(float),
            np.broadcast_to(upper, n).astype(float),
            int(present.sum()),
            starts.astype(np.int32),
            columns[present].astype(np.int32),
            Z[present],
        )

    def solve(self, accuracy=0.0):
        """The optimum over the rows found so far: exact, whatever the ``accuracy`` asked for."""
        from highspy import HighsModelStatus

        self.highs.run()
        status = self.highs.getModelStatus()
        if status != HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS ended with status {self.highs.modelStatusToString(status)!r}.")
        solution, d = self.highs.getSolution(), self.sample.n_features
        v, duals = np.asarray(solution.col_value), np.abs(np.asarray(solution.row_dual))
        slacks = np.zeros(self.sample.n_samples) if self.C is None else v[d + 1 :]
        w, kept = np.maximum(v[:d], 0), np.asarray(solution.row_value)[~self._is_same] * self._row_scale
        if np.any(kept < self.unit * (1 - 1e-6)):
            # Strangers far closer than others make right-hand sides as small as the tolerance. A row's largest
            # coefficient is one: this much more of every feature satisfies all, at a price the gap tells.
            w += FEASIBILITY
        return Solution(
            w,
            v[d],
            slacks,
            self.highs.getObjectiveValue(),
            duals[self._is_same],
            duals[~self._is_same] / self._row_scale,
        )

    def finish(self, solution, tolerance):
        """The solution is a vertex."""
        return solution


def start_program(sample, C, extremes):
    """The program of each sample's farthest friend and nearest stranger under equal weights.

    Simplex or interior point, by shape: with features in the hundreds and more of them than samples, hundreds enter the
    basis and simplex slows down; with many samples the interior point's normal equations grow. Measured, the two meet
    near the line drawn here.
    """
    from fscore.weighting._mdm_interior import InteriorProgram

    near = np.isfinite(extremes.nearest_distance)
    Program = InteriorProgram if sample.n_features > max(300, 2 * sample.n_samples) else SimplexProgram
    program = Program(sample, C, unit=extremes.nearest_distance.min())
    program.add(_rows(extremes, extremes.farthest_distance > 0, near, soft=C is not None))
    return program


def violated_rows(extremes, solution, unit, known, soft, tolerance=1e-12):
    """Each sample's most violated constraint of either kind, without those known."""
    far = extremes.farthest_distance > (solution.r + solution.slacks) * (1 + tolerance)
    near = extremes.nearest_distance < unit * (1 - tolerance)
    rows, n = _rows(extremes, far, near, soft), len(far)
    return Rows(*(new[~np.isin(new @ [n, 1], old @ [n, 1])] for new, old in zip(rows, known, strict=True)))


def _rows(extremes, far, near, soft):
    everyone = np.arange(len(far))
    same = np.column_stack([everyone, extremes.farthest])[far]
    other = np.column_stack([everyone, extremes.nearest])[near]
    if not soft:  # then both orders say the same
        same = np.sort(same, axis=1)
    return Rows(np.unique(same, axis=0), np.unique(np.sort(other, axis=1), axis=0))


def generate_rows(program, tolerance):
    """Solve ``program`` and add the rows its optimum violates until it violates none.

    Every round gives a bound from below (a program with some of the rows) and, once the weights are scaled to keep
    strangers apart, a feasible point, hence a bound from above. The rounds end when the bounds meet.

    Returns
    -------
    solution : Solution
        Of the last program.
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
    return program.finish(solution, tolerance), n_rounds
