"""Simplex over few of very many features; the multipliers show which others must enter."""

import numpy as np

from fscore.weighting._highs import BASIC
from fscore.weighting.mdm._certificate import dual_constraints
from fscore.weighting.mdm._program import Program
from fscore.weighting.mdm._sample import Sample
from fscore.weighting.mdm._simplex import SimplexProgram

PRICING_TOLERANCE = 1e-10  # relative violation of its dual constraint at which a feature enters


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

    def forget(self, solution):
        """Drop the constraints that are far from tight, if most are."""
        self._simplex.forget(solution._replace(w=solution.w[self.features]))

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
