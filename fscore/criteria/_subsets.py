"""Subsets of columns as tuples, and lists of subsets as arguments of the compiled kernels.

Kernels go through a list in lexicographic order, so that neighbors in the list share leading columns.
"""

from typing import NamedTuple

import numpy as np

MOST_ENUMERATED = 25  # most features whose subsets are all enumerated: their scores take 268 MB
# A step is used if it has at most this many changed columns per column that lexicographic order would read.
MAX_CHANGES = 2


def merged(subset, extra):
    """The sorted union of two tuples of columns."""
    return tuple(sorted((*subset, *extra)))


def without(subset, dropped):
    """The columns of ``subset`` that are not in ``dropped``, in order."""
    dropped = set(dropped)
    return tuple(c for c in subset if c not in dropped)


def check_enumerable(n_features):
    """Refuse to enumerate all subsets of too many features."""
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
    return sorted(range(len(subsets)), key=lambda q: subsets[q])


def flat(tuples):
    """Ragged tuples as ``(indptr, columns)``, two int64 arrays."""
    indptr = np.zeros(len(tuples) + 1, dtype=np.int64)
    np.cumsum([len(t) for t in tuples], out=indptr[1:])
    return indptr, np.array([c for t in tuples for c in t], dtype=np.int64)


def by_length(tuples, max_rows):
    """Tuples of equal length as arrays of rows, with their positions in the list.

    Parameters
    ----------
    tuples : list of tuples
    max_rows : callable
        Takes a length; the number of tuples in one array, at least one.

    Yields
    ------
    positions : int array of shape (n_rows,)
    rows : int64 array of shape (n_rows, length)
    """
    lengths = np.array([len(t) for t in tuples])
    for length in np.unique(lengths):
        same_length = np.flatnonzero(lengths == length)
        step = max(1, max_rows(length))
        for lo in range(0, len(same_length), step):
            positions = same_length[lo : lo + step]
            yield positions, np.array([tuples[q] for q in positions], dtype=np.int64)


def check_subsets(subsets, n_columns):
    """Refuse anything but tuples of ascending column numbers in 0..n_columns-1; the compiled loops do not check.

    Raises
    ------
    TypeError
        If there is a number in place of a tuple.
    ValueError
        If a tuple is empty or out of order, or holds anything but column numbers.
    """
    try:
        lengths = [len(s) for s in subsets]
        columns = np.array([c for s in subsets for c in s])
    except TypeError:
        raise TypeError(f"subsets={subsets!r} must be a list of tuples of columns, as [(0, 2), (1,)].") from None
    if 0 in lengths:
        raise ValueError("one of the subsets is empty; give each at least one column.")
    if columns.dtype.kind not in "iu":
        raise ValueError(
            f"subsets must hold column numbers, not masks, names or fractions; got {columns.tolist()[0]!r}."
        )
    if columns.min() < 0 or columns.max() >= n_columns:
        outside = columns[(columns < 0) | (columns >= n_columns)][0]
        raise ValueError(f"column {outside} is not in X, which has columns 0 to {n_columns - 1}.")
    ascending = np.diff(columns) > 0
    ascending[np.cumsum(lengths)[:-1] - 1] = True  # from one subset to the next
    if not ascending.all():
        wrong = next(s for s in subsets if list(s) != sorted(set(s)))
        raise ValueError(f"the columns of {wrong!r} are not in ascending order; write {tuple(sorted(set(wrong)))!r}.")


class Step(NamedTuple):
    """Subsets as changes of one base, so that what they have in common is computed once."""

    base: tuple
    changes: list  # for each subset the columns that it adds to the base, or removes from it
    adds: bool


def step_of(subsets):
    """The `Step` to all the subsets with the fewest changes; from the empty set if they have too little in common."""
    common, union = set(subsets[0]).intersection(*subsets[1:]), set().union(*subsets)
    n_columns = sum(map(len, subsets))
    n_added, n_removed = n_columns - len(subsets) * len(common), len(subsets) * len(union) - n_columns
    adds = n_added <= n_removed
    base, n_changes = (common, n_added) if adds else (union, n_removed)
    if len(base) in map(len, subsets) or not _are_few(n_changes, n_columns, subsets):
        return Step((), subsets, True)
    ordered = tuple(sorted(base))
    if adds:
        return Step(ordered, [tuple(c for c in s if c not in base) for s in subsets], True)
    return Step(ordered, [tuple(c for c in ordered if c not in columns) for columns in map(set, subsets)], False)


def _are_few(n_changes, n_columns, subsets):
    """Whether a step with so many changes takes less time than the subsets in lexicographic order."""
    if 2 * n_changes > n_columns and n_changes > len(subsets):
        return False
    return n_changes == len(subsets) or n_changes <= MAX_CHANGES * (n_columns - n_shared(sorted(subsets)).sum())


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
