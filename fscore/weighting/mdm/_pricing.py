"""Simplex over few of very many features; the multipliers show which others must enter."""

import numpy as np

from fscore.weighting._highs import BASIC
from fscore.weighting.mdm._certificate import push_and_pull
from fscore.weighting.mdm._program import Program
from fscore.weighting.mdm._sample import Sample
from fscore.weighting.mdm._simplex import SimplexProgram

PAYS = 1e-10  # a feature enters whose multipliers say more for it than against it, by this fraction


class PricedProgram(Program):
    """As :class:`SimplexProgram`, over few of very many features: the multipliers price those left out.

    Parameters
    ----------
    program : Program
        Whose constraints and name it takes over.
    features : ndarray of bool, shape (n_features,)
        To begin with: enough of them to tell all strangers apart, as those of an interior point are. Those that would
        pay enter, as :meth:`solve` finds them.
    """

    def __init__(self, program, features):
        self.name, self.sample, self.unit = program.name, program.sample, program.unit
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
