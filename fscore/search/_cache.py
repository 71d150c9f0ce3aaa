"""Values of subsets that are kept beyond one search, in memory or in a file."""

import json
import os

__all__ = ["SubsetCache"]

HEADER = json.dumps({"format": "fscore subset values", "version": 1}).encode() + b"\n"


class SubsetCache:
    """Values of subsets, by criterion and data; may be shared by several searches and may live in a file.

    `sklearn.base.clone` passes on the same cache, so that the clones of a `GridSearchCV` fill the one that was given.
    Within a process, that is: each worker process fills its own copy.

    Parameters
    ----------
    path : str or path-like, optional
        Values are appended to this file as they are computed, and read from it at the start: a search that was killed
        and is run again, with the same folds, reads them instead of computing them. The first line identifies the
        format, followed by one JSON line per value; an incomplete last line is ignored. One process at a time may
        write.

    Raises
    ------
    ValueError
        The path cannot be read, or the file has another format; it is left unchanged. At the start of a search: the
        path cannot be written.
    """

    def __init__(self, path=None):
        self.path = None if path is None else os.fspath(path)
        self._stores = {}
        self._file = None
        if self.path is not None and os.path.exists(self.path):
            with self._opened("rb") as file:
                for number, line in enumerate(self._whole_lines(file).splitlines()[1:], 2):
                    key, columns, value = self._entry(line, number)
                    self.store(key)[columns] = value

    def _opened(self, mode):
        try:
            return open(self.path, mode)
        except OSError as error:
            raise ValueError(
                f"{self.path} cannot hold the values of a search ({error.strerror}); give the path of a file in an "
                "existing folder that you can write to."
            ) from error

    def _whole_lines(self, file):
        """The content of the file up to its last complete line."""
        content = file.read()
        if content and not content.startswith(HEADER):
            raise self._foreign(content.partition(b"\n")[0], 1)
        return content[: content.rfind(b"\n") + 1]

    def _entry(self, line, number):
        """``(key, columns, value)`` of a line; a panel of criteria has several values."""
        try:
            entry = json.loads(line)
        except ValueError:
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

    def store(self, key):
        """The dict of values of one criterion and data set."""
        return self._stores.setdefault(key, {})

    def open(self):
        """Make sure that values can be written, before any is computed."""
        if self.path is None or self._file is not None:
            return
        file = self._opened("a+b")
        try:
            file.seek(0)
            whole = self._whole_lines(file)
            file.truncate(len(whole))
            if not whole:
                file.write(HEADER)
                file.flush()
        except BaseException:
            file.close()
            raise
        self._file = file

    def write(self, key, columns, values):
        """Append to the file, if there is one."""
        if self.path is None:
            return
        self.open()
        lines = [json.dumps([key, [int(i) for i in c], v]) + "\n" for c, v in zip(columns, values, strict=True)]
        self._file.write("".join(lines).encode())
        self._file.flush()

    def close(self):
        """Close the file; it is opened again when needed."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __len__(self):
        return sum(map(len, self._stores.values()))

    def __getstate__(self):
        return {**self.__dict__, "_file": None}

    def __sklearn_clone__(self):
        return self
