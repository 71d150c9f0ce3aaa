"""Nearest neighbours, and sums of feature differences to them (Relief, ReliefF and RReliefF)."""

import numpy as np

from fscore.kernels._compiled import helper, kernel

__all__ = ["regression_sums", "relief_weights"]

ROWS = 16  # queries that share one pass over a tile of samples
TILE = 512  # samples in a tile: ROWS x TILE distances stay in cache
ENTRIES = 2**22  # neighbours held at a time: 64 MB


@helper
def _padded(X):
    """X transposed, with rows of zeros up to a multiple of four features."""
    n, d = X.shape
    XT = np.zeros((-(-d // 4) * 4, n))
    for i in range(n):
        for f in range(d):
            XT[f, i] = X[i, f]
    return XT


@helper
def _tile_distances(XT, row_start, row_stop, start, stop, squared, out):
    """``out[b, j]`` = sum over features of the differences between samples ``row_start + b`` and ``start + j``.

    The loop over samples is vectorized and features are added in their order, so every processor gives the same bits.
    Four features (``XT`` is padded to a multiple of four) share one load and store of the sum.
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


@helper
def _insert(distances, indices, i, pool, distance, j):
    """Insert j into the sorted neighbours of query i in a pool; at equal distance the earlier sample stays first."""
    place = distances.shape[2] - 1
    while place > 0 and distances[i, pool, place - 1] > distance:
        distances[i, pool, place] = distances[i, pool, place - 1]
        indices[i, pool, place] = indices[i, pool, place - 1]
        place -= 1
    distances[i, pool, place] = distance
    indices[i, pool, place] = j


@helper
def _pool(y_i, y_j, per_class):
    """Pool of the neighbours of i to which j belongs: its class; or 0 for a hit and 1 for a miss."""
    return y_j if per_class else int(y_i != y_j)


@kernel
def _neighbours(XT, y, begin, end, per_class, n_pools, k, squared):
    """Indices of the k samples of each pool that are nearest to the queries begin, ..., end - 1.

    The distance between two queries is computed once. The candidates of a query come in ascending order (samples before
    ``begin``, then earlier queries in their rows, then later samples in its own row), so ties go to the earlier sample.
    Shape (end - begin, n_pools, k), with -1 where a pool holds fewer than k samples.
    """
    n = XT.shape[1]
    tile = np.empty((ROWS, TILE))
    distances = np.full((end - begin, n_pools, k), np.inf)
    indices = np.full((end - begin, n_pools, k), -1)
    for low, high in ((0, begin), (begin, n)):
        for first in range(begin, end, ROWS):
            last = min(first + ROWS, end)
            for start in range(first if low == begin else low, high, TILE):
                stop = min(start + TILE, high)
                _tile_distances(XT, first, last, start, stop, squared, tile)
                for i in range(first, last):
                    row = tile[i - first]
                    for j in range(max(start, i + 1) if low == begin else start, stop):
                        distance = row[j - start]
                        pool = _pool(y[i], y[j], per_class)
                        if distance < distances[i - begin, pool, k - 1]:
                            _insert(distances, indices, i - begin, pool, distance, j)
                        if begin <= j < end:
                            pool = _pool(y[j], y[i], per_class)
                            if distance < distances[j - begin, pool, k - 1]:
                                _insert(distances, indices, j - begin, pool, distance, i)
    return indices


@kernel
def relief_weights(X, y, n_queries, prior, per_class, n_neighbors, squared):
    """Weighted sum of feature differences between each query and its nearest hits and misses.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features scaled to range one; the first ``n_queries`` samples are the queries.
    y : ndarray of shape (n_samples,), dtype intp
        Class numbers.
    n_queries : int
    prior : ndarray of shape (n_classes,)
        Share of each class.
    per_class : bool
        Neighbours from every class, misses weighted by ``prior[c] / (1 - prior[y])``; or misses from all other
        classes at once, with weight 1. Hits have weight -1.
    n_neighbors : int
        Hits, and misses of each kind.
    squared : bool
        Squared instead of absolute differences, in the distance and in the sum.

    Returns
    -------
    ndarray of shape (n_features,)

    Raises
    ------
    ValueError
        A class holds too few samples, or X holds NaN or infinite values.
    """
    d = X.shape[1]
    XT, total = _padded(X), np.zeros(d)
    n_pools = prior.size if per_class else 2
    step = max(ROWS, ENTRIES // (n_pools * n_neighbors))
    for begin in range(0, n_queries, step):
        end = min(begin + step, n_queries)
        indices = _neighbours(XT, y, begin, end, per_class, n_pools, n_neighbors, squared)
        for i in range(begin, end):
            for pool in range(n_pools):
                if pool == _pool(y[i], y[i], per_class):
                    factor = -1.0
                else:
                    factor = prior[pool] / (1 - prior[y[i]]) if per_class else 1.0
                for j in indices[i - begin, pool]:
                    if j < 0:
                        raise ValueError("a query has too few neighbours at a finite distance")
                    for f in range(d):
                        difference = abs(X[i, f] - X[j, f])
                        total[f] += factor * (difference * difference if squared else difference)
    return total


@kernel
def regression_sums(X, target, n_queries, influence):
    """Weighted sums of differences between each query and its nearest neighbours.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features scaled to range one; the first ``n_queries`` samples are the queries.
    target : ndarray of shape (n_samples,)
        Scaled to range one.
    n_queries : int
    influence : ndarray of shape (n_neighbors,)
        Weight of each neighbour, the nearest first.

    Returns
    -------
    target_sum : float
        Sum of target differences.
    feature_sums : ndarray of shape (n_features,)
        Sums of feature differences.
    joint_sums : ndarray of shape (n_features,)
        Sums of the products of both.

    Raises
    ------
    ValueError
        There are too few samples, or X holds NaN or infinite values.
    """
    d, k = X.shape[1], influence.size
    XT, one_class = _padded(X), np.zeros(len(X), np.intp)
    target_sum, feature_sums, joint_sums = 0.0, np.zeros(d), np.zeros(d)
    step = max(ROWS, ENTRIES // k)
    for begin in range(0, n_queries, step):
        end = min(begin + step, n_queries)
        indices = _neighbours(XT, one_class, begin, end, True, 1, k, False)
        for i in range(begin, end):
            for rank in range(k):
                j = indices[i - begin, 0, rank]
                if j < 0:
                    raise ValueError("a query has too few neighbours at a finite distance")
                target_difference = abs(target[i] - target[j])
                target_sum += influence[rank] * target_difference
                for f in range(d):
                    difference = influence[rank] * abs(X[i, f] - X[j, f])
                    feature_sums[f] += difference
                    joint_sums[f] += target_difference * difference
    return target_sum, feature_sums, joint_sums
