"""Atomic replacement of files."""

import os


def write_atomically(file, text):
    """Write a temporary file in the same folder, then move it: readers see the old file or the new one.

    Parameters
    ----------
    file : Path
        Its folder is created if it doesn't exist.
    text : str
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, file)
