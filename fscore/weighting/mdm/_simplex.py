"""MDM's program solved by simplex, which continues from the last optimum when constraints or features arrive."""

from typing import NamedTuple

import numpy as np

from fscore.weighting._highs import (
    BASIC,
    FEASIBILITY,
    empty_model,
    get_basis,
    non_zeros,
    set_basis,
    solve_model,
)
from fscore.weighting.mdm._program import Program, Solution, dual_constraints
from fscore.weighting.mdm._sample import Rows, Sample

PRICING_TOLERANCE = 1e-10  # relative violation of its dual constraint at which a feature enters


class Basis(NamedTuple):
    """HiGHS' basis status of weights, r, shared slacks of samples (basic if there is none) and constraints."""

    features: np.ndarray
    radius: int
    slacks: np.ndarray
    same: np.ndarray
    other: np.ndarray


class SimplexProgram(Program):
    r"""A :class:`Program` solved in its dual, by a HiGHS model that keeps its basis as rows arrive and ``C`` changes.

    .. math:: \max_{\alpha, \beta \ge 0} \sum_p \alpha_p \quad\text{s.t.}\quad
        \sum_p \alpha_p z_p \le \sum_q \beta_q z_q, \qquad \sum_q \beta_q \le 1 / C, \qquad \sum_j \beta_{ij} \le 1

    with the multipliers in units of C. In the hard program the second right-hand side is 1 and the third constraint is
    missing. The multipliers of this program are w, r and the slacks. Each constraint of the primal is a column here, so
    the basis is small: one entry for each feature, one for r, and one for each sample that owns several same-class
    constraints. A single beta_ij only needs an upper bound, and dual simplex can move many of those from one bound to
    the other in one step. ``C`` is one right-hand side.

    Simplex ends in a vertex, so irrelevant features get weight exactly zero.

    Parameters
    ----------
    sample : Sample
    C : float or None
    margin : float
        Lower bound on the distances between classes. The optimum is proportional to it; the smallest such distance of
        the unweighted data keeps weights and radius near one however close two samples of different classes are.
    """

    name = "constraint generation, simplex"

    def __init__(self, sample, C, margin):
        self.sample, self.margin = sample, margin
        self.rows = Rows.empty()
        self._is_same = np.empty(0, dtype=bool)
        self._scale = np.empty(0)  # largest coefficient of each other-class column before scaling
        self._column = np.full(self.sample.n_samples, -1)  # of each sample's latest same-class constraint
        self._slack_row = np.full(self.sample.n_samples, -1)  # of samples with several same-class constraints
        self.highs = empty_model()
        self.highs.setOptionValue("simplex_scale_strategy", 0)  # features and rows are in unit range already
        self._add_rows(np.zeros((self.sample.n_features + 1, 0)), 0, upper=0.0)
        self.set_C(C)

    def set_C(self, C):
        """Change the penalty on the slacks."""
        self.C = C
        self.highs.changeRowBounds(self.sample.n_features, -np.inf, 1 / self._penalty)

    @property
    def _penalty(self):
        return 1.0 if self.C is None else self.C

    def basis(self):
        """The basis of the last optimum."""
        columns, rows = get_basis(self.highs)
        slacks = np.where(self._slack_row >= 0, rows[self._slack_row], BASIC)
        d = self.sample.n_features
        return Basis(rows[:d], rows[d], slacks, columns[self._is_same], columns[~self._is_same])

    def start_from(self, basis):
        """Start the next solution from a basis of the same features and constraints."""
        d, shared = self.sample.n_features, self._slack_row >= 0
        columns, rows = np.empty(len(self._is_same), dtype=np.int8), np.empty(self.highs.getNumRow(), dtype=np.int8)
        columns[self._is_same], columns[~self._is_same] = basis.same, basis.other
        rows[:d], rows[d], rows[self._slack_row[shared]] = basis.features, basis.radius, basis.slacks[shared]
        set_basis(self.highs, columns, rows)

    def add(self, rows):
        """Append constraints: z.w >= margin, both divided by the largest z, and z.w - r - slack_i <= 0."""
        d = self.sample.n_features
        self.rows = self.rows.joined(rows)
        Z = self.sample.differences(rows.other)
        scale = Z.max(axis=1)
        self._add_columns(Z / scale[:, None], np.arange(d), cost=-self.margin / scale, upper=np.inf)

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
        """Add a row for each sample that gets a second same-class constraint: these share one slack."""
        n_owned = np.bincount(self.rows.same[:, 0], minlength=self.sample.n_samples)
        several = np.flatnonzero((n_owned > 1) & (self._slack_row < 0))
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
        """The exact optimum over the constraints found so far."""
        solution, d = solve_model(self.highs), self.sample.n_features
        variables, excess = -np.asarray(solution.row_dual), -np.asarray(solution.col_dual)
        duals = np.asarray(solution.col_value) * self._penalty
        w = np.maximum(variables[:d], 0)
        if np.any(excess[~self._is_same] * self._scale > 1e-6 * self.margin):
            # If some samples of different classes are far closer than others, costs are as small as the tolerance. The
            # largest coefficient of a column is one, so this increase of all weights satisfies all constraints. Its
            # effect on the objective is part of the certified gap.
            w += FEASIBILITY
        return Solution(
            w,
            variables[d],
            self._slacks(variables, excess[self._is_same]),
            -self.highs.getObjectiveValue() * self._penalty,
            duals[self._is_same],
            duals[~self._is_same] / self._scale,
        )

    def _slacks(self, variables, excess):
        """Slack of each sample: the multiplier of its constraint's upper bound, or of the row that several share."""
        slacks = np.zeros(self.sample.n_samples)
        if self.C is not None:
            np.maximum.at(slacks, self.rows.same[:, 0], excess)
            slacks += np.where(self._slack_row >= 0, variables[self._slack_row], 0.0)
        return slacks


class PricedProgram(Program):
    """A :class:`Program` solved by simplex over a subset of the features (column generation).

    Parameters
    ----------
    program : Program
        The program that it refines: gives its constraints and its name.
    features : ndarray of bool, shape (n_features,)
        The features to start with. They must be enough to separate all samples of different classes, as the non-zero
        weights of an interior point are. Others enter in :meth:`solve` when their dual constraints are violated.
    """

    def __init__(self, program, features):
        self.name, self.sample, self.margin = program.name, program.sample, program.margin
        self.features = features
        self._simplex = self._restricted_to(features, program.C, program.rows)

    def _restricted_to(self, features, C, rows):
        part = Sample(self.sample.X[:, features], self.sample.codes, self.sample.identical)
        program = SimplexProgram(part, C, self.margin)
        program.add(rows)
        return program

    @property
    def C(self):
        """Penalty on the slacks."""
        return self._simplex.C

    @property
    def rows(self):
        """The constraints."""
        return self._simplex.rows

    def set_C(self, C):
        """Change the penalty on the slacks."""
        self._simplex.set_C(C)

    def add(self, rows):
        """Append constraints."""
        self._simplex.add(rows)

    def solve(self, accuracy=0.0):
        """The exact optimum over all features and the constraints found so far."""
        while True:
            vertex = self._simplex.solve()
            w = np.zeros(self.sample.n_features)
            w[self.features] = vertex.w
            vertex = vertex._replace(w=w)
            left, right = dual_constraints(self.sample, self.rows, vertex)
            entering = ~self.features & (left > right * (1 + PRICING_TOLERANCE))
            if not entering.any():
                return vertex
            self._extend_to(self.features | entering)

    def _extend_to(self, features):
        basis = self._simplex.basis()
        status = np.full(self.sample.n_features, BASIC)  # the weight of an entering feature starts at zero
        status[self.features] = basis.features
        self._simplex = self._restricted_to(features, self.C, self.rows)
        self._simplex.start_from(basis._replace(features=status[features]))
        self.features = features
