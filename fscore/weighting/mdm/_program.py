"""MDM's linear program over the constraints found so far, solved in its dual; and over all of them."""

from typing import NamedTuple

import numpy as np

from fscore.weighting._highs import ALL_FEATURES, FEASIBILITY, PRIMAL, GrowingDual
from fscore.weighting.mdm._sample import Rows

PRICING_TOLERANCE = 1e-10  # relative violation of its dual constraint at which a feature enters


class Solution(NamedTuple):
    """An optimum of a program: variables, a lower bound on its value, and the multipliers of its rows."""

    w: np.ndarray
    r: float
    slacks: np.ndarray
    bound: float
    same_duals: np.ndarray
    other_duals: np.ndarray


class Program(GrowingDual):
    r"""MDM's linear program restricted to the constraints found so far.

    .. math:: \min_{w, r, \xi \ge 0} r + C \sum_i \xi_i \quad\text{s.t.}\quad
        \|x_i - x_j\|_w^2 \ge \text{margin} \;\; ((i, j) \in \text{other}), \qquad
        \|x_i - x_j\|_w^2 \le r + \xi_i \;\; ((i, j) \in \text{same})

    Without :math:`\xi` if ``C`` is None. Its dual is

    .. math:: \max_{\alpha, \beta \ge 0} \sum_p \alpha_p \quad\text{s.t.}\quad
        \sum_p \alpha_p z_p \le \sum_q \beta_q z_q, \qquad \sum_q \beta_q \le 1 / C, \qquad \sum_j \beta_{ij} \le 1

    with the multipliers in units of C. In the hard program the second right-hand side is 1 and the third constraint is
    missing. The multipliers of this program are w, r and the slacks. Each constraint of the primal is a column here, so
    the basis is small: one entry for each feature, one for r, and one for each sample that owns several same-class
    constraints. A single beta_ij only needs an upper bound, and dual simplex can move many of those from one bound to
    the other in one step. ``C`` is one right-hand side.

    If there are many features, those have a row from the start that differ most in some pair of different classes: the
    program is then feasible. Simplex ends in a vertex, so irrelevant features get weight exactly zero.

    Parameters
    ----------
    sample : Sample
    C : float or None
    margin : float
        Lower bound on the distances between classes. The optimum is proportional to it; the smallest such distance of
        the unweighted data keeps weights and radius near one however close two samples of different classes are.

    Attributes
    ----------
    rows : Rows
        The constraints, in the order of the multipliers of a :class:`Solution`.
    """

    def __init__(self, sample, C, margin):
        super().__init__(np.zeros(sample.n_features))
        self.sample, self.margin = sample, margin
        self.rows = Rows.empty()
        self._is_same = np.empty(0, dtype=bool)  # of each column
        self._scale = np.empty(0)  # largest coefficient of each other-class column before scaling
        self._column = np.full(sample.n_samples, -1)  # of each sample's latest same-class constraint
        self._slack_row = np.full(sample.n_samples, -1)  # of samples with several same-class constraints
        self.highs.setOptionValue("simplex_scale_strategy", 0)  # features and rows are in unit range already
        if sample.n_features <= ALL_FEATURES:
            self.add_features(np.arange(sample.n_features))
        self._radius_row = self.highs.getNumRow()
        self.add_rows(np.zeros((1, 0)), 0, upper=0.0)
        self.set_C(C)

    def set_C(self, C):
        """Change the penalty of a soft program; a hard program cannot become soft, nor back."""
        self.C, self._penalty = C, 1.0 if C is None else C
        self.highs.changeRowBounds(self._radius_row, -np.inf, 1 / self._penalty)

    def add(self, rows):
        """Append constraints: z.w >= margin, both divided by the largest z, and z.w - r - slack_i <= 0."""
        Z, owner = self.sample.differences(rows.other), rows.same[:, 0]
        self.add_features(np.setdiff1d(Z.argmax(axis=1), self.features))
        features, scale = self.features, Z.max(axis=1)
        at = self.feature_row[features]
        self.add_columns(Z[:, features] / scale[:, None], at, cost=-self.margin / scale, upper=np.inf)

        self.rows = self.rows.joined(rows)
        if self.C is not None:
            self._share_slacks()
        Z, slack_row = self.sample.differences(rows.same)[:, features], self._slack_row[owner]
        values = np.column_stack([-Z, np.ones(len(Z)), slack_row >= 0])
        at = np.column_stack([np.broadcast_to(at, Z.shape), np.full(len(Z), self._radius_row), slack_row])
        self._column[owner] = self.highs.getNumCol() + np.arange(len(Z))
        self.add_columns(values, at, cost=0.0, upper=np.inf if self.C is None else 1.0)

        self._is_same = np.r_[self._is_same, np.zeros(len(rows.other), bool), np.ones(len(rows.same), bool)]
        self._scale = np.r_[self._scale, scale]
        if len(features) < self.sample.n_features:
            self.highs.setOptionValue("simplex_strategy", PRIMAL)  # the basis stays feasible; faster with many rows

    def _share_slacks(self):
        """Add a row for each sample that gets a second same-class constraint: these share one slack."""
        n_owned = np.bincount(self.rows.same[:, 0], minlength=self.sample.n_samples)
        several = np.flatnonzero((n_owned > 1) & (self._slack_row < 0))
        self._slack_row[several] = self.highs.getNumRow() + np.arange(len(several))
        first = self._column[several, None]
        self.add_rows(first >= 0, first, upper=1.0)

    def coefficients(self, features):
        Z = np.empty((len(self._is_same), len(features)))
        Z[self._is_same] = -self.sample.differences(self.rows.same)[:, features]
        Z[~self._is_same] = self.sample.differences(self.rows.other)[:, features] / self._scale[:, None]
        return Z

    def excess(self, solution):
        same_duals, other_duals = self._duals(solution)
        left, right = dual_constraints(self.sample, self.rows, same_duals, other_duals)
        return left - right * (1 + PRICING_TOLERANCE)

    def _duals(self, solution):
        duals = np.asarray(solution.col_value) * self._penalty
        return duals[self._is_same], duals[~self._is_same] / self._scale

    def solve(self):
        """The optimum over all features and the constraints found so far; its ``bound`` holds for the full program."""
        solution, features = self.optimum(), self.features
        variables, excess = -np.asarray(solution.row_dual), -np.asarray(solution.col_dual)
        w = np.zeros(self.sample.n_features)
        w[features] = np.maximum(variables[self.feature_row[features]], 0)
        if np.any(excess[~self._is_same] * self._scale > 1e-6 * self.margin):
            # If some samples of different classes are far closer than others, costs are as small as the tolerance. The
            # largest coefficient of a column is one, so this increase of all weights satisfies all constraints. Its
            # effect on the objective is part of the certified gap.
            w[features] += FEASIBILITY
        slacks = np.zeros(self.sample.n_samples)
        if self.C is not None:  # the multiplier of a constraint's upper bound, or of the row that several share
            np.maximum.at(slacks, self.rows.same[:, 0], excess[self._is_same])
            slacks += np.where(self._slack_row >= 0, variables[self._slack_row], 0.0)
        return Solution(
            w,
            variables[self._radius_row],
            slacks,
            -self.highs.getObjectiveValue() * self._penalty,
            *self._duals(solution),
        )


def dual_constraints(sample, rows, same_duals, other_duals):
    """Left and right side of each feature's dual constraint, sum_p alpha_p z_p <= sum_q beta_q z_q.

    A feature whose left side is larger improves the optimum if it enters.
    """
    alpha, beta = np.maximum(other_duals, 0), np.maximum(same_duals, 0)
    tight_other, tight_same = alpha > 0, beta > 0
    left = alpha[tight_other] @ sample.differences(rows.other[tight_other])
    return left, beta[tight_same] @ sample.differences(rows.same[tight_same])


def solve_full(sample, C):
    """Eqs. (6)-(8), or (12)-(14) if ``C`` is not None, with all constraints, by scipy.

    Returns
    -------
    solution : Solution or None
        None if the program, which has an optimum, has none to the solver's precision.
    rows : Rows
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    rows, d, n = sample.all_pairs(ordered=C is not None), sample.n_features, sample.n_samples
    n_other, n_same = len(rows.other), len(rows.same)
    Z = np.concatenate([-sample.differences(rows.other), sample.differences(rows.same)])
    A, goal = csr_array(np.column_stack([Z, np.repeat([0.0, -1.0], [n_other, n_same])])), np.r_[np.zeros(d), 1.0]
    if C is not None:
        owned = n_other + np.arange(n_same), rows.same[:, 0]
        A = hstack([A, csr_array((np.full(n_same, -1.0), owned), shape=(len(Z), n))])
        goal = np.r_[goal, np.full(n, C)]
    result = linprog(goal, A, np.repeat([-1.0, 0.0], [n_other, n_same]), method="highs")
    if not result.success:
        return None, rows
    slacks, duals = np.zeros(n), -result.ineqlin.marginals
    slacks[: len(goal) - d - 1] = result.x[d + 1 :]
    return Solution(result.x[:d], result.x[d], slacks, result.fun, duals[n_other:], duals[:n_other]), rows
