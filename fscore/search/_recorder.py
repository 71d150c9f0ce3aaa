"""The record of a search: its trace, its course, its budget and its progress.

A search that is stopped early, for whatever reason, sees one exception, `SearchStopped`.
"""

import time

import numpy as np
import pandas as pd

from fscore.search._candidates import Valuer

__all__ = ["Recorded", "Recorder", "SearchStopped", "Timed"]


class SearchStopped(Exception):
    """The budget is spent, the time is up or a callback asked to stop. ``args[0]`` says which."""


class Recorder:
    """Records which subsets were valued and what each step returned, and stops a search that exceeds its budget.

    Parameters
    ----------
    space : SearchSpace
        Translates units into the columns and sizes of the tables.
    max_evaluations : int, optional
    max_seconds : float, optional
        From now on.
    keep_trace : bool, default=True
        False keeps only the best subset of each size.
    verbose : int, default=0
        Positive shows a progress bar.

    Attributes
    ----------
    n_evaluations : int
        Number of different subsets valued.
    rows : list of (subset, value, step)
    steps : list of (move, subset, value, n_evaluations)
    best_of_size : dict of int to (subset, value)
    """

    def __init__(self, space, *, max_evaluations=None, max_seconds=None, keep_trace=True, verbose=0):
        self.space, self.max_evaluations, self.keep_trace = space, max_evaluations, keep_trace
        self.deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self.n_evaluations = 0
        self.rows, self.steps, self.best_of_size = [], [], {}
        self._seen = set()
        self._bar = _progress_bar() if verbose else None

    # budget -----------------------------------------------------------------------------------------------------

    def n_allowed(self, subsets):
        """How many of the subsets, from the first on, may be valued within the budget of evaluations."""
        if self.max_evaluations is None:
            return len(subsets)
        left = self.max_evaluations - self.n_evaluations
        new = set() if self.space.fixed else {()}  # the empty set of columns is never valued
        most = left + len(new)
        for q, subset in enumerate(subsets):
            if subset not in self._seen and subset not in new:
                if len(new) == most:
                    return q
                new.add(subset)
        return len(subsets)

    def check_time(self):
        """Stop if the time is up, but not before anything was valued."""
        if self.deadline is not None and self.n_evaluations and time.monotonic() > self.deadline:
            raise SearchStopped("seconds")

    # record -----------------------------------------------------------------------------------------------------

    def record(self, subsets, values):
        """Enter subsets into the trace that are not in it yet."""
        seen, empty_is_none = self._seen, not self.space.fixed
        for subset, value in zip(subsets, values.tolist(), strict=True):
            if subset in seen or (not subset and empty_is_none):
                continue
            self.n_evaluations += 1
            size = len(subset)
            if size not in self.best_of_size or value > self.best_of_size[size][1]:
                self.best_of_size[size] = (subset, value)
            if self.keep_trace:
                seen.add(subset)
                self.rows.append((subset, value, len(self.steps)))

    def record_step(self, move, subset, value):
        """Enter what a step returned, and update the progress bar."""
        if self.keep_trace:
            self.steps.append((move, subset, value, self.n_evaluations))
        if self._bar is not None:
            self._bar.update(self.n_evaluations - self._bar.n)
            self._bar.set_postfix_str(f"size {len(subset) + self.space.n_fixed}, value {value:.4g}")

    def forget(self):
        """Drop the trace; from now on keep only the best subset of each size."""
        self.keep_trace = False
        self.rows.clear()
        self.steps.clear()

    def close(self):
        """Remove the progress bar."""
        if self._bar is not None:
            self._bar.close()

    # results ----------------------------------------------------------------------------------------------------

    def best(self, size=None):
        """The best subset seen (of one size): highest value, then fewest units, then earliest; None if none."""
        if size is not None:
            return self.best_of_size[size][0] if size in self.best_of_size else None
        if not self.best_of_size:
            return None
        return max(self.best_of_size.items(), key=lambda item: (item[1][1], -item[0]))[1][0]

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
                "features": self._features(s for s, _, _ in self.rows),
                "size": self._sizes(s for s, _, _ in self.rows),
                "value": np.array([v for _, v, _ in self.rows], dtype=np.float64),
                "step": np.array([step for _, _, step in self.rows], dtype=np.int64),
            }
        )

    def course(self):
        """What each step returned: ``move``, ``features``, ``size``, ``value``, ``n_evaluations`` so far."""
        return pd.DataFrame(
            {
                "move": pd.Series([m for m, _, _, _ in self.steps], dtype=object),
                "features": self._features(s for _, s, _, _ in self.steps),
                "size": self._sizes(s for _, s, _, _ in self.steps),
                "value": np.array([v for _, _, v, _ in self.steps], dtype=np.float64),
                "n_evaluations": np.array([n for _, _, _, n in self.steps], dtype=np.int64),
            }
        )

    def best_per_size(self):
        """The best subset of each size seen, indexed by size: ``value`` and ``support`` (columns, ascending)."""
        best = [self.best_of_size[size] for size in sorted(self.best_of_size)]
        return pd.DataFrame(
            {
                "value": np.array([value for _, value in best], dtype=np.float64),
                "support": self._features(s for s, _ in best).array,
            },
            index=pd.Index(self._sizes(s for s, _ in best), name="size"),
        )

    def _features(self, subsets):
        return pd.Series([self.space.columns(s) for s in subsets], dtype=object)

    def _sizes(self, subsets):
        return np.array([len(s) + self.space.n_fixed for s in subsets], dtype=np.int64)


class Timed(Valuer):
    """Values as given by another valuer; time is checked after every batch, and during long ones."""

    def __init__(self, valuer, recorder):
        self.valuer, self.recorder = valuer, recorder
        self.bound = valuer.bound
        self.bound.check = recorder.check_time

    def batches(self, candidates):
        for values in self.valuer.batches(candidates):
            yield values
            self.recorder.check_time()


class Recorded(Valuer):
    """Values as given by another valuer; what it values enters the record and counts against the budget."""

    def __init__(self, valuer, recorder):
        self.valuer, self.recorder = valuer, recorder
        self.bound = valuer.bound

    def batches(self, candidates):
        self.recorder.check_time()
        n_allowed = self.recorder.n_allowed(candidates.subsets)
        allowed = candidates if n_allowed == len(candidates) else candidates.at(range(n_allowed))
        done = 0
        for values in self.valuer.batches(allowed) if n_allowed else ():
            self.recorder.record(allowed.subsets[done : done + len(values)], values)
            done += len(values)
            yield values
        if n_allowed < len(candidates):
            raise SearchStopped("evaluations")


def _progress_bar():
    from tqdm.auto import tqdm

    return tqdm(unit=" subsets", desc="search")
