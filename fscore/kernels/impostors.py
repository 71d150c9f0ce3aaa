"""Target neighbours and the impostors within their reach (LMNN, LMBA)."""

import numpy as np
from numba import njit

from fscore.kernels.distances import squared_distances

__all__ = ["impostor_coefficients", "lmba_pass"]


@njit(cache=True, nogil=True)
def impostor_coefficients(distances, first, y, starts, targets, reach, pull, push, rounding, out):
    """Loss of samples ``first, first + 1, ...`` and its derivative by each squared distance.

    The loss of sample i is ``pull * sum_j d_ij + push * sum_j sum_l [1 + d_ij - d_il]_+`` over its targets j and the
    samples l of other classes.

    Parameters
    ----------
    distances : ndarray of shape (n_block, n_samples)
        Squared distances of the block's samples to all.
    first : int
    y : ndarray of shape (n_samples,), dtype intp
    starts, targets : ndarray of intp
        Targets of sample i are ``targets[starts[i]:starts[i + 1]]``.
    reach : ndarray of shape (n_pairs,)
        d_ij of every target pair.
    pull, push : float
    rounding : float
        For 0 < t < rounding the hinge [t]_+ is the parabola t**2 / (2 rounding) instead; beyond, it is t - rounding / 2.
        Zero: the hinge itself.
    out : ndarray of shape (n_block, n_samples)
        Set to the derivatives.

    Returns
    -------
    float
    """
    out[:, :] = 0.0
    loss = 0.0
    for b in range(distances.shape[0]):
        i = first + b
        pairs = range(starts[i], starts[i + 1])
        widest = -np.inf
        for p in pairs:
            widest = max(widest, 1 + reach[p])
            out[b, targets[p]] += pull
            loss += pull * reach[p]
        for l in range(distances.shape[1]):
            if distances[b, l] < widest and y[l] != y[i]:
                for p in pairs:
                    excess = 1 + reach[p] - distances[b, l]
                    if excess > 0:
                        slope = push
                        if excess < rounding:
                            slope *= excess / rounding
                            loss += slope * excess / 2
                        else:
                            loss += push * (excess - rounding / 2)
                        out[b, l] -= slope
                        out[b, targets[p]] += slope
    return loss


@njit(cache=True, nogil=True)
def lmba_pass(X, XT, y, order, starts, targets, w, push, rate, limit):
    """One step down the gradient of each sample's loss, in ``order``; changes ``w``.

    The loss is that of :func:`impostor_coefficients` with ``pull`` 1 and ``d_ij = sum_f w_f**2 (x_if - x_jf)**2``.
    No step multiplies a weight by less than ``1 / limit`` or by more than ``limit``.
    """
    distances, slope = np.empty(X.shape[0]), np.empty(X.shape[1])
    for i in order:
        squared_distances(XT, i, w * w, distances)
        slope[:] = 0.0
        for p in range(starts[i], starts[i + 1]):
            j, impostors = targets[p], 0
            for l in range(distances.size):
                if y[l] != y[i] and distances[l] < 1 + distances[j]:
                    impostors += 1
                    for f in range(slope.size):
                        slope[f] -= push * (X[i, f] - X[l, f]) ** 2
            for f in range(slope.size):
                slope[f] += (1 + push * impostors) * (X[i, f] - X[j, f]) ** 2
        for f in range(slope.size):
            w[f] *= min(max(1 - 2 * rate * slope[f], 1 / limit), limit)
