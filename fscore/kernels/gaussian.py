"""Normal-model distances, compiled: along a list of subsets, and in branch and bound.

Along a list of subsets a Cholesky factor grows by a row for each feature that a subset does not share with the one
before.

Branch and bound goes down, by rank-one down-dates of a whitening matrix. For a covariance C over the features S, W
whitens: ``W C W' = I``, so that ``C^-1 = W'W``. The inverse Cholesky factor is one such matrix, and so is Q W for every
orthogonal Q. To remove feature u, a reflection turns column u of W into a multiple of the last unit vector; without its
last row W then whitens S - u. Nothing cancels: removing a feature takes only orthogonal operations, however
ill-conditioned C is.

A stack A of shape (n_terms, n_rows, n_features + n_deltas) holds, for each covariance of the criterion, the rows
``[W | W delta]``. The criterion is the sum over terms of ``q . (delta' C^-1 delta) + g ln|C|``.
"""

import numpy as np

from fscore.kernels._compiled import kernel


@kernel
def subset_values(C, members, deltas, q, g, indptr, columns, shared, out):
    """Values of the subsets ``columns[indptr[a]:indptr[a + 1]]``, added to ``out``.

    With ``C_S = L L'``, L lower triangular, and ``L z = delta``, the form is the sum of squares of z and the
    determinant the product of those of L's diagonal: another feature adds a row to L, an entry to z, a term to both.

    Parameters
    ----------
    C : float64 array of shape (n_covariances, n_features, n_features)
    members : int64 array of shape (n_terms, 2)
        The covariance of a term is the mean of these two.
    deltas : float64 array of shape (n_terms, n_deltas, n_features)
    q, g : float64 arrays of shape (n_terms, n_deltas) and (n_terms,)
    indptr, columns : int64 arrays
    shared : int64 array of shape (n_subsets,)
        How many leading columns a subset has in common with the one before.
    out : float64 array of shape (n_subsets,)

    Returns
    -------
    int
        The first subset with a singular covariance, or -1.
    """
    n_deltas = q.shape[1]
    longest = 0
    for a in range(shared.size):
        longest = max(longest, indptr[a + 1] - indptr[a])
    upper = np.empty((longest, longest))  # L', so that the inner loop runs along a row
    row = np.empty(longest)
    z = np.empty((longest, n_deltas))
    total = np.zeros(longest + 1)
    for term in range(g.size):
        one, other = C[members[term, 0]], C[members[term, 1]]
        for a in range(shared.size):
            S = columns[indptr[a] : indptr[a + 1]]
            for m in range(shared[a], S.size):
                c = S[m]
                for r in range(m):
                    row[r] = 0.5 * (one[c, S[r]] + other[c, S[r]])
                pivot = 0.5 * (one[c, c] + other[c, c])
                for r in range(m):
                    row[r] /= upper[r, r]
                    x = row[r]
                    for s in range(r + 1, m):
                        row[s] -= upper[r, s] * x
                    pivot -= x * x
                    upper[r, m] = x
                if not pivot > 0.0:
                    return a
                upper[m, m] = np.sqrt(pivot)
                total[m + 1] = total[m] + g[term] * np.log(pivot)
                for k in range(n_deltas):
                    if q[term, k] != 0.0:
                        rest = deltas[term, k, c]
                        for r in range(m):
                            rest -= row[r] * z[r, k]
                        z[m, k] = rest / upper[m, m]
                        total[m + 1] += q[term, k] * z[m, k] ** 2
            out[a] += total[S.size]
    return -1


@kernel
def removal_values(A, m, q, g, value, out):
    """``out[u]`` = the criterion without feature u, where ``value`` is that with it; A has m rows.

    ``|C_{S-u}| = |C_S| w'w`` and the quadratic form loses ``(w'z)^2 / w'w``, with w column u of W and ``z = W delta``.
    """
    n_deltas = q.shape[1]
    D = A.shape[2] - n_deltas
    square, product = np.empty(D), np.empty(D)
    out[:] = value
    for term in range(A.shape[0]):
        square[:] = 0.0
        for r in range(m):
            row = A[term, r]
            for u in range(D):
                square[u] += row[u] * row[u]
        if g[term] != 0.0:
            for u in range(D):
                out[u] += g[term] * np.log(square[u])
        for k in range(n_deltas):
            if q[term, k] != 0.0:
                product[:] = 0.0
                for r in range(m):
                    row = A[term, r]
                    z = row[D + k]
                    for u in range(D):
                        product[u] += row[u] * z
                for u in range(D):
                    out[u] -= q[term, k] * product[u] * product[u] / square[u]


@kernel
def remove(A, m, u, out):
    """The stack without feature u, of m - 1 rows, into ``out``; column u is zero there."""
    n = A.shape[2]
    s = np.empty(n)
    for term in range(A.shape[0]):
        norm = 0.0
        for r in range(m):
            norm += A[term, r, u] ** 2
        last = A[term, m - 1, u]
        norm = -np.sqrt(norm) if last > 0.0 else np.sqrt(norm)
        # the reflection I - v v' / (v'v / 2) with v = w - norm e_last; its last row is never used
        row = A[term, m - 1]
        for c in range(n):
            s[c] = (last - norm) * row[c]
        for r in range(m - 1):
            row = A[term, r]
            for c in range(n):
                s[c] += row[u] * row[c]
        half = norm * (norm - last)
        for r in range(m - 1):
            row, to = A[term, r], out[term, r]
            factor = row[u] / half
            for c in range(n):
                to[c] = row[c] - factor * s[c]
            to[u] = 0.0


@kernel
def branch_and_bound(A, q, g, removable, state, values, at, order, length, child, removed, best, bound, limit):
    """Branch and bound on the tree of `fscore.search.BranchAndBound` to its end or until a node would exceed ``limit``.

    Parameters
    ----------
    A : float64 array of shape (n_removed + 1, n_terms, n_features, n_features + n_deltas)
        The stack of each level; the first is given.
    removable : int64 array of shape (n_removed + 1, n_features)
        Per level, what may be removed there; the first row is given.
    state : int64 array of shape (2,)
        The level and whether its node is still to be scored (1) or not (0).
    values, at : float64 arrays of shape (n_removed + 1, n_features) and (n_removed + 1,)
        Value of each removal from the level's node, and of the node; ``at[0]`` is given.
    order, length, child, removed : int64 arrays with one row or entry per level
        Removals above the bound by ascending value, their number (``length[0]``: of ``removable``), the next to be
        tried, and the one taken.
    best : int64 array of shape (n_removed,)
        The removals that lead to the best subset so far.
    bound : float
        Its value.
    limit : int
        How many subsets may be scored.

    Returns
    -------
    n_valued, bound
        All arrays hold the state from which the next call continues; at the end ``state[0] < 0``.
    """
    n_removed = A.shape[0] - 1
    D = removable.shape[1]
    level, fresh = state[0], state[1] == 1
    n_valued = 0
    while level >= 0:
        remaining = n_removed - level
        if fresh:
            if n_valued + length[level] > limit:
                break
            n_valued += length[level]
            removal_values(A[level], D - level, q, g, at[level], values[level])
            # a removal that does not exceed the bound is never made below this node
            c = 0
            for a in range(length[level]):
                u = removable[level, a]
                v = values[level, u]
                if v > bound:
                    p = c
                    while p > 0 and values[level, order[level, p - 1]] > v:
                        order[level, p] = order[level, p - 1]
                        p -= 1
                    order[level, p] = u
                    c += 1
            length[level] = c
            child[level] = c - remaining
            fresh = False
            if remaining == 1 and c > 0:
                removed[level] = order[level, c - 1]
                for a in range(n_removed):
                    best[a] = removed[a]
                bound = values[level, removed[level]]
        a = child[level]
        if remaining == 1 or a < 0 or values[level, order[level, a]] <= bound:
            level -= 1  # the remaining children have even lower values
            continue
        u = order[level, a]
        child[level] -= 1
        removed[level] = u
        remove(A[level], D - level, u, A[level + 1])
        at[level + 1] = values[level, u]
        length[level + 1] = length[level] - a - 1
        for p in range(length[level + 1]):
            removable[level + 1, p] = order[level, a + 1 + p]
        level += 1
        fresh = True
    state[0], state[1] = level, fresh
    return n_valued, bound
