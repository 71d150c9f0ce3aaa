"""Maximum distance minimization by constraint generation: start from few pairs, add those the weights violate."""

import numpy as np

from fscore.weighting._highs import (
    AT_LOWER,
    AT_UPPER,
    BASIC,
    FEASIBILITY,
    empty_model,
    get_basis,
    non_zeros,
    set_basis,
    solved,
)
from fscore.weighting._mdm_program import Rows, Solution, best_radius, relative_gap, worth

NEARLY = 0.15  # rows within this fraction of being tight go with a program from one price of slack to the next


class SimplexProgram:
    r"""The dual of the rows found so far, as a HiGHS model that keeps its basis while rows arrive and ``C`` changes.

    .. math:: \max_{\alpha, \beta \ge 0} \sum_p \alpha_p \quad\text{s.t.}\quad
        \sum_p \alpha_p z_p \le \sum_q \beta_q z_q, \qquad \sum_q \beta_q \le 1 / C, \qquad \sum_j \beta_{ij} \le 1

    with the multipliers in units of C; the hard program has one for 1/C and lacks the last. Its multipliers are w, r
    and the slacks. Each row of the program is a column here, so the basis is small: an entry for each feature, one for
    r, and one for each sample with several friends among the rows (a single beta_ij needs but a bound, and many can
    go from one end to the other in one step of dual simplex). ``C`` is one right-hand side.

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
        self.sample, self.unit = sample, unit
        self._clear()
        self.set_C(C)

    def _clear(self):
        self.rows = Rows.empty()
        self._is_same = np.empty(0, dtype=bool)
        self._scale = np.empty(0)  # of the columns of strangers
        self._column = np.full(self.sample.n_samples, -1)  # of a sample's latest friend
        self._slack_row = np.full(self.sample.n_samples, -1)  # of samples with several friends
        self.highs = empty_model()
        self.highs.setOptionValue("simplex_scale_strategy", 0)  # features and rows are in unit range already
        self._add_rows(np.zeros((self.sample.n_features + 1, 0)), 0, upper=0.0)

    def set_C(self, C):
        """Change the price of the slacks (of a soft program)."""
        self.C = C
        self.highs.changeRowBounds(self.sample.n_features, -np.inf, 1 / self._price)

    @property
    def _price(self):
        return 1.0 if self.C is None else self.C

    def forget(self, solution):
        """Drop the rows that are far from tight, where they are most of them; the optimum stays, and so does its basis.

        Else the rows of every price passed on the way would make each step dear, and tie most samples to shared slacks.
        """
        columns, rows = get_basis(self.highs)
        in_use, (same, other) = columns != AT_LOWER, self.rows
        allowance = (solution.r + solution.slacks)[same[:, 0]]
        same_kept = in_use[self._is_same] | (self.sample.distances(same, solution.w) >= (1 - NEARLY) * allowance)
        other_kept = in_use[~self._is_same] | (self.sample.distances(other, solution.w) <= (1 + NEARLY) * self.unit)
        if 2 * (same_kept.sum() + other_kept.sum()) > self.rows.count():
            return
        columns = np.r_[columns[~self._is_same][other_kept], columns[self._is_same][same_kept]]
        slack_row = self._slack_row
        self._clear()
        self.set_C(self.C)
        self.add(Rows(same[same_kept], other[other_kept]))
        # A sample left with one friend has no row any more: where the row was tight, that friend is at its bound.
        alone = (slack_row >= 0) & (self._slack_row < 0) & (self._column >= 0)
        columns[self._column[alone & (rows[slack_row] != BASIC)]] = AT_UPPER
        shared = slack_row[self._slack_row >= 0]  # in the order of the samples, as the rows are now
        set_basis(self.highs, columns, np.r_[rows[: self.sample.n_features + 1], rows[shared]])

    def add(self, rows):
        """Append constraints: z.w >= unit divided by the largest z, and z.w - r - slack_i <= 0."""
        d = self.sample.n_features
        self.rows = self.rows.joined(rows)
        Z = self.sample.differences(rows.other)
        scale = Z.max(axis=1)
        self._add_columns(Z / scale[:, None], np.arange(d), cost=-self.unit / scale, upper=np.inf)

        owner = rows.same[:, 0]
        if self.C is not None:
            self._share_slacks()
        Z, slack_row = self.sample.differences(rows.same), self._slack_row[owner]
        values = np.column_stack([-Z, np.ones(len(Z)), slack_row >= 0])
        at = np.column_stack([np.broadcast_to(np.arange(d), Z.shape), np.full(len(Z), d), slack_row])
        self._column[owner] = self.highs.getNumCol() + np.arange(len(Z))
        self._add_columns(values, at, cost=0.0, upper=np.inf if self.C is None else 1.0)

        self._is_same = np.r_[self._is_same, np.zeros(len(rows.other), bool), np.ones(len(rows.same), bool)]
        self._scale = np.r_[self._scale, scale]

    def _share_slacks(self):
        """A row for each sample that comes by its second friend: the slack is one for all of them."""
        n_friends = np.bincount(self.rows.same[:, 0], minlength=self.sample.n_samples)
        several = np.flatnonzero((n_friends > 1) & (self._slack_row < 0))
        self._slack_row[several] = self.highs.getNumRow() + np.arange(len(several))
        first = self._column[several, None]
        self._add_rows(first >= 0, first, upper=1.0)

    def _add_columns(self, values, at, cost, upper):
        n = len(values)
        self.highs.addCols(n, np.full(n, cost), np.zeros(n), np.full(n, upper), *non_zeros(values, at))

    def _add_rows(self, values, at, upper):
        n = len(values)
        self.highs.addRows(n, np.full(n, -np.inf), np.full(n, upper), *non_zeros(values, at))

    def solve(self, accuracy=0.0):
        """The optimum over the rows found so far: exact, whatever the ``accuracy`` asked for."""
        solution, d = solved(self.highs), self.sample.n_features
        variables, excess = -np.asarray(solution.row_dual), -np.asarray(solution.col_dual)
        duals = np.asarray(solution.col_value) * self._price
        w = np.maximum(variables[:d], 0)
        if np.any(excess[~self._is_same] * self._scale > 1e-6 * self.unit):
            # Strangers far closer than others make costs as small as the tolerance. A column's largest coefficient is
            # one: this much more of every feature satisfies all, at a price the gap tells.
            w += FEASIBILITY
        return Solution(
            w,
            variables[d],
            self._slacks(variables, excess[self._is_same]),
            -self.highs.getObjectiveValue() * self._price,
            duals[self._is_same],
            duals[~self._is_same] / self._scale,
        )

    def _slacks(self, variables, excess):
        """What a sample's bound (on any of its friends) and the row that they share are worth."""
        slacks = np.zeros(self.sample.n_samples)
        if self.C is not None:
            np.maximum.at(slacks, self.rows.same[:, 0], excess)
            slacks += np.where(self._slack_row >= 0, variables[self._slack_row], 0.0)
        return slacks

    def finish(self, solution, extremes, tolerance):
        """The solution is a vertex."""
        return solution, extremes


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
    program.add(_rows(extremes, extremes.farthest_distance > 0, near, program.rows, soft=C is not None))
    return program


def continue_program(program, C, solution, extremes):
    """Move a solved program to another price of slack, with the rows that its weights would violate there."""
    program.forget(solution)
    program.set_C(C)
    r, _ = best_radius(extremes.farthest_distance, C)
    staying = solution._replace(r=r, slacks=0.0)
    program.add(violated_rows(extremes, staying, program.unit, program.rows, soft=C is not None, tolerance=-NEARLY))


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
    solution : Solution
        Of the last program.
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
    return *program.finish(solution, extremes, tolerance), n_rounds
