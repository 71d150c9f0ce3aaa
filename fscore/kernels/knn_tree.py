"""Leave-fold-out nearest neighbors of many samples by a k-d tree.

The tree has three levels: branches of at most ``LEAVES`` leaves, and leaves of about ``SAMPLES`` samples each, which
are searched by vectorized loops. A leaf or branch is skipped if its bounding box is farther away than the k nearest
samples found so far.

Distances to a leaf's samples are computed in single precision, relative to the middle of its box, so that their error
is small against the size of the box. Only the few samples that may be among the nearest are computed again in double
precision. So the neighbors, and ties, are those of `fscore.kernels.knn`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from fscore.kernels._compiled import HELPER, helper, kernel
from fscore.kernels.knn import _NEARER, _REACH, _TINY, _copy, _insert_anywhere, _size, _term

__all__ = ["SEARCH", "Tree", "build_tree", "tree_neighbors", "work_of_building"]

CHUNK = 32  # samples of a leaf between two checks for near ones
SAMPLES = 256  # most in a leaf, unless it must hold many neighbors
LEAVES = 32  # most in a branch
SPREAD = 16  # of so many samples of a node, one serves to find its widest column
QUERIES = 8  # that are searched together, so that a leaf stays in cache
SHARES = (1 / 16, 1 / 4, 1.0)  # of the k-th distance: near leaves come first
SEARCH = 2**12  # differences that take the time of a search in a tree, apart from those it computes
SINGLE = 1.01 * 2.0**-24  # relative error of an operation in single precision
contracted = njit(fastmath={"contract"}, **HELPER)
_SMALLEST = float(np.finfo(np.float32).tiny)


class Tree(NamedTuple):
    """A k-d tree of some columns of a sample.

    Attributes
    ----------
    members : int64 array of shape (n_leaves, leaf_size)
        Samples of each leaf in ascending order; n_samples where there is none.
    values : float32 array of shape (n_leaves, n_columns, leaf_size)
        ``(X - middle) * unit`` of the members; NaN where there is none.
    leaf : int64 array of shape (n_samples,)
        The leaf of each sample.
    low, high : float64 arrays of shape (n_branches, n_columns, n_leaves // n_branches)
        Bounding boxes of the leaves; NaN for a leaf without members.
    branch_low, branch_high : float64 arrays of shape (n_columns, n_branches)
    middle : float64 array of shape (n_leaves, n_columns)
        Of each leaf's bounding box.
    margin : float64 array of shape (n_leaves,)
        Bounds on the absolute error of a distance (of its root, unless it is absolute) in a leaf, in its units.
    unit : float
        A power of two that brings all values into a range of one.
    """

    members: np.ndarray
    values: np.ndarray
    leaf: np.ndarray
    low: np.ndarray
    high: np.ndarray
    branch_low: np.ndarray
    branch_high: np.ndarray
    middle: np.ndarray
    margin: np.ndarray
    unit: float


def build_tree(X, absolute, k):
    """Divide samples into leaves, halving each node at the median of its widest column.

    Parameters
    ----------
    X : float64 array of shape (n_columns, n_samples)
    absolute : bool
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
    padded = np.concatenate([X, np.full((n_columns, 1), np.nan)], axis=1)
    nodes = np.minimum(np.arange(n_leaves * size), n_samples).reshape(1, -1)
    while len(nodes) < n_leaves:
        half = nodes.shape[1] // 2
        few = padded[:, nodes[:, ::SPREAD]]
        spread = np.fmax.reduce(few, axis=2) - np.fmin.reduce(few, axis=2)
        widest = np.nan_to_num(spread, nan=-1.0, posinf=np.inf).argmax(axis=0)
        order = np.argpartition(padded[widest[:, None], nodes], half, axis=1)  # NaN comes last
        nodes = np.take_along_axis(nodes, order, axis=1).reshape(-1, half)
    nodes.sort(axis=1)
    values = padded[:, nodes]
    low, high = np.fmin.reduce(values, axis=2), np.fmax.reduce(values, axis=2)
    middle, extent = low / 2 + high / 2, high / 2 - low / 2
    unit = 2.0 ** -np.ceil(np.log2(max(np.ptp(X, axis=1).max(), _TINY)))
    errors = 2 * SINGLE * extent * unit
    branches = n_columns, -1, min(LEAVES, n_leaves)
    leaf = np.empty(n_samples + 1, dtype=np.int64)
    leaf[nodes] = np.arange(n_leaves)[:, None]
    low, high = low.reshape(branches), high.reshape(branches)
    relative = (values - middle[:, :, None]) * unit
    return Tree(
        np.ascontiguousarray(nodes),
        np.ascontiguousarray(relative.transpose(1, 0, 2), dtype=np.float32),
        leaf[:-1],
        np.ascontiguousarray(low.transpose(1, 0, 2)),
        np.ascontiguousarray(high.transpose(1, 0, 2)),
        np.ascontiguousarray(np.fmin.reduce(low, axis=2)),
        np.ascontiguousarray(np.fmax.reduce(high, axis=2)),
        np.ascontiguousarray(middle.T),
        errors.sum(axis=0) if absolute else np.sqrt((errors**2).sum(axis=0)),
        unit,
    )


def work_of_building(n_columns, n_samples):
    """How many differences take the time of `build_tree`."""
    return n_samples * 512 * (2 + n_columns)


@helper
def _box_distances(low, high, x, absolute, out):
    """Distances of a point to boxes; NaN for those without bounds."""
    n = _size(out.size)
    for b in range(n):
        out[b] = 0.0
    for f in range(x.size):
        lowest, highest, xf = low[f], high[f], x[f]
        for b in range(n):
            below, above = lowest[b] - xf, xf - highest[b]
            gap = below if below > above else above
            out[b] += 0.0 if gap < 0.0 else _term(gap, absolute)


@contracted
def _single_distances(values, x, absolute, out):
    """Distances of a point to the samples of a leaf, all in single precision."""
    n = _size(out.size)
    for j in range(n):
        out[j] = np.float32(0.0)
    whole = x.size - x.size % 4
    for a in range(0, whole, 4):
        e, f, g, h = values[a], values[a + 1], values[a + 2], values[a + 3]
        xe, xf, xg, xh = x[a], x[a + 1], x[a + 2], x[a + 3]
        for j in range(n):
            te, tf = _term(e[j] - xe, absolute), _term(f[j] - xf, absolute)
            tg, th = _term(g[j] - xg, absolute), _term(h[j] - xh, absolute)
            out[j] += te + tf + (tg + th)
    for a in range(whole, x.size):
        e, xe = values[a], x[a]
        for j in range(n):
            out[j] += _term(e[j] - xe, absolute)


@helper
def _single_limit(v, n_columns, unit, margin, absolute):
    """What a distance of a leaf in single precision is at most if that in double precision is v at most."""
    reach = v * _REACH + _TINY
    if absolute:
        reach = reach * unit + margin
    else:
        reach = np.sqrt(reach) * unit + margin
        reach *= reach
    return np.float32(reach * (1.0 + (n_columns + 8) * SINGLE) + n_columns * _SMALLEST)


@helper
def _search_leaf(values, members, middle, margin, unit, query, fold, samples, columns, absolute, x, best, who, work):
    """Insert the nearest samples of a leaf; return how many distances were computed in double precision.

    The arrays of the tree come one by one, since numba hands over a tuple slowly. ``work`` has room for the query, and
    for the distances, in single precision.
    """
    single, near = work
    for f in range(x.size):
        single[f] = (x[f] - middle[f]) * unit
    _single_distances(values, single, absolute, near)
    last, n = best.size - 1, _size(near.size)
    limit = _single_limit(best[last], x.size, unit, margin, absolute)
    n_near = n_exact = 0
    for j in range(n):
        n_near += near[j] <= limit
    if n_near == 0:
        return 0
    for j in range(n):
        if near[j] <= limit:
            i = members[j]
            if best[last] == 0.0 and i > who[last]:
                break  # as are all later ones
            if fold[i] != fold[query]:
                v = 0.0
                for f in range(x.size):
                    v += _term(samples[i, columns[f]] - x[f], absolute)
                _insert_anywhere(v, i, best, who)
                limit = _single_limit(best[last], x.size, unit, margin, absolute)
                n_exact += 1
    return n_exact


@kernel
def tree_neighbors(tree, fold, queries, order, samples, columns, absolute, nearest):
    """Neighbors under the columns of a tree.

    Parameters
    ----------
    tree : Tree
    fold : int64 array of shape (n_samples,)
        The neighbors of a query are of other folds.
    queries : int64 array of shape (n_queries,)
    order : int64 array of shape (n_queries,)
        The order in which the queries are searched; those of a leaf should follow each other.
    samples : float64 array of shape (n_samples, n_features)
    columns : int64 array of shape (n_columns,)
    absolute : bool
        Whether the metric is Manhattan's; otherwise it is Euclid's.
    nearest : int32 array of shape (n_queries, 1, k)
        Filled with the k nearest samples, nearest first.

    Returns
    -------
    int
        The work: how many differences were computed, or take as long.
    """
    members, values, middle, margin, unit = tree.members, tree.values, tree.middle, tree.margin, tree.unit
    n_branches, n_columns, n_leaves = tree.low.shape
    k = nearest.shape[2]
    leaf_size = members.shape[1]
    xs = np.empty((QUERIES, n_columns))
    bests = np.empty((QUERIES, k))
    whos = np.empty((QUERIES, k), np.int64)
    branch = np.empty((QUERIES, n_branches))
    bound = np.empty((QUERIES, n_leaves))
    searched = np.empty(QUERIES)  # all leaves nearer than that have been searched
    limit = np.empty(QUERIES)
    active = np.empty(QUERIES, np.int64)
    work = np.empty(n_columns, np.float32), np.empty(leaf_size, np.float32)
    n_boxes = n_searched = n_exact = 0
    for first in range(0, queries.size, QUERIES):
        n = min(QUERIES, queries.size - first)
        for g in range(n):
            i = queries[order[first + g]]
            x, best, who, b = xs[g], bests[g], whos[g], tree.leaf[i]
            for f in range(n_columns):
                x[f] = samples[i, columns[f]]
            best[:] = np.inf
            who[:] = fold.size
            searched[g] = -1.0
            n_exact += _search_leaf(
                *(values[b], members[b], middle[b], margin[b], unit),
                *(i, fold, samples, columns, absolute, x, best, who, work),
            )
            _box_distances(tree.branch_low, tree.branch_high, x, absolute, branch[g])
        n_searched += n
        n_boxes += n * n_branches
        for share in SHARES:
            for g in range(n):
                limit[g] = max(searched[g], bests[g, k - 1] * share * _REACH + _TINY)
            for r in range(n_branches):
                n_active = 0
                for g in range(n):
                    if branch[g, r] < limit[g]:
                        active[n_active] = g
                        n_active += 1
                        _box_distances(tree.low[r], tree.high[r], xs[g], absolute, bound[g])
                if n_active == 0:
                    continue
                n_boxes += n_active * n_leaves
                for a in range(n_leaves):
                    b = r * n_leaves + a
                    for p in range(n_active):
                        g = active[p]
                        v = bound[g, a]
                        if not (searched[g] <= v < limit[g]):
                            continue
                        i = queries[order[first + g]]
                        best, who = bests[g], whos[g]
                        ties_count = members[b, 0] < who[k - 1]
                        reach = best[k - 1] * _REACH + _TINY if ties_count else best[k - 1] * _NEARER
                        if v < reach and b != tree.leaf[i]:
                            n_exact += _search_leaf(
                                *(values[b], members[b], middle[b], margin[b], unit),
                                *(i, fold, samples, columns, absolute, xs[g], best, who, work),
                            )
                            n_searched += 1
            for g in range(n):
                searched[g] = limit[g]
        for g in range(n):
            _copy(whos[g], nearest[order[first + g], 0])
    return queries.size * SEARCH + n_columns * (n_searched * leaf_size + n_boxes + 8 * n_exact)
