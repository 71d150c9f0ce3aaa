"""Lists of subsets as the compiled walks take them: lexicographic, so that neighbours in the list share columns."""

import numpy as np

__all__ = ["MOST_ENUMERATED", "check_columns", "check_enumerable", "flat", "lexicographic", "n_shared"]

MOST_ENUMERATED = 25  # features of which all subsets may be asked for: a value of each takes 268 MB


def check_enumerable(n_features):
    """Refuse to value all subsets of too many features."""
    if n_features > MOST_ENUMERATED:
        raise ValueError(
            f"{n_features} features have 2^{n_features} subsets; {MOST_ENUMERATED} features are the limit. "
            "Use a search."
        )


def lexicographic(n):
    """All non-empty subsets of 0..n-1 in the order in which a walk meets them on the subset tree.

    Each has one column more than a subset that came before: its parent.
    """
    subset = [0] if n else []
    while subset:
        yield tuple(subset)
        if subset[-1] + 1 < n:
            subset.append(subset[-1] + 1)
        else:
            subset.pop()
            if subset:
                subset[-1] += 1


def flat(tuples, n_columns):
    """Ragged tuples as (indptr, columns), two int64 arrays.

    The compiled loops trust them, so every way in passes here.

    Raises
    ------
    ValueError
        If a tuple is empty or a column is not in 0..n_columns-1.
    """
    indptr = np.zeros(len(tuples) + 1, dtype=np.int64)
    np.cumsum([len(t) for t in tuples], out=indptr[1:])
    if not np.diff(indptr).all():
        raise ValueError("one of the subsets is empty; give each at least one column.")
    return indptr, check_columns([c for t in tuples for c in t], n_columns)


def check_columns(columns, n_columns):
    """Columns as an int64 array; all must be in 0..n_columns-1."""
    columns = np.asarray(columns, dtype=np.int64)
    if columns.size and (columns.min() < 0 or columns.max() >= n_columns):
        outside = columns[(columns < 0) | (columns >= n_columns)][0]
        raise ValueError(f"column {outside} is not in X; its {n_columns} columns are 0 to {n_columns - 1}.")
    return columns


def n_shared(subsets):
    """How many leading columns each subset has in common with the one before; int64 array."""
    return np.array([0, *map(_common, subsets, subsets[1:])], dtype=np.int64)


def _common(before, subset):
    length = 0
    for a, b in zip(before, subset, strict=False):
        if a != b:
            break
        length += 1
    return length
