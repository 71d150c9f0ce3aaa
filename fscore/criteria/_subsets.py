"""Subsets of columns as tuples, and lists of them as the compiled walks take them.

The walks go through a list in lexicographic order, so that neighbours in the list share leading columns.
"""

import numpy as np

__all__ = [
    "MOST_ENUMERATED",
    "check_columns",
    "check_enumerable",
    "check_removed",
    "flat",
    "lexicographic",
    "lexicographic_order",
    "merged",
    "n_shared",
    "without",
]

MOST_ENUMERATED = 25  # most features whose subsets are all enumerated: one value for each takes 268 MB


def merged(subset, extra):
    """The sorted union of two tuples of columns."""
    return tuple(sorted((*subset, *extra)))


def without(subset, dropped):
    """The columns of ``subset`` that are not in ``dropped``, in order."""
    return tuple(c for c in subset if c not in dropped)


def check_enumerable(n_features):
    """Refuse to value all subsets of too many features."""
    if n_features > MOST_ENUMERATED:
        raise ValueError(
            f"{n_features} features have 2^{n_features} subsets; {MOST_ENUMERATED} features are the limit. "
            "Use a search."
        )


def lexicographic(n):
    """All non-empty subsets of 0..n-1 in lexicographic order.

    Each has one column more than its parent on the subset tree, which comes before it.
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


def lexicographic_order(subsets):
    """The positions of subsets in a list, in the lexicographic order of the subsets."""
    try:
        return sorted(range(len(subsets)), key=lambda q: subsets[q])
    except TypeError:
        raise _not_tuples(subsets) from None


def _not_tuples(subsets):
    return TypeError(f"subsets={subsets!r} must be a list of tuples of columns, as [(0, 2), (1,)].")


def flat(tuples, n_columns):
    """Ragged tuples as (indptr, columns), two int64 arrays.

    The compiled loops do not check their input, so all subsets are checked here.

    Raises
    ------
    TypeError
        If there is a number in place of a tuple.
    ValueError
        If a tuple is empty or holds anything but column numbers in 0..n_columns-1.
    """
    indptr = np.zeros(len(tuples) + 1, dtype=np.int64)
    try:
        np.cumsum([len(t) for t in tuples], out=indptr[1:])
    except TypeError:
        raise _not_tuples(tuples) from None
    if not np.diff(indptr).all():
        raise ValueError("one of the subsets is empty; give each at least one column.")
    return indptr, check_columns([c for t in tuples for c in t], n_columns)


def check_columns(columns, n_columns):
    """Columns as an int64 array; all must be whole numbers in 0..n_columns-1."""
    columns = np.asarray(columns) if len(columns) else np.empty(0, dtype=np.int64)
    if columns.dtype.kind not in "iu":
        raise ValueError(
            f"subsets must hold column numbers, not masks, names or fractions; got {columns.tolist()[0]!r}."
        )
    columns = columns.astype(np.int64, copy=False)
    if columns.size and (columns.min() < 0 or columns.max() >= n_columns):
        outside = columns[(columns < 0) | (columns >= n_columns)][0]
        raise ValueError(f"column {outside} is not in X; its {n_columns} columns are 0 to {n_columns - 1}.")
    return columns


def check_removed(subset, tuples):
    """Refuse to remove what is not in a subset, a column twice, or all columns."""
    columns = set(subset)
    for t in tuples:
        try:
            removed = set(t)
        except TypeError:
            raise _not_tuples(tuples) from None
        if not removed <= columns:
            raise ValueError(f"column {min(removed - columns, key=str)!r} cannot be removed; it is not in {subset!r}.")
        if len(removed) < len(t):
            raise ValueError(f"{t!r} removes a column twice; name each once.")
        if len(removed) == len(columns):
            raise ValueError(f"{t!r} removes all columns of {subset!r}; at least one must remain.")


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
