"""Nearest hits and misses, and the sum of feature differences to them (Relief and ReliefF)."""

import numpy as np
from numba import njit

__all__ = ["relief_weights"]

ROWS = 16  # queries that share one pass over a tile of samples
TILE = 512  # samples a tile: ROWS x TILE distances stay in cache


@njit(cache=True, nogil=True)
def _tile_distances(XT, row_start, row_stop, start, stop, squared, out):
    """``out[b, j]`` = sum over features of the differences between samples ``row_start + b`` and ``start + j``.

    Lanes are samples and features are added in their order, so every processor gives the same bits. Four features
    (``XT`` is padded to a multiple) share one load and store of the sum.
    """
    out[:, :] = 0.0
    for f in range(0, XT.shape[0], 4):
        p, q, r, s = XT[f, start:stop], XT[f + 1, start:stop], XT[f + 2, start:stop], XT[f + 3, start:stop]
        for i in range(row_start, row_stop):
            x0, x1, x2, x3 = XT[f, i], XT[f + 1, i], XT[f + 2, i], XT[f + 3, i]
            row = out[i - row_start, : stop - start]
            if squared:
                for j in range(row.size):
                    row[j] = (((row[j] + (x0 - p[j]) ** 2) + (x1 - q[j]) ** 2) + (x2 - r[j]) ** 2) + (x3 - s[j]) ** 2
            else:
                for j in range(row.size):
                    row[j] = (((row[j] + abs(x0 - p[j])) + abs(x1 - q[j])) + abs(x2 - r[j])) + abs(x3 - s[j])


@njit(cache=True, nogil=True)
def _insert(distances, indices, i, pool, distance, j):
    """Put j among the nearest of query i in a pool; of equals the earlier sample stays in front."""
    place = distances.shape[2] - 1
    while place > 0 and distances[i, pool, place - 1] > distance:
        distances[i, pool, place] = distances[i, pool, place - 1]
        indices[i, pool, place] = indices[i, pool, place - 1]
        place -= 1
    distances[i, pool, place] = distance
    indices[i, pool, place] = j


@njit(cache=True, nogil=True)
def _neighbours(X, y, n_queries, pools, n_pools, k, squared):
    """Indices of the k nearest samples of each pool, shape (n_queries, n_pools, k); each pair is measured once.

    A query meets its partners in ascending order (first as a partner of earlier queries, then by its own row), so
    that ties go to the earlier sample.
    """
    n, d = X.shape
    XT = np.zeros((-(-d // 4) * 4, n))
    XT[:d] = X.T
    tile = np.empty((ROWS, TILE))
    distances = np.full((n_queries, n_pools, k), np.inf)
    indices = np.empty((n_queries, n_pools, k), np.intp)
    for first in range(0, n_queries, ROWS):
        last = min(first + ROWS, n_queries)
        for start in range(first, n, TILE):
            stop = min(start + TILE, n)
            _tile_distances(XT, first, last, start, stop, squared, tile)
            for i in range(first, last):
                row = tile[i - first]
                forth, back = pools[y[i]], pools[:, y[i]]
                for j in range(max(start, i + 1), stop):
                    distance = row[j - start]
                    if distance < distances[i, forth[y[j]], k - 1]:
                        _insert(distances, indices, i, forth[y[j]], distance, j)
                    if j < n_queries and distance < distances[j, back[y[j]], k - 1]:
                        _insert(distances, indices, j, back[y[j]], distance, i)
    return indices


@njit(cache=True, nogil=True)
def relief_weights(X, y, n_queries, pools, weights, n_neighbors, squared):
    """Weighted sum of feature differences between each query and its nearest neighbours in each pool.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features scaled to range one; the first ``n_queries`` samples are the queries.
    y : ndarray of shape (n_samples,), dtype intp
        Class numbers.
    n_queries : int
    pools : ndarray of shape (n_classes, n_classes), dtype intp
        ``pools[y_i, y_j]``: the pool of neighbours to which j belongs for query i (a class; or "hit" and "miss").
    weights : ndarray of shape (n_classes, n_pools)
        Factor of the differences to each neighbour of a pool: negative for hits.
    n_neighbors : int
        Neighbours in each pool; every pool must hold as many.
    squared : bool
        Squared instead of absolute differences, in the distance and in the sum.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    indices = _neighbours(X, y, n_queries, pools, weights.shape[1], n_neighbors, squared)
    total = np.zeros(X.shape[1])
    for i in range(n_queries):
        for pool in range(weights.shape[1]):
            factor = weights[y[i], pool]
            for j in indices[i, pool]:
                for f in range(total.size):
                    difference = abs(X[i, f] - X[j, f])
                    total[f] += factor * (difference * difference if squared else difference)
    return total
