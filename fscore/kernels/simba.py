"""Simba: margins under the current weights, and gradient ascent on their utility."""

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels.distances import nearest_hit_and_miss, squared_distances

__all__ = ["simba_pass", "simba_utility"]


@helper
def _logistic(t):
    """1 / (1 + exp(-t)) without overflow."""
    if t >= 0:
        return 1 / (1 + np.exp(-t))
    return np.exp(t) / (1 + np.exp(t))


@kernel
def simba_pass(X, XT, y, order, w, sigmoid, beta):
    """One gradient ascent step on ``u(theta(x_i))`` for each i of ``order``; changes ``w``.

    Parameters
    ----------
    X, XT : ndarray of shape (n_samples, n_features) and its contiguous transpose
    y : ndarray of shape (n_samples,), dtype intp
    order : ndarray of int
    w : ndarray of shape (n_features,)
        Weights; their squares multiply the squared differences.
    sigmoid : bool
        Whether u is the logistic function instead of the identity.
    beta : float
        Slope of the logistic utility.
    """
    distances = np.empty(X.shape[0])
    for i in order:
        squared_distances(XT, i, w * w, distances)
        hit, miss = nearest_hit_and_miss(distances, y, i)
        if hit < 0 or miss < 0:
            continue
        to_miss, to_hit = np.sqrt(distances[miss]), np.sqrt(distances[hit])
        step = 0.5
        if sigmoid:
            u = _logistic(beta * 0.5 * (to_miss - to_hit))
            step *= beta * u * (1 - u)
        for f in range(w.size):
            slope = 0.0  # a distance of zero contributes its subgradient zero
            if to_miss > 0:
                slope += (X[i, f] - X[miss, f]) ** 2 / to_miss
            if to_hit > 0:
                slope -= (X[i, f] - X[hit, f]) ** 2 / to_hit
            w[f] += step * slope * w[f]


@kernel
def simba_utility(XT, y, w, sigmoid, beta):
    """Sum of ``u(theta(x))`` over the samples that have a hit."""
    distances, total = np.empty(XT.shape[1]), 0.0
    for i in range(XT.shape[1]):
        squared_distances(XT, i, w * w, distances)
        hit, miss = nearest_hit_and_miss(distances, y, i)
        if hit >= 0 and miss >= 0:
            theta = 0.5 * (np.sqrt(distances[miss]) - np.sqrt(distances[hit]))
            total += _logistic(beta * theta) if sigmoid else theta
    return total
