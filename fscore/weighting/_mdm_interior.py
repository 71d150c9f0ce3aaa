"""The rows found so far solved by interior point, for programs with far more features than samples.

There simplex is slow (hundreds of features enter, all dense), while the normal equations have only the size of the
rows.
"""

import numpy as np

from fscore.weighting._interior_point import interior_point
from fscore.weighting._mdm_program import Rows, Sample, Solution, certified, push_and_pull
from fscore.weighting._mdm_rows import SimplexProgram, violated_rows

MAX_EXCHANGES = 50  # programs solved at most on the way from the interior point to a vertex


class InteriorProgram:
    """As :class:`SimplexProgram`, all columns and few rows, solved only as accurately as a round needs."""

    name = "constraint generation, interior point"
    first_accuracy, best_accuracy, sufficient_gap = 1e-3, 1e-9, 1e-6

    def __init__(self, sample, C, unit):
        self.sample, self.C, self.unit = sample, C, unit
        self.rows = Rows.empty()

    def set_C(self, C):
        """Change the price of the slacks (of a soft program)."""
        self.C = C

    def forget(self, solution):
        """Keep all rows: each solution starts cold, so the fewer rounds the better."""

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

    def finish(self, solution, extremes, tolerance):
        """Move from the interior point to a vertex: simplex on the features that it holds on to.

        The multipliers then price the features left out; those that would pay enter, as do rows that are violated,
        until the bounds on the optimum of the whole program meet.
        """
        columns = solution.w > 1e-6 * solution.w.max()
        best = None
        for _ in range(MAX_EXCHANGES):
            part = Sample(self.sample.X[:, columns], self.sample.codes, self.sample.identical)
            program = SimplexProgram(part, self.C, self.unit)
            program.add(self.rows)
            vertex = program.solve()
            w = np.zeros(self.sample.n_features)
            w[columns] = vertex.w
            vertex = vertex._replace(w=w)
            extremes = self.sample.extremes(w)
            gap = certified(self.sample, self.rows, vertex, self.C, extremes).gap
            if best is None or gap < best[0]:
                best = gap, vertex, extremes, self.rows
            if gap <= tolerance:
                break
            push, pull = push_and_pull(self.sample, self.rows, vertex)
            paying = ~columns & (push > pull)
            new = violated_rows(extremes, vertex, self.unit, self.rows, soft=self.C is not None)
            if not paying.any() and not new.count():
                break
            columns |= paying
            self.add(new)
        _, vertex, extremes, self.rows = best
        return vertex, extremes
