"""Subsets that are valued together, and the interface of everything that values them."""

import numpy as np

from fscore.criteria._subsets import merged, without

__all__ = ["Candidates", "Valuer"]


class Candidates:
    """Subsets of units to be valued, in order.

    The candidates of one step come from one subset, the base; a criterion may know a faster way to value these.

    Attributes
    ----------
    subsets : list of tuples of int
    base : tuple of int or None
        The subset that the step starts from; None if the subsets are unrelated.
    tuples : list of tuples of int or None
        The units that the step adds to the base, or removes from it, one tuple per subset.
    adding : bool
    """

    __slots__ = ("adding", "base", "subsets", "tuples")

    def __init__(self, subsets, base=None, tuples=None, adding=False):
        self.subsets, self.base, self.tuples, self.adding = subsets, base, tuples, adding

    @classmethod
    def of_step(cls, base, tuples, adding):
        """The base plus (minus) each tuple of units."""
        successor = merged if adding else without
        return cls([successor(base, t) for t in tuples], base, tuples, adding)

    def __len__(self):
        return len(self.subsets)

    def at(self, positions):
        """Only the candidates at these positions."""
        tuples = None if self.tuples is None else [self.tuples[q] for q in positions]
        return Candidates([self.subsets[q] for q in positions], self.base, tuples, self.adding)


class Valuer:
    """Anything that values candidates. Subclasses implement `batches`.

    Attributes
    ----------
    bound : BoundCriterion or None
        The criterion behind the values, if it is a single one.
    """

    bound = None

    def batches(self, candidates):
        """Yield the values of the candidates in order, one array per batch of computations."""
        raise NotImplementedError

    def values(self, candidates):
        """The values of all candidates.

        Parameters
        ----------
        candidates : Candidates

        Returns
        -------
        ndarray of shape (n_candidates,), or (n_candidates, n_criteria) for a panel of criteria
        """
        parts = list(self.batches(candidates))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
