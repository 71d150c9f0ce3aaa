"""Nearest hits and misses, and the sum of feature differences to them (Relief and ReliefF)."""

import numpy as np
from numba import njit

__all__ = ["relief_weights"]

QUERIES = 16  # rows that share one pass over a tile of samples
TILE = 256  # samples a tile; the QUERIES x TILE distances stay in the first-level cache


@njit(cache=True, nogil=True)
def _tile_distances(X, XT, queries, start, stop, squared, out):
    """``out[b, j]`` = sum over features of the differences between query b and sample start + j.

    Features are added in their order, lanes are samples: the same bits on every processor.
    """
    out[:, :] = 0.0
    for f in range(XT.shape[0]):
        column = XT[f, start:stop]
        for b in range(queries.size):
            value = X[queries[b], f]
            row = out[b, : stop - start]
            if squared:
                for j in range(row.size):
                    row[j] += (value - column[j]) * (value - column[j])
            else:
                for j in range(row.size):
                    row[j] += abs(value - column[j])


@njit(cache=True, nogil=True)
def _insert(distances, indices, distance, index):
    """Put a closer neighbour into its place; of equals the earlier index stays in front."""
    place = distances.size - 1
    while place > 0 and distances[place - 1] > distance:
        distances[place] = distances[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    distances[place] = distance
    indices[place] = index


@njit(cache=True, nogil=True)
def relief_weights(X, y, queries, slots, weights, n_neighbors, squared):
    """Weighted sum of feature differences between each query and its nearest neighbours in each slot.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features scaled to range one.
    y : ndarray of shape (n_samples,), dtype intp
        Class numbers.
    queries : ndarray of shape (n_queries,), dtype intp
        The samples picked.
    slots : ndarray of shape (n_classes, n_classes), dtype intp
        ``slots[y_i, y_j]``: the pool of neighbours to which j belongs for query i (a class; or "hit" and "miss").
    weights : ndarray of shape (n_classes, n_slots)
        Factor of the differences to each neighbour of a pool: negative for hits.
    n_neighbors : int
        Neighbours in each pool; every pool must hold as many.
    squared : bool
        Squared instead of absolute differences, in the distance and in the sum.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    n, d = X.shape
    n_slots = weights.shape[1]
    XT = np.ascontiguousarray(X.T)
    tile = np.empty((QUERIES, TILE))
    distances = np.empty((QUERIES, n_slots, n_neighbors))
    indices = np.empty((QUERIES, n_slots, n_neighbors), np.intp)
    total = np.zeros(d)
    for first in range(0, queries.size, QUERIES):
        block = queries[first : first + QUERIES]
        distances[:] = np.inf
        for start in range(0, n, TILE):
            stop = min(start + TILE, n)
            _tile_distances(X, XT, block, start, stop, squared, tile)
            for b in range(block.size):
                i = block[b]
                for j in range(start, stop):
                    slot = slots[y[i], y[j]]
                    if tile[b, j - start] < distances[b, slot, n_neighbors - 1] and j != i:
                        _insert(distances[b, slot], indices[b, slot], tile[b, j - start], j)
        for b in range(block.size):
            i = block[b]
            for slot in range(n_slots):
                factor = weights[y[i], slot]
                for neighbour in indices[b, slot]:
                    for f in range(d):
                        difference = abs(X[i, f] - X[neighbour, f])
                        total[f] += factor * (difference * difference if squared else difference)
    return total
