"""The evaluator: scores subsets for a search, remembers the scores and records what the search does."""

import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import sem
from sklearn.exceptions import FitFailedWarning

from fscore._typing import Floats, Subset
from fscore._warnings import warn_user
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._cv import CVScore
from fscore.criteria._subsets import merged
from fscore.search._checkpoint import Checkpoint, data_hash, score_key
from fscore.search._rules import Candidates
from fscore.search._score_cache import ScoreCache, bind_criteria, distinct

if TYPE_CHECKING:
    from pandas import DataFrame

SECONDS = 0.2  # intended duration of a batch
GROWTH = 8  # largest factor from one batch to the next
TRACE = {"features": object, "size": np.int64, "value": np.float64, "step": np.int64}


class SearchStopped(BaseException):  # so that `except Exception` does not catch it
    """The search must stop; ``args[0]`` says why: "evaluations", "seconds" or "callback"."""


class Evaluator:
    """Answers `add`, `remove`, `value` and `values` for a search, which sees units 0..n_units-1 and never the data.

    Parameters
    ----------
    search : SubsetSearch
        Its parameters are the workers, the limits, the checkpoint, the progress bar and the `error_score`.
    rule : ChoiceRule
        With its estimators resolved, as by `as_rule`.
    X, y : the data
    space : SearchSpace
        The units, of which subsets are ascending tuples, and the columns of a subset.
    params : dict of dict
        Metadata for estimator, splitter and scorer.
    callback : callable or None
        Called after each step with a function that returns the best support; a true result stops the search.

    Attributes
    ----------
    n_units : int
        Number of units that can be chosen; subsets are ascending tuples of 0..n_units-1.
    n_evaluations : int
        Number of different subsets scored by J so far.
    rows : dict of subset to (value, number of steps before it)
        The trace: every subset scored by J, in order.
    steps : list of (move, subset, value, n_evaluations)
    best_of_size : dict of int to (subset, value)
    """

    def __init__(self, search, rule, X, y, space, params, callback):
        self.space, self.n_units = space, len(space.units)
        self.rule, self.error_score, self.callback = rule, search.error_score, callback
        self.max_evaluations = search.max_evaluations
        self.deadline = None if search.max_seconds is None else time.monotonic() + search.max_seconds
        self.n_evaluations = 0
        self.rows = {}
        self.steps = []
        self.best_of_size = {}
        self.keeps_trace = True
        # An estimator that cannot be fitted to one column of texts or objects cannot be fitted to the others either.
        self._columns_fail_alike = not hasattr(X, "columns") and X.dtype.kind not in "biuf"
        self._caches = bind_criteria(rule, X, y, search.n_jobs, params)
        for cache in self._caches:
            cache.bound.set_time_check(self.check_time)
        self._main = [self._cache_of(criterion) for criterion in rule.main_criteria()]
        self._J = self._main[0][0].bound if len(self._main) == 1 else BoundCriterion()  # a mean has no abilities
        for name in self._J.extra_scores([]):
            if name in TRACE:
                raise ValueError(f"scoring has the name {name!r}, which is a column of the trace; choose another name.")
        self._sample_caches = []
        if self._J.splits is not None:
            samples = rule.bind_samples(X, y, self._J.splits, search.n_jobs, params)
            self._sample_caches = [ScoreCache(bound, criteria) for bound, criteria in samples]
            self._caches += self._sample_caches
        self.checkpoint = None if search.checkpoint is None else self._resume(search.checkpoint, X, y)
        self._bar = _progress_bar(rule.all_criteria()) if search.verbose else None

    # what a search asks -----------------------------------------------------------------------------------------

    def add(self, subset: Subset, c: int = 1) -> tuple[Subset, float]:
        """ADD_c: ``(subset + the chosen c-tuple, its value)``, Definition 1.1."""
        others = [u for u in range(self.n_units) if u not in subset]
        return self._step("add", subset, [merged(subset, group) for group in combinations(others, c)])

    def remove(self, subset: Subset, c: int = 1) -> tuple[Subset, float]:
        """RMV_c: ``(subset - the chosen c-tuple, its value)``, Definition 1.2."""
        n_kept = len(subset) - c
        # what is kept comes in the reverse order of what is removed
        return self._step("remove", subset, list(combinations(subset, n_kept))[::-1] if n_kept >= 0 else [])

    def _step(self, move, base, subsets):
        if not subsets:
            raise ValueError(f"{move}: the subset {base} leaves no tuple to choose.")
        chosen = subsets[self.rule.choose(self, Candidates(subsets, base))]
        value = float(self.scores(Candidates([chosen]))[0])
        self._record_step(move, chosen, value)
        return chosen, value

    def value(self, subset: Subset) -> float:
        """J(subset)."""
        return float(self.values([subset])[0])

    def values(self, subsets: Sequence[Subset]) -> Floats:
        """J of each subset, ascending tuples of units."""
        values = self.scores(Candidates(subsets))
        best = int(np.argmax(values))
        self._record_step("value", subsets[best], float(values[best]))
        if not self.keeps_trace:
            for cache in self._caches:
                cache.clear()
        return values

    def best(self, size: int | range | None = None) -> Subset:
        """The best subset seen (of one size, or of some): highest value, then fewest units, then earliest.

        None if nothing of these sizes was scored.
        """
        sizes = [size] if isinstance(size, int) else size
        scored_sizes = [d for d in self.best_of_size if sizes is None or d in sizes]
        if not scored_sizes:
            return None  # type: ignore[return-value]
        return self.best_of_size[max(scored_sizes, key=lambda d: (self.best_of_size[d][1], -d))][0]

    def check_time(self) -> None:
        """Stop if the time is up, but not before anything was scored."""
        if self.deadline is not None and self.n_evaluations and time.monotonic() > self.deadline:
            raise SearchStopped("seconds")

    def branch_and_bound(self, size: int, bound: float) -> Any:
        """The criterion's compiled branch and bound down to ``size`` units; None if it has none."""
        units = self.space.units
        if size == self.n_units or any(len(unit) > 1 for unit in units):
            return None
        everything = self.space.columns(tuple(range(self.n_units)))
        return self._J.branch_and_bound(everything, [unit[0] for unit in units], self.n_units - size, bound)

    def run(self, compiled_search: Any, most: int) -> int:
        """Let a compiled search score ``most`` subsets, or what the budget allows; they do not enter the trace."""
        if self.max_evaluations is not None:
            most = min(most, self.max_evaluations - self.n_evaluations - 1)  # keep one for the result
        n_scored = compiled_search.run(most)
        self.n_evaluations += n_scored
        return n_scored

    # what a rule asks -------------------------------------------------------------------------------------------

    def scores(self, candidates: Candidates, criterion: Criterion | None = None) -> Floats:
        """Scores of the candidates: J, which is recorded and counted, or those by another criterion, which are not.

        Unknown scores are computed in batches; each batch is remembered as soon as it is done.

        Parameters
        ----------
        candidates : Candidates
        criterion : Criterion, optional
            One of the rule's; None is J, the mean of its main criteria.

        Returns
        -------
        ndarray of shape (n_candidates,)
        """
        if criterion is not None:
            return self._scores_by(*self._cache_of(criterion), candidates)
        subsets = candidates.subsets[: self._n_allowed(candidates.subsets)]
        allowed = Candidates(subsets, candidates.base)
        if len(self._main) == 1:
            values = self._scores_by(*self._main[0], allowed, recorded=True)
        else:
            values = np.column_stack([self._scores_by(*voter, allowed) for voter in self._main]).mean(axis=1)
            if np.isnan(values).any():
                raise ValueError("the mean of the voters is undefined, as one is inf and another -inf; pass main=...")
            self._record(subsets, values.tolist())
        if len(subsets) < len(candidates):
            raise SearchStopped("evaluations")
        return values

    def _cache_of(self, criterion: Criterion) -> tuple[ScoreCache, int]:
        """The cache that holds the scores of a criterion, and the criterion's position there."""
        for cache in self._caches:
            for position, known in enumerate(cache.criteria):
                if known is criterion:
                    return cache, position
        raise ValueError(f"{criterion!r} is not a criterion of {self.rule!r}; return it from all_criteria.")

    def _scores_by(self, cache, position, candidates, recorded=False):
        """Scores by the criterion at a position of a cache; those of J are recorded after each batch."""
        keys = list(map(self.space.columns, candidates.subsets))
        base = self.space.columns(candidates.base) if candidates.base is not None else None
        known, n_recorded = cache.scores[position], 0
        missing = list(dict.fromkeys(key for key in keys if key not in known))
        while True:
            if recorded:
                values = [known[key] for key in takewhile(known.__contains__, keys[n_recorded:])]
                self._record(candidates.subsets[n_recorded : n_recorded + len(values)], values)
                n_recorded += len(values)
            self.check_time()
            if not missing:
                return np.array([known[key] for key in keys])
            batch = cache.next_batch(missing, base)
            begin = time.perf_counter()
            try:
                table = cache.compute(batch)
            except Exception as error:
                table = self._one_by_one(cache, batch, error)
            fitting = len(batch) * SECONDS / max(time.perf_counter() - begin, 1e-9)
            cache.batch_size = max(1, int(min(fitting, max(GROWTH * len(batch), cache.batch_size))))
            self._keep(cache, batch, table)
            del missing[: len(batch)]

    def _one_by_one(self, cache, batch, error):
        """Scores of a batch that raised an error, one by one; a subset that fails gets the error_score."""
        if self.error_score == "raise":
            raise error
        rows = []
        for subset in batch:
            try:
                rows.append(cache.compute([subset]))
            except Exception as failure:
                self._raise_unless_due_to_subset(cache, failure)
                cache.failed[subset] = failure
                rows.append(np.full((1, len(cache.criteria)), self.error_score))
        return np.concatenate(rows)

    def _raise_unless_due_to_subset(self, cache, error):
        """Raise the error if it is not due to the subset: all units together and each alone fail, too."""
        if cache.any_scored:
            return
        everything, alone = tuple(range(self.n_units)), [(unit,) for unit in range(self.n_units)]
        for subset in *alone[:1], everything, *([] if self._columns_fail_alike else alone[1:]):
            with suppress(Exception):
                cache.compute([self.space.columns(subset)])
                return
        raise error

    # record -----------------------------------------------------------------------------------------------------

    def _n_allowed(self, subsets):
        """How many of the subsets, from the first on, may be scored within the budget of evaluations."""
        if self.max_evaluations is None:
            return len(subsets)
        new = set() if self.space.fixed_units else {()}  # the empty set of columns is never scored
        most = self.max_evaluations - self.n_evaluations + len(new)
        for q, subset in enumerate(subsets):
            if self._is_new(subset) and subset not in new:
                if len(new) == most:
                    return q
                new.add(subset)
        return len(subsets)

    def _is_new(self, subset):
        return subset not in self.rows and self.best_of_size.get(len(subset), (None,))[0] != subset

    def _record(self, subsets, values):
        """Enter subsets into the trace that are not in it yet."""
        for subset, value in zip(subsets, values, strict=True):
            if not self._is_new(subset) or not (subset or self.space.fixed_units):
                continue
            self.n_evaluations += 1
            size = len(subset)
            if size not in self.best_of_size or value > self.best_of_size[size][1]:
                self.best_of_size[size] = subset, value
            if self.keeps_trace:
                self.rows[subset] = value, len(self.steps)

    def _record_step(self, move, subset, value):
        if self.keeps_trace:
            self.steps.append((move, subset, value, self.n_evaluations))
        if self._bar is not None:
            self._bar.update(self.n_evaluations - self._bar.n)
            self._bar.set_postfix_str(f"size {self.space.size(subset)}, value {value:.4g}")
        if self.callback is not None and self.callback(lambda: self.space.support(self.best())):
            raise SearchStopped("callback")

    def drop_trace(self) -> None:
        """From now on keep only the best subset of each size, for enumerations of millions."""
        self.keeps_trace = False
        self.rows.clear()
        self.steps.clear()

    def _resume(self, path, X, y):
        """Open a checkpoint, and read the scores of each criterion that are in it."""
        data = data_hash(X, y)
        for cache in self._caches:
            cache.keys = [score_key(criterion, cache.bound.context, data) for criterion in cache.criteria]
        checkpoint = Checkpoint(path)
        for cache in self._caches:
            for key, known in zip(cache.keys, cache.scores, strict=True):
                known.update(checkpoint.known(key))
                cache.any_scored |= len(known) > 1  # more than the empty set
        return checkpoint

    def _keep(self, cache, batch, table):
        """Remember the scores of a batch; append to the checkpoint what did not fail."""
        cache.n_computed += len(batch)
        for known, column in zip(cache.scores, table.T, strict=True):
            known.update(zip(batch, column.tolist(), strict=True))
        if self.checkpoint is not None:
            saved = [q for q, subset in enumerate(batch) if subset not in cache.failed]
            try:
                for key, column in zip(cache.keys, table.T, strict=True):
                    self.checkpoint.write(key, [batch[q] for q in saved], column[saved].tolist())
            except ValueError as error:
                self.checkpoint = None
                warn_user(f"The search goes on without a checkpoint, because {error}", RuntimeWarning)

    # results ----------------------------------------------------------------------------------------------------

    def known_value(self, subset: Subset) -> float:
        """J of a subset that was scored."""
        best, value = self.best_of_size[len(subset)]
        return value if best == subset else self.rows[subset][0]

    @property
    def n_folds(self) -> int:
        """Number of folds; 0 if J is not a mean over folds."""
        return 0 if self._J.splits is None else len(self._J.splits)

    def standard_error(self, subset: Subset) -> float:
        """Standard error of J over its folds, of which there are two or more."""
        return sem(self._J.fold_scores(self.space.columns(subset)))

    def trace(self) -> "DataFrame":
        """Every subset scored by J, in order; with a column for each extra score of a criterion with several.

        The extra scores of a subset that could not be scored are missing.
        """
        import pandas as pd

        columns, size = self.space.columns, self.space.size
        rows = [(columns(s), size(s), value, step) for s, (value, step) in self.rows.items()]
        trace = _table(rows, **TRACE)
        failed = self._failed_by_J()
        features = trace.loc[[f not in failed for f in trace["features"]], "features"]
        extra_scores = self._J.extra_scores(features.tolist())
        return trace.assign(**{name: pd.Series(scores, features.index) for name, scores in extra_scores.items()})

    def path(self) -> "DataFrame":
        """What each step returned."""
        columns, size = self.space.columns, self.space.size
        rows = [(move, columns(s), size(s), value, n) for move, s, value, n in self.steps]
        return _table(rows, move=object, features=object, size=np.int64, value=np.float64, n_evaluations=np.int64)

    def best_per_size(self) -> "DataFrame":
        """The best subset of each size."""
        columns, size = self.space.columns, self.space.size
        rows = [(size(s), value, columns(s)) for _, (s, value) in sorted(self.best_of_size.items())]
        return _table(rows, size=np.int64, value=np.float64, support=object).set_index("size")

    def computed(self) -> list[tuple[str, int]]:
        """For each criterion, on all rows or a sample, its name and how many scores were computed, not remembered."""
        return [
            *((type(c).__name__, self._cache_of(c)[0].n_computed) for c in distinct(self.rule.all_criteria())),
            *((str(cache.criteria[0]), cache.n_computed) for cache in self._sample_caches),
        ]

    def report_failures(self, subset: Subset) -> None:
        """Warn of subsets that could not be scored.

        Raises
        ------
        Exception
            If J could not score ``subset``, the result of the search.
        """
        failed = {columns: error for cache in self._caches for columns, error in cache.failed.items()}
        if failed:
            error = self._failed_by_J().get(self.space.columns(subset))
            if error is not None:
                raise error
            columns, error = next(iter(failed.items()))
            first_line = str(error).partition("\n")[0]
            warn_user(
                f"{len(failed)} of the subsets could not be scored and count as {self.error_score}, first the columns "
                f'{columns} ({type(error).__name__}: {first_line}); error_score="raise" raises the error.',
                FitFailedWarning,
            )

    def _failed_by_J(self):
        """The errors of the subsets that J could not score."""
        return {columns: error for cache, _ in self._main for columns, error in cache.failed.items()}

    def close(self) -> None:
        """Shut down workers, close files, remove the progress bar."""
        for cache in self._caches:
            cache.bound.close()
        if self.checkpoint is not None:
            self.checkpoint.close()
        if self._bar is not None:
            self._bar.close()


def _progress_bar(criteria):
    """A progress bar, below a line for each criterion that could be scored faster."""
    from tqdm.auto import tqdm

    bar = tqdm(unit=" subsets", desc="search")
    for criterion in criteria:
        if isinstance(criterion, CVScore) and criterion.gains_by_converged:
            bar.write(_CONVERGED.format(" ".join(str(criterion.resolved_estimator()).split())), file=sys.stderr)
    return bar


def _table(rows, **dtypes):
    import pandas as pd

    return pd.DataFrame(rows, columns=list(dtypes)).astype(dtypes)


_CONVERGED = (
    '{} is refitted for every subset and fold; CVScore(..., compiled="converged") scores it at the optimum of its '
    "loss, many times faster. Samples at the border of two classes may fall on the other side."
)
