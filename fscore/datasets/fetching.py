"""Finds the files of a data set: local folder, mirror, original URL; every file is verified by its SHA-256.

The local folder never holds an incomplete or wrong file.
"""

import hashlib
import warnings
from pathlib import Path
from urllib.parse import quote, urlsplit

from fscore._extras import extra
from fscore._files import write_atomically

from .registry import DatasetUnavailableError, data_folder, mirror

__all__ = ["fetch"]

RETRIES = 1  # after a failed transfer
TIMEOUT = 10  # seconds to connect, and between two packets


class _FailedError(Exception):
    """A place does not have the right file; the message is a clause that says why."""


def fetch(dataset, *, copy=False, unreachable=None):
    """Find the verified files of a data set; fetch what is not here.

    Parameters
    ----------
    dataset : Dataset
        Of kind "download" or "not public".
    copy : bool, default=False
        Copy files from a mirror folder to the local folder, instead of reading them in place.
    unreachable : set, optional
        Hosts to skip; a host that does not answer is added.

    Returns
    -------
    paths : list of Path
        In the registry's order.
    source : {"local", "mirror", "download"}
        Where they were found: "download" if any came over the network, "mirror" if any lay in a mirror folder.

    Raises
    ------
    DatasetUnavailableError
        No place has a file, or the right one, or the local folder cannot be written.
    ModuleNotFoundError
        A file must be downloaded, but the packages of the extra ``data`` are not installed.
    """
    if not dataset.files:
        why = f"not public: {dataset.notes}"
        if dataset.kind == "download":
            why = f"public, at {dataset.url}, but the registry holds no SHA-256 to verify it by."
        raise DatasetUnavailableError(
            f"{dataset.name} is {why} If you have it, save it as one CSV file and load that by its path.",
            reason="no SHA-256 to verify it by",
        )
    unreachable = set() if unreachable is None else unreachable
    found = [_fetch_file(dataset.name, file, copy, unreachable) for file in dataset.files]
    sources = {source for _, source in found}
    return [path for path, _ in found], next(source for source in ("download", "mirror", "local") if source in sources)


def _fetch_file(name, file, copy, unreachable):
    """Path and source of one file."""
    local, failures = data_folder() / file.path, []
    for place, source in _places(file, local):
        try:
            content = _download(place, unreachable) if source == "download" else _read(place)
            if (found := hashlib.sha256(content).hexdigest()) != file.sha256:
                raise _FailedError(f"damaged or another file (found SHA-256 {found})")
            if source == "download" or (source == "mirror" and copy):
                write_atomically(local, content)
        except _FailedError as failure:
            failures.append(f"{place}: {failure}")
            if place == local:
                local.unlink()
                failures[-1] += " and has been removed"
        except OSError as error:
            raise DatasetUnavailableError(
                f"cannot write {file.path} to the data folder {data_folder()} ({error.strerror or error}): set "
                "FSCORE_DATA to a folder you may write to, and run: python -m fscore.datasets fetch",
                reason=f"cannot write to {data_folder()}",
            ) from error
        else:
            if failures:
                warnings.warn(f"{name}: {'; '.join(failures)}; {place} had the right file", stacklevel=2)
            return local if source == "download" else place, source
    raise DatasetUnavailableError(
        f"{name}: no copy of {file.path} with the expected SHA-256 {file.sha256} was found: {'; '.join(failures)}. "
        "Check the connection, or set FSCORE_DATA_MIRROR to a folder or URL that has the file, and run: "
        f"python -m fscore.datasets fetch {name}",
        reason="; ".join(failures),
    )


def _places(file, local):
    """Places to look for a file, in order; a mirror holds it under its registered (decompressed) name."""
    if local.is_file():
        yield local, "local"
    source = mirror()
    if isinstance(source, Path):
        yield source / file.path, "mirror"
    elif source:
        yield f"{source.rstrip('/')}/{quote(file.path)}", "download"
    yield file.url, "download"


def _read(path):
    try:
        return path.read_bytes()
    except OSError as error:
        raise _FailedError(f"cannot be read ({error.strerror})") from None


def _download(url, unreachable, retries=RETRIES):
    """The content of a URL, decompressed if its name ends in .Z."""
    with extra("data", f"Downloading {url.rpartition('/')[2]}"):
        import requests
        from unlzw3 import unlzw

    host = urlsplit(url).netloc
    if host in unreachable:
        raise _FailedError(f"{host} did not answer")
    try:
        answer = requests.get(url, timeout=TIMEOUT)
        answer.raise_for_status()
        return unlzw(answer.content) if url.endswith(".Z") else answer.content
    except (requests.RequestException, ValueError, IndexError, TypeError) as error:
        if retries:
            return _download(url, unreachable, retries - 1)
        if isinstance(error, requests.HTTPError):
            raise _FailedError(f"answers {error.response.status_code} {error.response.reason}") from None
        if isinstance(error, requests.ConnectionError | requests.Timeout):
            unreachable.add(host)
            raise _FailedError(f"{host} does not answer ({type(error).__name__})") from None
        raise _FailedError(f"the transfer failed ({type(error).__name__})") from None
