"""Finds the files of a data set: local folder, mirror, original URL; every file is verified by its SHA-256.

pooch downloads to a temporary file in the local folder, verifies it and then renames it, so the folder never holds an
incomplete or wrong file.
"""

import hashlib
import os
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

from fscore._extras import extra
from fscore._files import write_atomically

from .registry import DatasetUnavailableError, data_folder, mirror

__all__ = ["fetch"]

RETRIES = 1  # after a failed transfer or a wrong hash
TIMEOUT = 10  # seconds to connect, and between two packets


class _FailedError(ValueError):
    """A place does not have the right file; the message is a clause that says why. After a ValueError pooch retries."""


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
    copies = [_fetch_file(dataset.name, file, copy, unreachable) for file in dataset.files]
    sources = {source for _, source in copies}
    return [path for path, _ in copies], next(source for source in ("download", "mirror", "local") if source in sources)


def _fetch_file(name, file, copy, unreachable):
    """Path and source of one file."""
    local, failures = data_folder() / file.path, []
    for location, source in _locations(file, local):
        try:
            if source == "download":
                _download(location, file, unreachable)
            else:
                _verify(location, file.sha256)
                if copy and source == "mirror":
                    write_atomically(local, location.read_bytes())
        except _FailedError as failure:
            failures.append(f"{location}: {failure}")
            if location == local:
                with suppress(OSError):  # the folder is another's
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
                warnings.warn(f"{name}: {'; '.join(failures)}; {location} had the right file", stacklevel=2)
            return local if source == "download" else location, source
    raise DatasetUnavailableError(
        f"{name}: no copy of {file.path} with the expected SHA-256 {file.sha256} was found: {'; '.join(failures)}. "
        "Check the connection, or set FSCORE_DATA_MIRROR to a folder or URL that has the file, and run: "
        f"python -m fscore.datasets fetch {name}",
        reason="; ".join(failures),
    )


def _locations(file, local):
    """Places to look for a file, in order; a mirror holds it under its registered (decompressed) name."""
    if os.path.isfile(local):  # False, too, for a folder that cannot be searched
        yield local, "local"
    source = mirror()
    if isinstance(source, Path):
        yield source / file.path, "mirror"
    elif source:
        yield f"{source.rstrip('/')}/{quote(file.path)}", "download"
    yield file.url, "download"


def _verify(path, sha256):
    try:
        with open(path, "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise _FailedError(f"cannot be read ({error.strerror})") from None
    if digest != sha256:
        raise _FailedError(f"damaged or another file (found SHA-256 {digest})")


def _download(url, file, unreachable):
    """Download one file to the local folder."""
    with extra("data", f"Downloading {Path(file.path).name}"):
        import pooch
        import requests

    host = urlsplit(url).netloc
    if host in unreachable:
        raise _FailedError(f"{host} did not answer")
    pooch.get_logger().setLevel("WARNING")  # pooch logs every file by default
    keeper = pooch.create(
        path=data_folder(),
        base_url="",
        registry={file.path: f"sha256:{file.sha256}"},
        urls={file.path: url},
        retry_if_failed=RETRIES,
    )
    (data_folder() / file.path).parent.mkdir(parents=True, exist_ok=True)  # pooch fails if another process does
    try:
        keeper.fetch(file.path, downloader=partial(_write, sha256=file.sha256))
    except requests.HTTPError as error:
        raise _FailedError(f"answers {error.response.status_code} {error.response.reason}") from None
    except (requests.ConnectionError, requests.Timeout) as error:
        unreachable.add(host)
        raise _FailedError(f"{host} does not answer ({type(error).__name__})") from None
    except requests.RequestException as error:
        raise _FailedError(f"the transfer failed ({type(error).__name__})") from None


def _write(url, temporary, keeper, sha256):
    """Download, decompress what ends in .Z, verify; after an error pooch tries again."""
    import pooch

    pooch.HTTPDownloader(timeout=TIMEOUT)(url, temporary, keeper)
    if url.endswith(".Z"):
        with extra("data", f"Decompressing {url}"):
            from unlzw3 import unlzw

        try:
            content = unlzw(Path(temporary))
        except (ValueError, IndexError, TypeError) as error:
            raise _FailedError(f"not a complete .Z file ({error})") from None
        Path(temporary).write_bytes(content)
    _verify(temporary, sha256)
