"""Leave-fold-out nearest neighbors of many samples by a k-d tree.

A tree is kept as its leaves, of about ``SAMPLES`` samples each, which are searched by vectorized loops. Every query
searches its own leaf first. Queries that lie together then share the list of leaves whose bounding boxes are near
enough for one of them, and each skips a leaf that is farther away than the k nearest samples it has found so far.

Distances to a leaf's samples are computed in single precision, relative to the middle of its box, so that their error
is small against the size of the box. Only the few samples that may be among the nearest are computed again in double
precision. So the neighbors, and ties, are those of `fscore.kernels.knn`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from fscore.kernels._compiled import HELPER, helper, kernel
from fscore.kernels.knn import _CHUNK, _NEARER, _REACH, _TINY, _copy, _insert_anywhere, _term, unsigned

CHUNK = int(_CHUNK)  # samples of a leaf between two checks for near ones
SAMPLES = 256  # most in a leaf, unless it must hold many neighbors
SPREAD = 16  # of so many samples of a node, one serves to find its widest column
QUERIES = 16  # that share a list of leaves, which then stay in cache
SEARCH = 2**12  # cost of a search in a tree, in differences, apart from those it computes
SINGLE = 1.01 * 2.0**-24  # relative error of an operation in single precision
contracted = njit(fastmath={"contract"}, **HELPER)
_SMALLEST = float(np.finfo(np.float32).tiny)


class Tree(NamedTuple):
    """A k-d tree of some columns of a sample.

    Attributes
    ----------
    members : int64 array of shape (n_leaves, leaf_size)
        Samples of each leaf in ascending order; n_samples where there is none.
    exact : float64 array of shape (n_leaves, n_columns, leaf_size)
        X of the members; what is there where there is none doesn't matter.
    values : float32 array of shape (n_leaves, n_columns, leaf_size)
        ``(exact - middle) * unit``; NaN where there is no member.
    fold : int32 array of shape (n_leaves, leaf_size)
        Folds of the members.
    place : int64 array of shape (n_samples,)
        Where each sample is in ``members.ravel()``.
    low, high : float64 arrays of shape (n_columns, n_leaves)
        Bounding boxes of the leaves; NaN for a leaf without members.
    middle : float64 array of shape (n_leaves, n_columns)
        Of each leaf's bounding box.
    margin : float64 array of shape (n_leaves,)
        Bounds on the absolute error of a distance (of its root, unless it is Manhattan) in a leaf, in its units.
    unit : float
        A power of two that brings all values into a range of one.
    """

    members: np.ndarray
    exact: np.ndarray
    values: np.ndarray
    fold: np.ndarray
    place: np.ndarray
    low: np.ndarray
    high: np.ndarray
    middle: np.ndarray
    margin: np.ndarray
    unit: float


def build_tree(X, fold, manhattan, k):
    """Divide samples into leaves, halving each node at the median of its widest column.

    Parameters
    ----------
    X : float64 array of shape (n_columns, n_samples)
    fold : int64 array of shape (n_samples,)
    manhattan : bool
        Whether the metric is Manhattan's; otherwise it is Euclid's.
    k : int
        Number of neighbors that a search will ask for.

    Returns
    -------
    Tree
    """
    n_columns, n_samples = X.shape
    most, n_leaves = max(SAMPLES, 2 * k), 1
    while n_leaves * most < n_samples:
        n_leaves *= 2
    size = -(-n_samples // (n_leaves * CHUNK)) * CHUNK
    members = np.minimum(np.arange(n_leaves * size), n_samples)
    _divide(X, n_leaves, members)
    members = members.reshape(n_leaves, size)
    members.sort(axis=1)
    unit = 2.0 ** -np.ceil(np.log2(max(np.ptp(X, axis=1).max(), _TINY)))
    exact, folds = np.empty((n_leaves, n_columns, size)), np.empty((n_leaves, size), np.int32)
    values = np.empty(exact.shape, np.float32)
    place, middle = np.empty(n_samples, np.int64), np.empty((n_leaves, n_columns))
    low, high = np.empty((n_columns, n_leaves)), np.empty((n_columns, n_leaves))
    _describe(X, fold, members, unit, exact, values, folds, place, low, high, middle)
    errors = 2 * SINGLE * (high / 2 - low / 2) * unit
    margin = errors.sum(axis=0) if manhattan else np.sqrt((errors**2).sum(axis=0))
    return Tree(members, exact, values, folds, place, low, high, middle, margin, unit)


def work_of_building(n_columns, n_samples):
    """The cost of `build_tree`, in differences of two values."""
    return n_samples * (480 + 50 * n_columns)


@kernel
def _divide(X, n_leaves, members):
    """Order the members so that those of each leaf follow each other; what is no sample comes last in its node."""
    n_columns, n_samples = X.shape
    keys = np.empty(members.size)
    n_nodes, state = 1, np.uint64(1)
    while n_nodes < n_leaves:
        size = members.size // n_nodes
        for first in range(0, members.size, size):
            widest, spread = 0, -1.0
            for f in range(n_columns):
                low, high = np.inf, -np.inf
                for p in range(first, first + size, SPREAD):
                    if members[p] < n_samples:
                        v = X[f, members[p]]
                        low, high = min(low, v), max(high, v)
                if high - low > spread:
                    widest, spread = f, high - low
            for p in range(first, first + size):
                keys[p] = X[widest, members[p]] if members[p] < n_samples else np.inf
            state = _select(keys, members, first, first + size - 1, first + size // 2, state)
        n_nodes *= 2


@helper
def _select(keys, members, first, last, middle, state):
    """Order the members so that no key before ``middle`` exceeds a later one (Hoare, with pivots drawn at random)."""
    while first < last:
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        pivot = keys[first + np.int64((state >> np.uint64(33)) % np.uint64(last - first + 1))]
        i, j = first, last
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                members[i], members[j] = members[j], members[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            break
    return state


@kernel
def _describe(X, fold, members, unit, exact, values, folds, place, low, high, middle):
    """Fill the arrays of a tree."""
    n_columns, n_samples = X.shape
    for b in range(members.shape[0]):
        n = 0
        for j in range(members.shape[1]):
            i = members[b, j]
            folds[b, j] = -1
            if i < n_samples:
                folds[b, j], place[i] = fold[i], b * members.shape[1] + j
                n += 1
        for f in range(n_columns):
            lowest = highest = X[f, members[b, 0]] if n else np.nan
            for j in range(n):
                v = exact[b, f, j] = X[f, members[b, j]]
                lowest, highest = min(lowest, v), max(highest, v)
            low[f, b], high[f, b], middle[b, f] = lowest, highest, lowest / 2 + highest / 2
            for j in range(n):
                values[b, f, j] = (exact[b, f, j] - middle[b, f]) * unit
            for j in range(n, members.shape[1]):
                values[b, f, j] = np.nan


@contracted
def _single_distances(values, fold, own, x, manhattan, out):
    """Distances of a point to the samples of a leaf in single precision; NaN for those of its own fold."""
    n = unsigned(out.size)
    for j in range(n):
        out[j] = np.float32(np.nan) if fold[j] == own else np.float32(0.0)
    whole = x.size - x.size % 4
    for a in range(0, whole, 4):
        e, f, g, h = values[a], values[a + 1], values[a + 2], values[a + 3]
        xe, xf, xg, xh = x[a], x[a + 1], x[a + 2], x[a + 3]
        for j in range(n):
            te, tf = _term(e[j] - xe, manhattan), _term(f[j] - xf, manhattan)
            tg, th = _term(g[j] - xg, manhattan), _term(h[j] - xh, manhattan)
            out[j] += te + tf + (tg + th)
    for a in range(whole, x.size):
        e, xe = values[a], x[a]
        for j in range(n):
            out[j] += _term(e[j] - xe, manhattan)


@helper
def _single_limit(v, n_columns, unit, margin, manhattan):
    """What a distance of a leaf in single precision is at most if that in double precision is v at most."""
    reach = v * _REACH + _TINY
    if manhattan:
        reach = reach * unit + margin
    else:
        reach = np.sqrt(reach) * unit + margin
        reach *= reach
    return np.float32(reach * (1.0 + (n_columns + 8) * SINGLE) + n_columns * _SMALLEST)


@helper
def _double_limit(v, n_columns, unit, margin, manhattan):
    """What a distance in double precision is at most if that in single precision is v at most."""
    reach = v * (1.0 + (n_columns + 8) * SINGLE) + n_columns * _SMALLEST
    if manhattan:
        reach = (reach + margin) / unit
    else:
        reach = (np.sqrt(reach) + margin) / unit
        reach *= reach
    return reach * (1.0 + 1e-9)


@helper
def _bound_on_nearest(distances, k, lanes):
    """A bound on the k-th smallest distance, infinite if there are fewer.

    The distances are dealt out to lanes, eight in each part of the distances. The k-th of the lanes' smallest is the
    bound. Each of eight lanes has a variable, since the compiler keeps these in one register.
    """
    n = unsigned(distances.size) // unsigned(lanes.size // 8)
    for u in range(0, lanes.size, 8):
        a = b = c = d = e = f = g = h = np.float32(np.inf)
        first = unsigned(u // 8) * n
        for j in range(first, first + n, unsigned(8)):
            a, b = _smaller(distances[j], a), _smaller(distances[j + unsigned(1)], b)
            c, d = _smaller(distances[j + unsigned(2)], c), _smaller(distances[j + unsigned(3)], d)
            e, f = _smaller(distances[j + unsigned(4)], e), _smaller(distances[j + unsigned(5)], f)
            g, h = _smaller(distances[j + unsigned(6)], g), _smaller(distances[j + unsigned(7)], h)
        lanes[u], lanes[u + 1], lanes[u + 2], lanes[u + 3] = a, b, c, d
        lanes[u + 4], lanes[u + 5], lanes[u + 6], lanes[u + 7] = e, f, g, h
    for m in range(k):
        for p in range(lanes.size - 1, m, -1):
            lanes[p - 1], lanes[p] = min(lanes[p - 1], lanes[p]), max(lanes[p - 1], lanes[p])
    return lanes[k - 1]


@helper
def _smaller(v, w):
    """The smaller one; w if v is NaN."""
    return v if v < w else w


@helper
def _search_leaf(tree, b, active, n_active, manhattan, x, own, best, who, single, near, lanes):
    """Insert the nearest samples of leaf b into the lists of some queries; return how many distances were exact."""
    exact, members, middle, margin, unit = tree.exact, tree.members, tree.middle, tree.margin, tree.unit
    n_columns, last, n = x.shape[0], best.shape[1] - 1, unsigned(near.size)
    n_exact = 0
    leaf_values, leaf_folds = tree.values[b], tree.fold[b]
    for a in range(n_active):
        g = active[a]
        for f in range(n_columns):
            single[f] = (x[f, g] - middle[b, f]) * unit
        _single_distances(leaf_values, leaf_folds, own[g], single, manhattan, near)
        if best[g, 0] == np.inf and last < lanes.size:
            bound = _double_limit(_bound_on_nearest(near, last + 1, lanes), n_columns, unit, margin[b], manhattan)
            for p in range(last + 1):
                best[g, p] = bound
        limit = _single_limit(best[g, last], n_columns, unit, margin[b], manhattan)
        n_near = 0
        for j in range(n):
            n_near += near[j] <= limit
        j = unsigned(0)
        nearest, samples = best[g], who[g]
        while n_near > 0:
            if j % _CHUNK == 0:
                n_here = 0
                for c in range(j, j + _CHUNK):
                    n_here += near[c] <= limit
                if n_here == 0:
                    j += _CHUNK
                    continue
            if near[j] <= limit:
                n_near -= 1
                i = members[b, j]
                if nearest[last] == 0.0 and i > samples[last]:
                    break  # as are all later ones
                v = 0.0
                for f in range(n_columns):
                    v += _term(exact[b, f, j] - x[f, g], manhattan)
                _insert_anywhere(v, i, nearest, samples)
                n_exact += 1
            j += unsigned(1)
    return n_exact


@helper
def _outside(below, above, manhattan):
    """What a column adds to the distance to a box, which begins ``below`` higher and ends ``above`` lower."""
    gap = below if below > above else above
    return 0.0 if gap < 0.0 else _term(gap, manhattan)


@helper
def _boxes_within(reach, x, n, low, high, manhattan, distance, near):
    """List the leaves whose boxes are within reach of the box of n points; return their number."""
    n_leaves = unsigned(distance.size)
    for b in range(n_leaves):
        distance[b] = 0.0
    for f in range(x.shape[0]):
        lowest = highest = x[f, 0]
        for g in range(1, n):
            lowest, highest = min(lowest, x[f, g]), max(highest, x[f, g])
        for b in range(n_leaves):
            distance[b] += _outside(low[f, b] - highest, lowest - high[f, b], manhattan)
    n_near = 0
    for b in range(distance.size):
        if distance[b] < reach:
            near[n_near] = b
            n_near += 1
    return n_near


@helper
def _box_distances(x, low, high, leaves, n_leaves, manhattan, box):
    """Distances of points to the boxes of some leaves."""
    n = unsigned(x.shape[1])
    for a in range(n_leaves):
        b = leaves[a]
        for g in range(n):
            box[a, g] = 0.0
        for f in range(x.shape[0]):
            lowest, highest = low[f, b], high[f, b]
            for g in range(n):
                box[a, g] += _outside(lowest - x[f, g], x[f, g] - highest, manhattan)


@kernel
def tree_neighbors(tree, queries, order, manhattan, nearest):
    """Neighbors under the columns of a tree.

    Parameters
    ----------
    tree : Tree
    queries : int64 array of shape (n_queries,)
        Their neighbors are of other folds.
    order : int64 array of shape (n_queries,)
        The order in which the queries are searched; those of a leaf should follow each other.
    manhattan : bool
        Whether the metric is Manhattan's; otherwise it is Euclid's.
    nearest : int32 array of shape (n_queries, 1, k)
        Filled with the k nearest samples, nearest first.

    Returns
    -------
    int
        The work, in differences: those that were computed, and what takes as long as so many.
    """
    exact, members, folds, low, high = tree.exact, tree.members, tree.fold, tree.low, tree.high
    n_columns, n_leaves = low.shape
    k, leaf_size = nearest.shape[2], members.shape[1]
    x, own, home = np.zeros((n_columns, QUERIES)), np.empty(QUERIES, np.int64), np.empty(QUERIES, np.int64)
    best, who = np.empty((QUERIES, k)), np.empty((QUERIES, k), np.int64)
    distance, leaves, box = np.empty(n_leaves), np.empty(n_leaves, np.int64), np.empty((n_leaves, QUERIES))
    active = np.empty(QUERIES, np.int64)
    single, near = np.empty(n_columns, np.float32), np.empty(leaf_size, np.float32)
    lanes = np.empty(8 if k <= 4 else CHUNK, np.float32)
    n_boxes = n_searched = n_exact = 0
    for first in range(0, queries.size, QUERIES):
        n = min(QUERIES, queries.size - first)
        for g in range(n):
            i = queries[order[first + g]]
            home[g], slot = divmod(tree.place[i], leaf_size)
            own[g] = folds[home[g], slot]
            for f in range(n_columns):
                x[f, g] = exact[home[g], f, slot]
            for p in range(k):
                best[g, p], who[g, p] = np.inf, tree.place.size
        n_active = 0
        for g in range(n):
            active[n_active] = g
            n_active += 1
            if g + 1 == n or home[g + 1] != home[g]:
                n_exact += _search_leaf(
                    tree, home[g], active, n_active, manhattan, x, own, best, who, single, near, lanes
                )
                n_active = 0
        reach = 0.0
        for g in range(n):
            reach = max(reach, best[g, k - 1] * _REACH + _TINY)
        n_near = _boxes_within(reach, x, n, low, high, manhattan, distance, leaves)
        _box_distances(x, low, high, leaves, n_near, manhattan, box)
        n_searched += n
        n_boxes += n_leaves + QUERIES * n_near
        for a in range(n_near):
            b = leaves[a]
            n_active = 0
            for g in range(n):
                ties_count = members[b, 0] < who[g, k - 1]
                reach = best[g, k - 1] * _REACH + _TINY if ties_count else best[g, k - 1] * _NEARER
                if box[a, g] < reach and b != home[g]:
                    active[n_active] = g
                    n_active += 1
            if n_active:
                n_searched += n_active
                n_exact += _search_leaf(tree, b, active, n_active, manhattan, x, own, best, who, single, near, lanes)
        for g in range(n):
            _copy(who[g], nearest[order[first + g], 0])
    return queries.size * SEARCH + n_columns * (n_searched * leaf_size + n_boxes + 8 * n_exact)
