"""Scores at the ends of the range of floats, with outliers beyond any measurement, and with very many classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from fscore.filters import (
    MIFS,
    MRMR,
    bhattacharyya_score,
    fisher_score,
    information_gain,
    mdl_cuts,
    mutual_information,
    mutual_information_regression,
    pairwise_mutual_information,
    relief,
    relieff,
    rrelieff,
)

SCORES = {
    "fisher": fisher_score,
    "bhattacharyya": bhattacharyya_score,
    "gain": information_gain,
    "gain of equal width": lambda X, y: information_gain(X, y, discretizer="width"),
    "gain of equal frequency": lambda X, y: information_gain(X, y, discretizer="frequency"),
    "information": mutual_information,
    "adaptive information": lambda X, y: mutual_information(X, y, bandwidth="adaptive"),
    "information in the plane": lambda X, y: mutual_information(X, y, mode="joint2d"),
    "adaptive in the plane": lambda X, y: mutual_information(X, y, mode="joint2d", bandwidth="adaptive"),
    "pairs": lambda X, y: pairwise_mutual_information(X),
    "mifs": lambda X, y: MIFS(4).fit(X, y).scores_,
    "relief": relief,
    "relieff": relieff,
    "rrelieff": rrelieff,
    "mrmr": lambda X, y: MRMR(4).fit(X, y).scores_,
    "information in regression": mutual_information_regression,
}
every_score = pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    return rng.normal(size=(60, 4)) + np.outer(y, [0, 1, 2, 0]), y


@every_score
@pytest.mark.parametrize("unit", [1e-300, 1e-165, 1e306])
def test_units_of_any_size(sample, score, unit):
    X, y = sample
    assert_allclose(score(X * unit, y), score(X, y), rtol=1e-9, atol=1e-9)
    units = np.array([1, unit, 1, 1 / unit])
    assert_allclose(score(X * units, y), score(X, y), rtol=1e-9, atol=1e-9)


@every_score
def test_a_nodata_marker_is_an_ordinary_outlier(sample, score):
    X, y = sample
    near, far = X.copy(), X.copy()
    near[5, 2], far[5, 2] = -1e20, -np.finfo(float).max
    assert_allclose(score(far, y), score(near, y), rtol=1e-9, atol=1e-9)
    near[6, 2], far[6, 2] = 1e20, np.finfo(float).max  # their difference is beyond floats
    assert_allclose(score(far, y), score(near, y), rtol=1e-9, atol=1e-9)
    near[:3, 2], far[:3, 2] = 1e18, 1e155
    near[5:7, 2] = far[5:7, 2] = 0
    assert_allclose(score(far, y), score(near, y), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in SCORES if "information" in name or name in ("pairs", "mifs")])
def test_information_of_a_small_range_far_from_zero(name):
    rng, y = np.random.default_rng(0), np.arange(60) % 3
    X = rng.integers(100, size=(60, 4)) * 2.0  # so that X + 1e16 is exact
    assert_allclose(SCORES[name](X + 1e16, y), SCORES[name](X, y), rtol=1e-9, atol=1e-9)


def test_cuts_of_huge_values():
    x, y = np.finfo(float).max * np.array([-1, -0.5, 0.5, 1]), [0, 0, 1, 1]
    assert_array_equal(mdl_cuts(np.tile(x, 5), np.tile(y, 5)), [0])
