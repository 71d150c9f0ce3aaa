"""The filter-wrapper hybrid (Somol et al. 2011, Section 4)."""

import math
from collections.abc import Callable
from numbers import Real
from typing import Literal

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from fscore._typing import Estimator, Splits
from fscore.criteria._base import Criterion
from fscore.search._candidates import Candidates, Valuer
from fscore.search._choice import ChoiceRule, as_rule, plain_criterion

__all__ = ["Hybrid"]

ROUNDINGS = {"nearest": 0.5, "floor": 0.0}  # added before rounding down


class Hybrid(ChoiceRule):
    """A filter narrows the candidates of every step, a wrapper chooses among the rest.

    Of the T candidate tuples of a step the ``max(1, round(lam T))`` with the best filter values are valued by the
    wrapper (eqs. 21-28; halves round up, or ``rounding`` is "floor").

    Parameters
    ----------
    filter : Criterion or estimator
        The fast criterion, such as `Bhattacharyya`. Rules of choice are refused.
    wrapper : Criterion, estimator or rule of choice, default=None
        The slow one, which decides and whose values searches compare. An estimator stands for its `CVScore`; None is
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
    Like a voting ensemble, it ranks candidates by other criteria and has no value itself. Ties at the filter's cut,
    which the paper leaves open, go to the lower index.

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

    def __init__(
        self,
        filter: Estimator | Criterion,
        wrapper: Estimator | Criterion | ChoiceRule | None = None,
        lam: float = 0.5,
        rounding: Literal["nearest", "floor"] = "nearest",
        pure_wrapper: bool = True,
    ) -> None:
        self.filter = filter
        self.wrapper = wrapper
        self.lam = lam
        self.rounding = rounding
        self.pure_wrapper = pure_wrapper

    def resolved(self, cv: Splits = 10) -> ChoiceRule:
        """See `ChoiceRule.resolved`."""
        if not (isinstance(self.lam, Real) and 0 <= self.lam <= 1):
            raise ValueError(
                f"lam={self.lam!r} is not a proportion; give a number from 0 (one wrapper call per step) to 1 (all)."
            )
        if self.rounding not in ROUNDINGS:
            raise ValueError(f"rounding={self.rounding!r} is unknown; choose {' or '.join(map(repr, ROUNDINGS))}.")
        wrapper = KNeighborsClassifier(n_neighbors=5) if self.wrapper is None else self.wrapper
        filter, wrapper = plain_criterion(self.filter, cv), as_rule(wrapper, cv)
        return type(self)(filter, wrapper, self.lam, self.rounding, self.pure_wrapper)

    def members(self) -> list[Criterion]:
        """See `ChoiceRule.members`."""
        return [self.filter, *self.wrapper.members()]  # type: ignore[list-item]

    def main_criterion(self) -> Criterion | None:
        """See `ChoiceRule.main_criterion`."""
        return self.wrapper.main_criterion()

    def begin(
        self, values_of: Callable[[Criterion], Valuer | None]
    ) -> tuple[Valuer, Callable[[Valuer, Candidates], tuple[int, float]]]:
        """See `ChoiceRule.begin`."""
        filter = values_of(self.filter)
        J, choose = self.wrapper.begin(values_of)
        half = ROUNDINGS[self.rounding]

        def choose_among_kept(J, candidates):
            """Definitions 4.1 and 4.2."""
            if self.lam == 1 and (self.pure_wrapper or candidates.adding):
                return choose(J, candidates)
            T = len(candidates) if candidates.adding else len(candidates) - 1
            n_kept = max(1, math.floor(round(self.lam * T, 9) + half))  # 0.7 * 45 is 31.5, not 31.49...
            kept = np.sort(np.argsort(-filter.values(candidates), kind="stable")[:n_kept])
            best, value = choose(J, candidates.at(kept))
            return int(kept[best]), value

        return J, choose_among_kept
