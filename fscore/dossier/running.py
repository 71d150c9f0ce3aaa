"""Runs the units of work: in parallel, with the time left, and so that an interrupted run goes on where it was."""

import hashlib
import json
import os
import signal
import sys
import threading
import time

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from fscore import __version__
from fscore._files import write_atomically

__all__ = ["Record", "default_jobs", "run_all"]

_FORMAT = 2  # of the record, and of the rules by which it was computed


class Record:
    """Results of units of work, kept in a file that is replaced at once after every unit.

    Parameters
    ----------
    file : Path or None
        None keeps nothing.
    key : str
        Results of another key are not used: see `key_of`.
    """

    def __init__(self, file, key):
        self.file, self.key = file, key
        self.results, self.seconds = {}, {}
        if file is not None and (kept := _kept(file, key)):
            self.results, self.seconds = kept["results"], kept["seconds"]
        self.n_resumed = len(self.results)

    @staticmethod
    def has(file, key):
        """Whether a file is a record of this key."""
        return _kept(file, key) is not None

    @staticmethod
    def key_of(sha256, settings):
        """What a result depends on: the file, the settings and the version."""
        return hashlib.sha256(repr((sha256, settings, __version__, _FORMAT)).encode()).hexdigest()

    def add(self, name, result, seconds):
        """Keep a result."""
        self.results[name], self.seconds[name] = result, round(seconds, 3)
        if self.file is not None:
            kept = {"key": self.key, "results": self.results, "seconds": self.seconds}
            write_atomically(self.file, json.dumps(kept))


def _kept(file, key):
    """What a record of this key holds; None if the file isn't there, is broken, or is another record."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return {name: kept[name] for name in ("results", "seconds")} if kept["key"] == key else None
    except (ValueError, KeyError, TypeError, OSError):
        return None


def run_all(work, record, *, budget=None, n_jobs=1, show=None):
    """Compute all units of work that the record lacks.

    Parameters
    ----------
    work : Work
    record : Record
    budget : float, optional
        Seconds after which no unit is started.
    n_jobs : int, default=1
    show : bool, optional
        Show a progress bar; by default if the error stream is a terminal.

    Returns
    -------
    {None, "budget", "interrupt"}
        Why it ended early, if it did.
    """
    deadline = None if budget is None else time.time() + budget
    plan = {"select": 8, **work.plan()}
    show = sys.stderr.isatty() if show is None else show
    bar = tqdm(
        total=sum(plan.values()),
        disable=not show,
        desc="report",
        bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed} elapsed, {remaining} left",
    )
    try:
        with bar:
            bar.update(sum(cost for name, cost in plan.items() if name in record.results))
            if "select" not in record.results:
                record.add(*_timed(work, "select"))
                bar.update(plan["select"])
            selected = record.results["select"]
            todo = [name for name in plan if name not in record.results]
            for name, result, seconds in _computed(work, todo, selected, deadline, n_jobs):
                if result is not None:
                    record.add(name, result, seconds)
                bar.update(plan[name])
    except KeyboardInterrupt:
        return "interrupt"
    return "budget" if set(plan) - set(record.results) else None


def _computed(work, names, selected, deadline, n_jobs):
    """Yield name, result and seconds of each unit, as they come."""
    n_jobs = min(n_jobs, len(names))
    if n_jobs <= 1:
        yield from (_timed(work, name, selected, deadline) for name in names)
        return
    pool = Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch=n_jobs)
    yield from pool(delayed(_timed)(work, name, selected, deadline, alone=False) for name in names)


def _timed(work, name, selected=None, deadline=None, alone=True):
    """One unit of work; None as its result where the time is up."""
    if deadline is not None and time.time() > deadline:
        return name, None, 0.0
    start = time.perf_counter()
    if alone:
        return name, work.run(name, selected), time.perf_counter() - start
    if threading.current_thread() is threading.main_thread():  # threads have no signals, nor have Dask's workers
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    with threadpool_limits(1):
        return name, work.run(name, selected), time.perf_counter() - start


def default_jobs():
    """Processes to use: as many as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
