"""Criteria that vote, and the filter-wrapper hybrid: other answers to "which tuple shall be added or removed?"."""

import math
from collections import defaultdict
from numbers import Real

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria._base import Answer, Criterion, merged, without
from fscore.criteria._cv import CVAccuracy, as_criterion
from fscore.criteria._knn import KNNPanel

__all__ = ["Hybrid", "OrderVoting", "WeightedVoting"]


class _Ensemble(Criterion):
    """Says how a step goes, by the values of others."""

    def _bind(self, X, y, n_jobs, params):  # voters, filter and main are bound, so this refuses ensembles there, too
        raise ValueError(
            f"{type(self).__name__} says how a step goes and has no value of its own; give it to a search (or to a "
            "Hybrid as its wrapper), and make voters, main and filter plain criteria."
        )


class _Voting(_Ensemble):
    """What the two ways of voting share."""

    def __init__(self, criteria=None, *, main=None):
        self.criteria = criteria
        self.main = main

    def resolved(self, cv=10):
        """See `Criterion.resolved`."""
        main = None if self.main is None else as_criterion(self.main, cv)
        return type(self)(self._voters(cv), main=main)

    def _voters(self, cv=10):
        """The voters; by default k-NN accuracies for k = 1, 3, 5, 7 (Somol et al. 2011, Section 3.2)."""
        criteria = [KNeighborsClassifier(k) for k in (1, 3, 5, 7)] if self.criteria is None else self.criteria
        if not isinstance(criteria, (list, tuple)):
            raise ValueError(f"criteria={criteria!r} is no list; write [{criteria!r}].")
        if len(criteria) == 0:
            raise ValueError("criteria is empty; voting needs at least one criterion.")
        return [as_criterion(c, cv) for c in criteria]

    def members(self):
        return self._voters() + ([] if self.main is None else as_criterion(self.main).members())

    @property
    def monotone(self):
        """Whether J, the criterion that searches compare, is monotone."""
        if self.main is not None:
            return as_criterion(self.main).monotone
        return all(c.monotone for c in self._voters())

    def answer(self, memory):
        voters = _Voters(self._voters(), memory)
        if self.main is None:
            J = memory.derived(self, lambda subsets: voters.values(subsets).mean(axis=1))
        else:
            J = memory.valued(as_criterion(self.main))
        return _VotingAnswer(voters, J, self._votes)

    def identity(self):
        main = None if self.main is None else as_criterion(self.main).identity()
        return super().identity()[0], [c.identity() for c in self._voters()], main


class OrderVoting(_Voting):
    """Criteria vote by the order in which they rank the candidates of a step.

    Each criterion ranks all candidate tuples; equal values share a rank and the ranks are dense (eqs. 15-16). The
    tuple with the best average rank wins (eq. 17). Among equals the tuple wins whose average over all votes of the
    search so far, this one included, is best (Section 3.1.3; additions and removals are remembered apart); then the
    first.

    Parameters
    ----------
    criteria : list of Criterion or classifiers, default=None
        A classifier stands for its `CVAccuracy`, by the folds of the search. None is k-NN with k = 1, 3, 5, 7.
        k-NN criteria that differ in k only are valued in one pass. No ensembles.
    main : Criterion or classifier, default=None
        The J that searches compare and the trace records. Not stated in the paper; None is the mean of the voters.
        No ensemble.

    Notes
    -----
    An ensemble says how a step goes and has no value of its own: it is for searches and cannot be bound.

    Only winners are valued by J and enter the trace: the votes about the others say who goes, not how good a set is.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 3.1.1.
    """

    @staticmethod
    def _votes(values):
        """Minus the average rank, times the number of voters (an integer, so that ties are exact)."""
        ranks = [np.unique(-column, return_inverse=True)[1] + 1 for column in values.T]
        return -np.sum(ranks, axis=0).astype(np.float64)


class WeightedVoting(_Voting):
    """Criteria vote by how much each candidate falls behind their best one (eqs. 18-19).

    Meant for criteria with values in the same interval, such as accuracies. Ties and parameters as in `OrderVoting`.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 3.1.2.
    """

    @staticmethod
    def _votes(values):
        """Minus the average shortfall."""
        return -(values.max(axis=0) - values).mean(axis=1)


class _Voters:
    """Values of all voters, one column each; k-NN voters on the same folds share one pass."""

    def __init__(self, criteria, memory):
        self.n = len(criteria)
        self.panels = []  # (columns, remembering criterion)
        alike = defaultdict(list)
        for column, c in enumerate(criteria):
            compiled = isinstance(c, CVAccuracy) and c.takes_compiled_way
            # they share folds if they were given the same number or the same splitter
            alike[(c.cv if isinstance(c.cv, int) else id(c.cv)) if compiled else f"voter {column}"].append(column)
        for columns in alike.values():
            joint = memory.valued(KNNPanel([criteria[i] for i in columns])) if len(columns) > 1 else None
            if joint is not None:
                self.panels.append((columns, joint))
            else:
                self.panels.extend(([i], memory.valued(criteria[i])) for i in columns)

    def values(self, subsets):
        return self._table(lambda panel: panel.values(subsets))

    def successor_values(self, subset, tuples, adding):
        return self._table(lambda panel: panel.successor_values(subset, tuples, adding))

    def _table(self, ask):
        parts = [(columns, ask(panel)) for columns, panel in self.panels]
        table = np.empty((len(parts[0][1]), self.n))
        for columns, values in parts:
            table[:, columns] = values.reshape(len(values), -1)
        return table


class _VotingAnswer(Answer):
    """J+ and J- of eqs. 17 and 19, with the running averages that break ties."""

    def __init__(self, voters, J, votes):
        super().__init__(J)
        self.voters = voters
        self.votes = votes
        self.memory = {True: defaultdict(list), False: defaultdict(list)}  # adding -> tuple -> [sum, count]

    def choose(self, subset, tuples, adding):
        votes = self.votes(self.voters.successor_values(subset, tuples, adding))
        memory = self.memory[adding]
        for t, vote in zip(tuples, votes.tolist(), strict=True):
            total, count = memory[t] or (0.0, 0)
            memory[t] = [total + vote, count + 1]
        tied = np.flatnonzero(votes == votes.max())
        best = int(max(tied, key=lambda q: memory[tuples[q]][0] / memory[tuples[q]][1]))
        successor = merged(subset, tuples[best]) if adding else without(subset, tuples[best])
        return best, self.J.values([successor])[0]


class Hybrid(_Ensemble):
    """A filter narrows the candidates of every step, a wrapper chooses among those left.

    Of the T candidate tuples of a step the ``max(1, round(lam T))`` with the best filter values are valued by the
    wrapper (eqs. 21-28; halves round up).

    Parameters
    ----------
    filter : Criterion or classifier
        The quick criterion, such as `Bhattacharyya`. No ensemble.
    wrapper : Criterion or classifier, default=None
        The slow one, which decides and whose values searches compare. A classifier stands for its `CVAccuracy`; None is
        5-NN in 10-fold cross-validation (Section 4). May be a voting ensemble, or another hybrid.
    lam : float in [0, 1], default=0.5
        Hybridization coefficient. 0 makes one wrapper evaluation a step, 1 is the pure wrapper.

    Notes
    -----
    Like a voting ensemble it has no value of its own and cannot be bound.

    For removals the paper counts one candidate less, T = C(d, c) - 1 (eq. 25). Printed so, one candidate would be
    left out even at lam = 1, which the paper calls the pure wrapper: here lam = 1 leaves none out. Ties at
    the filter's border, which the paper leaves open, go to the lower index.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 4, Definitions 4.1 and 4.2.
    """

    def __init__(self, filter, wrapper=None, lam=0.5):
        self.filter = filter
        self.wrapper = wrapper
        self.lam = lam

    def resolved(self, cv=10):
        """See `Criterion.resolved`."""
        wrapper = KNeighborsClassifier(n_neighbors=5) if self.wrapper is None else self.wrapper
        return type(self)(as_criterion(self.filter, cv), as_criterion(wrapper, cv), self.lam)

    def members(self):
        whole = self.resolved()
        return whole.filter.members() + whole.wrapper.members()

    def answer(self, memory):
        if not (isinstance(self.lam, Real) and 0 <= self.lam <= 1):
            raise ValueError(f"lam={self.lam!r} is no proportion; give a number from 0 (one wrapper call) to 1 (all).")
        whole = self.resolved()
        return _HybridAnswer(memory.valued(whole.filter), whole.wrapper.answer(memory), self.lam)


class _HybridAnswer(Answer):
    """Definitions 4.1 and 4.2."""

    def __init__(self, filter, wrapper, lam):
        super().__init__(wrapper.J)
        self.filter, self.wrapper, self.lam = filter, wrapper, lam

    def choose(self, subset, tuples, adding):
        kept = np.arange(len(tuples))
        if self.lam < 1:
            T = len(tuples) if adding else len(tuples) - 1
            n_kept = max(1, math.floor(round(self.lam * T, 9) + 0.5))  # 0.7 * 45 is 31.5, not 31.49...
            filtered = self.filter.successor_values(subset, tuples, adding)
            kept = np.sort(np.argsort(-filtered, kind="stable")[:n_kept])
        best, value = self.wrapper.choose(subset, [tuples[q] for q in kept], adding)
        return int(kept[best]), value
