"""Atomic replacement of files."""

import os


def write_atomically(file, content):
    """Write a temporary file in the same folder, then move it: readers see the old file or the new one.

    Parameters
    ----------
    file : Path
        Its folder is created if it doesn't exist.
    content : str or bytes
        Text is written as UTF-8.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    os.replace(temporary, file)
