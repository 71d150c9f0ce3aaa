"""Estimators that are valued without refitting: the values of scikit-learn, also where digits are lost."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from criteria_steps import add, remove
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import is_classifier
from sklearn.covariance import LedoitWolf
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from fscore.criteria import CVAccuracy, CVScore
from fscore.criteria._cv import QUICK_WAYS, BoundCV, as_criterion
from fscore.criteria._least_squares import _divides_by_samples, _keeps_all
from fscore.criteria._quick import EPS, as_double, correct, inverses

CLASSIFIERS = [
    GaussianNB(),
    GaussianNB(var_smoothing=1e-3),
    NearestCentroid(),
    LinearDiscriminantAnalysis(),
    RidgeClassifier(),
    RidgeClassifier(alpha=0.01, fit_intercept=False),
]
REGRESSORS = [LinearRegression(), LinearRegression(fit_intercept=False), Ridge(), Ridge(alpha=30, fit_intercept=False)]
SCORINGS = [None, "r2", "neg_mean_squared_error", "neg_root_mean_squared_error"]


def both(estimator, X, y, cv=5, scoring="accuracy"):
    """The criterion by its quick way, which counts its refits, and by refitting."""
    quick, slow = (CVScore(estimator, cv=cv, scoring=scoring, compiled=c).bind(X, y) for c in (True, False))
    assert type(slow) is BoundCV
    assert type(quick) is not BoundCV
    refitted, fold_scores = [], quick.refit.fold_scores
    quick.refit.fold_scores = lambda columns: (refitted.append(columns), fold_scores(columns))[1]
    return quick, slow, refitted


def compare(quick, slow, n_features, equal, seed=0):
    """A step forward, one backward, and unrelated subsets."""
    rng = np.random.default_rng(seed)
    for size in (0, 1, n_features // 2, n_features - 2):
        base = tuple(sorted(rng.choice(n_features, size, replace=False).tolist()))
        rest = [c for c in range(n_features) if c not in base]
        adds = [(c,) for c in rest[:4]] + [tuple(rest[-2:])]
        equal(add(quick, base, adds), add(slow, base, adds))
        if size > 2:
            drops = [(c,) for c in base[:3]] + [base[-2:]]
            equal(remove(quick, base, drops), remove(slow, base, drops))
    subsets = [(n_features - 1,), (0, 1), tuple(range(n_features))]
    equal(quick.score(subsets), slow.score(subsets))
    for subset in subsets:
        equal(quick.fold_scores(subset), slow.fold_scores(subset))


def close(quick, slow):
    np.testing.assert_allclose(quick, slow, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("scaled", [False, True])
def test_accuracies_equal_refits(estimator, load, scaled):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X) if scaled else X
    quick, slow, refitted = both(estimator, X, np.array(["b", "c", "a"])[y])
    compare(quick, slow, X.shape[1], np.testing.assert_array_equal)
    assert len(refitted) <= 2  # the quick way decides nearly all


@pytest.mark.parametrize("estimator", REGRESSORS, ids=str)
@pytest.mark.parametrize("scoring", SCORINGS)
def test_scores_equal_refits(estimator, scoring):
    X, y = load_diabetes(return_X_y=True)
    quick, slow, refitted = both(estimator, 3 + 20 * X, y, ShuffleSplit(4, random_state=0), scoring)
    compare(quick, slow, X.shape[1], close)
    assert not refitted


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_awkward_columns(estimator, seed):
    """Few distinct values, constant and duplicate columns, large offsets, extreme scales, a tiny class."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(57) % 2, [2, 2, 2])
    X = rng.integers(-1, 2, (60, 8)).astype(float) + y[:, None] * rng.integers(0, 2, 8)
    X[:, 1], X[:, 2] = X[:, 0], 4.0
    X[:, 3] = 1e7 + 1e-2 * rng.normal(size=60)
    X[:, 4] = 1e-5 * rng.normal(size=60) + X[:, 0]
    X[:, 5] *= 1e6
    quick, slow, _ = both(estimator, X, y, 3)
    subsets = [(0,), (0, 6), (0, 1), (1, 2, 7), (3, 6), (0, 4), (5, 6, 7), (0, 3, 5, 6), tuple(range(8))]
    np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))
    np.testing.assert_array_equal(add(quick, (0, 6), [(3,), (5,)]), add(slow, (0, 6), [(3,), (5,)]))
    np.testing.assert_array_equal(remove(quick, (3, 5, 6), [(3,), (5,)]), remove(slow, (3, 5, 6), [(3,), (5,)]))


@pytest.mark.parametrize("estimator", REGRESSORS, ids=str)
def test_awkward_columns_of_regression(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 8))
    X[:, 1], X[:, 2] = X[:, 0], 4.0
    X[:, 3] = X[:, 0] + 1e-6 * X[:, 3]
    X[:, 4] *= 1e9
    X[:, 5] += 1e6
    y = X[:, 6] + 0.1 * rng.normal(size=40)
    quick, slow, refitted = both(estimator, X, y, 4, "r2")
    subsets = [(0,), (0, 6), (0, 1), (2,), (2, 6), (0, 3), (4, 6), (5, 6), (3, 4, 5, 7), tuple(range(8))]
    np.testing.assert_allclose(quick.score(subsets), slow.score(subsets), rtol=1e-6)
    assert (0, 6) not in refitted
    exact, slow, refitted = both(estimator, X, X[:, 6] - 2 * X[:, 7], 4, "neg_mean_squared_error")
    close(exact.score([(0, 6), (6, 7)]), slow.score([(0, 6), (6, 7)]))
    if type(estimator) is LinearRegression:
        assert refitted == [(6, 7)]  # nothing but rounding is left


def test_more_columns_than_samples():
    X, y = load_diabetes(return_X_y=True)
    X, y = np.hstack([X, X[:, :5] ** 2])[:14], y[:14]
    for estimator in (LinearRegression(), Ridge()):
        quick, slow, _ = both(estimator, X, y, 3, "r2")
        subsets = [(0, 1), tuple(range(12)), tuple(range(15))]
        np.testing.assert_allclose(quick.score(subsets), slow.score(subsets), rtol=1e-7)
    lda, slow, _ = both(LinearDiscriminantAnalysis(), X, (y > np.median(y)).astype(int), 3)
    np.testing.assert_array_equal(lda.score([(0, 1), tuple(range(15))]), slow.score([(0, 1), tuple(range(15))]))


def test_constant_columns_get_scikit_learns_refusal():
    X, y = load_iris(return_X_y=True)
    X[:, 3] = 0.1
    quick, slow, _ = both(NearestCentroid(), X, y)
    for J in (quick, slow):
        with pytest.raises(ValueError, match="All features have zero variance"):
            J.score([(3,)])
    np.testing.assert_array_equal(quick.score([(0, 3)]), slow.score([(0, 3)]))


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(priors=[0.2, 0.3, 0.5]),
        NearestCentroid(metric="manhattan"),
        NearestCentroid(priors="empirical"),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]),
        LinearDiscriminantAnalysis(n_components=1),
        LinearDiscriminantAnalysis(covariance_estimator=LedoitWolf()),
    ],
    ids=str,
)
def test_other_classifiers_are_refitted(estimator):
    X, y = load_iris(return_X_y=True)
    assert type(CVAccuracy(estimator).bind(X, y)) is BoundCV


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
def test_a_training_set_of_one_class_is_left_to_scikit_learn(estimator):
    X, y = load_iris(return_X_y=True)
    rows = np.arange(150)
    splits = [(rows[:50], rows[50:]), (rows[50:], rows[:50])]
    assert type(CVAccuracy(estimator, cv=splits).bind(X, y)) is BoundCV


@pytest.mark.parametrize(("estimator", "n_bytes"), [(LinearDiscriminantAnalysis(), 8), (Ridge(), 16)], ids=str)
def test_matrices_that_would_fill_the_memory_are_not_kept(estimator, n_bytes, monkeypatch):
    X, y = load_iris(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    for limit, quick in ((n_bytes * 5 * 4**2, True), (n_bytes * 5 * 4**2 - 1, False)):
        monkeypatch.setattr("fscore.criteria._least_squares.MAX_BYTES", limit)
        bound = CVScore(estimator, scoring="r2" if n_bytes == 16 else "accuracy", cv=folds).bind(X, y)
        assert (type(bound) is not BoundCV) == quick


@pytest.mark.parametrize("distance", [1.9e-4, 2.8e-4, 3.5e-4, 1e-3])
@pytest.mark.parametrize("share", [[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]])
def test_directions_without_differences_of_the_means_are_found(distance, share):
    """scikit-learn drops singular values of the weighted, centred means below tol times the largest; twice is safe."""
    share, tol = np.array(share), 1e-4
    means = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.3, distance, 1.0]]) @ np.diag([2.0, 1.0, 1.0])
    centred = (means - share @ means) * np.sqrt(share)[:, None]
    singular = np.linalg.svd(centred, compute_uv=False)
    assert singular[2] < 1e-12
    kept = _keeps_all(np.array([means, means[:, [0, 2, 1]]]), np.array([means, means[:, [0, 2, 1]]]), share, tol)
    assert kept.tolist() == [bool(singular[1] > 2 * tol * singular[0])] * 2
    one = np.array([means[:, :1]])
    assert _keeps_all(one, one, share, tol).tolist() == [True]


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        (LinearRegression(positive=True), "r2"),
        (Ridge(solver="sag"), "r2"),
        (Ridge(alpha=[1.0]), "r2"),
        (Ridge(), "neg_mean_absolute_error"),
        (Ridge(), "neg_max_error"),
    ],
    ids=str,
)
def test_other_regressions_are_refitted(estimator, scoring):
    X, y = load_diabetes(return_X_y=True)
    assert type(CVScore(estimator, scoring=scoring).bind(X, y)) is BoundCV


@pytest.mark.parametrize("solver", ["auto", "cholesky", "svd"])
def test_direct_solvers_of_ridge_regression_have_one_value(solver):
    X, y = load_diabetes(return_X_y=True)
    quick, slow, refitted = both(Ridge(alpha=np.float64(0.5), solver=solver), X, y, 3, "neg_mean_squared_error")
    close(quick.score([(2,), (1, 8)]), slow.score([(2,), (1, 8)]))
    assert not refitted


def test_targets_and_folds_that_products_cannot_value_are_refitted():
    X, y = load_diabetes(return_X_y=True)
    X, y, rows = X[:60, :3], y[:60], np.arange(60)
    flat = np.where(rows < 20, 7.0, y)  # constant in the first fold
    wide = X * [1, 1e200, 1]
    for data, target, cv in (
        (X, y.astype(np.float32), 3),
        (X, np.column_stack([y, y]), 3),
        (X, flat, 3),
        (wide, y, 3),
        (X, y, [(rows[1:], rows[:1]), (rows[:50], rows[50:])]),
        (csr_array(X), y, 3),
    ):
        with np.errstate(over="ignore"):
            assert type(CVScore(LinearRegression(), cv=cv).bind(data, target)) is BoundCV
    for data, target, cv in (
        (X, y.astype(int), 3),
        (X, y / 1e6, 3),
        (X.tolist(), y.tolist(), 3),
        (X, y, [(rows[2:], rows[:2]), (rows[:50], rows[50:])]),
    ):
        quick, slow, refitted = both(LinearRegression(), data, target, cv, "r2")
        close(quick.score([(0,), (1, 2)]), slow.score([(0,), (1, 2)]))
        assert not refitted


@pytest.mark.parametrize("estimator", REGRESSORS, ids=str)
@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "neg_root_mean_squared_error"])
def test_errors_need_neither_two_test_samples_nor_a_target_that_varies(estimator, scoring):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60], np.where(np.arange(60) < 20, 7.0, y[:60])  # constant in the first fold of three
    for cv in (LeaveOneOut(), 3):
        quick, slow, refitted = both(estimator, X, y, cv, scoring)
        subsets = [(0,), (1, 2), (0, 3, 8)]
        close(quick.score(subsets), slow.score(subsets))
        assert not refitted
        close(quick.score([(1, 2)]), cross_val_score(estimator, X[:, [1, 2]], y, cv=cv, scoring=scoring).mean())


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
def test_constant_columns_leave_the_decision_to_scikit_learn_without_a_warning(estimator):
    """Constant everywhere, and within each class."""
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.full(150, 0.1), y, np.zeros(150)])
    with np.errstate(divide="raise", invalid="raise"):
        J = CVAccuracy(estimator, cv=3).bind(X, y)
        hits = J._hits([(0,), (2,), (4,), (6,)], None, True)
        J._hits([(5,), (2, 5)], None, True)
    assert (hits[:2] >= 0).all()
    if isinstance(estimator, RidgeClassifier):  # with a penalty, a constant is no problem
        refitted = np.array([J.refit.fold_scores((c,)) * J.sizes for c in (4, 6)])
        assert ((hits[2:] == -1) | (hits[2:] == refitted)).all()
    else:
        assert (hits[2:] == -1).all()


def test_hits_are_counted_only_where_errors_cannot_decide():
    two = np.array([[[0.0, 3.0, 0.0], [1.0, 1.0, 2.0]]])  # classes, samples
    classes, truth = np.array([4, 7]), np.array([7, 4, 4])
    for bound, hits in ((0.0, 2), (0.49, 2), (0.5, -1), (0.6, -1)):
        assert correct(two, np.array([[bound, 0.0, 0.0]]), classes, truth).tolist() == [hits]
        assert correct(-two, np.array([[bound, 0.0, 0.0]]), classes, truth).tolist() == [1 if hits == 2 else -1]
    three = np.array([[0.0, 3.0, 0.0], [5.0, 1.0, 2.0], [4.0, 2.0, -9.0]])
    stack, classes = np.array([three, np.roll(three, 1, axis=0)]), np.array([4, 7, 1])
    for bound, hits in ((0.49, [3, 0]), (0.5, [-1, -1])):
        assert correct(stack, np.full((2, 3), bound), classes, np.array([7, 4, 7])).tolist() == hits
    assert correct(np.where(stack == 5, np.nan, stack), np.zeros((2, 3)), classes, truth).tolist() == [-1, -1]
    assert correct(np.zeros((1, 3, 3)), np.zeros((1, 3)), classes, truth).tolist() == [-1]
    assert correct(three, np.full(3, 0.49), classes, np.array([7, 4, 7])) == 3
    many = np.random.default_rng(0).permuted(np.tile([*range(0, 4000, 5), 3996.0], (40, 1)), axis=1)
    for bound, hit in ((0.49, True), (0.51, False)):
        hits = correct(many[:, :, None], np.full((40, 1), bound), np.arange(801), np.array([3]))
        np.testing.assert_array_equal(hits, many.argmax(axis=1) == 3 if hit else -1)


def test_a_large_offset_of_the_target_costs_least_squares_no_digits():
    X, y = load_diabetes(return_X_y=True)
    near, far = (CVScore(LinearRegression(), cv=4).bind(X + 1000, y + e) for e in (0.0, 2.0**20))
    np.testing.assert_allclose(far.score([(2,), (0, 8)]), near.score([(2,), (0, 8)]), rtol=1e-10)


def test_a_fold_without_hits_is_not_refitted():
    X, y = np.array([[0.0], [1.0], [10.0], [11.0], [9.0]]), np.array([0, 0, 1, 1, 0])
    quick, slow, refitted = both(NearestCentroid(), X, y, [(np.arange(4), [4])])
    assert quick.score([(0,)]) == slow.score([(0,)]) == [0.0]
    assert not refitted


def test_what_is_left_after_a_removal_is_refitted():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, X[:, 0]])
    quick, slow, refitted = both(LinearDiscriminantAnalysis(), X, y)
    np.testing.assert_array_equal(remove(quick, (0, 2, 4), [(2,), (4,)]), remove(slow, (0, 2, 4), [(2,), (4,)]))
    assert refitted == [(0, 4)]


@pytest.fixture
def decided(monkeypatch):
    """What is handed to `correct`, which counts the hits: a list of (scores, bounds on their errors)."""
    calls = []

    def spy(scores, error, classes, truth):
        calls.append((scores, np.broadcast_to(error, (len(scores), len(truth)))))
        return correct(scores, error, classes, truth)

    for module in ("_least_squares", "_feature_sums"):
        monkeypatch.setattr(f"fscore.criteria.{module}.correct", spy)
    return calls


def three_classes():
    """Columns of different offset and width, classes of different size, far test samples, and one split."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [25, 20, 15])
    X = rng.normal(size=(60, 6)) * [1, 5, 0.2, 1, 30, 1] + [0, 9, -0.1, 40, 3, 2]
    X += np.array([[0, 0, 0.1, 3, 0, 0], [2, 0, 0.1, 0, 50, 0], [0, 9, 0.5, 0, 0, 1]])[y]
    test = np.arange(60) % 4 == 0
    X[test] *= rng.uniform(1, 3, (15, 1))
    return X, y, np.flatnonzero(~test), np.flatnonzero(test)


def lengths(vectors):
    return np.sqrt((vectors**2).sum(axis=-1))


def test_the_bound_on_errors_of_a_discriminant_is_that_of_the_formula(decided):
    X, y, train, test = three_classes()
    subsets = [(0, 1, 3), (0, 2, 5), (1, 2, 4), (3, 4, 5)]
    J = CVAccuracy(LinearDiscriminantAnalysis(), cv=[(train, test)]).bind(X, y)
    J.score(subsets)
    ((scores, bounds),) = decided
    for subset, score, bound in zip(subsets, scores, bounds, strict=True):
        A, B, labels = X[train][:, subset], X[test][:, subset], y[train]
        centre, means = A.mean(axis=0), np.array([A[labels == c].mean(axis=0) for c in range(3)])
        W = (A - means[labels]).T @ (A - means[labels]) / (len(A) if _divides_by_samples() else len(A) - 3)
        widths = np.sqrt(W.diagonal())  # all below is in standard deviations within classes
        inverse = np.linalg.inv(W / np.outer(widths, widths))
        directions = (means - centre) / widths @ inverse
        reach = lengths((B - centre) / widths) + lengths((means - centre) / widths).max()
        rounding = 4 * EPS * 3 * (len(A) + (np.abs(A).max(axis=0) / widths).max())
        np.testing.assert_allclose(bound, rounding * np.trace(inverse) * lengths(directions).max() * reach, rtol=1e-9)
        want = LinearDiscriminantAnalysis().fit(A, labels).decision_function(B).T
        np.testing.assert_allclose(score - score[0], want - want[0], rtol=1e-7, atol=1e-9)


def test_the_bound_on_errors_of_naive_bayes_is_that_of_the_formula(decided):
    """With the sums over the features that stay, and those that are added or removed."""
    X, y, train, test = three_classes()
    J = CVAccuracy(GaussianNB(var_smoothing=1e-6), cv=[(train, test)]).bind(X, y)
    base, others = (0, 1, 4), [(3, 5), (2, 5)]  # the widest column is in the base
    add(J, base, others)
    ((scores, bounds),) = decided
    floor = 1e-6 * X[train, 4].var()

    def sums(columns):
        A, B = X[train][:, columns], X[test][:, columns]
        groups = [A[y[train] == c] for c in range(3)]
        variances = np.array([g.var(axis=0) for g in groups]) + floor
        means = np.array([g.mean(axis=0) for g in groups])
        squares = ((B - means[:, None]) ** 2 / variances[:, None]).sum(axis=-1)
        worst = (np.abs(A).max(axis=0) / np.sqrt(variances.min(axis=0))).max()
        return squares, np.log(2 * np.pi * variances).sum(axis=1)[:, None], len(A) * EPS * (1 + worst)

    squares, logs, error = sums(base)
    for other, score, bound in zip(others, scores, bounds, strict=True):
        more, more_logs, more_error = sums(other)
        size = squares + more + np.abs(logs) + np.abs(more_logs) + 16 * 5
        np.testing.assert_allclose(bound, 8 * max(error, more_error) * size.max(axis=0), rtol=1e-9)
        priors = np.log(np.bincount(y[train]) / len(train))[:, None]
        np.testing.assert_allclose(score, priors - (squares + more + logs + more_logs) / 2, rtol=1e-9)


def test_the_bound_on_errors_of_centroids_is_that_of_the_formula(decided):
    """scikit-learn expands the square, so the largest value counts, also among the test samples."""
    X, y, train, test = three_classes()
    J = CVAccuracy(NearestCentroid(), cv=[(train, test)]).bind(X, y)
    base, others = (1, 2, 4), [(0, 5), (3, 5)]
    add(J, base, others)
    ((_, bounds),) = decided
    largest = np.abs(X).max(axis=0)
    assert (largest > np.abs(X[train]).max(axis=0)).any()
    for other, bound in zip(others, bounds, strict=True):
        want = 5 * 4 * (len(train) + 64) * EPS * (largest[[*base, *other]] ** 2).sum()
        np.testing.assert_allclose(bound, want, rtol=1e-12)


@pytest.mark.parametrize("estimator", [NearestCentroid(), LinearDiscriminantAnalysis()], ids=str)
def test_a_power_of_two_as_scale_changes_nothing(estimator):
    X, y = load_iris(return_X_y=True)
    large, small = (CVAccuracy(estimator, cv=3).bind(np.ldexp(X, e), y) for e in (0, -40))
    hits = large._hits([(0, 1), (1, 2, 3)], None, True)
    assert (hits >= 0).all()
    np.testing.assert_array_equal(small._hits([(0, 1), (1, 2, 3)], None, True), hits)


def test_a_discriminant_leaves_collinear_columns_to_scikit_learn():
    """It may drop directions shorter than tol; those of twice tol at least are safe. 1 / trace bounds the shortest."""
    X, y, train, test = three_classes()
    X[:, 5] = X[:, 0] + 0.02 * X[:, 5]
    rest = X[train] - np.array([X[train][y[train] == c].mean(axis=0) for c in range(3)])[y[train]]
    limit = 0.5 / np.sqrt(np.trace(np.linalg.inv(np.corrcoef(rest[:, [0, 3, 5]].T))))
    for tol, quick in ((0.01 * limit, True), (0.97 * limit, True), (1.03 * limit, False), (10 * limit, False)):
        J = CVAccuracy(LinearDiscriminantAnalysis(tol=tol), cv=[(train, test)]).bind(X, y)
        assert (J._hits([(0, 3, 5)], None, True) >= 0).all() == quick


def test_a_discriminant_leaves_what_has_no_inverse_to_scikit_learn(monkeypatch):
    monkeypatch.setattr("fscore.criteria._quick.inverses", lambda A: (inverses(A)[0], np.array([True, False])))
    X, y, train, test = three_classes()
    J = CVAccuracy(LinearDiscriminantAnalysis(), cv=[(train, test)]).bind(X, y)
    assert (J._hits([(0, 3), (1, 4)], None, True) >= 0).tolist() == [[True], [False]]


@pytest.mark.parametrize("estimator", [*CLASSIFIERS[1:], Ridge()], ids=str)
def test_blocks_of_limited_memory_change_nothing(estimator, monkeypatch):
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.sqrt(X[:, :2])])
    subsets = [(0, 1, 2), (0, 2, 3), (0, 2, 4), (1, 2, 3), (1, 2, 5)]
    J = as_criterion(estimator, StratifiedKFold(5)).bind(X, y)
    want = J.score(subsets)
    for limit in (1, 400):  # a single subset may take more; two in a block, or four
        for module in ("_quick", "_feature_sums", "_least_squares"):
            monkeypatch.setattr(f"fscore.criteria.{module}.BLOCK", limit)
        np.testing.assert_array_equal(J.score(subsets), want)


def test_least_squares_that_lose_digits_are_refitted(monkeypatch):
    """The limits on the condition, the shortest direction and the error that is left, subset by subset and by fold."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5)) * [1, 0.01, 30, 0.1, 1]
    X[:, 4] += 3 * X[:, 0]
    y = X[:, 0] + 20 * X[:, 1] + rng.normal(size=40)
    columns = np.array([(0, 1, 4), (1, 2, 3), (0, 2, 4)])
    measured = np.empty((3, 3, 4))
    for f, (train, test) in enumerate(KFold(4).split(X)):
        for q, subset in enumerate(columns):
            A, B = (X[rows][:, subset] - X[train][:, subset].mean(axis=0) for rows in (train, test))
            a, b = y[train] - y[train].mean(), y[test] - y[train].mean()
            condition = np.trace(np.linalg.inv(A.T @ A / np.outer(lengths(A.T), lengths(A.T))))
            share = np.sqrt(1 / np.trace(np.linalg.inv(A.T @ A)) / (A**2).sum()) / 2
            left = ((b - B @ np.linalg.lstsq(A, a)[0]) ** 2).sum() / (b**2).sum()
            measured[:, q, f] = condition, share, left
    conditions, shares, left = measured

    def lost(tol=0.0, **limits):
        J = CVScore(LinearRegression(), cv=4).bind(X, y)
        J.ratio = tol
        for name, limit in {"MAX_CONDITION": 1e9, "LEAST_SHARE": 0.0, **limits}.items():
            monkeypatch.setattr(f"fscore.criteria._least_squares.{name}", limit)
        return np.isnan(J._squares(columns))

    for factor in (1 - 1e-6, 1 + 1e-6):
        for limit in factor * conditions.ravel():
            np.testing.assert_array_equal(lost(MAX_CONDITION=limit), conditions > limit)
        for tol in factor * shares.ravel():
            np.testing.assert_array_equal(lost(tol=tol), shares < tol)
        for limit in factor * left.ravel():
            np.testing.assert_array_equal(lost(LEAST_SHARE=limit), left < limit)


def test_what_counts_as_double_precision():
    X, y = load_iris(return_X_y=True, as_frame=True)
    whole = (10 * X).round()
    for data in (X, X.to_numpy(), X.to_numpy().tolist(), whole.astype(int), whole.astype(bool)):
        assert as_double(data).dtype == np.float64
        np.testing.assert_array_equal(as_double(data), np.asarray(data, dtype=float))
    assert as_double(np.asfortranarray(X)).flags.c_contiguous  # the layout changes no digit
    foreign = type("Frame", (), {"dtypes": ["Float64"] * 4})()  # of another library, whose types have no kind
    assert as_double(foreign) is None
    single = X.astype({X.columns[2]: np.float32})
    for data in (single, X.to_numpy().astype(np.float32), X.to_numpy().astype(np.float16), csr_array(X.to_numpy())):
        assert as_double(data) is None
        assert type(CVAccuracy(GaussianNB(), cv=3).bind(data, y)) is BoundCV


def test_weights_in_the_score_lead_to_refitting():
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 0, 2.0, 1.0)
    J = CVScore(GaussianNB(), scoring="accuracy", cv=3).bind(X, y, params={"score": {"sample_weight": weights}})
    assert type(J) is BoundCV
    X_wide = np.where(np.arange(4) == 1, 1e200, 1.0) * X  # squared distances would overflow
    assert type(CVScore(SVC(), scoring="accuracy", cv=3).bind(X_wide, y)) is BoundCV


@given(st.integers(2, 8), st.integers(1, 8), st.integers(0, 10_000))
def test_a_singular_matrix_is_found_or_has_a_huge_inverse(rank, missing, seed):
    Z = np.random.default_rng(seed).normal(size=(5, rank, rank + missing))
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    inverse, regular = inverses(Z.transpose(0, 2, 1) @ Z)
    assert (np.trace(inverse[regular], axis1=1, axis2=2) > 1e12).all()


def test_regular_matrices_are_inverted_beside_singular_ones():
    A = np.array([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]]])
    inverse, regular = inverses(A)
    np.testing.assert_array_equal(regular, [True, False])
    np.testing.assert_allclose(inverse[0], [[2 / 3, -1 / 3], [-1 / 3, 2 / 3]])
    inverse, regular = inverses(np.diag([1.0, 2.0**-60])[None])
    assert (regular.tolist(), inverse[0, 1, 1]) == ([True], 2.0**60)
    assert inverses(np.array([np.diag([1.0, EPS]), A[1], A[0]]))[1].tolist() == [False, False, True]
    assert inverses(np.array([[[1.0, 2.0], [2.0, 1.0]], A[0], [[-1.0, 1.0], [1.0, 0.0]]]))[1].tolist() == [0, 1, 0]


def test_the_table_in_the_documentation_names_every_quick_way():
    rows = re.findall(r"^((?:`\w+`(?:, )?)+) {2,}(.{20})", inspect.getdoc(CVScore), re.MULTILINE)
    named = {name: scoring for names, scoring in rows for name in re.findall(r"\w+", names)}
    quick = {estimator.__name__: estimator for estimator in QUICK_WAYS}
    assert set(named) == set(quick)
    X, y = load_iris(return_X_y=True)
    for name, scoring in named.items():
        scoring = "accuracy" if "accuracy" in scoring else "r2"
        assert (scoring == "accuracy") == is_classifier(quick[name]())
        folds = KFold(5, shuffle=True, random_state=0)
        assert type(CVScore(quick[name](), scoring=scoring, cv=folds).bind(X, y)) is not BoundCV


def test_single_precision_is_left_to_scikit_learn():
    X, y = load_iris(return_X_y=True)
    for estimator in CLASSIFIERS:
        assert type(CVAccuracy(estimator).bind(X.astype(np.float32), y)) is BoundCV
    assert type(CVScore(Ridge()).bind(X.astype(np.float32), y.astype(float))) is BoundCV


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("estimator", [*CLASSIFIERS, KNeighborsClassifier(3)], ids=str)
def test_strings_are_refused_as_scikit_learn_does(estimator, compiled):
    X, y = load_iris(return_X_y=True)
    strings = np.char.mod("%.6f", X)
    for data in (strings, strings.astype("S"), strings.tolist()):
        with pytest.raises(ValueError, match="dtype='numeric' is not compatible with arrays of bytes/strings"):
            CVAccuracy(estimator, cv=3, compiled=compiled).bind(data, y).score([(0, 1)])


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
def test_what_is_no_number_is_left_to_scikit_learn(estimator):
    X, y = load_iris(return_X_y=True)
    text = pd.DataFrame(np.char.mod("%.6f", X))
    for data in ((10 * X).astype("m8[s]"), pd.DataFrame((10 * X).astype("m8[s]")), text.astype("category")):
        assert type(CVAccuracy(estimator, cv=3).bind(data, y)) is BoundCV
    for data in (text.astype(object), text.to_numpy().astype(object)):
        quick, slow, _ = both(estimator, data, y, 3)
        np.testing.assert_array_equal(quick.score([(0, 1)]), slow.score([(0, 1)]))


@pytest.mark.parametrize(
    "estimator", [GaussianNB(), LinearDiscriminantAnalysis(), SVC(), KNeighborsClassifier()], ids=str
)
def test_fold_scores_of_no_columns_or_columns_outside_are_refused(estimator):
    J = CVAccuracy(estimator, cv=3).bind(*load_iris(return_X_y=True))
    for columns, message in (((), "^one of the subsets is empty"), ((0, -1), "^column -1 is not in X")):
        with pytest.raises(ValueError, match=message):
            J.fold_scores(columns)
    with pytest.raises(TypeError, match="must be a list of tuples of columns"):
        J.fold_scores(0)
