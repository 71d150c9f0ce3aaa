"""Independent units of work, run in parallel, cached on disk and seeded by their description."""

import hashlib
import os
import socket
import stat
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pooch
from joblib import Memory, Parallel, delayed
from tqdm.auto import tqdm

from compendium.digest import code_digest
from fscore._files import write_atomically
from fscore.datasets import fingerprint

__all__ = ["run_units", "seed_for", "tidy"]


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


def cache_folder():
    """Folder of the cached units: ``FSCORE_CACHE``, else the user's cache folder.

    Raises
    ------
    PermissionError
        If others can write to it: unpickling a cached unit executes code.
    """
    folder = Path(os.environ.get("FSCORE_CACHE") or Path(pooch.os_cache("fscore")) / "studies")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid"):
        status = folder.stat()
        if status.st_uid not in (0, os.getuid()) or status.st_mode & stat.S_IWOTH:
            raise PermissionError(
                f"others can write to the cache {str(folder)!r}, and reading a cache can execute code; set "
                "FSCORE_CACHE to a private folder, or remove the permission (chmod o-w)."
            )
    return folder


def run_units(function, units, *, n_jobs=None, label=""):
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
    n_jobs : int, optional
        As in joblib; default ``FSCORE_JOBS``, else one. ``joblib.parallel_config`` chooses another backend.
    label : str, default=""
        Label of the progress bar.

    Returns
    -------
    DataFrame
        The rows of all units, in the order of ``units`` for any ``n_jobs``.
    """
    folder = cache_folder() / code_digest([function.__module__])[:16]
    rows_of = Memory(folder, verbose=0).cache(_rows_of, ignore=["computed"])
    calls = [(function, dict(unit), _data_key(unit)) for unit in units]
    try:
        missing = [number for number, call in enumerate(calls) if not rows_of.check_call_in_cache(*call)]
    except ValueError as error:  # joblib cannot read its note on the function
        raise ValueError(
            f"the cache {str(folder)!r} is damaged ({error}); remove it, and its units are computed again."
        ) from None

    if n_jobs is None and "FSCORE_JOBS" in os.environ:
        n_jobs = int(os.environ["FSCORE_JOBS"])
    parallel = Parallel(n_jobs=n_jobs, pre_dispatch="all", return_as="generator_unordered")
    results = parallel(delayed(_compute)(number, *calls[number]) for number in missing)
    for number, computed in _progress(results, len(calls), len(calls) - len(missing), label or function.__name__):
        rows_of(*calls[number], computed)
    return pd.DataFrame([row for call in calls for row in _read(rows_of, call)])


def _compute(number, function, unit, data_key):
    """The number of a unit and its rows."""
    if _data_key(unit) != data_key:
        raise ValueError(
            f"{socket.gethostname()} does not have the same data set {unit['dataset']!r} as the machine that runs "
            "the study; fetch the data there with make data, or copy the file to the same path."
        )
    return number, function(**unit)


def _rows_of(function, unit, data_key, computed=None):
    """The rows of a unit: those that were computed, which the cache keeps."""
    return function(**unit) if computed is None else computed


def _read(rows_of, call):
    """The rows of a unit in the cache; computed again if its file holds something else."""
    rows = rows_of(*call)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        rows_of.call_and_shelve(*call).clear()
        rows = rows_of(*call)
    return rows


def _data_key(unit):
    return fingerprint(unit["dataset"]) if "dataset" in unit else ""


def _progress(results, total, done, label):
    """Yield results while updating a progress bar, or the runner's progress file under the notebook runner."""
    file = os.environ.get("FSCORE_PROGRESS")
    if not file:
        yield from tqdm(results, total=total, initial=done, desc=label, file=sys.stderr, disable=None)
        return
    for finished, result in enumerate(results, start=done + 1):
        write_atomically(Path(file), f"{finished} {total} {label}")
        yield result
