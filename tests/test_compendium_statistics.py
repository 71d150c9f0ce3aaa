"""Significance tests over folds and data sets, and groups of mean ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from compendium.statistics import connected_groups, corrected_resampled_t, critical_difference, friedman, holm


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


@pytest.mark.parametrize(("n_methods", "level", "q"), [(2, 0.05, 1.960), (4, 0.10, 2.291), (10, 0.05, 3.164)])
def test_critical_difference_by_the_printed_quantiles(n_methods, level, q):
    """q as in Demsar 2006, Table 5 (a)."""
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 9))
    assert critical_difference(n_methods, 9, level) == pytest.approx(expected, rel=5e-4)


@given(st.lists(st.floats(1, 14), min_size=2, max_size=14), st.floats(0.01, 5))
def test_bars_join_exactly_the_pairs_within_reach(ranks, reach):
    ranks = np.sort(ranks)
    bars = connected_groups(ranks, reach)
    for i, low in enumerate(ranks):
        for high in ranks[i + 1 :]:
            together = any(start <= low and high <= end for start, end in bars)
            assert together == (high < low + reach)
