"""Values of subsets that are kept beyond one search, in memory or in a file."""

import json
import os
import threading
from collections.abc import Sequence

from fscore._typing import Subset
from fscore.search._file_lock import locked

__all__ = ["SubsetCache"]

HEADER = json.dumps({"format": "fscore subset values", "version": 1}).encode() + b"\n"


class SubsetCache:
    """Values of subsets, by criterion and data; may be shared by several searches and may live in a file.

    `sklearn.base.clone` passes on the same cache, so that the clones of a `GridSearchCV` fill the one that was given.
    Threads may share a cache. Each worker process fills its own copy, but all may append to one file (on Windows one at
    a time), and a search reads at its start what others have appended.

    Parameters
    ----------
    path : str or path-like, optional
        Values are appended to this file as they are computed, and read from it at the start: a search that was killed
        and is run again, with the same folds, reads them instead of computing them. The first line identifies the
        format, followed by one JSON line per value; incomplete lines, which a crash may leave, are ignored.

    Raises
    ------
    ValueError
        The path cannot be read, or the file has another format; it is left unchanged. At the start of a search: the
        path cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else os.fspath(path)
        self._stores = {}
        self._file = None
        self._users = 0  # searches that have the file open
        self._read_up_to = 0  # bytes of the file that are in memory
        self._lines_read = 0  # lines in them
        self._lock = threading.RLock()
        if self.path is not None and os.path.exists(self.path):
            with self._opened("rb") as file, locked(file):
                self._read(file)

    def store(self, key: str) -> dict[Subset, float]:
        """The dict of values of one criterion and data set."""
        return self._stores.setdefault(key, {})

    def open(self) -> None:
        """Open the file for a search, before any value is computed, and read what others have appended."""
        with self._lock:
            if self.path is None:
                return
            if self._file is None:
                file = self._opened("a+b")
                try:
                    with locked(file):
                        self._repair_end(file)
                        self._read(file)
                except BaseException:
                    file.close()
                    raise
                self._file = file
            self._users += 1

    def write(self, key: str, columns: Sequence[Subset], values: Sequence[float]) -> None:
        """Append to the file, if there is one."""
        if self.path is None:
            return
        lines = [json.dumps([key, [int(i) for i in c], v]) + "\n" for c, v in zip(columns, values, strict=True)]
        content = "".join(lines).encode()
        with self._lock, locked(self._file):
            if self._repair_end(self._file) == self._read_up_to:  # no other process has appended
                self._read_up_to += len(content)
                self._lines_read += len(lines)
            self._file.write(content)
            self._file.flush()

    def close(self) -> None:
        """Close the file, unless another search uses it."""
        with self._lock:
            if self._file is not None:
                self._users -= 1
                if self._users == 0:
                    self._file.close()
                    self._file = None

    # the file ---------------------------------------------------------------------------------------------------

    def _opened(self, mode):
        try:
            return open(self.path, mode)
        except OSError as error:
            raise ValueError(
                f"{self.path} cannot hold the values of a search ({error.strerror}); give the path of a file in an "
                "existing folder that you can write to."
            ) from error

    def _repair_end(self, file):
        """Cut off an incomplete last line, and give an empty file its header; return the size."""
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                file.seek(0)
                content = file.read()
                if not _is_header(content):
                    raise self._foreign(content.partition(b"\n")[0], 1)
                size = content.rfind(b"\n") + 1
                file.truncate(size)
        if size == 0:
            file.write(HEADER)
            file.flush()
            size = len(HEADER)
        return size

    def _read(self, file):
        """Take over the complete lines that were appended since the last time."""
        file.seek(0)
        head = file.read(len(HEADER))
        if not _is_header(head):
            raise self._foreign(head + file.readline(), 1)
        file.seek(self._read_up_to)
        content = file.read()
        content = content[: content.rfind(b"\n") + 1]
        lines = content.splitlines(keepends=True)
        for number, line in enumerate(lines, self._lines_read + 1):
            if line == HEADER:
                continue
            if (entry := self._entry(line, number)) is not None:
                key, columns, value = entry
                self.store(key)[columns] = value
        self._read_up_to += len(content)
        self._lines_read += len(lines)

    def _entry(self, line, number):
        """``(key, columns, value)`` of a line, None if a crash left it incomplete; a panel has several values."""
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            if line.strip(b"\0\n").startswith(b'["') or not line.strip(b"\0\n"):
                return None
            raise self._foreign(line, number) from None
        match entry:
            case [str(key), [*columns], value]:
                values = value if isinstance(value, list) else [value]
                # v == v: not NaN
                if all(type(c) is int for c in columns) and all(type(v) in (int, float) and v == v for v in values):
                    return key, tuple(columns), tuple(values) if isinstance(value, list) else value
        raise self._foreign(line, number)

    def _foreign(self, line, number):
        return ValueError(
            f"{self.path} is not a checkpoint of a subset search (line {number} reads "
            f"{line[:40].decode(errors='replace')!r}); give another path or remove the file."
        )

    def __len__(self):
        return sum(map(len, self._stores.values()))

    def __getstate__(self):
        with self._lock:
            stores = {key: dict(store) for key, store in self._stores.items()}
        return {**self.__dict__, "_stores": stores, "_file": None, "_users": 0, "_lock": None}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.RLock()

    def __sklearn_clone__(self):
        return self


def _is_header(content):
    """Whether the beginning of a file is that of a checkpoint, as far as it goes."""
    return content[: len(HEADER)] == HEADER[: len(content)]
