"""LVQ1, RLVQ, OWA-RLVQ and ERLVQ against plain implementations, and the properties stated in the paper."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris

from fscore.lvq import ERLVQ, LVQ1, OWARLVQ, RLVQ

MODELS = [LVQ1(random_state=0), RLVQ(random_state=0), OWARLVQ(random_state=0), ERLVQ(random_state=0)]
VARIANTS = [
    *MODELS,
    RLVQ(2, difference="squared", relevance_rate=0.02, random_state=0),
    OWARLVQ(2, exponent=0.3, decay=0.01, random_state=0),
    ERLVQ(2, norm="l1", relevance_rate=1.0, sigma=0.5, random_state=0),
    ERLVQ(pairs="all", relevance_rate=5.0, random_state=0),
]


def plain_implementation(model, X, y, W, labels):
    """The algorithms as printed in the papers; returns prototypes, lambda, and the mean of lambda over the steps."""
    W, n = W.copy(), X.shape[1]
    relevances = np.full(n, 1 / n)
    history, last = [], None
    for t, (x, c) in enumerate(zip(X, y, strict=True)):
        j = int(np.argmin([np.sum(relevances * (x - w) ** 2) for w in W]))
        z, correct = x - W[j], labels[j] == c
        gamma = (1 if correct else -1) * model.learning_rate / (1 + model.decay * t)
        W[j] = W[j] + gamma * (relevances * z if isinstance(model, ERLVQ) else z)
        if isinstance(model, RLVQ):
            far = z**2 if model.difference == "squared" else np.abs(z)
            step = -model.relevance_rate * far if correct else model.relevance_rate * far
            relevances = np.maximum(relevances + step, 0)
            relevances = relevances / relevances.sum()
        elif isinstance(model, OWARLVQ):
            rank = np.empty(n)
            rank[np.argsort(np.abs(z))] = np.arange(1, n + 1) if correct else np.arange(n, 0, -1)
            v = (rank / n) ** model.exponent - ((rank - 1) / n) ** model.exponent
            relevances = (1 - model.relevance_rate) * relevances + model.relevance_rate * v
        elif isinstance(model, ERLVQ):
            if last is not None and (model.pairs == "all" or last[1] != c):
                D = last[0] - z
                y_difference = relevances * D
                G = np.exp(-(y_difference @ y_difference) / (4 * model.sigma**2))
                # equation 5 with -(y_2 - y_1) = y_1 - y_2
                relevances = relevances + model.relevance_rate / (4 * model.sigma**2) * G * y_difference * D
                relevances = np.exp(relevances) if model.norm == "softmax" else relevances
                relevances = relevances / relevances.sum()
            last = z, c
        history.append(relevances)
    return W, relevances, np.mean(history, axis=0)


@pytest.mark.parametrize("model", VARIANTS, ids=repr)
def test_against_plain_implementation(model):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(1).permutation(150)
    X, y = X[order] + np.random.default_rng(2).normal(scale=1e-6, size=X.shape), y[order]  # avoids tied ranks
    start = np.repeat([X[y == c].mean(0) for c in range(3)], model.n_prototypes, axis=0)
    start = start + np.random.default_rng(3).normal(scale=0.1, size=start.shape)
    model = clone(model).set_params(prototypes_init=start, shuffle=False, n_epochs=3).fit(X, y)
    labels = np.repeat(range(3), model.n_prototypes)
    W, relevances, mean = plain_implementation(model, np.tile(X, (3, 1)), np.tile(y, 3), start, labels)
    assert_allclose(model.prototypes_, W, rtol=1e-9)
    assert_allclose(model.relevances_, relevances, rtol=1e-9)
    assert_allclose(model.feature_importances_, mean, rtol=1e-9)
    assert_allclose(model.relevances_.sum(), 1)
    assert model.n_steps_ == 450


@pytest.mark.parametrize("model", VARIANTS, ids=repr)
def test_partial_fit_continues_where_it_stopped(model):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(1).permutation(150)
    X, y = X[order], np.array(["se", "ve", "vi"])[y[order]]
    start = np.random.default_rng(0).normal(size=(3 * model.n_prototypes, 4)) + X.mean(0)
    model = clone(model).set_params(prototypes_init=start, shuffle=False, n_epochs=2)
    whole = clone(model).fit(X, y)
    parts = clone(model)
    for _ in range(2):
        for begin, end in [(0, 40), (40, 41), (41, 150)]:
            parts.partial_fit(X[begin:end], y[begin:end], classes=np.unique(y))
    assert_array_equal(whole.prototypes_, parts.prototypes_)
    assert_array_equal(whole.relevances_, parts.relevances_)
    assert_array_equal(whole.feature_importances_, parts.feature_importances_)
    assert len(whole.history_["cost"]) == 2
    assert whole.relevance_history_.shape == (2, 4)


def test_partial_fit_refuses_missing_or_unknown_classes():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"^The first partial_fit has only samples of class 0; pass all classes, and"):
        LVQ1().partial_fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="Class 2 has 0 samples, too few for prototypes_init='mean'"):
        LVQ1().partial_fit(X[:100], y[:100], classes=[0, 1, 2])
    model = LVQ1().partial_fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="unknown class 2; pass all classes"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"differ from those of the first call, \[[^(]*\]; pass the same, or none"):
        model.partial_fit(X[:100], y[:100], classes=[0, 1, 2])


def test_partial_fit_checks_its_samples_as_fit_does():
    X, y = load_iris(return_X_y=True)
    for use in (LVQ1().fit, LVQ1().partial_fit):
        with pytest.raises(ValueError, match="X has masked values"):
            use(np.ma.array(X, mask=X > 6), y)
        with pytest.raises(ValueError, match="holds dates"):
            use(pd.DataFrame({"day": pd.date_range("2020", periods=150), "x": X[:, 0]}), y)
    labels = pd.Series(10**17 + y, dtype="Int64")
    assert_array_equal(LVQ1().partial_fit(X, labels).classes_, 10**17 + np.arange(3))


def test_rlvq_keeps_relevances_if_all_would_become_zero():
    model = RLVQ(prototypes_init=[[0.0, 0], [9, 9]], relevance_rate=10.0, shuffle=False, n_epochs=1)
    assert_allclose(model.fit([[1.0, 1], [8, 8]], [0, 1]).relevances_, 0.5)


# ERLVQ ---------------------------------------------------------------------------------------------------------------


def energy(relevances, D, sigma):
    """o(Y, C) of two samples of different classes: equation 4, with the 1/2 that its first term lacks in print."""
    return 0.5 - 0.5 * np.exp(-np.sum((relevances * D) ** 2) / (4 * sigma**2))


@given(st.integers(0, 10**6), st.floats(0.3, 3))
@settings(max_examples=25, deadline=None)
def test_erlvq_step_is_the_nonnegative_gradient_of_the_energy(seed, sigma):
    rng = np.random.default_rng(seed)
    X, W, eta, n = rng.normal(size=(2, 3)), np.zeros((2, 3)), 0.3, 3
    model = ERLVQ(prototypes_init=W, relevance_rate=eta, sigma=sigma, norm="l1", shuffle=False, n_epochs=1)
    after = model.fit(X, [0, 1]).relevances_
    # both prototypes start at the origin; ties go to the first
    first = model.learning_rate / n * X[0]
    winner = 0 if np.sum((X[1] - first) ** 2) <= np.sum(X[1] ** 2) else 1
    D = X[0] - (X[1] - (first if winner == 0 else 0))
    h = 1e-5
    numeric = [(energy(1 / n + h * e, D, sigma) - energy(1 / n - h * e, D, sigma)) / (2 * h) for e in np.eye(n)]
    step = eta * np.array(numeric)
    assert np.all(step >= -1e-9)
    expected = (1 / n + step) / np.sum(1 / n + step)
    assert_allclose(after, expected, atol=1e-6)


def test_many_features_do_not_overflow():
    rng = np.random.default_rng(0)
    X, y = 1e3 * rng.normal(size=(60, 300)), np.arange(60) % 2
    for model in VARIANTS:
        fitted = clone(model).set_params(n_prototypes=1).fit(X, y)
        assert np.all(np.isfinite(fitted.relevances_))
        assert_allclose(fitted.relevances_.sum(), 1)


# All -----------------------------------------------------------------------------------------------------------------


def test_restricted_model_can_be_trained_further():
    X, y = load_iris(return_X_y=True)
    small = RLVQ(random_state=0).fit(X, y).restrict([2, 3])
    before = small.prototypes_.copy()
    assert small.score(X[:, [2, 3]], y) > 0.9
    assert small.feature_importances_.shape == (2,)
    small.partial_fit(X[:, [2, 3]], y)
    assert not np.array_equal(small.prototypes_, before)


def test_importances_are_a_copy():
    X, y = load_iris(return_X_y=True)
    model = RLVQ(relevance_rate=0.01, shuffle=False).partial_fit(X, y)
    importances = model.feature_importances_
    before = importances.copy()
    model.partial_fit(X, y)
    assert_array_equal(importances, before)
    assert not np.array_equal(model.feature_importances_, before)


def test_prototypes_that_run_away_are_named():
    """Each step away from a foreign sample is longer than the one before, by the learning rate."""
    A, a = np.random.default_rng(0).uniform(size=(550, 10)), np.arange(550) % 11
    with pytest.raises(ValueError, match=r"^The training of LVQ1.* diverged: .* far from all samples. Use smaller"):
        LVQ1(learning_rate=0.3, random_state=0).fit(A, a)
    far = LVQ1(prototypes_init=A[:11] + 5e3, learning_rate=1e-6).fit(A, a)  # far away from the start
    assert far.prototypes_.min() > 4e3
