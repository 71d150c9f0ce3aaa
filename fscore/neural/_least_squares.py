"""Linear least squares in which a column that depends on the earlier ones gets no weight (RANN's output layer)."""

import numpy as np
from scipy.linalg.blas import dtrsm

__all__ = ["orthonormal_basis", "right_divided", "triangular_system"]


def triangular_system(O, Y, tol):
    """The least squares of ``O V = Y`` as a triangular system ``R V = Q' Y``, where ``O = Q R``.

    The first h columns of O alone lead to the first h rows and columns of the same system.

    Parameters
    ----------
    O : ndarray of shape (n_samples, n_columns)
        Quickest in Fortran order.
    Y : ndarray of shape (n_samples, n_outputs)
    tol : float
        As in `orthonormal_basis`.

    Returns
    -------
    R : ndarray of shape (n_columns, n_columns)
        Upper triangular; a column left out has 1 on the diagonal and 0 to its right.
    share : ndarray of shape (n_columns, n_outputs)
        ``Q' Y``, zero for a column left out.
    kept : ndarray of shape (n_columns,), bool

    Notes
    -----
    Two Cholesky factorizations of scalar products orthogonalize as well as Householder reflections wherever the first
    leaves columns that are nearly orthonormal: Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, "Roundoff error analysis of
    the CholeskyQR2 algorithm", Electronic Transactions on Numerical Analysis 44 (2015). Elsewhere the columns are
    taken one by one.
    """
    gram = O.T @ O
    try:
        first = np.linalg.cholesky(gram).T
        nearly = right_divided(O, first)
        products = nearly.T @ nearly
        # below 1/2 the columns are independent, with a condition number of at most the square root of 3
        if np.linalg.norm(products - np.eye(len(gram))) < 0.5:
            second = np.linalg.cholesky(products).T
            R = second @ first
            if np.all(np.diagonal(R) > tol * np.sqrt(np.diagonal(gram))):
                share = right_divided(Y.T @ nearly, second).T
                return R, share, np.ones(len(R), dtype=bool)
    except np.linalg.LinAlgError:  # dependent, as far as scalar products can tell
        pass
    Q, R, kept = orthonormal_basis(O, tol)
    return R, Q.T @ Y, kept


def right_divided(O, R):
    """``O inv(R)`` for an upper triangular R, in Fortran order."""
    return dtrsm(1.0, R, O, side=1)


def orthonormal_basis(O, tol):
    """Orthonormal columns spanning those of O, one after the other.

    Parameters
    ----------
    O : ndarray of shape (n_samples, n_columns)
    tol : float
        A column whose distance from the span of those before it is at most ``tol`` times its length depends on them
        and is left out.

    Returns
    -------
    Q : ndarray of shape (n_samples, n_columns)
        Zero in the columns left out.
    R : ndarray of shape (n_columns, n_columns)
        Upper triangular; ``O = Q R`` but for what was neglected. The diagonal is 1 where a column was left out.
    kept : ndarray of shape (n_columns,), bool
    """
    length = np.linalg.norm(O, axis=0)
    Q, R = np.zeros(O.shape, order="F"), np.eye(O.shape[1])
    kept = np.zeros(O.shape[1], dtype=bool)
    for h in range(O.shape[1]):
        basis = Q[:, :h]
        v, share = O[:, h], np.zeros(h)
        for _ in range(2):  # Gram-Schmidt, each column twice: enough for orthogonality to working precision
            part = basis.T @ v
            v = v - basis @ part
            share += part
        rest = np.linalg.norm(v)
        if kept.sum() < len(O) and rest > tol * length[h]:
            Q[:, h], R[:h, h], R[h, h], kept[h] = v / rest, share, rest, True
    return Q, R, kept
