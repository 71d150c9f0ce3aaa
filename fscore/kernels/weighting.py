"""Weighted distances from one sample to all others, and the passes of Simba, LMNN, LMBA and I-Relief over them."""

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels._exponential import LEAST, exponential

# Vectorized over samples; features are added in order, so every processor gives the same bits.


@helper
def _weighted_distances(XT, i, weights, absolute, out):
    """``out[j]``: weighted sum of the squares of ``XT[f, j] - XT[f, i]``, or of the absolute differences."""
    out[:] = 0.0
    for f in range(XT.shape[0]):
        weight = weights[f]
        if weight != 0.0:
            row, x = XT[f], XT[f, i]
            for j in range(out.size):
                difference = row[j] - x
                out[j] += weight * (abs(difference) if absolute else difference * difference)


@helper
def _nearest_hit_and_miss(distances, y, i):
    """Nearest other sample of the class of ``i`` and of another class (-1 if none); ties go to the earlier sample."""
    hit, miss = -1, -1
    hit_distance, miss_distance = np.inf, np.inf
    for j in range(distances.size):
        if y[j] != y[i]:
            if distances[j] < miss_distance:
                miss, miss_distance = j, distances[j]
        elif j != i and distances[j] < hit_distance:
            hit, hit_distance = j, distances[j]
    return hit, miss


# Simba: margins under the current weights, and gradient ascent on their utility -------------------------------------


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
        _weighted_distances(XT, i, w * w, False, distances)
        hit, miss = _nearest_hit_and_miss(distances, y, i)
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
        _weighted_distances(XT, i, w * w, False, distances)
        hit, miss = _nearest_hit_and_miss(distances, y, i)
        if hit >= 0 and miss >= 0:
            theta = 0.5 * (np.sqrt(distances[miss]) - np.sqrt(distances[hit]))
            total += _logistic(beta * theta) if sigmoid else theta
    return total


# LMNN, LMBA: losses over target neighbors and impostors, the samples of other classes within their margin -----------


@helper
def _add_pair(Z, i, j, coefficient, gradient):
    """Add the gradient of ``coefficient ||z_i - z_j||**2`` with respect to both points."""
    for f in range(Z.shape[1]):
        change = 2 * coefficient * (Z[i, f] - Z[j, f])
        gradient[i, f] += change
        gradient[j, f] -= change


@kernel
def add_margin_gradient(distances, first, Z, y, starts, targets, reach, pull, push, rounding, gradient):
    """Loss of samples ``first, first + 1, ...``; adds its gradient with respect to ``Z`` to ``gradient``.

    The loss of sample i is ``pull * sum_j d_ij + push * sum_j sum_l [1 + d_ij - d_il]_+`` over its targets j and the
    samples l of other classes.

    Parameters
    ----------
    distances : ndarray of shape (n_block, n_samples)
        Squared distances of the block's samples to all.
    first : int
        Number of the block's first sample.
    Z : ndarray of shape (n_samples, n_components)
    y : ndarray of shape (n_samples,), dtype intp
    starts, targets : ndarray of intp
        Targets of sample i are ``targets[starts[i]:starts[i + 1]]``.
    reach : ndarray of shape (n_pairs,)
        d_ij of every target pair.
    pull, push : float
    rounding : float
        The hinge [t]_+ is replaced by the parabola t**2 / (2 rounding) for 0 < t < rounding, and by t - rounding / 2
        beyond. Zero keeps the hinge.
    gradient : ndarray of shape (n_samples, n_components)

    Returns
    -------
    float
    """
    loss = 0.0
    on_target = np.zeros(y.size)
    for b in range(distances.shape[0]):
        i = first + b
        start, n_targets = starts[i], starts[i + 1] - starts[i]
        if n_targets == 0:
            continue
        widest = 1 + reach[start]
        for t in range(1, n_targets):
            widest = max(widest, 1 + reach[start + t])
        on_target[:n_targets] = 0.0
        for l in range(distances.shape[1]):
            if distances[b, l] < widest and y[l] != y[i]:
                total = 0.0
                for t in range(n_targets):
                    excess = 1 + reach[start + t] - distances[b, l]
                    if excess > 0:
                        active = 1.0
                        if excess < rounding:
                            active = excess / rounding
                            loss += push * active * excess / 2
                        else:
                            loss += push * (excess - rounding / 2)
                        total += active
                        on_target[t] += active
                _add_pair(Z, i, l, -push * total, gradient)
        for t in range(n_targets):
            loss += pull * reach[start + t]
            _add_pair(Z, i, targets[start + t], pull + push * on_target[t], gradient)
    return loss


@kernel
def lmba_pass(X, XT, y, order, starts, targets, w, push, rate, limit):
    """One gradient step on each sample's loss, in ``order``; changes ``w``.

    The loss is that of :func:`add_margin_gradient` with ``pull`` 1 and ``d_ij = sum_f w_f**2 (x_if - x_jf)**2``. Each
    step multiplies each weight by a factor between ``1 / limit`` and ``limit``.
    """
    distances, gradient = np.empty(X.shape[0]), np.empty(X.shape[1])
    impostors = np.zeros(y.size, np.intp)  # number of impostors of each target
    for i in order:
        _weighted_distances(XT, i, w * w, False, distances)
        start, n_targets = starts[i], starts[i + 1] - starts[i]
        gradient[:] = 0.0
        impostors[:n_targets] = 0
        for l in range(distances.size):
            if y[l] != y[i]:
                times = 0
                for t in range(n_targets):
                    if distances[l] < 1 + distances[targets[start + t]]:
                        times += 1
                        impostors[t] += 1
                if times > 0:
                    for f in range(gradient.size):
                        gradient[f] -= push * times * (X[i, f] - X[l, f]) ** 2
        for t in range(n_targets):
            j = targets[start + t]
            for f in range(gradient.size):
                gradient[f] += (1 + push * impostors[t]) * (X[i, f] - X[j, f]) ** 2
        for f in range(gradient.size):
            w[f] *= min(max(1 - 2 * rate * gradient[f], 1 / limit), limit)


# I-Relief: expected differences to misses and hits; which hit is nearest is a hidden variable -----------------------


@helper
def _pair_factors(XT, y, n, w, sigma, distances, factors):
    """Set ``factors[i]`` to gamma_n alpha_in for misses i of sample n, and to -gamma_n beta_in for hits.

    The kernels are computed relative to the nearest miss and the nearest hit, so that they do not all underflow for a
    small ``sigma``. Samples at distance zero, including n itself, have kernel zero.
    """
    _weighted_distances(XT, n, w, True, distances)
    class_of_sample, nearest_miss, nearest_hit = y[n], np.inf, np.inf
    for i in range(distances.size):
        if distances[i] > 0:
            if y[i] != class_of_sample:
                nearest_miss = min(nearest_miss, distances[i])
            else:
                nearest_hit = min(nearest_hit, distances[i])
    if nearest_hit == np.inf:  # then gamma is zero
        factors[:] = 0.0
        return
    for i in range(distances.size):
        nearest = nearest_miss if y[i] != class_of_sample else nearest_hit
        factors[i] = (nearest - distances[i]) / sigma if distances[i] > 0 else -np.inf
    for i in range(factors.size):
        factors[i] = exponential(factors[i]) if factors[i] > LEAST else 0.0
    misses, hits = 0.0, 0.0
    for i in range(factors.size):
        if y[i] != class_of_sample:
            misses += factors[i]
        else:
            hits += factors[i]
    gamma, per_miss = 1.0, 0.0
    if misses > 0:
        gamma = 1 / (1 + misses / hits * np.exp((nearest_hit - nearest_miss) / sigma))
        per_miss = gamma / misses
    per_hit = gamma / hits
    for i in range(factors.size):
        factors[i] *= per_miss if y[i] != class_of_sample else -per_hit


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
    distances, factors = np.empty(y.size), np.empty(y.size)
    nu = np.zeros(w.size)
    for n in range(y.size):
        _pair_factors(XT, y, n, w, sigma, distances, factors)
        _add_margin(X, n, factors, nu)
    for f in range(w.size):
        nu[f] /= y.size
    return nu


@kernel
def irelief_epoch(X, XT, y, order, w, nu, presented, decay, sigma):
    """One online pass: update ``nu`` and ``w`` in place after each sample of ``order``."""
    distances, factors = np.empty(y.size), np.empty(y.size)
    margin = np.empty(w.size)
    for t, n in enumerate(order):
        _pair_factors(XT, y, n, w, sigma, distances, factors)
        margin[:] = 0.0
        _add_margin(X, n, factors, margin)
        norm = 0.0
        for f in range(w.size):
            nu[f] += (margin[f] - nu[f]) / (decay * (presented + t + 1) + 1)
            norm += max(nu[f], 0.0) ** 2
        norm = np.sqrt(norm)
        if norm > 0:  # if no feature has a positive margin yet, keep the weights
            for f in range(w.size):
                w[f] = max(nu[f], 0.0) / norm
