"""The rows of an MDM program found so far, solved by simplex from vertex to vertex."""

from typing import NamedTuple

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
from fscore.weighting.mdm._program import Program, Solution
from fscore.weighting.mdm._sample import Rows

NEARLY = 0.15  # rows within this fraction of being tight go with a program from one price of slack to the next


class Basis(NamedTuple):
    """Where an optimum has the weights, r, each sample's shared slack (basic if it has none) and the rows."""

    features: np.ndarray
    radius: int
    slacks: np.ndarray
    same: np.ndarray
    other: np.ndarray


class SimplexProgram(Program):
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
        basis, (same, other) = self.basis(), self.rows
        allowance = (solution.r + solution.slacks)[same[:, 0]]
        same_kept = self.sample.distances(same, solution.w) >= (1 - NEARLY) * allowance
        other_kept = self.sample.distances(other, solution.w) <= (1 + NEARLY) * self.unit
        same_kept |= basis.same != AT_LOWER
        other_kept |= basis.other != AT_LOWER
        if 2 * (same_kept.sum() + other_kept.sum()) < self.rows.count():
            self._clear()
            self.set_C(self.C)
            self.add(Rows(same[same_kept], other[other_kept]))
            self.start_from(basis._replace(same=basis.same[same_kept], other=basis.other[other_kept]))

    def basis(self):
        """That of the last optimum."""
        columns, rows = get_basis(self.highs)
        slacks = np.where(self._slack_row >= 0, rows[self._slack_row], BASIC)
        d = self.sample.n_features
        return Basis(rows[:d], rows[d], slacks, columns[self._is_same], columns[~self._is_same])

    def start_from(self, basis):
        """Start the next solution from a basis of the same features and rows; samples may have lost other friends."""
        d, shared = self.sample.n_features, self._slack_row >= 0
        columns, rows = np.empty(len(self._is_same), dtype=np.int8), np.empty(self.highs.getNumRow(), dtype=np.int8)
        columns[self._is_same], columns[~self._is_same] = basis.same, basis.other
        rows[:d], rows[d], rows[self._slack_row[shared]] = basis.features, basis.radius, basis.slacks[shared]
        # Where a sample is left with one friend and its shared slack was tight, that friend is at its bound now.
        columns[self._column[~shared & (basis.slacks != BASIC)]] = AT_UPPER
        set_basis(self.highs, columns, rows)

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
