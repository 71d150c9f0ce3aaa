"""The file in which a search keeps its scores, and the keys by which it finds them."""

import sqlite3
from contextlib import contextmanager
from pickle import PicklingError
from typing import Any

import joblib
import numpy as np
from scipy.sparse import csc_array, issparse

from fscore import __version__


class Checkpoint:
    """Scores of subsets in an SQLite file, by a key for criterion, folds and data.

    Several searches and processes may write to one file; each reads at its start what is there.

    Parameters
    ----------
    path : str or path-like

    Raises
    ------
    ValueError
        The path cannot be written, or the file is not a checkpoint, or is damaged; it is left unchanged.
    """

    def __init__(self, path):
        if path == "":  # sqlite3 would keep the scores in memory
            raise ValueError("checkpoint='' names no file; give the path of one, or None to keep no scores.")
        self._path = path
        self._file: Any = None
        with self._with_remedy():
            self._file = sqlite3.connect(path, timeout=60)  # seconds to wait for other processes
            self._file.execute(
                "PRAGMA synchronous = OFF"
            )  # written data survive a killed process, though not a power failure
            self._file.execute("CREATE TABLE IF NOT EXISTS scores (key, columns, score, PRIMARY KEY (key, columns))")

    @contextmanager
    def _with_remedy(self):
        """Close the file after an error, and say what to do."""
        try:
            yield
        except (sqlite3.Error, TypeError, ValueError) as error:
            self.close()
            raise ValueError(
                f"{self._path} cannot hold the scores of a search ({error}); give the path of a checkpoint, or of a "
                "new file in an existing folder that you can write to."
            ) from error

    def known(self, key):
        """A dict of the scores with a key, by columns."""
        with self._with_remedy():
            rows = self._file.execute("SELECT columns, score FROM scores WHERE key = ?", [key])
            return {tuple(map(int, str(columns).split())): float(score) for columns, score in rows}

    def write(self, key, subsets, scores):
        """Add scores."""
        rows = [(key, " ".join(map(str, columns)), s) for columns, s in zip(subsets, scores, strict=True)]
        with self._with_remedy(), self._file:
            self._file.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?)", rows)

    def close(self):
        """Close the file."""
        if self._file is not None:
            self._file.close()


def data_hash(X, y):
    """A hash of the data of a search."""
    return joblib.hash((_content(X), _content(y)))


def score_key(criterion, context, data):
    """The key of the scores of a criterion.

    Parameters
    ----------
    criterion : Criterion
    context : tuple
        Of `BoundCriterion`.
    data : str
        By `data_hash`.

    Raises
    ------
    ValueError
        If a part of the criterion cannot be pickled.
    """
    try:
        return joblib.hash((criterion.identity(), context, data, __version__))
    except (PicklingError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{type(criterion).__name__} cannot be identified in a checkpoint, because a part of it cannot be pickled "
            f"({error.args[0] if error.args else error}); define functions at module level, or do without checkpoint."
        ) from error


def _content(data):
    """The content of an array, sparse or not, or data frame, types included, regardless of its memory layout."""
    if hasattr(data, "columns"):
        columns = [data[name] for name in data.columns]
        types: list[Any] = [str(column.dtype) for column in columns]
        for column in columns:
            if hasattr(getattr(column, "cat", None), "categories"):  # of pandas; those of polars are of the process
                types.append((list(column.cat.categories), column.cat.ordered))
        return type(data).__module__, list(map(str, data.columns)), types, list(map(np.ascontiguousarray, columns))
    if issparse(data):
        data = csc_array(data).sorted_indices()
        return data.shape, data.data, data.indices, data.indptr
    return np.ascontiguousarray(data) if isinstance(data, np.ndarray) else data
