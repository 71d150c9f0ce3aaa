"""Every criterion keeps one contract; cross-validation passes everything on; what cannot be used is refused."""

import warnings
from fractions import Fraction
from itertools import combinations

import joblib
import numpy as np
import pytest
from criteria_steps import add, both, remove
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from fscore.criteria import (
    Bhattacharyya,
    CVAccuracy,
    CVScore,
    GammaTest,
    LinearFit,
    Mahalanobis,
    RANNAccuracy,
    rann_all_subsets,
)
from fscore.criteria._subsets import step_of
from fscore.search import SFS, Hybrid, OrderVoting, nested_score

EVERY_CRITERION = [
    GammaTest(p_max=5),
    RANNAccuracy(),
    CVAccuracy(),
    CVAccuracy(KNeighborsClassifier(metric="chebyshev")),
    CVAccuracy(GaussianNB()),
    CVAccuracy(SVC()),
    CVAccuracy(LogisticRegression()),
    Bhattacharyya(),
    LinearFit(),
    Mahalanobis(),
]
each_criterion = pytest.mark.parametrize("criterion", EVERY_CRITERION, ids=repr)


@each_criterion
def test_subsets_hold_columns_of_the_data_in_order(criterion):
    J = criterion.bind(*load_iris(return_X_y=True))
    for column in (4, -1, 10**9):
        message = rf"^column {column} is not in X, which has columns 0 to 3\.$"
        for use in (
            lambda c: J.score([(0, 1), (c,)]),
            lambda c: J.score([(0, 1), tuple(sorted((0, c)))]),
            lambda c: add(J, (), [(c,)]),
            lambda c: add(J, (1,), [(0,), (c,)]),
            lambda c: add(J, (c,), [(0,)]),
            lambda c: remove(J, tuple(sorted((0, 1, c))), [(0,)]),
        ):
            with pytest.raises(ValueError, match=message):
                use(column)
    with pytest.raises(ValueError, match=r"^one of the subsets is empty; give each at least one column\.$"):
        J.score([(0,), ()])
    for subset in ((1, 0), (1, 1)):
        with pytest.raises(
            ValueError, match=r"^the columns of \(1, .\) are not in ascending order; write \((0, )?1,?\)"
        ):
            J.score([(0, 2), subset])
    for subsets in ([(0.7, 1)], [("a",)], [(np.nan,)], [np.array([True, False, True, False])]):
        with pytest.raises(ValueError, match="subsets must hold column numbers, not masks, names or fractions; got "):
            J.score(subsets)
    for subsets in ((0, 1), [(0,), 1]):
        with pytest.raises(TypeError, match=r"must be a list of tuples of columns, as \[\(0, 2\), \(1,\)\]\.$"):
            J.score(subsets)
    if J.splits is not None:
        for columns, message in (((), "^one of the subsets is empty"), ((0, -1), "^column -1 is not in X")):
            with pytest.raises(ValueError, match=message):
                J.fold_scores(columns)


@each_criterion
@pytest.mark.filterwarnings("error")
def test_no_subsets_have_no_values(criterion):
    J = criterion.bind(*load_iris(return_X_y=True))
    for values in (J.score([]), add(J, (0, 1), []), remove(J, (0, 1), [])):
        assert values.shape == (0,)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (CVAccuracy(LinearRegression(), cv=3), r"^LinearRegression\(\) is not a classifier"),
        (CVAccuracy("knn"), "^'knn' is not a classifier; CVAccuracy takes one"),
        (CVAccuracy(cv="3"), r"^The 'cv' parameter of CVAccuracy must be .* Got '3' instead\."),
        (CVScore("knn"), "^estimator='knn' must be a classifier, a regressor"),
        (CVScore(KNeighborsClassifier(), scoring=3), r"^The 'scoring' parameter of CVScore .* Got 3 instead\."),
        (CVScore(LinearRegression(), scoring=[]), r"^scoring=\[\] must list names"),
        (CVAccuracy(compiled="no"), r"^The 'compiled' parameter of CVAccuracy must be .* Got 'no' instead\."),
        (Bhattacharyya(ridge="a"), r"^The 'ridge' parameter of Bhattacharyya must be a float .* Got 'a' instead\."),
        (Mahalanobis(ridge=np.nan), r"^The 'ridge' parameter of Mahalanobis must be a float .* Got nan instead\."),
        (Mahalanobis(ridge=-1), r"^The 'ridge' parameter of Mahalanobis must be .* \[0\.0, inf\)\. Got -1 instead"),
        (Mahalanobis(ddof=2), r"^The 'ddof' parameter of Mahalanobis must be .* among \{0, 1\}"),
        (GammaTest(cumulative="no"), r"^The 'cumulative' parameter of GammaTest must be .* Got 'no' instead\."),
        (RANNAccuracy(n_hidden=0), r"^The 'n_hidden' parameter of RANNAccuracy must be an int .* Got 0 instead\."),
    ],
)
def test_parameters_are_checked_when_data_come(criterion, message):
    X, y = load_wine(return_X_y=True)
    for use in (
        criterion.bind,
        SFS(criterion, 1).fit,
        SFS(OrderVoting([criterion, criterion]), 1).fit,
        SFS(OrderVoting(main=criterion), 1).fit,
        SFS(Hybrid(criterion), 1).fit,
    ):
        with pytest.raises(ValueError, match=message):
            use(X, y)


HALVES = np.array_split(np.arange(178), 2)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (1, r"'cv' parameter of CVAccuracy must be an int in the range \[2, inf\), .* Got 1"),
        (True, "'cv' parameter of CVAccuracy must be .* Got True"),
        (LeaveOneOut, r"^cv=<class .*LeaveOneOut'> cannot split samples; give a number of folds"),
        (72, "n_splits=72 cannot be greater than the number of members in each class"),
        ([], "cv holds no splits"),
        (iter([]), "cv holds no splits"),
        ([(HALVES[0],)], r"^cv holds .*; its splits must be pairs"),
        ([(HALVES[0], HALVES[1] + 100)], "split 0 .* index 189 is out of bounds"),
        ([(HALVES[0], [])], "split 0 .* no test samples"),
        ([([], HALVES[1])], "split 0 .* no training samples"),
        ([(HALVES[0] + 0.5, HALVES[1])], "split 0 .* neither row numbers nor a mask"),
        (
            [(np.ones(5, bool), HALVES[1])],
            "split 0 .* neither row numbers nor a mask of X: boolean index did not match",
        ),
    ],
)
def test_malformed_cv_gets_one_sentence(cv, message):
    X, y = load_wine(return_X_y=True)
    for compiled in True, False:
        with pytest.raises(ValueError, match=message):
            CVAccuracy(cv=cv, compiled=compiled).bind(X, y)


@pytest.mark.parametrize(
    ("criterion", "many"),
    [(CVAccuracy(), 10**6), (CVAccuracy(compiled=False), 10**6), (CVAccuracy(), -1), (GammaTest(5), -1)],
    ids=repr,
)
def test_jobs(criterion, many):
    """More than processors are not started; what is no number of workers is refused."""
    X, y = load_wine(return_X_y=True)
    subsets = [(0,), (1, 2), (3, 4, 5)]
    want = criterion.bind(X, y).score(subsets)
    J = criterion.bind(X, y, n_jobs=many)
    np.testing.assert_array_equal(J.score(subsets), want)
    J.close()
    for n_jobs in (0, "2", 1.5):
        with pytest.raises(
            ValueError, match=f"^n_jobs={n_jobs!r} must be a positive integer, or -1 for all processors"
        ):
            criterion.bind(X, y, n_jobs=n_jobs).score([(0,)])


@each_criterion
def test_the_identity_tells_criteria_apart_also_those_of_equal_parameters(criterion):
    name, by = criterion.identity()
    assert name.startswith("fscore.criteria.")
    assert name.endswith(f".{type(criterion).__name__}")
    assert by == criterion.get_params()
    if isinstance(criterion, Bhattacharyya | Mahalanobis):
        assert by == {"ridge": 1e-8, "ddof": 1}
    if isinstance(criterion, RANNAccuracy):
        assert (by["n_hidden"], by["weights"], by["scale"], by["tol"]) == (20, "sobol", 1.0, 1e-8)


@pytest.mark.parametrize(
    ("criterion", "most"), [(GammaTest(2), 1e72), (CVAccuracy(KNeighborsClassifier(1), cv=2), 1e145)]
)
def test_squares_of_ranges_must_be_numbers(criterion, most):
    ready, column = np.array([-1.0, 0, 1, 2]), np.array([-0.5, -0.25, 0, 0.5])

    def bind(*columns):
        return criterion.bind(np.column_stack(columns), [0, 1, 0, 1])

    with np.errstate(all="raise", under="ignore"):
        bind(ready, column * most, column * 0).score([(0, 1), (1, 2)])
        bind(ready, column / most * 1.01).score([(1,)])
        with pytest.raises(
            ValueError, match=r"^Column 1 of X contains 1\.5e\+\d+, but .* requires absolute values up to .* Divide the"
        ):
            bind(ready, column * most * 3)
        with pytest.raises(ValueError, match=r"^Column 1 of X has the range 5e-\d+, but .* Divide the column by 5e-"):
            bind(ready, column / most / 2)


# Cross-validation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cv",
    [
        3,
        StratifiedKFold(4, shuffle=True, random_state=0),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(3, test_size=0.3, train_size=0.4, random_state=0),
        LeaveOneOut(),
        [(np.arange(50), np.arange(50))],  # every sample is its own neighbor
    ],
)
def test_any_splitter_compiled_or_not(cv):
    X, y = load_iris(return_X_y=True)
    X = X[::3] + 1e-6 * np.random.default_rng(0).standard_normal(X[::3].shape)
    y = y[::3]
    subsets = [(0,), (1, 3), (0, 1, 2, 3)]
    knn = KNeighborsClassifier(1)
    want = [cross_val_score(knn, X[:, list(s)], y, cv=cv) for s in subsets]
    for J in both(knn, X, y, cv):
        np.testing.assert_allclose(J.score(subsets), np.mean(want, axis=1), rtol=1e-14)
        np.testing.assert_allclose(J.fold_scores(subsets[1]), want[1], rtol=1e-14)


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(1), DecisionTreeClassifier(random_state=0)], ids=str)
def test_splits_as_masks(estimator):
    X, y = load_iris(return_X_y=True)
    splits = list(ShuffleSplit(2, random_state=0).split(X))
    masks = [tuple(np.isin(np.arange(150), part) for part in split) for split in splits]
    subsets = [(0,), (1, 3)]
    np.testing.assert_array_equal(*(CVAccuracy(estimator, cv=c).bind(X, y).score(subsets) for c in (splits, masks)))


def test_equal_means_are_equal_numbers():
    """57, 57, 57 and 56 test samples, with the same numbers of hits in another order of folds."""
    sizes, hits = [57, 57, 57, 56], [[50, 41, 33, 20], [33, 50, 41, 20]]
    X = np.array([np.concatenate([np.arange(n) < h for n, h in zip(sizes, row, strict=True)]) for row in hits]).T
    X = np.vstack([X, [[0, 0], [1, 1]]]).astype(float)
    y, ends = np.append(np.ones(227), [0, 1]), np.cumsum(sizes)
    splits = [([227, 228], np.arange(end - n, end)) for end, n in zip(ends, sizes, strict=True)]
    for compiled in True, False:
        J = CVAccuracy(KNeighborsClassifier(1), cv=splits, compiled=compiled).bind(X, y)
        a, b = J.score([(0,), (1,)])
        assert a == b == pytest.approx(np.divide(hits[0], sizes).mean(), rel=1e-15)


def test_metadata_of_the_split_the_fit_and_the_score():
    """One value for each sample is cut into folds; anything else is passed on as it is; a cache tells all apart."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X, y, groups, worth = X[::2], y[::2], rng.integers(0, 5, 75), rng.random(75)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    J = CVAccuracy(tree, cv=GroupKFold(3))
    params = {
        "split": {"groups": groups},
        "fit": {"sample_weight": worth, "check_input": True},
        "score": {"sample_weight": worth},
    }
    bound, want = J.bind(X, y, params=params), []
    for train, test in GroupKFold(3).split(X, y, groups):
        model = tree.fit(X[train], y[train], sample_weight=worth[train])
        want.append(model.score(X[test], y[test], sample_weight=worth[test]))
    np.testing.assert_allclose(bound.score([(0, 1, 2, 3)]), [np.mean(want)], rtol=1e-14)
    np.testing.assert_allclose(bound.fold_scores((0, 1, 2, 3)), want, rtol=1e-14)
    plain = J.bind(X, y, params={"split": {"groups": groups}})
    assert joblib.hash(bound.context) != joblib.hash(plain.context)
    assert (plain.max_batch, plain.min_batch) == (8, 1)
    f1 = CVScore(tree, cv=GroupKFold(3), scoring="f1_macro").bind(X, y, params={"split": {"groups": groups}})
    scores = cross_val_score(tree, X[:, [0, 2]], y, groups=groups, cv=GroupKFold(3), scoring="f1_macro")
    assert f1.score([(0, 2)])[0] == pytest.approx(scores.mean(), rel=1e-14)


def test_data_reach_the_estimator_as_they_are():
    """Frames by column name, lists of strings, nested lists, whole numbers."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    frame = X.assign(kind=np.where(y == 0, "a", "b"))
    by_name = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    J = CVAccuracy(make_pipeline(by_name, DecisionTreeClassifier(max_depth=1)), cv=3).bind(frame, y)
    assert J.score([(0, 4)]) > 0.6
    one_hot = CVAccuracy(make_pipeline(OneHotEncoder(), DecisionTreeClassifier(max_depth=1)), cv=3)
    strings = frame[["kind", "kind"]].to_numpy().tolist()
    want = cross_val_score(one_hot.estimator, np.array(strings), y, cv=3).mean()
    np.testing.assert_allclose(one_hot.bind(strings, y).score([(0,), (0, 1)]), [want, want], rtol=1e-14)
    whole = (10 * X).round().to_numpy()
    for data in (whole.astype(int), whole.tolist(), whole.astype(int).tolist()):
        found = CVAccuracy(cv=3).bind(data, y.tolist()).score([(0,), (1, 2)])
        np.testing.assert_array_equal(found, CVAccuracy(cv=3).bind(whole, y).score([(0,), (1, 2)]))


def test_targets_and_scores():
    X, y = load_iris(return_X_y=True)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^Input y contains (NaN|infinity)"):
            CVScore(LinearRegression(), cv=3).bind(X, np.where(np.arange(150) == 3, bad, X[:, 0]))
    two = X[:, :2]
    want = cross_val_score(LinearRegression(), X[:, 2:], two, cv=3).mean()
    assert CVScore(LinearRegression(), cv=3).bind(X, two).score([(2, 3)])[0] == pytest.approx(want, rel=1e-12)
    for quarter in (Fraction(1, 4), np.array(0.25)):
        J = CVScore(GaussianNB(), scoring=lambda model, X, y, quarter=quarter: quarter, cv=3).bind(X, y)
        assert J.score([(0,), (1, 2)]).tolist() == [0.25, 0.25]


def test_defaults_of_cross_validation():
    """Three neighbors, ten folds, an estimator in place of its criterion; as many folds as the largest class has."""
    X, y = load_wine(return_X_y=True)
    want = CVAccuracy(KNeighborsClassifier(3), cv=10).bind(X, y).score([(0, 6)])
    assert CVAccuracy().bind(X, y).score([(0, 6)]) == want
    assert SFS(KNeighborsClassifier(3), 1).fit(X, y).trace_.equals(SFS(CVAccuracy(), 1).fit(X, y).trace_)
    assert SFS(LinearRegression(), 1).fit(X, y).trace_.equals(SFS(CVScore(LinearRegression()), 1).fit(X, y).trace_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of scikit-learn: other classes have fewer samples
        assert CVAccuracy(cv=71).bind(X, y).score([(0, 6)]) > 0.8


def test_no_more_features_than_can_be_enumerated():
    with pytest.raises(
        ValueError, match=r"^26 features have 2\^26 subsets; 25 features are the limit\. Use a search\.$"
    ):
        rann_all_subsets(np.ones((30, 26)), np.arange(30) % 2)


@pytest.mark.parametrize(
    ("consumer", "name"), [("fit", "sample_weight"), ("score", "sample_weight"), ("split", "groups")]
)
def test_masked_metadata_are_refused(consumer, name):
    X, y = load_iris(return_X_y=True)
    masked = np.ma.array(np.ones(150), mask=np.arange(150) == 3)
    with pytest.raises(ValueError, match=f"^{name} has masked values"):
        CVScore(GaussianNB()).bind(X, y, params={consumer: {name: masked}})


def test_a_class_that_a_fold_lacks_is_named():
    X, y = load_iris(return_X_y=True)
    tests = [np.arange(0, 150, 5), np.arange(51, 150, 5)]
    splits = [(np.setdiff1d(np.arange(150), test), test) for test in tests]
    for cv, split in ((splits, "test samples of split 1"), ([(tests[1], tests[0])] * 2, "training samples of split 0")):
        J = CVScore(GaussianNB(), scoring="neg_log_loss", cv=cv).bind(X, y)
        message = rf"^the {split} of cv hold no sample of the class 0, without"
        scaled = CVScore(make_pipeline(StandardScaler(), GaussianNB()), scoring="neg_log_loss", cv=cv).bind(X, y)
        for bound in (J, scaled):
            with pytest.raises(ValueError, match=message):
                bound.score([(0, 1)])
        with pytest.raises(ValueError, match=message):
            nested_score(SFS(GaussianNB(), 1, cv=2), X, y, cv=cv, scoring="neg_log_loss")


# what subsets have in common ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subsets", "step"),
    [
        ([(0, 2, 5), (1, 2, 5), (2, 3, 5)], ((2, 5), [(0,), (1,), (3,)], True)),
        ([(1, 2), (0, 2), (0, 1)], ((0, 1, 2), [(0,), (1,), (2,)], False)),
        ([(1, 2, 4, 5), (1, 2, 3), (1, 2, 3, 7)], ((1, 2), [(4, 5), (3,), (3, 7)], True)),
        ([(0, 1, 4), (2, 3, 4)], ((), [(0, 1, 4), (2, 3, 4)], True)),
        ([(4, 5), (3,)], ((), [(4, 5), (3,)], True)),
        ([(1, 2)], ((), [(1, 2)], True)),
        ([(1,), (1, 2)], ((), [(1,), (1, 2)], True)),
        (list(combinations(range(12), 8))[:60], ((), list(combinations(range(12), 8))[:60], True)),
    ],
    ids=["forward", "backward", "several", "little", "unrelated", "one", "nested", "lexicographic"],
)
def test_a_step_is_found_in_its_candidates(subsets, step):
    assert step_of(subsets) == step


@given(st.lists(st.sets(st.integers(0, 9), min_size=1), min_size=1, max_size=20))
def test_changes_of_the_base_lead_to_the_subsets(sets):
    base, changes, adds = step_of([tuple(sorted(s)) for s in sets])
    assert [set(base) | set(c) if adds else set(base) - set(c) for c in changes] == sets
    assert all(changes), "no subset is the base itself"
