"""Many small symmetric systems: the normal equations of RANN's output layer."""

import numpy as np

from fscore.kernels._compiled import kernel


@kernel
def solve_grams(gram, share, floor, regular):
    """Solve ``gram[q] @ v = share[q]`` by Cholesky factorization, in place.

    Parameters
    ----------
    gram : float64 array of shape (n_systems, n_columns, n_columns)
        Scalar products of columns; overwritten by the factors.
    share : float64 array of shape (n_systems, n_columns, n_outputs)
        Overwritten by the solutions.
    floor : float
        Smallest share of a column's squared length that may lie outside the span of the columns before it; below it,
        scalar products have too few correct digits.
    regular : bool array of shape (n_systems,)
        Filled: False if a column fell below the floor; that system is not solved.
    """
    n = gram.shape[1]
    for q in range(gram.shape[0]):
        L, v = gram[q], share[q]
        regular[q] = True
        for j in range(n):
            length = L[j, j]
            for i in range(j):
                L[j, j] -= L[j, i] * L[j, i]
            if not L[j, j] > floor * length:
                regular[q] = False
                break
            L[j, j] = np.sqrt(L[j, j])
            for k in range(j + 1, n):
                for i in range(j):
                    L[k, j] -= L[k, i] * L[j, i]
                L[k, j] /= L[j, j]
        if regular[q]:
            for c in range(v.shape[1]):
                for j in range(n):
                    for i in range(j):
                        v[j, c] -= L[j, i] * v[i, c]
                    v[j, c] /= L[j, j]
                for j in range(n - 1, -1, -1):
                    for k in range(j + 1, n):
                        v[j, c] -= L[k, j] * v[k, c]
                    v[j, c] /= L[j, j]
