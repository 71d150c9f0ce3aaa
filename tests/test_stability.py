"""Stability measures against enumeration, against other formulas, and at their edges."""

import re
from itertools import combinations, product
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest, f_classif

from fscore.stability import average_tanimoto_index, nogueira_stability, relative_weighted_consistency

TWO = [[1, 0], [0, 1]]
masks = arrays(bool, st.tuples(st.integers(2, 6), st.integers(1, 7)))


def weighted_consistency(Z):
    """CW straight from its definition."""
    F, n = Z.sum(axis=0), len(Z)
    return sum(f / F.sum() * (f - 1) / (n - 1) for f in F if f)


def frequencies(total, n, d):
    """Every way to select ``total`` times, with at most n selections of each of d features."""
    return [F for F in product(range(n + 1), repeat=d) if sum(F) == total]


def with_frequencies(F, n):
    return np.array([[i < f for f in F] for i in range(n)])


@pytest.mark.parametrize(("n", "d"), [(2, 3), (3, 3), (3, 4), (4, 3), (5, 4)])
def test_relative_consistency_is_scaled_by_the_true_extremes(n, d):
    for total in range(1, n * d + 1):
        systems = [with_frequencies(F, n) for F in frequencies(total, n, d)]
        raw = np.array([weighted_consistency(Z) for Z in systems])
        ours = np.array([relative_weighted_consistency(Z) for Z in systems])
        if np.ptp(raw) < 1e-12:
            assert_allclose(ours, raw)  # nothing to scale: CW itself
        else:
            assert_allclose(ours, (raw - raw.min()) / np.ptp(raw), atol=1e-12)
            assert ours.min() == 0
            assert ours.max() == 1


@given(masks)
def test_order_of_runs_and_features_is_irrelevant(Z):
    twin = Z[::-1, ::-1]
    assert relative_weighted_consistency(Z) == relative_weighted_consistency(twin)
    assert_allclose(average_tanimoto_index(Z), average_tanimoto_index(twin), atol=1e-15)  # -1 and 1 may cancel
    assert_allclose(nogueira_stability(Z), nogueira_stability(twin), atol=1e-12)


@given(masks)
def test_tanimoto_is_the_mean_over_pairs(Z):
    pairs = [(a & b).sum() / (a | b).sum() if (a | b).any() else -1 for a, b in combinations(Z, 2)]
    assert_allclose(average_tanimoto_index(Z), np.mean(pairs), atol=1e-15)


def test_edges():
    empty, full = np.zeros((3, 4), bool), np.ones((3, 4), bool)
    one = np.array([[True, False, True]])
    assert relative_weighted_consistency(one) == average_tanimoto_index(one) == 1
    assert relative_weighted_consistency(empty) == average_tanimoto_index(empty) == -1
    assert average_tanimoto_index(empty, both_empty=1.0) == 1
    assert np.isnan(average_tanimoto_index(empty, both_empty=np.nan))
    assert relative_weighted_consistency(full) == average_tanimoto_index(full) == 1
    assert relative_weighted_consistency(np.eye(3)) == average_tanimoto_index(np.eye(3)) == 0
    with np.errstate(all="raise"):
        assert np.isnan(nogueira_stability(empty)).all()
        assert np.isnan(nogueira_stability(full)).all()
    for n in range(3, 30):  # of which sums of shares are rounded
        assert nogueira_stability([[1, 1, 1, *[0] * 10]] * n) == (1, 1, 1)


@pytest.mark.parametrize(("second", "value"), [([0, 0, 1, 1, 0, 0], -0.5), ([1, 1, 0, 0, 0, 0], 1), ([1] * 6, -0.5)])
def test_nogueira_of_two_subsets_has_no_interval(second, value):
    found = nogueira_stability([[1, 1, 0, 0, 0, 0], second])
    assert found.value == pytest.approx(value)
    assert np.isnan([found.lower, found.upper]).all()
    assert np.isfinite(nogueira_stability([[1, 1, 0, 0, 0, 0], second, [1, 0, 0, 0, 0, 0]])).all()


def test_nogueira_interval_is_that_of_the_infinitesimal_jackknife():
    """Subsets of very different sizes: the slope of the value in each subset's weight, by finite differences."""
    rng = np.random.default_rng(0)
    n, d, step = 400, 12, 1e-6
    large = rng.random((n, 1)) < 0.5
    Z = rng.random((n, d)) < np.where(large, np.linspace(0.2, 0.9, d), np.linspace(0.01, 0.1, d))

    def value(weights):
        p = weights @ Z
        return 1 - (p * (1 - p)).mean() / (p.mean() * (1 - p.mean()))

    equal = np.full(n, 1 / n)
    slopes = np.array([(value(equal + step * unit) - value(equal - step * unit)) / (2 * step) for unit in np.eye(n)])
    found = nogueira_stability(Z, confidence=0.5)
    deviation = (found.upper - found.lower) / (2 * NormalDist().inv_cdf(0.75))
    assert_allclose(deviation, slopes.std() / np.sqrt(n), rtol=4 / n)  # they differ by terms of order 1 / n
    assert_allclose(found.value - found.lower, found.upper - found.value)


def test_nogueira_interval_ends_at_the_largest_possible_value():
    found = nogueira_stability([[1, 1, 0, 0]] * 9 + [[1, 0, 1, 0]])
    assert found.lower < found.value < found.upper == 1
    wide = nogueira_stability([[1, 1, 0, 0]] * 9 + [[1, 0, 1, 0]], confidence=0.5)
    assert_allclose(wide.value - wide.lower, wide.upper - wide.value)


@given(masks)
def test_nogueira_interval_holds_possible_values_only(Z):
    found = nogueira_stability(Z)
    if len(Z) > 2 and not np.isnan(found.value):
        assert -1 / (len(Z) - 1) - 1e-12 <= found.lower <= found.value <= found.upper <= 1


def test_fitted_selectors_and_masks_are_the_same():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(1)
    rows = [rng.choice(150, 30, replace=False) for _ in range(4)]
    fitted = [SelectKBest(f_classif, k=k).fit(X[r], y[r]) for k, r in zip((1, 2, 2, 3), rows, strict=True)]
    Z = np.array([s.get_support() for s in fitted])
    objects = np.array([[True, 0], [1, 1.0]], dtype=object)
    assert average_tanimoto_index(objects) == average_tanimoto_index([[1, 0], [1, 1]])
    for measure in relative_weighted_consistency, average_tanimoto_index, nogueira_stability:
        assert measure(fitted) == measure(list(Z)) == measure(Z) == measure(Z.astype(float))
        assert measure(pd.DataFrame(Z, columns=list("abcd"))) == measure(Z)


@pytest.mark.parametrize(
    "subsets",
    [
        [[0, 1], [1, 0, 1]],
        [[0, 2], [1, 3]],
        [[[1], [0, 1]], [1, 0]],
        [],
        [True, False],
        np.array([["a", 1]], dtype=object),
    ],
)
@pytest.mark.parametrize("measure", [relative_weighted_consistency, average_tanimoto_index, nogueira_stability])
def test_what_are_no_masks_is_refused(measure, subsets):
    with pytest.raises(ValueError, match=r"^subsets must be masks: .* not the indices of the selected features\.$"):
        measure(subsets)


def test_masked_masks_are_refused():
    with pytest.raises(ValueError, match=r"^subsets has masked values, which would be used as if they were valid"):
        average_tanimoto_index(np.ma.array([[1, 0], [1, 1]], mask=[[0, 1], [0, 0]]))


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (lambda: nogueira_stability([[1, 0]]), "stability compares subsets, but there is only one; give at least two."),
        (lambda: average_tanimoto_index([[0, 1]], both_empty="one"), "both_empty='one' must be a number."),
        (lambda: average_tanimoto_index([[0, 1]], both_empty=np.inf), "both_empty=inf must be finite"),
        *(
            (lambda confidence=confidence: nogueira_stability(TWO, confidence=confidence), f"confidence={confidence!r}")
            for confidence in (0.0, 1.0, "high")
        ),
    ],
)
def test_arguments_are_refused_in_words(refused, message):
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(message)}"):
        refused()
