"""The evaluator: what a search asks for values and for the best successors of a subset.

A search sees units 0..n-1 and never the data. Three parts do the work, and none of them knows another: the values and
their cache (`fscore.search._values`), the record with its budget (`fscore.search._recorder`) and the rule that chooses
a successor (`fscore.search._choice`).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from fscore._typing import Estimator, Floats, MatrixLike, Subset
from fscore._validation import validated
from fscore.criteria._base import Criterion
from fscore.search._cache import SubsetCache
from fscore.search._candidates import Candidates
from fscore.search._choice import ChoiceRule, as_rule
from fscore.search._recorder import Recorded, Recorder, SearchStopped, Timed
from fscore.search._units import SearchSpace
from fscore.search._values import BoundData

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Evaluator"]

MAX_GROUPS = 10**7


def _groups(units, c):
    """All c-tuples of the units, if they are few enough to be listed."""
    if (n := math.comb(len(units), c)) > MAX_GROUPS:
        raise ValueError(f"group_size={c} makes a search choose among {n:.1e} groups per step; use a smaller one.")
    return list(combinations(units, c))


class Evaluator:
    """Answers `add`, `remove`, `value`, `values` for a search.

    Parameters
    ----------
    criterion : estimator, Criterion or ChoiceRule
        What a subset is worth, or a rule of choice over several criteria.
    X, y : the data
    units : list of tuples of int, optional
        The columns of each searchable unit; default: each column is a unit.
    fixed : tuple of int, default=()
        Columns that every subset contains.
    n_fixed : int, optional
        How many units the fixed columns count for in the sizes of the tables; default: one each.
    n_jobs : int, optional
    params : dict of dict, optional
        Metadata for estimator, splitter and scorer.
    cache : bool or SubsetCache, default=True
        Where values are remembered: for this search, or in a cache that outlives it. False remembers nothing.
    max_evaluations : int, optional
        How many different subsets J may value; values of voters and filters are not counted.
    max_seconds : float, optional
    on_step : callable, optional
        Called with the evaluator after each step; a true result stops the search.
    keep_trace : bool, default=True
        False keeps only the best subset of each size: for enumerations of millions.
    verbose : int, default=0
        Positive shows a progress bar.

    Attributes
    ----------
    n : int
        Number of searchable units; subsets are ascending tuples of 0..n-1.
    n_evaluations : int
        Number of different subsets valued by J so far.
    space : SearchSpace
        The columns behind the units.
    recorder : Recorder
        The trace, the course and the best subsets.
    """

    def __init__(
        self,
        criterion: Estimator | Criterion | ChoiceRule,
        X: MatrixLike,
        y: ArrayLike,
        *,
        units: Sequence[Subset] | None = None,
        fixed: Subset = (),
        n_fixed: int | None = None,
        n_jobs: int | None = None,
        params: Mapping[str, Mapping[str, Any]] | None = None,
        cache: bool | SubsetCache = True,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        on_step: "Callable[[Evaluator], object] | None" = None,
        keep_trace: bool = True,
        verbose: int = 0,
    ) -> None:
        if len(getattr(X, "shape", ())) != 2 or np.ma.is_masked(X):
            X = validated(check_array, X, dtype=None)
        self.space = SearchSpace(X.shape[1], units, fixed, n_fixed)
        self.n = self.space.n
        self.on_step = on_step
        self.recorder = Recorder(
            self.space,
            max_evaluations=max_evaluations,
            max_seconds=max_seconds,
            keep_trace=keep_trace,
            verbose=verbose,
        )
        self.data = BoundData(X, y, self.space, n_jobs=n_jobs, params=params, cache=cache)
        rule = as_rule(criterion)
        self.monotone = rule.monotone
        J, self._choose = rule.begin(self._values_of)
        self._J = Recorded(J, self.recorder)
        if not keep_trace:
            self.data.forget()
        self.data.open()

    def _values_of(self, criterion):
        values = self.data.values_of(criterion)
        return None if values is None else Timed(values, self.recorder)

    # what a search asks -----------------------------------------------------------------------------------------

    def add(self, subset: Subset, c: int = 1) -> tuple[Subset, float]:
        """ADD_c: ``(subset + best c-tuple, its value)``, Definition 1.1."""
        taken = set(subset)
        return self._step(subset, _groups([u for u in range(self.n) if u not in taken], c), True)

    def remove(self, subset: Subset, c: int = 1) -> tuple[Subset, float]:
        """RMV_c: ``(subset - least significant c-tuple, its value)``, Definition 1.2."""
        return self._step(subset, _groups(subset, c), False)

    def value(self, subset: Subset) -> float:
        """J(subset)."""
        return float(self.values([subset])[0])

    def values(self, subsets: Sequence[Subset]) -> Floats:
        """J of each subset, ascending tuples of units."""
        values = self._J.values(Candidates(subsets))
        best = int(np.argmax(values))
        self._record_step("value", subsets[best], float(values[best]))
        return values

    def removal_values(self, subset: Subset, units: Iterable[int]) -> Floats:
        """J of ``subset`` without each unit, by the criterion's fast way; not entered as a step."""
        return self._J.values(Candidates.of_step(subset, [(u,) for u in units], False))

    def bounded_walk(self, size: int, bound: float) -> Any:
        """The criterion's compiled branch and bound down to ``size`` units; None if it has none."""
        units = self.space.units
        if self._J.bound is None or size == self.n or any(len(u) > 1 for u in units):
            return None
        everything = self.space.columns(tuple(range(self.n)))
        return self._J.bound.bounded_walk(everything, [u[0] for u in units], self.n - size, bound)

    def run(self, walk: Any, most: int) -> int:
        """Let a compiled walk value ``most`` subsets, or what the budget allows; they do not enter the trace."""
        recorder = self.recorder
        if recorder.max_evaluations is not None:
            most = min(most, recorder.max_evaluations - recorder.n_evaluations - 1)  # keep one for the result
        n_valued = walk.run(most)
        recorder.n_evaluations += n_valued
        return n_valued

    def best(self, size: int | None = None) -> Subset:
        """The best subset seen (of one size): highest value, then fewest units, then earliest."""
        return self.recorder.best(size)

    def check_time(self) -> None:
        """Stop if the time is up."""
        self.recorder.check_time()

    # what remains -----------------------------------------------------------------------------------------------

    def _step(self, subset, tuples, adding):
        if not tuples:
            raise ValueError(f"no tuple can be {'added to' if adding else 'removed from'} {subset}")
        candidates = Candidates.of_step(subset, tuples, adding)
        position, value = self._choose(self._J, candidates)
        successor = candidates.subsets[position]
        self._record_step("add" if adding else "remove", successor, float(value))
        return successor, float(value)

    def _record_step(self, move, subset, value):
        self.recorder.record_step(move, subset, value)
        if self.on_step is not None and self.on_step(self):
            raise SearchStopped("callback")

    @property
    def has_standard_error(self) -> bool:
        """Whether J is the mean over the folds of a cross-validation."""
        return hasattr(self._J.bound, "fold_scores")

    @property
    def n_folds(self) -> int:
        """Number of folds over which J is a mean."""
        splits, *_ = self._J.bound.context
        return len(splits)

    def standard_error(self, columns: Subset) -> float:
        """Standard error of J over the folds, for a subset of columns."""
        scores = self._J.bound.fold_scores(columns)
        return scores.std(ddof=1) / np.sqrt(len(scores))

    def trace(self) -> "DataFrame":
        """The trace of the recorder, with a column for each further score of a criterion with several."""
        trace = self.recorder.trace()
        further = getattr(self._J.bound, "further_scores", lambda subsets: {})(trace["features"].tolist())
        taken = [name for name in further if name in trace]
        if taken:
            raise ValueError(f"scoring has the name {taken[0]!r}, which is a column of the trace; choose another name.")
        return trace.assign(**further)

    @property
    def n_evaluations(self) -> int:
        """Number of different subsets valued by J so far."""
        return self.recorder.n_evaluations

    def forget(self) -> None:
        """Drop trace and cache; from now on keep only the best subset of each size."""
        self.recorder.forget()
        self.data.forget()

    def stop_checking(self) -> None:
        """Let what describes the result take the time it needs."""
        if self._J.bound is not None:
            self._J.bound.check = None

    def close(self) -> None:
        """Shut down workers, close files, remove the progress bar."""
        self.recorder.close()
        self.data.close()
