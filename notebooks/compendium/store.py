"""The one store of measured tables.

An entry is a folder: ``<table>.csv.gz`` for each table, ``about.json``, which says what they were measured with, and
``units.csv.gz``, the duration of every unit of work and a checksum of its rows. ``data/measured/<paper>/<experiment>``
holds the tables of the declared parameters. They are source, under version control, and stale if the experiment's
parameters, its `version` or the data differ from those in ``about.json``. Tables of other parameters lie in
``results/measured``.
"""

import contextlib
import errno
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
import warnings
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import cpu_count, parallel_config

import fscore
from compendium.experiment import as_list, experiment_of
from compendium.papers import DATA, RESULTS, ROOT, notebook_files
from compendium.protocol import check_name, load_set
from compendium.units import cluster, plain, recording
from fscore.datasets import DatasetUnavailableError, check_classification, fingerprint, status
from fscore.datasets.registry import is_path, lookup

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "cvxpy", "highspy", "matplotlib")
ABOUT, UNITS = "about.json", "units.csv.gz"
COLUMNS = ["function", "arguments", "seconds", "checksum"]  # of the units
LONG = 3600  # seconds: no entry is written for so long
JSON = "json"  # dtype of columns whose cells are JSON: lists, or texts some of which are missing


class DataError(ValueError):
    """A user's file that can't be read, or whose data can't be used, in one sentence."""


@dataclass(frozen=True)
class Entry:
    """Measured tables and where they come from.

    Attributes
    ----------
    folder : Path
    about : dict
        parameters, version (the experiment's), datasets (source, hash and shape of each), measured (date), commit,
        seconds (of the run; of its units added up if that is longer, as where processes share them or the cache had
        them), machine, packages (their versions), and for each table its columns with their dtypes.
    tables : dict of str to DataFrame
    """

    folder: Path
    about: dict

    @cached_property
    def tables(self):
        return {name: _read_table(self.folder, name, columns) for name, columns in self.about["tables"].items()}

    @cached_property
    def units(self):
        """The units of work: a DataFrame with function, arguments, seconds and checksum; empty if there are none."""
        if not (self.folder / UNITS).is_file():
            return pd.DataFrame(columns=COLUMNS)
        units = pd.read_csv(self.folder / UNITS)
        return units.assign(arguments=units["arguments"].map(json.loads))

    @property
    def is_accepted(self):
        """Whether the tables belong to the repository, as those of the published pages."""
        return self.folder.is_relative_to(DATA)

    @property
    def present(self):
        """Names of the data sets that were used."""
        return [name for name, entry in self.about["datasets"].items() if entry["source"] != "missing"]


def accepted_folder(experiment):
    """Folder of the accepted entry of an experiment (its class), whether or not it exists."""
    return DATA.joinpath("measured", *experiment.__module__.split("."))


def find(experiment):
    """The entry of an experiment with these parameters: that of the repository, else one that was measured here.

    The repository's tables stand for the declared parameters even if they are stale, until they are measured again.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    Entry or None
    """
    accepted = read(accepted_folder(type(experiment)))
    same = experiment.is_as_declared or (accepted and accepted.about["parameters"] == experiment.values)
    if same and has_tables(experiment, accepted):
        return accepted
    own = read(own_folder(experiment))
    return own if has_tables(experiment, own) else None


def has_tables(experiment, entry):
    """Whether an entry has the tables that an experiment declares."""
    return entry is not None and set(entry.about["tables"]) == set(experiment.schema)


def stale(experiment, entry):
    """What makes an entry stale.

    Parameters
    ----------
    experiment : Experiment
    entry : Entry

    Returns
    -------
    list of str
        Parameters, "version" and data sets that differ. Data that are not here can't differ.
    """
    about = entry.about
    found = [name for name, value in experiment.values.items() if about["parameters"].get(name) != value]
    found += ["version"] * (about["version"] != experiment.version)
    hashes = {name: data["sha256"] for name, data in about["datasets"].items() if not is_path(name)}
    return found + [name for name, sha256 in hashes.items() if _hash(name, sha256) != sha256]


def absent(entry):
    """Names of the data sets that an entry's tables are about and that are not on this machine."""
    return [name for name in entry.present if not is_path(name) and not is_here(name)]


def is_here(name):
    """Whether a data set of the registry can be loaded on this machine, without fetching it."""
    return status(name) not in ("missing", "not public")


def _hash(name, unknown):
    """Hash of a registered data set as it is here; ``unknown`` if it isn't."""
    if not is_here(name):
        return unknown
    return ";".join(file.sha256 for file in lookup(name).files) or load_set(name).sha256


def measure(experiment, *, n_jobs=-1, scheduler="", folder=None):
    """Measure an experiment and keep its tables, whether or not the store has them.

    Parameters
    ----------
    experiment : Experiment
        Data sets that are not on this machine are left out.
    n_jobs : int, default=-1
        Processes, as in joblib.
    scheduler : str, default=""
        Address of a Dask cluster, which then runs the units of work.
    folder : Path, optional
        For the entry; by default in ``results/measured``.

    Returns
    -------
    Entry

    Raises
    ------
    DatasetUnavailableError
        If none of its data sets is on this machine.
    ValueError
        If a file can't be read, or its data can't be used.
    """
    asked, datasets = experiment, describe(experiment)
    experiment = with_data(experiment, datasets)
    start = time.monotonic()
    with parallel_config(n_jobs=n_jobs), cluster(scheduler) as workers, recording() as units:
        tables = experiment.run()
    seconds = max(time.monotonic() - start, sum(unit["seconds"] for unit in units))
    about = {
        "parameters": asked.values,
        "version": asked.version,
        "datasets": datasets,
        "measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "seconds": round(seconds, 1),
        "machine": f"{machine()}; units on {workers}" if workers else machine(),
        "packages": packages(),
    }
    return write(folder or own_folder(asked), about, tables, units)


def describe(experiment):
    """Source, hash and shape of each data set of an experiment, or of its fallback if none is on this machine.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    dict of str to dict
        Data sets that are not here have the source "missing" and say why; empty for an experiment without data.

    Raises
    ------
    DatasetUnavailableError
        If none of them is available.
    DataError
        If a CSV file can't be read, or its data can't be used.
    """
    target, given = experiment.values.get("target"), as_list(experiment.values.get("dataset"))
    found = {name: _described(experiment, name, target) for name in given}
    if not found:
        return {}
    if experiment.fallback is not None and all("why" in entry for entry in found.values()):
        found[experiment.fallback] = _described(experiment, experiment.fallback, None)
    if all("why" in entry for entry in found.values()):
        raise DatasetUnavailableError(
            f"none of the data sets of this run is available: {', '.join(found)}; `make data` fetches those that are "
            "public and lists the others."
        )
    return found


def _described(experiment, name, target):
    missing = {"source": "missing", "sha256": None}
    if not is_path(name) and status(name) == "missing" and lookup(name).files:  # nothing is fetched here
        return {**missing, "why": f"missing; run: make data DATASETS={name}"}
    if is_path(name) and experiment.reads_any_file:
        return {"source": name, "sha256": fingerprint(name)}
    try:
        with warnings.catch_warnings():
            if not experiment.allows_missing:  # then the file is refused in a sentence
                warnings.simplefilter("ignore", UserWarning)
            bunch = load_set(name, target)
        if is_path(name):
            check_classification(bunch, allow_missing=experiment.allows_missing)
            check_name(name, bunch.data.shape)
            experiment.check_file(name)
    except DatasetUnavailableError as error:
        return {**missing, "why": str(error)}
    except (OSError, ValueError) as error:
        raise DataError(str(error)) from None
    shape = {"samples": len(bunch.data), "features": bunch.data.shape[1], "classes": len(np.unique(bunch.target))}
    return {"source": bunch.source, "sha256": bunch.sha256, **shape}


def with_data(experiment, datasets):
    """The experiment on those of the described data sets that are not missing."""
    present = [name for name, entry in datasets.items() if entry["source"] != "missing"]
    if not datasets or present == list(datasets):
        return experiment
    dataset = present if isinstance(experiment.values["dataset"], list) else present[0]
    return type(experiment)(**{**experiment.values, "dataset": dataset})


def own_folder(experiment):
    """Folder of tables that were measured here, named by parameters, version, data and other files of the user."""
    key = hashlib.sha256(json.dumps([experiment.values, experiment.version], sort_keys=True).encode())
    for declared in experiment.parameters:
        value = experiment.values[declared.name]
        if declared.domain == "data sets":
            key.update("".join(map(fingerprint, as_list(value))).encode())
        elif declared.domain == "paths" and value is not None and Path(value).is_file():
            key.update(Path(value).read_bytes())
    return RESULTS.joinpath("measured", *type(experiment).__module__.split("."), key.hexdigest()[:16])


def read(folder):
    """The entry in a folder; None if there is none, or a damaged one."""
    try:
        entry = Entry(folder, json.loads((folder / ABOUT).read_text(encoding="utf-8")))
        whole = all(gzip.decompress((folder / f"{name}.csv.gz").read_bytes()) for name in entry.about["tables"])
    except (FileNotFoundError, EOFError, gzip.BadGzipFile, zlib.error, ValueError, LookupError, TypeError):
        return None
    return entry if whole else None


def write(folder, about, tables, units=()):
    """Write an entry; a folder that is there is replaced only when the new one is complete.

    Parameters
    ----------
    folder : Path
    about : dict
        See `Entry`; what the tables contain is added.
    tables : dict of str to DataFrame
    units : list of dict
        As from `compendium.units.recording`.

    Returns
    -------
    Entry
    """
    with _replaced(folder) as new:
        new.mkdir(mode=0o755)
        columns = {name: _write_table(new, name, frame) for name, frame in tables.items()}
        text = json.dumps({**about, "tables": columns}, indent=1, ensure_ascii=False)
        (new / ABOUT).write_text(f"{text}\n", encoding="utf-8")
        if units:
            arguments = [json.dumps(plain(unit["arguments"]), separators=(",", ":")) for unit in units]
            table = pd.DataFrame(units, columns=COLUMNS).assign(arguments=arguments)
            _write_compressed(new / UNITS, table.to_csv(index=False, lineterminator="\n", float_format="%.10g"))
    return Entry(folder, json.loads(text))


@contextlib.contextmanager
def _replaced(folder):
    """A place for a new folder, which takes the place of the old one when it is complete.

    Of several runs that end together, the last one stays. What a killed one left behind is removed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f".{folder.name}.*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > LONG:
                shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        yield Path(scratch, "new")
        while True:
            with contextlib.suppress(FileNotFoundError):
                os.rename(folder, tempfile.mkdtemp(dir=scratch))
            try:
                return os.rename(Path(scratch, "new"), folder)
            except OSError as error:  # another run's folder took the place
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise


def _write_compressed(file, text):
    """Equal texts make equal bytes."""
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def _write_table(folder, name, frame):
    """Write one table; return its columns with their dtypes."""
    columns, cells = {}, {}
    for column in frame.columns:
        values, dtype = frame[column], str(frame[column].dtype)
        if dtype == "object" and all(isinstance(value, bool | np.bool_) for value in values):
            values, dtype = values.astype(bool), "bool"
        ends_rows = dtype.startswith("str") and values.str.contains("\r", regex=False).any()
        if dtype == "object" or ends_rows or (not dtype.startswith("float") and values.isna().any()):
            values, dtype = [json.dumps(plain(value), ensure_ascii=False) for value in values.tolist()], JSON
        columns[str(column)], cells[str(column)] = dtype, values
    written = pd.DataFrame(cells, columns=list(columns))
    _write_compressed(folder / f"{name}.csv.gz", written.to_csv(index=False, lineterminator="\n"))
    return columns


def _read_table(folder, name, columns):
    text = gzip.decompress((folder / f"{name}.csv.gz").read_bytes()).decode()
    texts = {column: "str" for column, dtype in columns.items() if dtype == JSON}
    empty = {column: [""] for column, dtype in columns.items() if dtype.startswith("float")}
    frame = pd.read_csv(io.StringIO(text), dtype=columns | texts, keep_default_na=False, na_values=empty)
    for column in texts:
        cells = frame[column].to_numpy(dtype=object)  # pandas' own strings take longer to go through
        values = {cell: _hashable(json.loads(cell)) for cell in set(cells)}
        frame[column] = pd.Series([values[cell] for cell in cells], dtype=object)
    return frame


def _hashable(value):
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value


@cache
def entries():
    """The store's entry of each notebook with its declared parameters.

    Returns
    -------
    dict of str to Entry
        Without the notebooks that were never measured.
    """
    found = {name: find(experiment_of(name)()) for name in notebook_files()}
    return {name: entry for name, entry in found.items() if entry is not None}


def stored_tables():
    """Their tables: by name, by notebook."""
    return {name: entry.tables for name, entry in entries().items()}


def packages():
    """Versions of Python and of the packages that the numbers depend on.

    Returns
    -------
    dict of str to str
    """
    ours = {"Python": platform.python_version(), "fscore": fscore.__version__}
    return {**ours, **{name: metadata.version(name) for name in PACKAGES}}


def commit():
    """The commit that is checked out, with "-dirty" if files differ from it; "unknown" without its own repository."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    here = {**os.environ, "GIT_CEILING_DIRECTORIES": str(ROOT.parent)}  # a repository around it is another project's
    try:
        return subprocess.run(command, cwd=ROOT, env=here, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    """The processor in one line: model, cores that this process may use, operating system."""
    cpuinfo = Path("/proc/cpuinfo")
    known = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.is_file() else ""
    named = re.search(r"^model name\s*:(.*)", known, re.MULTILINE)
    model = named[1].strip() if named else platform.processor() or platform.machine()
    return f"{model}, {cpu_count()} cores, {platform.system()}"
