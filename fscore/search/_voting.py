"""Criteria that vote on the candidates of a step (Somol et al. 2011, Section 3)."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from fscore._typing import Estimator, Splits
from fscore.criteria._base import Criterion
from fscore.criteria._cv import CVScore
from fscore.criteria._knn import KNNPanel
from fscore.search._candidates import Candidates, Valuer
from fscore.search._choice import ChoiceRule, plain_criterion

__all__ = ["OrderVoting", "WeightedVoting"]

_TIE = 1e-12  # of the greatest value of a step: smaller differences are rounding errors


class _Voting(ChoiceRule):
    """What the two ways of voting share."""

    def __init__(
        self, criteria: Sequence[Estimator | Criterion] | None = None, *, main: Estimator | Criterion | None = None
    ) -> None:
        self.criteria = criteria
        self.main = main

    def resolved(self, cv: Splits = 10) -> ChoiceRule:
        """See `ChoiceRule.resolved`. The default voters are k-NN for k = 1, 3, 5, 7 (Section 3.2)."""
        criteria = [KNeighborsClassifier(k) for k in (1, 3, 5, 7)] if self.criteria is None else self.criteria
        if not isinstance(criteria, (list, tuple)):
            raise ValueError(f"criteria={criteria!r} is not a list; write [{criteria!r}].")
        if len(criteria) == 0:
            raise ValueError("criteria is empty; voting needs at least one criterion.")
        main = None if self.main is None else plain_criterion(self.main, cv)
        return type(self)([plain_criterion(c, cv) for c in criteria], main=main)

    def members(self) -> list[Criterion]:
        """See `ChoiceRule.members`."""
        return self.criteria + ([] if self.main is None else [self.main])

    def main_criterion(self) -> Criterion | None:
        """See `ChoiceRule.main_criterion`."""
        return self.main  # type: ignore[return-value]

    @property
    def monotone(self) -> bool:  # type: ignore[override]
        """Whether J, the criterion that searches compare, is monotone."""
        rule = self.resolved()
        return all(c.monotone for c in (rule.criteria if rule.main is None else [rule.main]))

    def begin(
        self, values_of: Callable[[Criterion], Valuer | None]
    ) -> tuple[Valuer, Callable[[Valuer, Candidates], tuple[int, float]]]:
        """See `ChoiceRule.begin`."""
        voters = _Voters(self.criteria, values_of)
        J = _MeanValues(voters) if self.main is None else values_of(self.main)
        return J, _Election(voters, self).choose  # type: ignore[return-value]

    @staticmethod
    def _votes(values):
        """The result of the vote from a table of values, one row per candidate and one column per voter."""
        raise NotImplementedError

    @staticmethod
    def _slack(values):
        """How far apart two results, or two running averages, may be and count as equal."""
        return 0.0


class OrderVoting(_Voting):
    """Criteria vote by the order in which they rank the candidates of a step.

    Each criterion ranks all candidate tuples; equal values share a rank and the ranks are dense (eqs. 15-16). The
    tuple with the best average rank wins (eq. 17). Among equals the tuple wins whose average over all votes of the
    search so far, this one included, is best (Section 3.1.3; additions and removals are counted separately); then the
    first.

    Parameters
    ----------
    criteria : list of Criterion or estimators, default=None
        An estimator stands for its `CVAccuracy` or `CVScore`, by the folds of the search. None is k-NN with k = 1, 3,
        5, 7. k-NN criteria that differ only in k are valued in one pass. Other rules of choice are refused.
    main : Criterion or estimator, default=None
        The J that searches compare and the trace records. Not stated in the paper; None is the mean of the voters.

    Notes
    -----
    A rule of choice ranks candidates by other criteria; it has no value itself. Give it to a search.

    Only the winner of each step is valued by J and enters the trace: votes compare the candidates of one step, and say
    nothing about how good a subset is.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 3.1.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.search import SFS, OrderVoting
    >>> X, y = load_iris(return_X_y=True)
    >>> SFS(OrderVoting(), n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    @staticmethod
    def _votes(values):
        """Minus the average rank, times the number of voters (an integer, so that ties are exact)."""
        ranks = [np.unique(-column, return_inverse=True)[1] + 1 for column in values.T]
        return -np.sum(ranks, axis=0).astype(np.float64)


class WeightedVoting(_Voting):
    """Criteria vote by how far each candidate falls behind their best one (eqs. 18-19).

    Meant for criteria with values in the same interval, such as accuracies. Ties and parameters as in `OrderVoting`;
    results that differ by no more than rounding errors (1e-12 of the greatest value) are equal.

    Parameters
    ----------
    criteria : list of Criterion or estimators, default=None
        As in `OrderVoting`.
    main : Criterion or estimator, default=None
        As in `OrderVoting`.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 3.1.2.
    """

    @staticmethod
    def _votes(values):
        """Minus the average shortfall; a criterion that is infinite for all candidates prefers none."""
        best = values.max(axis=0)
        return -np.subtract(best, values, out=np.zeros(values.shape), where=values != best).mean(axis=1)

    @staticmethod
    def _slack(values):
        return _TIE * np.abs(values[np.isfinite(values)]).max(initial=0.0)


class _Voters:
    """Values of all voters, one column each; k-NN voters on the same folds share one pass."""

    def __init__(self, criteria, values_of):
        self.n = len(criteria)
        self.panels = []  # (columns, valuer)
        alike = defaultdict(list)
        for column, c in enumerate(criteria):
            key = f"voter {column}"
            if isinstance(c, CVScore) and c.compiled_knn is not None:
                # they share folds if they were given the same number or the same splitter
                folds = c.cv if isinstance(c.cv, int) else id(c.cv)
                key = folds, c.compiled_knn
            alike[key].append(column)
        for columns in alike.values():
            joint = values_of(KNNPanel([criteria[i] for i in columns])) if len(columns) > 1 else None
            if joint is not None:
                self.panels.append((columns, joint))
            else:
                self.panels.extend(([i], values_of(criteria[i])) for i in columns)

    def table(self, candidates):
        """Values of shape (n_candidates, n_voters)."""
        table = np.empty((len(candidates), self.n))
        for columns, valuer in self.panels:
            table[:, columns] = valuer.values(candidates).reshape(len(candidates), -1)
        return table


class _MeanValues(Valuer):
    """The mean of the voters."""

    def __init__(self, voters):
        self.voters = voters

    def batches(self, candidates):
        values = self.voters.table(Candidates(candidates.subsets)).mean(axis=1)
        if np.isnan(values).any():  # inf - inf
            raise ValueError("the mean of the voters is undefined, because one is inf and another -inf; name a main.")
        yield values


class _Election:
    """J+ and J- of eqs. 17 and 19, with the running averages that break ties."""

    def __init__(self, voters, rule):
        self.voters = voters
        self.rule = rule
        self.slack = 0.0
        self.history = {True: defaultdict(list), False: defaultdict(list)}  # adding -> tuple -> [sum, count]

    def choose(self, J, candidates):
        """See `ChoiceRule.begin`."""
        values = self.voters.table(candidates)
        votes = self.rule._votes(values)
        self.slack = max(self.slack, self.rule._slack(values))
        history = self.history[candidates.adding]
        for t, vote in zip(candidates.tuples, votes.tolist(), strict=True):
            total, count = history[t] or (0.0, 0)
            history[t] = [total + vote, count + 1]
        tied = self._best(votes)
        averages = np.array([total / count for total, count in (history[candidates.tuples[q]] for q in tied)])
        best = int(tied[self._best(averages)[0]])
        return best, J.values(Candidates([candidates.subsets[best]]))[0]

    def _best(self, results):
        return np.flatnonzero(results >= results.max() - self.slack)
