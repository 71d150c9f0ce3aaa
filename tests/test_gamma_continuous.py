"""The Gamma Test of a continuous output: theory, a k-d tree as the other implementation, invariances, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial import cKDTree

from fscore.criteria import GammaTest, gamma_all_subsets, gamma_test
from fscore.search import ExhaustiveSearch


def test_slope_of_a_linear_function():
    """gamma(p) = (a^2 / 2) delta(p) for y = a x in one dimension: the slope is a^2 / 2, exactly."""
    x = np.random.default_rng(0).uniform(size=100)
    result = gamma_test(x[:, None], 3 * x, 5, continuous=True)
    assert_allclose([result.slope, result.gamma], [4.5, 0], atol=1e-10)


@pytest.mark.parametrize("n", [12, 90])
def test_equal_to_a_tree(n):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 4)), rng.normal(size=n)
    p_max = min(20, n - 1)
    d, near = cKDTree(X).query(X, p_max + 1)
    points = gamma_test(X, y, p_max, cumulative=False, continuous=True).points
    assert_allclose(points[:, 0], (d[:, 1:] ** 2).mean(axis=0))
    assert_allclose(points[:, 1], ((y[near[:, 1:]] - y[:, None]) ** 2).mean(axis=0) / 2)


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


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 1000]), st.floats(0.01, 100), st.floats(-100, 100))
def test_order_and_units(seed, levels, scale, shift):
    rng = np.random.default_rng(seed)
    X, y, order = rng.integers(0, levels, (40, 2)).astype(float), rng.normal(size=40), rng.permutation(40)
    expected = gamma_test(X, y, 5, continuous=True)
    moved = gamma_test(X[order], (y * scale + shift)[order], 5, continuous=True)
    assert_allclose(moved.gamma, expected.gamma * scale**2, atol=1e-8 * scale**2 + 1e-12 * shift**2)


def test_a_subset_has_one_value_along_every_path_and_with_threads():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.normal(size=60)
    all_ = gamma_all_subsets(X, y, (5,), continuous=True)
    assert_array_equal(gamma_all_subsets(X, y, (5,), continuous=True, n_jobs=2), all_)
    trace = ExhaustiveSearch(GammaTest(5, continuous=True)).fit(X, y).trace_
    masks = [sum(1 << c for c in features) for features in trace["features"]]
    assert_array_equal(-trace["value"], all_[masks, 0])
