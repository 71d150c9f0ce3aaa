"""Columns that a transformer makes of one input column are one unit of a search."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, PolynomialFeatures, SplineTransformer, StandardScaler

from fscore.search import SFFS, columns_of


def frame(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "a_b": rng.choice(["x", "y", "z"], n),  # names that begin alike
            "b": rng.normal(size=n),
            "c": rng.choice(["b_x", "q"], n),
        }
    )


def test_dummies_stay_together():
    X = frame()
    encode = make_column_transformer(
        (StandardScaler(), ["b"]), (OneHotEncoder(), make_column_selector(dtype_exclude=float)), remainder="passthrough"
    ).fit(X)
    names = encode.get_feature_names_out()
    assert [[names[c].split("__")[1] for c in group] for group in columns_of(encode)] == [
        ["a_b_x", "a_b_y", "a_b_z"],
        ["c_b_x", "c_q"],
    ]


def every_kind():
    return ColumnTransformer(
        [
            ("splines", SplineTransformer(n_knots=3, degree=2), [0]),
            ("nothing", "drop", [1]),
            ("bins", make_pipeline(StandardScaler(), KBinsDiscretizer(3)), [2]),
            ("rest", "passthrough", [1]),
        ],
    )


NUMBERS = frame()[["a", "b"]].assign(d=1.0 + np.arange(60) % 7)
TWO, TEXTS = NUMBERS[["a", "b"]], ["ab cd", "ef cd"]
SAME, BINS = StandardScaler(), KBinsDiscretizer(2)
NONE, MORE = ("none", "drop"), ("bins", BINS)
COUNTS = make_column_transformer((CountVectorizer(), "text"), ("passthrough", ["n"]))


@pytest.mark.parametrize(
    ("transformer", "data", "groups"),
    [
        *((every_kind(), data, [[0, 1, 2, 3], [4, 5, 6]]) for data in (NUMBERS, NUMBERS.to_numpy())),
        *((make_pipeline(*steps), TWO, [[0, 1], [2, 3]]) for steps in ((None, BINS), (BINS, "passthrough"))),
        (make_pipeline(make_pipeline(None, "passthrough"), BINS), TWO, [[0, 1], [2, 3]]),
        (make_pipeline(None), TWO, []),
        (FeatureUnion([("same", "passthrough"), NONE, MORE]), TWO, [[0, 2, 3], [1, 4, 5]]),
        (ColumnTransformer([("none", "drop", ["a", "b"])]), TWO, []),
        (PolynomialFeatures(interaction_only=True, include_bias=False), TWO, [[0, 1, 2]]),  # a, b, a b
        (make_pipeline(SAME, PCA(2)), NUMBERS, [[0, 1]]),
        (SAME, TWO, []),
        (CountVectorizer(), TEXTS, [[0, 1, 2]]),  # all words of a text come from one column
        (FeatureUnion([("shares", TfidfVectorizer()), ("counts", CountVectorizer())]), TEXTS, [[0, 1, 2, 3, 4, 5]]),
        (COUNTS, pd.DataFrame({"text": TEXTS, "n": [1, 2]}), [[0, 1, 2]]),
    ],
    ids=range(14),
)
def test_outputs_that_share_an_input_are_one_group(transformer, data, groups):
    """Also through steps that do nothing and parts that are dropped."""
    assert columns_of(transformer.fit(data)) == groups


class Same(TransformerMixin, BaseEstimator):
    """Does not say how many columns it was fitted to."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return X

    def get_feature_names_out(self, input_features):
        return np.asarray(input_features)


def test_a_search_takes_all_dummies_or_none():
    X = frame(120)
    y = (X["a_b"] == "x").to_numpy() ^ (X["a"] > 1).to_numpy()
    encode = make_column_transformer((OneHotEncoder(), ["a_b", "c"]), remainder="passthrough").fit(X)
    search = SFFS(RandomForestClassifier(5, random_state=0), 1, cv=3, column_groups=columns_of(encode))
    search.fit(encode.transform(X), y)
    assert encode.get_feature_names_out()[search.support_].tolist() == [f"onehotencoder__a_b_{v}" for v in "xyz"]
    assert search.size_ == 1


def test_refusals():
    with pytest.raises(NotFittedError):
        columns_of(make_column_transformer((OneHotEncoder(), ["a_b"])))
    X = frame()[["a"]]
    for transformer in (Same(), make_pipeline(Same(), StandardScaler())):
        with pytest.raises(ValueError, match=r"^Same\(\) does not say how many columns its input has; give it n_feat"):
            columns_of(transformer.fit(X))
    assert columns_of(make_pipeline(KBinsDiscretizer(2), Same()).fit(X)) == [[0, 1]]
