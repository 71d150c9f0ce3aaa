"""Nested scores against loops written by hand, and stability selection against its definition and its theory."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.criteria import Bhattacharyya, BlockFolds, CVScore
from fscore.search import PBIL, SFS, Hybrid, OrderVoting, StabilitySelection, nested_score
from fscore.search._stability_selection import _division, _two_halves
from fscore.stability import nogueira_stability

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier(3)


def test_nested_score_is_the_loop_by_hand():
    search = SFS(KNN, 3, cv=4)
    result = nested_score(search, X, Y, cv=5)
    scores, supports = [], []
    for train, test in StratifiedKFold(5).split(X, Y):
        support = clone(search).fit(X[train], Y[train]).support_
        scores.append(clone(KNN).fit(X[train][:, support], Y[train]).score(X[test][:, support], Y[test]))
        supports.append(support)
    np.testing.assert_array_equal(result.scores, scores)
    np.testing.assert_array_equal(result.supports, supports)
    assert result.score == np.mean(scores)
    assert result.stability == nogueira_stability(supports)
    s, share = np.std(scores, ddof=1), np.mean([len(b) / len(a) for a, b in StratifiedKFold(5).split(X, Y)])
    half = student.ppf(0.975, 4) * s * np.sqrt(1 / 5 + share)
    np.testing.assert_allclose([result.lower, result.upper], [np.mean(scores) - half, np.mean(scores) + half])
    np.testing.assert_allclose(result.scores, cross_val_score(make_pipeline(search, KNN), X, Y, cv=5))


def test_nested_score_is_honest_on_noise():
    """The search is sure to have found something; the nested score knows better."""
    rng = np.random.default_rng(0)
    noise, labels = rng.standard_normal((80, 40)), np.repeat([0, 1], 40)
    search = SFS(KNN, cv=5).fit(noise, labels)
    result = nested_score(search, noise, labels, cv=5)
    assert search.score_ > 0.75
    assert result.lower < 0.5 < result.upper
    assert search.score_ > result.upper


def test_the_estimator_is_that_of_the_search_or_given():
    f1 = CVScore(KNN, scoring="f1_macro", cv=3)
    folds = BlockFolds(4)
    own = nested_score(SFS(f1, 2), X, Y, cv=folds)
    train, test = next(folds.split(X, Y))
    support = own.supports[0]
    predicted = clone(KNN).fit(X[train][:, support], Y[train]).predict(X[test][:, support])
    assert own.scores[0] == f1_score(Y[test], predicted, average="macro")
    hybrid = nested_score(SFS(Hybrid(Bhattacharyya(), f1, 0.5), 2), X, Y, cv=folds)
    assert hybrid.scores.shape == (4,)
    main = nested_score(SFS(OrderVoting([KNN, KNeighborsClassifier(1)], main=f1), 2), X, Y, cv=folds)
    assert main.scores.shape == (4,)
    given = nested_score(SFS(Bhattacharyya(), 2), X, Y, estimator=KNN, cv=folds)
    theirs = nested_score(SelectKBest(f_classif, k=2), X, Y, estimator=KNN, scoring="balanced_accuracy", cv=folds)
    assert given.supports.sum() == theirs.supports.sum() == 8
    for search in (SFS(Bhattacharyya(), 2), SFS(OrderVoting(), 2), SelectKBest(f_classif, k=2)):
        with pytest.raises(ValueError, match="give the estimator to be scored"):
            nested_score(search, X, Y)


def test_nested_score_of_a_regressor_and_a_frame():
    A, a = load_diabetes(return_X_y=True)
    frame = pd.DataFrame(A, columns=[f"f{i}" for i in range(10)])
    plain = nested_score(SFS(LinearRegression(), 3, cv=4), A, a, cv=KFold(4))
    named = nested_score(SFS(LinearRegression(), 3, cv=4), frame, pd.Series(a), cv=4, n_jobs=2)
    np.testing.assert_allclose(plain.scores, named.scores)
    pipe = make_pipeline(SFS(LinearRegression(), 3, cv=4), LinearRegression())
    np.testing.assert_allclose(plain.scores, cross_val_score(pipe, A, a, cv=KFold(4)))


def test_nested_score_needs_no_classes_for_a_regressor():
    A, a = load_diabetes(return_X_y=True)
    plain, shifted = (nested_score(SFS(LinearRegression(), 1, cv=2), A, target, cv=2) for target in (a, a + 0.5))
    np.testing.assert_allclose(shifted.scores, plain.scores)


@pytest.mark.parametrize("form", [list, tuple])
def test_nested_score_of_rows_in_a_list(form):
    expected = nested_score(SFS(KNN, 2, cv=3), X, Y, cv=3)
    result = nested_score(SFS(KNN, 2, cv=3), form(X.tolist()), form(Y.tolist()), cv=3)
    assert result.scores.tolist() == expected.scores.tolist()
    assert result.supports.tolist() == expected.supports.tolist()


def test_nested_score_has_ten_folds_and_passes_on_its_confidence_and_its_frame():
    result = nested_score(SFS(KNN, 2, cv=2), X, Y, confidence=0.5)
    assert result.scores.shape == (10,)
    assert result.stability == nogueira_stability(result.supports, confidence=0.5)
    frame, y = load_wine(return_X_y=True, as_frame=True)
    assert nested_score(SFS(KNN, 2, cv=2, fixed=["ash"]), frame, y, cv=2).supports[:, 2].tolist() == [True, True]


def test_a_given_scoring_comes_before_that_of_the_search():
    result = nested_score(SFS(KNN, 2, cv=2), X, Y, cv=2, scoring="f1_macro")
    for (train, test), columns, score in zip(
        StratifiedKFold(2).split(X, Y), result.supports, result.scores, strict=True
    ):
        predicted = clone(KNN).fit(X[train][:, columns], Y[train]).predict(X[test][:, columns])
        assert score == f1_score(Y[test], predicted, average="macro")


def test_nested_score_refuses_a_pipeline_before_it_searches():
    def refuse(X, y=None):
        raise AssertionError("nothing is fitted")

    scale = FunctionTransformer(refuse)
    for search in (make_pipeline(scale, SFS(KNN, 1, cv=3)), KNN):
        with pytest.raises(
            ValueError, match=r"^search=(?s:.*) has no get_support; give a search .* of its criterion: SFS"
        ):
            nested_score(search, X, Y, cv=3, estimator=KNN)


def test_nested_score_takes_groups():
    groups = np.arange(178) % 7
    result = nested_score(SFS(KNN, 2, cv=2), X, Y, cv=GroupKFold(3), groups=groups)
    splits = list(GroupKFold(3).split(X, Y, groups))
    np.testing.assert_array_equal(result.scores, nested_score(SFS(KNN, 2, cv=2), X, Y, cv=splits).scores)


def test_nested_score_is_a_number_or_a_sentence():
    A, target = load_diabetes(return_X_y=True)
    with (
        pytest.warns(UserWarning, match="R\\^2 score is not well-defined"),
        pytest.raises(ValueError, match="fold 0 is nan"),
    ):
        nested_score(SFS(LinearRegression(), 2, cv=3), A[:12], target[:12], cv=12)
    for options, message in [
        ({"scoring": ["accuracy"]}, r"scoring=\['accuracy'\] is not one scorer"),
        ({"confidence": "a"}, "confidence='a' must be between 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            nested_score(SFS(KNN, 2), X, Y, **options)
    nothing = StabilitySelection(SelectKBest(f_classif, k=1), n_resamples=4, threshold=1.0, random_state=0)
    noise = np.random.default_rng(0).standard_normal((178, 40))
    with pytest.raises(ValueError, match="selects no feature in an outer fold"):
        nested_score(nothing, noise, Y, cv=2, estimator=KNN)


# stability selection ------------------------------------------------------------------------------------------------


def test_halves_are_disjoint_and_have_all_classes():
    class Listening(SelectKBest):
        seen = []  # noqa: RUF012

        def fit(self, X, y):
            Listening.seen.append(X[:, 0].astype(int))
            return super().fit(X, y)

    numbered = np.column_stack([np.arange(178), X])
    StabilitySelection(Listening(f_classif, k=3), n_resamples=9, random_state=0).fit(numbered, Y)
    assert len(Listening.seen) == 10
    for first, second in zip(Listening.seen[::2], Listening.seen[1::2], strict=True):
        assert not set(first) & set(second)
        for half in (first, second):
            assert len(half) == 89  # two classes have an odd number of samples, of which each half gets one
            assert ((np.bincount(Y[half]) - np.bincount(Y) // 2) <= np.bincount(Y) % 2).all()
            assert (np.bincount(Y[half]) >= np.bincount(Y) // 2).all()
    assert len({tuple(half) for half in Listening.seen}) == 10


@pytest.mark.parametrize(
    ("y", "alike"),
    [
        (np.repeat([0, 1], [30, 10]), True),
        (np.repeat(["a", "b", "c"], [20, 10, 10]), True),
        (np.linspace(0, 1, 40), False),
    ],
)
def test_halves_of_classes_are_divided_class_by_class(y, alike):
    """Numbers are divided as a whole."""
    groups = _division(SelectKBest(), y)
    halves = [half for seed in range(5) for half in _two_halves(groups, np.random.RandomState(seed))]
    assert all(len(half) == 20 and (np.diff(half) > 0).all() for half in halves)
    assert all(not set(a) & set(b) for a, b in zip(halves[::2], halves[1::2], strict=True))
    first = y == y[0] if alike else np.arange(40) < 30
    assert (len({first[half].sum() for half in halves}) == 1) == alike


def test_a_search_knows_whether_its_target_holds_classes():
    """Whole numbers that a regressor predicts are no classes, and labels of a floating type are."""
    A, target = load_diabetes(return_X_y=True)
    assert [len(rows) for rows in _division(SFS(LinearRegression()), target)] == [442]
    assert [len(rows) for rows in _division(SelectKBest(f_regression), target)] == [442]
    assert [len(rows) for rows in _division(SFS(KNN), Y.astype(float))] == [59, 71, 48]
    assert [len(rows) for rows in _division(SelectKBest(f_classif), Y.astype(float))] == [59, 71, 48]
    assert StabilitySelection(SelectKBest(f_regression, k=3), n_resamples=4).fit(A, target).supports_.shape == (4, 10)


def test_odd_classes_leave_out_one_row_at_most():
    y = np.repeat(np.arange(30), 3)
    first, second = _two_halves(_division(SFS(KNN), y), np.random.RandomState(0))
    assert len(first) == len(second) == 45
    assert set(first) | set(second) == set(range(90))
    assert (np.bincount(y[first]) >= 1).all()
    with pytest.raises(ValueError, match=r"class 0 has one sample, but each half needs one of each class"):
        StabilitySelection(SFS(KNN, 1)).fit(X[:9], np.arange(9))
    with pytest.raises(ValueError, match=r"y holds only one value \(0\)"):
        StabilitySelection(SelectKBest(k=1)).fit(X[:9], np.zeros(9, dtype=int))


def test_whole_numbers_that_may_be_a_regressions_target_have_a_remedy_of_their_own():
    numbers = X[:, 12].astype(int)
    best = StabilitySelection(SelectKBest(f_regression, k=3), n_resamples=10, random_state=0)
    sentence = "class 278 has one sample, but each half needs one of each class; leave the class out"
    with pytest.raises(
        ValueError, match=rf"^{sentence}, merge it with another, or give y\.astype\(float\) for a regress"
    ):
        best.fit(X, numbers)
    assert best.fit(X, numbers.astype(float)).supports_.sum() == 30
    for selector, y in (SFS(KNN, 1), numbers), (SelectKBest(f_classif), np.where(np.arange(178) == 5, 7, Y)):
        with pytest.raises(ValueError, match=r"leave the class out, or merge it with another\.$"):
            StabilitySelection(selector).fit(X, y)


def test_frequencies_support_and_bound():
    selection = StabilitySelection(SelectKBest(f_classif, k=4), n_resamples=50, threshold=0.7, random_state=1).fit(X, Y)
    np.testing.assert_array_equal(selection.frequencies_, selection.supports_.mean(axis=0))
    np.testing.assert_array_equal(selection.support_, selection.frequencies_ >= 0.7)
    assert selection.error_bound_ == pytest.approx(4**2 / (0.4 * 13))
    assert selection.transform(X).shape[1] == selection.support_.sum()
    assert np.isnan(selection.set_params(threshold=0.5).fit(X, Y).error_bound_)
    again = StabilitySelection(SelectKBest(f_classif, k=4), n_resamples=50, random_state=1, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(again.supports_, selection.supports_)
    assert again.n_jobs == 2


def test_noise_is_selected_no_more_often_than_the_bound_says():
    """All features are exchangeable noise, so every selected one is an error."""
    rng = np.random.default_rng(0)
    errors, bounds = [], []
    for _ in range(60):
        noise, target = rng.standard_normal((60, 50)), rng.standard_normal(60)
        found = StabilitySelection(SelectKBest(f_regression, k=8), n_resamples=50, random_state=0).fit(noise, target)
        errors.append(found.support_.sum())
        bounds.append(found.error_bound_)
    assert bounds[0] == pytest.approx(64 / (0.2 * 50))
    assert np.mean(errors) < bounds[0]
    assert np.mean(errors) < 8 / 2  # far fewer than one run selects


def test_a_search_inside_with_its_own_random_state():
    search = PBIL(KNN, 3, cv=3, population=6, max_generations=2)
    one, two = (StabilitySelection(search, n_resamples=4, random_state=0).fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(one.supports_, two.supports_)
    assert len(np.unique(one.supports_, axis=0)) > 1
    assert search.random_state is None


def test_frames_names_and_refusals():
    data = load_iris(as_frame=True)
    selection = StabilitySelection(SFS(KNN, 2, cv=3), n_resamples=6, random_state=0).set_output(transform="pandas")
    names = selection.fit(data.data, data.target).get_feature_names_out()
    assert set(names) <= set(data.data.columns)
    assert list(selection.transform(data.data).columns) == list(names)
    for options, message in [({"threshold": 0}, "'threshold'"), ({"n_resamples": 1}, "'n_resamples'")]:
        with pytest.raises(ValueError, match=message):
            StabilitySelection(SFS(KNN), **options).fit(X, Y)
    with pytest.raises(ValueError, match="'selector' parameter"):
        StabilitySelection(KNN).fit(X, Y)


@parametrize_with_checks([StabilitySelection(SelectKBest(f_classif, k=1), n_resamples=4, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


GROUPS = np.arange(178) // 6


def test_groups_and_weights_reach_the_search_inside():
    X, y = load_wine(return_X_y=True)
    weights = np.where(np.arange(178) % 3 == 0, 5.0, 0.1)
    search, cv = SFS(GaussianNB(), 2, cv=GroupKFold(3)), GroupKFold(4)
    found = nested_score(search, X, y, cv=cv, groups=GROUPS, sample_weight=weights)
    for fold, (train, test) in enumerate(cv.split(X, y, GROUPS)):
        inner = clone(search).fit(X[train], y[train], groups=GROUPS[train], sample_weight=weights[train])
        np.testing.assert_array_equal(found.supports[fold], inner.support_)
        model = GaussianNB().fit(inner.transform(X[train]), y[train], sample_weight=weights[train])
        assert found.scores[fold] == model.score(inner.transform(X[test]), y[test])
    plain = nested_score(SFS(GaussianNB(), 2, cv=3), X, y, cv=cv, groups=GROUPS)  # whose folds ask for no groups
    assert np.isfinite(plain.scores).all()
    with pytest.raises(ValueError, match=r"SelectKBest\(\) takes no sample_weight; leave it out"):
        nested_score(SelectKBest(), X, y, estimator=KNN, sample_weight=weights)
    with pytest.raises(ValueError, match="sample_weight has 3 entries, but X has 178 samples"):
        nested_score(search, X, y, groups=GROUPS, sample_weight=weights[:3])


def test_halves_keep_groups_together():
    X, y = load_wine(return_X_y=True)
    seen = []

    class Noting(SelectKBest):
        def fit(self, X, y, sample_weight):
            seen.append(set(sample_weight))
            return super().fit(X, y)

    StabilitySelection(Noting(k=2), n_resamples=6, random_state=0).fit(X, y, groups=GROUPS, sample_weight=GROUPS)
    for first, second in zip(seen[::2], seen[1::2], strict=True):
        assert not first & second
        assert len(first | second) == len(set(GROUPS))  # 30 groups: none is left out
    of_one_class = np.char.add(y.astype(str), (GROUPS % 4).astype(str))
    seen.clear()
    StabilitySelection(Noting(k=2), n_resamples=2, random_state=0).fit(
        X, y, groups=of_one_class, sample_weight=of_one_class
    )
    assert [sorted(name[0] for name in half) for half in seen] == [list("001122")] * 2
    selection = StabilitySelection(SFS(GaussianNB(), 1, cv=GroupKFold(3)), n_resamples=4, random_state=0)
    assert selection.fit(X, y, groups=GROUPS).support_.any()
    with pytest.raises(ValueError, match="groups holds one group, which cannot be divided"):
        selection.fit(X, y, groups=np.zeros(178))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("form", [np.asarray, list, lambda y: pd.Series(y, dtype="string"), lambda y: pd.Series(y)])
def test_missing_labels_are_named(missing, form):
    X, y = load_wine(return_X_y=True)
    labels = np.array(["a", "b", "c"], dtype=object)[y]
    labels[[3, 9]] = missing
    search = SFS(KNN, 1, cv=3)
    for refused in (
        lambda: search.fit(X, form(labels)),
        lambda: nested_score(search, X, form(labels), cv=3),
        lambda: StabilitySelection(search).fit(X, form(labels)),
        lambda: CVScore(KNN).bind(X, form(labels)),
    ):
        with pytest.raises(
            ValueError, match=r"^y has missing values \(2, the first in row 3\)\. Remove these samples\.$"
        ):
            refused()


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_targets_in_other_forms_and_scores_of_other_types():
    X, y = load_wine(return_X_y=True)
    search = SFS(KNN, 1, cv=3)
    want = nested_score(search, X, y, cv=3).score
    for form in (pd.Index, lambda y: pd.DataFrame({"y": y}), lambda y: list(map(str, y))):
        assert nested_score(search, X, form(y), cv=3).score == want

    def share(model, X, y):
        return Fraction(int((model.predict(X) == y).sum()), len(y))

    assert nested_score(search, X, y, cv=3, scoring=share).score == pytest.approx(want)
    found = SFS(CVScore(KNN, scoring=share, cv=3), 1).fit(X, y)
    assert found.score_ == pytest.approx(cross_val_score(KNN, X[:, found.support_], y, cv=3).mean())
    for refused in (lambda: SFS(KNN, cv=LeaveOneOut).fit(X, y), lambda: nested_score(search, X, y, cv=LeaveOneOut)):
        with pytest.raises(ValueError, match=r"cv=LeaveOneOut is a class; give an object of it, as LeaveOneOut\(\)"):
            refused()


def test_frames_of_mixed_types_go_on_to_the_estimator():
    X, y = load_wine(return_X_y=True)
    frame = pd.DataFrame(
        {
            "kind": np.array(["a", "b", "c"])[y],
            "noise": pd.array(np.arange(178) % 2 == 0, dtype="boolean"),
            "count": pd.array(np.arange(178) % 5, dtype="Int64"),
            "alcohol": X[:, 0],
        }
    )
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector("kind")), remainder="passthrough"
    )
    search = SFS(make_pipeline(encode, LogisticRegression()), 1, cv=3)
    assert search.fit(frame, y).get_feature_names_out().tolist() == ["kind"]
    assert nested_score(search, frame, y, cv=3).score == 1
    assert StabilitySelection(search, n_resamples=2).fit(frame, y).frequencies_.tolist() == [1, 0, 0, 0]
    with pytest.raises(ValueError, match="contains NaN"):
        SFS(LogisticRegression(), 1).fit(frame.drop(columns="kind").assign(alcohol=np.nan), y)
    with pytest.raises(TypeError, match="fit got 'weight', but takes groups and sample_weight only; leave it out"):
        StabilitySelection(search).fit(frame, y, weight=3)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        search.fit(frame, y[:-1])


def test_several_targets_where_the_estimator_takes_them():
    X, y = load_diabetes(return_X_y=True)
    both = np.column_stack([y, y**2])
    search = SFS(LinearRegression(), 2, cv=3).fit(X, both)
    columns = np.flatnonzero(search.support_)
    assert search.score_ == pytest.approx(cross_val_score(LinearRegression(), X[:, columns], both, cv=3).mean())
    assert nested_score(search, X, both, cv=3).scores.shape == (3,)
    selection = StabilitySelection(search, n_resamples=4, random_state=0).fit(X, both, groups=np.arange(len(y)) // 2)
    assert selection.supports_.sum(axis=1).tolist() == [2, 2, 2, 2]
    with pytest.raises(ValueError, match="1d array"):
        SFS(SVR(), 2, cv=3).fit(X, both)
