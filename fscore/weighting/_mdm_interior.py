"""The rows found so far solved by interior point, for programs with far more features than samples.

There simplex is slow (hundreds of features enter, all dense), while the normal equations have only the size of the
rows.
"""

import numpy as np

from fscore.weighting._highs import BASIC
from fscore.weighting._interior_point import interior_point
from fscore.weighting._mdm_program import Rows, Sample, Solution, push_and_pull
from fscore.weighting._mdm_rows import generate_rows
from fscore.weighting._mdm_simplex import SimplexProgram

PAYS = 1e-10  # a feature enters whose multipliers say more for it than against it, by this fraction


class InteriorProgram:
    """As :class:`SimplexProgram`: first by interior point, only as accurately as a round needs, then near its optimum.

    Near the optimum it is known which features matter. From there on simplex goes from vertex to vertex over those
    features; the multipliers price the features left out, and those that would pay enter.
    """

    name = "constraint generation, interior point"
    first_accuracy, best_accuracy = 1e-3, 1e-9

    def __init__(self, sample, C, unit):
        self.sample, self.C, self.unit = sample, C, unit
        self.rows = Rows.empty()
        self.sufficient_gap = 1e-6
        self._features = np.zeros(sample.n_features, dtype=bool)  # that simplex knows of
        self._vertices = None

    def set_C(self, C):
        """Change the price of the slacks (of a soft program)."""
        self.C = C
        if self._vertices is not None:
            self._vertices.set_C(C)

    def add(self, rows):
        """Append constraints."""
        self.rows = self.rows.joined(rows)
        if self._vertices is not None:
            self._vertices.add(rows)

    def forget(self, solution):
        """Drop rows that are far from tight."""
        if self._vertices is not None:
            self._vertices.forget(solution._replace(w=solution.w[self._features]))
            self.rows = self._vertices.rows

    def solve(self, accuracy):
        """The optimum over the rows found so far: to a relative ``accuracy`` inside, exact at a vertex."""
        return self._inside(accuracy) if self._vertices is None else self._at_a_vertex()

    def finish(self, solution, extremes, tolerance):
        """Move from the interior point to a vertex, over the features that the point holds on to."""
        if self._vertices is not None:
            return solution, extremes, 0
        self._features = solution.w > 1e-6 * solution.w.max()
        self._vertices = self._program(self._features)
        self.sufficient_gap = 0.0
        return generate_rows(self, tolerance)

    def _inside(self, accuracy):
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

    def _at_a_vertex(self):
        while True:
            vertex = self._vertices.solve()
            w = np.zeros(self.sample.n_features)
            w[self._features] = vertex.w
            vertex = vertex._replace(w=w)
            push, pull = push_and_pull(self.sample, self.rows, vertex)
            paying = ~self._features & (push > pull * (1 + PAYS))
            if not paying.any():
                return vertex
            features, basis = self._features | paying, self._vertices.basis()
            places = np.full(self.sample.n_features, BASIC)  # a weight that enters starts at zero
            places[self._features] = basis.features
            self._vertices = self._program(features)
            self._vertices.start_from(basis._replace(features=places[features]))
            self._features = features

    def _program(self, features):
        program = SimplexProgram(
            Sample(self.sample.X[:, features], self.sample.codes, self.sample.identical), self.C, self.unit
        )
        program.add(self.rows)
        return program
