"""Programs with far more features than samples: interior point first, then simplex over the features it holds on to.

Simplex alone is slow there (hundreds of features enter, all dense), while the normal equations of the interior point
have only the size of the rows.
"""

import numpy as np

from fscore.weighting._highs import BASIC
from fscore.weighting._interior_point import interior_point
from fscore.weighting._mdm_program import Rows, Sample, Solution, push_and_pull
from fscore.weighting._mdm_simplex import SimplexProgram

PAYS = 1e-10  # a feature enters whose multipliers say more for it than against it, by this fraction


class InteriorProgram:
    """As :class:`SimplexProgram`, all columns and few rows, solved only as accurately as a round needs."""

    name = "constraint generation, interior point"
    first_accuracy, best_accuracy, sufficient_gap = 1e-3, 1e-9, 1e-6

    def __init__(self, sample, C, unit):
        self.sample, self.C, self.unit = sample, C, unit
        self.rows = Rows.empty()

    def add(self, rows):
        """Append constraints."""
        self.rows = self.rows.joined(rows)

    def solve(self, accuracy):
        """The optimum over the rows found so far, to a relative ``accuracy``."""
        (same, other), sample, soft = self.rows, self.sample, self.C is not None
        n_other, d = len(other), sample.n_features
        # slacks of samples without a row stay zero
        owners, owner = np.unique(same[:, 0], return_inverse=True) if soft else (np.empty(0, dtype=np.intp),) * 2
        A = np.zeros((self.rows.count(), d + 1 + len(owners)))
        A[:n_other, :d] = sample.differences(other)
        np.negative(sample.differences(same), out=A[n_other:, :d])
        A[n_other:, d] = 1
        if soft:
            A[n_other + np.arange(len(same)), d + 1 + owner] = 1
        b = np.r_[np.full(n_other, self.unit), np.zeros(len(same))]
        c = np.r_[np.zeros(d), 1.0, np.full(len(owners), self.C if soft else 0.0)]
        point = interior_point(A, b, c, accuracy)
        slacks = np.zeros(sample.n_samples)
        slacks[owners] = point.v[d + 1 :]
        return Solution(point.v[:d], point.v[d], slacks, b @ point.y, point.y[n_other:], point.y[:n_other])

    def refined(self, solution):
        """The program that goes on to a vertex, over the features that the interior point holds on to."""
        return PricedProgram(self, solution.w > 1e-6 * solution.w.max())


class PricedProgram:
    """As :class:`SimplexProgram`, over few of very many features: the multipliers price those left out.

    Parameters
    ----------
    program : InteriorProgram
        Whose rows it takes over.
    features : ndarray of bool, shape (n_features,)
        To begin with: enough of them to tell all strangers apart, as those of an interior point are. Those that would
        pay enter, as :meth:`solve` finds them.
    """

    name = InteriorProgram.name
    first_accuracy = best_accuracy = sufficient_gap = 0.0

    def __init__(self, program, features):
        self.sample, self.unit = program.sample, program.unit
        self.features = features
        self._simplex = self._over(features, program.C, program.rows)

    def _over(self, features, C, rows):
        part = Sample(self.sample.X[:, features], self.sample.codes, self.sample.identical)
        program = SimplexProgram(part, C, self.unit)
        program.add(rows)
        return program

    @property
    def C(self):
        """Price of the slacks."""
        return self._simplex.C

    @property
    def rows(self):
        """The constraints."""
        return self._simplex.rows

    def set_C(self, C):
        """Change the price of the slacks (of a soft program)."""
        self._simplex.set_C(C)

    def add(self, rows):
        """Append constraints."""
        self._simplex.add(rows)

    def forget(self, solution):
        """Drop the rows that are far from tight, where they are most of them."""
        self._simplex.forget(solution._replace(w=solution.w[self.features]))

    def solve(self, accuracy=0.0):
        """The optimum over all features and the rows found so far: exact, whatever the ``accuracy`` asked for."""
        while True:
            vertex = self._simplex.solve()
            w = np.zeros(self.sample.n_features)
            w[self.features] = vertex.w
            vertex = vertex._replace(w=w)
            push, pull = push_and_pull(self.sample, self.rows, vertex)
            paying = ~self.features & (push > pull * (1 + PAYS))
            if not paying.any():
                return vertex
            self._widen(self.features | paying)

    def _widen(self, features):
        basis = self._simplex.basis()
        places = np.full(self.sample.n_features, BASIC)  # a weight that enters starts at zero
        places[self.features] = basis.features
        self._simplex = self._over(features, self.C, self.rows)
        self._simplex.start_from(basis._replace(features=places[features]))
        self.features = features

    def refined(self, solution):
        """None: the solution is a vertex."""
