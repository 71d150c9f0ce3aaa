"""Selection rules: how a step picks one of its candidates (J+ and J- of the paper).

The plain rule takes the best J (Definitions 1.1 and 1.2). Voting and the filter-wrapper hybrid pick by other criteria.
What searches compare between steps is J in any case.
"""

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.neighbors import KNeighborsClassifier

from fscore._sklearn import Interval, StrOptions, check_parameters, estimator_dataclass
from fscore._typing import ArrayLike, Estimator, Floats, Splits, Subset
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._cv import as_criterion
from fscore.criteria._subsets import without

if TYPE_CHECKING:
    from fscore.search._evaluator import Evaluator

ROUNDING = 1e-12  # of the greatest score of a step: smaller differences are rounding errors
ADD_BEFORE_FLOOR = {"nearest": 0.5, "floor": 0.0}  # floor(x + 0.5) rounds to nearest


@dataclass(frozen=True)
class Candidates:
    """Subsets to be scored together, as the candidates of one step are.

    Attributes
    ----------
    subsets : list of tuples of int
        Ascending units.
    base : tuple of int or None
        The subset that the step starts from; None if the subsets are unrelated.
    """

    subsets: Sequence[Subset]
    base: Subset | None = None

    def __len__(self) -> int:
        return len(self.subsets)

    @property
    def adding(self) -> bool:
        """Whether the candidates have more units than the base; otherwise they have fewer."""
        return self.base is None or len(self.subsets[0]) > len(self.base)

    def at(self, positions: Sequence[int]) -> "Candidates":
        """Only the candidates at these positions."""
        return Candidates([self.subsets[q] for q in positions], self.base)

    def change(self, position: int) -> Subset:
        """The units that a candidate adds to the base, or removes from it."""
        subset, base = self.subsets[position], self.base or ()
        return without(subset, base) if self.adding else without(base, subset)


class ChoiceRule(BaseEstimator):
    """Base class of selection rules. A rule picks one of the candidates of each step; it has no score of its own."""

    def resolve(self, cv: Splits = 10) -> None:
        """Set the criteria of one search and what is remembered of its steps; each search has a copy of the rule.

        Parameters
        ----------
        cv : int, splitter or iterable, default=10
            The folds of the search, for estimators given in place of criteria.
        """
        raise NotImplementedError

    def all_criteria(self) -> list[Criterion]:
        """All criteria of a resolved rule."""
        raise NotImplementedError

    def main_criteria(self) -> list[Criterion]:
        """The criteria whose mean is J, which searches compare and record; by default all."""
        return self.all_criteria()

    def bind_samples(
        self, X: ArrayLike, y: ArrayLike, splits: Any, n_jobs: int | None, params: Mapping[str, Any]
    ) -> list[tuple[BoundCriterion, list]]:
        """Bind what a resolved rule asks about samples of the rows; by default nothing.

        Parameters
        ----------
        X, y : the data
        splits : list of (train, test)
            Of the one criterion that searches compare.
        n_jobs : int or None
        params : dict of dict
            Metadata by consumer.

        Returns
        -------
        list of (BoundCriterion, list of criteria)
            Each scores a table with a column for each of the criteria.
        """
        return []

    def choose(self, evaluator: "Evaluator", candidates: Candidates) -> int:
        """Pick one of the candidates of a step.

        Parameters
        ----------
        evaluator : Evaluator
            ``evaluator.scores(candidates)`` is J of each candidate, which is recorded and counts against the budget.
            ``evaluator.scores(candidates, criterion)`` are the scores by a criterion of the rule, which neither is.
        candidates : Candidates

        Returns
        -------
        int
            The position of the chosen candidate.
        """
        raise NotImplementedError

    @property
    def needs_classes(self) -> bool:
        """Whether a criterion of a resolved rule needs class labels."""
        return any(c.needs_classes for c in self.all_criteria())

    @property
    def monotone(self) -> bool:
        """Whether the J of a resolved rule never falls when a feature is added."""
        return all(c.monotone for c in self.main_criteria())


class BestScore(ChoiceRule):
    """The rule of a single criterion: the best score; ties go to the first candidate."""

    def __init__(self, criterion):
        self.criterion = criterion

    def resolve(self, cv=10):
        """See `ChoiceRule.resolve`."""
        self.criterion_ = _plain_criterion(self.criterion, cv)

    def all_criteria(self):
        """See `ChoiceRule.all_criteria`."""
        return [self.criterion_]

    def choose(self, evaluator, candidates):
        """Definitions 1.1 and 1.2."""
        return int(np.argmax(evaluator.scores(candidates)))


def as_rule(criterion, cv=10):
    """A resolved copy of a rule; that of the plain rule for an estimator or a criterion."""
    rule = copy(criterion) if isinstance(criterion, ChoiceRule) else BestScore(criterion)
    rule.resolve(cv)
    return rule


def _plain_criterion(criterion, cv):
    """A criterion, or that of a classifier or regressor; rules are refused."""
    if isinstance(criterion, ChoiceRule):
        raise ValueError(
            f"{type(criterion).__name__} ranks candidates by other criteria and has no score of its own, so it cannot "
            "vote or filter; give it to a search, or to a Hybrid as its wrapper."
        )
    return as_criterion(criterion, cv)


@estimator_dataclass
class _Voting(ChoiceRule):
    """Base class of the two ways of voting."""

    criteria: Sequence[Estimator | Criterion] | None = None
    _: KW_ONLY
    main: Estimator | Criterion | None = None

    def resolve(self, cv: Splits = 10) -> None:
        """See `ChoiceRule.resolve`. The default voters are k-NN for k = 1, 3, 5, 7 (Section 3.2)."""
        criteria = [KNeighborsClassifier(k) for k in (1, 3, 5, 7)] if self.criteria is None else self.criteria
        if not isinstance(criteria, (list, tuple)) or not criteria:
            raise ValueError(f"criteria={criteria!r} must be a list of at least one criterion.")
        self.criteria_: list[Criterion] = [_plain_criterion(c, cv) for c in criteria]
        self.main_: Criterion | None = None if self.main is None else _plain_criterion(self.main, cv)
        self._atol = 0.0
        # by whether it adds: the sum and the number of each change's votes
        self._history: dict[bool, dict[Subset, tuple[float, int]]] = {True: {}, False: {}}

    def all_criteria(self) -> list[Criterion]:
        """See `ChoiceRule.all_criteria`."""
        return self.criteria_ + ([] if self.main_ is None else [self.main_])

    def main_criteria(self) -> list[Criterion]:
        """See `ChoiceRule.main_criteria`."""
        return self.criteria_ if self.main_ is None else [self.main_]

    def choose(self, evaluator: "Evaluator", candidates: Candidates) -> int:
        """The best vote; ties go to the best average over all votes of the search, then to the first (eqs. 17, 19)."""
        scores = np.column_stack([evaluator.scores(candidates, c) for c in self.criteria_])
        votes = self._votes(scores)
        self._atol = max(self._atol, self._rounding_error(scores))
        history = self._history[candidates.adding]
        changes = [candidates.change(q) for q in range(len(candidates))]
        for change, vote in zip(changes, votes.tolist(), strict=True):
            total, count = history.get(change, (0.0, 0))
            history[change] = total + vote, count + 1
        tied = _tied_with_best(votes, self._atol)
        records = [history[changes[q]] for q in tied]
        averages = np.array([total / count for total, count in records])
        return int(tied[_tied_with_best(averages, self._atol)[0]])

    @staticmethod
    def _votes(scores: Floats) -> Floats:
        """The result of the vote from a table of scores, one row per candidate and one column per voter."""
        raise NotImplementedError

    @staticmethod
    def _rounding_error(scores: Floats) -> float:
        """How far apart two results, or two running averages, may be and count as equal."""
        return 0.0


def _tied_with_best(results, atol):
    """The positions of the results that are at most ``atol`` below the best."""
    return np.flatnonzero(results >= results.max() - atol)


class OrderVoting(_Voting):
    """Criteria vote by the order in which they rank the candidates of a step.

    Each criterion ranks all candidates; equal scores share a rank and the ranks are dense (eqs. 15-16). The candidate
    with the best average rank wins (eq. 17). Ties go to the candidate with the best average over all votes of the
    search so far, this one included (Section 3.1.3; additions and removals are counted separately), then to the first.

    Parameters
    ----------
    criteria : list of Criterion or estimators, default=None
        An estimator stands for its `CVAccuracy` or `CVScore`, by the folds of the search. None is k-NN with k = 1, 3,
        5, 7. k-NN criteria that differ only in k are scored in one pass. Other rules are refused.
    main : Criterion or estimator, default=None
        The J that searches compare and the trace records. Not stated in the paper; None is the mean of the voters.

    Notes
    -----
    A rule ranks candidates by other criteria; it has no score of its own. Give it to a search.

    Only the winner of each step is scored by J and enters the trace: votes compare the candidates of one step, and say
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
    def _votes(scores):
        """Minus the average rank, times the number of voters (an integer, so that ties are exact)."""
        ranks = [np.unique(-column, return_inverse=True)[1] + 1 for column in scores.T]
        return -np.sum(ranks, axis=0).astype(np.float64)


class WeightedVoting(_Voting):
    """Criteria vote by how far each candidate falls behind their best one.

    Equations 18 and 19. Meant for criteria with scores in the same interval, such as accuracies. Ties and parameters as
    in `OrderVoting`; results that differ by no more than rounding errors (1e-12 of the greatest score) are equal.

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
    def _votes(scores):
        """Minus the average shortfall; a criterion that is infinite for all candidates prefers none."""
        best = scores.max(axis=0)
        return -np.subtract(best, scores, out=np.zeros(scores.shape), where=scores != best).mean(axis=1)

    @staticmethod
    def _rounding_error(scores):
        return ROUNDING * np.abs(scores[np.isfinite(scores)]).max(initial=0.0)


@estimator_dataclass
class Hybrid(ChoiceRule):
    """The filter-wrapper hybrid: a filter narrows the candidates of every step, a wrapper chooses among the rest.

    Of the T candidates of a step the ``max(1, round(lam T))`` with the best filter scores are scored by the wrapper
    (eqs. 21-28; halves round up, or ``rounding`` is "floor").

    Parameters
    ----------
    filter_criterion : Criterion or estimator
        The fast criterion, such as `Bhattacharyya`. Rules are refused.
    wrapper : Criterion, estimator or selection rule, default=None
        The slow one, which decides and whose scores searches compare. An estimator stands for its `CVScore`; None is
        5-NN in 10-fold cross-validation (Section 4). May be a voting ensemble, or another hybrid.
    lam : float in [0, 1], default=0.5
        Hybridization coefficient. 0 makes one wrapper evaluation per step, 1 is the pure wrapper.
    rounding : {"nearest", "floor"}, default="nearest"
        How ``lam T`` becomes a whole number: the paper's text rounds, the authors' toolbox rounds down.
    pure_wrapper : bool, default=True
        Whether ``lam = 1`` leaves no candidate out. For removals the paper counts one candidate less, T = C(d, c) - 1
        (eq. 25), which taken literally leaves one out even at lam = 1; yet the paper calls that the pure wrapper.

    Notes
    -----
    Like a voting ensemble, it ranks candidates by other criteria and has no score of its own. Ties at the filter's
    cut, which the paper leaves open, go to the lower index.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 4, Definitions 4.1 and 4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import Bhattacharyya
    >>> from fscore.search import SFS, Hybrid
    >>> X, y = load_iris(return_X_y=True)
    >>> SFS(Hybrid(Bhattacharyya(), lam=0.5), n_features_to_select=2).fit(X, y).get_support(indices=True)
    array([2, 3])
    """

    filter_criterion: Estimator | Criterion
    wrapper: Estimator | Criterion | ChoiceRule | None = None
    lam: float = 0.5
    rounding: Literal["nearest", "floor"] = "nearest"
    pure_wrapper: bool = True

    _parameter_constraints: ClassVar[dict] = {
        "lam": [Interval(Real, 0, 1, closed="both")],
        "rounding": [StrOptions(set(ADD_BEFORE_FLOOR))],
    }

    def resolve(self, cv: Splits = 10) -> None:
        """See `ChoiceRule.resolve`."""
        check_parameters(self)
        self.filter_ = _plain_criterion(self.filter_criterion, cv)
        self.wrapper_ = as_rule(KNeighborsClassifier(n_neighbors=5) if self.wrapper is None else self.wrapper, cv)

    def all_criteria(self) -> list[Criterion]:
        """See `ChoiceRule.all_criteria`."""
        return [self.filter_, *self.wrapper_.all_criteria()]

    def main_criteria(self) -> list[Criterion]:
        """See `ChoiceRule.main_criteria`."""
        return self.wrapper_.main_criteria()

    def bind_samples(
        self, X: ArrayLike, y: ArrayLike, splits: Any, n_jobs: int | None, params: Mapping[str, Any]
    ) -> list[tuple[BoundCriterion, list]]:
        """See `ChoiceRule.bind_samples`."""
        return self.wrapper_.bind_samples(X, y, splits, n_jobs, params)

    def choose(self, evaluator: "Evaluator", candidates: Candidates) -> int:
        """Definitions 4.1 and 4.2."""
        if self.lam == 1 and (self.pure_wrapper or candidates.adding):
            return self.wrapper_.choose(evaluator, candidates)
        T = len(candidates) if candidates.adding else len(candidates) - 1
        # 0.7 * 45 is 31.5, not 31.49...
        n_kept = max(1, math.floor(round(self.lam * T, 9) + ADD_BEFORE_FLOOR[self.rounding]))
        scores = evaluator.scores(candidates, self.filter_)
        positions = np.sort(np.argsort(-scores, kind="stable")[:n_kept])
        return int(positions[self.wrapper_.choose(evaluator, candidates.at(positions.tolist()))])
