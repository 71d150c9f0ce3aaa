"""Programs with far more features than samples: interior point first, then simplex over its non-zero features.

Simplex alone is slow there: hundreds of features enter, all dense. The normal equations of the interior point method
only grow with the number of constraints.
"""

import numpy as np

from fscore.weighting.mdm._interior_point import interior_point
from fscore.weighting.mdm._pricing import PricedProgram
from fscore.weighting.mdm._program import Program, Solution
from fscore.weighting.mdm._sample import Rows


class InteriorProgram(Program):
    """A :class:`Program` with dense columns for all features, solved only as accurately as each round needs.

    Parameters
    ----------
    sample : Sample
    C : float or None
    margin : float
        Lower bound on the distances between classes.
    """

    name = "constraint generation, interior point"
    first_accuracy, best_accuracy, sufficient_gap = 1e-3, 1e-9, 1e-6

    def __init__(self, sample, C, margin):
        self.sample, self.C, self.margin = sample, C, margin
        self.rows = Rows.empty()

    def add(self, rows):
        """Append constraints."""
        self.rows = self.rows.joined(rows)

    def set_C(self, C):
        """Change the penalty on the slacks."""
        self.C = C

    def solve(self, accuracy=0.0):
        """The optimum over the constraints found so far, to a relative ``accuracy`` (1e-9 at best).

        Rounding in the normal equations can end the iterations earlier, but within ``sufficient_gap``.
        """
        A, b, c, owners = self.standard_form()
        d, n_other = self.sample.n_features, len(self.rows.other)
        point = interior_point(A, b, c, max(accuracy, self.best_accuracy))
        slacks = np.zeros(self.sample.n_samples)
        slacks[owners] = point.v[d + 1 :]
        return Solution(point.v[:d], point.v[d], slacks, b @ point.y, point.y[n_other:], point.y[:n_other])

    def standard_form(self):
        """The program as: minimize c.v subject to A v >= b, v >= 0, where v is w, r, then slacks.

        Returns
        -------
        A : ndarray of shape (n_rows, n_columns)
            ``rows.other`` first, then ``rows.same``.
        b : ndarray of shape (n_rows,)
        c : ndarray of shape (n_columns,)
        owners : ndarray of shape (n_slacks,)
            The samples that have a slack: those that own a same-class constraint. The other slacks are zero.
        """
        (same, other), sample, soft = self.rows, self.sample, self.C is not None
        n_other, d = len(other), sample.n_features
        owners, owner = np.unique(same[:, 0], return_inverse=True) if soft else (np.empty(0, dtype=np.intp),) * 2
        A = np.zeros((self.rows.count(), d + 1 + len(owners)))
        A[:n_other, :d] = sample.differences(other)
        np.negative(sample.differences(same), out=A[n_other:, :d])
        A[n_other:, d] = 1
        if soft:
            A[n_other + np.arange(len(same)), d + 1 + owner] = 1
        b = np.r_[np.full(n_other, self.margin), np.zeros(len(same))]
        c = np.r_[np.zeros(d), 1.0, np.full(len(owners), self.C if soft else 0.0)]
        return A, b, c, owners

    def refined(self, solution):
        """The program that continues to a vertex, over the features whose weights are not nearly zero."""
        return PricedProgram(self, solution.w > 1e-6 * solution.w.max())
