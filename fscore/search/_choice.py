"""Rules of choice: which of the candidates of a step a search takes (J+ and J- of the paper).

The plain rule takes the best value of J (Definitions 1.1 and 1.2). Voting ensembles and the filter-wrapper hybrid rank
the candidates by other criteria; what searches compare between steps is still J.
"""

from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator

from fscore._typing import Splits
from fscore.criteria._base import Criterion
from fscore.criteria._cv import as_criterion
from fscore.search._candidates import Candidates, Valuer

__all__ = ["BestValue", "ChoiceRule", "as_rule", "best_value", "plain_criterion"]


class ChoiceRule(BaseEstimator):
    """Ranks candidates by criteria; has no value itself. Base class of the rules.

    Attributes
    ----------
    monotone : bool
        Whether J, the criterion that searches compare, is monotone.
    """

    monotone = False

    def resolved(self, cv: Splits = 10) -> "ChoiceRule":
        """The same rule with its estimators replaced by their `CVAccuracy` or `CVScore` by `cv`."""
        raise NotImplementedError

    def members(self) -> list[Criterion]:
        """The criteria of a resolved rule."""
        raise NotImplementedError

    def main_criterion(self) -> Criterion | None:
        """J, the criterion of a resolved rule that searches compare; None if it is the mean of several."""
        raise NotImplementedError

    def begin(
        self, values_of: Callable[[Criterion], Valuer | None]
    ) -> tuple[Valuer, Callable[[Valuer, Candidates], tuple[int, float]]]:
        """Bind the criteria of a resolved rule for one search.

        Parameters
        ----------
        values_of : callable
            ``values_of(criterion)`` is the `Valuer` of a criterion on the data of the search; None for a panel that
            cannot be bound.

        Returns
        -------
        J : Valuer
            What the search compares.
        choose : callable
            ``choose(J, candidates)`` returns the position and the value of the chosen candidate. J is passed to it
            because the search records what J values.
        """
        raise NotImplementedError


class BestValue(ChoiceRule):
    """The rule of a single criterion: its best value; the first offered among equals."""

    def __init__(self, criterion):
        self.criterion = criterion

    @property
    def monotone(self):
        """Whether the criterion is monotone."""
        return self.criterion.monotone

    def resolved(self, cv=10):
        """See `ChoiceRule.resolved`."""
        return BestValue(plain_criterion(self.criterion, cv))

    def members(self):
        """See `ChoiceRule.members`."""
        return [self.criterion]

    def main_criterion(self):
        """See `ChoiceRule.main_criterion`."""
        return self.criterion

    def begin(self, values_of):
        """See `ChoiceRule.begin`."""
        return values_of(self.criterion), best_value


def best_value(J, candidates):
    """Definitions 1.1 and 1.2; among equal values the first candidate, when adding and when removing."""
    values = J.values(candidates)
    best = int(np.argmax(values))
    return best, values[best]


def as_rule(criterion, cv=10):
    """A rule with its estimators resolved; the plain rule for an estimator or a criterion."""
    return (criterion if isinstance(criterion, ChoiceRule) else BestValue(criterion)).resolved(cv)


def plain_criterion(criterion, cv=10):
    """A criterion, or that of a classifier or regressor; rules of choice are refused."""
    if isinstance(criterion, ChoiceRule):
        name = type(criterion).__name__
        raise ValueError(
            f"{name} ranks candidates by other criteria and has no value itself, so it cannot vote or filter; give "
            f"{name} to a search, or to a Hybrid as its wrapper."
        )
    return as_criterion(criterion, cv)
