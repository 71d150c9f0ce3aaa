"""Linear least squares in which a column that depends on earlier ones has weight zero (RANN's output layer)."""

import numpy as np
from scipy.linalg.blas import dtrsm

__all__ = ["orthonormal_basis", "right_divided", "triangular_system"]


def triangular_system(O, Y, tol):
    """The least-squares problem ``O V = Y`` as a triangular system ``R V = Q' Y``, where ``O = Q R``.

    The system of the first h columns of O consists of the first h rows and columns of this one.

    Parameters
    ----------
    O : ndarray of shape (n_samples, n_columns)
        Fastest in Fortran order.
    Y : ndarray of shape (n_samples, n_outputs)
    tol : float
        As in `orthonormal_basis`.

    Returns
    -------
    R : ndarray of shape (n_columns, n_columns)
        Upper triangular; an omitted column has 1 on the diagonal and 0 to its right.
    share : ndarray of shape (n_columns, n_outputs)
        ``Q' Y``, zero for an omitted column.
    kept : ndarray of shape (n_columns,), bool

    Notes
    -----
    Two Cholesky factorizations of Gram matrices orthogonalize as accurately as Householder reflections if the columns
    are nearly orthonormal after the first: Yamamoto, Nakatsukasa, Yanagisawa, Fukaya, "Roundoff error analysis of
    the CholeskyQR2 algorithm", Electronic Transactions on Numerical Analysis 44 (2015). Otherwise the columns are
    orthogonalized one by one.
    """
    gram = O.T @ O
    try:
        first = np.linalg.cholesky(gram).T
        nearly = right_divided(O, first)
        products = nearly.T @ nearly
        # if less than 1/2, the columns are independent and their condition number is at most the square root of 3
        if np.linalg.norm(products - np.eye(len(gram))) < 0.5:
            second = np.linalg.cholesky(products).T
            R = second @ first
            if np.all(np.diagonal(R) > tol * np.sqrt(np.diagonal(gram))):
                share = right_divided(Y.T @ nearly, second).T
                return R, share, np.ones(len(R), dtype=bool)
    except np.linalg.LinAlgError:  # dependent to the accuracy of the Gram matrix
        pass
    Q, R, kept = orthonormal_basis(O, tol)
    return R, Q.T @ Y, kept


def right_divided(O, R):
    """``O inv(R)`` for an upper triangular R, in Fortran order."""
    return dtrsm(1.0, R, O, side=1)


def orthonormal_basis(O, tol):
    """Orthonormal basis of the columns of O by Gram-Schmidt orthogonalization.

    Parameters
    ----------
    O : ndarray of shape (n_samples, n_columns)
    tol : float
        A column is omitted as dependent if its distance from the span of the earlier ones is at most ``tol`` times its
        length.

    Returns
    -------
    Q : ndarray of shape (n_samples, n_columns)
        Zero in omitted columns.
    R : ndarray of shape (n_columns, n_columns)
        Upper triangular; ``O = Q R`` except for omitted columns, where the diagonal is 1.
    kept : ndarray of shape (n_columns,), bool
    """
    length = np.linalg.norm(O, axis=0)
    Q, R = np.zeros(O.shape, order="F"), np.eye(O.shape[1])
    kept = np.zeros(O.shape[1], dtype=bool)
    for h in range(O.shape[1]):
        basis = Q[:, :h]
        v, share = O[:, h], np.zeros(h)
        for _ in range(2):  # Gram-Schmidt twice gives orthogonality to working precision
            part = basis.T @ v
            v = v - basis @ part
            share += part
        rest = np.linalg.norm(v)
        if kept.sum() < len(O) and rest > tol * length[h]:
            Q[:, h], R[:h, h], R[h, h], kept[h] = v / rest, share, rest, True
    return Q, R, kept
