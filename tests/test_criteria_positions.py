"""Parameters that refer to columns by position or name mean the same columns in every subset."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, SplineTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from fscore.criteria import CVAccuracy
from fscore.search import SFS

rng = np.random.default_rng(0)
Y = np.arange(150) % 2
X = np.column_stack([rng.integers(0, 30, 150), rng.normal(size=150), Y + 0.4 * rng.normal(size=150)])
FRAME = pd.DataFrame(X, columns=["code", "noise", "signal"])
CODES = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
BOOST = {"max_iter": 5, "min_samples_leaf": 5}


def one_hot(columns, **options):
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), columns), remainder="passthrough", **options
    )


@pytest.mark.parametrize("data", [X, FRAME], ids=["array", "frame"])
@pytest.mark.parametrize("columns", [[0], slice(0, 1), np.array([True, False, False]), [-3]], ids=str)
def test_a_noise_code_is_not_chosen_for_its_place(columns, data):
    found = SFS(make_pipeline(one_hot(columns), LogisticRegression()), 1, cv=5).fit(data, Y)
    assert found.get_support(indices=True).tolist() == [2]
    assert found.score_ == pytest.approx(cross_val_score(LogisticRegression(), X[:, 2:], Y, cv=5).mean())


@pytest.mark.parametrize(
    ("estimator", "subset", "alone"),
    [
        (make_pipeline(one_hot(["code"]), LogisticRegression()), (1, 2), LogisticRegression()),
        (
            make_pipeline(one_hot(["code"]), LogisticRegression()),
            (0, 2),
            make_pipeline(one_hot([0]), LogisticRegression()),
        ),
        *(
            (HistGradientBoostingClassifier(categorical_features=given, **BOOST), subset, alone)
            for given in ([0], [True, False, False], ["code"])
            for subset, alone in (
                ((1, 2), HistGradientBoostingClassifier(**BOOST)),
                ((0, 2), HistGradientBoostingClassifier(categorical_features=[0], **BOOST)),
            )
        ),
        *(
            (
                RandomForestClassifier(5, monotonic_cst=given, random_state=0),
                (1, 2),
                RandomForestClassifier(5, monotonic_cst=[0, 1], random_state=0),
            )
            for given in ([1, 0, 1], np.array([0, 0, 1]))
        ),
        (
            HistGradientBoostingClassifier(monotonic_cst={"signal": 1}, interaction_cst=[[0], [1, 2]], **BOOST),
            (1, 2),
            HistGradientBoostingClassifier(monotonic_cst=[0, 1], interaction_cst=[[0, 1]], **BOOST),
        ),
        (
            OneVsRestClassifier(DecisionTreeClassifier(monotonic_cst=[0, 0, 1], random_state=0)),
            (1, 2),
            OneVsRestClassifier(DecisionTreeClassifier(monotonic_cst=[0, 1], random_state=0)),
        ),
        (
            VotingClassifier([("tree", DecisionTreeClassifier(monotonic_cst=[0, 0, 1], random_state=0))]),
            (2,),
            DecisionTreeClassifier(monotonic_cst=[1], random_state=0),
        ),
        (
            make_pipeline(StandardScaler(), DecisionTreeClassifier(monotonic_cst=[0, 0, 1], random_state=0)),
            (0, 2),
            make_pipeline(StandardScaler(), DecisionTreeClassifier(monotonic_cst=[0, 1], random_state=0)),
        ),
        (
            make_pipeline(KBinsDiscretizer([2, 3, 4], encode="onehot"), LogisticRegression()),
            (0, 2),
            make_pipeline(KBinsDiscretizer([2, 4], encode="onehot"), LogisticRegression()),
        ),
    ],
)
def test_positions_follow_the_subset(estimator, subset, alone):
    want = cross_val_score(alone, FRAME.iloc[:, list(subset)].to_numpy(), Y, cv=3).mean()
    for compiled in (True, False):
        J = CVAccuracy(estimator, cv=3, compiled=compiled).bind(FRAME, Y)
        assert J.score([subset])[0] == pytest.approx(want, abs=1e-12)


def test_positions_of_transformed_columns_follow_the_subset():
    encode = make_column_transformer((CODES, ["code"]), remainder="passthrough")
    estimator = make_pipeline(encode, HistGradientBoostingClassifier(categorical_features=[0], **BOOST))
    want = cross_val_score(HistGradientBoostingClassifier(**BOOST), X[:, 1:], Y, cv=3).mean()
    assert CVAccuracy(estimator, cv=3).bind(FRAME, Y).score([(1, 2)])[0] == pytest.approx(want, abs=1e-12)


def test_an_estimator_keeps_its_parameters():
    estimator = make_pipeline(one_hot([0]), LogisticRegression())
    CVAccuracy(estimator, cv=3).bind(X, Y).score([(1, 2)])
    assert estimator.steps[0][1].transformers[0][2] == [0]


@pytest.mark.parametrize("key", ["w", "VI"])
def test_weights_of_a_metric_are_refused(key):
    knn = KNeighborsClassifier(metric="minkowski" if key == "w" else "mahalanobis", metric_params={key: np.eye(3)})
    with pytest.raises(
        ValueError, match=rf"^metric_params of KNeighborsClassifier holds '{key}', which belongs to all"
    ):
        SFS(make_pipeline(one_hot([]), knn), 1).fit(X, Y)


def test_positions_of_columns_that_a_step_makes_are_refused():
    trees = HistGradientBoostingClassifier(categorical_features=[0])
    with pytest.raises(
        ValueError, match=r"^categorical_features of Hist\w+ refers to columns that ColumnTransformer makes"
    ):
        SFS(make_pipeline(one_hot([0], sparse_threshold=1), trees), 1).fit(X, Y)


def test_a_column_that_is_not_in_X_is_named():
    J = CVAccuracy(make_pipeline(one_hot([7]), LogisticRegression()), cv=3).bind(X, Y)
    with pytest.raises(ValueError, match=r"^7 is not a column of X; give names of X, or numbers from 0 to 2\.$"):
        J.score([(0, 1)])


def test_the_transformer_of_the_remaining_columns_keeps_its_own():
    """The bins of three columns: five for the code, two for noise, four for the signal."""
    bins = KBinsDiscretizer([2, 4], encode="ordinal")
    five = KBinsDiscretizer(5, encode="ordinal")
    whole = make_pipeline(make_column_transformer((five, [0]), remainder=bins), LogisticRegression())
    four = KBinsDiscretizer(4, encode="ordinal")
    alone = cross_val_score(make_pipeline(four, LogisticRegression()), X[:, 2:], Y, cv=5).mean()
    assert CVAccuracy(whole, cv=5).bind(X, Y).score([(2,)])[0] == pytest.approx(alone)
    both = make_pipeline(make_column_transformer((five, [0]), remainder=four), LogisticRegression())
    alone = cross_val_score(both, X[:, [0, 2]], Y, cv=5).mean()
    assert CVAccuracy(whole, cv=5).bind(X, Y).score([(0, 2)])[0] == pytest.approx(alone)


def test_remaining_columns_that_a_function_decides_are_refused():
    bins = KBinsDiscretizer([2, 4], encode="ordinal")
    chosen_late = make_column_transformer((OrdinalEncoder(), lambda X: [0]), remainder=bins)
    with pytest.raises(ValueError, match="refers to the columns that a function leaves"):
        CVAccuracy(make_pipeline(chosen_late, LogisticRegression()), cv=3).bind(X, Y).score([(2,)])


@pytest.mark.parametrize(
    "grid",
    [
        {"categorical_features": [None, [0]]},
        {"categorical_features": [[True, False, False]]},
        {"monotonic_cst": [[0, 0, 1]]},
        [{"max_iter": [3]}, {"max_iter": [5], "categorical_features": [["code"]]}],
    ],
    ids=str,
)
def test_settings_to_try_that_refer_to_columns_are_refused(grid):
    tried = GridSearchCV(HistGradientBoostingClassifier(**BOOST), grid, cv=2)
    with pytest.raises(ValueError, match=r"GridSearchCV tries \w+=.*refers to all columns"):
        SFS(tried, 1, cv=2).fit(X, Y)
    inside = make_pipeline(StandardScaler(), HistGradientBoostingClassifier(**BOOST))
    grids = [{f"histgradientboostingclassifier__{key}": v for key, v in g.items()} for g in np.atleast_1d(grid)]
    with pytest.raises(ValueError, match="refers to all columns"):
        SFS(RandomizedSearchCV(inside, grids, n_iter=1, cv=2), 1, cv=2).fit(X, Y)


def test_steps_to_try_that_refer_to_columns_are_refused():
    steps = {"columntransformer": [one_hot([0]), one_hot([1])]}
    with pytest.raises(ValueError, match=r"(?s)^GridSearchCV tries columntransformer=.*refers to all columns"):
        SFS(GridSearchCV(make_pipeline(one_hot([0]), LogisticRegression()), steps, cv=2), 1, cv=2).fit(X, Y)


def test_settings_to_try_that_refer_to_none_are_used():
    tried = GridSearchCV(HistGradientBoostingClassifier(**BOOST), {"categorical_features": [None, "from_dtype"]}, cv=2)
    assert SFS(tried, 1, cv=2).fit(X, Y).get_support(indices=True).tolist() == [2]


def test_knots_are_those_of_the_columns_kept():
    knots = np.quantile(X, [0, 0.3, 0.7, 1], axis=0)
    splines = make_pipeline(SplineTransformer(knots=knots, extrapolation="linear"), LogisticRegression())
    alone = make_pipeline(SplineTransformer(knots=knots[:, [0, 2]], extrapolation="linear"), LogisticRegression())
    expected = cross_val_score(alone, X[:, [0, 2]], Y, cv=3).mean()
    assert CVAccuracy(splines, cv=3).bind(X, Y).score([(0, 2)])[0] == pytest.approx(expected)


def test_length_scales_of_a_process_are_refused():
    process = GaussianProcessClassifier(1.0 * RBF([1.0, 2.0, 3.0]), optimizer=None)
    with pytest.raises(ValueError, match=r"GaussianProcessClassifier has a \w*length_scale for each column"):
        SFS(process, 1, cv=2).fit(X, Y)
    assert SFS(GaussianProcessClassifier(RBF(1.0), optimizer=None), 1, cv=2).fit(X, Y).get_support()[2]
