"""Parameters that refer to columns by position or name mean the same columns in every subset."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler

from fscore.criteria import CVAccuracy
from fscore.filters import MRMR
from fscore.search import SFS

rng = np.random.default_rng(0)
Y = np.arange(150) % 2
X = np.column_stack([rng.integers(0, 30, 150), rng.normal(size=150), Y + 0.4 * rng.normal(size=150)])
FRAME = pd.DataFrame(X, columns=["code", "noise", "signal"])
BOOST = {"max_iter": 5, "min_samples_leaf": 5}


def scaled(columns):
    return make_column_transformer((StandardScaler(), columns), remainder="passthrough")


def bins(n):
    return KBinsDiscretizer(n, encode="ordinal")


def in_bins(n):
    return make_pipeline(make_column_transformer((bins(5), [0]), remainder=bins(n)), LogisticRegression())


def one_hot(columns, **options):
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), columns), remainder="passthrough", **options
    )


@pytest.mark.parametrize(
    ("estimator", "subset", "alone"),
    [
        (make_pipeline(one_hot(["code"]), LogisticRegression()), (1, 2), LogisticRegression()),
        *(
            (make_pipeline(one_hot(columns), LogisticRegression()), (2,), LogisticRegression())
            for columns in ([0], slice(0, 1), np.array([True, False, False]), [-3])
        ),
        *(
            (HistGradientBoostingClassifier(categorical_features=given, **BOOST), subset, alone)
            for given in ([0], [True, False, False], ["code"])
            for subset, alone in (
                ((1, 2), HistGradientBoostingClassifier(**BOOST)),
                ((0, 2), HistGradientBoostingClassifier(categorical_features=[0], **BOOST)),
            )
        ),
        (
            HistGradientBoostingClassifier(monotonic_cst={"signal": -1}, interaction_cst=[[0], [1, 2]], **BOOST),
            (1, 2),
            HistGradientBoostingClassifier(monotonic_cst=[0, -1], interaction_cst=[[0, 1]], **BOOST),
        ),
        (
            make_pipeline(KBinsDiscretizer([2, 3, 4], encode="onehot"), LogisticRegression()),
            (0, 2),
            make_pipeline(KBinsDiscretizer([2, 4], encode="onehot"), LogisticRegression()),
        ),
        *(
            (
                make_pipeline(scaled(slice(first, last)), LogisticRegression()),
                (0, 2),
                make_pipeline(scaled([0]), LogisticRegression()),
            )
            for first, last in (("code", "noise"), (0, 2), (None, 1), (-3, -1))
        ),
        # the transformer of the remaining columns keeps its own: five bins for the code, two for noise, four for signal
        (in_bins([2, 4]), (2,), make_pipeline(bins(4), LogisticRegression())),
        (in_bins([2, 4]), (0, 2), in_bins(4)),
    ],
)
def test_positions_follow_the_subset(estimator, subset, alone):
    want = cross_val_score(alone, FRAME.iloc[:, list(subset)].to_numpy(), Y, cv=3).mean()
    for compiled in (True, False):
        J = CVAccuracy(estimator, cv=3, compiled=compiled).bind(FRAME, Y)
        assert J.score([subset])[0] == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize(
    ("selector", "alone"),
    [
        (SFS(KNeighborsClassifier(), 1, fixed=[0], cv=3), SFS(KNeighborsClassifier(), 1, cv=3)),
        (SFS(KNeighborsClassifier(), 1, excluded=[0, 1], cv=3), SFS(KNeighborsClassifier(), 1, excluded=[0], cv=3)),
        (
            SFS(KNeighborsClassifier(), 1, column_groups=[[0, 1]], cv=3),
            SFS(KNeighborsClassifier(), 1, column_groups=[[0]], cv=3),
        ),
        tuple(SFS(make_pipeline(one_hot([c]), LogisticRegression()), 1, cv=3) for c in (1, 0)),
        (MRMR(1, discrete_features=[0]), MRMR(1)),
        (MRMR(1, discrete_features=np.array([False, False, True])), MRMR(1, discrete_features=[1])),
    ],
)
def test_what_a_selector_inside_says_of_columns_follows_the_subset(selector, alone):
    want = cross_val_score(make_pipeline(alone, KNeighborsClassifier()), X[:, 1:], Y, cv=3).mean()
    J = CVAccuracy(make_pipeline(selector, KNeighborsClassifier()), cv=3).bind(X, Y)
    assert J.score([(1, 2)])[0] == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        *(
            (
                make_pipeline(one_hot([]), KNeighborsClassifier(metric=metric, metric_params={key: np.eye(3)})),
                rf"^metric_params of KNeighborsClassifier holds '{key}', which belongs to all",
            )
            for metric, key in (("minkowski", "w"), ("mahalanobis", "VI"))
        ),
        (
            make_pipeline(one_hot([0], sparse_threshold=1), HistGradientBoostingClassifier(categorical_features=[0])),
            r"^categorical_features of Hist\w+ is \[0\], which refers to columns behind a transformer",
        ),
        (
            make_pipeline(SimpleImputer(add_indicator=True), HistGradientBoostingClassifier(categorical_features=[0])),
            r"^categorical_features of Hist\w+ is \[0\], which refers to columns behind a transformer",
        ),
        (make_pipeline(one_hot([7]), LogisticRegression()), r"^onehotencoder of ColumnTransformer is \[7\]"),
        (
            make_pipeline(
                make_column_transformer((OrdinalEncoder(), lambda X: [0]), remainder=bins([2, 4])), LogisticRegression()
            ),
            r"^n_bins of KBinsDiscretizer is \[2, 4\], which refers to columns behind a transformer that may add",
        ),
    ],
)
def test_what_belongs_to_all_columns_is_refused(estimator, message):
    with pytest.raises(ValueError, match=message):
        SFS(estimator, 1, cv=2).fit(X, Y)


def test_a_grid_that_refers_to_no_column_is_used():
    grid = {"kbinsdiscretizer__n_bins": [3, 5], "logisticregression__C": [1.0]}
    searched = GridSearchCV(make_pipeline(KBinsDiscretizer(encode="ordinal"), LogisticRegression()), grid, cv=2)
    assert SFS(searched, 1, cv=2).fit(X, Y).get_support(indices=True).tolist() == [2]
