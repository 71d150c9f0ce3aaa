"""MIFS and MRMR against their definitions, plain implementations, normal theory and invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.filters import (
    MIFS,
    MRMR,
    mutual_information,
    mutual_information_regression,
    pairwise_mutual_information,
)


@parametrize_with_checks(
    [
        MIFS(),
        MIFS(1, mode="joint2d"),
        MIFS(bandwidth="adaptive"),
        MIFS(mode="regression"),
        MRMR(),
        MRMR(form="quotient"),
        MRMR(mode="regression"),
    ]
)
def test_contract(estimator, check):
    check(estimator)


def test_mifs_follows_its_rule():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :8]
    relevance, shared = mutual_information(X, y), pairwise_mutual_information(X)
    for alpha in (0.0, 0.5, 1.0):
        taken = []
        while len(taken) < 8:
            value = relevance - alpha * shared[:, taken].sum(axis=1)
            value[taken] = -np.inf
            taken.append(int(np.argmax(value)))
        mifs = MIFS(8, alpha=alpha).fit(X, y)
        assert_array_equal(mifs.order_, taken)
        assert_array_equal(np.argsort(mifs.ranking_), taken)
        half = MIFS(alpha=alpha).fit(X, y)
        assert_array_equal(half.order_, taken[:4])
        assert_array_equal(np.sort(half.ranking_), [1, 2, 3, 4, 5, 5, 5, 5])
        assert_array_equal(half.transform(X), X[:, np.sort(taken[:4])])
    assert_array_equal(MIFS(8, alpha=0.0).fit(X, y).order_, np.argsort(-relevance))


@pytest.mark.parametrize(("n_features", "n_selected"), [(1, 1), (2, 1), (3, 1), (4, 2)])
def test_half_of_the_features_are_selected_by_default(n_features, n_selected):
    X, y = load_iris(return_X_y=True)
    assert MIFS().fit(X[:, :n_features], y).get_support().sum() == n_selected


@pytest.mark.parametrize("selector", [MIFS(3), MRMR(3), MRMR(3, form="quotient")])
def test_a_copy_is_selected_last(selector):
    rng, y = np.random.default_rng(0), np.arange(300) % 2
    X = rng.normal(size=(300, 2)) + np.outer(y, [2.5, 2.0])
    assert_array_equal(selector.fit(X[:, [0, 0, 1]], y).order_, [0, 2, 1])


def plain_mrmr(relevance, shared, form):
    """Equation 7 of Peng, Long & Ding (2005), and its quotient."""
    selected, scores = [int(np.argmax(relevance))], [relevance.max()]
    while len(selected) < len(relevance):
        best, score = None, -np.inf
        for f in range(len(relevance)):
            if f not in selected:
                redundancy = sum(shared[s, f] for s in selected) / len(selected)
                value = relevance[f] - redundancy if form == "difference" else relevance[f] / redundancy
                if value > score:
                    best, score = f, value
        selected.append(best)
        scores.append(score)
    return selected, scores


@pytest.mark.parametrize("form", ["difference", "quotient"])
@pytest.mark.parametrize("bandwidth", ["normal_reference", "adaptive"])
def test_mrmr_follows_its_rule(form, bandwidth):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :8]
    shared = pairwise_mutual_information(X, X, bandwidth=bandwidth)
    order, scores = plain_mrmr(mutual_information(X, y, bandwidth=bandwidth), shared, form)
    fitted = MRMR(8, form=form, bandwidth=bandwidth).fit(X, y)
    assert_array_equal(fitted.order_, order)
    assert_allclose(fitted.scores_, scores, rtol=1e-12)
    half = MRMR(form=form, bandwidth=bandwidth).fit(X, y)
    assert_array_equal(half.order_, order[:4])
    assert_array_equal(np.sort(half.ranking_), [1, 2, 3, 4, 5, 5, 5, 5])


def test_mrmr_by_hand():
    relevance = np.array([0.5, 0.4, 0.3, 0.0])
    shared = np.array([[0.2, 0.1, 0.0, 0.0], [0.4, 0.0, 0.0, 0.2]])
    assert_array_equal(MRMR()._scores(relevance, shared[:0]), relevance)
    assert_allclose(MRMR()._scores(relevance, shared), [0.2, 0.35, 0.3, -0.1])
    assert_allclose(MRMR(form="quotient")._scores(relevance, shared), [5 / 3, 8, np.inf, 0])
    assert_allclose(MIFS(alpha=0.5)._scores(relevance, shared), [0.2, 0.35, 0.3, -0.1])
    with np.errstate(all="raise"):  # 0.5 / 0, 0 / 0 and 0.3 / 1e-320
        quotients = MRMR(form="quotient")._scores(np.array([0.5, 0.0, 0.3]), np.array([[0.0, 0.0, 1e-320]]))
    assert_array_equal(quotients, [np.inf, 0, np.inf])


@pytest.mark.parametrize("form", ["difference", "quotient"])
def test_normal_theory(form):
    """y = x0 + x1 + x2 / 2 + noise with corr(x0, x1) = 0.9: information is -ln(1 - rho^2) / 2 for every pair."""
    covariance = np.eye(4)
    covariance[0, 1] = covariance[1, 0] = 0.9
    loadings = np.array([1.1, 1.0, 0.8, 0.2])
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal(np.zeros(4), covariance, 4000)
    y = X @ loadings + rng.normal(size=4000)
    variance = loadings @ covariance @ loadings + 1
    relevance = -np.log(1 - (covariance @ loadings) ** 2 / variance) / 2
    shared = -np.log(1 - (covariance - np.eye(4)) ** 2) / 2
    order, scores = plain_mrmr(relevance, shared + 0.004, form)  # about the bias of the estimate at independence
    fitted = MRMR(4, form=form, mode="regression").fit(X, y)
    assert order[:2] == [0, 2]  # relevance alone takes 1 second
    assert_array_equal(fitted.order_[:2], order[:2])
    assert_allclose(fitted.relevance_, relevance, atol=0.03)
    if form == "difference":
        assert_array_equal(fitted.order_, order)
        assert_allclose(fitted.scores_, scores, atol=0.03)


@pytest.mark.parametrize("bandwidth", ["normal_reference", "adaptive"])
def test_mode_and_bandwidth_reach_the_relevance(bandwidth):
    X, y = load_iris(return_X_y=True)
    for selector in (MIFS, MRMR):
        blurred = selector(1, mode="joint2d", bandwidth=bandwidth).fit(X, y).relevance_
        assert_array_equal(blurred, mutual_information(X, y, mode="joint2d", bandwidth=bandwidth))
        continuous = selector(1, mode="regression", bandwidth=bandwidth).fit(X[:, 1:], X[:, 0]).relevance_
        assert_array_equal(continuous, mutual_information_regression(X[:, 1:], X[:, 0], bandwidth=bandwidth))


def test_relevance_of_a_continuous_target():
    X, y = load_diabetes(return_X_y=True)
    for selector in (MIFS(mode="regression"), MRMR(mode="regression")):
        assert_array_equal(selector.fit(X, y).relevance_, mutual_information_regression(X, y))
        with pytest.raises(ValueError, match="y holds only one value"):
            selector.fit(X, np.ones(len(y)))


@given(st.integers(0, 10**6), st.sampled_from(["difference", "quotient"]), st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
@settings(max_examples=25, deadline=None)
def test_invariances(seed, form, scale, shift):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) + np.outer(y, rng.uniform(0, 3, size=4))
    fitted = MRMR(4, form=form).fit(X, y)
    order = rng.permutation(60)
    moved = MRMR(4, form=form).fit((X * scale + shift)[order], np.array(list("cab"))[y][order])
    assert_allclose(moved.scores_, fitted.scores_, rtol=1e-5, atol=1e-7)
    assert_array_equal(moved.order_, fitted.order_)
    assert_array_equal(3 - MRMR(4, form=form).fit(X[:, ::-1], y).order_, fitted.order_)


def test_in_a_grid_search_with_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = make_pipeline(MRMR(), LogisticRegression(max_iter=1000)).set_output(transform="pandas")
    grid = {"mrmr__n_features_to_select": [1, 2], "mrmr__form": ["difference", "quotient"]}
    best = GridSearchCV(model, grid, cv=3).fit(X, y).best_estimator_
    assert list(best[0].get_feature_names_out()) == list(X.columns[best[0].get_support()])


@pytest.mark.parametrize("selector", [MIFS, MRMR])
def test_errors_name_the_bad_input(selector):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="n_features_to_select=5 exceeds the 4 features"):
        selector(5).fit(X, y)
    with pytest.raises(ValueError, match="only one class"):
        selector().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="'mode' parameter"):
        selector(mode="histogram").fit(X, y)
