"""Atomic replacement of files."""

import errno
import os
from pathlib import Path


def data_file(name):
    """A table of ``data/`` that the package reads: beside its modules in an installed package."""
    beside = Path(__file__).with_name("datasets") / name
    return beside if beside.exists() else Path(__file__).parents[1] / "data" / name


def write_atomically(file, content):
    """Write a temporary file in the same folder, then move it: readers see the old file or the new one.

    Parameters
    ----------
    file : Path
        Its folder is created if it doesn't exist.
    content : str or bytes
        Text is written as UTF-8.
    """
    write_together({file: content})


def write_together(contents):
    """Write all temporary files first, then move them: after an error readers see the old files, all of them.

    Parameters
    ----------
    contents : dict of Path to str or bytes
        Content of each file, as for `write_atomically`.

    Raises
    ------
    OSError
        With the name of the file itself, never of the temporary one.
    """
    for file in contents:
        file.parent.mkdir(parents=True, exist_ok=True)
    temporary = {file: file.with_name(f".{file.name}.{os.getpid()}") for file in contents}
    try:
        for file, content in contents.items():
            if file.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            temporary[file].write_bytes(content.encode() if isinstance(content, str) else content)
        for file in contents:
            os.replace(temporary[file], file)
    except OSError as error:
        error.filename = str(file)
        raise
    finally:
        for left in temporary.values():
            left.unlink(missing_ok=True)
