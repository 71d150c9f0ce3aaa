"""One pass of incremental (weighted) LVQ through the samples."""

import numpy as np

from fscore.kernels._compiled import helper, kernel

RULES = ("fixed", "relevance", "owa", "energy")
FIXED, RELEVANCE, OWA, ENERGY = range(4)


@helper
def _winner(x, W, relevances):
    """Closest prototype in the weighted metric; ties go to the first."""
    best, least = 0, np.inf
    for p in range(W.shape[0]):
        w = W[p]
        distance = 0.0
        for k in range(x.size):
            distance += relevances[k] * (x[k] - w[k]) ** 2
        if distance < least:
            best, least = p, distance
    return best


@helper
def _divide_by_sum(relevances, fallback):
    """L1 normalization; if the sum is zero or infinite, keep the relevances before the step."""
    total = relevances.sum()
    for k in range(relevances.size):
        relevances[k] = relevances[k] / total if 0 < total < np.inf else fallback[k]


@helper
def _relevance_rule(relevances, residual, correct, rate, squared):
    """RLVQ (Bojer et al. 2001): lower features that are far from a correct winner, raise those far from a wrong one."""
    before = relevances.copy()
    for k in range(residual.size):
        far = residual[k] ** 2 if squared else abs(residual[k])
        relevances[k] = max(relevances[k] - rate * far, 0.0) if correct else relevances[k] + rate * far
    _divide_by_sum(relevances, before)


@helper
def _owa_rule(relevances, residual, correct, rate, exponent):
    """OWA-RLVQ (reconstructed): move towards ordered weights of the ranks of |x - w|."""
    n = residual.size
    order = np.argsort(np.abs(residual), kind="mergesort")
    for i in range(n):
        weight = ((i + 1) / n) ** exponent - (i / n) ** exponent
        k = order[i] if correct else order[n - 1 - i]
        relevances[k] += rate * (weight - relevances[k])


@helper
def _energy_rule(relevances, residual, previous, rate, sigma, softmax):
    """ERLVQ (Andonie & Cataron 2004, equation 5 without the constant factor of the kernel), then normalization."""
    n = residual.size
    exponent = 0.0
    for k in range(n):
        exponent += (relevances[k] * (residual[k] - previous[k])) ** 2
    kernel = np.exp(-exponent / (4 * sigma**2))
    before = relevances.copy()
    for k in range(n):
        relevances[k] += rate / (4 * sigma**2) * kernel * relevances[k] * (residual[k] - previous[k]) ** 2
    if softmax:
        greatest = -np.inf
        for k in range(n):
            greatest = max(greatest, relevances[k])
        for k in range(n):
            relevances[k] = np.exp(relevances[k] - greatest)
    _divide_by_sum(relevances, before)


@kernel
def incremental_pass(
    X, y, W, labels, relevances, average, previous, state, rate, decay, relevance_rate, rule, flag, shape, same_class
):
    """Train on the samples in their order; all arrays except ``X``, ``y`` and ``labels`` are updated in place.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), dtype intp
    W : ndarray of shape (n_prototypes, n_features)
    labels : ndarray of shape (n_prototypes,), dtype intp
    relevances, average : ndarray of shape (n_features,)
        lambda, and its mean over all steps so far.
    previous : ndarray of shape (n_features,)
        ``x - w`` of the last sample.
    state : ndarray of shape (2,), dtype intp
        Number of steps so far, and class of the last sample (-1: none).
    rate, decay : float
        The prototype step at step t is ``rate / (1 + decay t)``.
    relevance_rate : float
    rule : {FIXED, RELEVANCE, OWA, ENERGY}
    flag : bool
        RELEVANCE: squared differences. ENERGY: softmax.
    shape : float
        OWA: exponent. ENERGY: sigma.
    same_class : bool
        ENERGY: also use pairs of samples of one class.

    Returns
    -------
    int
        Number of samples whose winner had another label.
    """
    errors = 0
    residual = np.empty(X.shape[1])
    for i in range(X.shape[0]):
        x = X[i]
        winner = _winner(x, W, relevances)
        w = W[winner]
        correct = labels[winner] == y[i]
        errors += not correct
        step = rate / (1 + decay * state[0])
        for k in range(x.size):
            residual[k] = x[k] - w[k]
            scaled = relevances[k] * residual[k] if rule == ENERGY else residual[k]
            w[k] += step * scaled if correct else -step * scaled
        if rule == RELEVANCE:
            _relevance_rule(relevances, residual, correct, relevance_rate, flag)
        elif rule == OWA:
            _owa_rule(relevances, residual, correct, relevance_rate, shape)
        elif rule == ENERGY:
            if state[1] >= 0 and (same_class or state[1] != y[i]):
                _energy_rule(relevances, residual, previous, relevance_rate, shape, flag)
            for k in range(x.size):
                previous[k] = residual[k]
            state[1] = y[i]
        state[0] += 1
        for k in range(x.size):
            average[k] += (relevances[k] - average[k]) / state[0]
    return errors
