"""I-Relief: expected feature differences to misses and hits, with the nearest neighbour as a hidden variable."""

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels.distances import absolute_distances

__all__ = ["irelief_epoch", "irelief_margin"]


@helper
def _add_margin(X, XT, y, n, w, sigma, distances, coefficients, out):
    """Add sample n's ``gamma_n (sum_i alpha_in |x_n - x_i| - sum_i beta_in |x_n - x_i|)`` to ``out``.

    The kernels are computed relative to the nearest miss and the nearest hit, so that they do not all underflow for a
    small ``sigma``. Samples at distance zero, including n itself, have kernel zero.
    """
    absolute_distances(XT, n, w, distances)
    nearest_miss, nearest_hit = np.inf, np.inf
    for i in range(distances.size):
        if distances[i] > 0:
            if y[i] != y[n]:
                nearest_miss = min(nearest_miss, distances[i])
            else:
                nearest_hit = min(nearest_hit, distances[i])
    if nearest_hit == np.inf:  # then gamma is zero
        return
    misses, hits = 0.0, 0.0
    for i in range(distances.size):
        coefficients[i] = 0.0
        if distances[i] > 0:
            if y[i] != y[n]:
                coefficients[i] = np.exp((nearest_miss - distances[i]) / sigma)
                misses += coefficients[i]
            else:
                coefficients[i] = np.exp((nearest_hit - distances[i]) / sigma)
                hits += coefficients[i]
    gamma = 1.0
    if misses > 0:
        gamma = 1 / (1 + misses / hits * np.exp((nearest_hit - nearest_miss) / sigma))
    for i in range(distances.size):
        if coefficients[i] != 0.0:
            factor = gamma * (coefficients[i] / misses if y[i] != y[n] else -coefficients[i] / hits)
            for f in range(out.size):
                out[f] += factor * abs(X[n, f] - X[i, f])


@kernel
def irelief_margin(X, XT, y, w, sigma):
    """nu: expected margin of each feature under weights ``w``, averaged over the samples.

    Parameters
    ----------
    X, XT : ndarray of shape (n_samples, n_features) and its contiguous transpose
    y : ndarray of shape (n_samples,), dtype intp
    w : ndarray of shape (n_features,)
        Weights of the absolute differences.
    sigma : float
        Kernel width.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    distances, coefficients = np.empty(X.shape[0]), np.empty(X.shape[0])
    nu = np.zeros(X.shape[1])
    for n in range(X.shape[0]):
        _add_margin(X, XT, y, n, w, sigma, distances, coefficients, nu)
    for f in range(nu.size):
        nu[f] /= X.shape[0]
    return nu


@kernel
def irelief_epoch(X, XT, y, order, w, nu, presented, decay, sigma):
    """One online pass: update ``nu`` and ``w`` in place after each sample of ``order``."""
    distances, coefficients = np.empty(X.shape[0]), np.empty(X.shape[0])
    margin = np.empty(X.shape[1])
    for t, n in enumerate(order):
        margin[:] = 0.0
        _add_margin(X, XT, y, n, w, sigma, distances, coefficients, margin)
        norm = 0.0
        for f in range(nu.size):
            nu[f] += (margin[f] - nu[f]) / (decay * (presented + t + 1) + 1)
            norm += max(nu[f], 0.0) ** 2
        norm = np.sqrt(norm)
        if norm > 0:  # otherwise no feature has a positive margin yet: keep the weights
            for f in range(nu.size):
                w[f] = max(nu[f], 0.0) / norm
