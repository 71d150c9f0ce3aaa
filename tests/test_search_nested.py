"""Nested scores against a plain loop, and stability selection against its definition and its theory."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, KFold, check_cv, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from fscore.criteria import Bhattacharyya, BlockFolds, CVScore
from fscore.search import PBIL, SFS, Hybrid, OrderVoting, StabilitySelection, nested_score, resampled_error
from fscore.stability import nogueira_stability

X, Y = load_wine(return_X_y=True)
A, TARGET = load_diabetes(return_X_y=True)
FEW = X[:, 9:]  # columns, where each subset is refitted
KNN, OLS = KNeighborsClassifier(3), LinearRegression()
F1 = CVScore(KNN, scoring="f1_macro", cv=3)
GROUPS = np.arange(178) // 6
WEIGHTS = np.random.default_rng(0).exponential(size=178)
BLOCKS = BlockFolds(2)


def loop(search, estimator, scoring, cv, groups=None, sample_weight=None):
    """Scores and supports of the outer folds, one after another."""
    scores, supports = [], []
    data, target = (FEW, Y) if is_classifier(estimator) else (A, TARGET)
    for train, test in check_cv(cv, target, classifier=is_classifier(estimator)).split(data, target, groups):
        weights = {} if sample_weight is None else {"sample_weight": sample_weight[train]}
        asks = isinstance(getattr(search, "cv", None), GroupKFold)
        inner = clone(search).fit(data[train], target[train], **weights, **({"groups": groups[train]} if asks else {}))
        support = inner.get_support()
        model = clone(estimator).fit(data[train][:, support], target[train], **weights)
        scores.append(get_scorer(scoring)(model, data[test][:, support], target[test]))
        supports.append(support)
    return scores, supports


@pytest.mark.parametrize(
    ("search", "estimator", "scoring", "options", "given"),
    [
        # the estimator and the scoring of the search
        (SFS(KNN, 3, cv=4), KNN, "accuracy", {"cv": 5}, {}),
        (SFS(OLS, 3, cv=4), OLS, "r2", {"cv": KFold(4)}, {}),
        (SFS(F1, 1), KNN, "f1_macro", {"cv": BLOCKS}, {}),
        (SFS(Hybrid(Bhattacharyya(), F1, 0.5), 1), KNN, "f1_macro", {"cv": BLOCKS}, {}),
        (SFS(OrderVoting([KNN, KNeighborsClassifier(1)], main=F1), 1), KNN, "f1_macro", {"cv": BLOCKS}, {}),
        # given ones, which come first
        (SFS(KNN, 2, cv=2), KNN, "f1_macro", {"cv": 2}, {"scoring": "f1_macro"}),
        (SFS(F1, 1), KNN, "accuracy", {"cv": BLOCKS}, {"estimator": KNN}),
        (SFS(Bhattacharyya(), 2), KNN, "accuracy", {"cv": BLOCKS}, {"estimator": KNN}),
        (
            *(SelectKBest(f_classif, k=2), KNN, "balanced_accuracy", {"cv": BLOCKS}),
            {"estimator": KNN, "scoring": "balanced_accuracy"},
        ),
        # groups, for folds that ask for them, and weights
        (
            *(SFS(GaussianNB(), 2, cv=GroupKFold(3)), GaussianNB(), "accuracy"),
            *({"cv": GroupKFold(4), "groups": GROUPS, "sample_weight": WEIGHTS}, {}),
        ),
        (SFS(GaussianNB(), 2, cv=3), GaussianNB(), "accuracy", {"cv": GroupKFold(4), "groups": GROUPS}, {}),
    ],
    ids=range(11),
)
@pytest.mark.filterwarnings("error:The groups parameter is ignored")
def test_a_nested_score_is_that_of_the_loop(search, estimator, scoring, options, given):
    scores, supports = loop(search, estimator, scoring, **options)
    data = (FEW, Y) if is_classifier(estimator) else (A, TARGET)
    found = nested_score(search, *data, **options, **given)
    np.testing.assert_array_equal(found.scores, scores)
    np.testing.assert_array_equal(found.supports, supports)


@pytest.mark.parametrize("confidence", [0.95, 0.5])
def test_interval_and_stability_over_ten_folds(confidence):
    found = nested_score(SFS(KNN, 2, cv=2), X, Y, **({} if confidence == 0.95 else {"confidence": confidence}))
    assert found.scores.shape == (10,)
    assert found.score == found.scores.mean()
    assert found.stability == nogueira_stability(found.supports, confidence=confidence)
    sizes = [len(test) / len(train) for train, test in check_cv(10, Y, classifier=True).split(X, Y)]
    half = student.ppf((1 + confidence) / 2, 9) * found.scores.std(ddof=1) * np.sqrt(1 / 10 + np.mean(sizes))
    np.testing.assert_allclose([found.lower, found.upper], [found.score - half, found.score + half])


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_nested_scores_of_other_forms_in_processes_and_of_a_target_without_classes():
    search = SFS(KNN, 2, cv=3)
    want = nested_score(search, X, Y, cv=3)
    for data in ((X.tolist(), Y.tolist()), (X, pd.Index(Y)), (X, pd.DataFrame({"y": Y}))):
        np.testing.assert_array_equal(nested_score(search, *data, cv=3).scores, want.scores)
    frame = load_wine(return_X_y=True, as_frame=True)
    assert nested_score(SFS(KNN, 2, cv=2, fixed=["ash"]), *frame, cv=2, n_jobs=2).supports[:, 2].all()
    plain, shifted = (nested_score(SFS(OLS, 3, cv=4), A, TARGET + shift, cv=4) for shift in (0, 0.5))
    np.testing.assert_allclose(shifted.scores, plain.scores)


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


def test_a_selector_with_a_parameter_criterion_is_no_search_of_this_package():
    class Best(SelectKBest):
        def __init__(self, criterion="f", k=2):
            super().__init__(k=k)
            self.criterion = criterion

    given = {"estimator": GaussianNB(), "cv": GroupKFold(3), "groups": GROUPS}
    found, expected = (nested_score(selector, X, Y, **given) for selector in (Best(), SelectKBest(k=2)))
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_frequencies_support_and_bound_also_in_processes():
    selection = StabilitySelection(SelectKBest(f_classif, k=4), n_resamples=50, threshold=0.7, random_state=1).fit(X, Y)
    np.testing.assert_array_equal(selection.frequencies_, selection.supports_.mean(axis=0))
    np.testing.assert_array_equal(selection.support_, selection.frequencies_ >= 0.7)
    assert selection.error_bound_ == pytest.approx(4**2 / (0.4 * 13))
    assert selection.transform(X).shape[1] == selection.support_.sum()
    assert np.isnan(selection.set_params(threshold=0.5).fit(X, Y).error_bound_)
    reached = float(selection.frequencies_[selection.frequencies_ > 0].min())
    assert selection.set_params(threshold=reached).fit(X, Y).support_.sum() == (selection.frequencies_ > 0).sum()
    again = StabilitySelection(SelectKBest(f_classif, k=4), n_resamples=50, random_state=1, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(again.supports_, selection.supports_)
    assert again.n_jobs == 2


def test_a_search_inside_with_its_own_random_state():
    search = PBIL(KNN, 3, cv=3, population=6, max_generations=2)
    one, two = (StabilitySelection(search, n_resamples=4, random_state=0).fit(X, Y) for _ in range(2))
    np.testing.assert_array_equal(one.supports_, two.supports_)
    assert len(np.unique(one.supports_, axis=0)) > 1
    assert search.random_state is None


# searches, nested scores and stability selection alike ---------------------------------------------------------------


def test_frames_of_mixed_types_go_on_to_the_estimator():
    """With their types and missing values, where the estimator takes them; others are refused before the search."""
    frame = pd.DataFrame(
        {
            "kind": np.array(["a", "b", "c"])[Y],
            "noise": pd.Categorical(np.where(np.arange(178) % 2, "x", "y")),
            "count": pd.array(np.arange(178) % 5, dtype="Int64"),
            "alcohol": X[:, 0],
        }
    )
    frame.loc[5, "kind"], frame.loc[[3, 70], "alcohol"] = None, np.nan
    seen = {}

    def numeric(part):
        seen.update(part.dtypes.astype(str))
        return list(part.select_dtypes("number"))

    other = make_column_selector(dtype_exclude="number")
    encode = make_column_transformer((SimpleImputer(), numeric), (OneHotEncoder(handle_unknown="ignore"), other))
    search = SFS(make_pipeline(encode, LogisticRegression()), 1, cv=3)
    assert search.fit(frame, Y).get_feature_names_out().tolist() == ["kind"]
    assert {name: seen[name] for name in ("noise", "count")} == {"noise": "category", "count": "Int64"}
    assert nested_score(search, frame, Y, cv=3).score > 0.98
    assert StabilitySelection(search, n_resamples=2).fit(frame, Y).frequencies_.tolist() == [1, 0, 0, 0]
    with pytest.raises(ValueError, match=r"^Column alcohol of X holds NaN, "):
        SFS(LogisticRegression(), 1).fit(frame[["count", "alcohol"]], Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        search.fit(frame, Y[:-1])


def test_the_estimator_of_a_fold_is_that_which_the_search_scored():
    """What its parameters call by number or name are columns of X, of which a subset is taken."""
    rng = np.random.default_rng(0)
    code, other, noise = rng.integers(0, 20, 300), rng.integers(0, 100, 300), rng.normal(size=300)
    target = np.isin(code, rng.permutation(20)[:10]).astype(int)
    data = np.column_stack([noise, code, other]).astype(float)
    boosted = HistGradientBoostingClassifier(max_iter=10, max_depth=2, min_samples_leaf=5, categorical_features=[1])
    within = clone(boosted).set_params(categorical_features=[0])
    found = nested_score(SFS(boosted, 2, cv=3, excluded=[0]), data, target, cv=4)
    np.testing.assert_array_equal(found.scores, cross_val_score(within, data[:, 1:], target, cv=4))
    frame = pd.DataFrame(data, columns=["noise", "code", "other"])
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["code"]), remainder="passthrough")
    found = nested_score(SFS(make_pipeline(encode, LogisticRegression(max_iter=500)), 1, cv=3), frame, target, cv=3)
    assert found.supports.tolist() == [[False, True, False]] * 3
    assert found.score > 0.95


def test_groups_and_weights_reach_a_selector_within_another_procedure():
    search = StabilitySelection(SFS(KNN, 2, cv=GroupKFold(2)), n_resamples=2, threshold=0.5, random_state=0)
    outer = {"cv": GroupKFold(3), "groups": GROUPS, "estimator": KNN}
    for selector in (search, StabilitySelection(SelectKBest(k=2), n_resamples=2, threshold=0.5, random_state=0)):
        found = nested_score(selector, X, Y, **outer)
        for (train, _), support in zip(GroupKFold(3).split(X, Y, GROUPS), found.supports, strict=True):
            alone = clone(selector).fit(X[train], Y[train], groups=GROUPS[train])
            np.testing.assert_array_equal(support, alone.support_)
    halves = StabilitySelection(search, n_resamples=2, random_state=0).fit(X, Y, groups=GROUPS)
    assert halves.supports_.shape == (2, 13)
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(search, KNN).fit(X, Y, groups=GROUPS)
    np.testing.assert_array_equal(model[0].support_, clone(search).fit(X, Y, groups=GROUPS).support_)
    equal = SFS(GaussianNB(), 2, cv=3)
    found, want = (nested_score(equal, X, Y, cv=3, sample_weight=weight) for weight in (2.0, np.full(len(Y), 2.0)))
    np.testing.assert_array_equal(found.scores, want.scores)
    halves = StabilitySelection(equal, n_resamples=2, random_state=0).fit(X, Y, sample_weight=2.0)
    assert halves.supports_.shape == (2, 13)
    with pytest.raises(ValueError, match=r"^KNeighborsClassifier takes no sample_weight in fit; leave the weights out"):
        nested_score(SFS(GaussianNB(), 2), X, Y, cv=3, estimator=KNN, sample_weight=WEIGHTS)


def test_several_targets_where_the_estimator_takes_them():
    both = np.column_stack([TARGET, TARGET**2])
    search = SFS(LinearRegression(), 2, cv=3).fit(A, both)
    want = cross_val_score(LinearRegression(), A[:, search.support_], both, cv=3).mean()
    assert search.score_ == pytest.approx(want)
    assert nested_score(search, A, both, cv=3).scores.shape == (3,)
    selection = StabilitySelection(search, n_resamples=4, random_state=0).fit(A, both, groups=np.arange(442) // 2)
    assert selection.supports_.sum(axis=1).tolist() == [2, 2, 2, 2]


def test_the_error_of_overlapping_parts_by_hand():
    assert resampled_error([1, 2, 3], 1 / 2) == pytest.approx(np.sqrt(1 / 3 + 1 / 2))
    assert resampled_error([[1, 1], [2, 1], [3, 1]], 1) == pytest.approx([np.sqrt(4 / 3), 0])
    assert np.isnan(resampled_error([1], 1))
