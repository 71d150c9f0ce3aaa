"""Sums over the p-th nearest neighbors, p = 1..p_max, of many subsets of columns (the Gamma Test).

The subsets come in lexicographic order, the order of a walk on the subset tree: each starts from the distances of the
longest prefix that it shares with the one before and only adds features, always in ascending order. So a subset has
the same distances, to the last bit, in every list; nothing is subtracted.

Selecting the nearest takes most of the time. ``LANES`` queries are processed together: the same comparisons (a bitonic
sorting network) serve them all without branches, so the compiler turns each into a few vector instructions. The bits
of a squared distance, a non-negative double, sort as integers in the same order; the last bit is replaced by whether
the neighbor is of another class.
"""

import numpy as np

from fscore.kernels import knn
from fscore.kernels._compiled import helper, kernel
from fscore.kernels.knn import _depth, _restart, _scan, _with_terms

LANES = 64
TIE = 1 << 12  # distances that agree in all but the last 12 of 52 bits (1e-12, relative) are equal
_NEARER = 1.0 - knn.TIE  # v < _NEARER * b : strictly nearer
_FARTHEST = np.iinfo(np.int64).max - TIE


@helper
def _order(keys, a, b):
    """In each lane move the smaller key to row a and the larger to row b."""
    for l in range(LANES):
        u, v = keys[a, l], keys[b, l]
        keys[a, l] = min(u, v)
        keys[b, l] = max(u, v)


@helper
def _merge(keys, stride):
    """Sort rows that are bitonic within blocks of twice the stride into ascending order within the blocks."""
    while stride >= 1:
        for start in range(0, keys.shape[0], 2 * stride):
            for r in range(start, start + stride):
                _order(keys, r, r + stride)
        stride //= 2


@helper
def _sort(keys):
    """Sort all rows into ascending order in each lane; their number is a power of two."""
    size = 2
    while size <= keys.shape[0]:
        for start in range(0, keys.shape[0], size):
            for r in range(size // 2):  # two ascending runs become bitonic
                _order(keys, start + r, start + size - 1 - r)
        _merge(keys, size // 4)
        size *= 2


@helper
def _keep_nearest(best, more):
    """The smallest keys of both, in ascending order; both are sorted and equally long."""
    last = best.shape[0] - 1
    for r in range(best.shape[0]):
        for l in range(LANES):
            best[r, l] = min(best[r, l], more[last - r, l])
    _merge(best, best.shape[0] // 2)


@helper
def _add_feature(x, first, parent, child):
    """``child[j, l]`` = parent + squared difference of sample j and query ``first + l`` in one feature."""
    query = np.zeros(LANES)
    for l in range(min(LANES, x.size - first)):
        query[l] = x[first + l]
    for j in range(x.size):
        here, into, value = parent[j], child[j], x[j]
        for l in range(LANES):
            t = value - query[l]
            into[l] = here[l] + t * t


@helper
def _make_keys(distances, y, labels, first, start, keys):
    """Keys of the samples from ``start`` on: the distance's bits, the last of them 1 for another class."""
    bits = distances.view(np.int64)
    for r in range(keys.shape[0]):
        row, j = keys[r], start + r
        if j >= y.size:
            row[:] = _FARTHEST
            continue
        here, label = bits[j], y[j]
        for l in range(LANES):
            row[l] = (here[l] & ~1) | (labels[l] != label)
        if first <= j < first + LANES:
            row[j - first] = _FARTHEST  # a sample is not its own neighbor


@helper
def _unlike_share(distances, y, query, l, low):
    """Of all samples that tie with the key ``low`` in lane l, the share of another class, and their number."""
    bits = distances.view(np.int64)
    unlike = 0
    number = 0
    for j in range(y.size):
        if j != query and 0 <= (bits[j, l] & ~1) - low <= TIE:
            number += 1
            unlike += y[j] != y[query]
    return unlike / number, number


@helper
def _tied_lanes(best, p_max, tied):
    """Which queries have two equally distant neighbors among their nearest p_max + 1."""
    tied[:] = 0
    for p in range(p_max):
        a, b = best[p], best[p + 1]
        for l in range(LANES):
            tied[l] |= (b[l] & ~1) - (a[l] & ~1) <= TIE


@helper
def _accumulate(best, distances, y, first, lanes, p_max, tied, near, unlike):
    """Add the queries' p-th distances and class differences; equally distant neighbors share their mean."""
    _tied_lanes(best, p_max, tied)
    values = best.view(np.float64)
    for p in range(p_max):
        key, value = best[p], values[p]
        for l in range(lanes):
            near[p] += value[l]
            if tied[l] == 0:
                unlike[p] += key[l] & 1
    for l in range(lanes):
        p = 0
        while tied[l] and p < p_max:
            low = best[p, l] & ~1
            other, number = 0, 0
            while p + number < best.shape[0] and (best[p + number, l] & ~1) - low <= TIE:
                other += best[p + number, l] & 1
                number += 1
            share = other / number
            if p + number == best.shape[0]:  # samples that are not among the nearest may tie, too
                share, number = _unlike_share(distances, y, first + l, l, low)
            for _ in range(min(number, p_max - p)):
                unlike[p] += share
                p += 1


@kernel
def neighbor_sums(X, y, indptr, columns, shared, p_max, near, unlike):
    """Sums over the samples of the squared distance to the p-th nearest neighbor, and of whether its class differs.

    Parameters
    ----------
    X : float64 array of shape (n_features, n_samples)
    y : int64 array of shape (n_samples,)
        Class numbers.
    indptr, columns : int64 arrays
        Subset q is ``columns[indptr[q]:indptr[q + 1]]``, ascending and not empty; subsets in lexicographic order.
    shared : int64 array of shape (n_subsets,)
        How many leading columns subset q shares with the one before; the distances of as many prefixes are stored.
    p_max : int
        Less than the number of samples.
    near, unlike : float64 arrays of shape (n_subsets, p_max)
        Zeros, filled with the sums. Equally distant neighbors share their mean class difference, so that the order of
        the samples does not matter.
    """
    n = y.size
    width = 4
    while width <= p_max:
        width *= 2
    depth = _depth(shared)
    prefix = np.zeros((depth + 1, n, LANES))  # prefix[a] has the distances under the first a columns
    rest = np.empty((n, LANES))
    best = np.empty((width, LANES), np.int64)
    more = np.empty((width, LANES), np.int64)
    labels = np.empty(LANES, np.int64)
    tied = np.empty(LANES, np.int64)
    for first in range(0, n, LANES):
        lanes = min(LANES, n - first)
        for l in range(lanes):
            labels[l] = y[first + l]
        for q in range(shared.size):
            subset = columns[indptr[q] : indptr[q + 1]]
            distances = prefix[shared[q]]
            for a in range(shared[q], subset.size):
                into = prefix[a + 1] if a < depth else rest
                _add_feature(X[subset[a]], first, distances, into)
                distances = into
            _make_keys(distances, y, labels, first, 0, best)
            _sort(best)
            for start in range(width, n, width):
                _make_keys(distances, y, labels, first, start, more)
                _sort(more)
                _keep_nearest(best, more)
            _accumulate(best, distances, y, first, lanes, p_max, tied, near[q], unlike[q])


# a continuous output --------------------------------------------------------------------------------------------------


@helper
def _shared_difference(d, y, i, low):
    """Mean squared difference of the output to those of all samples that tie at distance ``low``, and their number."""
    total = 0.0
    number = 0
    for j in range(d.size):
        if d[j] * _NEARER <= low and low * _NEARER <= d[j]:
            total += (y[j] - y[i]) ** 2
            number += 1
    return total / number, number


@kernel
def neighbor_differences(X, y, indptr, columns, shared, p_max, near, apart):
    """Sums over the samples of the squared distance to the p-th nearest neighbor, and of their squared difference.

    Parameters
    ----------
    X : float64 array of shape (n_features, n_samples)
    y : float64 array of shape (n_samples,)
        The output.
    indptr, columns, shared, p_max
        As in `neighbor_sums`.
    near, apart : float64 arrays of shape (n_subsets, p_max)
        Zeros, filled with the sums. Equally distant neighbors share their mean squared difference.
    """
    n = y.size
    depth = _depth(shared)
    prefix = np.empty((depth + 1, n))  # prefix[a] has the distances under the first a columns
    rest = np.empty(n)
    best = np.empty(p_max + 1)
    who = np.empty(p_max + 1, np.int64)
    for i in range(n):
        prefix[0] = 0.0
        prefix[0, i] = np.inf
        for q in range(shared.size):
            subset = columns[indptr[q] : indptr[q + 1]]
            d = prefix[shared[q]]
            for a in range(shared[q], subset.size):
                into = prefix[a + 1] if a < depth else rest
                _with_terms(X, subset[a], i, False, d, into)
                d = into
            _restart(best, who, np.inf)
            _scan(d, best, who)
            p = 0
            while p < p_max:
                difference, number = (y[who[p]] - y[i]) ** 2, 1
                if best[p + 1] * _NEARER <= best[p]:
                    difference, number = _shared_difference(d, y, i, best[p])
                for _ in range(min(number, p_max - p)):
                    near[q, p] += best[p]
                    apart[q, p] += difference
                    p += 1
