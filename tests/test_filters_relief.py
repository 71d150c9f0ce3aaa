"""Relief, ReliefF and RReliefF against hand computation, plain implementations, theory, and their invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification, make_friedman1
from sklearn.feature_selection import SelectKBest

from fscore.filters import relief, relieff, rrelieff
from fscore.kernels.relief import _neighbours, relief_weights


def plain_relief(X, y, squared=True):
    """Algorithm 1, one instance at a time."""
    power = 2 if squared else 1
    Z = (X - X.min(0)) / np.ptp(X, axis=0)
    w = np.zeros(X.shape[1])
    for i, z in enumerate(Z):
        diff = np.abs(Z - z) ** power
        distance = diff.sum(1)
        distance[i] = np.inf
        hit = np.where(y == y[i], distance, np.inf).argmin()
        miss = np.where(y != y[i], distance, np.inf).argmin()
        w += (diff[miss] - diff[hit]) / len(X)
    return w


def plain_relieff(X, y, k):
    """Algorithm 2 with n = k, one instance at a time."""
    Z = (X - X.min(0)) / np.ptp(X, axis=0)
    w = np.zeros(X.shape[1])
    for i, z in enumerate(Z):
        diff = np.abs(Z - z)
        for c in np.unique(y):
            distance = np.where((y == c) & (np.arange(len(y)) != i), diff.sum(1), np.inf)
            near = np.argsort(distance, kind="stable")[:k]
            factor = -1 if c == y[i] else np.mean(y == c) / (1 - np.mean(y == y[i]))
            w += factor * diff[near].sum(0) / (len(X) * k)
    return w


def test_relief_by_hand():
    # Ranges 10 and 4; scaled: a=(0,0) b=(.2,1) | c=(.4,0) d=(1,.5). Squared distances:
    # ab 1.04, ac .16, ad 1.25, bc 1.04, bd .89, cd .61. Misses: a->c, b->d, c->a, d->b.
    X = np.array([[0.0, 0], [2, 4], [4, 0], [10, 2]])
    hits = np.array([0.04, 1.0]) * 2 + np.array([0.36, 0.25]) * 2
    misses = np.array([0.16, 0.0]) * 2 + np.array([0.64, 0.25]) * 2
    assert_allclose(relief(X, ["l", "l", "r", "r"]), (misses - hits) / 4)


@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer])
def test_equal_to_the_plain_algorithm(loader):
    X, y = loader(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-6, size=X.shape)  # no ties of distances
    assert_allclose(relief(X, y), plain_relief(X, y), atol=1e-13)
    assert_allclose(relief(X, y, difference="absolute"), plain_relief(X, y, squared=False), atol=1e-13)
    assert_allclose(relieff(X, y), plain_relieff(X, y, 10), atol=1e-13)
    assert_allclose(relieff(X, y, n_neighbors=3), plain_relieff(X, y, 3), atol=1e-13)


def test_classes_are_weighted_by_prior():
    X, y = make_classification(300, 6, n_informative=4, n_classes=3, weights=[0.6, 0.3, 0.1], random_state=0)
    assert_allclose(relieff(X, y, n_neighbors=5), plain_relieff(X, y, 5), atol=1e-13)


def test_ties_go_to_the_earlier_sample():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    assert_array_equal(relief(X, [0, 0, 1, 1]), [1, -1])
    X, y = load_iris(return_X_y=True)  # full of equal distances
    X = np.round(X)  # with all neighbours, their order doesn't matter
    assert_allclose(relieff(X, y, n_neighbors=49).sum(), plain_relieff(X, y, 49).sum())


@pytest.mark.parametrize("per_class", [True, False])
@pytest.mark.parametrize("step", [1, 7, 16, 40, 75])
def test_blocks_of_queries_find_the_same_neighbours(per_class, step):
    rng = np.random.default_rng(0)
    XT, y = rng.integers(4, size=(4, 75)).astype(float), np.arange(75) % 3  # full of ties
    n_pools = 3 if per_class else 2
    whole = _neighbours(XT, y, 0, 75, per_class, n_pools, 5, False)
    blocks = [_neighbours(XT, y, a, min(a + step, 75), per_class, n_pools, 5, False) for a in range(0, 75, step)]
    assert_array_equal(np.concatenate(blocks), whole)
    distances = np.abs(XT[:, :, None] - XT[:, None]).sum(axis=0)
    for i, pools in enumerate(whole):
        for pool, found in enumerate(pools):
            members = y == pool if per_class else (y != y[i]) == pool
            others = np.flatnonzero(members & (np.arange(75) != i))
            assert_array_equal(found, others[np.argsort(distances[i, others], kind="stable")[:5]])


def test_kernel_refuses_samples_without_neighbours():
    X, y, prior = np.full((4, 1), np.nan), np.array([0, 0, 1, 1]), np.array([0.5, 0.5])
    with pytest.raises(ValueError, match="too few neighbours at a finite distance"):
        relief_weights(X, y, 4, prior, True, 1, False)


@given(st.integers(0, 10**6), st.floats(0.1, 1e3), st.floats(-1e3, 1e3))
@settings(max_examples=20, deadline=None)
def test_invariances_and_bounds(seed, scale, shift):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 4)), np.repeat([0, 1], 20)
    for score in (relief, relieff):
        w = score(X, y)
        assert np.all(np.abs(w) <= 1)
        assert_allclose(score(X * scale + shift, y), w, atol=1e-9)
        assert_allclose(score(X[:, ::-1], y)[::-1], w, atol=1e-9)
        assert_allclose(score(X, 1 - y), w, atol=1e-12)


def test_informative_features_score_highest():
    X, y = make_classification(400, 30, n_informative=5, n_redundant=0, shuffle=False, random_state=3)
    for score in (relief, relieff):
        assert np.mean(np.argsort(-score(X, y))[:5] < 5) >= 0.8
    assert_array_equal(SelectKBest(relieff, k=2).fit(*load_iris(return_X_y=True)).get_support(indices=True), [2, 3])


def test_sampling_is_seeded_and_may_take_all_samples():
    X, y = load_breast_cancer(return_X_y=True)
    once = relief(X, y, n_iterations=50, random_state=1)
    assert_array_equal(once, relief(X, y, n_iterations=50, random_state=1))
    assert not np.array_equal(once, relief(X, y, n_iterations=50, random_state=2))
    assert_allclose(relief(X, y, n_iterations=len(X), random_state=0), relief(X, y))


def test_constant_feature_scores_zero():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.full(len(X), 7.0)])
    assert relief(X, y)[-1] == 0
    assert relieff(X, y)[-1] == 0
    assert_allclose(relieff(X, y)[:-1], relieff(X[:, :-1], y))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda X, y: relieff(X, y, n_neighbors=50),
            r"^class 0 has 50 samples, but n_neighbors=50 needs 51 in each class\. "
            r"Lower n_neighbors, or leave the class out\.$",
        ),
        (
            lambda X, y: relief(X[:51], y[:51]),
            r"^class 1 has one sample, but each class needs two, so that a sample has a neighbour in its class\. Leave "
            r"the class out, or merge it with another\.$",
        ),
        (lambda X, y: relieff(X[:51], y[:51], n_neighbors=1), r"class 1 has one sample, .*needs two"),
        (
            lambda X, y: relief(X, y, n_iterations=200),
            r"^n_iterations=200 exceeds the 150 samples, which are drawn without replacement\. "
            r"Use n_iterations=None to use each of them once\.$",
        ),
        (lambda X, y: relief(X, np.zeros(150)), "only one class"),
        (lambda X, y: relief(np.where(X > 7.8, np.nan, X), y), "NaN"),
        (lambda X, y: relieff(X, y, difference="cubed"), "'difference' parameter"),
    ],
)
def test_errors_name_the_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call(*load_iris(return_X_y=True))


# --- RReliefF -----------------------------------------------------------------------------------------------------


def plain_rrelieff(X, y, k, sigma):
    """Figure 3 of Robnik-Sikonja & Kononenko (2003), one instance at a time."""
    Z, t = (X - X.min(0)) / np.ptp(X, axis=0), (y - y.min()) / np.ptp(y)
    N_y, N_f, N_yf = 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1])
    influence = np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    for i in range(len(X)):
        distance = np.abs(Z - Z[i]).sum(axis=1)
        distance[i] = np.inf
        for d, j in zip(influence / influence.sum(), np.argsort(distance, kind="stable")[:k], strict=True):
            N_y += abs(t[i] - t[j]) * d
            N_f += np.abs(Z[i] - Z[j]) * d
            N_yf += abs(t[i] - t[j]) * np.abs(Z[i] - Z[j]) * d
    return N_yf / N_y - (N_f - N_yf) / (len(X) - N_y)


def test_rrelieff_by_hand():
    # Scaled x = 0, .25, 1 and t = 0, .5, 1; nearest: 0 -> 1, 1 -> 0, 2 -> 1. diff_x .25, .25, .75; diff_t .5, .5, .5.
    # N_y = 1.5, N_f = 1.25, N_yf = .625: .625 / 1.5 - .625 / 1.5 = 0.
    assert_allclose(rrelieff([[1.0], [2], [5]], [3.0, 4, 5], n_neighbors=1), 0, atol=1e-15)
    # t = 0, 0, 1: diff_t 0, 0, 1; N_y = 1, N_f = 1.25, N_yf = .75: .75 - .5 / 2 = .5
    assert_allclose(rrelieff([[1.0], [2], [5]], [3.0, 3, 5], n_neighbors=1), 0.5)


@pytest.mark.parametrize(("k", "sigma"), [(10, 20.0), (30, 5.0), (1, 1.0), (3, 0.5)])
def test_rrelieff_equals_the_plain_algorithm(k, sigma):
    X, y = load_diabetes(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-7, size=X.shape)  # no ties of distances
    assert_allclose(rrelieff(X, y, n_neighbors=k, sigma=sigma), plain_rrelieff(X, y, k, sigma), atol=1e-13)


def test_rrelieff_with_all_neighbours_of_equal_influence():
    """All pairs count alike, so the score follows from moments of the pairs' differences.

    For y = x uniform on [0, 1]: E diff = 1/3 and E diff^2 = 1/6, so the score is (1/6) / (1/3) - (1/6) / (2/3) = 1/4;
    an independent feature has E diff_f - E diff_f = 0.
    """
    scores = []
    for seed in range(10):
        X = np.random.default_rng(seed).uniform(size=(400, 2))
        scores.append(rrelieff(X, X[:, 0], n_neighbors=399, sigma=None))
    error = np.std(scores, axis=0) / np.sqrt(10)
    assert np.all(np.abs(np.mean(scores, axis=0) - [0.25, 0]) < 4 * error + 1e-3)
    assert error.max() < 0.005


def test_rrelieff_of_two_target_values_is_a_difference_of_conditional_means():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    n = len(X)
    Z = (X - X.min(0)) / np.ptp(X, axis=0)
    a, b = np.nonzero(~np.eye(n, dtype=bool))
    differences, unlike = np.abs(Z[a] - Z[b]), y[a] != y[b]
    expected = differences[unlike].mean(axis=0) - differences[~unlike].mean(axis=0)
    assert_allclose(rrelieff(X, y, n_neighbors=n - 1, sigma=None), expected, rtol=1e-10)


def test_rrelieff_sees_interactions():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(500, 8))
    product = (X[:, 1] > 0.5) ^ (X[:, 4] > 0.5)  # neither feature alone is related to the target
    assert sorted(np.argsort(-rrelieff(X, product.astype(float)))[:2]) == [1, 4]
    X, y = make_friedman1(500, 12, noise=0.5, random_state=0)
    assert sorted(np.argsort(-rrelieff(X, y, n_neighbors=70))[:3]) == [
        0,
        1,
        3,
    ]  # 10 sin(pi x0 x1) + 10 x3 + weaker terms


@given(st.integers(0, 10**6), st.floats(0.1, 1e3), st.floats(-1e3, 1e3))
@settings(max_examples=20, deadline=None)
def test_rrelieff_invariances_and_bounds(seed, scale, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] + rng.normal(size=40)
    w = rrelieff(X, y)
    assert np.all(np.abs(w) <= 1)
    assert_allclose(rrelieff(X * scale + shift, shift - scale * y), w, atol=1e-9)
    assert_allclose(rrelieff(X[:, ::-1], y)[::-1], w, atol=1e-12)
    order = rng.permutation(40)
    assert_allclose(rrelieff(X[order], y[order]), w, atol=1e-12)
    assert_allclose(rrelieff(X, y, n_iterations=40, random_state=0), w, atol=1e-12)
    for sigma in (1e-310, 1e-5, 1e-3):
        assert_array_equal(rrelieff(X, y, sigma=sigma), rrelieff(X, y, n_neighbors=1))
    assert_allclose(rrelieff(X, y, sigma=1e300), rrelieff(X, y, sigma=None))


def test_rrelieff_of_degenerate_samples():
    X, y = np.repeat([[0.0, 0], [1, 1]], 6, axis=0), np.repeat([0.0, 1], 6)
    assert_array_equal(rrelieff(X, y, n_neighbors=5), [0, 0])  # no neighbours differ in the target, nor in a feature
    X, y = np.array([[0.0], [0.1], [1], [1.1]]), np.array([0.0, 1, 0, 1])
    assert_allclose(rrelieff(X, y, n_neighbors=1), 0.1 / 1.1)  # all neighbours differ by the range of the target
    X, y = load_diabetes(return_X_y=True)
    assert rrelieff(np.column_stack([X, np.ones(len(X))]), y)[-1] == 0
    for unit in (1e-300, 1e160):
        assert_allclose(rrelieff(X * unit, y / unit), rrelieff(X, y), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: rrelieff(X, y, n_neighbors=150), "n_neighbors=150 needs at least 151 samples, but X has 150"),
        (lambda X, y: rrelieff(X, y, n_iterations=151), "n_iterations=151 exceeds the 150 samples"),
        (lambda X, y: rrelieff(X, np.ones(150)), "y holds only one value"),
        (lambda X, y: rrelieff(X, y.astype(str)), "y holds values that are not finite numbers"),
        (lambda X, y: rrelieff(X, y, sigma=0), "'sigma' parameter"),
    ],
)
def test_rrelieff_errors_name_the_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call(*load_iris(return_X_y=True))
