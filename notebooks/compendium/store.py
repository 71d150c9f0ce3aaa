"""The one store of measured tables.

An entry is a folder: ``<table>.csv.gz`` for each table, ``about.json`` (parameters, data, date, duration, machine,
versions, code), and ``units.json.gz``, the rows and the duration of every unit of work, where they were recorded.
Accepted entries belong to the repository: ``data/measured/<paper>/<experiment>`` holds the tables of the
declared parameters. All others lie in ``results/measured``, in a folder named by everything that the tables depend on.
"""

import contextlib
import gzip
import io
import json
import math
import os
import shutil
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import parallel_config

from compendium.cluster import cluster
from compendium.digest import code_digest, reachable_modules
from compendium.kept import hash_of
from compendium.papers import DATA, RESULTS, printed_files
from compendium.parts import measuring_modules
from compendium.protocol import check_name, load_set
from compendium.provenance import machine, versions
from compendium.units import recording
from fscore.datasets import DatasetUnavailableError, check_classification, fingerprint, status
from fscore.datasets.registry import is_path, lookup


class DataError(ValueError):
    """A user's file that can't be read, or whose data can't be used, in one sentence."""


ABOUT, UNITS = "about.json", "units.json.gz"
JSON = "json"  # dtype of columns whose cells are JSON: lists, or texts some of which are missing


@dataclass(frozen=True)
class Entry:
    """Measured tables and where they come from.

    Attributes
    ----------
    folder : Path
    about : dict
        parameters, datasets (source, hash and shape of each), measured (date), seconds (of the run; of its units added
        up if that is longer, as where processes share them or the cache had them), machine, versions, code, and for
        each table its columns with their dtypes.
    tables : dict of str to DataFrame
    """

    folder: Path
    about: dict

    @cached_property
    def tables(self):
        return {name: _read_table(self.folder, name, columns) for name, columns in self.about["tables"].items()}

    @cached_property
    def units(self):
        """The recorded units: function, arguments, seconds, rows; none if they were not recorded."""
        return json.loads(gzip.decompress((self.folder / UNITS).read_bytes())) if self.has_units else []

    @property
    def has_units(self):
        """Whether units were recorded."""
        return (self.folder / UNITS).is_file()

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
    """The entry of an experiment with these parameters: the accepted one, else one that was measured here.

    The accepted tables stand for the declared parameters, until what the code declares since has been accepted, too.

    Parameters
    ----------
    experiment : Experiment

    Returns
    -------
    Entry or None
    """
    accepted = read(accepted_folder(type(experiment)))
    if accepted is not None and set(accepted.about["tables"]) == set(experiment.schema):
        if accepted.about["parameters"] == experiment.values:
            return accepted
        if experiment.values == type(experiment)().values:
            return measured_here(experiment) or accepted
    return measured_here(experiment)


def measured_here(experiment):
    """The entry that was measured here with the current code, data and packages; None if there is none."""
    try:
        return read(own_folder(with_data(experiment, describe(experiment))))
    except DatasetUnavailableError:
        return None


def is_current(experiment):
    """Whether the store's entry was measured with the current code."""
    entry = find(experiment)
    return entry is not None and entry.about["code"] == measuring_code(type(experiment))


def measure(experiment, *, n_jobs=-1, scheduler=""):
    """Measure an experiment and keep its tables, whether or not the store has them.

    Parameters
    ----------
    experiment : Experiment
        Data sets that are not on this machine are left out.
    n_jobs : int, default=-1
        Processes, as in joblib.
    scheduler : str, default=""
        Address of a Dask cluster, which then runs the units of work.

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
    asked, datasets = experiment.values, describe(experiment)
    experiment = with_data(experiment, datasets)
    start = time.monotonic()
    with (
        parallel_config(n_jobs=n_jobs),
        cluster(scheduler, measuring_modules(type(experiment).__module__)) as workers,
        recording() as units,
    ):
        tables = experiment.run()
    seconds = max(time.monotonic() - start, sum(unit["seconds"] for unit in units))
    about = {
        "parameters": asked,
        "datasets": datasets,
        "measured": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(seconds, 1),
        "machine": f"{machine()}; units on {workers}" if workers else machine(),
        "versions": versions(),
        "code": measuring_code(type(experiment)),
    }
    return write(own_folder(experiment), about, tables, units)


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
    given = experiment.values.get("dataset")
    if given is None:
        return {}
    target, found = experiment.values.get("target"), {}
    for name in [given] if isinstance(given, str) else given:
        found[name] = _described(experiment, name, target)
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


def measuring_code(experiment):
    """Digest of the code that an experiment (its class) measures with."""
    return code_digest(measuring_modules(experiment.__module__))


def own_folder(experiment):
    """Folder of an entry, named by code, environment, parameters, data and other files that the tables depend on.

    Includes the paper's printed numbers if the experiment's code can read them, as when it repeats printed subsets.
    """
    module = type(experiment).__module__
    parts = [measuring_code(type(experiment)), sys.version, json.dumps(experiment.values, sort_keys=True)]
    for declared in experiment.parameters:
        value = experiment.values[declared.name]
        if declared.domain == "data sets":
            parts += [fingerprint(name) for name in (value if isinstance(value, list) else [value]) if name is not None]
        elif declared.domain == "paths" and value is not None and Path(value).is_file():
            parts.append(Path(value).read_bytes())
    if "compendium.published" in reachable_modules([module]):
        files = printed_files(module.partition(".")[0])
        parts += [file.read_bytes() for file in files if not file.stem.endswith(("_claims", "_explanations"))]
    return RESULTS.joinpath("measured", *module.split("."), hash_of(*parts)[:16])


def read(folder):
    """The entry in a folder; None if there is none, or a damaged one."""
    try:
        return Entry(folder, json.loads((folder / ABOUT).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        return None


def write(folder, about, tables, units=()):
    """Write an entry; a folder that is there is replaced only when the new one is complete.

    Parameters
    ----------
    folder : Path
    about : dict
        See `Entry`; what the tables contain is added.
    tables : dict of str to DataFrame
    units : list of dict
        See `Entry.units`.

    Returns
    -------
    Entry
    """
    with _replaced(folder) as new:
        new.mkdir(mode=0o755)
        columns = {name: _write_table(new, name, frame) for name, frame in tables.items()}
        about = {**about, "tables": columns}
        (new / ABOUT).write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if units:
            _write_compressed(new / UNITS, json.dumps([plain(unit) for unit in units], separators=(",", ":")))
    return read(folder)


def copy(entry, folder):
    """Copy an entry to another folder, whose entry it replaces."""
    with _replaced(folder) as new:
        shutil.copytree(entry.folder, new)


@contextlib.contextmanager
def _replaced(folder):
    """A place for a new folder, which takes the place of the old one when it is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        yield Path(scratch, "new")
        with contextlib.suppress(FileNotFoundError):
            os.rename(folder, Path(scratch, "old"))
        os.rename(Path(scratch, "new"), folder)


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
        if dtype == "object" or (not dtype.startswith("float") and values.isna().any()):
            values, dtype = [json.dumps(plain(value), ensure_ascii=False) for value in values.tolist()], JSON
        columns[str(column)], cells[str(column)] = dtype, values
    written = pd.DataFrame(cells, columns=list(columns))
    _write_compressed(folder / f"{name}.csv.gz", written.to_csv(index=False, lineterminator="\n"))
    return columns


def _read_table(folder, name, columns):
    text = gzip.decompress((folder / f"{name}.csv.gz").read_bytes()).decode()
    exact = {column: "str" for column, dtype in columns.items() if dtype == JSON or dtype.startswith("float")}
    frame = pd.read_csv(io.StringIO(text), dtype=columns | exact, keep_default_na=False)
    for column in exact:
        if columns[column] == JSON:
            frame[column] = pd.Series([_hashable(json.loads(cell)) for cell in frame[column]], dtype=object)
        else:  # Python's own conversion is exact to the last bit
            frame[column] = np.array([float(cell or "nan") for cell in frame[column]], dtype=columns[column])
    return frame


def plain(value):
    """A value as JSON can hold it: NaN becomes null, an infinite number the text "inf" or "-inf", a tuple a list.

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
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _hashable(value):
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value
