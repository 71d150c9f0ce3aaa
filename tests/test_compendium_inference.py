"""Intervals and tests for rules: against scipy, against simulated coverage, and in their limits."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from compendium.inference import (
    best_interval,
    bootstrap_interval,
    correlation_interval,
    grouped_error,
    mean_interval,
    resampled_interval,
    share_interval,
    signed_rank_interval,
    welch_interval,
)


@given(st.integers(0, 30), st.integers(1, 30))
def test_interval_of_a_share_is_the_beta_quantiles(successes, failures):
    n = successes + failures
    low, high = share_interval(successes, n)
    assert low == pytest.approx(0 if successes == 0 else stats.beta.ppf(0.025, successes, failures + 1))
    assert high == pytest.approx(stats.beta.ppf(0.975, successes + 1, failures))


def test_no_trials_tell_nothing():
    assert share_interval(0, 0) == (0.0, 1.0)
    assert mean_interval([3.0]) == (-np.inf, np.inf)
    assert bootstrap_interval([3.0]) == (-np.inf, np.inf)
    assert bootstrap_interval([1.0, 2.0], lambda x: np.nan) == (-np.inf, np.inf), "undefined resamples"
    assert correlation_interval(np.nan, 20) == (-1, 1)
    assert correlation_interval(1.0, 20) == (1, 1)
    assert np.isnan(grouped_error([1.0, 2.0], [0, 0]))


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_errors_of_a_mean_are_its_standard_error(values):
    """Over groups of equal values."""
    x = np.array(values)
    usual = pytest.approx(x.std(ddof=1) / np.sqrt(len(x)), rel=1e-6, abs=1e-9)
    for copies in 1, 3:
        assert grouped_error(np.repeat(x, copies), np.repeat(np.arange(len(x))[::-1], copies)) == usual


def test_error_over_groups_covers_the_mean():
    """Groups of 1 to 20 values that share most of their deviation: the usual error would be a third of it."""
    rng = np.random.default_rng(0)
    covered, n_draws = 0, 400
    groups = np.repeat(np.arange(60), rng.integers(1, 21, 60))
    for _ in range(n_draws):
        values = rng.normal(size=60)[groups] + 0.3 * rng.normal(size=len(groups))
        covered += abs(values.mean()) < stats.t.ppf(0.975, 59) * grouped_error(values, groups)
    assert 0.91 < covered / n_draws < 0.98
    assert values.std() / np.sqrt(len(values)) < 0.5 * grouped_error(values, groups)


def test_interval_of_a_mean_is_that_of_the_t_test():
    x = np.random.default_rng(0).normal(size=12)
    interval = stats.ttest_1samp(x, 0).confidence_interval(0.95)
    assert mean_interval(x) == pytest.approx((interval.low, interval.high))


def test_intervals_cover_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)
    draws = [rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 25) for _ in range(400)]
    correlation = [correlation_interval(np.corrcoef(x.T)[0, 1], 25) for x in draws]
    mean = [bootstrap_interval(x[:, 0]) for x in draws[:200]]
    assert 0.92 <= np.mean([low <= 0.5 <= high for low, high in correlation]) <= 0.98
    assert 0.88 <= np.mean([low <= 0 <= high for low, high in mean]) <= 0.98


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=14, unique=True), st.sampled_from([0.9, 0.95, 0.99]))
def test_signed_rank_interval_is_what_wilcoxons_test_does_not_reject(values, level):
    """Just inside the interval the test does not reject, just outside it does."""
    x = np.array(values, dtype=float)
    low, high = signed_rank_interval(x, level)
    if not np.isfinite(low):
        assert 2 / 2.0 ** len(x) > 1 - level - 1e-12
        return
    for end, outward in ((low, -1), (high, 1)):
        inside, outside = (stats.wilcoxon(x - end - shift * outward, method="exact").pvalue for shift in (-1e-6, 1e-6))
        assert outside <= 1 - level + 1e-12
        assert inside > 1 - level - 1e-12 or low == high


def test_welch_interval_is_that_of_scipy():
    a, b = np.random.default_rng(0).normal(size=(2, 15)) * [[1], [3]]
    expected = stats.ttest_ind(a, b[:9], equal_var=False).confidence_interval()
    assert welch_interval(a, b[:9]) == pytest.approx((expected.low, expected.high))
    assert welch_interval([1.0, 1.0], [0.0, 0.0]) == (1.0, 1.0)
    assert welch_interval([1.0], [0.0, 0.0]) == (-np.inf, np.inf)


def test_overlapping_halves_are_as_uncertain_as_one():
    x = np.linspace(-0.1, 0.1, 20)
    half = stats.t.ppf(0.975, 19) * np.sqrt(1 + 1 / 20) * x.std(ddof=1)
    assert resampled_interval(x) == pytest.approx((-half, half))
    assert resampled_interval([1.0]) == (-np.inf, np.inf)


def test_interval_of_the_best_allows_for_the_choice():
    """Of ten equal means the interval of the largest covers it; the usual lower bound would not as often."""
    rng = np.random.default_rng(0)
    covered, usual = 0, 0
    for _ in range(400):
        drawn = rng.normal(size=(10, 15))
        best = drawn[drawn.mean(axis=1).argmax()]
        low, high = best_interval(best, 10)
        covered += low < 0 < high
        usual += mean_interval(best)[0] < 0
    assert covered / 400 >= 0.94
    assert usual / 400 < 0.9
