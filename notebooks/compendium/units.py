"""Studies are cut in independent units of work: run in parallel, cached on disk, seeded by what they are."""

import hashlib
import os
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
    """A seed that depends on nothing but ``key``.

    Adding a method, a data set or a repetition to a study therefore moves no other result.

    Parameters
    ----------
    *key : str, int, float or tuple of those
        What the unit is, for instance ``(seed, "outliers", dataset, repeat)``.

    Returns
    -------
    int
        In [0, 2**32).
    """
    entropy = int.from_bytes(hashlib.sha256(repr(key).encode()).digest(), "big")
    return int(np.random.SeedSequence(entropy).generate_state(1)[0])


def tidy(what, measured):
    """Rows of a table from what was measured: one for each metric."""
    return [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]


def cache_folder():
    """Where finished units are kept: ``FSCORE_CACHE``, else the user's cache folder.

    Raises
    ------
    PermissionError
        If others can write there: reading a unit executes what was pickled.
    """
    folder = Path(os.environ.get("FSCORE_CACHE") or Path(pooch.os_cache("fscore")) / "studies")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid"):
        status = folder.stat()
        if status.st_uid not in (0, os.getuid()) or status.st_mode & stat.S_IWOTH:
            raise PermissionError(
                f"others can write to the cache {str(folder)!r}, and what is read from a cache is executed; set "
                "FSCORE_CACHE to a folder of your own, or remove the permission (chmod o-w)."
            )
    return folder


def run_units(function, units, *, n_jobs=None, label=""):
    """Run ``function(**unit)`` for every unit and stack the rows it returns.

    A finished unit is kept on disk, keyed by the function, its arguments, the bytes of the data set it names, all code
    the function's module can reach, and the lock file. An interrupted study therefore resumes where it was, and
    a changed algorithm or file never answers from an old cache.

    Parameters
    ----------
    function : callable
        A module-level function that returns a list of dict (rows of a tidy table).
    units : list of dict
        Keyword arguments; numbers, strings, tuples.
    n_jobs : int, optional
        As in joblib; default ``FSCORE_JOBS``, else one. ``joblib.parallel_config`` chooses another backend, for
        instance a Dask cluster.
    label : str, default=""
        What the progress bar says.

    Returns
    -------
    DataFrame
        The rows of all units, in the order of ``units`` whatever ``n_jobs`` is.
    """
    digest = code_digest([function.__module__])
    memory = Memory(cache_folder() / digest[:16], verbose=0)
    measure = memory.cache(_measure)
    units = [dict(unit) for unit in units]
    jobs = [delayed(measure)(function, unit, _data_key(unit)) for unit in units]

    if n_jobs is None and "FSCORE_JOBS" in os.environ:
        n_jobs = int(os.environ["FSCORE_JOBS"])
    streams = Parallel(n_jobs=n_jobs)._backend.supports_return_generator  # Dask's backend gives all at the end
    results = Parallel(n_jobs=n_jobs, return_as="generator" if streams else "list")(jobs)
    rows = []
    for done in _progress(results, len(jobs), label or function.__name__):
        rows.extend(done)
    return pd.DataFrame(rows)


def _measure(function, unit, data_key):
    return function(**unit)


def _data_key(unit):
    return fingerprint(unit["dataset"]) if "dataset" in unit else ""


def _progress(results, total, label):
    """Pass results through, showing a bar; under the notebook runner, report to its progress file instead."""
    file = os.environ.get("FSCORE_PROGRESS")
    if not file:
        yield from tqdm(results, total=total, desc=label, file=sys.stderr, disable=None)
        return
    for done, result in enumerate(results, start=1):
        write_atomically(Path(file), f"{done} {total} {label}")
        yield result
