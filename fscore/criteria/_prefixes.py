"""Lists of subsets as the compiled walks take them: lexicographic, so that neighbours in the list share columns."""

import numpy as np

__all__ = ["flat", "lexicographic", "n_shared"]


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


def flat(tuples):
    """Ragged tuples as (indptr, columns), two int64 arrays."""
    indptr = np.zeros(len(tuples) + 1, dtype=np.int64)
    np.cumsum([len(t) for t in tuples], out=indptr[1:])
    return indptr, np.array([c for t in tuples for c in t], dtype=np.int64)


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
