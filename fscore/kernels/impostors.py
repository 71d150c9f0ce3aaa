"""Losses over target neighbours and impostors, the samples of other classes within their margin (LMNN, LMBA)."""

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels.distances import squared_distances

__all__ = ["add_margin_gradient", "lmba_pass"]


@helper
def _add_pair(Z, i, j, coefficient, gradient):
    """Add the gradient of ``coefficient ||z_i - z_j||**2`` with respect to both points."""
    for f in range(Z.shape[1]):
        change = 2 * coefficient * (Z[i, f] - Z[j, f])
        gradient[i, f] += change
        gradient[j, f] -= change


@helper
def _most_targets(starts):
    """The greatest number of targets of a sample; at least 1."""
    most = 1
    for i in range(starts.size - 1):
        most = max(most, starts[i + 1] - starts[i])
    return most


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
    on_target = np.zeros(_most_targets(starts))
    for b in range(distances.shape[0]):
        i = first + b
        start, n_targets = starts[i], starts[i + 1] - starts[i]
        if n_targets == 0:
            continue
        widest = 1 + reach[start]
        for t in range(1, n_targets):
            widest = max(widest, 1 + reach[start + t])
        on_target[:] = 0.0
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
    impostors = np.zeros(_most_targets(starts), np.intp)  # number of impostors of each target
    for i in order:
        squared_distances(XT, i, w * w, distances)
        start, n_targets = starts[i], starts[i + 1] - starts[i]
        gradient[:] = 0.0
        impostors[:] = 0
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
