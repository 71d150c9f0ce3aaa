"""The registry ``data/registry.csv`` describes every data set; this module also finds where its files are.

Uses neither the network nor any package but platformdirs, so that it answers at once.
"""

import csv
import difflib
import hashlib
import os
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from urllib.parse import unquote, urlsplit

import platformdirs

from fscore._files import data_file

__all__ = ["Dataset", "DatasetUnavailableError", "File", "fingerprint", "lookup", "read_registry", "status"]

REGISTRY = data_file("registry.csv")


class DatasetUnavailableError(FileNotFoundError):
    """A known data set is not available here; the message ends with the remedy, `reason` is its short form."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class File:
    """One file of a data set: ``part`` is all, train, test, train labels or test labels."""

    part: str
    path: str
    url: str
    sha256: str


@dataclass(frozen=True)
class Dataset:
    """One data set as the registry describes it; counts are sums over its parts."""

    name: str
    kind: str
    files: tuple[File, ...]
    url: str
    n_samples: int | None
    n_features: int | None
    n_classes: int | None
    missing: int | None
    licence: str
    papers: tuple[str, ...]
    notes: str
    rows: tuple[tuple[str, ...], ...]


def read_registry():
    """Read the registry: a dict from name to `Dataset`, in the order of the file.

    A data set has one row for each of its files; sample and class counts of the rows add up.
    """
    return _data_sets_of(REGISTRY)


@cache
def _data_sets_of(path):
    grouped = {}
    with open(path, newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            grouped.setdefault(row["name"], []).append(row)
    return {name: _dataset(name, rows) for name, rows in grouped.items()}


def _dataset(name, rows):
    def known(column, combine):
        values = [int(row[column]) for row in rows if row[column]]
        return combine(values) if values else None

    first = rows[0]
    return Dataset(
        name=name,
        kind=first["kind"],
        files=tuple(File(r["part"], r["file"], r["url"], r["sha256"]) for r in rows if r["file"]),
        url=first["url"],
        n_samples=known("n_samples", sum),
        n_features=known("n_features", max),
        n_classes=known("n_classes", max),
        missing=known("missing", sum),
        licence=first["licence"],
        papers=tuple(first["papers"].split()),
        notes=first["notes"],
        rows=tuple(tuple(row.values()) for row in rows),
    )


def lookup(name):
    """Return the `Dataset` called `name`; an unknown name is a ValueError that lists the known ones."""
    registry = read_registry()
    if name in registry:
        return registry[name]
    close = difflib.get_close_matches(str(name).lower(), registry, n=3)
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    raise ValueError(
        f"unknown data set {name!r}.{hint} Known are: {', '.join(registry)}; "
        "or give the path of a CSV file of your own."
    )


def is_path(name):
    """Whether `name` is the path of a user's file, and not a name in the registry."""
    if not isinstance(name, str):
        return isinstance(name, os.PathLike)
    return name not in read_registry() and (any(c in name for c in "/\\") or "." in name or os.path.isfile(name))


def data_folder():
    """The local folder: FSCORE_DATA, or by default the user's cache folder (that of ``pooch.os_cache``)."""
    return Path(os.environ.get("FSCORE_DATA") or platformdirs.user_cache_dir("fscore")).expanduser()


def mirror():
    """The mirror in FSCORE_DATA_MIRROR: a folder (Path) or a base URL (str); None if it is not set."""
    mirror = os.environ.get("FSCORE_DATA_MIRROR")
    if mirror and mirror.lower().startswith("file://"):
        return Path(unquote(urlsplit(mirror).path))
    if not mirror or "://" in mirror:
        return mirror or None
    return Path(mirror).expanduser()


def status(name: str) -> str:
    """Say where a data set would come from, without parsing, hashing or using the network.

    Parameters
    ----------
    name : str
        A name of the registry.

    Returns
    -------
    {"bundled", "generated", "local", "mirror", "missing", "not public"}
        "local": all files are in the local folder. "mirror": all are there or in a mirror folder. A mirror at a URL is
        not asked, so what only it holds is "missing" until it has been fetched.

    Raises
    ------
    ValueError
        Unknown name.
    """
    dataset = lookup(name)
    if dataset.kind != "download":
        return dataset.kind
    locations = [_location(file) for file in dataset.files] or ["missing"]
    return next((location for location in ("missing", "mirror") if location in locations), "local")


def _location(file):
    if os.path.isfile(data_folder() / file.path):
        return "local"
    if isinstance(mirror(), Path) and os.path.isfile(mirror() / file.path):
        return "mirror"
    return "missing"


def fingerprint(name: str | PathLike[str]) -> str:
    """Digest that changes when results computed from this data set may change; as fast as `status`.

    Parameters
    ----------
    name : str or path
        A name of the registry, or the path of a CSV file.

    Returns
    -------
    str
        SHA-256 of the registry's rows and of whether the data are available here; of a CSV file, SHA-256 of its bytes.
        Local folder and mirror give the same fingerprint, because both must hold the bytes of the registered hash.

    Raises
    ------
    ValueError
        Unknown name.
    FileNotFoundError
        No such file.
    """
    if is_path(name):
        return hashlib.sha256(Path(os.path.expanduser(name)).read_bytes()).hexdigest()
    where = status(name)
    present = "present" if where in ("local", "mirror") else where
    return hashlib.sha256(repr((lookup(name).rows, present)).encode()).hexdigest()
