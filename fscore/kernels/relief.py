"""Differences between samples and their neighbors: Relief, ReliefF, RReliefF, SURF and MultiSURF.

Work is shared by threads in such a way that results do not depend on their number: rows of distances by blocks of
queries, sums by ranges of features or by block.
"""

from typing import NamedTuple

import numpy as np

from fscore.kernels._compiled import helper, kernel

__all__ = [
    "ABSOLUTE",
    "ROWS",
    "SQUARED",
    "TOGETHER",
    "UNEQUAL",
    "Features",
    "merged",
    "near_sums",
    "nearest",
    "partial_sums",
    "row_sums",
    "scale_by_feature",
    "weighted_sums",
]

ROWS = 16  # queries that share one pass over a tile of samples
TILE = 512  # samples in a tile: ROWS x TILE distances stay in cache
TOGETHER = 8  # features that share one load and store of a sum
ABSOLUTE, SQUARED, UNEQUAL = range(3)  # kinds of difference: |x - z|, (x - z)^2, or whether x and z differ
ROUNDING = 1e-12  # relative error of a threshold


class Features(NamedTuple):
    """The features of a sample by how their differences are computed.

    Attributes
    ----------
    numbers : ndarray of shape (n_numbers, n_samples)
        Numeric features of range one, by rows; with zeros up to multiples of ``TOGETHER`` rows and ``ROWS`` columns.
    nominal : ndarray of shape (n_nominal, n_samples)
        Categories as numbers, padded likewise.
    partial : ndarray of shape (n_partial, n_samples)
        Features of either kind that have missing values (NaN).
    partial_nominal : ndarray of shape (n_partial,), bool
    expected : ndarray of shape (n_partial, n_samples, n_classes)
        Expected difference between a sample's value and a value of a class.
    both_expected : ndarray of shape (n_partial, n_classes, n_classes)
        Expected difference between values of two classes.
    classes : ndarray of shape (n_samples,), dtype intp
        The class whose values stand for a missing value of a sample.
    squared : bool
        Whether differences of numbers are squared.
    """

    numbers: np.ndarray
    nominal: np.ndarray
    partial: np.ndarray
    partial_nominal: np.ndarray
    expected: np.ndarray
    both_expected: np.ndarray
    classes: np.ndarray
    squared: bool


@kernel
def scale_by_feature(X, low, width, start, stop, out):
    """Set ``out[f, i]`` to ``(X[i, f] - low[f]) / width[f]`` for the features start, ..., stop - 1.

    Tiles of TOGETHER samples stay in cache while they are turned.
    """
    for first in range(0, X.shape[0], TOGETHER):
        last = min(first + TOGETHER, X.shape[0])
        for f in range(start, stop):
            row = out[f, first:last]
            for i in range(row.size):
                row[i] = (X[first + i, f] - low[f]) / width[f]


@helper
def padded_size(n):
    """n, or the next multiple of ROWS."""
    return n + -n % ROWS


@helper
def _difference(x, z, kind):
    if kind == ABSOLUTE:
        return abs(x - z)
    return (x - z) * (x - z) if kind == SQUARED else 1.0 * (x != z)


@helper
def _add_differences(XT, kind, rows, start, stop, out):
    """``out[b, j] += sum over features of the difference between samples rows[0] + b and start + j``.

    The loop over samples is vectorized and features are added in their order, so every processor gives the same bits.
    """
    for f in range(0, XT.shape[0], TOGETHER):
        p0, p1, p2, p3 = XT[f, start:stop], XT[f + 1, start:stop], XT[f + 2, start:stop], XT[f + 3, start:stop]
        p4, p5, p6, p7 = XT[f + 4, start:stop], XT[f + 5, start:stop], XT[f + 6, start:stop], XT[f + 7, start:stop]
        for i in range(rows[0], rows[1]):
            x0, x1, x2, x3 = XT[f, i], XT[f + 1, i], XT[f + 2, i], XT[f + 3, i]
            x4, x5, x6, x7 = XT[f + 4, i], XT[f + 5, i], XT[f + 6, i], XT[f + 7, i]
            row = out[i - rows[0], : stop - start]
            if kind == SQUARED:
                for j in range(row.size):
                    t = (((row[j] + (x0 - p0[j]) ** 2) + (x1 - p1[j]) ** 2) + (x2 - p2[j]) ** 2) + (x3 - p3[j]) ** 2
                    row[j] = (((t + (x4 - p4[j]) ** 2) + (x5 - p5[j]) ** 2) + (x6 - p6[j]) ** 2) + (x7 - p7[j]) ** 2
            elif kind == ABSOLUTE:
                for j in range(row.size):
                    t = (((row[j] + abs(x0 - p0[j])) + abs(x1 - p1[j])) + abs(x2 - p2[j])) + abs(x3 - p3[j])
                    row[j] = (((t + abs(x4 - p4[j])) + abs(x5 - p5[j])) + abs(x6 - p6[j])) + abs(x7 - p7[j])
            else:
                for j in range(row.size):
                    t = (x0 != p0[j]) + (x1 != p1[j]) + (x2 != p2[j]) + (x3 != p3[j])
                    row[j] += 1.0 * (t + (x4 != p4[j]) + (x5 != p5[j]) + (x6 != p6[j]) + (x7 != p7[j]))


@helper
def _partial_difference(features, f, i, j):
    """Difference between samples i and j in a feature with missing values, for which expectations stand."""
    x, z = features.partial[f, i], features.partial[f, j]
    if np.isnan(x):
        if np.isnan(z):
            return features.both_expected[f, features.classes[i], features.classes[j]]
        return features.expected[f, j, features.classes[i]]
    if np.isnan(z):
        return features.expected[f, i, features.classes[j]]
    return _difference(x, z, UNEQUAL if features.partial_nominal[f] else SQUARED if features.squared else ABSOLUTE)


@helper
def _tile_distances(features, rows, start, stop, out):
    """``out[b, j]`` = distance between samples ``rows[0] + b`` and ``start + j``."""
    padded = padded_size(stop)  # vectors are filled; nobody reads the distances to zeros
    for b in range(out.shape[0]):
        out[b, : padded - start] = 0.0
    _add_differences(features.numbers, SQUARED if features.squared else ABSOLUTE, rows, start, padded, out)
    _add_differences(features.nominal, UNEQUAL, rows, start, padded, out)
    for f in range(features.partial.shape[0]):
        for i in range(rows[0], rows[1]):
            for j in range(start, stop):
                out[i - rows[0], j - start] += _partial_difference(features, f, i, j)


@helper
def _is_own(block, share, n_shares):
    """Whether a block of queries belongs to a share. Blocks are dealt to and fro, because later ones are shorter."""
    turn, place = block // n_shares, block % n_shares
    return share == (place if turn % 2 == 0 else n_shares - 1 - place)


@helper
def _insert(distances, indices, distance, j):
    """Insert j into sorted neighbors, whose last one it replaces; at equal distance the earlier sample stays first.

    Returns the largest distance of the list.
    """
    place = distances.size - 1
    while place > 0 and distances[place - 1] > distance:
        distances[place] = distances[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    distances[place] = distance
    indices[place] = j
    return distances[-1]


@helper
def _pool(y_i, y_j, per_class):
    """Pool of the neighbors of i to which j belongs: its class; or 0 for a hit and 1 for a miss."""
    return y_j if per_class else int(y_i != y_j)


@kernel
def nearest(features, y, n_queries, per_class, n_pools, k, share, n_shares):
    """The k samples of each pool that are nearest to each query, among the pairs of one share of the blocks.

    The distance between two queries is computed once. The candidates of a query come in ascending order (earlier
    queries in their rows, then later samples in its own row), so ties go to the earlier sample.

    Parameters
    ----------
    features : Features
    y : ndarray of shape (n_samples,), dtype intp
        Class numbers.
    n_queries : int
        The first samples are the queries.
    per_class, n_pools : bool and int
        A pool for each class, or one for hits and one for misses.
    k, share, n_shares : int

    Returns
    -------
    distances, indices : ndarray of shape (n_queries, n_pools, k)
        ``inf`` and -1 where the share has fewer than k candidates.
    """
    n = y.size
    tile = np.empty((ROWS, TILE))
    distances = np.full((n_queries, n_pools, k), np.inf)
    indices = np.full((n_queries, n_pools, k), -1)
    farthest = np.full((n_pools, n_queries), np.inf)  # the last of the distances, where rows are contiguous
    for first in range(0, n_queries, ROWS):
        if not _is_own(first // ROWS, share, n_shares):
            continue
        last = min(first + ROWS, n_queries)
        for start in range(first, n, TILE):
            stop = min(start + TILE, n)
            _tile_distances(features, (first, last), start, stop, tile)
            for i in range(first, last):
                row = tile[i - first]
                for j in range(max(start, i + 1), stop):
                    distance = row[j - start]
                    pool = _pool(y[i], y[j], per_class)
                    if distance < farthest[pool, i]:
                        farthest[pool, i] = _insert(distances[i, pool], indices[i, pool], distance, j)
                    if j < n_queries:
                        pool = _pool(y[j], y[i], per_class)
                        if distance < farthest[pool, j]:
                            farthest[pool, j] = _insert(distances[j, pool], indices[j, pool], distance, i)
    return distances, indices


@kernel
def merged(distances, indices):
    """The nearest neighbors among those of all shares; of equal distances the earlier sample comes first.

    Parameters
    ----------
    distances, indices : ndarray of shape (n_shares, n_queries, n_pools, k)

    Returns
    -------
    ndarray of shape (n_queries, n_pools, k), int
    """
    n_shares, n_queries, n_pools, k = indices.shape
    out = np.empty((n_queries, n_pools, k), np.int64)
    heads = np.empty(n_shares, np.int64)
    for i in range(n_queries):
        for pool in range(n_pools):
            heads[:] = 0
            for rank in range(k):
                best = 0
                for share in range(1, n_shares):
                    a, b = distances[best, i, pool, heads[best]], distances[share, i, pool, heads[share]]
                    if b < a or (
                        b == a and indices[share, i, pool, heads[share]] < indices[best, i, pool, heads[best]]
                    ):
                        best = share
                out[i, pool, rank] = indices[best, i, pool, heads[best]]
                heads[best] += 1
    return out


@kernel
def weighted_sums(X, kind, indices, weights, start, stop):
    """``sum over neighbors of weights * difference`` in the features start, ..., stop - 1.

    Terms are added in their order. Four of them share one load and store of the sum.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    kind : int
        Kind of difference.
    indices : ndarray of shape (n_queries, n_neighbors), int
    weights : ndarray of shape (n_queries, n_neighbors)
    start, stop : int

    Returns
    -------
    ndarray of shape (stop - start,)
    """
    total = np.zeros(stop - start)
    rest = indices.shape[1] - indices.shape[1] % 4
    for i in range(indices.shape[0]):
        x, j, w = X[i, start:stop], indices[i], weights[i]
        for r in range(0, rest, 4):
            p, q = X[j[r], start:stop], X[j[r + 1], start:stop]
            s, t = X[j[r + 2], start:stop], X[j[r + 3], start:stop]
            _add_four(x, (p, q, s, t), kind, (w[r], w[r + 1], w[r + 2], w[r + 3]), total)
        for r in range(rest, indices.shape[1]):
            _add_weighted(x, X[j[r], start:stop], kind, w[r], total)
    return total


@helper
def _add_four(x, others, kind, weights, total):
    """`_add_weighted` of x and four others, one after the other."""
    p, q, s, t = others
    a, b, c, d = weights
    for f in range(total.size):
        two = (total[f] + a * _difference(x[f], p[f], kind)) + b * _difference(x[f], q[f], kind)
        total[f] = (two + c * _difference(x[f], s[f], kind)) + d * _difference(x[f], t[f], kind)


@helper
def _add_weighted(x, z, kind, weight, total):
    """``total += weight * difference`` of two samples in every feature."""
    for f in range(total.size):
        total[f] += weight * _difference(x[f], z[f], kind)


@kernel
def partial_sums(features, indices, weights):
    """`weighted_sums` of all features with missing values."""
    total = np.zeros(features.partial.shape[0])
    for i in range(indices.shape[0]):
        for rank in range(indices.shape[1]):
            for f in range(total.size):
                total[f] += weights[i, rank] * _partial_difference(features, f, i, indices[i, rank])
    return total


@kernel
def row_sums(features, share, n_shares, out):
    """Set ``out[i]`` to the sum of the distances from sample i to all others, for the samples of one share."""
    n = out.size
    rows = np.empty((ROWS, padded_size(n)))
    for first in range(0, n, ROWS):
        if _is_own(first // ROWS, share, n_shares):
            last = min(first + ROWS, n)
            _tile_distances(features, (first, last), 0, n, rows)
            for i in range(first, last):
                for j in range(n):
                    if j != i:  # a sample with missing values has an expected difference to itself
                        out[i] += rows[i - first, j]


@kernel
def near_sums(features, X, nominal, y, threshold, share, n_shares, numbers, categories, partial):
    """Differences to the near misses, less differences to the near hits, each as a mean, summed over blocks of samples.

    A sample is near if its distance is below ``threshold``; NaN stands for the mean less half the standard deviation
    of the distances from the sample in question. A mean over no samples is zero.

    Parameters
    ----------
    features : Features
    X, nominal : ndarray of shape (n_samples, n_numbers) and (n_samples, n_nominal)
        The numbers and the nominal features by columns.
    y : ndarray of shape (n_samples,), dtype intp
    threshold : float
    share, n_shares : int
    numbers, categories, partial : ndarray of shape (n_blocks, n_features) of each kind
        Zeros, of which this call sets the rows of its share.
    """
    n = y.size
    rows, weights = np.empty((ROWS, padded_size(n))), np.empty(n)
    kind = SQUARED if features.squared else ABSOLUTE
    for first in range(0, n, ROWS):
        block = first // ROWS
        if not _is_own(block, share, n_shares):
            continue
        last = min(first + ROWS, n)
        _tile_distances(features, (first, last), 0, n, rows)
        for i in range(first, last):
            _near_weights(rows[i - first], y, i, threshold, weights)
            for j in range(n):
                if weights[j] != 0.0:
                    _add_weighted(X[i], X[j], kind, weights[j], numbers[block])
                    _add_weighted(nominal[i], nominal[j], UNEQUAL, weights[j], categories[block])
                    for f in range(partial.shape[1]):
                        partial[block, f] += weights[j] * _partial_difference(features, f, i, j)


@helper
def _near_weights(distances, y, i, threshold, weights):
    """Set the weight of each sample: 1 / near misses, or -1 / near hits, or 0 for those that are not near."""
    if np.isnan(threshold):
        mean, variance = 0.0, 0.0
        for j in range(y.size):
            if j != i:
                mean += distances[j] / (y.size - 1)
        for j in range(y.size):
            if j != i:
                variance += (distances[j] - mean) ** 2
        threshold = mean - np.sqrt(variance / (y.size - 1)) / 2
    limit = threshold * (1 - ROUNDING)
    hits, misses = 0, 0
    for j in range(y.size):
        if j != i and distances[j] < limit:
            if y[j] == y[i]:
                hits += 1
            else:
                misses += 1
    for j in range(y.size):
        weights[j] = 0.0
        if j != i and distances[j] < limit:
            weights[j] = -1 / hits if y[j] == y[i] else 1 / misses
