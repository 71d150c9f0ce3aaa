"""Logistic regression and linear SVM at the optimum of their loss: accuracies are those of a solver that goes on."""

import numpy as np
import pytest
from criteria_steps import is_fast
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from fscore.criteria import CVAccuracy
from fscore.kernels.linear import fit_linear

EXACT = {"tol": 1e-10, "max_iter": 100_000}
MODELS = [
    LogisticRegression(**EXACT),
    LogisticRegression(fit_intercept=False, **EXACT),
    LinearSVC(C=0.1, intercept_scaling=10, **EXACT),
    LinearSVC(fit_intercept=False, **EXACT),
]
SETS = {load.__name__[5:]: load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer)}
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def converged(model, X, y, cv=FOLDS):
    return CVAccuracy(model, cv=cv, compiled="converged").bind(X, y)


@pytest.mark.parametrize(
    ("model", "name"),
    [*((model, "iris") for model in MODELS), (MODELS[0], "breast_cancer"), (MODELS[2], "wine")],
    ids=str,
)
def test_accuracies_are_those_of_a_solver_that_goes_on(model, name):
    X, y = SETS[name]
    X = scale(X)[:, :8]
    bound = converged(model, X, np.array(["b", "c", "a"])[y])
    for subsets in ([(0,), (1, 3)], [(0, 1, 2), (0, 2, 3)], [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]):
        scores = bound.score(subsets)
        for subset, score in zip(subsets, scores, strict=True):
            assert score == pytest.approx(cross_val_score(model, X[:, subset], y, cv=FOLDS).mean(), abs=1e-12)


def test_a_search_may_stop_after_every_fit():
    """A step asks for hundreds of subsets at once."""
    n_checks, bound = [], converged(MODELS[0], *SETS["iris"])
    bound.set_time_check(lambda: n_checks.append(1))
    bound.score([(0, 1, 2), (0, 2, 3)])
    assert len(n_checks) == 2 * len(bound.folds)


def loss(kind, penalty, n_penalized, A, y):
    """The objective, written plainly."""

    def value(w):
        W = w.reshape(-1, len(A))
        f = W @ A
        if kind == 0:
            losses = np.logaddexp(0, -y * f[0])
        elif kind == 1:
            losses = np.log(np.exp(f - f.max(axis=0)).sum(axis=0)) + f.max(axis=0) - f[y, np.arange(len(y))]
        else:
            losses = np.maximum(0, 1 - y * f[0]) ** 2
        return losses.sum() + penalty / 2 * (W[:, :n_penalized] ** 2).sum()

    return value


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2]), st.sampled_from([0.01, 1.0, 30.0]), st.booleans())
def test_nothing_nearby_is_better(seed, kind, penalty, free):
    rng = np.random.default_rng(seed)
    A = np.vstack([rng.normal(size=(3, 40)), np.ones(40)])
    y = rng.integers(3, size=40) if kind == 1 else rng.choice([-1, 1], size=40)
    W = np.zeros((3 if kind == 1 else 1, 4))
    assert fit_linear(A, y, kind, penalty, 4 - free, W, 1e-10, 200)
    value = loss(kind, penalty, 4 - free, A, y)
    least = value(W.ravel())
    for _ in range(20):
        assert value(W.ravel() + 1e-3 * rng.normal(size=W.size)) >= least
    elsewhere = rng.normal(size=W.shape)  # the optimum does not depend on the start
    assert fit_linear(A, y, kind, penalty, 4 - free, elsewhere, 1e-10, 200)
    assert value(elsewhere.ravel()) == pytest.approx(least, abs=1e-9)


def test_columns_of_very_different_units():
    X, y = SETS["breast_cancer"]
    model = LogisticRegression(solver="newton-cholesky", **EXACT)
    scores = converged(model, X, y).score([(0, 3), (3, 4, 13)])
    expected = [cross_val_score(model, X[:, s], y, cv=FOLDS).mean() for s in [(0, 3), (3, 4, 13)]]
    assert scores == pytest.approx(expected, abs=1 / len(y))


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(solver="liblinear"),
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(solver="saga", l1_ratio=1.0),
        LogisticRegression(C=np.inf),
        LogisticRegression(warm_start=True),
        LinearSVC(loss="hinge"),
        LinearSVC(penalty="l1", dual=False),
        LinearSVC(multi_class="crammer_singer"),
        LinearSVC(class_weight="balanced"),
    ],
    ids=str,
)
def test_other_losses_and_scores_are_refitted(model):
    X, y = SETS["iris"]
    assert is_fast(LogisticRegression(), X, y, compiled="converged")
    assert not is_fast(model, X, y, compiled="converged")
    assert not is_fast(LogisticRegression(), X, y), "only when asked"
    assert not is_fast(LogisticRegression(), X, y, scoring="neg_log_loss", compiled="converged")


def test_a_fold_with_fewer_classes():
    X, y = SETS["iris"]
    splits = [(np.arange(100), np.arange(100, 150)), (np.arange(50, 150), np.arange(50))]
    model = LogisticRegression(**EXACT)
    assert converged(model, X, y, splits).score([(2, 3)])[0] == cross_val_score(model, X[:, 2:], y, cv=splits).mean()
