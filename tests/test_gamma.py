"""The Gamma Test against hand computation, a plain implementation, theory, and its invariances."""

from itertools import combinations

import numpy as np
import pytest
from criteria_steps import add, remove
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import cKDTree
from sklearn.datasets import load_iris

from fscore.criteria import GammaTest, gamma_all_subsets, gamma_test


def plain_gamma(X, y, p_max, cumulative=True, continuous=False):
    """Equations 5.3 and 5.4 by a k-d tree and a polynomial fit."""
    distances, near = cKDTree(X).query(X, p_max + 1)
    delta = (distances[:, 1:] ** 2).mean(axis=0)
    apart = (y[near[:, 1:]] - y[:, None]) ** 2 if continuous else y[near[:, 1:]] != y[:, None]
    gamma = apart.mean(axis=0) / 2
    if cumulative:
        p = np.arange(1, p_max + 1)
        delta, gamma = np.cumsum(delta) / p, np.cumsum(gamma) / p
    slope, intercept = np.polyfit(delta, gamma, 1)
    return intercept, slope, np.column_stack([delta, gamma])


def sample(n=150, d=5, n_classes=2, seed=0):
    """Samples and their classes, or numbers if `n_classes` is None."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n) if n_classes is None else rng.integers(n_classes, size=n)
    return rng.normal(size=(n, d)) + np.outer(y, np.linspace(2, 0, d)), y


of_classes_or_numbers = pytest.mark.parametrize("continuous", [False, True], ids=["classes", "numbers"])


@pytest.mark.parametrize("cumulative", [True, False])
@pytest.mark.parametrize(
    ("n", "p_max", "n_classes"),
    [(40, 3, 2), (64, 20, 3), (65, 50, 2), (300, 20, 4), (150, 149, 2), (12, 11, None), (90, 20, None)],
)
def test_equal_to_a_tree(n, p_max, n_classes, cumulative):
    X, y = sample(n, n_classes=n_classes)
    options = {"cumulative": cumulative, "continuous": n_classes is None}
    ours = gamma_test(X, y, p_max=p_max, **options)
    gamma, slope, points = plain_gamma(X, y, p_max, **options)
    assert_allclose(ours.points, points, rtol=1e-12)
    assert_allclose([ours.gamma, ours.slope], [gamma, slope], rtol=1e-9, atol=1e-12)


@of_classes_or_numbers
def test_all_subsets_are_the_single_tests(continuous):
    X, y = sample(n=90, d=6, n_classes=None if continuous else 2)
    p_max = (5, 20, 50)
    values = gamma_all_subsets(X, y, p_max=p_max, continuous=continuous)
    assert np.isnan(values[0]).all()
    for mask in range(1, 64):
        columns = [f for f in range(6) if mask >> f & 1]
        single = [gamma_test(X[:, columns], y, p_max=p, continuous=continuous).gamma for p in p_max]
        assert_array_equal(values[mask], single)
        plain = plain_gamma(X[:, columns], y, 20, continuous=continuous)[0]
        assert_allclose(values[mask, 1], plain, rtol=1e-9, atol=1e-13)
    assert_array_equal(values, gamma_all_subsets(X, y, p_max=p_max, continuous=continuous, n_jobs=2))
    assert_array_equal(values[:, :1], gamma_all_subsets(X, y, p_max=p_max[0], continuous=continuous))


@of_classes_or_numbers
def test_criterion_gives_one_value_along_every_path(continuous):
    X, y = sample(d=7, n_classes=None if continuous else 2)
    criterion = GammaTest(p_max=10, continuous=continuous)
    J = criterion.bind(X, y)
    subsets = [s for size in (1, 3, 6) for s in combinations(range(7), size)]
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(len(subsets))
    values = J.score(subsets)
    assert_array_equal(J.score([subsets[q] for q in shuffled]), values[shuffled])
    assert_array_equal(add(J, (1, 4), [(0,), (6,), (2,)]), J.score([(0, 1, 4), (1, 4, 6), (1, 2, 4)]))
    assert_array_equal(remove(J, (1, 2, 4), [(1,), (4,)]), J.score([(2, 4), (1, 2)]))
    assert_array_equal(criterion.bind(X, y, n_jobs=2).score(subsets), values)
    of_all = gamma_all_subsets(X, y, 10, continuous=continuous)[:, 0]
    assert_allclose(values, [-of_all[sum(1 << c for c in s)] for s in subsets], rtol=1e-13)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 4, 1000]), st.integers(2, 12))
def test_two_classes_as_numbers_are_the_same(seed, levels, p_max):
    """Also with ties, duplicates and a constant column."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (40, 3)).astype(float)
    X[:, 2], X[5:8] = 1.0, X[4]
    y = np.r_[0, 1, rng.integers(0, 2, 38)]
    classes, numbers = (gamma_all_subsets(X, y, p_max, continuous=c) for c in (False, True))
    assert_allclose(numbers, classes, rtol=1e-9, atol=1e-12)
    assert_allclose(gamma_test(X, y, p_max, continuous=True).v_ratio, gamma_test(X, y, p_max).v_ratio, atol=1e-9)


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


def test_equally_distant_neighbors_share():
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=200)
    x = np.round(rng.normal(size=200) + y)  # a handful of values: ties reach far beyond p_max
    points = gamma_test(x[:, None], y, p_max=5, cumulative=False).points
    assert_allclose(points[:, 1], shared_ties(x, y, 5), atol=4 * 0.5 / np.sqrt(200 * 400))
    X, labels = load_iris(return_X_y=True)
    order = rng.permutation(150)
    assert_allclose(gamma_all_subsets(X, labels), gamma_all_subsets(X[order], labels[order]), atol=1e-13)


def test_columns_of_any_scale_side_by_side():
    X, y = sample(n=60, d=3)
    scaled = gamma_all_subsets(X * [1, 2.0**-60, 2.0**60], y, p_max=(5, 10))
    assert_allclose(scaled[[1, 2, 4]], gamma_all_subsets(X, y, p_max=(5, 10))[[1, 2, 4]], rtol=1e-9)


def test_constant_columns_explain_nothing():
    y = np.repeat([0, 1], [10, 30])
    with np.errstate(all="raise"):
        result = gamma_test(np.ones((40, 2)), y, p_max=5)
    assert_allclose(result.gamma, 10 * 30 / (40 * 39))  # half the share of pairs that are unlike
    assert result.slope == 0
    assert_allclose(result.v_ratio, 40 / 39)


@of_classes_or_numbers
@given(st.integers(0, 10**6), st.floats(0.01, 100), st.floats(-100, 100), st.booleans())
@settings(max_examples=20, deadline=None)
def test_units_order_and_names_of_classes(continuous, seed, scale, shift, ties):
    X, y = sample(n=40, d=3, n_classes=None if continuous else 2, seed=seed)
    if len(np.unique(y)) < 2:
        return
    unit, origin = (1.0, 0.0) if ties else (scale, shift)  # rounding would part equal distances
    X = np.round(X) if ties else X
    options = {"p_max": 6, "continuous": continuous}
    expected = gamma_test(X, y, **options)
    order, names = np.random.default_rng(seed).permutation(40), y if continuous else np.array(["x", "a"])[y]
    moved = gamma_test((X * unit + origin)[order], names[order], **options)
    assert_allclose(moved.gamma, expected.gamma, atol=1e-7)
    assert_allclose(moved.slope * unit**2, expected.slope, rtol=1e-5, atol=1e-7)
    assert np.all(np.diff(expected.points[:, 0]) >= 0)
    if continuous:
        changed = gamma_test(X, y * scale + shift, **options)
        assert_allclose(changed.gamma, expected.gamma * scale**2, atol=1e-8 * scale**2 + 1e-12 * shift**2)


def test_memory_and_time_of_a_batch_are_limited_and_change_nothing(monkeypatch):
    """Prefixes beyond the store are added again; Ctrl-C acts between batches of subsets."""
    from fscore.kernels import gamma as kernel

    X, y = sample(n=70, d=8)
    subsets = [(0, 1, 2, 3), (0, 1, 2, 3, 4), (0, 1, 2, 3, 5, 6), (0, 1, 2, 7), (4,)]
    J, whole, calls = GammaTest(5).bind(X, y), kernel.neighbor_sums, []
    want, of_all = J.score(subsets), gamma_all_subsets(X, y, 5)

    def with_half_the_store(X, y, offsets, columns, shared, *rest):
        calls.append(len(shared))
        return whole(X, y, offsets, columns, shared // 2, *rest)

    monkeypatch.setattr(kernel, "neighbor_sums", with_half_the_store)
    assert_array_equal(J.score(subsets), want)
    monkeypatch.setattr("fscore.criteria.gamma.WORK_PER_BATCH", 2 * 70**2)
    assert_array_equal(J.score(subsets), want)
    assert calls == [5, 2, 2, 1]
    for n_jobs in (1, 2):
        assert_array_equal(gamma_all_subsets(X, y, 5, n_jobs=n_jobs), of_all)


NUMBERS = np.random.default_rng(0).normal(size=(20, 2))
LABELS = np.arange(20) % 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: gamma_test(X, X[:, 0], 20, continuous=True), "p_max=20 neighbors need at least 21 samples"),
        (lambda X, y: gamma_test(X, y), "p_max=20 neighbors need at least 21 samples, not 20"),
        (lambda X, y: GammaTest().bind(X, y), "p_max=20 neighbors need"),
        (lambda X, y: GammaTest(p_max=1).bind(X, y), "must be an integer of at least 2"),
        (lambda X, y: gamma_all_subsets(np.ones((20, 26)), y, 5), "26 features have"),
        (lambda X, y: gamma_all_subsets(X, y, p_max=()), "^p_max is empty; give at least one number of neighbors"),
        (lambda X, y: gamma_all_subsets(X, y, p_max=2.5), r"p_max=2\.5 must be an integer of at least 2"),
        (lambda X, y: gamma_test(X, np.ones(20), continuous=True), "y holds only one value"),
        (lambda X, y: GammaTest(continuous=True).bind(X, y.astype(str) + "a"), "y holds '.*a', which is not a number"),
        (
            lambda X, y: gamma_test(X, X[:, 0] * 1e200, 5, continuous=True),
            r"of y contains .*, but the Gamma Test requires .* to avoid overflow",
        ),
    ],
)
def test_unusable_arguments_get_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call(NUMBERS, LABELS)
