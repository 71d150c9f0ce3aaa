"""Searches for regressors: the score is scikit-learn's, and all that searches have works with it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import make_scorer, median_absolute_error
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.criteria import Bhattacharyya, CVAccuracy, CVScore
from fscore.search import (
    PBIL,
    SBS,
    SFFS,
    SFS,
    DynamicOscillatingSearch,
    Hybrid,
    OrderVoting,
    WeightedVoting,
    regularize,
)

X, Y = load_diabetes(return_X_y=True)
OLS, KNN = LinearRegression(), KNeighborsClassifier(3)
MEDIAN = make_scorer(median_absolute_error, greater_is_better=False)


@pytest.mark.parametrize("estimator", [OLS, make_pipeline(StandardScaler(), KNeighborsRegressor(5))], ids=repr)
@pytest.mark.parametrize(
    ("scoring", "cv"),
    [
        (None, 5),
        ("neg_mean_squared_error", KFold(4, shuffle=True, random_state=0)),
        (MEDIAN, ShuffleSplit(3, random_state=1)),
    ],
    ids=str,
)
def test_scores_are_those_of_cross_val_score(estimator, scoring, cv):
    Z = X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape)  # among equal distances scikit-learn's is another
    bound = CVScore(estimator, scoring=scoring, cv=cv).bind(Z, Y)
    subsets = [(2,), (0, 8), tuple(range(10))]
    want = [cross_val_score(estimator, Z[:, s], Y, scoring=scoring, cv=cv).mean() for s in subsets]
    np.testing.assert_allclose(bound.score(subsets), want, rtol=1e-12)


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize(("search", "direction"), [(SFS, "forward"), (SBS, "backward")])
def test_sequential_search_agrees_with_scikit_learn(search, direction, scoring):
    theirs = SequentialFeatureSelector(OLS, n_features_to_select=4, direction=direction, scoring=scoring, cv=5)
    ours = search(CVScore(OLS, scoring=scoring, cv=5), 4).fit(X, Y)
    np.testing.assert_array_equal(ours.support_, theirs.fit(X, Y).support_)


def test_a_regressor_stands_for_its_r2_and_an_accuracy_is_a_score():
    plain = SFFS(OLS, 4, cv=5).fit(X, Y)
    assert plain.trace_.equals(SFFS(CVScore(OLS, cv=5), 4).fit(X, Y).trace_)
    assert plain.score_ == pytest.approx(cross_val_score(OLS, X[:, plain.support_], Y, cv=5).mean())
    assert SFS(OLS, 1).fit(X, Y).score_ == pytest.approx(cross_val_score(OLS, X[:, [2]], Y, cv=10).mean())
    A, a = load_iris(return_X_y=True)
    for compiled in (True, False):  # bit for bit, by the compiled way and the plain one
        short = SFFS(CVAccuracy(KNN, cv=5, compiled=compiled)).fit(A, a)
        assert short.trace_.equals(SFFS(CVScore(KNN, scoring="accuracy", cv=5, compiled=compiled)).fit(A, a).trace_)


def test_budget_checkpoint_jobs_and_regularization(tmp_path):
    whole = DynamicOscillatingSearch(OLS, cv=4, depth=2).fit(X, Y)
    cut = DynamicOscillatingSearch(OLS, cv=4, depth=2, max_evaluations=20, checkpoint=tmp_path / "file").fit(X, Y)
    assert cut.trace_.equals(whole.trace_.iloc[:20])
    resumed = DynamicOscillatingSearch(OLS, cv=4, depth=2, checkpoint=tmp_path / "file", n_jobs=2).fit(X, Y)
    assert resumed.trace_.equals(whole.trace_)
    assert resumed.computed_ == [("CVScore", whole.n_evaluations_ - 20)]
    smaller = DynamicOscillatingSearch(OLS, cv=4, depth=2, tau=0.05).fit(X, Y)
    assert tuple(smaller.get_support(indices=True)) == whole.trace_["features"][regularize(whole.trace_, 0.05)]
    assert smaller.size_ < whole.size_
    J = CVScore(OLS, scoring="neg_mean_squared_error", cv=4)  # negative scores, by their distance to the best
    plain, smaller = (SFS(J, tau=tau).fit(X, Y) for tau in (0, 0.05))
    assert smaller.size_ < plain.size_
    assert smaller.score_ >= 1.05 * plain.score_


def test_regressors_vote_filter_and_are_searched_at_random():
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    for voting in (OrderVoting, WeightedVoting):
        assert len(SFS(voting([OLS, Ridge(0.1), tree]), 3, cv=4).fit(X, Y).trace_) == 3
    hybrid = SFS(Hybrid(OLS, tree, 0.4), 3, cv=4).fit(X, Y)
    assert hybrid.n_evaluations_ == 4 + 4 + 3  # .4 of 10, 9 and 8 candidates
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        SFS(Hybrid(Bhattacharyya(), OLS), 3, cv=4).fit(X, Y + 0.5)
    assert PBIL(OLS, cv=4, population=10, max_generations=3, random_state=0).fit(X, Y).score_ > 0.4


def test_sample_weights():
    weights = np.where(np.arange(len(Y)) < 200, 1.0, 0.0)
    weighted = SFS(OLS, 2, cv=KFold(4)).fit(X, Y, sample_weight=weights)
    Z = X[:, weighted.support_]
    folds = [
        OLS.fit(Z[train], Y[train], sample_weight=weights[train]).score(Z[test], Y[test])
        for train, test in KFold(4).split(X)
    ]
    assert weighted.score_ == pytest.approx(np.mean(folds))


def test_in_a_pipeline_and_a_grid_with_named_columns():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(10)])
    scale = ColumnTransformer([("scale", StandardScaler(), ["f2", "f8"])], remainder="passthrough")
    pipe = make_pipeline(scale, SFS(OLS, cv=3), OLS)
    grid = GridSearchCV(pipe, {"sfs__n_features_to_select": [2, 4]}, cv=3).fit(frame, Y)
    assert grid.best_score_ > 0.4


def test_targets_are_checked():
    for bad, message in [(np.where(Y > 300, np.nan, Y), "NaN"), (Y.astype(str) + "x", "could not convert|numeric")]:
        with pytest.raises(ValueError, match=message):
            SFS(OLS, 2, cv=4).fit(X, bad)
        with pytest.raises(ValueError, match=message):
            CVScore(OLS, cv=4).bind(X, bad)
    with pytest.raises(ValueError, match="n_splits=500 greater than the number of samples"):
        CVScore(OLS, cv=500).bind(X, Y)


@parametrize_with_checks([SFS(LinearRegression(), cv=3)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
