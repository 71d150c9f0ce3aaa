"""Products of columns, and backward elimination, against models fitted again by brute force."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution
from sklearn.base import clone

from fscore.report.models import encode
from fscore.report.products import Products, backward_elimination, responses, significant_products
from fscore.report.rankings import rank
from fscore.report.scores import Rows


def left_by(terms, y):
    """Residuals of a linear model with an intercept."""
    terms = np.column_stack([np.ones(len(y)), terms])
    return y - terms @ np.linalg.lstsq(terms, y, rcond=None)[0]


def test_products_of_new_rows_are_about_the_means_of_the_old_ones():
    rng = np.random.default_rng(2)
    A = rng.normal(size=(200, 3)) + 1
    y = np.where((A[:, 0] - 1) * (A[:, 2] - 1) > 0, "yes", "no")
    adder = clone(Products("classification")).fit(A, y)
    assert adder.pairs_ == [(0, 2)]
    centre = A.mean(axis=0)
    np.testing.assert_allclose(adder.transform([[4.0, 5, 6]]), [[4, 5, 6, (4 - centre[0]) * (6 - centre[2])]])
    with pytest.raises(ValueError, match=r"task='class' must be 'classification' or 'regression'\."):
        Products("class").fit(np.eye(3), [0, 1, 0])


def test_more_columns_than_rows_need_no_table_of_all_products():
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(30, 2000)), rng.normal(size=30)
    tracemalloc.start()
    assert significant_products(A, responses(y, "regression")) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2000**2 / 2


@given(st.integers(0, 2**31))
@settings(max_examples=20, deadline=None)
def test_products_are_those_of_nested_models(seed):
    """The product that correlates most with the residuals is added if the F-test of the larger model says so."""
    rng = np.random.default_rng(seed)
    n, p = 80, 5
    A = rng.normal(size=(n, p)) + 3
    Z = A - A.mean(axis=0)
    y = Z[:, 0] + 0.6 * Z[:, 1] * Z[:, 2] + rng.choice([0, 0.6]) * Z[:, 3] ** 2 + rng.normal(size=n)
    terms, added = [*Z.T], []
    while True:
        left = left_by(np.column_stack(terms), y)
        correlated = {(i, j): abs(np.corrcoef(left, Z[:, i] * Z[:, j])[0, 1]) for i in range(p) for j in range(i, p)}
        best = max(correlated, key=correlated.get)
        terms.append(Z[:, best[0]] * Z[:, best[1]])
        freedom = n - len(terms) - 1
        after = (left_by(np.column_stack(terms), y) ** 2).sum()
        ratio = ((left**2).sum() - after) / (after / freedom)
        if len(correlated) * f_distribution.sf(ratio, 1, freedom) > 0.05:
            break
        added.append(best)
    assert significant_products(A, responses(y, "regression")) == added


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_noise_has_a_product_in_one_table_of_twenty_at_most(n_classes):
    rng = np.random.default_rng(0)
    task = "classification" if n_classes else "regression"
    added = []
    for _ in range(400):
        A = rng.normal(size=(60, 4))
        y = rng.integers(0, n_classes, 60) if n_classes else A[:, 0] + rng.normal(size=60)
        added.append(len(significant_products(A, responses(y, task))) > 0)
    assert np.mean(added) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_product_and_a_square_are_found_in_any_unit_and_order(task):
    rng = np.random.default_rng(1)
    A = rng.normal(size=(600, 7))
    latent = 1.5 * A[:, 2] * A[:, 5] + A[:, 1] ** 2 + 0.3 * rng.normal(size=600)
    y = np.digitize(latent, np.quantile(latent, [1 / 3, 2 / 3])) if task == "classification" else latent
    pairs = significant_products(A, responses(y, task))
    assert set(pairs[:2]) == {(2, 5), (1, 1)}
    order = rng.permutation(7)
    again = significant_products(A[:, order] * rng.uniform(0.1, 9, 7) - 5, responses(y, task))
    assert [tuple(sorted((order[i], order[j]))) for i, j in again] == pairs


def test_no_product_where_nothing_is_left_to_explain():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(50, 4))
    assert significant_products(A, responses(A @ [1.0, 2, 3, 4], "regression")) == []  # exactly linear
    assert significant_products(A, responses(np.ones(50), "regression")) == []
    wide = rng.normal(size=(20, 40))
    assert significant_products(wide, responses(wide[:, 0] * wide[:, 1], "regression")) == []  # no row is left over
    pairs = significant_products(A, responses(A[:, 0] * A[:, 1], "regression"))
    assert pairs == [(0, 1)]  # exactly a product


def of_numbers(A, train):
    """Encoded rows: the first for training, the others for tests."""
    X = pd.DataFrame(A).rename(columns=str)
    return encode(
        X, dict.fromkeys(X, "number"), Rows(A[:, 0], "regression"), np.arange(train), np.arange(train, len(A))
    )


def refitted(X, T):
    """Penalized squared errors and products of residuals of a ridge regression, as a matrix."""
    W = np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ T)
    left = T - X @ W
    return left.T @ left + W.T @ W, left.T @ left


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_elimination_is_that_of_models_fitted_again(n_classes):
    rng = np.random.default_rng(5)
    A = rng.normal(size=(150, 7))
    owner = np.array([0, 1, 2, 2, 3, 4, 5])  # unit 2 has two columns
    latent = A[:, 1] + 1.5 * A[:, 0] * A[:, 3] + 0.4 * A[:, 5] + rng.normal(size=150)
    y = np.digitize(latent, np.quantile(latent, np.arange(1, n_classes) / n_classes)) if n_classes else latent
    task = "classification" if n_classes else "regression"
    T = responses(y, task)
    pairs = significant_products(A, T)
    assert (0, 3) in pairs
    X = Products(task).fit(A, y).transform(A)
    X = X - X.mean(axis=0)
    members = [{owner[k]} for k in range(7)] + [{owner[i], owner[j]} for i, j in pairs]
    scale = np.linalg.inv(refitted(X, T)[1])
    n_left = 150 - np.trace(X @ np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T))
    out, expected = [], np.empty(6)
    while len(out) < 6:
        errors = {}
        for unit in set(range(6)) - set(out):
            remaining = [k for k, units in enumerate(members) if not units & {*out, unit}]
            errors[unit] = np.trace(scale @ refitted(X[:, remaining], T)[0]) - (unit == 2) * 2 * T.shape[1] / n_left
        least = min(errors, key=errors.get)
        expected[least] = len(out)
        out.append(least)
    assert backward_elimination(A, y, owner, 6, task).tolist() == expected.tolist()
    assert {out[-1], out[-2], out[-3]} == {0, 1, 2}


@pytest.mark.parametrize("seed", range(5))
def test_a_category_of_many_values_needs_more_than_chance(seed):
    rng = np.random.default_rng(seed)
    town, shift = rng.integers(0, 13, 600), rng.integers(0, 5, 600)
    A = np.column_stack([np.eye(13)[town], np.eye(5)[shift], rng.normal(size=600)])
    y = A[:, 18] * 0.4 + np.array([0.8, 0.5, -0.4, 0.0, 0.7])[shift] + rng.normal(size=600)
    source = np.repeat([0, 1, 2], [13, 5, 1])
    assert backward_elimination(A, y, source, 3, "regression").tolist()[0] == 0
    y += 1.2 * rng.normal(size=13)[town]
    assert backward_elimination(A, y, source, 3, "regression").tolist()[0] == 2


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_elimination_finds_a_pair_and_passes_over_a_copy(task):
    rng = np.random.default_rng(6)
    A = rng.normal(size=(400, 9))
    A[:, 8] = 0.8 * A[:, 2] + 0.6 * A[:, 8]  # irrelevant, resembles a relevant column
    latent = 1.5 * A[:, 2] * A[:, 5] + A[:, 7] + A[:, 0] + 0.5 * rng.normal(size=400)
    y = (latent > 0).astype(int) if task == "classification" else latent
    ranked = {name: rank(name, of_numbers(A, 400), y, 9, task) for name in ("backward", "linear")}
    assert set(ranked["backward"][:4]) == {0, 2, 5, 7}
    assert set(ranked["linear"][:4]) != {0, 2, 5, 7}


def test_elimination_of_more_columns_than_rows_and_of_targets_of_any_unit():
    rng = np.random.default_rng(7)
    A = rng.normal(size=(40, 120))
    place = backward_elimination(A, (A[:, 17] > 0).astype(int), np.arange(120), 120, "classification")
    assert sorted(place) == list(range(120))
    assert place[17] == 119
    A, y = A[:, :5], rng.normal(size=40)
    places = [backward_elimination(A, u * y, np.arange(5), 5, "regression").tolist() for u in (1, 1e200, 1e-200)]
    assert places[0] == places[1] == places[2]
    assert sorted(backward_elimination(A, np.ones(40), np.arange(5), 5, "regression")) == list(range(5))
