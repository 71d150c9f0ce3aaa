"""Finds the files of a data set: local folder, mirror, original URL; every file is verified by its SHA-256.

pooch writes to a temporary file in the local folder, verifies it and then renames it, so the folder never holds an
incomplete or wrong file.
"""

import shutil
import warnings
from pathlib import Path
from urllib.parse import quote, urlsplit

from .registry import DatasetUnavailableError, data_folder, mirror

__all__ = ["fetch"]

RETRIES = 1  # after a broken connection or a wrong hash


class _FailedError(Exception):
    """One place does not have the right file; the message is a clause that says why."""


def fetch(dataset, *, copy=False, unreachable=None):
    """Find the verified files of a data set; fetch what is not here.

    Parameters
    ----------
    dataset : Dataset
        Of kind "download".
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
    """
    if not dataset.files:
        raise DatasetUnavailableError(
            f"{dataset.name} is public, but the registry holds no SHA-256 to verify it by: get it from {dataset.url}, "
            "save it as one CSV file and load that by its path.",
            reason="no SHA-256 to verify it by",
        )
    unreachable = set() if unreachable is None else unreachable
    found = [_fetch_file(dataset.name, file, copy, unreachable) for file in dataset.files]
    sources = {source for _, source in found}
    return [path for path, _ in found], next(source for source in ("download", "mirror", "local") if source in sources)


def _fetch_file(name, file, copy, unreachable):
    """Path and source of one file."""
    local, failures = data_folder() / file.path, []
    if local.is_file():
        try:
            return _verified(local, file.sha256), "local"
        except _FailedError as failure:
            failures.append(f"{failure} and {_remove(local)}")
    for place in _places(file):
        try:
            if isinstance(place, Path) and not copy:
                path = _verified(place, file.sha256)
            else:
                path = _download(place, file, unreachable)
        except _FailedError as failure:
            failures.append(str(failure))
        else:
            if failures:
                warnings.warn(f"{name}: {'; '.join(failures)}; {place} had the right file", stacklevel=2)
            return path, "mirror" if isinstance(place, Path) else "download"
    raise DatasetUnavailableError(
        f"{name}: no copy of {file.path} with the expected SHA-256 {file.sha256} was found: {'; '.join(failures)}. "
        "Check the connection, or set FSCORE_DATA_MIRROR to a folder or URL that has the file, and run: "
        f"python -m fscore.datasets fetch {name}",
        reason="; ".join(failures),
    )


def _remove(path):
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return f"cannot be removed ({error.strerror})"
    return "has been removed"


def _places(file):
    """Places to look for a file, in order; a mirror holds it under its registered (decompressed) name."""
    source = mirror()
    if isinstance(source, Path):
        yield source / file.path
    elif source:
        yield f"{source.rstrip('/')}/{quote(file.path)}"
    yield file.url


def _verified(path, sha256):
    import pooch

    if not path.is_file():
        raise _FailedError(f"{path} does not exist")
    try:
        found = pooch.file_hash(str(path))
    except OSError as error:
        raise _FailedError(f"{path} cannot be read ({error.strerror})") from None
    if found != sha256:
        raise _FailedError(f"{path} is damaged or another file (found SHA-256 {found})")
    return path


def _download(place, file, unreachable):
    """Copy or download one file to the local folder by way of pooch, which verifies it."""
    import pooch

    from .transfer import BrokenOffError, NoAnswerError, RefusedError

    host = urlsplit(str(place)).netloc
    if host in unreachable:
        raise _FailedError(f"{host} did not answer")
    pooch.get_logger().setLevel("WARNING")  # by default it reports every file
    folder = data_folder()
    keeper = pooch.create(
        path=folder,
        base_url="",
        registry={file.path: f"sha256:{file.sha256}"},
        urls={file.path: str(place)},
        retry_if_failed=RETRIES,
    )
    try:
        return Path(keeper.fetch(file.path, downloader=_write))
    except ValueError as error:  # from pooch: a wrong hash; names the expected and the found one
        raise _FailedError(f"{place}: {str(error).split('. Deleted')[0]}") from None
    except NoAnswerError as error:
        unreachable.add(host)
        raise _FailedError(str(error)) from None
    except (BrokenOffError, RefusedError) as error:
        raise _FailedError(str(error)) from None
    except OSError as error:
        raise DatasetUnavailableError(
            f"cannot write {file.path} to the data folder {folder} ({error.strerror or error}): set FSCORE_DATA to a "
            "folder you may write to, and run: python -m fscore.datasets fetch",
            reason=f"cannot write to {folder}",
        ) from error


def _write(place, temporary, _keeper):
    """Downloader for pooch: write the content of a path or URL, decompressed, to the temporary file."""
    from .transfer import download

    if "://" not in place:
        if not Path(place).is_file():
            raise _FailedError(f"{place} does not exist")
        shutil.copyfile(place, temporary)
        return
    download(place, temporary)
    if place.endswith(".Z"):
        from unlzw3 import unlzw

        try:
            content = unlzw(Path(temporary))
        except (ValueError, IndexError, TypeError) as error:
            raise ValueError(f"not a complete .Z file ({error})") from None
        Path(temporary).write_bytes(content)
