"""Everyday life of a selector among scikit-learn's estimators, beside what scikit-learn's own checks cover."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from fscore.criteria import CVAccuracy, CVScore
from fscore.filters import MRMR, fisher_score
from fscore.lvq import GMLVQ
from fscore.search import SFFS, SFS, OrderVoting, StabilitySelection, nested_score
from fscore.weighting import MDM, ReliefF

X, Y = load_wine(return_X_y=True, as_frame=True)
SELECTORS = [
    SFFS(KNeighborsClassifier(3), 2, cv=3),
    SFS(CVScore(KNeighborsClassifier(3), scoring=["accuracy", "f1_macro"], cv=3), 2),
    SFS(OrderVoting(), 2, cv=3),
    StabilitySelection(SFS(KNeighborsClassifier(3), 2, cv=3), n_resamples=4, random_state=0),
    MRMR(2),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda s: type(s).__name__)
def test_frames_come_out_and_copies_are_alike(selector):
    few, labels = X.iloc[::2, :6], Y[::2]
    selector = clone(selector).set_output(transform="pandas").fit(few, labels)
    out = selector.transform(few)
    assert isinstance(out, pd.DataFrame)
    assert list(out) == list(selector.get_feature_names_out())
    assert out.index.equals(few.index)
    for twin in (pickle.loads(pickle.dumps(selector)), copy.deepcopy(selector), clone(selector).fit(few, labels)):
        pd.testing.assert_frame_equal(twin.transform(few), out)
    unfitted = clone(selector)
    assert not [name for name in vars(unfitted) if name.endswith("_")]


@pytest.mark.parametrize(
    "estimator", [*SELECTORS, ReliefF(), MDM(), GMLVQ(random_state=0)], ids=lambda e: type(e).__name__
)
def test_polars_frames_go_in_and_come_out(estimator):
    few = X.iloc[::3, :5].reset_index(drop=True)
    labels, frame = Y.iloc[::3].to_numpy(), pl.DataFrame(few.to_dict("list"))
    want = clone(estimator).set_output(transform="pandas").fit(few, labels).transform(few)
    found = clone(estimator).set_output(transform="polars").fit(frame, pl.Series(labels))
    assert found.feature_names_in_.tolist() == list(few)
    out = found.transform(frame)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == list(want)
    np.testing.assert_array_equal(out.to_numpy(), want)
    with pytest.raises(ValueError, match="feature names should match"):
        found.transform(frame[:, ::-1])


def test_polars_columns_beside_texts_keep_their_types():
    colour = np.where(Y == 0, "red", "blue")
    beside = {"ash": X["ash"], "dark": X["ash"] > 2, "day": pd.date_range("2020", periods=len(X))}
    frame = pl.DataFrame({"colour": colour.tolist()} | {name: np.array(x) for name, x in beside.items()})
    search = SFS(make_pipeline(ColumnTransformer([("one", OneHotEncoder(), ["colour"])]), KNeighborsClassifier(3)), 1.0)
    for selector in (search.set_params(cv=2, fixed=list(frame.columns)), StabilitySelection(search, n_resamples=2)):
        out = selector.set_output(transform="polars").fit(frame, Y).transform(frame)
        assert out.schema == frame.schema
    search.set_params(n_features_to_select=2, fixed=["colour"])
    assert nested_score(search, frame[["ash", "dark", "colour"]], Y, cv=3).supports[:, 2].all()


SPARSE = [KNeighborsClassifier(3), KNeighborsClassifier(3, metric="manhattan"), LogisticRegression(max_iter=300)]


@pytest.mark.parametrize("estimator", SPARSE, ids=str)
@pytest.mark.parametrize("large", [False, True])
def test_sparse_is_scored_like_dense(monkeypatch, estimator, large):
    """Also data that are too large to be made dense."""
    if large:
        monkeypatch.setattr("fscore.criteria._knn.MAX_DENSE_ENTRIES", 100)
    dense, labels = StandardScaler().fit_transform(X)[::2, :5], Y[::2]
    want = SFS(CVAccuracy(estimator, cv=3, compiled=False), 2).fit(dense, labels)
    for container in (sparse.csr_matrix, sparse.csc_array):
        found = SFS(estimator, 2, cv=3).fit(container(dense), labels)
        np.testing.assert_array_equal(found.support_, want.support_)
        assert sparse.issparse(found.transform(container(dense)))


def test_a_metric_that_takes_no_sparse_data_refuses_them():
    with pytest.raises(ValueError, match="Metric 'chebyshev' not valid for sparse input"):
        CVAccuracy(KNeighborsClassifier(3, metric="chebyshev")).bind(sparse.csr_array(X), Y).score([(0,)])


MIXED = {
    "colour": pd.Categorical(np.where(Y == 0, "red", "blue")),
    "count": pd.array([*np.arange(len(Y) - 1) % 7, None], dtype="Int64"),
    "day": pd.date_range("2020-01-01", periods=len(Y)),
    "hue": X["hue"],
}


@pytest.mark.parametrize("names", [["colour", "count"], ["day", "hue"], ["colour", "count", "day", "hue"]])
def test_columns_without_a_common_type_come_out_as_objects(names):
    frame = pd.DataFrame(MIXED)[names]
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    model = make_pipeline(encode, HistGradientBoostingClassifier(max_iter=3))
    search = SFS(model, len(names), fixed=names, cv=3)
    for selector in (search, StabilitySelection(search, n_resamples=2, random_state=0)):
        out = selector.fit(frame, Y).transform(frame)
        assert out.dtype == object
        want = frame.astype(object).where(frame.notna(), np.nan)
        pd.testing.assert_frame_equal(pd.DataFrame(out, columns=names, dtype=object), want)
        pd.testing.assert_frame_equal(selector.set_output(transform="pandas").transform(frame), frame)
        with pytest.raises(ValueError, match="feature names should match"):
            selector.transform(frame[names[::-1]])


def test_categories_beside_nullable_numbers_are_ranked_and_come_out():
    frame = pd.DataFrame(MIXED)[["colour", "count", "hue"]].fillna({"count": 0})
    assert MRMR(3).fit(frame, Y).transform(frame)[:2].tolist() == frame[:2].to_numpy().tolist()


FITS = [SFS(KNeighborsClassifier(3), 2).fit, ReliefF().fit, fisher_score, CVAccuracy(KNeighborsClassifier(3)).bind]


@pytest.mark.parametrize("fit", FITS, ids=["search", "weighting", "filter", "criterion"])
@pytest.mark.parametrize("fill", [0.0, np.nan])
@pytest.mark.parametrize("names", [["hue"], list(X)], ids=["one", "all"])
def test_frames_with_sparse_columns_are_refused(fit, fill, names):
    with pytest.raises(TypeError, match=r"^X is a data frame with sparse columns; make them dense"):
        fit(X.astype(dict.fromkeys(names, pd.SparseDtype(float, fill))), Y)


@pytest.mark.parametrize("fit", FITS[:2], ids=["search", "weighting"])
def test_frames_with_a_name_twice_are_refused(fit):
    first = next(iter(X))
    with pytest.raises(ValueError, match=rf"^X has several columns named '{first}'; give each a name of its own\.$"):
        fit(pd.concat([X, X[[first]]], axis=1), Y)


DAYS = pd.date_range("2020-01-01", periods=len(Y))
SINCE = DAYS - DAYS[0]
DATES = {
    "dates": pd.DataFrame({"hue": X["hue"], "day": DAYS}),
    "durations": pd.DataFrame({"hue": X["hue"], "day": SINCE}),
    "dates with a zone": pd.DataFrame({"hue": X["hue"], "day": DAYS.tz_localize("UTC")}),
    "months": pd.DataFrame({"hue": X["hue"], "day": DAYS.to_period("M")}),
    "objects": pd.DataFrame({"hue": X["hue"], "day": [None, *DAYS.date[1:]]}, dtype=object),
    "nothing but dates": pd.DataFrame({"day": DAYS, "next": DAYS[::-1]}),
    "polars": pl.DataFrame({"hue": X["hue"].to_numpy(), "day": DAYS.to_numpy()}),
    "polars durations": pl.DataFrame({"hue": X["hue"].to_numpy(), "day": SINCE.to_numpy()}),
}
ARRAYS = {"dates": np.column_stack([DAYS, DAYS]), "objects": np.column_stack([X["hue"], DAYS.date])}
REFITTED = [HistGradientBoostingClassifier(), make_pipeline(StandardScaler(), LogisticRegression())]


@pytest.mark.parametrize("fit", [*FITS, *(SFS(model, 1).fit for model in REFITTED)], ids=range(6))
def test_dates_and_durations_are_refused(fit):
    """Numpy would count nanoseconds, of polars and of frames of nothing else without a word."""
    for data in DATES.values():
        with pytest.raises(
            ValueError, match=r"^Column day of X holds dates or durations, .*; give numbers, such as the"
        ):
            fit(data, Y)
    for data in ARRAYS.values():
        with pytest.raises(ValueError, match=r"^Column \d of X holds dates or durations"):
            fit(data, Y)


def test_a_pipeline_may_make_numbers_of_dates():
    def days(frame):
        return (frame - DAYS[0]) / pd.Timedelta(days=1)

    numbers = ColumnTransformer([("days", FunctionTransformer(days), ["day"])], remainder="passthrough")
    model = make_pipeline(numbers, LogisticRegression(max_iter=1000))
    assert SFS(model, 2, cv=3).fit(DATES["dates"], Y).support_.all()


@pytest.mark.parametrize("fit", FITS[:3], ids=["search", "weighting", "filter"])
def test_lazy_frames_are_refused(fit):
    class LazyFrame:
        """As that of polars: a plan without values."""

        def collect(self):
            return X

    with pytest.raises(TypeError, match=r"X is a LazyFrame, which holds no values yet; pass X\.collect\(\)\."):
        fit(LazyFrame(), Y)


DISPATCH = """
import sklearn
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from fscore.search import SFS
with sklearn.config_context(array_api_dispatch=True):
    print(SFS(KNeighborsClassifier(3), 2, cv=3).fit(*load_wine(return_X_y=True)).support_.tolist())
"""


def test_array_api_dispatch_changes_nothing():
    """Searches compute with numpy, and say so in their tags."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}  # read once, when scipy is imported
    done = subprocess.run([sys.executable, "-c", DISPATCH], env=environment, capture_output=True, text=True, check=True)
    search = SFS(KNeighborsClassifier(3), 2, cv=3)
    assert done.stdout.strip() == str(search.fit(X, Y).support_.tolist())
    assert not search.__sklearn_tags__().array_api_support


def test_a_grid_over_columns_selected_within_a_transformer():
    parts = ColumnTransformer([("few", SFS(KNeighborsClassifier(3), 1, cv=3), list(X)[:5])], remainder="drop")
    grid = GridSearchCV(
        make_pipeline(StandardScaler().set_output(transform="pandas"), parts, KNeighborsClassifier(3)),
        {
            "columntransformer__few__n_features_to_select": [1, 3],
            "columntransformer__few__criterion__n_neighbors": [1, 5],
        },
        cv=3,
    ).fit(X, Y)
    chosen = grid.best_estimator_["columntransformer"].get_feature_names_out()
    assert len(chosen) == grid.best_params_["columntransformer__few__n_features_to_select"]
    assert all(name.startswith("few__") for name in chosen)
