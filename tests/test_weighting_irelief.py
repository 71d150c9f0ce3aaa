"""I-Relief against closed-form limits and a plain implementation; its convergence and the choice of its width."""

import warnings
from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from fscore.kernels.weighting import irelief_margin
from fscore.weighting import IRelief


def unit_range(X):
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


@pytest.fixture(scope="module")
def data():
    X, y = load_wine(return_X_y=True)
    return unit_range(X), y


def plain_margin(X, y, n, w, sigma):
    """gamma_n (sum alpha |x_n - x_i| - sum beta |x_n - x_i|), by its formulas."""
    differences = np.abs(X - X[n])
    d = differences @ w
    k = np.where(d > 0, np.exp(-d / sigma), 0.0)
    misses, hits = k * (y != y[n]), k * (y == y[n])
    gamma = 1 - misses.sum() / k.sum()
    return gamma * (misses / misses.sum() - hits / hits.sum()) @ differences


def plain_batch(X, y, sigma, tol):
    w = np.ones(X.shape[1]) / np.sqrt(X.shape[1])
    while True:
        nu = np.maximum(np.mean([plain_margin(X, y, n, w, sigma) for n in range(len(X))], axis=0), 0)
        old, w = w, nu / np.linalg.norm(nu)
        if np.abs(w - old).sum() < tol:
            return w


def plain_online(X, y, sigma, decay, n_passes, seed):
    w, nu, t = np.ones(X.shape[1]) / np.sqrt(X.shape[1]), np.zeros(X.shape[1]), 0
    random = np.random.RandomState(seed)
    for _ in range(n_passes):
        for n in random.permutation(len(X)):
            t += 1
            nu = nu + (plain_margin(X, y, n, w, sigma) - nu) / (decay * t + 1)
            if np.any(nu > 0):
                w = np.maximum(nu, 0) / np.linalg.norm(np.maximum(nu, 0))
    return w


@pytest.mark.parametrize("sigma", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("two_classes", [False, True])
def test_plain_implementation(data, sigma, two_classes):
    X, y = data
    y = np.minimum(y, 1) if two_classes else y
    irelief = IRelief(sigma, tol=1e-6).fit(X, y)
    assert irelief.converged_
    assert_allclose(irelief.weights_, plain_batch(X, y, sigma, 1e-6), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", [(50, 3), (190, 180)])
@pytest.mark.parametrize("sigma", [0.05, 0.5, 1e3])
def test_margin_by_its_formulas(shape, sigma):
    rng = np.random.default_rng(0)
    X, y, w = rng.uniform(size=shape), rng.integers(3, size=shape[0]), rng.uniform(size=shape[1])
    w *= 5 / w.sum()
    margin = irelief_margin(X, np.ascontiguousarray(X.T), y, w, sigma)
    expected = np.mean([plain_margin(X, y, n, w, sigma) for n in range(len(X))], axis=0)
    assert_allclose(margin, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("decay", [1.0, 5.0])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_plain_online_implementation(data, decay):
    X, y = data
    irelief = IRelief(0.3, online=True, decay=decay, max_iter=2, tol=0, random_state=4).fit(X, y)
    assert_allclose(irelief.weights_, plain_online(X, y, 0.3, decay, 2, 4), rtol=1e-9, atol=1e-12)


def test_narrow_kernel_uses_the_nearest_neighbors():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(60, 3)), np.arange(60) % 2
    nu = irelief_margin(X, np.ascontiguousarray(X.T), y, np.ones(3), 1e-7)  # every kernel underflows
    expected = np.zeros(3)
    for n in range(len(X)):
        differences = np.abs(X - X[n])
        distance = differences.sum(axis=1)
        distance[n] = np.inf
        hit, miss = (np.where(same, distance, np.inf).argmin() for same in (y == y[n], y != y[n]))
        if distance[hit] < distance[miss]:  # else gamma is 0
            expected += differences[miss] - differences[hit]
    assert_allclose(nu, expected / len(X), atol=1e-12)


def test_pairs_at_distance_zero_are_ignored():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 0, 1, 1])
    nu = irelief_margin(X, np.ascontiguousarray(X.T), y, np.ones(1), 1e-3)
    # sample 0: hit at 1 (not its copy), miss at 4 (not the one at distance zero); gamma 1
    # sample 2: of class 1, its nearest other sample is a miss at 1: gamma 0; sample 3: hit and miss both at 1, weight
    # 2 : 1 for the hits at 0, and no margin; samples 4 and 5: hit at 1, misses at 3 and 4
    assert nu[0] == pytest.approx((2 * (4 - 1) + 0 + 0 + (3 - 1) + (4 - 1)) / 6)


@pytest.mark.parametrize("online", [False, True])
def test_without_a_positive_margin_the_last_weights_are_kept(online):
    X, y = np.random.default_rng(8).uniform(size=(40, 2)), np.arange(40) % 2
    with pytest.warns(ConvergenceWarning, match=r"No feature has a positive margin under sigma=1: .* Check the labels"):
        irelief = IRelief(online=online, random_state=0).fit(X, y)
    assert not irelief.converged_
    assert np.linalg.norm(irelief.weights_) == pytest.approx(1)
    assert irelief_margin(X, np.ascontiguousarray(X.T), y, irelief.weights_, 1.0).max() < 0


def test_cv_falls_back_to_the_width_of_the_best_score(data):
    with pytest.warns(ConvergenceWarning, match="after 1 passes"):
        irelief = IRelief("cv", sigmas=[0.01, 0.5, 2.0], max_iter=1, tol=0).fit(*data)
    assert irelief.cv_scores_[[0.01, 0.5, 2.0].index(irelief.sigma_)] == irelief.cv_scores_.max()
    with pytest.warns(ConvergenceWarning):
        alone = IRelief(irelief.sigma_, max_iter=1, tol=0).fit(*data)
    assert_array_equal(irelief.weights_, alone.weights_)
    assert (alone.converged_, alone.n_iter_) == (False, 1)


def test_cv_chooses_the_best_width_that_converges(data):
    X, y = data
    sigmas = [0.001, 0.5, 2.0, 3.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irelief = IRelief("cv", sigmas=sigmas).fit(X, y)
    assert irelief.converged_
    assert irelief.cv_scores_.shape == (4,)
    rank = np.lexsort((sigmas, irelief.cv_scores_))[::-1]
    for k in rank[: list(rank).index(sigmas.index(irelief.sigma_))]:  # the better ones did not converge
        with pytest.warns(ConvergenceWarning):
            IRelief(sigmas[k]).fit(X, y)
    assert_array_equal(irelief.weights_, IRelief(irelief.sigma_).fit(X, y).weights_)


def test_of_widths_with_equal_scores_the_widest_is_taken():
    y = np.arange(40) % 2
    X = np.random.default_rng(0).uniform(size=(40, 2)) + 3 * y[:, None]
    irelief = IRelief("cv", sigmas=[0.5, 2.0, 1.0], cv=2).fit(X, y)
    assert_array_equal(irelief.cv_scores_, 1)
    assert irelief.sigma_ == 2


def test_default_widths_scale_with_the_data(data):
    X, y = data
    plain, scaled = IRelief("cv").fit(X, y), IRelief("cv").fit(X * 100, y)
    assert scaled.sigma_ == pytest.approx(100 * plain.sigma_)
    distances = np.abs(X[:, None] - X).sum(axis=2)[np.triu_indices(len(X), 1)] / np.sqrt(X.shape[1])
    octave = np.log2(plain.sigma_ / distances.mean())
    assert octave == pytest.approx(round(octave), abs=1e-9)


def test_refitting_with_a_given_width_removes_the_cv_scores(data):
    irelief = IRelief("cv", sigmas=[1.0, 2.0]).fit(*data)
    assert hasattr(irelief, "cv_scores_")
    assert not hasattr(irelief.set_params(sigma=1.0).fit(*data), "cv_scores_")


@pytest.mark.parametrize(
    ("sizes", "cv", "suffice"),
    [
        ([30, 1], 5, False),  # a fold without the only sample of its class
        ([2, 1], 5, False),  # more folds than any class has samples
        ([2, 2], 2, False),  # one sample of each class in the training set
        ([30, 2], 5, True),
        ([30, 3], StratifiedKFold(10), True),
        ([8, 2], None, True),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of scikit-learn: a class has fewer samples than there are folds
def test_classes_too_small_to_choose_a_width_are_refused(sizes, cv, suffice):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(0).random((len(y), 2)) + y[:, None]
    sentence = "one sample, so no sample has a neighbor|only one class|n_splits=5"
    with nullcontext() if suffice else pytest.raises(ValueError, match=sentence):
        assert IRelief("cv", cv=cv).fit(X, y).cv_scores_.shape == (6,)


def test_a_generator_of_folds_serves_every_width(data):
    X, y = data
    by_number, by_generator = (IRelief("cv", cv=cv).fit(X, y) for cv in (4, StratifiedKFold(4).split(X, y)))
    assert_array_equal(by_generator.cv_scores_, by_number.cv_scores_)
