"""Estimators that are scored without refitting: the scores of scikit-learn, also where digits are lost."""

import inspect
import re
import tracemalloc
import warnings
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from criteria_steps import add, assert_same_scores, both, is_fast, remove
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse
from sklearn import discriminant_analysis, linear_model, naive_bayes, neighbors, svm
from sklearn.base import is_classifier
from sklearn.covariance import LedoitWolf
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, make_scorer, mean_squared_error, r2_score
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from fscore.criteria import CVAccuracy, CVScore
from fscore.search import SFS

SUMS = [
    GaussianNB(),
    GaussianNB(var_smoothing=1e-3),
    NearestCentroid(),
    LinearDiscriminantAnalysis(),
    RidgeClassifier(),
    RidgeClassifier(alpha=0.01, fit_intercept=False),
]
NEAREST = [
    KNeighborsClassifier(3),
    KNeighborsClassifier(4, p=1),
    KNeighborsClassifier(7, weights="distance"),
    KNeighborsClassifier(4, p=1, weights="distance"),
    KNeighborsClassifier(np.int64(1), metric="cityblock"),
]
VECTORS = [SVC(), SVC(gamma=3.0, C=100), SVC(kernel="linear"), SVC(kernel="poly", degree=2, coef0=1.0)]
CLASSIFIERS = [*SUMS, *NEAREST, *VECTORS]
LEAST_SQUARES = [LinearRegression(), LinearRegression(fit_intercept=False), Ridge(), Ridge(30, fit_intercept=False)]
REGRESSORS = [*LEAST_SQUARES, Ridge(0.5, solver="svd"), KNeighborsRegressor(4), KNeighborsRegressor(4, p=1)]
rows = np.random.default_rng(1)
FOLDS = {
    load_iris: ShuffleSplit(2, train_size=0.4, test_size=0.3, random_state=0),  # some rows never
    load_breast_cancer: [(rows.integers(0, 190, 190), rows.integers(0, 190, 60)) for _ in range(2)],  # some rows twice
}


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.fixture
def fits(monkeypatch):
    """Gives, for an estimator, a list that grows by one for each fit."""

    def watch(estimator):
        done, fit = [], type(estimator).fit
        monkeypatch.setattr(
            type(estimator), "fit", lambda self, *data, **kw: (done.append(1), fit(self, *data, **kw))[1]
        )
        return done

    return watch


@pytest.mark.parametrize("estimator", [GaussianNB(), KNeighborsClassifier(3), SVC()], ids=str)
@pytest.mark.filterwarnings("ignore:.* could not be scored")
def test_a_column_that_cannot_be_used_concerns_only_the_subsets_that_hold_it(estimator):
    X, y = load_iris(return_X_y=True)
    holes = X.copy()
    holes[3, 1] = np.nan
    words = pd.DataFrame(X, columns=list("abcd")).assign(b=["u", "v"] * 75)
    for data, model in (holes, make_pipeline(StandardScaler(), estimator)), (words, estimator):
        found, wanted = (SFS(CVScore(model, cv=5, compiled=c), 2).fit(data, y) for c in (True, False))
        np.testing.assert_array_equal(found.support_, wanted.support_)
        assert found.score_ == wanted.score_ > 0.9


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearDiscriminantAnalysis()], ids=str)
def test_numbers_in_double_precision_of_any_library_are_fast(estimator):
    polars = pytest.importorskip("polars")
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    for data in frame.astype("Float64"), X.astype(">f8"), polars.DataFrame(X, schema=list("abcd")):
        found, wanted = both(estimator, data, y)
        assert type(found) is not type(wanted)
        close(found.score([(0, 2), (1,)]), wanted.score([(0, 2), (1,)]))
    assert not is_fast(estimator, polars.DataFrame(X.astype("f4"), schema=list("abcd")), y)


@pytest.mark.parametrize("load", FOLDS)
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
def test_accuracies_are_those_of_refitting(estimator, load, fits):
    X, y = load(return_X_y=True)
    X, y = (X[::3, :13], y[::3]) if load is load_breast_cancer else (X, y)
    X = X if estimator in SUMS and load is load_iris else StandardScaler().fit_transform(X)
    X = X + 1e-6 * X.std(axis=0) * np.random.default_rng(0).standard_normal(X.shape)  # without ties
    names = np.array(["b", "c", "a"])[y]
    quick, slow = both(estimator, X, names, FOLDS[load])
    assert type(quick) is not type(slow)
    assert_same_scores(quick, slow)
    threads, _ = both(estimator, X, names, FOLDS[load], n_jobs=2)
    done = fits(estimator)
    assert_same_scores(threads, quick)
    assert len(done) <= 4 * 2 or estimator in VECTORS  # the fast scorer decides nearly all


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        *((estimator, "r2") for estimator in REGRESSORS),
        *product(
            [LinearRegression(), KNeighborsRegressor(4)], ["neg_mean_squared_error", "neg_root_mean_squared_error"]
        ),
        (KNeighborsRegressor(4), "neg_mean_absolute_error"),
    ],
    ids=str,
)
def test_regression_scores_are_those_of_refitting(estimator, scoring, fits):
    X, y = load_diabetes(return_X_y=True)
    X = 3 + 20 * (X[::3] + 1e-7 * np.random.default_rng(0).standard_normal(X[::3].shape))
    y = y[::3]
    quick, slow = both(estimator, X, y, ShuffleSplit(2, random_state=0), scoring)
    assert type(quick) is not type(slow)
    exact = partial(np.testing.assert_allclose, rtol=1e-12)
    assert_same_scores(quick, slow, exact if isinstance(estimator, KNeighborsRegressor) else close)
    done = fits(estimator)
    assert_same_scores(quick, quick)
    assert not done
    if scoring != "r2":  # errors need neither two test samples nor a target that varies
        flat = np.where(FEW < 20, 7.0, y[:60])  # constant in the first fold of three
        for cv in LeaveOneOut(), 3:
            quick, slow = both(estimator, X[:60, :3], flat, cv, scoring)
            assert type(quick) is not type(slow)
            close(quick.score([(0,), (1, 2)]), slow.score([(0,), (1, 2)]))


@pytest.mark.parametrize("estimator", [*SUMS, SVC()], ids=str)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_awkward_columns(estimator, seed):
    """Few distinct values, constant and duplicate columns, large offsets, extreme scales, a tiny class."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(57) % 2, [2, 2, 2])
    X = rng.integers(-1, 2, (60, 8)).astype(float) + y[:, None] * rng.integers(0, 2, 8)
    X[:, 1], X[:, 2] = X[:, 0], 4.0
    X[:, 3] = 1e7 + 1e-2 * rng.normal(size=60)
    X[:, 4] = 1e-5 * rng.normal(size=60) + X[:, 0]
    X[:, 5] *= 1e6 if estimator in SUMS else 10  # libsvm takes very long
    quick, slow = both(estimator, X, y, 3)
    subsets = [(0,), (0, 6), (0, 1), (1, 2, 7), (3, 6), (0, 4), (5, 6, 7), (0, 3, 5, 6), tuple(range(8))]
    np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))
    np.testing.assert_array_equal(add(quick, (0, 6), [(3,), (5,)]), add(slow, (0, 6), [(3,), (5,)]))
    np.testing.assert_array_equal(remove(quick, (3, 5, 6), [(3,), (5,)]), remove(slow, (3, 5, 6), [(3,), (5,)]))


@pytest.mark.parametrize(
    ("estimator", "offset"),
    [*product([*SUMS, *VECTORS[::2]], [0.0, 1e4]), (NearestCentroid(), 1e7)],
    ids=str,
)
def test_rounding_decides_samples_on_the_boundary_as_in_scikit_learn(estimator, offset):
    """The classes are mirror images; test samples lie in the middle, or so near that few digits tell the side."""
    rng = np.random.default_rng(0)
    half = rng.normal([1, 0.5, 0.2, 1, 0.1], size=(30, 5))
    side = np.concatenate([[0], np.geomspace(1e-17, 1e-8, 59)]) * rng.choice([-1, 1], 60)
    middle = rng.normal(size=(60, 5))
    middle -= np.outer(middle @ half.mean(axis=0), half.mean(axis=0)) / (half.mean(axis=0) ** 2).sum()
    X = np.vstack([half, -half, middle + side[:, None]]) + offset
    y = np.concatenate([np.repeat([1, 0], 30), np.arange(60) % 2])
    quick, slow = both(estimator, X, y, [(np.arange(60), np.arange(60, 120))])
    assert_same_scores(quick, slow)


@pytest.mark.parametrize("estimator", LEAST_SQUARES, ids=str)
def test_awkward_columns_of_regression(estimator, fits):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 8))
    X[:, 1], X[:, 2] = X[:, 0], 4.0
    X[:, 3] = X[:, 0] + 1e-6 * X[:, 3]
    X[:, 4] *= 1e9
    X[:, 5] += 1e6
    y = X[:, 6] + 0.1 * rng.normal(size=40)
    quick, slow = both(estimator, X, y, 4, "r2")
    subsets = [(0,), (0, 6), (0, 1), (2,), (2, 6), (0, 3), (4, 6), (5, 6), (3, 4, 5, 7), tuple(range(8))]
    np.testing.assert_allclose(quick.score(subsets), slow.score(subsets), rtol=1e-6)
    few, slow = both(estimator, X[:8, [0, 5, 6, 7]], y[:8], 3, "r2")  # nearly as many columns as training samples
    np.testing.assert_allclose(few.score([(0, 2), (0, 1, 2, 3)]), slow.score([(0, 2), (0, 1, 2, 3)]), rtol=1e-6)
    near, far = (both(estimator, X, y + offset, 4, "r2")[0] for offset in (0.0, 2.0**20))
    if estimator.fit_intercept:  # a large offset of the target costs no digits
        np.testing.assert_allclose(far.score([(6,), (0, 7)]), near.score([(6,), (0, 7)]), rtol=1e-9)
    exact, slow = both(estimator, X, X[:, 6] - 2 * X[:, 7], 4, "neg_mean_squared_error")
    close(exact.score([(0, 6), (6, 7)]), slow.score([(0, 6), (6, 7)]))  # nothing but rounding is left
    done = fits(estimator)
    quick.score([(0, 6)])
    assert not done


@pytest.mark.parametrize("digits", [0, 2, 5, 7, 8, 9])
@pytest.mark.parametrize("noise", [1, 1e-4, 1e-9])
def test_nearly_dependent_columns_and_nearly_exact_targets_of_regression(digits, noise):
    """The last column is the first but for some digits; in the test samples of the first fold it is not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [1, 0.01, 30, 1]
    X[10:, 3] = X[10:, 0] + 10.0**-digits * X[10:, 3]
    y = X[:, 0] + X[:, 3] + noise * rng.normal(size=30)
    for estimator in LinearRegression(), LinearRegression(tol=1e-3), Ridge(1e-6):
        quick, slow = both(estimator, X, y, 3, "neg_mean_squared_error")
        np.testing.assert_allclose(quick.score([(0, 3), (1, 3)]), slow.score([(0, 3), (1, 3)]), rtol=1e-7)


@pytest.mark.parametrize("share", [1e-6, 1e-4, 1e-3, 0.1])
def test_directions_that_a_discriminant_drops_are_left_to_scikit_learn(share):
    """Nearly collinear columns, and class means that hardly differ in one direction, against its tolerance."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 4)) + np.array([[0, 0, 0, 0], [1, 0, 1, 0], [0.3, share, 1, 0]])[y]
    X[:, 3] = X[:, 0] + share * X[:, 3]
    for tol in share / 3, 3 * share:
        quick, slow = both(LinearDiscriminantAnalysis(tol=tol), X, y, 3)
        assert_same_scores(quick, slow)


def test_a_discriminant_weights_class_means_by_their_sizes():
    """The second column tells a rare class, whose part in the scatter of means is below scikit-learn's tolerance."""
    y = np.repeat([0, 1, 2], [150, 147, 3])
    X = np.random.default_rng(0).normal(size=(300, 2)) + np.array([[0, 0], [1000, 0], [0, 8]])[y]
    quick, slow = both(LinearDiscriminantAnalysis(tol=0.002), X, y, 3)
    assert quick.score([(0, 1)]) == slow.score([(0, 1)])
    assert slow.score([(0, 1)]) < 1  # a direction was dropped


@pytest.mark.parametrize("estimator", [*SUMS, SVC()], ids=str)
def test_constant_columns(estimator):
    """Everywhere, and within each class: decided or refused by scikit-learn, without a warning of ours."""
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.full(150, 0.1), y, np.zeros(150)])

    def outcome(J, subset):
        try:
            return J.score([subset])[0]
        except (ValueError, IndexError) as error:  # of scikit-learn
            return str(error)

    quick, slow = both(estimator, X, y, 3)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        found = [outcome(quick, s) for s in [(0, 4), (0, 5), (0, 6), (0, 1), (5,), (4,), (6,)]]
    assert all("sklearn" in warning.filename for warning in shown)
    assert found == [outcome(slow, s) for s in [(0, 4), (0, 5), (0, 6), (0, 1), (5,), (4,), (6,)]]


@pytest.mark.parametrize("estimator", [NearestCentroid(), LinearDiscriminantAnalysis()], ids=str)
def test_a_power_of_two_as_scale_changes_nothing(estimator, fits):
    X, y = load_iris(return_X_y=True)
    large, small = (both(estimator, np.ldexp(X, e), y, 3)[0] for e in (0, -40))
    done = fits(estimator)
    np.testing.assert_array_equal(small.score([(0, 1), (1, 2, 3)]), large.score([(0, 1), (1, 2, 3)]))
    assert not done


@pytest.mark.parametrize("estimator", [*SUMS[1:], Ridge()], ids=str)
def test_blocks_of_limited_memory_change_nothing(estimator, monkeypatch):
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.sqrt(X[:, :2])])
    subsets = [(0, 1, 2), (0, 2, 3), (0, 2, 4), (1, 2, 3), (1, 2, 5)]
    J = both(estimator, X, y, StratifiedKFold(5), "accuracy" if is_classifier(estimator) else "r2")[0]
    want = J.score(subsets)
    for limit in (1, 400):  # a single subset may take more; two in a block, or four
        for constant in (
            "_fast.CACHE_ENTRIES",
            "_feature_sums.CACHE_ENTRIES",
            *(f"_least_squares.{name}" for name in ("MAX_ENTRIES", "CACHE_ENTRIES", "MIN_ROWS")),
        ):
            monkeypatch.setattr(f"fscore.criteria.{constant}", limit)
        np.testing.assert_array_equal(J.score(subsets), want)


# What is left to scikit-learn -----------------------------------------------------------------------------------------


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
        SVC(class_weight="balanced"),
        SVC(max_iter=5),
        SVC(break_ties=True),
        SVC(kernel=lambda A, B: A @ B.T),
        SVC(kernel="precomputed"),
        SVC(probability=True),
        *(KNeighborsClassifier(n_neighbors=k) for k in (0, 2.5, "3")),
        *(KNeighborsClassifier(p=p) for p in (0.5, 3, "2")),
        *(KNeighborsClassifier(weights=w) for w in ("far", lambda d: np.exp(-d))),
        *(KNeighborsClassifier(metric=m) for m in ("far", "cosine", "chebyshev")),
        KNeighborsClassifier(metric_params={"p": 2}),
        make_pipeline(Normalizer(), KNeighborsClassifier(3)),
        LogisticRegression(),
        DecisionTreeClassifier(),
    ],
    ids=lambda estimator: str(estimator).partition(" at 0x")[0],
)
def test_other_classifiers_are_refitted(estimator):
    assert not is_fast(estimator, *load_iris(return_X_y=True), cv=3)


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        (LinearRegression(positive=True), "r2"),
        (Ridge(solver="sag"), "r2"),
        (Ridge(alpha=[1.0]), "r2"),
        (Ridge(), "neg_mean_absolute_error"),
        (Ridge(), "neg_max_error"),
        (KNeighborsRegressor(), "neg_median_absolute_error"),
        (KNeighborsRegressor(), make_scorer(r2_score, force_finite=False)),
        (KNeighborsRegressor(metric="cosine"), "r2"),
    ],
    ids=str,
)
def test_other_regressions_are_refitted(estimator, scoring):
    assert not is_fast(estimator, *load_diabetes(return_X_y=True), scoring=scoring)


FEW = np.arange(60)
SHARED = [(FEW[30:], FEW[:30]), (FEW[:30], FEW[30:])]
SINGLE, PAIR = ([(FEW[n:], FEW[:n]), (FEW[:50], FEW[50:])] for n in (1, 2))
FLAT = np.where(FEW < 20, 7.0, FEW / 7)  # constant in the first fold of three


@pytest.mark.parametrize(
    ("target", "options", "expected"),
    [
        (FEW / 7, {}, True),
        (FEW, {}, True),
        (FEW / 1e6, {"cv": PAIR}, True),
        (FEW > 30, {"scoring": "neg_mean_squared_error", "cv": KFold(3, shuffle=True, random_state=0)}, True),
        ((FEW / 7).astype(np.float32), {}, False),
        (np.column_stack([FEW, FEW]), {}, False),
        (FLAT, {"cv": 3}, False),
        (FLAT, {"cv": 3, "scoring": "neg_mean_squared_error"}, True),
        (FEW / 7, {"cv": SINGLE}, False),
        (FEW / 7, {"cv": SINGLE, "scoring": "neg_mean_squared_error"}, True),
    ],
)
@pytest.mark.parametrize("estimator", [LinearRegression(), KNeighborsRegressor(3)], ids=str)
def test_targets_whose_score_only_scikit_learn_knows(estimator, target, options, expected):
    X = np.random.default_rng(0).normal(size=(60, 3))
    options = {"cv": 3, "scoring": "r2", **options}
    assert is_fast(estimator, X, target, **options) == expected
    if expected:
        quick, slow = both(estimator, X.tolist(), target.tolist(), **options)
        close(quick.score([(0,), (1, 2)]), slow.score([(0,), (1, 2)]))


@pytest.mark.parametrize(
    ("worth", "expected"),
    [
        (np.ones(60), True),
        (np.ones(60) / 1000, True),
        ([1] * 60, True),
        (np.where(FEW < 30, 0.0, 1.0), False),  # a fold has none
        (FEW > 5, False),
        (np.where(FEW == 3, np.nan, 1.0), False),
        (np.ones((60, 1)), False),
        (np.ones(60, dtype=object), False),
    ],
)
def test_weights_of_the_score_that_only_scikit_learn_knows(worth, expected):
    X, params = load_diabetes(return_X_y=True)[0][:60, :3], {"score": {"sample_weight": worth}}
    with np.errstate(all="raise"):
        assert is_fast(KNeighborsRegressor(3), X, FEW / 7, cv=SHARED, scoring="r2", params=params) == expected
        assert is_fast(KNeighborsClassifier(3), X, FEW % 2, cv=SHARED, params=params) == expected
    assert not is_fast(GaussianNB(), X, FEW % 2, cv=SHARED, params=params)
    assert not is_fast(KNeighborsClassifier(3), X, FEW % 2, cv=SHARED, params={"fit": {"a": 1}})
    assert not is_fast(KNeighborsClassifier(3), X, FEW % 2, cv=SHARED, params={"score": {"a": 1}})


@pytest.mark.parametrize("estimator", [*SUMS[::2], SVC(), *NEAREST[:2]], ids=str)
def test_data_that_are_left_to_scikit_learn(estimator):
    X, y = load_iris(return_X_y=True)
    text = pd.DataFrame(np.char.mod("%.6f", X))
    nearest, vectors = isinstance(estimator, KNeighborsClassifier), isinstance(estimator, SVC)
    for data, expected in [
        (X.tolist(), True),
        ((10 * X).round().astype(int), True),
        (np.asfortranarray(X), True),
        (X.astype(np.float32), nearest or vectors),
        (csr_array(X), nearest),
    ]:
        assert is_fast(estimator, data, y, cv=3) == expected
        if expected:
            plain = data.toarray() if issparse(data) else np.array(data, dtype=float)
            found, wanted = (both(estimator, X, y, 3)[0].score([(0,), (1, 3)]) for X in (data, plain))
            np.testing.assert_array_equal(found, wanted)
    too_large = csr_array((8, 2**62))  # to be made dense
    assert not is_fast(estimator, too_large, [0, 1] * 4, cv=3)
    if not nearest:
        halves = [(np.arange(50), np.arange(50, 150)), (np.arange(50, 150), np.arange(50))]
        assert not is_fast(estimator, X, y, cv=halves), "a training set of one class"
        if not vectors:
            assert not is_fast(estimator, text.astype("category"), y, cv=3)
        quick, slow = both(estimator, text.astype(object), y, 3)
        np.testing.assert_array_equal(quick.score([(0, 1)]), slow.score([(0, 1)]))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("estimator", [*SUMS[::2], KNeighborsClassifier(3)], ids=str)
def test_strings_are_refused_as_scikit_learn_does(estimator, compiled):
    X, y = load_iris(return_X_y=True)
    strings = np.char.mod("%.6f", X)
    for data in (strings, strings.astype("S"), strings.tolist()):
        with pytest.raises(ValueError, match="dtype='numeric' is not compatible with arrays of bytes/strings"):
            CVAccuracy(estimator, cv=3, compiled=compiled).bind(data, y).score([(0, 1)])


@pytest.mark.parametrize("estimator", [LinearRegression(), SVC(), KNeighborsClassifier(3, p=5)], ids=str)
def test_squares_and_powers_that_overflow_are_left_to_scikit_learn(estimator):
    X, y = load_iris(return_X_y=True)
    wide = X * [1, 1e60 if isinstance(estimator, KNeighborsClassifier) else 1e200, 1, 1]
    with np.errstate(over="ignore"):
        folds = KFold(3, shuffle=True, random_state=0)
        assert not is_fast(estimator, wide, y, cv=folds, scoring="accuracy" if is_classifier(estimator) else "r2")


@pytest.mark.parametrize("magnitude", [1e170, 1e-200])
def test_columns_whose_squares_have_no_number_spoil_no_discriminant(magnitude):
    X, y = load_iris(return_X_y=True)
    data = X * [magnitude, 1, 1, 0]
    with np.errstate(all="ignore"):
        fast, slow = both(LinearDiscriminantAnalysis(), data, y)
        subsets = [(0, 1), (1, 2), (0, 1, 2), (0, 1, 3)]
        np.testing.assert_array_equal(fast.score(subsets), slow.score(subsets))


@pytest.mark.parametrize(
    ("estimator", "module", "n_bytes"),
    [(LinearDiscriminantAnalysis(), "_least_squares", 8 * 5 * 16), (Ridge(), "_least_squares", 16 * 5 * 16),
     (SVC(), "_svm", 12 * 150**2)],
    ids=str,
)  # fmt: skip
def test_matrices_that_would_fill_the_memory_are_not_kept(estimator, module, n_bytes, monkeypatch):
    X, y = load_iris(return_X_y=True)
    scoring, folds = "accuracy" if is_classifier(estimator) else "r2", KFold(5, shuffle=True, random_state=0)
    for limit in n_bytes, n_bytes - 1:
        monkeypatch.setattr(f"fscore.criteria.{module}.MAX_BYTES", limit)
        assert is_fast(estimator, X, y, cv=folds, scoring=scoring, n_jobs=2) == (limit == n_bytes)


def test_the_table_in_the_documentation_names_every_fast_scorer():
    rows = re.findall(r"^((?:`\w+`(?:, )?)+) {2,}(.{20})", inspect.getdoc(CVScore), re.MULTILINE)
    named = {name: scoring for names, scoring in rows for name in re.findall(r"\w+", names)}
    assert set(named) >= {type(estimator).__name__ for estimator in (*CLASSIFIERS, *REGRESSORS)}
    X, y = load_iris(return_X_y=True)
    for name, scoring in named.items():
        of = next(m for m in (naive_bayes, neighbors, svm, linear_model, discriminant_analysis) if hasattr(m, name))
        estimator = getattr(of, name)()
        assert ("accuracy" in scoring) == is_classifier(estimator)
        options = {
            "scoring": "accuracy" if "accuracy" in scoring else "r2",
            "cv": KFold(5, shuffle=True, random_state=0),
        }
        quick, slow = (CVScore(estimator, compiled=c, **options).bind(X, y) for c in ("converged", False))
        assert type(quick) is not type(slow)


def test_the_score_of_an_estimator_itself_needs_no_name():
    X, y = load_wine(return_X_y=True)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for estimator, name in (
        *((classifier, "accuracy") for classifier in (GaussianNB(), KNeighborsClassifier(3), SVC())),
        (make_pipeline(StandardScaler(), GaussianNB()), "accuracy"),
        *((regressor, "r2") for regressor in (LinearRegression(), KNeighborsRegressor(3))),
    ):
        found = [both(estimator, X, y, folds, scoring)[0] for scoring in (None, name)]
        assert is_fast(estimator, X, y, cv=folds, scoring=None)
        np.testing.assert_array_equal(*(J.score([(0,), (1, 5)]) for J in found))

    class Own(GaussianNB):
        def score(self, X, y):
            return 0.5

    for own in (Own(), make_pipeline(Own())):
        assert CVScore(own, cv=3).bind(X, y).score([(0,)]) == 0.5


@pytest.mark.parametrize(
    ("estimator", "scoring", "quick"),
    [
        (GaussianNB(), make_scorer(accuracy_score), True),
        (LinearRegression(), make_scorer(mean_squared_error, greater_is_better=False), True),
        (LinearRegression(), make_scorer(mean_squared_error), False),  # what is larger is worse
        (GaussianNB(), make_scorer(accuracy_score, normalize=False), False),
        (GaussianNB(), make_scorer(balanced_accuracy_score), False),
    ],
)
def test_scorers_made_of_a_known_function_are_that_score(estimator, scoring, quick):
    X, y = load_wine(return_X_y=True)
    assert is_fast(estimator, X, y, scoring=scoring) is quick
    close(*(J.score([(0,), (1, 5)]) for J in both(estimator, X, y, 3, scoring)))


# Many rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("estimator", "offset"), [(GaussianNB(), 0.0), (GaussianNB(), 1e5), (NearestCentroid(), 0.0)])
def test_sums_over_features_need_no_fit_however_many_rows(estimator, offset, fits):
    """Their means and variances are those of scikit-learn to the last bit."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 30_000)
    X = offset + rng.normal(size=(30_000, 4)) + y[:, None] * [1.0, 0.5, 0.1, 0.0]
    subsets = [(0,), (2,), (3,), (0, 1), (0, 1, 2), (1, 2, 3)]
    expected = both(estimator, X, y, 3)[1].score(subsets)
    done = fits(estimator)
    for layout in X, np.asfortranarray(X), pd.DataFrame(X):
        np.testing.assert_array_equal(both(estimator, layout, y, 3)[0].score(subsets), expected)
    assert not done


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearDiscriminantAnalysis(), RidgeClassifier()], ids=str)
def test_only_folds_with_a_sample_on_the_boundary_are_refitted(estimator, fits):
    rng = np.random.default_rng(0)
    half = rng.normal([1, 0.5], size=(30, 2))
    X = np.vstack([half, -half, 3 + rng.random((20, 2)), [[0.0, 0.0]]])
    y = np.concatenate([np.repeat([1, 0], 30), np.ones(21, dtype=int)])
    train = np.arange(60)
    folds = [(train, np.arange(60, 70)), (train, np.arange(70, 80)), (train, np.array([80]))]
    quick, slow = both(estimator, X, y, folds)
    expected = slow.score([(0, 1)])
    done = fits(estimator)
    assert quick.score([(0, 1)]) == expected
    assert len(done) == 1


@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis(), RidgeClassifier()], ids=str)
def test_single_samples_within_rounding_of_the_mean_of_many(estimator):
    """A mean of one column is added in another order than that of several; the digits of its offset are lost."""
    rng, offset = np.random.default_rng(0), 1e4
    half = rng.normal(1.0, size=10_000)
    x = np.concatenate([half, -half]) + offset
    x = np.concatenate([x, x.mean() + np.spacing(offset) * np.arange(-60, 61, 4)])
    y = np.concatenate([np.repeat([1, 0], 10_000), np.arange(31) % 2])
    folds = [(np.arange(20_000), np.array([test])) for test in range(20_000, len(x))]
    quick, slow = both(estimator, np.column_stack([x, rng.normal(size=len(x))]), y, folds)
    np.testing.assert_array_equal(quick.fold_scores((0,)), slow.fold_scores((0,)))


@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis(), RidgeClassifier(), GaussianNB()], ids=str)
@pytest.mark.parametrize(("offset", "n_columns"), [(0.1, 1), (1000.1, 1), (0.1, 2)])
def test_sums_of_few_values_round_to_one_side(estimator, offset, n_columns):
    """50,000 times 0.1 add up to less or more than chance would have it, which moves the threshold between classes."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], 50_000)
    x = offset + 0.1 * (rng.uniform(size=len(y)) < np.where(y == 1, 0.03, 0.01))
    fitted = estimator.fit(x[:, None], y)
    low, high = x.mean(), offset + 0.15
    assert fitted.predict([[low]]) != fitted.predict([[high]])
    for _ in range(55):
        middle = (low + high) / 2
        low, high = (middle, high) if fitted.predict([[middle]]) == fitted.predict([[low]]) else (low, middle)
    near = low + x.std() * np.outer([-1, 1], 10.0 ** np.arange(-13, -5.5, 1.5)).ravel()
    X = np.column_stack([np.concatenate([x, near]), *rng.normal(size=(n_columns - 1, len(y) + len(near)))])
    folds = [(np.arange(len(y)), np.array([test])) for test in range(len(y), len(X))]
    quick, slow = both(estimator, X, np.concatenate([y, np.arange(len(near)) % 2]), folds)
    np.testing.assert_array_equal(quick.fold_scores((0,)), slow.fold_scores((0,)))


@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis(), RidgeClassifier()], ids=str)
def test_linear_scores_of_many_rows_are_rarely_uncertain(estimator, fits):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 6))
    y = (X[:, :3].sum(axis=1) + rng.normal(size=len(X)) > 0).astype(int)
    X[:, 1] = X[:, 0] + 0.03 * X[:, 1]
    quick, slow = both(estimator, X, y, 3)
    subsets = [(0, 1), (0, 1, 2), (0, 1, 3), (0, 1, 2, 5), tuple(range(6))]
    expected = slow.score(subsets)
    done = fits(estimator)
    np.testing.assert_array_equal(quick.score(subsets), expected)
    assert len(done) <= 5  # of 15; a bound that grows with the rows, not their root, leads to twice as many


@pytest.mark.parametrize("estimator", [GaussianNB(), LinearDiscriminantAnalysis(), RidgeClassifier(), Ridge()], ids=str)
def test_memory_does_not_grow_with_copies_of_the_rows(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 40))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=len(X)) > 0).astype(float)
    scoring = "accuracy" if is_classifier(estimator) else "r2"
    J = CVScore(estimator, cv=KFold(5), scoring=scoring)
    J.bind(X[:200], y[:200]).score([(0, 1)])  # modules are imported
    tracemalloc.start()
    J.bind(X, y).score([(0, c) for c in range(1, 40)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.5 * X.nbytes
