"""The evaluator: scores subsets for a search, remembers the scores and records what the search does."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, takewhile
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, Literal

import joblib
import numpy as np
from sklearn.exceptions import FitFailedWarning

from fscore import __version__
from fscore._typing import Floats, Subset
from fscore._warnings import warn_user
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._cv import CVScore
from fscore.criteria._folds import scoring_name
from fscore.criteria._knn import bind_panel
from fscore.criteria._subsets import merged, without
from fscore.search._checkpoint import Checkpoint
from fscore.search._rules import Candidates, ChoiceRule

if TYPE_CHECKING:
    import os

    from pandas import DataFrame

__all__ = ["Evaluator", "SearchStopped"]

MAX_GROUPS = 10**7
SECONDS = 0.2  # intended duration of a batch
GROWTH = 8  # largest factor from one batch to the next


class SearchStopped(Exception):
    """The search must stop; ``args[0]`` says why: "evaluations", "seconds" or "callback"."""


class _Scored:
    """A bound criterion, or several bound together, with the scores known so far.

    Attributes
    ----------
    known : list of dict
        For each criterion the score of each subset of columns. The empty set has the score -inf.
    keys : list of str or None
        For each criterion its key in the checkpoint.
    batch_sizes : dict of bool to int
        How many single columns (True) or larger subsets (False) to score at once, by the time that they take.
    n_computed : int
        Number of subsets scored rather than remembered.
    failed : dict
        The error of each subset that could not be scored.
    usable : bool
        Whether some subset could be scored.
    """

    def __init__(self, bound, criteria):
        self.bound, self.criteria = bound, criteria
        self.known = [{(): -math.inf} for _ in criteria]
        self.keys = None
        self.batch_sizes = {}
        self.n_computed = 0
        self.failed = {}
        self.usable = False

    def next_batch(self, subsets, base):
        """The leading subsets to score at once; as many as possible if the candidates of a step share work."""
        most = self.bound.batch or len(subsets)
        if self.bound.batch is None or (base and self.bound.shares_work(len(base))):
            return subsets[:most]
        single = len(subsets[0]) == 1  # single columns are often much faster to score
        size = min(most, max(self.bound.least, self.batch_sizes.get(single, 1)))
        return list(takewhile(lambda s: (len(s) == 1) == single, subsets[:size]))

    def note_time(self, batch, seconds):
        """Adapt the size of the next batch of this kind."""
        single = len(batch[0]) == 1
        fitting = len(batch) * SECONDS / max(seconds, 1e-9)
        self.batch_sizes[single] = max(1, int(min(fitting, max(GROWTH * len(batch), self.batch_sizes.get(single, 1)))))

    def defined(self, batch, scores):
        """Scores as a table of shape (n_subsets, n_criteria); a ValueError if one is NaN."""
        table = scores.reshape(len(batch), -1)
        undefined = np.isnan(table).any(axis=1)
        if undefined.any():
            raise _undefined(self.criteria[0], batch[int(np.argmax(undefined))])
        self.usable = True
        return table


class Evaluator:
    """Answers `add`, `remove`, `value` and `values` for a search, which sees units 0..n-1 and never the data.

    Parameters
    ----------
    rule : ChoiceRule
        With its estimators resolved, as by `as_rule`.
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
    checkpoint : str or path-like, optional
        File to which scores are appended, and from which they are read.
    error_score : float or "raise", default=-inf
        The score of a subset that cannot be scored.
    max_evaluations : int, optional
        How many different subsets J may score; scores by other members of the rule do not count.
    max_seconds : float, optional
        From now on.
    on_step : callable, optional
        Called with the evaluator after each step; a true result stops the search.
    verbose : int, default=0
        Positive shows a progress bar.

    Attributes
    ----------
    n : int
        Number of searchable units; subsets are ascending tuples of 0..n-1.
    n_evaluations : int
        Number of different subsets scored by J so far.
    rows : dict of subset to (value, number of steps before it)
        The trace: every subset scored by J, in order.
    steps : list of (move, subset, value, n_evaluations)
    best_of_size : dict of int to (subset, value)
    memory : dict
        What the rule remembers during the search.
    """

    def __init__(
        self,
        rule: ChoiceRule,
        X: Any,
        y: Any,
        *,
        units: Sequence[Subset] | None = None,
        fixed: Subset = (),
        n_fixed: int | None = None,
        n_jobs: int | None = None,
        params: Mapping[str, Mapping[str, Any]] | None = None,
        checkpoint: "str | os.PathLike[str] | None" = None,
        error_score: float | Literal["raise"] = -math.inf,
        max_evaluations: int | None = None,
        max_seconds: float | None = None,
        on_step: "Callable[[Evaluator], object] | None" = None,
        verbose: int = 0,
    ) -> None:
        n_features = X.shape[1]
        self.units = [(c,) for c in range(n_features)] if units is None else [tuple(u) for u in units]
        self.n = len(self.units)
        self.fixed = tuple(sorted(fixed))
        self._plain = not fixed and all(u == (c,) for c, u in enumerate(self.units))  # units are columns
        self.n_fixed = len(self.fixed) if n_fixed is None else n_fixed
        self.rule, self.error_score, self.on_step = rule, error_score, on_step
        self.max_evaluations = max_evaluations
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.n_evaluations = 0
        self.rows: dict[Subset, tuple[float, int]] = {}
        self.steps: list[tuple[str, Subset, float, int]] = []
        self.best_of_size: dict[int, tuple[Subset, float]] = {}
        self.memory: dict[Any, Any] = {}
        self.keeps_trace = True
        self._scored = _bind(rule, X, y, n_jobs, params or {})
        self._place = {id(c): (s, q) for s in self._scored for q, c in enumerate(s.criteria)}
        self._compared = [self._place[id(c)] for c in rule.compared()]
        self.checkpoint = None if checkpoint is None else Checkpoint(checkpoint)
        if self.checkpoint is not None:
            self._resume(X, y)
        for scored in self._scored:
            scored.bound.check = self.check_time
        self._bar = _progress_bar() if verbose else None

    # what a search asks -----------------------------------------------------------------------------------------

    def add(self, subset: Subset, c: int = 1) -> tuple[Subset, float]:
        """ADD_c: ``(subset + the chosen c-tuple, its value)``, Definition 1.1."""
        groups = _groups([u for u in range(self.n) if u not in set(subset)], c)
        if not groups:
            raise ValueError(f"no tuple can be added to {subset}")
        candidates = Candidates([merged(subset, g) for g in groups], subset, True)
        return self._end_step("add", candidates.subsets[self.rule.choose(self, candidates)])

    def remove(self, subset: Subset, c: int = 1) -> tuple[Subset, float]:
        """RMV_c: ``(subset - the chosen c-tuple, its value)``, Definition 1.2."""
        groups = _groups(subset, c)
        if not groups:
            raise ValueError(f"no tuple can be removed from {subset}")
        candidates = Candidates([without(subset, g) for g in groups], subset, False)
        return self._end_step("remove", candidates.subsets[self.rule.choose(self, candidates)])

    def value(self, subset: Subset) -> float:
        """J(subset)."""
        return float(self.values([subset])[0])

    def values(self, subsets: Sequence[Subset]) -> Floats:
        """J of each subset, ascending tuples of units."""
        values = self.scores(Candidates(subsets))
        best = int(np.argmax(values))
        self._record_step("value", subsets[best], float(values[best]))
        if not self.keeps_trace:
            for scored in self._scored:
                scored.known = [{(): -math.inf} for _ in scored.criteria]
        return values

    def removal_values(self, subset: Subset, units: Iterable[int]) -> Floats:
        """J of ``subset`` without each unit; not recorded as a step."""
        return self.scores(Candidates([without(subset, (u,)) for u in units], subset, False))

    def best(self, size: int | range | None = None) -> Subset:
        """The best subset seen (of one size, or of some): highest value, then fewest units, then earliest.

        None if nothing of these sizes was scored.
        """
        sizes = [size] if isinstance(size, int) else size
        found = [d for d in self.best_of_size if sizes is None or d in sizes]
        if not found:
            return None  # type: ignore[return-value]
        return self.best_of_size[max(found, key=lambda d: (self.best_of_size[d][1], -d))][0]

    def check_time(self) -> None:
        """Stop if the time is up, but not before anything was scored."""
        if self.deadline is not None and self.n_evaluations and time.monotonic() > self.deadline:
            raise SearchStopped("seconds")

    def bounded_walk(self, size: int, bound: float) -> Any:
        """The criterion's compiled branch and bound down to ``size`` units; None if it has none."""
        if self._J is None or size == self.n or any(len(u) > 1 for u in self.units):
            return None
        everything = self.columns(tuple(range(self.n)))
        return self._J.bounded_walk(everything, [u[0] for u in self.units], self.n - size, bound)

    def run(self, walk: Any, most: int) -> int:
        """Let a compiled walk score ``most`` subsets, or what the budget allows; they do not enter the trace."""
        if self.max_evaluations is not None:
            most = min(most, self.max_evaluations - self.n_evaluations - 1)  # keep one for the result
        n_scored = walk.run(most)
        self.n_evaluations += n_scored
        return n_scored

    # what a rule asks -------------------------------------------------------------------------------------------

    def scores(self, candidates: Candidates, member: Criterion | None = None) -> Floats:
        """Scores of the candidates: J, which is recorded and counted, or those by a member of the rule, which are not.

        Unknown scores are computed in batches; each batch is remembered as soon as it is done.

        Parameters
        ----------
        candidates : Candidates
        member : Criterion, optional
            None is J, the mean of the criteria that the rule compares.

        Returns
        -------
        ndarray of shape (n_candidates,)
        """
        counted = member is None
        if counted and len(self._compared) > 1:
            return self._mean_scores(candidates)
        scored, place = self._compared[0] if counted else self._place[id(member)]
        subsets = candidates.subsets[: self._n_allowed(candidates.subsets) if counted else None]
        keys = subsets if self._plain else [self.columns(s) for s in subsets]
        base = self.columns(candidates.base) if candidates.base is not None else ()
        known, n_recorded = scored.known[place], 0
        missing = list(dict.fromkeys(key for key in keys if key not in known))
        while True:
            if counted:
                values = [known[key] for key in takewhile(known.__contains__, keys[n_recorded:])]
                self._record(subsets[n_recorded : n_recorded + len(values)], values)
                n_recorded += len(values)
            self.check_time()
            if not missing:
                break
            batch = scored.next_batch(missing, base)
            begin = time.perf_counter()
            try:
                table = scored.defined(batch, scored.bound._score(batch, base or None, candidates.adding))
            except SearchStopped:
                raise
            except Exception as error:
                table = self._one_by_one(scored, batch, error)
            scored.note_time(batch, time.perf_counter() - begin)
            self._keep(scored, batch, table)
            del missing[: len(batch)]
        if len(subsets) < len(candidates):
            raise SearchStopped("evaluations")
        return np.array([known[key] for key in keys])

    def _mean_scores(self, candidates):
        """J of the candidates where it is the mean of several criteria."""
        subsets = candidates.subsets[: self._n_allowed(candidates.subsets)]
        allowed = Candidates(subsets)
        values = np.column_stack([self.scores(allowed, c) for c in self.rule.compared()]).mean(axis=1)
        if np.isnan(values).any():
            raise ValueError("the mean of the voters is undefined, because one is inf and another -inf; name a main.")
        self._record(subsets, values.tolist())
        if len(subsets) < len(candidates):
            raise SearchStopped("evaluations")
        return values

    def _one_by_one(self, scored, batch, error):
        """Scores of a batch that raised an error, one by one; a subset that fails gets the error_score."""
        if self.error_score == "raise":
            raise error
        rows = []
        for subset in batch:
            try:
                rows.append(scored.defined([subset], scored.bound._score([subset], None, True)))
            except SearchStopped:
                raise
            except Exception as error:
                self._check_usable(scored, error)
                scored.failed[subset] = error
                rows.append(np.full((1, len(scored.criteria)), self.error_score))
        return np.concatenate(rows)

    def _check_usable(self, scored, error):
        """Raise the error if it is not due to the subset: all columns together and the first alone fail, too."""
        if not scored.usable:
            for subset in (self.columns(tuple(range(self.n))), self.columns((0,))):
                try:
                    scored.defined([subset], scored.bound._score([subset], None, True))
                except SearchStopped:
                    raise
                except Exception:
                    continue
                return
            raise error

    # record -----------------------------------------------------------------------------------------------------

    def _n_allowed(self, subsets):
        """How many of the subsets, from the first on, may be scored within the budget of evaluations."""
        if self.max_evaluations is None:
            return len(subsets)
        new = set() if self.fixed else {()}  # the empty set of columns is never scored
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
            if not self._is_new(subset) or not (subset or self.fixed):
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
            self._bar.set_postfix_str(f"size {len(subset) + self.n_fixed}, value {value:.4g}")
        if self.on_step is not None and self.on_step(self):
            raise SearchStopped("callback")

    def _end_step(self, move, subset):
        value = float(self.scores(Candidates([subset]))[0])
        self._record_step(move, subset, value)
        return subset, value

    def forget(self) -> None:
        """From now on keep only the best subset of each size, for enumerations of millions."""
        self.keeps_trace = False
        self.rows.clear()
        self.steps.clear()

    def _resume(self, X, y):
        """Give each criterion its key in the checkpoint, and the scores that are in it."""
        data = joblib.hash((_content(X), _content(y)))
        for scored in self._scored:
            scored.keys = []
            for criterion, known in zip(scored.criteria, scored.known, strict=True):
                try:
                    key = joblib.hash((criterion.identity(), scored.bound.context, data, __version__))
                except (PicklingError, TypeError, AttributeError) as error:
                    self.checkpoint.close()
                    raise ValueError(
                        f"{type(criterion).__name__} cannot be identified in a checkpoint, because a part of it cannot "
                        f"be pickled ({error.args[0] if error.args else error}); define functions at module level, or "
                        "do without checkpoint."
                    ) from error
                scored.keys.append(key)
                known.update(self.checkpoint.known(key))

    def _keep(self, scored, batch, table):
        """Remember the scores of a batch; append to the checkpoint what did not fail."""
        scored.n_computed += len(batch)
        for known, column in zip(scored.known, table.T, strict=True):
            known.update(zip(batch, column.tolist(), strict=True))
        if self.checkpoint is not None:
            saved = [q for q, subset in enumerate(batch) if subset not in scored.failed]
            for key, column in zip(scored.keys, table.T, strict=True):
                self.checkpoint.write(key, [batch[q] for q in saved], column[saved].tolist())

    # results ----------------------------------------------------------------------------------------------------

    def columns(self, subset: Subset) -> Subset:
        """The columns of a subset of units, the fixed ones included, ascending."""
        return subset if self._plain else tuple(sorted((*self.fixed, *(c for u in subset for c in self.units[u]))))

    def known_value(self, subset: Subset) -> float:
        """J of a subset that was scored."""
        best, value = self.best_of_size[len(subset)]
        return value if best == subset else self.rows[subset][0]

    @property
    def _J(self) -> BoundCriterion | None:
        """The bound criterion that searches compare; None if it is the mean of several."""
        return self._compared[0][0].bound if len(self._compared) == 1 else None

    @property
    def n_folds(self) -> int:
        """Number of folds; 0 if J is not a mean over folds."""
        return 0 if self._J is None or self._J.splits is None else len(self._J.splits)

    def standard_error(self, subset: Subset) -> float:
        """Standard error of J over the folds."""
        scores = self._J.fold_scores(self.columns(subset))
        return scores.std(ddof=1) / np.sqrt(len(scores))

    def trace(self) -> "DataFrame":
        """Every subset scored by J, in order; with a column for each further score of a criterion with several."""
        trace = self._table(
            ["features", "size", "value", "step"], [(s, len(s), value, step) for s, (value, step) in self.rows.items()]
        )
        further = {} if self._J is None else self._J.further_scores(trace["features"].tolist())
        if taken := [name for name in further if name in trace]:
            raise ValueError(f"scoring has the name {taken[0]!r}, which is a column of the trace; choose another name.")
        return trace.assign(**further)

    def path(self) -> "DataFrame":
        """What each step returned."""
        return self._table(
            ["move", "features", "size", "value", "n_evaluations"],
            [(move, s, len(s), value, n) for move, s, value, n in self.steps],
        )

    def best_per_size(self) -> "DataFrame":
        """The best subset of each size."""
        best = [(size, value, s) for size, (s, value) in sorted(self.best_of_size.items())]
        return self._table(["size", "value", "support"], best).set_index("size")

    def _table(self, names, rows):
        import pandas as pd

        table = dict(zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True))
        for name, entries in table.items():
            if name in ("features", "support"):
                table[name] = pd.Series([self.columns(s) for s in entries], dtype=object)
            elif name == "size":
                table[name] = np.array(entries, dtype=np.int64) + self.n_fixed
            else:
                table[name] = pd.Series(entries, dtype={"value": np.float64, "move": object}.get(name, np.int64))
        return pd.DataFrame(table)

    def computed(self) -> list[tuple[str, int]]:
        """For each criterion, its name and how many scores were computed rather than remembered."""
        return [
            (type(c).__name__, self._place[id(c)][0].n_computed)
            for c in {id(c): c for c in self.rule.members()}.values()
        ]

    def finish(self, subset: Subset) -> None:
        """End the time limit, so that the result can be described; warn of subsets that could not be scored.

        Raises
        ------
        Exception
            If ``subset``, the result of the search, is one of them.
        """
        for scored in self._scored:
            scored.bound.check = None
        failed = {columns: error for scored in self._scored for columns, error in scored.failed.items()}
        if failed:
            if len(self._compared) == 1 and (columns := self.columns(subset)) in failed:
                raise failed[columns]
            columns, error = next(iter(failed.items()))
            warn_user(
                f"{len(failed)} of the subsets could not be scored and count as {self.error_score}, first the columns "
                f'{columns} ({type(error).__name__}: {error}); error_score="raise" raises the error.',
                FitFailedWarning,
            )

    def close(self) -> None:
        """Shut down workers, close files, remove the progress bar."""
        for scored in self._scored:
            scored.bound.close()
        if self.checkpoint is not None:
            self.checkpoint.close()
        if self._bar is not None:
            self._bar.close()


def _bind(rule, X, y, n_jobs, params):
    """Bind the criteria of a rule. k-NN voters that differ only in k share a pass if they have the same folds."""
    alone = rule.compared() if len(rule.compared()) == 1 else []
    alike = defaultdict(list)
    for c in rule.members():
        key = id(c)
        if not any(c is other for other in alone) and isinstance(c, CVScore) and c.compiled_knn is not None:
            # they share folds if they were given the same number or the same splitter
            key = c.cv if isinstance(c.cv, int) else id(c.cv), c.compiled_knn
        if not any(c is other for other in alike[key]):
            alike[key].append(c)
    found = []
    for criteria in alike.values():
        joint = bind_panel(criteria, X, y, n_jobs=n_jobs, params=params) if len(criteria) > 1 else None
        if joint is not None:
            found.append(_Scored(joint, criteria))
        else:
            found += [_Scored(c.bind(X, y, n_jobs=n_jobs, params=params), [c]) for c in criteria]
    return found


def _groups(units, c):
    """All c-tuples of the units, if they are few enough to be listed."""
    if (n := math.comb(len(units), c)) > MAX_GROUPS:
        raise ValueError(f"group_size={c} makes a search choose among {n:.1e} groups per step; use a smaller one.")
    return list(combinations(units, c))


def _content(data):
    """The content of an array or data frame, regardless of its memory layout."""
    if hasattr(data, "columns"):
        return [(str(name), str(data[name].dtype), _content(np.asarray(data[name]))) for name in data.columns]
    return np.ascontiguousarray(data) if isinstance(data, np.ndarray) else data


def _undefined(criterion, columns):
    """The error of a score that is NaN. Every comparison with NaN is false, so no search could compare it."""
    example = "roc_auc, for example, needs both classes in every test fold"
    if isinstance(criterion, CVScore) and (
        not criterion.needs_classes or scoring_name(criterion.compared_scoring, ("r2",)) == "r2"
    ):
        example = (
            "R2, for example, needs two samples in every test fold: use fewer folds, or neg_mean_squared_error; scale "
            "numbers so large that scores overflow"
        )
    return ValueError(
        f"{type(criterion).__name__} is NaN for the columns {columns}; its score must be defined for every subset "
        f"({example}; use -inf for a subset to be avoided)."
    )


def _progress_bar():
    from tqdm.auto import tqdm

    return tqdm(unit=" subsets", desc="search")
