"""A checkpoint: a search that is killed goes on from it, and nothing is mistaken for something else."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from joblib import Parallel, delayed
from scipy.sparse import csc_matrix, csr_array
from search_tables import same
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.fixes import parse_version

from fscore.criteria import Bhattacharyya, BoundCriterion, Criterion, CVScore
from fscore.search import SFFS, SFS, DynamicOscillatingSearch, ExhaustiveSearch, OrderVoting

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier(3)


class Killed(Criterion):
    """The mean of the columns, undefined for column 3 alone; `left` subsets may be scored before the process ends."""

    left = 10**9

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        bound.max_batch = 1
        bound._score = self.score
        return bound

    def score(self, subsets):
        Killed.left -= len(subsets)
        if Killed.left < 0:
            raise SystemExit("killed")
        return np.array([np.nan if s == (3,) else np.mean(s) for s in subsets])


def entries(path):
    """The keys, columns and scores in a checkpoint."""
    with closing(sqlite3.connect(path)) as file:
        return file.execute("SELECT * FROM scores").fetchall()


@pytest.mark.filterwarnings("ignore:1 of the subsets could not be scored")
def test_killed_and_resumed_is_the_same(tmp_path, monkeypatch):
    """Scores that failed are not kept."""
    path = tmp_path / "search.sqlite"
    search = DynamicOscillatingSearch(Killed(), depth=3, checkpoint=path)
    whole = clone(search).set_params(checkpoint=None).fit(X, Y)
    monkeypatch.setattr(Killed, "left", 30)
    with pytest.raises(SystemExit):
        clone(search).fit(X, Y)
    monkeypatch.undo()
    n_saved = len(entries(path))
    assert 20 < n_saved <= 30
    resumed = clone(search).fit(X, Y)
    same(whole, resumed)
    assert resumed.computed_ == [("Killed", whole.n_evaluations_ - n_saved)]
    assert len(entries(path)) == whole.n_evaluations_ - 1
    assert all(np.isfinite(score) for _, _, score in entries(path))
    assert clone(search).fit(X, Y).computed_ == [("Killed", 1)]


class Between(Criterion):
    """The number of columns, undefined for one column and for all."""

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        bound._score = lambda subsets: np.array([len(s) if 1 < len(s) < X.shape[1] else np.nan for s in subsets])
        return bound


@pytest.mark.filterwarnings("ignore:1 of the subsets could not be scored")
def test_a_finished_search_is_the_same_again_where_each_column_alone_and_all_together_fail(tmp_path):
    search = SFS(Between(), warm_start_from=[0, 1], checkpoint=tmp_path / "search.sqlite")
    same(clone(search).fit(X, Y), clone(search).fit(X, Y))


def test_resumed_voting_is_the_same(tmp_path):
    voting = OrderVoting([KNN, KNeighborsClassifier(1), GaussianNB()], main=KNeighborsClassifier(5))
    whole = SFFS(voting, 3, cv=3).fit(X, Y)
    path = tmp_path / "voting.sqlite"
    with pytest.warns(ConvergenceWarning):
        SFFS(voting, 3, cv=3, max_evaluations=2, checkpoint=path).fit(X, Y)
    same(whole, SFFS(voting, 3, cv=3, checkpoint=path).fit(X, Y))
    assert SFFS(voting, 3, cv=3, checkpoint=path).fit(X, Y).computed_ == [(n, 0) for n, _ in whole.computed_]
    assert SFFS(KNN, 1, cv=3, checkpoint=path).fit(X, Y).computed_ == [("CVAccuracy", 0)], "each voter's are its own"


def test_scores_belong_to_a_criterion_its_folds_the_data_and_the_version(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint"
    numbers = pd.DataFrame(X)

    def n_computed(search, X=numbers, y=Y, **params):
        return search.set_params(checkpoint=path).fit(X, y, **params).computed_[0][1]

    assert n_computed(SFS(KNN, 2, cv=5)) == 25
    assert n_computed(SFFS(KNN, 2, cv=5)) == 0
    assert n_computed(SFS(KNN, 2, cv=5), numbers.loc[:, list(numbers)[::-1]].loc[:, list(numbers)]) == 0
    assert n_computed(SFS(KNN, 2, cv=5, fixed=[6])) < 13
    for search in (SFS(KNeighborsClassifier(5), 1, cv=5), SFS(KNN, 1, cv=4), SFS(CVScore(KNN, cv=5), 1)):
        assert n_computed(search) == 13
    assert n_computed(SFS(KNN, 1, cv=5), numbers + 1) == 13
    assert n_computed(SFS(KNN, 1, cv=5), numbers, (Y + 1) % 3) == 13
    types = [{0: "float32"}, {0: "category"}, {0: pd.CategoricalDtype([11, 12, 13, 14, 15], ordered=True)}]
    models = [SFS(HistGradientBoostingClassifier(max_iter=1), 1, cv=2) for _ in types]
    assert [n_computed(model, numbers.round().astype(t)) for model, t in zip(models, types, strict=True)] == [13] * 3
    assert n_computed(SFS(GaussianNB(), 1, cv=5), sample_weight=np.arange(178) + 1) == 13
    assert n_computed(SFS(GaussianNB(), 1, cv=5)) == 13
    monkeypatch.setattr("fscore.search._checkpoint.__version__", "9.9")
    assert n_computed(SFS(KNN, 1, cv=5)) == 13

    class Own(Bhattacharyya):
        pass

    assert [n_computed(SFS(Own(), 2)) for _ in range(2)] == [25, 0]
    monkeypatch.setattr(Own, "__module__", "another")  # criteria of one name from two modules share nothing
    assert n_computed(SFS(Own(), 2)) == 25


def test_sparse_data_are_recognized_whatever_is_noted_of_their_order(tmp_path):
    unsorted = csc_matrix((X.T[:, ::-1].ravel(), np.tile(np.arange(178)[::-1], 13), np.arange(14) * 178))
    checked, changed = csc_matrix(X), csc_matrix(X)
    assert checked.has_canonical_format
    changed.data[0] += 1
    search = SFS(DecisionTreeClassifier(max_depth=2, random_state=0), 1, cv=3, checkpoint=tmp_path / "checkpoint")
    found = [search.fit(A, Y).computed_[0][1] for A in (csc_matrix(X), checked, unsorted, csr_array(X), changed)]
    assert found == [13, 0, 0, 0, 13]
    assert not unsorted.has_sorted_indices, "they are as they were"


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"), reason="older versions take no categories of polars"
)
def test_categories_of_polars_are_recognized_whatever_was_read_before(tmp_path):
    path, found = tmp_path / "checkpoint", []
    for other in ("x", "y"):
        pl.Series([other]).cast(pl.Categorical)
        frame = pl.DataFrame({"kind": list("abc") * 20, "noise": np.arange(60) % 7})
        frame = frame.with_columns(pl.col("kind").cast(pl.Categorical))
        model = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=5)
        found.append(SFS(model, 1, cv=2, checkpoint=path).fit(frame, np.arange(60) % 3).computed_[0][1])
    assert found == [2, 0]


def test_what_cannot_be_recognized_is_refused(tmp_path):
    pipe = make_pipeline(FunctionTransformer(lambda Z: Z), KNN)
    assert SFS(pipe, 1, cv=3).fit(X, Y).size_ == 1
    with pytest.raises(ValueError, match=r"cannot be identified in a checkpoint.*\(.*lambda.*\); define functions"):
        SFS(pipe, 1, cv=3, checkpoint=tmp_path / "x").fit(X, Y)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("where", ["", "missing/checkpoint"], ids=["directory", "missing folder"])
def test_a_path_that_cannot_be_written_is_refused_before_anything_is_computed(tmp_path, monkeypatch, where):
    monkeypatch.setattr(Killed, "left", 0)
    with pytest.raises(
        ValueError, match=r"cannot hold the scores of a search \(.+\); give the path of .* in an existing folder"
    ):
        SFS(Killed(), 2, checkpoint=tmp_path / where).fit(X, Y)


def damaged(path):
    """Bytes of another kind in the page that holds the scores."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 300)


def changed(statement):
    def change(path):
        with closing(sqlite3.connect(path)) as file, file:
            file.execute(statement)

    return change


@pytest.mark.parametrize(
    "spoil",
    [
        damaged,
        changed("UPDATE scores SET score = NULL"),
        changed("UPDATE scores SET columns = 'x' || columns"),
        changed("ALTER TABLE scores RENAME columns TO b"),
    ],
    ids=["page", "score", "columns", "table"],
)
def test_a_file_that_holds_no_scores_is_refused(tmp_path, spoil):
    path = tmp_path / "checkpoint"
    SFS(KNN, 2, cv=3, checkpoint=path).fit(X, Y)
    spoil(path)
    with pytest.raises(ValueError, match=r"checkpoint cannot hold the scores of a search \(.+\); give the path of"):
        SFS(KNN, 2, cv=3, checkpoint=path).fit(X, Y)


def test_a_search_outlasts_a_file_that_can_no_longer_be_written(tmp_path):
    path = tmp_path / "checkpoint"
    SFS(KNN, 1, cv=3, checkpoint=path).fit(X, Y)
    changed("CREATE TRIGGER full BEFORE INSERT ON scores BEGIN SELECT RAISE(ABORT, 'disk is full'); END")(path)
    with pytest.warns(RuntimeWarning, match=r"^The search goes on without .* \(disk is full\); give") as caught:
        found = SFFS(KNN, 4, cv=3, checkpoint=path).fit(X, Y)
    assert len(caught) == 1
    same(found, SFFS(KNN, 4, cv=3).fit(X, Y))
    assert len(entries(path)) == 13


def test_processes_append_to_one_file(tmp_path):
    options = {"cv": 2, "max_evaluations": 300, "checkpoint": tmp_path / "checkpoint"}
    searches = [ExhaustiveSearch(KNeighborsClassifier(k), **options) for k in (1, 5)]
    Parallel(n_jobs=2)(delayed(search.fit)(X, Y) for search in searches)
    assert len(entries(tmp_path / "checkpoint")) == 2 * 300


@pytest.mark.parametrize(
    ("cv", "computed"),
    [
        *((cv, 0) for cv in (3, KFold(3), ShuffleSplit(2, random_state=0), LeaveOneOut())),
        (KFold(3, shuffle=True), 13),  # folds that cannot be repeated have scores of their own
    ],
    ids=repr,
)
def test_a_checkpoint_of_repeatable_folds_resumes(tmp_path, cv, computed):
    for _ in range(2):
        search = SFS(KNN, 1, cv=cv, checkpoint=tmp_path / "checkpoint").fit(X, Y)
    assert search.computed_[0][1] == computed
