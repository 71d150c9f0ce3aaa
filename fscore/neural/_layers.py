"""The random hidden layer of RANN, and its output layer fitted by least squares, for one or several sizes."""

from functools import lru_cache

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dtrsm
from scipy.stats import qmc
from sklearn.utils import check_random_state

SOBOL_BITS = 30  # of a coordinate
ROUNDING = 1e-9  # outputs that differ by less are equal


def largest_input(scale):
    """The largest values whose weighted sums don't overflow."""
    return 1e300 / max(1.0, scale)


def hidden_weights(n_features, n_hidden, weights="sobol", scale=1.0, random_state=None):
    """First-layer weights, uniform on [-scale, scale]; the first h neurons are the same for every ``n_hidden`` >= h.

    Parameters
    ----------
    n_features, n_hidden : int
    weights : {"sobol", "random"}
        A scrambled Sobol sequence in ``n_features + 1`` dimensions, one point per neuron; or independent numbers.
    scale : float
    random_state : int, RandomState instance or None

    Returns
    -------
    ndarray of shape (n_features + 1, n_hidden)
        The last row belongs to the bias input.
    """
    rng = check_random_state(random_state)
    if weights == "random":
        unit = rng.uniform(size=(n_hidden, n_features + 1))
    elif n_features >= qmc.Sobol.MAXDIM:
        raise ValueError(
            f"weights='sobol' takes at most {qmc.Sobol.MAXDIM - 1} features, but X has {n_features}; use 'random'."
        )
    else:
        unit = scrambled_sobol(n_hidden, n_features + 1, np.random.default_rng(rng.randint(2**31)))
    return scale * (2 * unit.T - 1)


def scrambled_sobol(n_points, n_dimensions, rng):
    """The first points of ``scipy.stats.qmc.Sobol(n_dimensions, rng=rng)``, without scrambling those that follow.

    Scrambling multiplies the bits of a coordinate by a random lower triangular matrix and flips some (Matousek 1998).
    The first 2^m points have m bits before scrambling, so m columns of each matrix suffice.

    Returns
    -------
    ndarray of shape (n_points, n_dimensions)
    """
    m = (int(n_points) - 1).bit_length()
    plain = _leading_bits(m, n_dimensions)[:n_points]
    rng = rng.spawn(1)[0]
    place = 2 ** np.arange(SOBOL_BITS, dtype=np.uint32)
    points = rng.integers(2, size=(n_dimensions, SOBOL_BITS), dtype=np.uint32) @ place
    matrices = rng.integers(2, size=(n_dimensions, SOBOL_BITS, SOBOL_BITS), dtype=np.uint32)[:, :, :m]
    matrices = np.tril(matrices, -1) | np.eye(SOBOL_BITS, m, dtype=np.uint32)
    columns = place[::-1] @ matrices  # (n_dimensions, m)
    for bit in range(m):
        points = points ^ columns[:, bit] * (plain >> (m - 1 - bit) & 1)
    return np.broadcast_to(points, plain.shape) / 2**SOBOL_BITS


@lru_cache(maxsize=2)
def _leading_bits(m, n_dimensions):
    """The first 2^m points of the Sobol sequence, in units of 2^-m."""
    return (qmc.Sobol(n_dimensions, scramble=False).random_base2(m) * 2**m).astype(np.uint32)


def hidden_outputs(X, W, output_bias):
    """Equation 6.2 with the bias input: tanh(X W), preceded by a column of ones if the output layer has a bias."""
    O = W[:-1].T @ X.T  # the outputs of one neuron are contiguous
    O += W[-1][:, None]
    np.tanh(O, out=O)
    return np.vstack([np.ones(len(X)), O]).T if output_bias else O.T


def signed_targets(codes, n_classes):
    """One target per class, +1 for its members and -1 for the others; a single target for two classes."""
    targets = np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)
    return targets[:, 1:] if n_classes == 2 else targets


def winners(outputs):
    """Class numbers by outputs (last axis): the sign of a single one, or the largest; of equal ones the lowest."""
    if outputs.shape[-1] == 1:
        return (outputs[..., 0] > ROUNDING).astype(np.intp)
    return (outputs > outputs.max(axis=-1, keepdims=True) - ROUNDING).argmax(axis=-1)


def output_weights(O, targets, tol):
    """Equation 6.4: weights of the output layer by least squares, and which neurons (and bias) have one.

    Parameters
    ----------
    O : ndarray of shape (n_samples, n_columns)
    targets : ndarray of shape (n_samples, n_outputs)
    tol : float

    Returns
    -------
    V : ndarray of shape (n_columns, n_outputs)
    kept : ndarray of shape (n_columns,), bool
    """
    R, share, kept = triangular_system(O, targets, tol)
    return solve_triangular(R, share), kept


def predict_truncations(O, targets, O_test, sizes, tol):
    """Class numbers that the networks with only the first h columns of O give a test sample, for each h of ``sizes``.

    With ``O = Q R``, the outputs are ``O_test inv(R) Q' Y``. Since R is triangular, the network with the first h
    columns has the first h terms of that product.

    Parameters
    ----------
    O, O_test : ndarrays of shape (n_samples, n_columns) and (n_test, n_columns)
    targets : ndarray of shape (n_samples, n_outputs)
    sizes : ndarray of shape (n_sizes,), int
    tol : float

    Returns
    -------
    ndarray of shape (n_sizes, n_test)
    """
    R, share, _ = triangular_system(O, targets, tol)
    terms = (np.arange(len(R)) < sizes[:, None]) * share.T[:, None, :]
    outputs = terms @ right_divided(O_test, R).T  # (n_outputs, n_sizes, n_test)
    return winners(outputs.transpose(1, 2, 0))


# least squares in which a column that depends on earlier ones has weight zero ---------------------------------------


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
