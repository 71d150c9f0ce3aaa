"""Leave-fold-out nearest neighbors for "S plus each of these" and "S minus each of these".

The distance of two samples is the sum of the squares of their differences, or, under the Manhattan metric, of the
absolute differences. The functions handle one query at a time: its distances under S are computed, used for every
candidate and discarded, so memory is O(N) per thread for any number of candidates. All public functions release the
GIL. What the neighbors predict is left to `fscore.kernels.knn_outputs`.

Two facts make the Euclidean and the Manhattan metric fast:

- Adding features can only increase a distance. The ``n_listed`` nearest training samples under S, in ascending order,
  are visited until the next distance under S alone exceeds the k-th best distance found: no sample beyond it can be
  among the k nearest. If the list ends earlier, all samples are scanned, with the k-th best so far as the threshold.
- A full scan with a good threshold is a vectorized count of the distances below it per chunk, which is mostly zero.

Ties. Distances that agree to a relative ``TIE`` count as equal, and among equals the earlier training sample counts as
nearer. The tolerance is far above rounding errors (so a subset gets the same neighbors by every function) and far
below any meaningful difference.
"""

import numpy as np

from fscore.kernels._compiled import helper, kernel

TIE = 1e-12
_NEARER = 1.0 - TIE  # v < _NEARER * b : strictly nearer
_REACH = 1.0 + 4.0 * TIE  # admits everything that ties with a threshold
_TINY = np.finfo(np.float64).tiny
_EPS = np.finfo(np.float64).eps
unsigned = np.uint64  # of indices, so that the compiler can vectorize
_CHUNK = unsigned(32)
_BLOCK = 8  # listed neighbors visited between two checks for certainty
_LISTING = 4  # cost of listing the nearest under S, in differences for each sample
_VISIT = 64  # cost of one step in sorted order, in differences


@helper
def _term(t, manhattan):
    """What a difference t in one feature adds to a distance."""
    return abs(t) if manhattan else t * t


@helper
def _insert(v, j, best, who):
    """Insert sample j at distance v into the ascending list; j is greater than the index of every tie."""
    p = best.size - 1
    while p > 0 and v < best[p - 1] * _NEARER:
        best[p] = best[p - 1]
        who[p] = who[p - 1]
        p -= 1
    best[p] = v
    who[p] = j


@helper
def _is_nearer(v, j, other_v, other_j):
    """Whether sample j at distance v is nearer than another, for samples that arrive in any order."""
    return (v < other_v * _NEARER) | ((v * _NEARER <= other_v) & (j < other_j))


@helper
def _insert_anywhere(v, j, best, who):
    """Insert sample j at distance v into the ascending list; samples arrive in any order."""
    p = best.size - 1
    if not _is_nearer(v, j, best[p], who[p]):
        return
    while p > 0 and _is_nearer(v, j, best[p - 1], who[p - 1]):
        best[p] = best[p - 1]
        who[p] = who[p - 1]
        p -= 1
    best[p] = v
    who[p] = j


@helper
def _scan(d, best, who):
    """Fill the list with the nearest of all samples; its initial last entry is the threshold."""
    n = unsigned(d.size)
    for lo in range(unsigned(0), n, _CHUNK):
        hi = min(lo + _CHUNK, n)
        threshold = best[best.size - 1] * _NEARER
        below = 0
        for j in range(lo, hi):
            below += d[j] < threshold
        if below > 0:
            for j in range(lo, hi):
                if d[j] < best[best.size - 1] * _NEARER:
                    _insert(d[j], j, best, who)


@helper
def _scan_one(d, row, x, manhattan, best, who):
    """``_scan`` of d with the terms of one feature, whose values are ``row`` and at the query x, in one pass."""
    n = unsigned(d.size)
    for lo in range(unsigned(0), n, _CHUNK):
        hi = min(lo + _CHUNK, n)
        threshold = best[best.size - 1] * _NEARER
        below = 0
        for j in range(lo, hi):
            below += d[j] + _term(row[j] - x, manhattan) < threshold
        j = lo
        while below > 0:
            v = d[j] + _term(row[j] - x, manhattan)
            if v < threshold:
                below -= 1
                if v < best[best.size - 1] * _NEARER:
                    _insert(v, j, best, who)
            j += unsigned(1)


@helper
def _sift(v, j, n, best, who):
    """Insert sample j for each of n candidates at once: v[a] is its distance, and best[:, a] ascends.

    The comparisons of `_insert_anywhere`, without branches, so that one instruction serves eight candidates: the sample
    replaces the last one, and moves up until it does so for no candidate.
    """
    p = best.shape[0] - 1
    n_moved = 0
    for a in range(unsigned(n)):
        x, b, w = v[a], best[p, a], who[p, a]
        nearer = _is_nearer(x, j, b, w)
        best[p, a] = x if nearer else b
        who[p, a] = j if nearer else w
        n_moved += nearer
    while n_moved > 0 and p > 0:
        n_moved = 0
        for a in range(unsigned(n)):
            x, b = best[p, a], best[p - 1, a]
            i, w = who[p, a], who[p - 1, a]
            nearer = _is_nearer(x, i, b, w)
            best[p - 1, a] = x if nearer else b
            best[p, a] = b if nearer else x
            who[p - 1, a] = i if nearer else w
            who[p, a] = w if nearer else i
            n_moved += nearer
        p -= 1


@helper
def _restart(best, who, threshold):
    for p in range(best.size):
        best[p] = threshold
        who[p] = -1


@helper
def _copy(values, out):
    for p in range(out.size):
        out[p] = values[p]


@helper
def _add_terms(X, f, i, manhattan, out):
    """out += terms of feature f at sample i."""
    row = X[f]
    x = row[i]
    for j in range(out.size):
        out[j] += _term(row[j] - x, manhattan)


@helper
def _with_terms(X, f, i, manhattan, d, out):
    """out = d + terms of feature f at sample i."""
    row = X[f]
    x = row[i]
    for j in range(out.size):
        out[j] = d[j] + _term(row[j] - x, manhattan)


@helper
def _add_terms_of_all(X, S, i, manhattan, d):
    """d += terms of the features S at sample i, four at a time."""
    n = unsigned(d.size)
    whole = S.size - S.size % 4
    for a in range(0, whole, 4):
        e, f, g, h = S[a], S[a + 1], S[a + 2], S[a + 3]
        xe, xf, xg, xh = X[e, i], X[f, i], X[g, i], X[h, i]
        for j in range(n):
            te, tf = _term(X[e, j] - xe, manhattan), _term(X[f, j] - xf, manhattan)
            tg, th = _term(X[g, j] - xg, manhattan), _term(X[h, j] - xh, manhattan)
            d[j] += te + tf + (tg + th)
    for a in range(whole, S.size):
        _add_terms(X, S[a], i, manhattan, d)


@helper
def _distances(X, fold, S, i, manhattan, d):
    """Distances to sample i over the features S; infinite within the query's own fold."""
    d[:] = 0.0
    _add_terms_of_all(X, S, i, manhattan, d)
    _hide(d, fold, i)


@helper
def _collect(d, near, who_near, first):
    """Collect the samples below a threshold; return their number and the threshold.

    The threshold is the ``first.size``-th smallest of every ``stride``-th distance, so about ``stride * first.size``
    samples are found; none if they do not fit. No other sample is nearer than the threshold.
    """
    stride = unsigned(max(1, near.size // (4 * first.size)))
    n = unsigned(d.size)
    first[:] = np.inf
    for j in range(unsigned(0), n, stride):
        x = d[j]
        if x < first[first.size - 1]:
            p = first.size - 1
            while p > 0 and x < first[p - 1]:
                first[p] = first[p - 1]
                p -= 1
            first[p] = x
    threshold = first[first.size - 1]
    n_near = unsigned(0)
    for lo in range(unsigned(0), n, _CHUNK):
        hi = min(lo + _CHUNK, n)
        below = 0
        for j in range(lo, hi):
            below += d[j] < threshold
        if below > 0:
            if n_near + _CHUNK > near.size:
                return 0, -np.inf  # too many samples: the threshold was a bad estimate
            for j in range(lo, hi):  # without a branch: a sample above the threshold is overwritten
                near[n_near] = d[j]
                who_near[n_near] = j
                n_near += unsigned(d[j] < threshold)
    return np.int64(n_near), threshold


@helper
def _sort(near, who_near, n_near, by_distance, who):
    """Sort what was found by distance: the rank of each is how many are smaller, counted without branches."""
    n = unsigned(n_near)
    for a in range(n):
        x = near[a]
        rank = unsigned(0)
        for b in range(n):
            rank += unsigned(near[b] < x)
        for b in range(a):
            rank += unsigned(near[b] == x)
        by_distance[rank] = x
        who[rank] = who_near[a]


@helper
def _hide(d, fold, i):
    """Exclude the query's own fold from the training samples."""
    fold_of_query = fold[i]
    for j in range(d.size):
        d[j] = np.inf if fold[j] == fold_of_query else d[j]


@helper
def _keep(who, lanes, candidates, n, nearest):
    """nearest[candidates[r]] = who[:, lanes[r]] for r < n."""
    for r in range(unsigned(n)):
        neighbors, a = nearest[candidates[r]], lanes[r]
        for m in range(neighbors.size):
            neighbors[m] = who[m, a]


@kernel
def add_neighbors(X, fold, queries, S, indptr, columns, manhattan, samples, n_listed, nearest):
    """Neighbors under S + each candidate.

    Parameters
    ----------
    X : float64 array of shape (n_features, n_samples)
        Feature-major: one feature's values lie side by side.
    fold : int64 array of shape (n_samples,)
        The neighbors of a query are of other folds.
    queries : int64 array of shape (n_queries,)
        The samples whose neighbors are asked for.
    S : int64 array
        Columns all candidates share; may be empty.
    indptr, columns : int64 arrays
        Candidate q adds ``columns[indptr[q]:indptr[q + 1]]``.
    manhattan : bool
        Whether the metric is Manhattan's; otherwise it is Euclid's.
    samples : float64 array of shape (n_samples, n_features)
        X transposed, so that each listed neighbor's values are contiguous.
    n_listed : int
        About how many neighbors under S to visit before a full scan; any number gives the same result.
    nearest : int32 array of shape (n_queries, n_candidates, k)
        Filled with the k nearest samples, nearest first.

    Returns
    -------
    int
        The work, in differences: those that were computed, and what takes as long as so many.
    """
    n = fold.size
    k = nearest.shape[2]
    n_candidates = indptr.size - 1
    d = np.empty(n)
    rest = np.empty(n)
    near = np.empty(4 * n_listed + _CHUNK)
    who_near = np.empty(4 * n_listed + _CHUNK, np.int64)
    by_distance, who_listed = np.empty(near.size), np.empty(near.size, np.int64)
    first = np.empty(_BLOCK // 2)
    open_ = np.empty(n_candidates, np.int64)  # candidates whose neighbors are not yet certain
    closed = np.empty(n_candidates, np.int64)
    lanes = np.empty(n_candidates, np.int64)
    last = np.empty(n_candidates, np.int64)  # of the columns that each open candidate adds
    x = np.empty(n_candidates)  # the query's value in it
    v = np.empty(n_candidates)
    best = np.empty((k, n_candidates))
    who = np.empty((k, n_candidates), np.int64)
    one = np.empty(k)
    who_one = np.empty(k, np.int64)
    n_terms = queries.size * (S.size + _LISTING)  # for each sample
    for number in range(queries.size):
        i = queries[number]
        _distances(X, fold, S, i, manhattan, d)
        n_near, threshold = _collect(d, near, who_near, first)
        _sort(near, who_near, n_near, by_distance, who_listed)
        n_open = n_candidates
        for q in range(n_candidates):
            open_[q] = q
            last[q] = columns[indptr[q + 1] - 1]
            x[q] = samples[i, last[q]]
        best[:] = np.inf
        who[:] = n
        done = 0
        while n_open > 0 and done < n_near:
            for p in range(done, min(done + _BLOCK, n_near)):
                j = who_listed[p]
                for a in range(unsigned(n_open)):
                    v[a] = by_distance[p] + _term(samples[j, last[a]] - x[a], manhattan)
                if columns.size > n_candidates:  # some add several
                    for a in range(n_open):
                        for c in range(indptr[open_[a]], indptr[open_[a] + 1] - 1):
                            v[a] += _term(samples[j, columns[c]] - samples[i, columns[c]], manhattan)
                _sift(v, j, n_open, best, who)
            done = min(done + _BLOCK, n_near)
            beyond = (by_distance[done] if done < n_near else threshold) * _NEARER
            still = unsigned(0)
            sure = unsigned(0)
            for a in range(unsigned(n_open)):  # without a branch, as in `_collect`
                lanes[sure] = a
                closed[sure] = open_[a]
                sure += unsigned(best[k - 1, a] < beyond)
            _keep(who, lanes, closed, sure, nearest[number])
            for a in range(unsigned(n_open)):
                open_[still] = open_[a]
                last[still] = last[a]
                x[still] = x[a]
                certain = best[k - 1, a] < beyond
                for m in range(k):
                    best[m, still] = best[m, a]
                    who[m, still] = who[m, a]
                still += unsigned(not certain)
            n_open = np.int64(still)
        for a in range(n_open):
            q = open_[a]
            _restart(one, who_one, best[k - 1, a] * _REACH + _TINY)
            t, f, others = d, columns[indptr[q + 1] - 1], columns[indptr[q] : indptr[q + 1] - 1]
            n_terms += 2 + others.size
            if others.size > 0:
                _copy(d, rest)
                _add_terms_of_all(X, others, i, manhattan, rest)
                t = rest
            _scan_one(t, X[f], X[f, i], manhattan, one, who_one)
            _copy(who_one, nearest[number, q])
    return n * n_terms


@helper
def _extremes(row):
    lowest, highest = row[0], row[0]
    for x in row:
        lowest, highest = min(lowest, x), max(highest, x)
    return lowest, highest


@helper
def _distance_without(samples, i, j, S, p0, p1, positions, manhattan):
    """Distance over S without ``S[positions[p0:p1]]``, computed from the data."""
    total = 0.0
    p = p0
    for a in range(S.size):
        if p < p1 and positions[p] == a:
            p += 1
        else:
            total += _term(samples[j, S[a]] - samples[i, S[a]], manhattan)
    return total


@helper
def _scan_less(d, t, slack, samples, i, S, p0, p1, positions, manhattan, best, who):
    """Insert those of ``d - t`` that are nearer than the k-th best known, as `drop_neighbors` describes."""
    n = unsigned(d.size)
    for lo in range(unsigned(0), n, _CHUNK):
        hi = min(lo + _CHUNK, n)
        reach = best[best.size - 1] * _REACH + _TINY
        below = 0
        for j in range(lo, hi):
            below += d[j] * (1.0 - slack) - t[j] < reach
        if below > 0:
            for j in range(lo, hi):
                if d[j] * (1.0 - slack) - t[j] < reach:
                    v = d[j] - t[j]
                    if d[j] * slack > 0.1 * TIE * v:
                        v = _distance_without(samples, i, np.int64(j), S, p0, p1, positions, manhattan)
                    _insert_anywhere(v, np.int64(j), best, who)


@kernel
def drop_neighbors(X, fold, queries, S, indptr, positions, manhattan, samples, n_listed, nearest):
    """Neighbors under S minus each candidate, which drops ``S[positions[indptr[q]:indptr[q + 1]]]``, ascending.

    The nearest under S come first: their distances without the dropped features are a good threshold for the others,
    few of which are nearer. The others are skipped if even the smallest of their distances under S, minus the greatest
    possible difference in the dropped features, exceeds the threshold.

    A difference ``d_S - t`` cancels: small results have large relative errors. So it only serves to skip samples that
    exceed the threshold for any rounding error; of the few others, those whose error may exceed a tenth of ``TIE`` are
    computed from the data. Other parameters as in `add_neighbors`.
    """
    n = fold.size
    k = nearest.shape[2]
    n_candidates = indptr.size - 1
    columns, lowest, highest = np.empty(positions.size, np.int64), np.empty(positions.size), np.empty(positions.size)
    for c in range(positions.size):
        columns[c] = S[positions[c]]
        lowest[c], highest[c] = _extremes(X[columns[c]])
    last = np.empty(n_candidates, np.int64)  # of the columns that each candidate drops
    for q in range(n_candidates):
        last[q] = columns[indptr[q + 1] - 1]
    slack = 2.0 * (S.size + 2) * _EPS
    d = np.empty(n)
    t = np.empty(n)
    near = np.empty(4 * n_listed + _CHUNK)
    who_near = np.empty(4 * n_listed + _CHUNK, np.int64)
    first = np.empty(_BLOCK // 2)
    v = np.empty(n_candidates)
    best = np.empty((k, n_candidates))
    who = np.empty((k, n_candidates), np.int64)
    one = np.empty(k)
    who_one = np.empty(k, np.int64)
    n_terms = queries.size * (S.size + _LISTING)  # for each sample
    for number in range(queries.size):
        i = queries[number]
        _distances(X, fold, S, i, manhattan, d)
        n_near, threshold = _collect(d, near, who_near, first)
        best[:] = np.inf
        who[:] = n
        for p in range(n_near):
            j = who_near[p]
            d[j] = np.inf
            for q in range(unsigned(n_candidates)):
                v[q] = near[p] - _term(samples[j, last[q]] - samples[i, last[q]], manhattan)
            if columns.size > n_candidates:  # some drop several
                for q in range(n_candidates):
                    for c in range(indptr[q], indptr[q + 1] - 1):
                        v[q] -= _term(samples[j, columns[c]] - samples[i, columns[c]], manhattan)
            least = near[p] * slack / (0.1 * TIE)
            for q in range(n_candidates):
                if v[q] < least:
                    p0, p1 = indptr[q], indptr[q + 1]
                    v[q] = _distance_without(samples, i, j, S, p0, p1, positions, manhattan)
            _sift(v, j, n_candidates, best, who)
        for q in range(n_candidates):
            p0, p1 = indptr[q], indptr[q + 1]
            greatest = 0.0
            for c in range(p0, p1):
                x = samples[i, columns[c]]
                greatest += _term(max(highest[c] - x, x - lowest[c]), manhattan)
            for m in range(k):
                one[m], who_one[m] = best[m, q], who[m, q]
            if not threshold * (1.0 - slack) - greatest > one[k - 1] * _REACH:
                n_terms += 2 + p1 - p0
                t[:] = 0.0
                for c in range(p0, p1):
                    _add_terms(X, columns[c], i, manhattan, t)
                _scan_less(d, t, slack, samples, i, S, p0, p1, positions, manhattan, one, who_one)
            _copy(who_one, nearest[number, q])
    return n * n_terms


@helper
def _depth(shared):
    """For how many prefixes of the subsets of a walk distances are stored, the empty one included."""
    depth = 1
    for stored in shared:
        depth = max(depth, stored + 1)
    return depth


@kernel
def subset_neighbors(X, fold, queries, indptr, columns, shared, manhattan, nearest):
    """Neighbors under each subset ``columns[indptr[q]:indptr[q + 1]]``, a walk on the subset tree.

    The distances under the leading columns that a subset shares with the next are kept: in a lexicographic list each
    subset adds one feature to known distances, and nothing is subtracted. The neighbors under one subset give a
    threshold for the next: fewer than k samples can be nearer than the farthest of k.

    Parameters
    ----------
    shared : int64 array of shape (n_subsets,)
        How many leading columns subset q has in common with the one before. Other parameters as in `add_neighbors`.
    """
    k = nearest.shape[2]
    n_subsets = shared.size
    depth = _depth(shared)
    prefix = np.empty((depth, fold.size))  # prefix[a] has the distances under the first a columns
    rest = np.empty(fold.size)
    best = np.empty(k)
    who = np.empty(k, np.int64)
    n_terms = 0  # for each sample
    for number in range(queries.size):
        i = queries[number]
        prefix[0] = 0.0
        _hide(prefix[0], fold, i)
        for q in range(n_subsets):
            S = columns[indptr[q] : indptr[q + 1]]
            known = shared[q]
            n_terms += S.size - known + 2
            if q + 1 < n_subsets:
                while known < shared[q + 1]:
                    _with_terms(X, S[known], i, manhattan, prefix[known], prefix[known + 1])
                    known += 1
            d = prefix[known]
            if known < S.size - 1:
                _copy(d, rest)
                _add_terms_of_all(X, S[known : S.size - 1], i, manhattan, rest)
                d = rest
            last = known < S.size
            f = S[S.size - 1]
            reach = np.inf
            if q > 0:
                reach = 0.0
                for m in range(k):
                    t = X[f, who[m]] - X[f, i] if last else 0.0
                    reach = max(reach, d[who[m]] + _term(t, manhattan))
                reach = reach * _REACH + _TINY
            _restart(best, who, reach)
            if last:
                _scan_one(d, X[f], X[f, i], manhattan, best, who)
            else:
                _scan(d, best, who)
            _copy(who, nearest[number, q])
    return fold.size * n_terms


@kernel
def single_neighbors(x, order, fold, queries, manhattan, nearest):
    """Neighbors under a single feature, by visiting the samples outward from each query in sorted order.

    Parameters
    ----------
    x : float64 array of shape (n_samples,)
    order : int64 array of shape (n_samples,)
        Stable argsort of x.
    nearest : int32 array of shape (n_queries, 1, k)
        Other parameters as in `add_neighbors`.
    """
    n = fold.size
    k = nearest.shape[2]
    position = np.empty(n, np.int64)
    for p in range(n):
        position[order[p]] = p
    best = np.empty(k)
    who = np.empty(k, np.int64)
    n_visited = 0
    for number in range(queries.size):
        i = queries[number]
        _restart(best, who, np.inf)
        left = position[i] - 1
        right = position[i] + 1
        while left >= 0 or right < n:
            a = x[i] - x[order[left]] if left >= 0 else np.inf
            b = x[order[right]] - x[i] if right < n else np.inf
            if a <= b:
                v, j = _term(a, manhattan), order[left]
                left -= 1
            else:
                v, j = _term(b, manhattan), order[right]
                right += 1
            n_visited += 1
            if v * _NEARER > best[k - 1]:
                break
            if fold[j] != fold[i]:
                _insert_anywhere(v, j, best, who)
        _copy(who, nearest[number, 0])
    return _VISIT * n_visited
