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
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)

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


@pytest.mark.parametrize("as_frame", [True, False])
def test_every_kind_of_origin(as_frame):
    X = frame()[["a", "b"]].assign(d=1.0 + np.arange(60) % 7)
    transform = ColumnTransformer(
        [
            ("splines", SplineTransformer(n_knots=3, degree=2), [0]),
            ("nothing", "drop", [1]),
            ("bins", make_pipeline(StandardScaler(), KBinsDiscretizer(3)), [2]),
            ("rest", "passthrough", [1]),
        ],
    ).fit(X if as_frame else X.to_numpy())
    assert columns_of(transform) == [[0, 1, 2, 3], [4, 5, 6]]


def test_what_comes_from_several_columns_joins_them():
    X = frame()[["a", "b"]].assign(d=np.arange(60.0))
    products = PolynomialFeatures(interaction_only=True, include_bias=False).fit(X[["a", "b"]])
    assert columns_of(products) == [[0, 1, 2]]  # a, b, a b
    assert columns_of(make_pipeline(StandardScaler(), PCA(2)).fit(X)) == [[0, 1]]
    squares = FeatureUnion([("same", StandardScaler()), ("more", KBinsDiscretizer(2))]).fit(X[["a", "b"]])
    assert columns_of(squares) == [[0, 2, 3], [1, 4, 5]]
    assert columns_of(StandardScaler().fit(X)) == []


@pytest.mark.parametrize("nothing", [None, "passthrough"])
def test_steps_that_do_nothing_keep_the_columns_apart(nothing):
    X = frame()[["a", "b"]]
    bins = KBinsDiscretizer(2)
    assert columns_of(make_pipeline(nothing, bins).fit(X)) == [[0, 1], [2, 3]]
    assert columns_of(make_pipeline(bins, nothing).fit(X)) == [[0, 1], [2, 3]]
    assert columns_of(make_pipeline(make_pipeline(nothing, nothing), bins).fit(X)) == [[0, 1], [2, 3]]
    assert columns_of(make_pipeline(nothing).fit(X)) == []


def test_parts_that_are_dropped_leave_the_others():
    X = frame()[["a", "b"]]
    same, none, bins = ("same", "passthrough"), ("none", "drop"), ("bins", KBinsDiscretizer(2))
    for union in ([same, none, bins], [none, same, bins]):
        assert columns_of(FeatureUnion(union).fit(X)) == [[0, 2, 3], [1, 4, 5]]
    assert columns_of(FeatureUnion([none, bins]).fit(X)) == [[0, 1], [2, 3]]
    assert columns_of(ColumnTransformer([("none", "drop", ["a", "b"])]).fit(X)) == []


def test_all_words_of_a_text_come_from_one_column():
    texts = ["ab cd", "ef cd"]
    assert columns_of(CountVectorizer().fit(texts)) == [[0, 1, 2]]
    union = FeatureUnion([("shares", TfidfVectorizer()), ("counts", CountVectorizer())]).fit(texts)
    assert columns_of(union) == [[0, 1, 2, 3, 4, 5]]
    assert columns_of(make_pipeline(TfidfVectorizer(), StandardScaler(with_mean=False)).fit(texts)) == [[0, 1, 2]]
    columns = make_column_transformer((CountVectorizer(), "text"), ("passthrough", ["n"]))
    assert columns_of(columns.fit(pd.DataFrame({"text": texts, "n": [1, 2]}))) == [[0, 1, 2]]


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
    with pytest.raises(ValueError, match="does not name its output columns; give it feature_names_out"):
        columns_of(make_column_transformer((FunctionTransformer(np.cumsum), ["a"])).fit(X))
    for transformer in (Same(), make_pipeline(Same(), StandardScaler())):
        with pytest.raises(ValueError, match=r"^Same\(\) does not say how many columns its input has; give it n_feat"):
            columns_of(transformer.fit(X))
    assert columns_of(make_pipeline(KBinsDiscretizer(2), Same()).fit(X)) == [[0, 1]]
