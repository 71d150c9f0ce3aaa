"""Redundancy groups: by hand, against scipy's rank correlation, and under monotone changes of the columns."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from fscore.search import redundancy_groups


def test_by_hand():
    x, z = np.arange(10.0), np.array([3.0, 9, 1, 7, 2, 8, 0, 6, 4, 5])
    X = pd.DataFrame({"x": x, "z": z, "cube": -(x**3), "constant": 1.0, "copy of z": z})
    groups = redundancy_groups(X, ["x", "constant", "z"])
    assert groups["selected"].tolist() == [(0,), (1,), (3,)]
    assert groups["alternatives"].tolist() == [(2,), (4,), ()]
    np.testing.assert_allclose(groups["weakest"], 1)
    assert redundancy_groups(X, [True, False, True, False, False])["selected"].tolist() == [(0, 2)]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.3, 0.99))
def test_groups_are_what_they_say(seed, threshold):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 8)) + 0.3 * rng.normal(size=(40, 8))
    chosen = sorted(rng.choice(8, 3, replace=False).tolist())
    groups = redundancy_groups(X, chosen, threshold=threshold)
    assert sorted(c for g in groups["selected"] for c in g) == chosen
    rho = np.abs(spearmanr(X).statistic)
    for selected, alternatives, weakest in groups.itertuples(index=False):
        members = [*selected, *alternatives]
        np.testing.assert_allclose(rho[np.ix_(members, members)].min(), weakest)
        assert weakest >= threshold - 1e-9
        assert not set(alternatives) & set(chosen)
    increasing = np.exp(X) * [1, 10, 1, 1e-3, 1, 1, 1, 1] * np.array([1, -1, 1, 1, -1, 1, 1, 1])
    assert redundancy_groups(increasing, chosen, threshold=threshold)["selected"].equals(groups["selected"])


def test_columns_far_from_every_selected_one_take_no_part():
    """They would draw away others that are near a selected one."""
    x = np.arange(20.0)
    near, far = x.copy(), x.copy()
    near[[0, 9]] = near[[9, 0]]
    far[[0, 9, 1, 8]] = far[[9, 0, 8, 1]]
    X = np.column_stack([x, near, far])
    rho = spearmanr(X).statistic
    assert rho[0, 2] < 0.84 < rho[0, 1] < rho[1, 2]
    groups = redundancy_groups(X, [0], threshold=0.84)
    assert groups[["selected", "alternatives"]].to_numpy().tolist() == [[(0,), (1,)]]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.integers(0, 2**32 - 1), st.sampled_from([1, 1 - 1e-13]))
def test_copies_and_monotone_transforms_are_one_group_at_any_threshold(n, seed, threshold):
    """Two samples suffice."""
    x = np.random.default_rng(seed).normal(size=n)
    groups = redundancy_groups(np.column_stack([x, -x, x, np.exp(x)]), [0], threshold=threshold)
    assert groups.to_numpy().tolist() == [[(0,), (1, 2, 3), pytest.approx(1)]]
    assert groups["weakest"][0] <= 1
    assert redundancy_groups(x[:, None], [0], threshold=1).to_numpy().tolist() == [[(0,), (), 1]]
