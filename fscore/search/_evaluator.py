"""The evaluator: it answers what a search asks, and remembers.

A search sees *units* 0..n-1 (single columns, or groups of columns that belong together, without those that are fixed
or excluded) and never the data. The evaluator owns the cache, the trace, the budget, the progress bar and the
checkpoint. Stopping early, for whatever reason, is one exception: `SearchStopped`.
"""

import math
import time
from itertools import combinations
from pickle import PicklingError

import numpy as np
import pandas as pd
from joblib import hash as fingerprint
from tqdm.auto import tqdm

from fscore.criteria._base import BoundCriterion, merged, without
from fscore.search._cache import SubsetCache

__all__ = ["Evaluator", "SearchStopped"]

MOST_GROUPS = 10**7


class SearchStopped(Exception):
    """The budget is spent, the time is up or a callback asked to stop. ``args[0]`` says which."""


class Valued:
    """One bound criterion as the searches and answers see it: in units, remembering, counting."""

    def __init__(self, evaluator, criterion, bound, store, key):
        self.evaluator, self.criterion, self.bound, self.store, self.key = evaluator, criterion, bound, store, key
        self.n_computed = 0
        self.seen = None  # set by the evaluator for the criterion that the trace records

    def values(self, subsets):
        """Values of subsets of units; the empty set is worth -inf."""
        return self._look_up(subsets, lambda todo: self.bound.values([self._columns(subsets[q]) for q in todo]))

    def successor_values(self, subset, tuples, adding):
        """Values of ``subset`` plus (minus) each tuple of units."""
        base = self._columns(subset)
        columns = self.evaluator.columns
        if adding:
            successors = [merged(subset, t) for t in tuples]
            ask = self.bound.add_values
        else:
            successors = [without(subset, t) for t in tuples]
            ask = self.bound.remove_values
        return self._look_up(successors, lambda todo: ask(base, [columns(tuples[q]) for q in todo]))

    def _columns(self, subset):
        return merged(self.evaluator.fixed, self.evaluator.columns(subset))

    def _look_up(self, subsets, compute):
        """Values from memory where known, else computed, in batches; budget and trace see them in the order asked."""
        evaluator = self.evaluator
        store = self.store if self.store is not None and evaluator.keep_trace else {}  # millions would fill the memory
        allowed = len(subsets) if self.seen is None else evaluator.allowance(self, subsets)
        keys = subsets if evaluator.plain else [self._columns(s) for s in subsets]
        todo = {}  # what is not known -> where it is asked first
        for q in range(allowed):
            key = keys[q]
            if key and key not in store and key not in todo:
                todo[key] = q
        new = list(todo)
        step = self.bound.batch or max(1, len(new))
        recorded = 0
        for lo in range(0, len(new), step):
            part = new[lo : lo + step]
            values = compute([todo[key] for key in part])
            if np.isnan(values).any():
                raise self._undefined(part, values)
            values = values.tolist()
            self.n_computed += len(part)
            store.update(zip(part, values, strict=True))
            if self.key is not None:
                evaluator.cache.write(self.key, part, values)
            stop = todo[new[lo + step]] if lo + step < len(new) else allowed
            self._record(subsets[recorded:stop], keys[recorded:stop], store)
            recorded = stop
            evaluator.check_time()
        self._record(subsets[recorded:allowed], keys[recorded:allowed], store)
        if allowed < len(subsets):
            raise SearchStopped("evaluations")
        evaluator.check_time()
        return np.array([store[key] if key else -math.inf for key in keys])

    def _record(self, subsets, keys, store):
        if self.seen is not None:
            self.evaluator.record(self, subsets, [store[key] if key else -math.inf for key in keys])

    def _undefined(self, keys, values):
        """Comparisons with NaN are all false, so a search would take it for the best and never leave it."""
        columns = keys[int(np.argmax(np.isnan(values).reshape(len(keys), -1).any(axis=1)))]
        return ValueError(
            f"{type(self.criterion).__name__} is NaN for the columns {columns}; its value must be defined for every "
            "subset (roc_auc, for one, needs both classes in every test fold; -inf stands for a subset to be avoided)."
        )


class Derived(Valued):
    """A criterion computed from others that remember: ``compute(subsets)`` in units."""

    def __init__(self, evaluator, criterion, compute):
        super().__init__(evaluator, criterion, BoundCriterion(), None, None)
        self.compute = compute

    def values(self, subsets):
        return self._look_up(subsets, lambda todo: self.compute([subsets[q] for q in todo]))

    def successor_values(self, subset, tuples, adding):
        return self.values([merged(subset, t) if adding else without(subset, t) for t in tuples])


def _groups(units, c):
    """All c-tuples of the units, where they can be looked at one by one."""
    if (n := math.comb(len(units), c)) > MOST_GROUPS:
        raise ValueError(f"group_size={c} lets a search choose among {n:.1e} groups at a time; take a smaller one.")
    return list(combinations(units, c))


class Evaluator:
    """Answers `add`, `remove`, `value`, `values` for a search.

    Parameters
    ----------
    criterion : Criterion or ensemble
    X, y : the data
    units : list of tuples of int, optional
        The columns of each searchable unit; default: every column by itself.
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
        How many different subsets J may value; what voters and filters value for themselves is not counted.
    max_seconds : float, optional
    on_step : callable, optional
        Called with the evaluator after each answer; a true result stops the search.
    keep_trace : bool, default=True
        False keeps only the best subset of each size: for enumerations of millions.
    verbose : int, default=0
        Positive shows a progress bar.

    Attributes
    ----------
    n : int
        Number of searchable units; subsets are ascending tuples of 0..n-1.
    n_evaluations : int
        Different subsets valued by J so far.
    """

    def __init__(
        self,
        criterion,
        X,
        y,
        *,
        units=None,
        fixed=(),
        n_fixed=None,
        n_jobs=None,
        params=None,
        cache=True,
        max_evaluations=None,
        max_seconds=None,
        on_step=None,
        keep_trace=True,
        verbose=0,
    ):
        self.units = [(c,) for c in range(X.shape[1])] if units is None else [tuple(u) for u in units]
        self.n = len(self.units)
        self.fixed = tuple(sorted(fixed))
        self.n_fixed = len(self.fixed) if n_fixed is None else n_fixed
        self.cache = cache
        self.max_evaluations = max_evaluations
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.on_step = on_step
        self.keep_trace = keep_trace
        self._simple = all(u == (c,) for c, u in enumerate(self.units))
        self.plain = self._simple and not self.fixed  # units are columns, and all there is
        self._data = X, y, n_jobs, params or {}
        self._digest = None
        self._valued = []
        self.n_features = X.shape[1]
        self._bar = tqdm(unit=" subsets", desc="search") if verbose else None
        self.rows, self.path, self.best_of_size = [], [], {}
        self.n_evaluations = 0
        self.monotone = criterion.monotone
        self.answer = criterion.answer(self)
        self.J = self.answer.J
        self.J.seen = set()
        if isinstance(cache, SubsetCache):
            cache.open()

    # what a search asks -----------------------------------------------------------------------------------------

    def add(self, subset, c=1):
        """ADD_c: ``(subset + best c-tuple, its value)``, Definition 1.1."""
        taken = set(subset)
        return self._step(subset, _groups([u for u in range(self.n) if u not in taken], c), True)

    def remove(self, subset, c=1):
        """RMV_c: ``(subset - least significant c-tuple, its value)``, Definition 1.2."""
        return self._step(subset, _groups(subset, c), False)

    def value(self, subset):
        """J(subset)."""
        return float(self.values([subset])[0])

    def values(self, subsets):
        """J of each subset, ascending tuples of units."""
        values = self.J.values(subsets)
        best = int(np.argmax(values))
        self._step_done("value", subsets[best], float(values[best]))
        return values

    def successor_values(self, subset, tuples, adding):
        """J of ``subset`` plus (minus) each tuple: as `values`, by the criterion's quick way; no step of the course."""
        return self.J.successor_values(subset, tuples, adding)

    def bounded_walk(self, size, bound):
        """The criterion's compiled branch and bound down to ``size`` units; None where there is none."""
        if size == self.n or any(len(u) > 1 for u in self.units):
            return None
        everything = self.all_columns(range(self.n))
        return self.J.bound.bounded_walk(everything, [u[0] for u in self.units], self.n - size, bound)

    def run(self, walk, most):
        """Let a compiled walk value ``most`` subsets, or what the budget leaves; they do not enter the trace."""
        if self.max_evaluations is not None:
            most = min(most, self.max_evaluations - self.n_evaluations - 1)  # one is left for its result
        n_valued = walk.run(most)
        self.n_evaluations += n_valued
        return n_valued

    def best(self, size=None):
        """The best subset seen (of one size): highest value, then fewest units, then earliest."""
        if size is not None:
            return self.best_of_size[size][0] if size in self.best_of_size else None
        if not self.best_of_size:
            return None
        return max(self.best_of_size.items(), key=lambda item: (item[1][1], -item[0]))[1][0]

    # how it answers ---------------------------------------------------------------------------------------------

    def _step(self, subset, tuples, adding):
        if not tuples:
            raise ValueError(f"no tuple can be {'added to' if adding else 'removed from'} {subset}")
        position, value = self.answer.choose(subset, tuples, adding)
        chosen = tuples[position]
        successor = merged(subset, chosen) if adding else without(subset, chosen)
        self._step_done("add" if adding else "remove", successor, float(value))
        return successor, float(value)

    def _step_done(self, move, subset, value):
        if self.keep_trace:
            self.path.append((move, subset, value, self.n_evaluations))
        if self._bar is not None:
            self._bar.update(self.n_evaluations - self._bar.n)
            self._bar.set_postfix_str(f"size {len(subset) + self.n_fixed}, value {value:.4g}")
        if self.on_step is not None and self.on_step(self):
            raise SearchStopped("callback")

    def columns(self, units):
        """The columns of units, ascending."""
        if self._simple:
            return tuple(units)
        return tuple(sorted(c for u in units for c in self.units[u]))

    def valued(self, criterion):
        """Bind a criterion to the data; used by answers. None if a panel cannot be bound."""
        X, y, n_jobs, params = self._data
        bound = criterion.bind(X, y, n_jobs=n_jobs, params=params)
        if bound is None:
            return None
        key = store = None
        if self.cache is True:
            store = {}
        elif isinstance(self.cache, SubsetCache):
            key = self._key(criterion, bound, X, y)
            store = self.cache.store(key)
        valued = Valued(self, criterion, bound, store, key)
        self._valued.append(valued)
        return valued

    def _key(self, criterion, bound, X, y):
        """What a remembered value belongs to: criterion, folds and data."""
        try:
            if self._digest is None:
                self._digest = fingerprint((X, y))
            return fingerprint((criterion.identity(), getattr(bound, "context", None), self._digest))
        except (PicklingError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{type(criterion).__name__} cannot be recognized again, because a part of it cannot be pickled "
                f"({error.args[0] if error.args else error}); define functions at module level, or do without a shared "
                "cache and a checkpoint."
            ) from error

    def derived(self, criterion, compute):
        """A criterion computed from others: ``compute(subsets) -> values``."""
        valued = Derived(self, criterion, compute)
        self._valued.append(valued)
        return valued

    def allowance(self, valued, subsets):
        """How many of the subsets, in order, the budget of evaluations lets through."""
        self.check_time()
        if self.max_evaluations is None:
            return len(subsets)
        left = self.max_evaluations - self.n_evaluations
        fresh = set()
        for q, s in enumerate(subsets):
            if s not in valued.seen and s not in fresh:
                if len(fresh) == left:
                    return q
                fresh.add(s)
        return len(subsets)

    def check_time(self):
        """Stop when the time is up; the first question is always answered."""
        if self.deadline is not None and self.n_evaluations and time.monotonic() > self.deadline:
            raise SearchStopped("seconds")

    def record(self, valued, subsets, values):
        """Enter first-time subsets into the trace, in the order asked."""
        seen = valued.seen
        for subset, value in zip(subsets, values, strict=True):
            if subset in seen or (not subset and not self.fixed):
                continue
            self.n_evaluations += 1
            size = len(subset)
            if size not in self.best_of_size or value > self.best_of_size[size][1]:
                self.best_of_size[size] = (subset, value)
            if self.keep_trace:
                seen.add(subset)
                self.rows.append((subset, value, len(self.path)))

    # what remains -----------------------------------------------------------------------------------------------

    def all_columns(self, subset):
        """Fixed columns and those of the subset, ascending."""
        return merged(self.fixed, self.columns(subset))

    def support(self, subset):
        """The subset as a mask over the columns."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.all_columns(subset))] = True
        return mask

    def known_value(self, subset):
        """J of a subset that was valued."""
        for s, value in self.best_of_size.values():
            if s == subset:
                return float(value)
        return float(next(value for s, value, _ in self.rows if s == subset))

    def trace(self):
        """Every subset J valued, in order: columns ``features``, ``size``, ``value``, ``step``."""
        return pd.DataFrame(
            {
                "features": pd.Series([self.all_columns(s) for s, _, _ in self.rows], dtype=object),
                "size": np.array([len(s) + self.n_fixed for s, _, _ in self.rows], dtype=np.int64),
                "value": np.array([v for _, v, _ in self.rows], dtype=np.float64),
                "step": np.array([step for _, _, step in self.rows], dtype=np.int64),
            }
        )

    def course(self):
        """The answer to each question: ``move``, ``features``, ``size``, ``value``, ``n_evaluations`` so far."""
        return pd.DataFrame(
            {
                "move": pd.Series([m for m, _, _, _ in self.path], dtype=object),
                "features": pd.Series([self.all_columns(s) for _, s, _, _ in self.path], dtype=object),
                "size": np.array([len(s) + self.n_fixed for _, s, _, _ in self.path], dtype=np.int64),
                "value": np.array([v for _, _, v, _ in self.path], dtype=np.float64),
                "n_evaluations": np.array([e for _, _, _, e in self.path], dtype=np.int64),
            }
        )

    def best_per_size(self):
        """The best subset of each size seen, indexed by size: ``value`` and ``support`` (columns, ascending)."""
        sizes = sorted(self.best_of_size)
        return pd.DataFrame(
            {
                "value": np.array([self.best_of_size[d][1] for d in sizes], dtype=np.float64),
                "support": pd.Series([self.all_columns(self.best_of_size[d][0]) for d in sizes], dtype=object).array,
            },
            index=pd.Index([d + self.n_fixed for d in sizes], name="size", dtype=np.int64),
        )

    def counts(self):
        """Computations by criterion: how often each bound criterion really valued a subset in this run."""
        return [(type(v.criterion).__name__, v.n_computed) for v in self._valued]

    def close(self):
        """Give back workers and files."""
        if self._bar is not None:
            self._bar.close()
        for v in self._valued:
            v.bound.close()
        if isinstance(self.cache, SubsetCache):
            self.cache.close()
