"""Differences between samples and their neighbors: Relief, ReliefF, RReliefF, SURF and MultiSURF.

Work is shared by threads in such a way that results do not depend on their number: rows of distances by blocks of
queries, sums by ranges of features or by block.
"""

from typing import NamedTuple

import numpy as np

from fscore.kernels._compiled import helper, kernel

ROWS = 16  # queries that share one pass over a tile of samples
TILE = 512  # samples in a tile: ROWS x TILE distances stay in cache
RANGE = 512  # features whose sums and samples stay in cache
UNROLL = 8  # features that share one load and store of a sum
BLOCK_TERMS = 16 * UNROLL  # features whose differences are added up before they are added to others
ABSOLUTE, SQUARED, UNEQUAL = range(3)  # kinds of difference: |x - z|, (x - z)^2, or whether x and z differ
GRID = 1024  # a square, since squares of differences are multiples of 1 / GRID too
ROUNDING = 1e-12  # relative error of a threshold
SINGLE = 1.01 * 2.0**-24  # relative error of an operation in single precision; 1% margin for products of errors


class Features(NamedTuple):
    """The features of a sample by how their differences are computed.

    Attributes
    ----------
    numbers : ndarray of shape (n_numbers, n_samples), float32 or float64
        Numeric features of range one, by rows; with zeros up to multiples of ``UNROLL`` rows and ``ROWS`` columns.
    nominal : ndarray of shape (n_nominal, n_samples), float32 or float64
        Categories as numbers, padded likewise.
    partial : ndarray of shape (n_partial, n_samples)
        Features of either kind that have missing values (NaN).
    partial_nominal : ndarray of shape (n_partial,), bool
    expected : ndarray of shape (n_partial, n_samples, n_classes)
        Expected difference between a sample's value and a value of a class.
    both_expected : ndarray of shape (n_partial, n_classes, n_classes)
        Expected difference between values of two classes.
    codes : ndarray of shape (n_samples,), dtype intp
        The class whose values stand for a missing value of a sample.
    squared : bool
        Whether differences of numbers are squared.
    given : ndarray of shape (n_samples, n_numbers)
        Numeric features as they were given.
    low, width : ndarray of shape (n_numbers,)
        ``(given - low) / width`` are the numbers in double precision.
    """

    numbers: np.ndarray
    nominal: np.ndarray
    partial: np.ndarray
    partial_nominal: np.ndarray
    expected: np.ndarray
    both_expected: np.ndarray
    codes: np.ndarray
    squared: bool
    given: np.ndarray
    low: np.ndarray
    width: np.ndarray


@kernel
def scale_by_feature(X, low, unit, start, stop, out):
    """Set ``out[f, i]`` to ``(X[i, f] - low[f]) * unit[f]`` for the features start, ..., stop - 1.

    UNROLL samples stay in cache while they are transposed.
    """
    whole = X.shape[0] - X.shape[0] % UNROLL
    for first in range(0, whole, UNROLL):
        for f in range(start, stop):
            row = out[f, first : first + UNROLL]
            for i in range(UNROLL):
                row[i] = (X[first + i, f] - low[f]) * unit[f]
    for i in range(whole, X.shape[0]):
        for f in range(start, stop):
            out[f, i] = (X[i, f] - low[f]) * unit[f]


@kernel
def are_exact(features):
    """Whether distances in single precision have no error, as with whole numbers from 0 to 4.

    So it is if all differences are multiples of ``1 / GRID`` and their sums have less than 24 digits.
    """
    if features.partial.shape[0] or features.low.size + features.nominal.shape[0] > 2**23 // GRID:
        return False
    steps = np.sqrt(GRID) if features.squared else GRID
    for i in range(features.given.shape[0]):
        for f in range(features.low.size):
            x = (features.given[i, f] - features.low[f]) / features.width[f] * steps
            if x != np.floor(x):
                return False
    return True


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

    The loop over samples is vectorized and the order of the sum is fixed, so every processor gives the same bits.
    """
    for f in range(0, XT.shape[0], UNROLL):
        p0, p1, p2, p3 = XT[f, start:stop], XT[f + 1, start:stop], XT[f + 2, start:stop], XT[f + 3, start:stop]
        p4, p5, p6, p7 = XT[f + 4, start:stop], XT[f + 5, start:stop], XT[f + 6, start:stop], XT[f + 7, start:stop]
        for i in range(rows[0], rows[1]):
            x0, x1, x2, x3 = XT[f, i], XT[f + 1, i], XT[f + 2, i], XT[f + 3, i]
            x4, x5, x6, x7 = XT[f + 4, i], XT[f + 5, i], XT[f + 6, i], XT[f + 7, i]
            row = out[i - rows[0], : stop - start]
            if kind == SQUARED:
                for j in range(row.size):
                    t = ((x0 - p0[j]) ** 2 + (x1 - p1[j]) ** 2) + ((x2 - p2[j]) ** 2 + (x3 - p3[j]) ** 2)
                    row[j] += t + (((x4 - p4[j]) ** 2 + (x5 - p5[j]) ** 2) + ((x6 - p6[j]) ** 2 + (x7 - p7[j]) ** 2))
            elif kind == ABSOLUTE:
                for j in range(row.size):
                    t = (abs(x0 - p0[j]) + abs(x1 - p1[j])) + (abs(x2 - p2[j]) + abs(x3 - p3[j]))
                    row[j] += t + ((abs(x4 - p4[j]) + abs(x5 - p5[j])) + (abs(x6 - p6[j]) + abs(x7 - p7[j])))
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
            return features.both_expected[f, features.codes[i], features.codes[j]]
        return features.expected[f, j, features.codes[i]]
    if np.isnan(z):
        return features.expected[f, i, features.codes[j]]
    return _difference(x, z, UNEQUAL if features.partial_nominal[f] else SQUARED if features.squared else ABSOLUTE)


@helper
def _tile_distances(features, rows, start, stop, partial_sums, out):
    """``out[b, j]`` = distance between samples ``rows[0] + b`` and ``start + j``.

    Sums of a few features are computed in ``partial_sums``, which has the precision of the features.
    """
    padded = padded_size(stop)  # vectors are filled; nobody reads the distances to zeros
    for b in range(out.shape[0]):
        out[b, : padded - start] = 0.0
    numbers = features.numbers, SQUARED if features.squared else ABSOLUTE
    for XT, kind in (numbers, (features.nominal, UNEQUAL)):
        for f in range(0, XT.shape[0], BLOCK_TERMS):
            for b in range(partial_sums.shape[0]):
                partial_sums[b, : padded - start] = 0.0
            _add_differences(XT[f : f + BLOCK_TERMS], kind, rows, start, padded, partial_sums)
            for b in range(out.shape[0]):
                for j in range(padded - start):
                    out[b, j] += partial_sums[b, j]
    for f in range(features.partial.shape[0]):
        for i in range(rows[0], rows[1]):
            for j in range(start, stop):
                out[i - rows[0], j - start] += _partial_difference(features, f, i, j)


@helper
def _is_own(block, share, n_shares):
    """Whether a block of queries belongs to a share; later blocks are shorter, so they are dealt back and forth."""
    turn, position = block // n_shares, block % n_shares
    return share == (position if turn % 2 == 0 else n_shares - 1 - position)


@helper
def _pool(y_i, y_j, per_class):
    """Pool of the neighbors of i to which j belongs: its class; or 0 for a hit and 1 for a miss."""
    return y_j if per_class else int(y_i != y_j)


@kernel
def pair_distances(features, begin, end, out, share, n_shares):
    """Set ``out[i - begin, j]`` to the distance between the samples i and j, for begin <= i < end and all j.

    The distance between two of the samples i is computed once.

    Parameters
    ----------
    features : Features
    begin, end : int
    out : ndarray of shape (end - begin, n_samples), float32
    share, n_shares : int
        This call computes every n_shares-th block of rows, and their mirror images in other rows.
    """
    n = out.shape[1]
    tile, partial_sums = np.empty((ROWS, TILE + ROWS)), np.empty((ROWS, TILE + ROWS), np.float32)
    for first in range(begin, end, ROWS):
        if not _is_own((first - begin) // ROWS, share, n_shares):
            continue
        last, start = min(first + ROWS, end), 0
        while start < n:
            if start == begin:
                start = first  # the rows between have their mirror images here
            stop = min(start + TILE, begin if start < begin else n)
            _tile_distances(features, (first, last), start, stop, partial_sums, tile)
            for i in range(first, last):
                for j in range(start, stop):
                    out[i - begin, j] = tile[i - first, j - start]
            for j in range(max(start, last), min(stop, end)):
                for i in range(first, last):
                    out[j - begin, i] = tile[i - first, j - start]
            start = stop


@kernel
def nearest(features, place, order, per_class, begin, end, distances, bits, exact, out, share, n_shares):
    """The k samples of each pool that are nearest to the samples begin, ..., end - 1; ties go to the first in place.

    Distances in single precision decide, except where they are closer to each other than twice their error: there,
    double precision does.

    Parameters
    ----------
    features : Features
    place : ndarray of shape (n_samples,), int
        Of each sample in the order in which they were given.
    order : ndarray of shape (n_samples,), int
        The sample of each place.
    per_class : bool
        A pool for each class, or one for hits and one for misses.
    begin, end : int
    distances : ndarray of shape (end - begin, n_samples), float32
        See `pair_distances`; those of a sample to itself become infinite.
    bits : ndarray of shape (end - begin, n_samples), int32
        The bits of the distances, in the same memory; they are in the same order.
    exact : bool
        Whether these distances have no error.
    out : ndarray of shape (n_queries, n_pools, k), int
    share, n_shares : int
        This call finds the neighbors of every n_shares-th sample.
    """
    codes = features.codes
    n_pools, k = out.shape[1:]
    keys, ordered = np.empty((n_pools, k + 1), np.int64), np.empty(k + 1)
    for i in range(begin + share, end, n_shares):
        row, row_bits = distances[i - begin], bits[i - begin]
        row[i] = np.inf
        for pool in range(n_pools):
            keys[pool] = _key(row_bits[i], place[i])
        for j in range(codes.size):
            pool, key = _pool(codes[i], codes[j], per_class), _key(row_bits[j], place[j])
            if key < keys[pool, k]:
                _insert_key(keys[pool], key)
        for pool in range(n_pools):
            for rank in range(k + 1):
                j = order[keys[pool, rank] & 0xFFFFFFFF]
                ordered[rank] = row[j]
                if rank < k:
                    out[i, pool, rank] = j
            # Numbers are rounded, and their differences take part in so many sums.
            margin = 2 * SINGLE * (2 * features.low.size + (BLOCK_TERMS // UNROLL + 8) * ordered[k - 1])
            for rank in range(k):
                if not exact and ordered[rank + 1] - ordered[rank] <= margin:
                    _decide(features, order, per_class, i, pool, row, ordered, margin, out[i, pool])
                    break


@helper
def _key(bits, place):
    """A number that orders samples by distance, of which it has the bits, and equal ones by their place."""
    return (np.int64(bits) << 32) | place


@helper
def _insert_key(keys, key):
    """Insert a key into sorted ones, the last of which is dropped."""
    for slot in range(keys.size):
        here = keys[slot]
        keys[slot] = min(here, key)
        key = max(here, key)


@helper
def _decide(features, order, per_class, i, pool, row, ordered, margin, out):
    """Set ``out`` to the neighbors of sample i in a pool.

    Distances of which no other is within the margin are in their order. All others are computed in double precision,
    once for equal samples that come one after the other, such as rows of zeros.

    Parameters
    ----------
    row : ndarray of shape (n_samples,), float32
        Distances from sample i.
    ordered : ndarray of shape (k + 1,)
        The shortest distances in the pool.
    """
    best, numbers = np.empty(out.size), np.empty(features.low.size)
    for rank in range(best.size):
        best[rank] = np.inf
    for f in range(numbers.size):
        numbers[f] = (features.given[i, f] - features.low[f]) / features.width[f]
    last, distance_of_last = i, 0.0
    codes = features.codes
    for j in order:
        distance = np.float64(row[j])
        if distance > ordered[out.size - 1] + margin or _pool(codes[i], codes[j], per_class) != pool:
            continue
        n_close = 0
        for other in ordered:
            n_close += abs(distance - other) <= margin
        if n_close > 1:  # a listed sample is close to itself; one that is not listed, to the last two of the list
            if row[j] != row[last] or not _are_equal(features, j, last):
                distance_of_last = _distance(features, numbers, i, j)
            last, distance = j, distance_of_last
        if distance < best[-1]:
            _insert(best, out, distance, j)


@helper
def _insert(distances, indices, distance, j):
    """Insert j into sorted neighbors, whose last one it replaces; at equal distance the earlier sample stays first."""
    rank = distances.size - 1
    while rank > 0 and distances[rank - 1] > distance:
        distances[rank] = distances[rank - 1]
        indices[rank] = indices[rank - 1]
        rank -= 1
    distances[rank] = distance
    indices[rank] = j


@helper
def _are_equal(features, i, j):
    """Whether two samples have the same values, none of them missing."""
    n_unequal = features.partial.shape[0]
    for f in range(features.low.size):
        n_unequal += features.given[i, f] != features.given[j, f]
    for f in range(features.nominal.shape[0]):
        n_unequal += features.nominal[f, i] != features.nominal[f, j]
    return n_unequal == 0


@helper
def _distance(features, numbers, i, j):
    """Distance in double precision between sample i, whose scaled numbers are given, and sample j."""
    kind, total = SQUARED if features.squared else ABSOLUTE, 0.0
    for f in range(numbers.size):
        total += _difference(numbers[f], (features.given[j, f] - features.low[f]) / features.width[f], kind)
    for f in range(0, features.nominal.shape[0], UNROLL):
        n_unequal = 0
        for g in range(f, f + UNROLL):
            n_unequal += features.nominal[g, i] != features.nominal[g, j]
        total += n_unequal
    for f in range(features.partial.shape[0]):
        total += _partial_difference(features, f, i, j)
    return total


@kernel
def weighted_sums(X, kind, indices, weights, queries, start, stop):
    """``sum over neighbors of weights * difference`` in the features start, ..., stop - 1.

    Terms are added in their order. Four of them share one load and store of the sum.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    kind : int
        Kind of difference.
    indices : ndarray of shape (n_queries, n_neighbors), int
    weights : ndarray of shape (n_queries, n_neighbors)
    queries : tuple of int
        The first whose neighbors are added, and the one after the last.
    start, stop : int

    Returns
    -------
    ndarray of shape (stop - start,)
    """
    sums = np.zeros(stop - start)
    for first in range(start, stop, RANGE):
        last = min(first + RANGE, stop)
        total = sums[first - start : last - start]
        for i in range(queries[0], queries[1]):
            for r in range(indices.shape[1]):
                _add_weighted(X[i, first:last], X[indices[i, r], first:last], kind, weights[i, r], total)
    return sums


@helper
def _add_weighted(x, z, kind, weight, total):
    """``total += weight * difference`` of two samples in every feature."""
    for f in range(total.size):
        total[f] += weight * _difference(x[f], z[f], kind)


@kernel
def partial_sums(features, indices, weights, queries):
    """`weighted_sums` of all features with missing values."""
    total = np.zeros(features.partial.shape[0])
    for i in range(queries[0], queries[1]):
        for rank in range(indices.shape[1]):
            for f in range(total.size):
                total[f] += weights[i, rank] * _partial_difference(features, f, i, indices[i, rank])
    return total


@kernel
def row_sums(features, out, share, n_shares):
    """Set ``out[i]`` to the sum of the distances from sample i to all others, for the samples of one share."""
    n = out.size
    rows, block_sums = np.empty((ROWS, padded_size(n))), np.empty((ROWS, padded_size(n)))
    for first in range(0, n, ROWS):
        if _is_own(first // ROWS, share, n_shares):
            last = min(first + ROWS, n)
            _tile_distances(features, (first, last), 0, n, block_sums, rows)
            for i in range(first, last):
                for j in range(n):
                    if j != i:  # a sample with missing values has an expected difference to itself
                        out[i] += rows[i - first, j]


@kernel
def near_sums(features, nominal, threshold, numbers, categories, partial, share, n_shares):
    """Differences to the near misses, less differences to the near hits, each as a mean, summed over blocks of samples.

    A sample is near if its distance is below ``threshold``; NaN stands for the mean less half the standard deviation
    of the distances from the sample in question. A mean over no samples is zero.

    Parameters
    ----------
    features : Features
    nominal : ndarray of shape (n_samples, n_nominal)
        The nominal features by columns.
    threshold : float
    numbers, categories, partial : ndarray of shape (n_blocks, n_features) of each kind
        Zeros, of which this call sets the rows of its share.
    share, n_shares : int
    """
    n = features.codes.size
    rows, block_sums, weights = np.empty((ROWS, padded_size(n))), np.empty((ROWS, padded_size(n))), np.empty(n)
    X, kind = features.given, SQUARED if features.squared else ABSOLUTE
    for first in range(0, n, ROWS):
        block = first // ROWS
        if not _is_own(block, share, n_shares):
            continue
        last = min(first + ROWS, n)
        _tile_distances(features, (first, last), 0, n, block_sums, rows)
        for i in range(first, last):
            _near_weights(rows[i - first], features.codes, i, threshold, weights)
            for j in range(n):
                if weights[j] != 0.0:
                    _add_weighted(X[i], X[j], kind, weights[j], numbers[block])
                    _add_weighted(nominal[i], nominal[j], UNEQUAL, weights[j], categories[block])
                    for f in range(partial.shape[1]):
                        partial[block, f] += weights[j] * _partial_difference(features, f, i, j)


@helper
def _near_weights(distances, codes, i, threshold, weights):
    """Set the weight of each sample: 1 / near misses, or -1 / near hits, or 0 for those that are not near."""
    if np.isnan(threshold):
        mean, variance = 0.0, 0.0
        for j in range(codes.size):
            if j != i:
                mean += distances[j] / (codes.size - 1)
        for j in range(codes.size):
            if j != i:
                variance += (distances[j] - mean) ** 2
        threshold = mean - np.sqrt(variance / (codes.size - 1)) / 2
    limit = threshold * (1 - ROUNDING)
    hits, misses = 0, 0
    for j in range(codes.size):
        if j != i and distances[j] < limit:
            if codes[j] == codes[i]:
                hits += 1
            else:
                misses += 1
    for j in range(codes.size):
        weights[j] = 0.0
        if j != i and distances[j] < limit:
            weights[j] = -1 / hits if codes[j] == codes[i] else 1 / misses
