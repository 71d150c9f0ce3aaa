"""Independent units of work, run in parallel, cached on disk and seeded by their description."""

import hashlib
import math
import os
import re
import socket
import stat
import sys
import time
import zlib
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Memory, Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from compendium.papers import ROOT
from fscore._interrupts import ctrl_c_ignored
from fscore.datasets import fingerprint

DIGITS = 9  # significant digits in which two measurements of the same thing must agree
TIMED = "seconds"  # columns and metrics whose name contains it are durations, which differ from run to run
_RECORDS = ContextVar("records", default=None)  # of the units, if they are recorded
_CACHED = ContextVar("cached", default=True)
_VERSION = ContextVar("version", default=None)  # of the experiment that runs
REACH = 10  # seconds to reach the scheduler
ADDRESS = r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:[^\s:/\[\]]+|\[[^\s/\[\]]+\]):\d+"  # host, or [IPv6 address], and port
PATIENCE = 60  # seconds until the first worker is there; some clusters start workers on demand


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


def name_of(dataset):
    """Name of a registered data set, or file name of a CSV file without folder and extension.

    Tables and seeds use this name, so ``adrenal_tumour.csv`` counts as that data set, and results do not depend on the
    folder of a file.
    """
    return Path(dataset).stem


def by_names(pairs):
    """Data sets by their names.

    Parameters
    ----------
    pairs : iterable of (str, str)
        Name and data set.

    Returns
    -------
    dict of str to str

    Raises
    ------
    ValueError
        If two data sets have the same name, so that their results could not be distinguished.
    """
    found = {}
    for name, dataset in pairs:
        if found.setdefault(name, dataset) != dataset:
            raise ValueError(f"{found[name]} and {dataset} are both named {name!r}; rename one of them.")
    return found


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
    folder = Path(os.environ.get("FSCORE_CACHE") or ROOT / ".cache" / "studies")
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
        ``function`` (its dotted name), ``arguments``, ``seconds`` and ``checksum`` of each unit.
    """
    return _set(_RECORDS, [])


def uncached():
    """Run units anew, one after the other, without the cache."""
    return _set(_CACHED, False)


def of_version(version):
    """Let the units that run in the block be of a version of their experiment."""
    return _set(_VERSION, version)


def run_units(function, units, *, label="", version=None):
    """Run ``function(**unit)`` for every unit and stack the rows it returns.

    Finished units are cached on disk by the function's name, its arguments, the version of the experiment and the data
    set that they name, so an interrupted study resumes where it stopped. As many units run at once as
    ``joblib.parallel_config`` says, by default one. This process writes the cache: workers, which may run on other
    machines, only compute.

    Parameters
    ----------
    function : callable
        A module-level function that returns a list of dict (rows of a tidy table).
    units : list of dict
        Keyword arguments: numbers, strings or tuples.
    label : str, default=""
        Label of the progress bar.
    version : int, optional
        In place of the experiment's, for units whose arguments say their own.

    Returns
    -------
    DataFrame
        The rows of all units, in the order of ``units`` for any number of processes; data sets by their `name_of`.

    Raises
    ------
    ValueError
        If two data sets have the same name; see `by_names`.
    """
    named = by_names((name_of(unit["dataset"]), unit["dataset"]) for unit in units if "dataset" in unit)
    if not _CACHED.get():
        return _table([row for unit in units for row in function(**unit)], named)
    folder = cache_folder()
    timed = Memory(folder, verbose=0).cache(_timed, ignore=["computed"])
    version = _VERSION.get() if version is None else version
    calls = [(function, dict(unit), version, _fingerprint(unit)) for unit in units]
    try:
        missing = [number for number, call in enumerate(calls) if not timed.check_call_in_cache(*call)]
    except ValueError as error:  # joblib cannot read its note on the function
        raise ValueError(
            f"the cache {str(folder)!r} is damaged ({error}); remove it, and its units are computed again."
        ) from None
    with ctrl_c_ignored():
        parallel = Parallel(pre_dispatch="all", return_as="generator_unordered")
        results = parallel(delayed(_numbered)(number, *calls[number]) for number in missing)
    bar = {"total": len(calls), "initial": len(calls) - len(missing), "desc": label or function.__name__}
    for number, computed in tqdm(results, **bar, file=sys.stderr, mininterval=0.5 if sys.stderr.isatty() else 15):
        timed(*calls[number], computed)
    found = [_read(timed, call) for call in calls]
    if (records := _RECORDS.get()) is not None:
        name = f"{function.__module__}.{function.__name__}"
        for (_, unit, *_), (rows, seconds) in zip(calls, found, strict=True):
            about = {"function": name, "arguments": unit, "seconds": float(f"{seconds:.2g}")}
            records.append({**about, "checksum": checksum(rows)[0]})
    return _table([row for rows, _ in found for row in rows], named)


def _table(rows, named):
    """Rows as a table, with the names of the data sets that the units had."""
    table, names = pd.DataFrame(rows), {dataset: name for name, dataset in named.items()}
    if names and "dataset" in table:
        table["dataset"] = table["dataset"].map(lambda dataset: names.get(dataset, dataset))
    return table


def _numbered(number, function, unit, version, data):
    """The number of a unit, its rows and its duration."""
    if _fingerprint(unit) != data:
        raise ValueError(
            f"{socket.gethostname()} does not have the same data set {unit['dataset']!r} as the machine that runs "
            "the study; fetch the data there with make data, or copy the file to the same path."
        )
    with parallel_config("sequential"):  # what a unit shares out stays here: it would go to other machines
        return number, _timed(function, unit, version, data)


def _timed(function, unit, version, data, computed=None):
    """Rows and duration of a unit, with one thread for linear algebra; if they are computed already, those."""
    if computed is not None:
        return computed
    with threadpool_limits(1):
        start = time.perf_counter()
        return function(**unit), time.perf_counter() - start


def _read(timed, call):
    """Rows and duration of a unit in the cache; computed again if its file holds something else."""
    found = timed(*call)
    if not (isinstance(found, tuple) and isinstance(found[0], list) and all(isinstance(row, dict) for row in found[0])):
        timed.call_and_shelve(*call).clear()
        found = timed(*call)
    return found


def _fingerprint(unit):
    return fingerprint(unit["dataset"]) if "dataset" in unit else ""


def checksum(rows):
    """The sum of all cells of a unit's rows but durations, each with a weight that depends on its place.

    A number counts by its logarithm, so that small ones are not lost beside large ones; a text by its hash. If all
    numbers of two measurements agree in `DIGITS` digits, their checksums do, relative to the size.

    Parameters
    ----------
    rows : list of dict

    Returns
    -------
    value, size : float
        The sum, and that of the absolute values.
    """
    value = size = 0.0
    for number, row in enumerate(rows):
        if TIMED in str(row.get("metric")):
            continue
        for name, cell in row.items():
            for place, part in enumerate(_flat(plain(cell)) if TIMED not in name else ()):
                term = (0.5 + _hash(f"{number} {name} {place}")) * _as_number(part)
                value, size = value + term, size + abs(term)
    return value, size


def _flat(value):
    if isinstance(value, dict):
        value = [part for item in sorted(value.items()) for part in item]
    return [part for item in value for part in _flat(item)] if isinstance(value, list) else [value]


def _as_number(value):
    if value is None or isinstance(value, str):
        return _hash(str(value))
    return math.copysign(math.log1p(abs(value)), value)


def _hash(text):
    """In [0, 1)."""
    return zlib.crc32(text.encode()) / 2**32


def plain(value):
    """A value as JSON can hold it: NaN and NA become null, an infinite number the text "inf" or "-inf", a tuple a list.

    A named tuple becomes a dict with its type.
    """
    if hasattr(value, "_asdict"):  # a named tuple
        return {"type": f"{type(value).__module__}.{type(value).__qualname__}", **plain(value._asdict())}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA:
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


class ClusterError(Exception):
    """Why a cluster can't be used, in one sentence."""


@contextmanager
def cluster(address):
    """Let a Dask cluster compute the units of work while the block runs.

    Parameters
    ----------
    address : str
        The scheduler's, such as ``"tcp://host:8786"``; if empty, nothing changes. Every worker needs this project's
        code and packages, and one thread, since units that run in one process share warnings and clocks.

    Yields
    ------
    str
        What computes the units, such as ``"2 workers of a Dask cluster"``; empty without an address, and with a single
        worker, of which joblib makes no use.

    Raises
    ------
    ClusterError
        For what is no address, without the package, if no scheduler answers or no worker is there, and if a worker has
        other versions of packages than this process, or several threads.
    """
    if not address:
        yield ""
        return
    if not re.fullmatch(ADDRESS, address):  # distributed waits for its own threads after it has refused one
        raise ClusterError(f"no Dask scheduler can be used at {address!r}; an address is such as tcp://host:8786.")
    try:
        from distributed import Client

        client = Client(address, timeout=REACH, set_as_default=False)
    except (ImportError, OSError, ValueError, TypeError, AssertionError) as error:
        # on a busy machine distributed asserts that its event loop has started, without a message
        raise ClusterError(f"no Dask scheduler can be used at {address!r}: {str(error) or repr(error)}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
            client.get_versions(check=True)  # says which packages differ
        except (OSError, ValueError) as error:
            raise ClusterError(f"the Dask cluster at {address!r} can't be used: {error}") from None
        threads = client.nthreads().values()
        if max(threads) > 1:
            raise ClusterError(
                f"a worker of the Dask cluster at {address!r} has {max(threads)} threads; start workers with "
                "--nthreads 1, because units that run in one process share warnings and clocks."
            )
        with parallel_config("dask", client=client):
            yield f"{len(threads)} workers of a Dask cluster" if len(threads) > 1 else ""
