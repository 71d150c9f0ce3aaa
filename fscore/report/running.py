"""Runs the steps of work: in parallel, within the budget, and so that an interrupted run goes on where it was."""

import hashlib
import json
import os
import sys
import time

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from fscore import __version__
from fscore._files import write_atomically
from fscore._interrupts import ctrl_c_ignored
from fscore.report.work import BudgetSpent

__all__ = ["Record", "default_jobs", "run_all"]

_FORMAT = 4  # of the record, and of the rules by which it was computed
_SILENT = 3.0  # seconds between two lines of progress


class Record:
    """Results of steps, kept in a file that is replaced at once after every step.

    Parameters
    ----------
    file : Path
    key : str
        Results of another key are not used: see `key_of`.
    models : sequence of str
        Models to choose from; results that were chosen from fewer are not used.
    """

    def __init__(self, file, key, models=()):
        self.file, self.key = file, key
        kept = _kept(file, key)
        if kept is None or set(models) - set(kept["models"]):
            kept = {"models": models, "results": {}, "seconds": {}}
        self.models, self.results, self.seconds = kept["models"], kept["results"], kept["seconds"]

    @staticmethod
    def has(file, key):
        """Whether a file is a record of this key."""
        return _kept(file, key) is not None

    @staticmethod
    def key_of(sha256, settings):
        """What a result depends on: the file, the settings and the version."""
        return hashlib.sha256(repr((sha256, settings, __version__, _FORMAT)).encode()).hexdigest()

    def add(self, name, result, seconds):
        """Keep a result; None is none."""
        if result is None:
            return
        self.results[name], self.seconds[name] = result, round(seconds, 3)
        kept = {"key": self.key, "models": self.models, "results": self.results, "seconds": self.seconds}
        write_atomically(self.file, json.dumps(kept))


def _kept(file, key):
    """What a record of this key holds; None if the file isn't there, is broken, or is another record."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return kept if kept["key"] == key else None
    except (ValueError, KeyError, TypeError, OSError):
        return None


def run_all(work, record, *, n_jobs=1, say=None):
    """Compute all steps that the record lacks.

    Parameters
    ----------
    work : Work
        With a deadline, the first step is a quick answer, which is always computed.
    record : Record
    n_jobs : int, default=1
    say : callable, optional
        Takes one line of progress.

    Returns
    -------
    {None, "budget", "interrupt"}
        Why it ended early, if it did.
    """
    plan = work.plan(quick=work.deadline is not None)
    start, done, said = time.monotonic(), 0, 0.0
    todo = [name for name in plan if name not in record.results]
    try:
        for first in [name for name in ("quick", "select") if name in todo]:
            if say:
                say({"quick": "a first answer from few rows", "select": "choosing columns from all rows"}[first])
            record.add(*_timed(work, first))
        selected = record.results.get("select")
        todo = [name for name in todo if name not in ("quick", "select")] if selected else []
        for name, result, seconds in _computed(work, todo, selected, n_jobs):
            record.add(name, result, seconds)
            done += plan[name]
            if say and (passed := time.monotonic() - start) - said > _SILENT:
                said = passed
                say(f"{done / sum(plan[name] for name in todo):.0%} done after {passed:.0f} s")
    except KeyboardInterrupt:
        return "interrupt"
    return "budget" if set(plan) - set(record.results) else None


def _computed(work, names, selected, n_jobs):
    """Yield name, result and seconds of each step, as they come."""
    n_jobs = min(n_jobs, len(names))
    if n_jobs <= 1:
        yield from (_timed(work, name, selected) for name in names)
        return
    pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch=n_jobs)
    with ctrl_c_ignored():
        results = pool(delayed(_alone)(work, name, selected) for name in names)
    yield from results


def _timed(work, name, selected=None):
    """One step; None as its result where the time is up."""
    start = time.perf_counter()
    try:
        return name, work.run(name, selected), time.perf_counter() - start
    except BudgetSpent:
        return name, None, 0.0


def _alone(work, name, selected):
    """One step in a process or thread of its own."""
    with threadpool_limits(1):
        return _timed(work, name, selected)


def default_jobs():
    """Processes to use: as many as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def to_stderr(line):
    """Show a line of progress."""
    print(line, file=sys.stderr, flush=True)
