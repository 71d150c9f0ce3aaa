"""Pipelines that begin with column-wise transformers: the accuracies are those of refitting everything."""

import criteria_steps
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fscore.criteria import register_columnwise

rng = np.random.default_rng(0)
X, Y = load_wine(return_X_y=True)
X = X[:, :7] * np.exp(1e-5 * rng.standard_normal((178, 7)))  # without ties
SUBSETS = [(0,), (1, 5), (0, 3, 6), (2, 4, 5, 6)]
STEP = [(0, 2, 3), (0, 2, 6)]

SCALERS = [
    StandardScaler(),
    MinMaxScaler(),
    MaxAbsScaler(),
    RobustScaler(),
    QuantileTransformer(n_quantiles=30),
    PowerTransformer(),
    SimpleImputer(),
    FunctionTransformer(np.log),
]
CODERS = [
    KBinsDiscretizer(4, encode="ordinal"),
    TargetEncoder(random_state=0, target_type="continuous"),
    Binarizer(threshold=3),
    OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
]
QUICK = [
    KNeighborsClassifier(3),
    SVC(),
    GaussianNB(),
    NearestCentroid(),
    LinearDiscriminantAnalysis(),
    RidgeClassifier(),
]


def saves(J):
    """Whether a bound criterion does not refit whole pipelines."""
    return not isinstance(getattr(getattr(J, "bound", J), "estimator", None), Pipeline)


def both(estimator, data=X, cv=3, y=Y, **options):
    return criteria_steps.both(estimator, data, y, cv, **options)


def assert_equal_scores(estimator, *args, **options):
    quick, slow = both(estimator, *args, **options)
    assert saves(quick)
    np.testing.assert_allclose(quick.score(SUBSETS), slow.score(SUBSETS), rtol=1e-9)
    np.testing.assert_allclose(quick.score(STEP), slow.score(STEP), rtol=1e-9)
    np.testing.assert_allclose(quick.fold_scores((1, 2)), slow.fold_scores((1, 2)), rtol=1e-9)


@pytest.mark.parametrize(
    ("transformer", "estimator"),
    [*((scaler, KNeighborsClassifier(3)) for scaler in SCALERS), *((StandardScaler(), model) for model in QUICK[1:])],
    ids=str,
)
def test_scores_are_those_of_refitting(transformer, estimator):
    assert_equal_scores(make_pipeline(transformer, estimator))


@pytest.mark.parametrize("estimator", [LinearRegression(), KNeighborsRegressor(5), Ridge()], ids=str)
def test_scores_of_regressors_are_those_of_refitting(estimator):
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), estimator)
    assert_equal_scores(pipeline, y=X[:, 0] * X[:, 6], cv=KFold(3, shuffle=True, random_state=0), scoring="r2")


@pytest.mark.parametrize(
    ("transformer", "estimator"),
    [
        (StandardScaler(), LogisticRegression()),
        *((coder, DecisionTreeClassifier(max_depth=3, random_state=0)) for coder in CODERS),
    ],
    ids=str,
)
def test_estimators_without_a_fast_scorer_are_fitted_to_the_transformed_columns(transformer, estimator):
    assert_equal_scores(make_pipeline(transformer, estimator))


@pytest.mark.parametrize("estimator", [KNeighborsClassifier(3), RidgeClassifier(), LogisticRegression()], ids=str)
def test_missing_values_groups_and_weights(estimator):
    holes = X.copy()
    holes[rng.random(X.shape) < [0, 0, 0, 0, 0.1, 0.1, 0.1]] = np.nan
    pipeline = make_pipeline(make_pipeline(SimpleImputer(), StandardScaler()), estimator)
    split = {"split": {"groups": np.arange(178) % 9}}
    assert_equal_scores(pipeline, holes, params=split, cv=GroupKFold(3))
    if isinstance(estimator, KNeighborsClassifier):
        assert_equal_scores(pipeline, holes, params={"score": {"sample_weight": np.arange(1.0, 179)}})


@pytest.mark.parametrize(
    ("transformer", "estimator"),
    [(StandardScaler(), LogisticRegression(tol=1e-9, max_iter=10**4)), (MinMaxScaler(), LinearSVC(dual=False))],
    ids=str,
)
def test_converged_ways_with_missing_values_and_groups(transformer, estimator):
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    pipeline = make_pipeline(SimpleImputer(), transformer, estimator)
    split = {"split": {"groups": np.arange(178) % 9}}
    assert_equal_scores(pipeline, holes, GroupKFold(3), compiled="converged", params=split)


FRAME = pd.DataFrame(X, columns=list("abcdefg"))


@pytest.mark.parametrize(
    ("whole", "data", "subset", "part"),
    [
        (
            make_column_transformer(
                (StandardScaler(), [5, 0]), (MinMaxScaler(), slice(2, 4)), remainder=RobustScaler()
            ),
            X,
            (0, 2, 6),
            make_column_transformer((StandardScaler(), [0]), (MinMaxScaler(), [1]), remainder=RobustScaler()),
        ),
        (
            make_column_transformer((StandardScaler(), ["f", "a"]), (MinMaxScaler(), slice("c", "d"))),
            FRAME,
            (0, 1, 2, 5),  # column 1 is dropped
            make_column_transformer((StandardScaler(), [3, 0]), (MinMaxScaler(), [2])),
        ),
        (
            make_column_transformer((MinMaxScaler(), make_column_selector(pattern="[a-c]")), remainder="passthrough"),
            FRAME,
            (0, 2, 5),
            make_column_transformer((MinMaxScaler(), [0, 1]), remainder="passthrough"),
        ),
        (
            make_column_transformer(
                (make_pipeline(SimpleImputer(), MinMaxScaler()), np.arange(7) > 4), remainder="drop"
            ),
            X,
            (5, 6),
            MinMaxScaler(),
        ),
    ],
    ids=["numbers", "names", "selector", "mask"],
)
def test_column_transformers_choose_their_columns_of_all(whole, data, subset, part):
    quick, _ = both(make_pipeline(whole, KNeighborsClassifier(3)), data)
    assert saves(quick)
    want = both(make_pipeline(part, KNeighborsClassifier(3)), X[:, list(subset)])[1]
    assert quick.score([subset]) == want.score([tuple(range(len(subset)))])


def test_dummies_are_scored_with_their_column():
    codes = np.column_stack([rng.integers(0, 3, (178, 2)), X[:, :2]]).astype(float)
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False, drop="first"), [0, 1]), remainder=MinMaxScaler()
    )
    quick, _ = both(make_pipeline(encode, GaussianNB()), codes)
    dummies = np.column_stack([codes[:, :2] == 1, codes[:, :2] == 2]).astype(float)
    for subset, columns in (
        ((0, 2), [dummies[:, 0], dummies[:, 2], codes[:, 2]]),
        ((1,), [dummies[:, 1], dummies[:, 3]]),
    ):
        want = both(make_pipeline(MinMaxScaler(), GaussianNB()), np.column_stack(columns))[1]
        assert quick.score([subset]) == want.score([tuple(range(len(columns)))])
    np.testing.assert_array_equal(
        quick.score([(0, 1, 2), (0, 2, 3)]), [quick.score([s])[0] for s in [(0, 1, 2), (0, 2, 3)]]
    )


@pytest.mark.parametrize(
    "step",
    [
        PCA(1),
        Normalizer(),
        SelectKBest(k=1),
        SimpleImputer(add_indicator=True),
        KBinsDiscretizer(3, encode="onehot"),
        OneHotEncoder(handle_unknown="ignore"),
        FunctionTransformer(lambda X: X - X.mean()),
        make_column_transformer((StandardScaler(), lambda X: [0]), remainder="passthrough"),
    ],
)
def test_what_is_not_column_wise_is_refitted(step):
    assert not saves(both(make_pipeline(step, LogisticRegression()))[0])


def test_fits_with_weights_are_refitted():
    weights = {"fit": {"sample_weight": np.ones(178)}}
    assert not saves(both(make_pipeline(StandardScaler(), GaussianNB()), params=weights)[0])


def test_steps_after_the_column_wise_ones_stay_together():
    quick, slow = both(make_pipeline(StandardScaler(), PCA(1), KNeighborsClassifier(3)))
    assert [len(J.estimator.steps) for J in (quick, slow)] == [2, 3]
    np.testing.assert_array_equal(quick.score(SUBSETS), slow.score(SUBSETS))


def test_single_precision_beside_double_is_refitted():
    """Beside other columns it becomes double, alone it does not."""
    coarse = FRAME.astype({"a": np.float16, "b": np.float32})
    pipeline = make_pipeline(StandardScaler(), Ridge())
    quick, slow = both(pipeline, coarse, y=X[:, 0] * X[:, 6], scoring="r2")
    np.testing.assert_array_equal(quick.score(SUBSETS), slow.score(SUBSETS))
    assert saves(both(pipeline, FRAME.astype(np.float32))[0])
    assert saves(both(pipeline, FRAME.astype({"a": np.int8}))[0])


def test_what_an_imputer_fills_in_is_chosen_by_the_columns_of_a_subset():
    """A number or, beside texts, a text."""
    data = FRAME.where(rng.random(X.shape) < 0.9).round(1).assign(text=np.array(["few", "many"])[Y % 2])
    pipeline = make_pipeline(
        SimpleImputer(strategy="constant"), OneHotEncoder(handle_unknown="ignore"), LogisticRegression()
    )
    quick, slow = both(pipeline, data)
    np.testing.assert_array_equal(quick.score([(0,), (1, 5), (7,)]), slow.score([(0,), (1, 5), (7,)]))
    assert saves(both(make_pipeline(SimpleImputer(strategy="constant", fill_value=0), GaussianNB()))[0])


def test_a_column_that_cannot_be_transformed_spoils_no_other():
    data = np.column_stack([X[:, 0], -X[:, 1]])
    quick, _ = both(make_pipeline(PowerTransformer("box-cox"), GaussianNB()), data)
    assert quick.score([(0,)])[0] > 0.5
    with pytest.raises(ValueError, match="strictly positive"):
        quick.score([(1,)])


def test_users_declare_their_own_transformers():
    class Halved(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return X / 2

    pipeline = make_pipeline(Halved(), KNeighborsClassifier(3))
    assert not saves(both(pipeline)[0])
    assert register_columnwise(Halved) is Halved
    assert_equal_scores(pipeline)
    with pytest.raises(TypeError, match="is not a class; pass the class of the transformer"):
        register_columnwise(StandardScaler())
