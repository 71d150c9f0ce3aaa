"""Sums over the p-th nearest neighbors for the Gamma Test of a continuous output.

As in `fscore.kernels.gamma`, subsets come in lexicographic order, and each starts from the distances of the longest
prefix that it shares with the one before.
"""

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels.knn import TIE, _add_one, _restart, _scan

__all__ = ["neighbor_differences"]

_NEARER = 1.0 - TIE


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
        As in `fscore.kernels.gamma.neighbor_sums`.
    near, apart : float64 arrays of shape (n_subsets, p_max)
        Zeros, filled with the sums. Equally distant neighbors share their mean squared difference.
    """
    n = y.size
    depth = 1
    for stored in shared:
        depth = max(depth, stored + 1)
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
                _add_one(X, subset[a], i, False, d, into)
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
