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
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVR
from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.criteria import Bhattacharyya, BlockFolds, CVScore
from fscore.search import PBIL, SFS, Hybrid, OrderVoting, StabilitySelection, nested_score
from fscore.stability import nogueira_stability

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier(3)
A, TARGET = load_diabetes(return_X_y=True)
GROUPS = np.arange(178) // 6


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


def test_nested_score_of_regressors_frames_and_lists():
    frame = pd.DataFrame(A, columns=[f"f{i}" for i in range(10)])
    search = SFS(LinearRegression(), 3, cv=4)
    plain = nested_score(search, A, TARGET, cv=KFold(4))
    named = nested_score(search, frame, pd.Series(TARGET), cv=4, n_jobs=2)
    np.testing.assert_allclose(plain.scores, named.scores)
    np.testing.assert_allclose(
        plain.scores, cross_val_score(make_pipeline(search, LinearRegression()), A, TARGET, cv=4)
    )
    shifted = nested_score(search, A, TARGET + 0.5, cv=4)  # no classes are needed
    np.testing.assert_allclose(shifted.scores, plain.scores)
    expected = nested_score(SFS(KNN, 2, cv=3), X, Y, cv=3)
    for form in (list, tuple):
        result = nested_score(SFS(KNN, 2, cv=3), form(X.tolist()), form(Y.tolist()), cv=3)
        assert result.scores.tolist() == expected.scores.tolist()
        assert result.supports.tolist() == expected.supports.tolist()
    data = load_wine(return_X_y=True, as_frame=True)
    assert nested_score(SFS(KNN, 2, cv=2, fixed=["ash"]), *data, cv=2).supports[:, 2].tolist() == [True, True]


def test_nested_score_has_ten_folds_and_passes_on_its_confidence():
    result = nested_score(SFS(KNN, 2, cv=2), X, Y, confidence=0.5)
    assert result.scores.shape == (10,)
    assert result.stability == nogueira_stability(result.supports, confidence=0.5)


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


def test_nested_score_is_a_number_or_a_sentence():
    with (
        pytest.warns(UserWarning, match="R\\^2 score is not well-defined"),
        pytest.raises(ValueError, match=r"scores of the outer folds are .nan, .* not finite numbers; R2"),
    ):
        nested_score(SFS(LinearRegression(), 2, cv=3), A[:12], TARGET[:12], cv=12)
    nothing = StabilitySelection(SelectKBest(f_classif, k=1), n_resamples=4, threshold=1.0, random_state=0)
    noise = np.random.default_rng(0).standard_normal((178, 40))
    weights = {"sample_weight": np.ones(178)}
    for search, options, message in (
        (SFS(KNN, 2), {"confidence": "a"}, "confidence='a' must be between 0 and 1"),
        (nothing, {"cv": 2, "estimator": KNN}, "selects no feature in an outer fold"),
        (SelectKBest(), {"estimator": KNN, **weights}, "unexpected keyword argument 'sample_weight'"),
        (SFS(GaussianNB(), 2), {"sample_weight": [1, 1, 1]}, "inconsistent numbers of samples"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            nested_score(search, noise, Y, **options)


def test_groups_and_weights_reach_the_search_inside():
    weights = np.where(np.arange(178) % 3 == 0, 5.0, 0.1)
    search, cv = SFS(GaussianNB(), 2, cv=GroupKFold(3)), GroupKFold(4)
    found = nested_score(search, X, Y, cv=cv, groups=GROUPS, sample_weight=weights)
    for fold, (train, test) in enumerate(cv.split(X, Y, GROUPS)):
        inner = clone(search).fit(X[train], Y[train], groups=GROUPS[train], sample_weight=weights[train])
        np.testing.assert_array_equal(found.supports[fold], inner.support_)
        model = GaussianNB().fit(inner.transform(X[train]), Y[train], sample_weight=weights[train])
        assert found.scores[fold] == model.score(inner.transform(X[test]), Y[test])
    plain = nested_score(SFS(GaussianNB(), 2, cv=3), X, Y, cv=cv, groups=GROUPS)  # whose folds ask for no groups
    assert np.isfinite(plain.scores).all()


# stability selection ------------------------------------------------------------------------------------------------


def halves(selector, y, n_resamples=6, **params):
    """The rows of each half, by pairs, and the support that a selector found in it."""
    seen = []

    class Noting(type(selector)):
        def fit(self, X, y, **params):
            seen.append(X[:, 0].astype(int))
            return super().fit(X, y)

    numbered = np.column_stack([np.arange(len(y)), np.resize(X, (len(y), 4))])
    noting = Noting(**selector.get_params(deep=False))
    StabilitySelection(noting, n_resamples=n_resamples, random_state=0).fit(numbered, y, **params)
    return list(zip(seen[::2], seen[1::2], strict=True))


@pytest.mark.parametrize(
    ("selector", "y", "stratified"),
    [
        (SelectKBest(k=1), np.repeat([0, 1], [30, 10]), True),
        (SelectKBest(k=1), np.repeat(["a", "b", "c"], [20, 10, 10]), True),
        (SelectKBest(k=1), Y, True),
        (SelectKBest(k=1), Y.astype(float), True),  # labels of a floating type
        (SelectKBest(k=1), np.repeat(np.arange(30), 3), True),
        (SFS(Bhattacharyya(), 1), Y.astype(float), True),
        (SelectKBest(f_regression, k=1), np.linspace(0, 1, 40), False),
        (SelectKBest(f_regression, k=1), TARGET, False),  # whole numbers
        (SFS(LinearRegression(), 1, cv=2), TARGET, False),
    ],
)
def test_halves_are_disjoint_and_divided_class_by_class(selector, y, stratified):
    """A class of odd size leaves out one row, or gives it to one half; numbers are divided as a whole."""
    pairs = halves(selector, y)
    counts = np.unique(y, return_counts=True)[1]
    for first, second in pairs:
        assert not set(first) & set(second)
        assert len(first) == len(second) == len(y) // 2
        for half in first, second:
            assert (np.diff(half) > 0).all()
            if stratified:
                labels, inside = np.unique(y[half], return_counts=True)
                assert len(labels) == len(counts)
                assert ((inside == counts // 2) | (inside == -(-counts // 2))).all()
    assert len({tuple(half) for pair in pairs for half in pair}) == 2 * len(pairs)
    if not stratified:
        assert len({(half < len(y) // 2).sum() for pair in pairs for half in pair}) > 1


def test_halves_keep_groups_together():
    for first, second in halves(SelectKBest(k=2), Y, groups=GROUPS):
        assert not set(GROUPS[first]) & set(GROUPS[second])
        assert set(GROUPS[first]) | set(GROUPS[second]) == set(GROUPS)  # 30 groups: none is left out
    of_one_class = np.char.add(Y.astype(str), (GROUPS % 4).astype(str))
    for pair in halves(SelectKBest(k=2), Y, 2, groups=of_one_class):
        assert [sorted(name[0] for name in set(of_one_class[half])) for half in pair] == [list("001122")] * 2
    selection = StabilitySelection(SFS(GaussianNB(), 1, cv=GroupKFold(3)), n_resamples=4, random_state=0)
    assert selection.fit(X, Y, groups=GROUPS).support_.any()


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
    for _ in range(40):
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


NUMBERS = X[:, 12].astype(int)
ONE_SAMPLE = "class 278 has one sample, but each half needs one of each class; leave the class out, "


@pytest.mark.parametrize(
    ("selection", "y", "params", "message"),
    [
        (StabilitySelection(SFS(KNN), threshold=0), Y, {}, "'threshold'"),
        (StabilitySelection(SFS(KNN), n_resamples=1), Y, {}, "'n_resamples'"),
        (StabilitySelection(KNN), Y, {}, "'selector' parameter"),
        (StabilitySelection(SelectKBest()), np.zeros(178, dtype=int), {}, r"y holds only one value \(0\)"),
        (StabilitySelection(SelectKBest(f_regression)), NUMBERS, {}, ONE_SAMPLE + r".* or give y\.astype\(float\) for"),
        (StabilitySelection(SFS(KNN, 1)), NUMBERS, {}, ONE_SAMPLE + "merge it with another"),
        (
            StabilitySelection(SelectKBest()),
            np.r_[7, Y[1:]],
            {},
            "class 7 has one sample, .* with another",
        ),
        (StabilitySelection(SFS(KNN, 1)), Y, {"groups": np.zeros(178)}, "groups holds one group, which cannot be div"),
        (
            StabilitySelection(SFS(KNN, 1)),
            Y,
            {"weight": 3},
            "fit got 'weight', but takes groups and sam",
        ),
    ],
    ids=range(9),
)
def test_refusals(selection, y, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        selection.fit(X, y, **params)


def test_frames_go_through_with_their_names():
    data = load_iris(as_frame=True)
    selection = StabilitySelection(SFS(KNN, 2, cv=3), n_resamples=6, random_state=0).set_output(transform="pandas")
    names = selection.fit(data.data, data.target).get_feature_names_out()
    assert set(names) <= set(data.data.columns)
    assert list(selection.transform(data.data).columns) == list(names)
    numbers = StabilitySelection(SelectKBest(f_regression, k=3), n_resamples=4).fit(X, NUMBERS.astype(float))
    assert numbers.supports_.sum(axis=1).tolist() == [3] * 4


@parametrize_with_checks([StabilitySelection(SelectKBest(f_classif, k=1), n_resamples=4, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# searches, nested scores and stability selection alike ---------------------------------------------------------------


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("form", [np.asarray, list, lambda y: pd.Series(y, dtype="string"), lambda y: pd.Series(y)])
def test_missing_labels_are_named(missing, form):
    labels = np.array(["a", "b", "c"], dtype=object)[Y]
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
    search = SFS(KNN, 1, cv=3)
    want = nested_score(search, X, Y, cv=3).score
    for form in (pd.Index, lambda y: pd.DataFrame({"y": y}), lambda y: list(map(str, y))):
        assert nested_score(search, X, form(Y), cv=3).score == want

    def share(model, X, y):
        return Fraction(int((model.predict(X) == y).sum()), len(y))

    assert nested_score(search, X, Y, cv=3, scoring=share).score == pytest.approx(want)
    found = SFS(CVScore(KNN, scoring=share, cv=3), 1).fit(X, Y)
    assert found.score_ == pytest.approx(cross_val_score(KNN, X[:, found.support_], Y, cv=3).mean())


def test_frames_of_mixed_types_go_on_to_the_estimator():
    frame = pd.DataFrame(
        {
            "kind": np.array(["a", "b", "c"])[Y],
            "noise": pd.array(np.arange(178) % 2 == 0, dtype="boolean"),
            "count": pd.array(np.arange(178) % 5, dtype="Int64"),
            "alcohol": X[:, 0],
        }
    )
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector("kind")), remainder="passthrough"
    )
    search = SFS(make_pipeline(encode, LogisticRegression()), 1, cv=3)
    assert search.fit(frame, Y).get_feature_names_out().tolist() == ["kind"]
    assert nested_score(search, frame, Y, cv=3).score == 1
    assert StabilitySelection(search, n_resamples=2).fit(frame, Y).frequencies_.tolist() == [1, 0, 0, 0]
    with pytest.raises(ValueError, match="contains NaN"):
        SFS(LogisticRegression(), 1).fit(frame.drop(columns="kind").assign(alcohol=np.nan), Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        search.fit(frame, Y[:-1])


def test_several_targets_where_the_estimator_takes_them():
    both = np.column_stack([TARGET, TARGET**2])
    search = SFS(LinearRegression(), 2, cv=3).fit(A, both)
    want = cross_val_score(LinearRegression(), A[:, search.support_], both, cv=3).mean()
    assert search.score_ == pytest.approx(want)
    assert nested_score(search, A, both, cv=3).scores.shape == (3,)
    selection = StabilitySelection(search, n_resamples=4, random_state=0).fit(A, both, groups=np.arange(442) // 2)
    assert selection.supports_.sum(axis=1).tolist() == [2, 2, 2, 2]
    with pytest.raises(ValueError, match="1d array"):
        SFS(SVR(), 2, cv=3).fit(A, both)
