"""Shared by the experiments on Hocke and Martinetz 2014: methods, scaling, folds, k-NN."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

from fscore.datasets import load
from fscore.weighting import MDM
from hocke2014.methods import PROJECTIONS, WEIGHTINGS, learn
from hocke2014.protocol import knn_predictions, tuned, varying_scaled


def test_nu_is_chosen_on_the_training_part():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    folds, nus, ks = StratifiedKFold(3, shuffle=True, random_state=1), (0.8, 0.2, 1 / 60), (1, 3)
    wrong = np.zeros((3, 2))
    for n, nu in enumerate(nus):
        for train, test in folds.split(X, y):
            root = np.sqrt(MDM(nu=nu).fit(X[train], y[train]).weights_)
            for m, k in enumerate(ks):
                knn = KNeighborsClassifier(k, algorithm="brute").fit(X[train] * root, y[train])
                wrong[n, m] += np.sum(knn.predict(X[test] * root) != y[test])
    assert tuned("soft MDM", X, y, nus[:2], 3, ks, seed=1) == [nus[n] for n in wrong.argmin(axis=0)]


@pytest.mark.parametrize("dataset", ["iris", "digits"])
def test_neighbors_vote_as_in_sklearn(dataset):
    X, y = load(dataset, return_X_y=True)
    X = X[:300] + np.random.default_rng(0).normal(scale=1e-6, size=X[:300].shape)  # no equal distances
    ours = knn_predictions(X[::2], y[:300:2], X[1::2], [1, 4, 5])
    for k, labels in zip([1, 4, 5], ours, strict=True):
        peer = KNeighborsClassifier(k, algorithm="brute").fit(X[::2], y[:300:2])
        assert np.array_equal(labels, peer.predict(X[1::2]))


def test_neighbors_do_not_depend_on_last_digits():
    X, y = load("iris", return_X_y=True)  # many equal distances
    A, a, B = X[::2], y[::2], X[1::2]
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))
    expected = knn_predictions(A, a, B, [1, 3, 5])
    for Z in (A @ turn, B @ turn), (A - 5.1, B - 5.1), (A * 2.54, B * 2.54):
        assert np.array_equal(knn_predictions(Z[0], a, Z[1], [1, 3, 5]), expected)
    assert knn_predictions(np.zeros((3, 2)), np.array([1, 0, 0]), np.zeros((1, 2)), [1]) == 1  # the first counts
    with pytest.raises(ValueError, match="n_neighbors=76 is more than the 75 samples"):
        knn_predictions(A, a, B, [1, 76])


@pytest.mark.parametrize("method", [*WEIGHTINGS, *PROJECTIONS])
def test_every_method_learns_a_linear_transformation(method):
    X, y = load("wine", return_X_y=True)
    (transform,) = learn(method, X, y)
    assert np.isfinite(transform(X)).all()
    if method in WEIGHTINGS:
        d, w = pdist(transform(X), "sqeuclidean"), pdist(X * np.sqrt(transform.weights), "sqeuclidean")
        assert_allclose(d * w.max(), w * d.max(), rtol=1e-9)
    else:
        assert transform.weights is None


def test_inputs_are_scaled_by_the_training_part():
    A, B = np.array([[0.0, 1, 7], [4, 3, 7]]), np.array([[8.0, 5, 9]])
    assert [Z.tolist() for Z in varying_scaled("raw", A, B)] == [[[0, 1], [4, 3]], [[8, 5]]]
    assert [Z.tolist() for Z in varying_scaled("minmax", A, B)] == [[[0, 0], [1, 1]], [[2, 2]]]
    assert [Z.tolist() for Z in varying_scaled("zscore", A, B)] == [[[-1, -1], [1, 1]], [[3, 3]]]
