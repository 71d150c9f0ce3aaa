"""The Gamma Test against hand computation, a plain implementation, theory, and its invariances."""

from itertools import combinations

import numpy as np
import pytest
from criteria_steps import add, remove
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import cKDTree
from scipy.stats import norm
from sklearn.datasets import load_breast_cancer, load_iris

from fscore.criteria.gamma import GammaTest, _neighbor_means, gamma_all_subsets, gamma_test
from fscore.datasets import load


def plain_gamma(X, y, p_max, cumulative=True):
    """Equations 5.3 and 5.4 by a k-d tree and a polynomial fit."""
    distances, neighbours = cKDTree(X).query(X, p_max + 1)
    delta = (distances[:, 1:] ** 2).mean(axis=0)
    gamma = (y[neighbours[:, 1:]] != y[:, None]).mean(axis=0) / 2
    if cumulative:
        p = np.arange(1, p_max + 1)
        delta, gamma = np.cumsum(delta) / p, np.cumsum(gamma) / p
    slope, intercept = np.polyfit(delta, gamma, 1)
    return intercept, slope, np.column_stack([delta, gamma])


def continuous(n=150, d=5, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, d)) + np.outer(y, np.linspace(2, 0, d)), y


def test_by_hand():
    # On a line at 0, 1, 3, 7 with classes a a b b. Nearest: 1, 0, 1, 3 (squared 1, 1, 4, 16), unlike: 0 0 1 0.
    # Second: 3, 3, 0, 1 (9, 4, 9, 36), unlike: 1 1 1 1.
    result = gamma_test([[0.0], [1], [3], [7]], list("aabb"), p_max=2, cumulative=False)
    assert_allclose(result.points, [[22 / 4, 1 / 8], [58 / 4, 4 / 8]])
    slope = (3 / 8) / 9
    assert_allclose([result.slope, result.gamma], [slope, 1 / 8 - slope * 5.5])
    assert_allclose(result.v_ratio, result.gamma / 0.25)
    running = gamma_test([[0.0], [1], [3], [7]], list("aabb"), p_max=2)
    assert_allclose(running.points, [[22 / 4, 1 / 8], [10.0, 2.5 / 8]])


@pytest.mark.parametrize("cumulative", [True, False])
@pytest.mark.parametrize(
    ("n", "p_max", "n_classes"), [(40, 3, 2), (64, 20, 3), (65, 50, 2), (300, 20, 4), (150, 149, 2)]
)
def test_equal_to_a_tree(n, p_max, n_classes, cumulative):
    X, y = continuous(n, n_classes=n_classes)
    ours = gamma_test(X, y, p_max=p_max, cumulative=cumulative)
    gamma, slope, points = plain_gamma(X, y, p_max, cumulative)
    assert_allclose(ours.points, points, rtol=1e-12)
    assert_allclose([ours.gamma, ours.slope], [gamma, slope], rtol=1e-9, atol=1e-12)


def test_all_subsets_are_the_single_tests():
    X, y = continuous(n=90, d=6)
    p_max = (5, 20, 50)
    values = gamma_all_subsets(X, y, p_max=p_max)
    assert np.isnan(values[0]).all()
    for mask in range(1, 64):
        columns = [f for f in range(6) if mask >> f & 1]
        assert_array_equal(values[mask], [gamma_test(X[:, columns], y, p_max=p).gamma for p in p_max])
        assert_allclose(values[mask, 1], plain_gamma(X[:, columns], y, 20)[0], rtol=1e-9, atol=1e-13)
    assert_array_equal(values, gamma_all_subsets(X, y, p_max=p_max, n_jobs=2))
    assert_array_equal(values[:, :1], gamma_all_subsets(X, y, p_max=p_max[0]))


def test_criterion_gives_one_value_along_every_path():
    X, y = continuous(d=7)
    J = GammaTest(p_max=10).bind(X, y)
    subsets = [s for size in (1, 3, 6) for s in combinations(range(7), size)]
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(len(subsets))
    values = J.score(subsets)
    assert_array_equal(J.score([subsets[q] for q in shuffled]), values[shuffled])
    assert_array_equal(add(J, (1, 4), [(0,), (6,), (2,)]), J.score([(0, 1, 4), (1, 4, 6), (1, 2, 4)]))
    assert_array_equal(remove(J, (1, 2, 4), [(1,), (4,)]), J.score([(2, 4), (1, 2)]))
    assert_array_equal(GammaTest(p_max=10).bind(X, y, n_jobs=2).score(subsets), values)
    assert_allclose(values[0], -gamma_test(X[:, [0]], y, p_max=10).gamma, rtol=1e-13)


def test_prefixes_beyond_the_store_are_added_again(monkeypatch):
    X, y = continuous(n=70, d=8)
    subsets = [(0, 1, 2, 3), (0, 1, 2, 3, 4), (0, 1, 2, 3, 5, 6), (0, 1, 2, 7)]
    near, unlike = _neighbor_means(X, y, subsets, 5)
    for subset, row in zip(subsets, near, strict=True):
        assert_array_equal(_neighbor_means(X, y, [subset], 5)[0][0], row)
    from fscore.kernels import gamma as kernel

    whole = kernel.neighbor_sums
    monkeypatch.setattr(
        kernel, "neighbor_sums", lambda X, y, i, c, shared, *rest: whole(X, y, i, c, shared // 2, *rest)
    )
    again = _neighbor_means(X, y, subsets, 5)
    assert_array_equal(again[0], near)
    assert_array_equal(again[1], unlike)


def shared_ties(x, y, p_max):
    """Mean over every order of the samples, approximated by many random ones: what averaging over ties must give."""
    rng = np.random.default_rng(0)
    total = np.zeros(p_max)
    for _ in range(400):
        order = rng.permutation(len(y))
        d = np.abs(x[order][:, None] - x[order])
        np.fill_diagonal(d, np.inf)
        near = np.argsort(d, axis=1, kind="stable")[:, :p_max]
        total += (y[order][near] != y[order][:, None]).mean(axis=0) / 2
    return total / 400


def test_equally_distant_neighbours_share():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=200)
    x = np.round(rng.normal(size=200) + y)  # a handful of values: ties reach far beyond p_max
    points = gamma_test(x[:, None], y, p_max=5, cumulative=False).points
    assert_allclose(points[:, 1], shared_ties(x, y, 5), atol=4 * 0.5 / np.sqrt(200 * 400))
    X, labels = load_iris(return_X_y=True)
    order = rng.permutation(150)
    assert_allclose(gamma_all_subsets(X, labels), gamma_all_subsets(X[order], labels[order]), atol=1e-13)


def test_columns_of_any_scale_side_by_side():
    X, y = continuous(n=60, d=3)
    scaled = gamma_all_subsets(X * [1, 2.0**-60, 2.0**60], y, p_max=(5, 10))
    assert_allclose(scaled[[1, 2, 4]], gamma_all_subsets(X, y, p_max=(5, 10))[[1, 2, 4]], rtol=1e-9)


def test_constant_columns_explain_nothing():
    y = np.repeat([0, 1], [10, 30])
    with np.errstate(all="raise"):
        result = gamma_test(np.ones((40, 2)), y, p_max=5)
    assert_allclose(result.gamma, 10 * 30 / (40 * 39))  # half the share of pairs that are unlike
    assert result.slope == 0
    assert_allclose(result.v_ratio, 40 / 39)


@pytest.mark.parametrize("distance", [1.41421356, 2.8284271])
def test_tends_to_the_expected_product_of_posteriors(distance):
    # Two normal classes: eta depends on the projection t alone; E[eta (1 - eta)] by quadrature.
    t = np.linspace(-12, 12 + distance, 4001)
    a, b = norm.pdf(t) / 2, norm.pdf(t - distance) / 2
    theory = np.trapezoid(a * b / (a + b), t)
    gammas = [
        gamma_test(*load("gaussian_pair", return_X_y=True, shift=distance / np.sqrt(2), random_state=r)).gamma
        for r in range(30)
    ]
    error = np.std(gammas) / np.sqrt(30)
    # the curve bends a little below the line at 500 samples: a bias of a few per cent, as in the notes of the method
    assert abs(np.mean(gammas) - theory) < 3 * error + 0.05 * theory


def test_labels_without_relation_have_v_ratio_one():
    rng = np.random.default_rng(0)
    ratios = [gamma_test(rng.normal(size=(400, 3)), rng.integers(3, size=400)).v_ratio for _ in range(20)]
    assert abs(np.mean(ratios) - 1) < 3 * np.std(ratios) / np.sqrt(20)


@given(st.integers(0, 10**6), st.floats(0.01, 100), st.floats(-100, 100))
@settings(max_examples=20, deadline=None)
def test_units_order_and_names_of_classes(seed, scale, shift):
    X, y = continuous(n=40, d=3, seed=seed)
    if len(np.unique(y)) < 2:
        return
    expected = gamma_test(X, y, p_max=6)
    order = np.random.default_rng(seed).permutation(40)
    moved = gamma_test((X * scale + shift)[order], np.array(["x", "a"])[y][order], p_max=6)
    assert_allclose(moved.gamma, expected.gamma, atol=1e-7)
    assert_allclose(moved.slope * scale**2, expected.slope, rtol=1e-5, atol=1e-7)
    assert np.all(np.diff(expected.points[:, 0]) >= 0)


def test_unusable_arguments_get_one_sentence():
    X, y = continuous(n=20)
    with pytest.raises(ValueError, match=r"p_max=20 neighbors need at least 21 samples, not 20"):
        gamma_test(X, y)
    with pytest.raises(ValueError, match=r"p_max=30 neighbors need"):
        GammaTest(p_max=30).bind(X, y)
    for p_max in (1, 2.5):
        with pytest.raises(ValueError, match="must be an integer of at least 2"):
            GammaTest(p_max=p_max).bind(X, y)
    with pytest.raises(ValueError, match="26 features have"):
        gamma_all_subsets(np.ones((30, 26)), np.arange(30) % 2)
    with pytest.raises(ValueError, match=r"^p_max is empty; give at least one number of neighbors\.$"):
        gamma_all_subsets(np.ones((30, 2)), np.arange(30) % 2, p_max=())
    with pytest.raises(ValueError, match=r"p_max=2\.5 must be an integer of at least 2"):
        gamma_all_subsets(np.ones((30, 2)), np.arange(30) % 2, p_max=2.5)
    with pytest.raises(ValueError, match=r"'cumulative' parameter of gamma_all_subsets must be .* Got 'no' instead"):
        gamma_all_subsets(X, y, p_max=5, cumulative="no")
    with pytest.raises(ValueError, match="only one class"):
        gamma_test(X, np.zeros(20))
    with pytest.raises(ValueError, match="NaN"):
        gamma_test(np.full((20, 2), np.nan), y, p_max=3)


def test_breast_cancer_is_easier_than_chance():
    X, y = load_breast_cancer(return_X_y=True)
    X = 2 * (X - X.min(axis=0)) / np.ptp(X, axis=0) - 1
    assert 0 < gamma_test(X, y).v_ratio < 0.2


def test_a_batch_takes_a_fraction_of_a_second_and_gives_the_same_values(monkeypatch):
    """Ctrl-C acts between batches: 4096 subsets of 4000 samples would take twenty minutes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
    subsets = [tuple(sorted(rng.choice(6, size, replace=False))) for size in (1, 2, 3, 3, 4, 5, 6)]
    want = gamma_all_subsets(X, y, 5), GammaTest(5).bind(X, y).score(subsets)
    sizes = []

    def counted(X, y, some, p_max):
        sizes.append(len(some))
        return _neighbor_means(X, y, some, p_max)

    monkeypatch.setattr("fscore.criteria.gamma._WORK", 3 * 40**2)
    monkeypatch.setattr("fscore.criteria.gamma._neighbor_means", counted)
    for n_jobs in (1, 2):
        assert_array_equal(gamma_all_subsets(X, y, 5, n_jobs=n_jobs), want[0])
        assert_array_equal(GammaTest(5).bind(X, y, n_jobs=n_jobs).score(subsets), want[1])
    assert max(sizes) == 3
    assert sum(sizes) == 2 * (63 + 7)
