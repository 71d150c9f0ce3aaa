"""Criteria from sums of products: the scores and searches of the rows in memory, whatever the batches."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.model_selection import PredefinedSplit, cross_val_score

from fscore.criteria import Bhattacharyya, LinearFit, Mahalanobis, Moments
from fscore.filters import MRMR
from fscore.search import SFS, BranchAndBound


def problem(n=503, p=7, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + offset
    return X, X @ rng.normal(size=p) + rng.normal(size=n)


def batches(X, y, cuts=(0, 100, 101, 350)):
    for lo, hi in zip(cuts, [*cuts[1:], len(X)], strict=True):
        yield X[lo:hi], y[lo:hi]


def folds(n, k=5):
    return PredefinedSplit(np.arange(n) % k)


@pytest.mark.parametrize(
    ("model", "offset", "rtol"),
    [
        *((model, 0.0, 1e-9) for model in (LinearRegression(), Ridge(), Ridge(3.0, fit_intercept=False))),
        *((model, 1e6, 1e-7) for model in (LinearRegression(), Ridge())),
    ],
    ids=str,
)
@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error", "neg_root_mean_squared_error"])
def test_scores_are_those_of_cross_validation(model, scoring, offset, rtol):
    X, y = problem(offset=offset)
    J = Moments.from_batches(batches(X, y)).criterion(model, scoring=scoring).bind(X, y)
    for s in [(2,), (0, 3), (0, 1, 2, 3, 4, 5, 6)]:
        expected = cross_val_score(model, X[:, s], y, cv=folds(len(y)), scoring=scoring).mean()
        assert J.score([s])[0] == pytest.approx(expected, rel=rtol)


@pytest.mark.parametrize("criterion", [Mahalanobis(), Bhattacharyya(ridge=1e-6, ddof=0)], ids=repr)
def test_distances_between_classes_are_those_in_memory(criterion):
    X, y = problem()
    labels = np.array(["a", "b", "c"])[np.digitize(y, np.quantile(y, [0.3, 0.6]))]
    moments = Moments.from_batches(batches(X, labels), classes=True)
    subsets = [(0,), (1, 4), tuple(range(7))]
    expected = criterion.bind(X, labels).score(subsets)
    np.testing.assert_allclose(moments.criterion(criterion).bind(X, labels).score(subsets), expected, rtol=1e-9)
    found = BranchAndBound(moments.criterion(criterion), 3).fit(*moments.rows)
    assert found.support_.tolist() == BranchAndBound(criterion, 3).fit(X, labels).support_.tolist()


@pytest.mark.parametrize("form", ["difference", "quotient"])
@pytest.mark.parametrize("relevance", ["f_classif", "f_regression"])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_f_tests_correlations_and_mrmr_are_those_in_memory(relevance, form, offset):
    X, y = problem(p=12, offset=offset)
    X[:, 4] = 0.1
    if relevance == "f_classif":
        y = np.array(["a", "b", "c"])[np.digitize(y, np.quantile(y, [0.3, 0.6]))]
    moments = Moments.from_batches(batches(X, y), classes=relevance == "f_classif")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the constant column; with an offset scikit-learn loses digits
        F = {"f_classif": f_classif, "f_regression": f_regression}[relevance](X - X.mean(axis=0), y)[0]
        correlations = np.corrcoef(X.T)
    np.testing.assert_allclose(np.delete(moments.f_statistics(), 4), np.delete(F, 4), rtol=1e-6)
    varying = np.delete(np.arange(12), 4)
    square = np.ix_(varying, varying)
    np.testing.assert_allclose(moments.correlations()[square], correlations[square], rtol=1e-6, atol=1e-9)
    assert moments.f_statistics()[4] == 0
    assert not moments.correlations()[4].any()
    selector = MRMR(6, form=form, relevance=relevance, redundancy="correlation")
    memory, ours = clone(selector).fit(X, y), clone(selector).fit_moments(moments)
    assert ours.order_.tolist() == memory.order_.tolist()
    np.testing.assert_allclose(ours.scores_, memory.scores_, rtol=1e-6)
    np.testing.assert_array_equal(ours.get_support(), memory.get_support())


def test_mrmr_from_moments_names_its_features_and_refuses_what_needs_the_rows():
    X, y = problem()
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    moments = Moments.from_batches([(frame, y)])
    selector = MRMR(2, relevance="f_regression", redundancy="correlation").fit_moments(moments)
    assert list(selector.get_feature_names_out()) == list(memory_names(frame, y))
    selector.fit_moments(Moments.from_batches([(X, y)]))
    assert not hasattr(selector, "feature_names_in_"), "those of the fit before"
    for other in (MRMR(2), MRMR(2, relevance="f_classif", redundancy="correlation"), MRMR(2, relevance="f_regression")):
        with pytest.raises(ValueError, match=r"^relevance='\w+' and redundancy='\w+' cannot be had from these sums"):
            other.fit_moments(moments)
    with pytest.raises(ValueError, match="exceeds the number of features"):
        MRMR(8, relevance="f_regression", redundancy="correlation").fit_moments(moments)
    one = Moments.from_batches([(X, np.zeros(len(X), dtype=int))], classes=True)
    with pytest.raises(ValueError, match="y has one class only, 0"):
        one.f_statistics()


def memory_names(frame, y):
    return MRMR(2, relevance="f_regression", redundancy="correlation").fit(frame, y).get_feature_names_out()


@pytest.mark.parametrize("measure", ["r2", "bic", "cp"])
def test_fits_are_those_in_memory(measure):
    X, y = problem()
    J = Moments.from_batches(batches(X, y)).criterion(LinearFit(measure)).bind(X, y)
    subsets = [(3,), (0, 2), tuple(range(7))]
    np.testing.assert_allclose(J.score(subsets), LinearFit(measure).bind(X, y).score(subsets), rtol=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 502), max_size=6, unique=True).map(sorted), st.integers(1, 502))
def test_neither_the_batches_nor_the_parts_matter(cuts, middle):
    X, y = problem()
    whole = Moments.from_batches([(X, y)])
    cut = Moments.from_batches(batches(X, y, [0, *cuts]))
    parts = Moments.from_batches([(X[:middle], y[:middle])])
    parts += Moments.from_batches([(X[middle:], y[middle:])], first_row=middle)
    subsets = [(0,), (1, 2, 6)]
    expected = whole.criterion(Ridge()).bind(X, y).score(subsets)
    for moments in (cut, parts):
        assert moments.n_samples == 503
        np.testing.assert_allclose(moments.criterion(Ridge()).bind(X, y).score(subsets), expected, rtol=1e-10)


@pytest.mark.parametrize("constant", [0.1, 1e6 + 0.1, 1e15 / 3])
def test_a_constant_column_tells_nothing(constant):
    X, y = problem()
    X = np.column_stack([X + np.arange(len(X))[:, None] // 100, np.full(len(X), constant)])
    parts = [Moments.from_batches([(X[q], y[q])], first_row=q[0]) for q in np.array_split(np.arange(len(X)), 7)]
    moments = sum(parts[1:], parts[0])
    R2 = moments.criterion(LinearFit()).bind(X, y)
    np.testing.assert_allclose(R2.score([(7,), (0, 1, 7)]), [0.0, R2.score([(0, 1)])[0]], rtol=1e-12)
    J = moments.criterion(LinearRegression()).bind(X, y)
    np.testing.assert_allclose(J.score([(0, 1, 7)]), J.score([(0, 1)]), rtol=1e-12)
    by_class = Moments.from_batches(batches(X, y > np.median(y)), classes=True)
    for criterion in (Mahalanobis(), Bhattacharyya()):
        J = by_class.criterion(criterion).bind(X, y)
        np.testing.assert_allclose(J.score([(7,), (0, 1, 7)]), [0.0, J.score([(0, 1)])[0]], atol=1e-9)
    for each in (moments, by_class):
        assert each.f_statistics()[7] == 0
        assert (each.correlations()[7] == 0).all()
    with pytest.raises(ValueError, match="y is constant"):
        Moments.from_batches(batches(X[:, :7], X[:, 7])).criterion(LinearFit()).bind(X[:, :7], y)


def test_a_first_part_of_one_row_is_followed_by_the_rows_of_others():
    X, y = problem()
    moments = Moments.from_batches([(X[:1], y[:1])]) + Moments.from_batches([(X[1:], y[1:])], first_row=1)
    np.testing.assert_array_equal(moments.rows[0], X)
    assert SFS(moments.criterion(Ridge()), 2).fit(*moments.rows).get_support().sum() == 2


def test_labels_of_a_data_frame_are_texts():
    X, y = problem()
    frame = pd.DataFrame(X).assign(label=np.where(y > 0, "yes", "no"))
    moments = Moments.from_batches([frame[:0], frame[:100], frame[100:]], "label", classes=True)
    search = SFS(moments.criterion(Mahalanobis()), 2).fit(*moments.rows)
    in_memory = SFS(Mahalanobis(), 2).fit(X, frame["label"])
    assert search.get_support().tolist() == in_memory.get_support().tolist()


def test_frames_of_pandas_and_polars_are_read_by_name():
    X, y = problem()
    names = [f"x{j}" for j in range(7)]
    frame = pd.DataFrame(X, columns=names).assign(target=y)
    expected = Moments.from_batches([(X, y)]).criterion(Ridge()).bind(X, y).score([(0, 3)])
    for table in (frame, pl.from_dict({name: frame[name].to_numpy() for name in frame})):
        moments = Moments.from_batches([table[:200], table[200:]], "target")
        assert moments.columns == names
        np.testing.assert_allclose(moments.criterion(Ridge()).bind(X, y).score([(0, 3)]), expected, rtol=1e-12)


def test_batches_of_a_pyarrow_dataset_are_read(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is no dependency")
    dataset = pytest.importorskip("pyarrow.dataset")
    parquet = pytest.importorskip("pyarrow.parquet")
    X, y = problem()
    table = arrow.table({**{f"x{j}": X[:, j] for j in range(7)}, "target": y})
    parquet.write_table(table, tmp_path / "part.parquet", row_group_size=100)
    moments = Moments.from_batches(dataset.dataset(tmp_path).to_batches(batch_size=64), "target")
    expected = Moments.from_batches([(X, y)]).criterion(Ridge()).bind(X, y).score([(0, 3)])
    np.testing.assert_allclose(moments.criterion(Ridge()).bind(X, y).score([(0, 3)]), expected, rtol=1e-12)


def test_columns_that_depend_on_one_another_are_avoided_with_a_warning():
    X, y = problem()
    X = np.column_stack([X, X[:, 0] + 1e-9 * X[:, 1]])
    moments = Moments.from_batches([(X, y)])
    with pytest.warns(FitFailedWarning, match=r"\(0, .*7\).*leave one of them out"):
        search = SFS(moments.criterion(LinearRegression())).fit(*moments.rows)
    assert not search.support_[[0, 7]].all()


def test_a_search_resumes_from_its_checkpoint(tmp_path):
    X, y = problem()
    moments = Moments.from_batches([(X, y)])
    criterion, file = moments.criterion(Ridge()), tmp_path / "scores.sqlite"
    whole = SFS(criterion, 4).fit(*moments.rows)
    with pytest.warns(UserWarning, match="stopped"):
        SFS(criterion, 4, checkpoint=file, max_evaluations=10).fit(*moments.rows)
    resumed = SFS(criterion, 4, checkpoint=file).fit(*moments.rows)
    assert resumed.trace_["value"].tolist() == whole.trace_["value"].tolist()
    other = Moments.from_batches([(X[::-1], y)])  # the same first rows would not do: the sums are part of the key
    assert criterion.identity() != other.criterion(Ridge()).identity()


X, Y = problem()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Moments.from_batches([]), "there are no rows"),
        (lambda: Moments.from_batches([(X, Y)], folds=1), "folds=1"),
        (lambda: Moments.from_batches([(X, Y), (X[:, :3], Y)]), r"a batch has the columns \[0, 1, 2\]"),
        (lambda: Moments.from_batches([pd.DataFrame(X).assign(t=Y)], "y"), "target='y' is not a column"),
        (
            lambda: Moments.from_batches([pd.DataFrame({"a": ["u", "v"], "t": [1, 2]})], "t"),
            "column 'a' is not numeric",
        ),
        (lambda: Moments.from_batches([(X, Y), (np.where(X > 2, np.nan, X), Y)]), r"row 5\d\d of column \d is nan"),
        (lambda: Moments.from_batches([(np.where(X > 2, 1e200, X), Y)]), r"column \d is 1e\+200; rescale the column"),
        (lambda: Moments.from_batches([(X, Y)], first_row=1.5), "first_row=1.5"),
        (lambda: Moments.from_batches((X, Y)), "neither a data frame nor a pair.*; give a list of batches"),
        (lambda: Moments.from_batches([(X, Y[1:])]), "inconsistent numbers of samples"),
        (lambda: Moments.from_batches([(X[:, 0], Y)]), "Expected 2D array"),
        (lambda: Moments.from_batches([(X, np.ma.masked_greater(Y, 1))]), "y has masked values"),
        (
            lambda: Moments.from_batches([pd.DataFrame(np.c_[X[:, :3], Y], columns=list("aabt"))], "t"),
            "several columns named 'a'",
        ),
        (
            lambda: Moments.from_batches([pd.DataFrame(X).assign(when=pd.Timestamp("2026-01-01"), t=Y)], "t"),
            "column 'when' is not numeric",
        ),
        *(
            (lambda y=y: Moments.from_batches([(X, y)], classes=True), message)
            for y, message in (
                (np.r_[np.nan, np.arange(1.0, len(Y)) % 2], "row 0 of column 'y' is nan"),
                (np.r_[[None], np.full(len(Y) - 1, "a")], "y has missing values"),
            )
        ),
        (lambda: Moments.from_batches([(X, Y)]).criterion(Lasso()), "Lasso.* cannot be scored from these sums"),
        (lambda: Moments.from_batches([(X, Y)]).criterion(Ridge(positive=True)), "positive"),
        (lambda: Moments.from_batches([(X, Y)]).criterion(Mahalanobis()), "classes=True"),
        (lambda: Moments.from_batches([(X, Y > 0)], classes=True).criterion(Ridge()), "sums by class"),
        (
            lambda: Moments.from_batches([(X, Y)]).criterion(Ridge(), scoring="neg_mean_absolute_error"),
            "needs the rows",
        ),
        (lambda: Moments.from_batches([(X, Y)]).criterion(Ridge()).bind(X[:, :3], Y), r"\*moments.rows"),
        (lambda: Moments.from_batches([(X, Y)]) + Moments.from_batches([(X, Y)], folds=3), "differ in folds: 5, 3"),
        (lambda: Moments.from_batches([(X[:6], Y[:6])]).criterion(Ridge()).bind(X, Y), "take fewer folds"),
        (
            lambda: Moments.from_batches([(X, Y)]).criterion(LinearFit("r3")).bind(X, Y),
            "'measure' parameter of LinearFit",
        ),
        (lambda: Moments.from_batches([(X, Y)]).criterion(Ridge(-1)).bind(X, Y), "'alpha' parameter of Ridge"),
        (lambda: Moments.from_batches([(X, np.where(Y > 0, "a", "b"))]), "target 'y' is not numeric; .*classes=True"),
        (
            lambda: Moments.from_batches([(X, (Y > 0).astype(t)) for t in (int, str)], classes=True).f_statistics(),
            r"y has labels of different types \(int, str\)",
        ),
    ],
)
def test_refusals_name_what_is_wrong_and_the_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def part_of(part, first_row):
    return Moments.from_batches([part], first_row=first_row)


@pytest.mark.slow
def test_on_a_dask_cluster_parts_add_up_and_a_search_takes_the_same_steps():
    distributed = pytest.importorskip("distributed")
    from joblib import parallel_config
    from sklearn.tree import DecisionTreeRegressor

    X, y = problem()
    cuts = [0, 170, 400, 503]
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        parts = [(X[lo:hi], y[lo:hi]) for lo, hi in pairwise(cuts)]
        moments = sum(client.gather(client.map(part_of, parts[1:], cuts[1:-1])), part_of(parts[0], 0))
        tree = DecisionTreeRegressor(max_depth=3, random_state=0)
        with parallel_config("dask", scatter=[X, y]):
            spread = SFS(tree, 2, cv=3, n_jobs=-1).fit(X, y)
    whole = Moments.from_batches([(X, y)]).criterion(Ridge()).bind(X, y).score([(0, 3)])
    np.testing.assert_allclose(moments.criterion(Ridge()).bind(X, y).score([(0, 3)]), whole, rtol=1e-10)
    alone = SFS(tree, 2, cv=3).fit(X, y)
    assert spread.trace_["value"].tolist() == alone.trace_["value"].tolist()
