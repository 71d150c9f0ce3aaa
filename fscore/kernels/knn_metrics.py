"""Leave-fold-out nearest neighbors under any Minkowski metric.

`fscore.kernels.knn` is faster for the Euclidean and the Manhattan metric; here every training sample is visited for
every query and candidate. The term of a feature is ``|x - z| ** p``; terms add up, or, under the Chebyshev metric
(``p = inf``), the greatest counts. Leaving features out never subtracts: the terms before and after them are combined.

Ties as in `fscore.kernels.knn`.
"""

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels.knn import TIE

__all__ = ["metric_add_neighbors", "metric_drop_neighbors", "metric_subset_neighbors"]

_NEARER = 1.0 - TIE
_size = np.uint64  # unsigned indices, so that the compiler can vectorize
_CHUNK = _size(32)


@helper
def _combine(row, x, p, d, out):
    """out = d with the terms of one feature, whose values are ``row`` and at the query x."""
    n = d.size
    if p == np.inf:
        for j in range(n):
            out[j] = max(d[j], abs(row[j] - x))
    else:
        for j in range(n):
            out[j] = d[j] + abs(row[j] - x) ** p


@helper
def _join(a, b, p, out):
    """The terms of two disjoint sets of features together."""
    if p == np.inf:
        for j in range(a.size):
            out[j] = max(a[j], b[j])
    else:
        for j in range(a.size):
            out[j] = a[j] + b[j]


@helper
def _nearest(d, best, who):
    """Fill the list with the nearest of all samples, ascending."""
    k = best.size
    n = _size(d.size)
    best[:] = np.inf
    who[:] = -1
    for lo in range(_size(0), n, _CHUNK):
        hi = min(lo + _CHUNK, n)
        threshold = best[k - 1] * _NEARER
        below = 0
        for j in range(lo, hi):
            below += d[j] < threshold
        if below > 0:
            for j in range(lo, hi):
                v = d[j]
                if v < best[k - 1] * _NEARER:
                    q = k - 1
                    while q > 0 and v < best[q - 1] * _NEARER:
                        best[q] = best[q - 1]
                        who[q] = who[q - 1]
                        q -= 1
                    best[q] = v
                    who[q] = j


@helper
def _hide(d, fold, i):
    """Exclude the query's own fold from the training samples."""
    own = fold[i]
    for j in range(d.size):
        d[j] = np.inf if fold[j] == own else 0.0


@kernel
def metric_subset_neighbors(X, fold, queries, indptr, columns, shared, p, nearest):
    """Neighbors under each subset ``columns[indptr[q]:indptr[q + 1]]``.

    Parameters
    ----------
    X : float64 array of shape (n_features, n_samples)
    fold : int64 array of shape (n_samples,)
        The neighbors of a query are of other folds.
    queries : int64 array of shape (n_queries,)
        The samples whose neighbors are asked for.
    indptr, columns : int64 arrays
    shared : int64 array of shape (n_subsets,)
        How many leading columns a subset has in common with the one before; the distances of as many are kept.
    p : float
        Exponent of the metric, at least 1; inf is the Chebyshev metric.
    nearest : int32 array of shape (n_queries, n_subsets, k)
        Filled with the k nearest samples, nearest first.
    """
    k = nearest.shape[2]
    depth = 1
    for stored in shared:
        depth = max(depth, stored + 1)
    prefix = np.empty((depth + 1, fold.size))  # prefix[a] has the terms of the first a columns
    rest = np.empty(fold.size)
    best = np.empty(k)
    who = np.empty(k, np.int64)
    for number in range(queries.size):
        i = queries[number]
        _hide(prefix[0], fold, i)
        for q in range(shared.size):
            S = columns[indptr[q] : indptr[q + 1]]
            d = prefix[shared[q]]
            for a in range(shared[q], S.size):
                into = prefix[a + 1] if a < depth else rest
                _combine(X[S[a]], X[S[a], i], p, d, into)
                d = into
            _nearest(d, best, who)
            for m in range(k):
                nearest[number, q, m] = who[m]


@kernel
def metric_add_neighbors(X, fold, queries, S, indptr, columns, p, nearest):
    """Neighbors under S + each candidate, which adds ``columns[indptr[q]:indptr[q + 1]]``. Parameters as above."""
    k = nearest.shape[2]
    base = np.empty(fold.size)
    d = np.empty(fold.size)
    best = np.empty(k)
    who = np.empty(k, np.int64)
    for number in range(queries.size):
        i = queries[number]
        _hide(base, fold, i)
        for f in S:
            _combine(X[f], X[f, i], p, base, base)
        for q in range(indptr.size - 1):
            start = base
            for f in columns[indptr[q] : indptr[q + 1]]:
                _combine(X[f], X[f, i], p, start, d)
                start = d
            _nearest(d, best, who)
            for m in range(k):
                nearest[number, q, m] = who[m]


@kernel
def metric_drop_neighbors(X, fold, queries, S, indptr, places, p, nearest):
    """Neighbors under S - each candidate; candidate q drops ``S[places[indptr[q]:indptr[q + 1]]]`` (ascending places).

    ``after[a]`` has the terms of ``S[a:]``, so a candidate costs the columns from its first dropped one to its last.
    """
    k = nearest.shape[2]
    before = np.empty((S.size + 1, fold.size))
    after = np.empty((S.size + 1, fold.size))
    d = np.empty(fold.size)
    best = np.empty(k)
    who = np.empty(k, np.int64)
    for number in range(queries.size):
        i = queries[number]
        _hide(before[0], fold, i)
        after[S.size] = 0.0
        for a in range(S.size):
            _combine(X[S[a]], X[S[a], i], p, before[a], before[a + 1])
        for a in range(S.size - 1, -1, -1):
            _combine(X[S[a]], X[S[a], i], p, after[a + 1], after[a])
        for q in range(indptr.size - 1):
            dropped = places[indptr[q] : indptr[q + 1]]
            for j in range(d.size):
                d[j] = before[dropped[0], j]
            for m in range(1, dropped.size):
                for a in range(dropped[m - 1] + 1, dropped[m]):
                    _combine(X[S[a]], X[S[a], i], p, d, d)
            _join(d, after[dropped[dropped.size - 1] + 1], p, d)
            _nearest(d, best, who)
            for m in range(k):
                nearest[number, q, m] = who[m]
