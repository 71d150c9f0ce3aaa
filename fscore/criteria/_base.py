"""What every criterion has in common.

A *criterion* is a small scikit-learn object of parameters. Bound to data once (`Criterion.bind`), it values subsets
of columns; higher is better. A bound criterion may know a faster way for "S plus each of these" and "S minus each of
these" and must then give what `values` gives.

The *answer* decides which of the offered tuples a search adds or removes (J+ and J- of the paper). The plain answer
takes the best value of J; voting ensembles and the filter-wrapper hybrid are other answers, written against the same
few methods, so that they serve every search.
"""

from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator

__all__ = ["Answer", "BoundCriterion", "Criterion", "merged", "without"]


def merged(subset, extra):
    """The sorted union of two tuples of columns."""
    return tuple(sorted((*subset, *extra)))


def without(subset, dropped):
    """The columns of ``subset`` that are not in ``dropped``, in order."""
    return tuple(c for c in subset if c not in dropped)


class BoundCriterion:
    """A criterion that has its data. Subclasses implement `values` and may override the two others.

    Attributes
    ----------
    batch : int or None
        How many subsets one call should value at most, so that a budget, a progress bar and a checkpoint have
        something to hold on to; None where a call is quick anyway.
    """

    batch = None

    def values(self, subsets):
        """J of each subset.

        Parameters
        ----------
        subsets : list of tuples of int
            Ascending columns, never empty.

        Returns
        -------
        ndarray of shape (n_subsets,)

        Raises
        ------
        ValueError
            If a subset is empty or has a column that X has not.
        """
        raise NotImplementedError

    def add_values(self, subset, tuples):
        """J(subset + T) for each tuple T of further columns; `subset` may be empty."""
        return self.values([merged(subset, extra) for extra in tuples])

    def remove_values(self, subset, tuples):
        """J(subset - T) for each tuple T of its columns; something is always left."""
        return self.values([without(subset, dropped) for dropped in tuples])

    def bounded_walk(self, columns, removable, n_removed, bound):
        """Branch and bound of the criterion's own, in compiled code; None where it has none.

        Parameters
        ----------
        columns : tuple of int
            The full set.
        removable : list of int
            Those of its columns that may go.
        n_removed : int
            How many of them must go.
        bound : float
            The value to beat.

        Returns
        -------
        object or None
            ``run(limit)`` goes on until about `limit` subsets are valued and returns how many were; ``done`` tells
            whether the walk is over, ``removed`` the best removals found, or None if nothing beats `bound`.
        """
        return None

    def close(self):
        """Give back worker processes, if there are any."""


class Criterion(BaseEstimator):
    """Base of criteria. Subclasses implement `_bind` and state in ``_parameter_constraints`` what they accept.

    Attributes
    ----------
    monotone : bool
        Whether adding a feature can never lower the value; branch and bound needs that.
    """

    monotone = False
    _parameter_constraints: ClassVar[dict] = {}

    def bind(self, X, y, *, n_jobs=None, params=None):
        """Check the parameters and take the data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        n_jobs : int, optional
        params : dict of dict, optional
            Metadata by consumer: ``{"fit": ..., "split": ..., "score": ...}``.

        Returns
        -------
        BoundCriterion

        Raises
        ------
        ValueError
            If a parameter, or the data, cannot be used.
        """
        self._validate_params()
        return self._bind(X, y, n_jobs, params or {})

    def _bind(self, X, y, n_jobs, params):
        raise NotImplementedError

    def answer(self, memory):
        """How to choose among successors; see `Answer`.

        Parameters
        ----------
        memory : Evaluator
            ``memory.valued(criterion)`` is the criterion bound to the data, remembering what it valued, with
            ``values(subsets)`` and ``successor_values(subset, tuples, adding)``; ``memory.derived(criterion, values)``
            is one that is computed from others.
        """
        return Answer(memory.valued(self))

    def members(self):
        """The criteria that will be bound; for a single criterion, itself."""
        return [self]

    def resolved(self, cv=10):
        """The same with a `CVAccuracy` by `cv` in place of every classifier in it; for a single criterion, itself."""
        return self

    def identity(self):
        """What determines the values apart from the data (hashed, so that remembered values are never mistaken)."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.get_params()


class Answer:
    """Definitions 1.1 and 1.2: the tuple whose addition (removal) gives the best J; the first offered among equals.

    Parameters
    ----------
    J : object with ``values(subsets)`` and ``successor_values(subset, tuples, adding)``
        The criterion that a search compares and a trace records.
    """

    def __init__(self, J):
        self.J = J

    def choose(self, subset, tuples, adding):
        """Return ``(position, value)`` of the best of `tuples` to add to (remove from) `subset`.

        Among equal values the *first* offered tuple wins when adding and when removing.
        """
        values = self.J.successor_values(subset, tuples, adding)
        best = int(np.argmax(values))
        return best, values[best]
