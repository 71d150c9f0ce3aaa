"""Independent units of work, run in parallel, cached on disk and seeded by their description."""

import hashlib
import os
import socket
import stat
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Memory, Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from compendium.digest import code_digest
from compendium.kept import CACHE
from fscore._interrupts import ctrl_c_ignored
from fscore.datasets import fingerprint

_RECORDS = ContextVar("records", default=None)  # of the units, if they are recorded
_CACHED = ContextVar("cached", default=True)
_COMPUTE = ContextVar("compute", default=None)  # what computes the units in place of this machine's processes


def seed_for(*key):
    """A seed that depends only on ``key``.

    Adding a method, a data set or a repetition to a study therefore changes no other result.

    Parameters
    ----------
    *key : str, int, float or tuple of those
        Description of the unit, for instance ``(seed, "outliers", dataset, repeat)``.

    Returns
    -------
    int
        In [0, 2**32).
    """
    entropy = int.from_bytes(hashlib.sha256(repr(key).encode()).digest(), "big")
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def tidy(what, measured):
    """Rows of a table in long format, one per metric."""
    return [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]


def crossed(shared, **axes):
    """Units of work: every combination of the axes, of which the last varies fastest, with the shared arguments.

    Parameters
    ----------
    shared : dict
    **axes : iterable

    Returns
    -------
    list of dict
    """
    return [{**dict(zip(axes, case, strict=True)), **shared} for case in product(*axes.values())]


def cache_folder():
    """Folder of the cached units: ``FSCORE_CACHE``, else ``.cache/studies`` of the project.

    Raises
    ------
    PermissionError
        If others can write to it: unpickling a cached unit executes code.
    """
    folder = Path(os.environ.get("FSCORE_CACHE") or CACHE / "studies")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = folder.stat()
    if status.st_uid not in (0, os.getuid()) or status.st_mode & stat.S_IWOTH:
        raise PermissionError(
            f"others can write to the cache {str(folder)!r}, and reading a cache can execute code; set "
            "FSCORE_CACHE to a private folder, or remove the permission (chmod o-w)."
        )
    return folder


@contextmanager
def _set(variable, value):
    """A context in which a variable has a value."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)


def recording():
    """Record every unit that runs in the block, or whose rows come from the cache.

    Yields
    ------
    list of dict
        ``function`` (its dotted name), ``arguments``, ``seconds`` and ``rows`` of each unit.
    """
    return _set(_RECORDS, [])


def uncached():
    """Run units anew, one after the other, without the cache."""
    return _set(_CACHED, False)


def computing(compute):
    """Let ``compute(function, calls)`` compute the units, such as on a cluster; it yields results in any order."""
    return _set(_COMPUTE, compute)


def run_units(function, units, *, label=""):
    """Run ``function(**unit)`` for every unit and stack the rows it returns.

    Finished units are cached on disk, keyed by the function, its arguments, the bytes of the data set that they name,
    all code that the function's module can reach, and the versions of the packages that this code uses. An interrupted
    study therefore resumes where it stopped, and a changed algorithm or file never reuses old results. This process
    writes the cache: workers, which may run on other machines, only compute.

    Parameters
    ----------
    function : callable
        A module-level function that returns a list of dict (rows of a tidy table).
    units : list of dict
        Keyword arguments: numbers, strings or tuples.
    label : str, default=""
        Label of the progress bar.

    Returns
    -------
    DataFrame
        The rows of all units, in the order of ``units`` for any number of processes.
    """
    if not _CACHED.get():
        return pd.DataFrame([row for unit in units for row in function(**unit)])
    folder = cache_folder() / code_digest([function.__module__])[:16]
    rows_of = Memory(folder, verbose=0).cache(_rows_of, ignore=["computed"])
    calls = [(function, dict(unit), _data_key(unit)) for unit in units]
    try:
        missing = [number for number, call in enumerate(calls) if not rows_of.check_call_in_cache(*call)]
    except ValueError as error:  # joblib cannot read its note on the function
        raise ValueError(
            f"the cache {str(folder)!r} is damaged ({error}); remove it, and its units are computed again."
        ) from None

    compute = _COMPUTE.get() or _in_processes
    results = compute(_compute, [(number, *calls[number]) for number in missing])
    bar = {"total": len(calls), "initial": len(calls) - len(missing), "desc": label or function.__name__}
    for number, computed in tqdm(results, **bar, file=sys.stderr, mininterval=0.5 if sys.stderr.isatty() else 15):
        rows_of(*calls[number], computed)
    found = [_read(rows_of, call) for call in calls]
    if (records := _RECORDS.get()) is not None:
        name = f"{function.__module__}.{function.__name__}"
        for (_, unit, _), (rows, seconds) in zip(calls, found, strict=True):
            records.append({"function": name, "arguments": unit, "seconds": round(seconds, 3), "rows": rows})
    return pd.DataFrame([row for rows, _ in found for row in rows])


def _in_processes(function, calls):
    """As many as ``joblib.parallel_config`` says, by default one."""
    parallel = Parallel(pre_dispatch="all", return_as="generator_unordered")
    with ctrl_c_ignored():
        return parallel(delayed(function)(*call) for call in calls)


def _compute(number, function, unit, data_key):
    """The number of a unit, and its rows and duration."""
    if _data_key(unit) != data_key:
        raise ValueError(
            f"{socket.gethostname()} does not have the same data set {unit['dataset']!r} as the machine that runs "
            "the study; fetch the data there with make data, or copy the file to the same path."
        )
    return number, _timed(function, unit)


def _timed(function, unit):
    """Rows and duration of a unit, with one thread for linear algebra, as everywhere."""
    with threadpool_limits(1):
        start = time.perf_counter()
        return function(**unit), time.perf_counter() - start


def _rows_of(function, unit, data_key, computed=None):
    """The rows of a unit and its duration: those that were computed, which the cache keeps."""
    return _timed(function, unit) if computed is None else computed


def _read(rows_of, call):
    """Rows and duration of a unit in the cache; computed again if its file holds something else."""
    found = rows_of(*call)
    if not (isinstance(found, tuple) and isinstance(found[0], list) and all(isinstance(row, dict) for row in found[0])):
        rows_of.call_and_shelve(*call).clear()
        found = rows_of(*call)
    return found


def _data_key(unit):
    return fingerprint(unit["dataset"]) if "dataset" in unit else ""
