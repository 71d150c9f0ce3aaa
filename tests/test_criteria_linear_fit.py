"""Fits of linear regressions, against least squares, scikit-learn and brute force, and best subset regression."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression

from fscore.criteria import LinearFit
from fscore.search import SFS, BranchAndBound, ExhaustiveSearch, best_subsets


def problem(seed, n=40, p=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    return X, X @ rng.normal(size=p) + rng.normal(size=n)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_r2_is_that_of_scikit_learn(offset):
    X, y = problem(0)
    X = X + offset
    subsets = [s for k in (1, 3, 6) for s in combinations(range(6), k)]
    expected = [LinearRegression().fit(X[:, s], y).score(X[:, s], y) for s in subsets]
    np.testing.assert_allclose(LinearFit().bind(X, y).score(subsets), expected, atol=1e-9)


def test_measures_are_those_of_the_normal_likelihood():
    X, y = problem(1)
    n, s = len(y), (0, 2, 5)

    def rss(columns):
        A = np.column_stack([np.ones(n), X[:, list(columns)]])
        return ((y - A @ np.linalg.lstsq(A, y)[0]) ** 2).sum()

    variance = rss(range(6)) / (n - 7)
    total = ((y - y.mean()) ** 2).sum()
    expected = {
        "adjusted_r2": 1 - (rss(s) / (n - 4)) / (total / (n - 1)),
        "cp": -(rss(s) / variance - n + 2 * 4),
        "aic": -(n * np.log(rss(s) / total) + 2 * 4),
        "bic": -(n * np.log(rss(s) / total) + np.log(n) * 4),
    }
    for measure, value in expected.items():
        assert LinearFit(measure).bind(X, y).score([s])[0] == pytest.approx(value, rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_branch_and_bound_finds_the_optimum_of_every_size(seed, size):
    X, y = problem(seed)
    best = ExhaustiveSearch(LinearFit(), size).fit(X, y)
    found = BranchAndBound(LinearFit(), size).fit(X, y)
    assert found.score_ == pytest.approx(best.score_, rel=1e-12)
    np.testing.assert_array_equal(found.support_, best.support_)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.permutations(range(6)), st.integers(-200, 200))
def test_units_and_order_of_columns_change_nothing(seed, order, exponent):
    X, y = problem(seed)
    subsets = list(combinations(range(6), 3))
    moved = [tuple(sorted(order.index(c) for c in s)) for s in subsets]
    changed = LinearFit().bind(X[:, order] * 10.0**exponent, 3 - 2 * y).score(moved)
    np.testing.assert_allclose(changed, LinearFit().bind(X, y).score(subsets), atol=1e-9)


def test_columns_that_depend_on_one_another_add_nothing():
    X, y = problem(2)
    X = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(len(y)), X[:, 2]])
    J = LinearFit().bind(X, y)
    scores = J.score([(0, 1), (0, 1, 6), (0, 1, 7), (2,), (2, 8)])
    np.testing.assert_allclose(scores[[1, 2, 4]], scores[[0, 0, 3]], atol=1e-9)
    assert J.score([(7,)])[0] == pytest.approx(0, abs=1e-12)


def test_a_fit_without_degrees_of_freedom_is_never_chosen_by_a_measure_that_weighs_size():
    X, y = problem(3, n=6, p=6)
    assert LinearFit().bind(X, y).score([tuple(range(6))])[0] == pytest.approx(1)
    assert LinearFit("bic").bind(X, y).score([tuple(range(6))])[0] == -np.inf
    assert SFS(LinearFit("aic")).fit(X, y).support_.sum() < 5


@pytest.mark.parametrize("measure", ["adjusted_r2", "aic", "bic", "cp"])
@pytest.mark.parametrize("seed", range(4))
def test_of_exact_fits_the_smallest_is_chosen(measure, seed):
    X = np.random.default_rng(seed).normal(size=(100, 6))
    y = X[:, 0] + 2 * X[:, 1]
    best = ExhaustiveSearch(LinearFit(measure)).fit(X, y)
    assert best.get_support(indices=True).tolist() == [0, 1]
    assert np.isfinite(best.score_)


def test_best_subsets_by_size_are_those_of_brute_force():
    X, y = problem(4)
    table = best_subsets(X, y, 4)
    for row in table.itertuples():
        scores = {s: LinearRegression().fit(X[:, s], y).score(X[:, s], y) for s in combinations(range(6), row.size)}
        assert row.features == max(scores, key=scores.get)
        assert row.r2 == pytest.approx(max(scores.values()))
        assert row.bic == pytest.approx(-LinearFit("bic").bind(X, y).score([row.features])[0])
    assert table["certified"].all()
    assert best_subsets(X, y)["size"].tolist() == [1, 2, 3, 4, 5, 6]  # as many as there are, of eight


def test_the_optimum_on_breast_cancer_where_a_greedy_search_ends_elsewhere():
    data = load_breast_cancer().data
    X, y = np.delete(data, 20, axis=1), data[:, 20]
    optimum = BranchAndBound(LinearFit(), 8).fit(X, y).score_
    assert optimum > SFS(LinearFit(), 8).fit(X, y).score_ + 1e-6
    rng = np.random.default_rng(0)  # no exchange of up to three columns is better, nor is a random subset
    J, best = LinearFit().bind(X, y), set(BranchAndBound(LinearFit(), 8).fit(X, y).get_support(indices=True).tolist())
    others = sorted(set(range(29)) - best)
    tried = []
    for _ in range(3000):
        k = rng.integers(1, 9)
        tried.append(tuple(sorted({*rng.permutation(sorted(best))[k:], *rng.permutation(others)[:k]})))
    assert J.score([tuple(map(int, s)) for s in tried]).max() < optimum


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: best_subsets(X, y, 7), r"max_features=7 is too large; 40 samples of 6 columns allow 6"),
        (lambda X, y: best_subsets(X, y, 0), "max_features"),
        (lambda X, y: best_subsets(X[:2], y[:2]), "minimum of 3 is required"),
        (lambda X, y: LinearFit("cp").bind(X[:7], y[:7]), r"fit on all 6 columns, which needs 8 rows, .* are 7; use"),
        (lambda X, y: LinearFit("BIC").bind(X, y), "measure"),
        (lambda X, y: LinearFit().bind(X, np.ones(len(y))), "y holds only one value"),
        (lambda X, y: LinearFit().bind(X, np.repeat(["a", "b"], 20)), "not a number"),
        (lambda X, y: BranchAndBound(LinearFit("bic"), 2).fit(X, y), r"LinearFit is not monotone.*use LinearFit\(\)"),
        (lambda X, y: BranchAndBound(LinearRegression(), 2).fit(X, y), r"use LinearFit\(\) for the best"),
    ],
)
def test_refusals_name_the_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call(*problem(0))


@pytest.mark.filterwarnings("ignore:The search was stopped")
def test_time_that_runs_out_is_said():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 40)), rng.normal(size=100)
    table = best_subsets(X, y, 12, max_seconds=0.02)
    assert len(table) < 12 or not table["certified"].all()
    for row in table.itertuples():
        assert len(row.features) == row.size
        assert row.r2 == pytest.approx(LinearFit().bind(X, y).score([row.features])[0])


@pytest.mark.parametrize("measure", ["aic", "bic", "cp"])
def test_the_best_of_all_sizes_is_that_of_exhaustive_search(measure):
    X, y = load_diabetes(return_X_y=True)
    table = best_subsets(X, y, 10)
    chosen = table.loc[table[measure].idxmin(), "features"]
    assert chosen == tuple(ExhaustiveSearch(LinearFit(measure)).fit(X, y).get_support(indices=True))
