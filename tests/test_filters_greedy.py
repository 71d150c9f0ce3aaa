"""MIFS and MRMR against their definitions, plain implementations, normal theory and invariances."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.feature_selection import f_classif, f_regression
from sklearn.neighbors import KNeighborsClassifier

from fscore.filters import MIFS, MRMR, mutual_information, mutual_information_regression, pairwise_mutual_information
from fscore.search import SFS


def plain_greedy(relevance, shared, rule):
    """Equation 7 of Peng, Long & Ding (2005), its quotient, and the rule of MIFS with its alpha."""
    selected, scores = [int(np.argmax(relevance))], [relevance.max()]
    while len(selected) < len(relevance):
        values = np.full(len(relevance), -np.inf)
        for f in set(range(len(relevance))) - set(selected):
            total = sum(shared[s, f] for s in selected)
            mean = total / len(selected)
            if rule == "quotient":
                values[f] = relevance[f] / mean if mean > 0 else np.inf if relevance[f] > 0 else 0
            else:
                values[f] = relevance[f] - (mean if rule == "difference" else rule * total)
        selected.append(int(np.argmax(values)))
        scores.append(values.max())
    return selected, scores


@pytest.mark.parametrize(
    ("rule", "bandwidth"),
    [("difference", "normal_reference"), ("quotient", "adaptive"), (0.5, "normal_reference")],
)
@pytest.mark.parametrize("loader", [load_breast_cancer, load_diabetes])
def test_the_order_follows_the_rule(loader, rule, bandwidth):
    X, y = loader(return_X_y=True)
    X = np.column_stack([X[:, :7], np.ones(len(X))])  # the last has neither relevance nor redundancy
    options, shared = {"bandwidth": bandwidth}, pairwise_mutual_information(X, X, bandwidth=bandwidth)
    if loader is load_diabetes:
        options["mode"], relevance = "regression", mutual_information_regression(X, y, bandwidth=bandwidth)
    else:
        relevance = mutual_information(X, y, bandwidth=bandwidth)
    order, scores = plain_greedy(relevance, shared, rule)
    kind = {"form": rule} if isinstance(rule, str) else {"alpha": rule}
    selector = MRMR if isinstance(rule, str) else MIFS
    with np.errstate(all="raise", under="ignore"):
        fitted = selector(8, **kind, **options).fit(X, y)
    assert_array_equal(fitted.relevance_, relevance)
    assert_array_equal(fitted.order_, order)
    assert_allclose(fitted.scores_, scores, rtol=1e-12)
    half = selector(**kind, **options).fit(X, y)
    assert_array_equal(half.order_, order[:4])
    assert_array_equal(np.sort(half.ranking_), [1, 2, 3, 4, 5, 5, 5, 5])
    assert_array_equal(half.transform(X), X[:, np.sort(order[:4])])
    assert selector(**kind, **options).fit(X[:, :1], y).get_support().tolist() == [True]  # at least one


def test_the_mode_reaches_the_relevance():
    X, y = load_iris(return_X_y=True)
    for selector in (MIFS, MRMR):
        blurred = selector(1, mode="joint2d", bandwidth="adaptive").fit(X, y).relevance_
        assert_array_equal(blurred, mutual_information(X, y, mode="joint2d", bandwidth="adaptive"))
        with pytest.raises(ValueError, match="y holds only one value"):
            selector(mode="regression").fit(X, np.ones(len(y)))


FCQ = {"form": "quotient", "relevance": "f_classif", "redundancy": "correlation"}


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
    order, scores = plain_greedy(relevance, shared + 0.004, form)  # about the bias of the estimate at independence
    fitted = MRMR(4, form=form, mode="regression").fit(X, y)
    assert order[:2] == [0, 2]  # relevance alone takes 1 second
    assert_array_equal(fitted.order_[:2], order[:2])
    assert_allclose(fitted.relevance_, relevance, atol=0.03)
    if form == "difference":
        assert_array_equal(fitted.order_, order)
        assert_allclose(fitted.scores_, scores, atol=0.03)


@pytest.mark.parametrize(("loader", "f_test"), [(load_breast_cancer, f_classif), (load_diabetes, f_regression)])
def test_relevance_and_redundancy_combine_freely(loader, f_test):
    """F over the mean absolute correlation, which is at least 0.001, is what the published packages select by."""
    X, y = loader(return_X_y=True)
    X, information = X[:, :8], mutual_information if f_test is f_classif else mutual_information_regression
    relevances = {"mutual_information": information(X, y), f_test.__name__: f_test(X, y)[0]}
    redundancies = {
        "mutual_information": pairwise_mutual_information(X),
        "correlation": np.maximum(np.abs(np.corrcoef(X.T)), 0.001),
    }
    mode = "class_conditional" if f_test is f_classif else "regression"
    for relevance, redundancy, form in product(relevances, redundancies, ("difference", "quotient")):
        fitted = MRMR(8, form=form, mode=mode, relevance=relevance, redundancy=redundancy).fit(X, y)
        order, scores = plain_greedy(relevances[relevance], redundancies[redundancy], form)
        assert_allclose(fitted.relevance_, relevances[relevance], rtol=1e-9)
        assert_array_equal(fitted.order_, order)
        assert_allclose(fitted.scores_, scores, rtol=1e-9)


def test_f_and_correlation_at_the_limits():
    """Constant features, a perfect one, other units, and the target itself."""
    rng, y = np.random.default_rng(0), np.arange(60) % 3
    X = np.column_stack([rng.normal(size=60), np.ones(60), y, rng.normal(size=60) + y])
    with np.errstate(all="raise", under="ignore"):
        fitted = MRMR(4, **FCQ).fit(X, y)
        assert fitted.order_.tolist()[0] == 2
        assert np.isinf(fitted.relevance_[2])
        assert fitted.relevance_[1] == 0
        assert fitted.order_[-1] == 1
        for unit in (1e-200, 1e200):
            assert_array_equal(MRMR(4, **FCQ).fit(X * [unit, 1, 1, 1 / unit], y).order_, fitted.order_)
        own = MRMR(2, relevance="f_regression", redundancy="correlation").fit(X, 3 * X[:, 3] - 1)
        assert own.order_[0] == 3


def test_many_steps_take_the_memory_of_one():
    X, y = np.random.default_rng(0).normal(size=(20, 4000)), np.arange(20) % 2
    tracemalloc.start()
    MRMR(400, **FCQ).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * X.nbytes


def test_categories_have_no_f_test():
    X, y = load_iris(return_X_y=True)
    for options in ({"relevance": "f_classif"}, {"redundancy": "correlation"}):
        with pytest.raises(ValueError, match="Column 2 of X holds categories"):
            MRMR(2, discrete_features=[2], **options).fit(X, y)


@pytest.mark.parametrize("selector", [MIFS, MRMR])
@pytest.mark.parametrize(("share", "number"), [(0.25, 1), (0.5, 2), (0.01, 1), (1.0, 4)])
def test_a_share_of_the_features_as_in_searches(selector, share, number):
    X, y = load_iris(return_X_y=True)
    assert_array_equal(selector(share).fit(X, y).order_, selector(number).fit(X, y).order_)
    assert SFS(KNeighborsClassifier(1), share, cv=2).fit(X, y).support_.sum() == number


def test_an_f_test_without_degrees_of_freedom_is_refused():
    X = np.random.default_rng(0).normal(size=(5, 3))
    with pytest.raises(ValueError, match=r"f_regression' needs at least 3 samples, but X has 2"):
        MRMR(1, relevance="f_regression", mode="regression").fit([[1, 2], [3, 5]], [1.5, 2.5])
    with pytest.raises(ValueError, match=r"^relevance='f_classif' needs more than 5 samples for 5 classes; check y"):
        MRMR(1, **FCQ).fit(X, np.arange(5))


@pytest.mark.parametrize("selector", [MIFS, MRMR])
def test_errors_name_the_bad_input(selector):
    X, y = load_iris(return_X_y=True)
    too_many = selector(5)
    with pytest.raises(ValueError, match="n_features_to_select=5 exceeds the number of features of X, 4"):
        too_many.fit(X, y)
    assert not hasattr(too_many, "relevance_")  # nothing was computed first
    with pytest.raises(ValueError, match="'mode' parameter"):
        selector(mode="histogram").fit(X, y)
