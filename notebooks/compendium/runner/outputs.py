"""Folders that a build makes: each is replaced as a whole, when the new one is complete, and has one key."""

import fcntl
import hashlib
import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

from compendium.papers import DATA, NOTEBOOKS, RESULTS, ROOT

KEY = ".key"  # in each folder: `tree_key` of what it was made from
FILES = ("CHANGELOG.md", "fscore", "pyproject.toml", "requirements.lock")
SOURCES = (*(ROOT / name for name in FILES), NOTEBOOKS, DATA, RESULTS / "measured")  # of every page
GENERATED = {"__pycache__", "_build", ".ipynb_checkpoints", "downloads"}


def tree_key(*further):
    """SHA-256 of all that pages are made from: sources, data, packages, Python.

    Parameters
    ----------
    *further : Path
        Files and folders that this output is also made from.

    Returns
    -------
    str
        Hexadecimal. Names and contents of files count, and no dates.
    """
    digest = hashlib.sha256(sys.version.encode())
    files = {file for path in (*SOURCES, *further) for file in (path, *path.rglob("*")) if file.is_file()}
    for name, file in sorted((file.relative_to(ROOT), file) for file in files):
        if not GENERATED.intersection(name.parts):
            content = file.read_bytes()
            digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def is_current(folder, key):
    """Whether a folder is complete and was made from what the key stands for."""
    with suppress(OSError):
        return (folder / KEY).read_text(encoding="utf-8") == key
    return False


def publish(new, folder, key):
    """Let a complete new folder take the place of the old one."""
    (new / KEY).write_text(key, encoding="utf-8")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-old-", dir=folder.parent) as scratch:
        with suppress(FileNotFoundError):
            os.rename(folder, Path(scratch, "old"))
        os.rename(new, folder)


@contextmanager
def one_build_at_a_time():
    """Wait for the end of another build of this project, by a lock that ends with its process, however that ends."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with open(RESULTS / ".lock", "a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another build is running; waiting for its end.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
