"""Intervals and tests for rules: against scipy, against simulated coverage, and in their limits."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy import optimize, stats

from compendium.inference import (
    best_interval,
    bootstrap_interval,
    connected_groups,
    corrected_resampled_t,
    correlation_interval,
    critical_difference,
    friedman,
    grouped_error,
    holm,
    mean_interval,
    mean_over_groups_interval,
    random_effects,
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
    for interval in mean_interval, bootstrap_interval, resampled_interval:
        assert interval([1.0, 1.0, 1.0]) == (-np.inf, np.inf), "equal values say nothing about their spread"
    assert bootstrap_interval([3.0]) == (-np.inf, np.inf)
    assert bootstrap_interval([1.0, 2.0], lambda x: np.nan) == (-np.inf, np.inf), "undefined resamples"
    assert correlation_interval([np.nan], [20]) == correlation_interval([0.5], [3]) == (-1, 1)
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


def test_bootstrap_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(0)
    intervals = [bootstrap_interval(rng.normal(size=25)) for _ in range(200)]
    assert 0.88 <= np.mean([low <= 0 <= high for low, high in intervals]) <= 0.98
    many = rng.normal(size=1000)
    ends = mean_interval(many)
    assert_allclose(bootstrap_interval(many), ends, atol=0.05 * (ends[1] - ends[0]))


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
    assert welch_interval([1.0, 1.0], [0.0, 0.0]) == (-np.inf, np.inf)
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


def paule_mandel(y, v):
    """Tau by another estimator: where the generalized Q statistic is its expectation."""

    def excess(between):
        w = 1 / (v + between)
        return np.sum(w * (y - np.average(y, weights=w)) ** 2) - (len(y) - 1)

    return 0.0 if excess(0) <= 0 else optimize.brentq(excess, 0, 100)


def test_random_effects_are_the_closed_form_and_near_another_estimator():
    """Written out for three sets as in DerSimonian and Laird (1986); tau by Paule and Mandel for twenty."""
    y, v = np.array([0.0, 1.0, 4.0]), np.array([0.5, 1.0, 2.0])
    w = 1 / v
    q = np.sum(w * (y - np.sum(w * y) / w.sum()) ** 2)
    tau2 = (q - 2) / (w.sum() - np.sum(w**2) / w.sum())
    w = 1 / (v + tau2)
    mean = np.sum(w * y) / w.sum()
    error = np.sqrt(np.sum(w * (y - mean) ** 2) / 2 / w.sum())
    spread = np.sqrt(v)  # of two values, whose mean then has the variance v
    found = random_effects(np.concatenate([y - spread, y + spread]), [0, 1, 2] * 2)
    assert (found.mean, found.tau, found.error) == pytest.approx((mean, np.sqrt(tau2), error))
    half = stats.t.ppf(0.975, 2) * error
    assert found.interval() == pytest.approx((mean - half, mean + half))
    rng = np.random.default_rng(0)
    true = rng.normal(2, 1, 200)
    values = true[:, None] + rng.normal(0, rng.uniform(0.5, 2, 200)[:, None], (200, 8))
    found = random_effects(values.ravel(), np.repeat(np.arange(200), 8))
    between = paule_mandel(values.mean(axis=1), values.var(axis=1, ddof=1) / 8)
    assert found.tau == pytest.approx(np.sqrt(between), rel=0.1)


def test_random_effects_of_equally_exact_sets_are_the_t_test():
    """With the same error in every set, weights are equal: Student's interval over the means of the sets."""
    means = np.array([0.3, 1.0, -0.2, 0.8, 0.5])
    values = np.concatenate([means - 0.1, means + 0.1])
    assert random_effects(values, [*range(5)] * 2).interval() == pytest.approx(mean_interval(means))
    assert random_effects([1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1]).interval() == (-np.inf, np.inf), "nothing varies"


def test_random_effects_of_means_that_are_equal_by_chance_keep_the_error_within_the_sets():
    means = np.array([1.0, 1.01, 0.99])
    values = np.concatenate([means - 1, means + 1])  # of two values, whose mean then has the variance 1
    found = random_effects(values, [0, 1, 2] * 2)
    assert (found.tau, found.error) == (0, pytest.approx(np.sqrt(1 / 3)))


@pytest.mark.parametrize("equal", [0.1, 0.7, 91.3])
def test_equal_values_of_a_set_are_no_certainty_whatever_their_mean_rounds_to(equal):
    """The mean of 0.1, 0.1 and 0.1 in binary is not 0.1; that of values shifted to zero is."""
    values, sets = np.array([equal, equal, equal, 1, 3, 2, 4, 5, 7]), np.repeat([0, 1, 2], 3)
    found, shifted = random_effects(values, sets), random_effects(values - equal, sets)
    assert_allclose([found.mean - equal, found.error, found.tau], [shifted.mean, shifted.error, shifted.tau])
    for sizes in [3, 3, 3], [3, 4, 5]:
        parted = np.repeat([0.1, 0.1, 0.1], sizes), np.repeat([0, 1, 2], sizes)
        assert mean_over_groups_interval(*parted) == random_effects(*parted).interval() == (-np.inf, np.inf)


def test_values_that_are_equal_but_for_rounding_say_nothing_about_their_spread():
    gains = np.array([91.3, 85.4, 77.8]) - [90.2, 84.3, 76.7]
    assert len(set(gains)) > 1
    assert welch_interval(gains, [1.0] * 3) == (-np.inf, np.inf)
    for interval in mean_interval, resampled_interval, bootstrap_interval:
        assert interval(gains) == (-np.inf, np.inf)
        assert interval(gains + np.array([0, 0, 1e-6]))[0] > 1


def test_random_effects_cover_the_mean_and_one_more_set():
    rng = np.random.default_rng(0)
    covered = ahead = 0
    for _ in range(400):
        values = rng.normal(0, 1, 11)[:, None] + rng.normal(0, 2, (11, 8))
        found = random_effects(values[:10].ravel(), np.repeat(np.arange(10), 8))
        covered += found.interval()[0] < 0 < found.interval()[1]
        low, high = found.prediction()
        ahead += low < values[10].mean() < high
    assert 0.92 < covered / 400 < 0.98
    assert 0.85 < ahead / 400 < 0.98, "of the mean of eight measurements of the new set"


def test_the_mean_over_these_sets_has_only_the_error_within_them():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        values = np.array([0.0, 10.0, 20.0])[:, None] + rng.normal(0, [[1], [2], [3]], (3, 6))
        low, high = mean_over_groups_interval(values.ravel(), np.repeat([0, 1, 2], 6))
        covered += low < 10 < high
    assert 0.92 < covered / 400 < 0.98
    assert mean_over_groups_interval([1.0, 1.0, 2.0, 2.0], [0, 0, 1, 1]) == (-np.inf, np.inf)


def test_interval_of_a_correlation_is_that_of_scipy_and_of_a_mean_covers_it():
    found = stats.pearsonr(*np.random.default_rng(0).normal(size=(2, 12)))
    assert correlation_interval([found.statistic], [12]) == pytest.approx(tuple(found.confidence_interval()))
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        r = [np.corrcoef(rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], n).T)[0, 1] for n in (16, 20, 24)]
        low, high = correlation_interval(r, [16, 20, 24])
        covered += low < 0.6 < high
    assert 0.92 < covered / 400 < 0.98


def test_without_common_samples_the_corrected_t_is_the_paired_one():
    d = np.random.default_rng(0).normal(0.3, 1, 20)
    assert corrected_resampled_t(d, 0.0) == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    assert corrected_resampled_t(d, 0.25) > corrected_resampled_t(d, 0.0)
    # by hand: mean 2, variance 1, t = 2 / sqrt(1/3 + 1/2) on two degrees of freedom
    assert corrected_resampled_t([1, 2, 3], 0.5) == pytest.approx(2 * stats.t.sf(2 / np.sqrt(5 / 6), 2))
    # constant differences are certain; one fold says nothing
    assert [corrected_resampled_t(d, 0.25) for d in ([0.0] * 3, [0.5] * 3, [0.5])] == [1, 0, 1]


def test_the_corrected_t_holds_its_level_where_the_plain_one_does_not():
    """Differences with the correlation that the correction assumes, n_test / (n_test + n_train), and mean zero."""
    rng = np.random.default_rng(0)
    common, own = rng.normal(size=(2000, 1)), rng.normal(size=(2000, 10))
    d = np.sqrt(0.2) * common + np.sqrt(0.8) * own
    ours = np.mean([corrected_resampled_t(row, 0.25) < 0.05 for row in d])
    plain = np.mean(stats.ttest_1samp(d, 0, axis=1).pvalue < 0.05)
    assert abs(ours - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 2000)
    assert plain > 0.15


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_what_the_steps_reject(p):
    adjusted = holm(p)
    assert np.all(adjusted >= p)
    assert np.all(adjusted <= 1)
    order = np.argsort(p, kind="stable")
    for level in 0.01, 0.05, 0.3:
        steps = np.array(p)[order] * np.arange(len(p), 0, -1) <= level
        rejected = len(p) if steps.all() else int(np.argmin(steps))
        assert set(order[:rejected]) == set(np.flatnonzero(adjusted <= level))


def test_friedman_from_the_mean_ranks():
    errors = np.random.default_rng(0).uniform(size=(14, 4)) + np.linspace(0, 0.3, 4)  # no ties
    ranks, p = friedman(errors)
    assert_allclose(ranks, [(errors <= errors[:, [m]]).sum(axis=1).mean() for m in range(4)])
    chi2 = 12 * 14 / (4 * 5) * (np.sum(ranks**2) - 4 * 5**2 / 4)
    assert p == pytest.approx(stats.chi2.sf(chi2, 3))
    assert friedman([[1, 1, 2], [1, 2, 2]])[0].tolist() == [1.25, 2.0, 2.75]
    assert np.isnan(friedman([[0.1, 0.2, 0.3]])[1]), "a single data set"
    ranks, p = friedman([[0.1, 0.1, 0.1]] * 3)
    assert ranks.tolist() == [2, 2, 2]
    assert np.isnan(p)


@pytest.mark.parametrize(("n_methods", "q"), [(2, 1.960), (4, 2.569), (10, 3.164)])
def test_critical_difference_by_the_printed_quantiles(n_methods, q):
    """q as in Demsar 2006, Table 5 (a)."""
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 9))
    assert critical_difference(n_methods, 9) == pytest.approx(expected, rel=5e-4)


@given(st.lists(st.floats(1, 14), min_size=2, max_size=14), st.floats(0.01, 5))
def test_bars_join_exactly_the_pairs_within_reach(ranks, reach):
    ranks = np.sort(ranks)
    bars = connected_groups(ranks, reach)
    for i, low in enumerate(ranks):
        for high in ranks[i + 1 :]:
            together = any(start <= low and high <= end for start, end in bars)
            assert together == (high < low + reach)
