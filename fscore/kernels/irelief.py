"""I-Relief: expected feature differences to misses and hits, with the nearest neighbour as a hidden variable."""

import math

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels.distances import absolute_distances

__all__ = ["irelief_epoch", "irelief_margin"]

_PER_LOG_2 = 1 / np.log(2)
_LOG_2_HIGH = 0x162E42FEE / 2**33  # log(2) in two parts: the first has 33 bits, so its product with k is exact
_LOG_2_LOW = 1.9082149292705877e-10
_SERIES = tuple(1 / math.factorial(degree) for degree in range(13, -1, -1))
_LEAST = -708.0  # below it, the exponential is no normal number
_IN_CACHE = 2**15  # numbers


@helper
def _exponentials(x, powers):
    """Replace each ``x <= 0`` by its exponential, or by 0 below -708.

    With k the integer nearest to x / log(2), exp(x) is 2**k times the Taylor series of exp(x - k log(2)), which degree
    13 gives to the last digit or two. Vectorized, unlike numpy's, and the same bits on every processor.
    """
    bits = powers.view(np.int64)
    for i in range(x.size):
        argument = max(x[i], _LEAST)
        k = np.floor(argument * _PER_LOG_2 + 0.5)
        rest = (argument - k * _LOG_2_HIGH) - k * _LOG_2_LOW
        value = 0.0
        for coefficient in _SERIES:
            value = value * rest + coefficient
        bits[i] = (np.int64(k) + 1023) << 52  # of the number 2**k
        x[i] = value if x[i] >= _LEAST else 0.0
    for i in range(x.size):
        x[i] *= powers[i]


@helper
def _pair_factors(XT, y, n, w, sigma, distances, powers, factors):
    """Set ``factors[i]`` to gamma_n alpha_in for misses i of sample n, and to -gamma_n beta_in for hits.

    The kernels are computed relative to the nearest miss and the nearest hit, so that they do not all underflow for a
    small ``sigma``. Samples at distance zero, including n itself, have kernel zero.
    """
    absolute_distances(XT, n, w, distances)
    own, nearest_miss, nearest_hit = y[n], np.inf, np.inf
    for i in range(distances.size):
        if distances[i] > 0:
            if y[i] != own:
                nearest_miss = min(nearest_miss, distances[i])
            else:
                nearest_hit = min(nearest_hit, distances[i])
    if nearest_hit == np.inf:  # then gamma is zero
        factors[:] = 0.0
        return
    for i in range(distances.size):
        nearest = nearest_miss if y[i] != own else nearest_hit
        factors[i] = (nearest - distances[i]) / sigma if distances[i] > 0 else -np.inf
    _exponentials(factors, powers)
    misses, hits = 0.0, 0.0
    for i in range(factors.size):
        if y[i] != own:
            misses += factors[i]
        else:
            hits += factors[i]
    gamma, per_miss = 1.0, 0.0
    if misses > 0:
        gamma = 1 / (1 + misses / hits * np.exp((nearest_hit - nearest_miss) / sigma))
        per_miss = gamma / misses
    per_hit = gamma / hits
    for i in range(factors.size):
        factors[i] *= per_miss if y[i] != own else -per_hit


@helper
def _add_margin(X, n, factors, margin):
    """Add sample n's ``sum_i factors[i] |x_n - x_i|`` to ``margin``."""
    for i in range(factors.size):
        if factors[i] != 0.0:
            for f in range(margin.size):
                margin[f] += factors[i] * abs(X[n, f] - X[i, f])


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
    distances, powers, factors = np.empty(y.size), np.empty(y.size), np.empty(y.size)
    nu = np.zeros(w.size)
    # With few features it is faster to sum over n first, which is vectorized over i, while the sums stay in the cache.
    small = XT.size <= _IN_CACHE
    sums = np.zeros(XT.shape if small else (0, 0))
    for n in range(y.size):
        _pair_factors(XT, y, n, w, sigma, distances, powers, factors)
        if not small:
            _add_margin(X, n, factors, nu)
            continue
        for f in range(w.size):
            row, x, total = XT[f], XT[f, n], sums[f]
            for i in range(y.size):
                total[i] += factors[i] * abs(row[i] - x)
    for f in range(w.size):
        for i in range(sums.shape[1]):
            nu[f] += sums[f, i]
        nu[f] /= y.size
    return nu


@kernel
def irelief_epoch(X, XT, y, order, w, nu, presented, decay, sigma):
    """One online pass: update ``nu`` and ``w`` in place after each sample of ``order``."""
    distances, powers, factors = np.empty(y.size), np.empty(y.size), np.empty(y.size)
    margin = np.empty(w.size)
    for t, n in enumerate(order):
        _pair_factors(XT, y, n, w, sigma, distances, powers, factors)
        margin[:] = 0.0
        _add_margin(X, n, factors, margin)
        norm = 0.0
        for f in range(w.size):
            nu[f] += (margin[f] - nu[f]) / (decay * (presented + t + 1) + 1)
            norm += max(nu[f], 0.0) ** 2
        norm = np.sqrt(norm)
        if norm > 0:  # otherwise no feature has a positive margin yet: keep the weights
            for f in range(w.size):
                w[f] = max(nu[f], 0.0) / norm
