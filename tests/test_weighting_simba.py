"""Simba against a hand-computed step, finite differences and a plain implementation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine

from fscore.kernels.weighting import simba_pass, simba_utility
from fscore.weighting import Simba


def unit_range(X):
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def neighbors(X, y, i, w):
    """Nearest hit and nearest miss of sample i."""
    distance = np.sqrt((w**2 * (X - X[i]) ** 2).sum(axis=1))
    distance[i] = np.inf
    return np.where(y == y[i], distance, np.inf).argmin(), np.where(y != y[i], distance, np.inf).argmin()


def margin(X, y, i, w, neighbors_of=None):
    hit, miss = neighbors_of or neighbors(X, y, i, w)
    return (np.linalg.norm(w * (X[i] - X[miss])) - np.linalg.norm(w * (X[i] - X[hit]))) / 2


def plain_simba(X, y, utility, beta, n_restarts, n_passes, seed):
    """The algorithm, formula by formula."""

    def u(theta):
        return theta if utility == "linear" else 1 / (1 + np.exp(-beta * theta))

    def u_slope(theta):
        return 1.0 if utility == "linear" else beta * u(theta) * (1 - u(theta))

    random = np.random.RandomState(seed)
    found = []
    for _ in range(n_restarts):
        w = np.ones(X.shape[1])
        for _ in range(n_passes):
            for i in random.permutation(len(X)):
                hit, miss = neighbors(X, y, i, w)
                zm, zh = X[i] - X[miss], X[i] - X[hit]
                slope = zm**2 / np.linalg.norm(w * zm) - zh**2 / np.linalg.norm(w * zh)
                w = w + u_slope(margin(X, y, i, w)) * slope / 2 * w
        w = w / np.abs(w).max()
        found.append((sum(u(margin(X, y, i, w)) for i in range(len(X))), w))
    return max(found, key=lambda pair: pair[0])


def test_one_step_by_hand():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    w = np.ones(2)
    # hit at distance 1 along the first feature, miss at distance 2 along the second
    simba_pass(X, np.ascontiguousarray(X.T), np.array([0, 0, 1]), np.array([0]), w, False, 1.0)
    assert_array_equal(w, [1 - 1 / 2 * 1 / 1, 1 + 1 / 2 * 4 / 2])


@pytest.mark.parametrize(("utility", "n_passes"), [("linear", 1), ("linear", 3), ("sigmoid", 2)])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_plain_implementation(load, utility, n_passes):
    X, y = load(return_X_y=True)
    X = np.unique(np.column_stack([unit_range(X), y]), axis=0)  # plain_simba divides by distances
    X, y = X[:, :-1], X[:, -1].astype(int)
    simba = Simba(utility, beta=2.0, n_restarts=3, n_passes=n_passes, random_state=7).fit(X, y)
    best, w = plain_simba(X, y, utility, 2.0, 3, n_passes, 7)
    assert_allclose(simba.weights_, w**2, rtol=1e-8)
    assert simba.utility_ == pytest.approx(best, rel=1e-10)


def test_the_best_ascent_is_kept():
    X, y = load_wine(return_X_y=True)
    X = unit_range(X)
    simba = Simba(n_restarts=6, random_state=1).fit(X, y)
    assert len(set(simba.utilities_)) > 1
    assert simba.utility_ == simba.utilities_.max()
    assert simba.weights_.max() == 1
    recomputed = simba_utility(np.ascontiguousarray(X.T), y, np.sqrt(simba.weights_), False, 1.0)
    assert recomputed == pytest.approx(simba.utility_, rel=1e-10)


def test_extreme_margins_do_not_overflow():
    X, y = load_wine(return_X_y=True)
    simba = Simba("sigmoid", beta=1e6, random_state=0).fit(X * 1e6, y)
    assert np.all(np.isfinite(simba.weights_))
