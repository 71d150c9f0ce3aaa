"""The file in which a search keeps its scores."""

import json
import os
from contextlib import contextmanager

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Checkpoint"]

HEADER = json.dumps({"format": "fscore subset scores", "version": 2}).encode() + b"\n"


class Checkpoint:
    """Scores of subsets in a file, by a key for criterion, folds and data.

    The first line identifies the format. One line follows for each score: the key, the columns, the score, as JSON. A
    line that a crash left incomplete is ignored. Several searches and processes may append to one file (on Windows one
    at a time); each reads at its start what is there.

    Parameters
    ----------
    path : str or path-like

    Raises
    ------
    ValueError
        The path cannot be written, or the file is not a checkpoint; it is left unchanged.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        try:
            self._file = open(self.path, "a+b")  # noqa: SIM115 (closed by close)
        except OSError as error:
            raise ValueError(
                f"{self.path} cannot hold the scores of a search ({error.strerror}); give the path of a file in an "
                "existing folder that you can write to."
            ) from error
        try:
            with self._locked():
                self._file.seek(0)
                start = self._file.read(len(HEADER))
                if not HEADER.startswith(start):
                    raise ValueError(
                        f"{self.path} is not a checkpoint of a search (it begins with {start[:40]!r}); give another "
                        "path or remove the file."
                    )
                self._repair_end()
                self._file.seek(0)
                self._known = dict(filter(None, map(_entry, self._file)))
        except BaseException:
            self._file.close()
            raise

    def known(self, key):
        """A dict of the scores with a key, by columns."""
        return {columns: score for (of, columns), score in self._known.items() if of == key}

    def write(self, key, columns, scores):
        """Append scores."""
        lines = [json.dumps([key, [int(i) for i in c], s]) + "\n" for c, s in zip(columns, scores, strict=True)]
        with self._locked():
            self._repair_end()
            self._file.write("".join(lines).encode())
            self._file.flush()

    def close(self):
        """Close the file."""
        self._file.close()

    def _repair_end(self):
        """Cut off an incomplete last line, which a killed process may have left; give an empty file its header."""
        size = self._file.seek(0, os.SEEK_END)
        if size:
            self._file.seek(size - 1)
            if self._file.read(1) != b"\n":
                self._file.seek(0)
                size = self._file.read().rfind(b"\n") + 1
                self._file.truncate(size)
        if size == 0:
            self._file.write(HEADER)
            self._file.flush()

    @contextmanager
    def _locked(self):
        """Hold an exclusive lock on the file, if the system has locks and the file system supports them."""
        held = False
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX)
                held = True
            except OSError:  # some network file systems
                pass
        try:
            yield
        finally:
            if held:
                fcntl.flock(self._file, fcntl.LOCK_UN)


def _entry(line):
    """``((key, columns), score)`` of a line; None if it is not an entry."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match entry:
        case [str(key), [*columns], float() as score] if all(type(c) is int for c in columns) and score == score:
            return (key, tuple(columns)), score
    return None
