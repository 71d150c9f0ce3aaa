"""A checkpoint: a search that is killed goes on from it, and nothing is mistaken for something else."""

import json
import re
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, RepeatedStratifiedKFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from fscore.criteria import Bhattacharyya, BoundCriterion, Criterion, CVAccuracy, CVScore
from fscore.search import SFFS, SFS, DynamicOscillatingSearch, OrderVoting

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier(3)


class Killed(Criterion):
    """The mean of the columns, undefined for column 3 alone; `left` subsets may be scored before the process ends."""

    left = 10**9

    def _bind(self, X, y, n_jobs, params):
        bound = BoundCriterion()
        bound.batch = 1
        bound._score = self.score
        return bound

    def score(self, subsets, base, adding):
        Killed.left -= len(subsets)
        if Killed.left < 0:
            raise SystemExit("killed")
        return np.array([np.nan if s == (3,) else np.mean(s) for s in subsets])


def same(a, b):
    assert a.trace_.equals(b.trace_)
    assert a.path_.equals(b.path_)
    np.testing.assert_array_equal(a.support_, b.support_)


def entries(path):
    """The lines of a checkpoint but the first, all of which must be whole."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"\n") for line in lines)
    return [json.loads(line) for line in lines][1:]


@pytest.mark.filterwarnings("ignore:1 of the subsets could not be scored")
def test_killed_and_resumed_is_the_same(tmp_path, monkeypatch):
    """Scores that failed are not kept."""
    path = tmp_path / "search.jsonl"
    search = DynamicOscillatingSearch(Killed(), depth=3, checkpoint=path)
    whole = clone(search).set_params(checkpoint=None).fit(X, Y)
    monkeypatch.setattr(Killed, "left", 30)
    with pytest.raises(SystemExit):
        clone(search).fit(X, Y)
    monkeypatch.undo()
    n_saved = len(entries(path))
    assert 20 < n_saved <= 30
    with path.open("ab") as file:
        file.write(path.read_bytes().splitlines()[-1][:20])  # a last line that was cut short
    resumed = clone(search).fit(X, Y)
    same(whole, resumed)
    assert resumed.computed_ == [("Killed", whole.n_evaluations_ - n_saved)]
    assert len(entries(path)) == whole.n_evaluations_ - 1
    assert all(np.isfinite(score) for _, _, score in entries(path))
    assert clone(search).fit(X, Y).computed_ == [("Killed", 1)]


def test_resumed_voting_is_the_same(tmp_path):
    voting = OrderVoting([KNN, KNeighborsClassifier(1), GaussianNB()], main=KNeighborsClassifier(5))
    whole = SFFS(voting, 3, cv=3).fit(X, Y)
    path = tmp_path / "voting.jsonl"
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
    assert n_computed(SFS(GaussianNB(), 1, cv=5), sample_weight=np.arange(178) + 1) == 13
    assert n_computed(SFS(GaussianNB(), 1, cv=5)) == 13
    monkeypatch.setattr("fscore.search._evaluator.__version__", "9.9")
    assert n_computed(SFS(KNN, 1, cv=5)) == 13

    class Own(Bhattacharyya):
        pass

    assert [n_computed(SFS(Own(), 2)) for _ in range(2)] == [25, 0]
    monkeypatch.setattr(Own, "__module__", "another")  # criteria of one name from two modules share nothing
    assert n_computed(SFS(Own(), 2)) == 25


def test_what_cannot_be_recognized_is_refused(tmp_path):
    pipe = make_pipeline(FunctionTransformer(lambda Z: Z), KNN)
    assert SFS(pipe, 1, cv=3).fit(X, Y).size_ == 1
    with pytest.raises(
        ValueError, match=r"^CVAccuracy cannot be identified in a checkpoint.*\(.*lambda.*\); define fun"
    ):
        SFS(pipe, 1, cv=3, checkpoint=tmp_path / "x").fit(X, Y)
    for checkpoint in 5, ["scores"]:
        with pytest.raises(ValueError, match="The 'checkpoint' parameter of SFS must be"):
            SFS(KNN, 1, cv=3, checkpoint=checkpoint).fit(X, Y)


@pytest.mark.parametrize(
    "content",
    [
        b"remember\nthe\nmilk",
        b'{"my": "precious"}',  # no newline: must not be mistaken for an incomplete line
        b"\x89PNG\r\n\xff\n",
        b'["k", [0], 0.5]\n',
        b'{"format": "fscore subset scores", "version": 1}\n["k", [0], 0.5]\n',
    ],
)
def test_a_file_that_is_not_a_checkpoint_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "mine"
    path.write_bytes(content)
    sentence = (
        rf"^{re.escape(str(path))} is not a checkpoint of a search \(it begins with .*\); give another path or remo"
    )
    with pytest.raises(ValueError, match=sentence):
        SFS(KNN, 2, cv=5, checkpoint=path).fit(X, Y)
    assert path.read_bytes() == content


@pytest.mark.parametrize("where", ["", "missing/checkpoint"], ids=["directory", "missing folder"])
def test_a_path_that_cannot_be_written_is_refused_before_anything_is_computed(tmp_path, monkeypatch, where):
    monkeypatch.setattr(Killed, "left", 0)
    with pytest.raises(
        ValueError, match=r"cannot hold the scores of a search \(.+\); give the path of a file in an existing folder"
    ):
        SFS(Killed(), 2, checkpoint=tmp_path / where).fit(X, Y)


def test_lines_that_are_no_entries_are_ignored(tmp_path):
    path = tmp_path / "checkpoint"
    SFS(KNN, 1, cv=3, checkpoint=path).fit(X, Y)
    header, *lines = path.read_bytes().splitlines(keepends=True)
    entry = lines[0][: lines[0].rindex(b",")]
    bad = [
        b"\0\0\n",
        entry + b", NaN]\n",
        entry.replace(b"0", b'"a"') + b", 0.5]\n",
        b'{"k": 1}\n',
        b"[[[\n",
        b"\xff\n",
    ]
    path.write_bytes(header + b"".join(lines[1:] + bad) + entry)
    resumed = SFS(KNN, 1, cv=3, checkpoint=path).fit(X, Y)
    assert resumed.computed_ == [("CVAccuracy", 1)]
    assert path.read_bytes().endswith(b"\xff\n" + lines[0])
    assert SFS(KNN, 1, cv=3, checkpoint=path).fit(X, Y).computed_ == [("CVAccuracy", 0)]


def test_a_line_that_another_process_leaves_incomplete_is_cut_off(tmp_path, monkeypatch):
    path, plain = tmp_path / "checkpoint", Killed.score

    def damaging(*asked):
        with path.open("ab") as file:
            file.write(b'["k", [4')
        return plain(*asked)

    monkeypatch.setattr(Killed, "score", damaging)
    found = SFS(Killed(), 2, excluded=[3], checkpoint=path).fit(X, Y)
    assert len(entries(path)) == found.n_evaluations_


@pytest.mark.parametrize("cut", [0, 1, 47, 48, 49, 50, 300])
def test_a_file_cut_anywhere_resumes(tmp_path, cut):
    path = tmp_path / "checkpoint"
    whole = SFS(KNN, 3, cv=3, checkpoint=path).fit(X, Y)
    assert 47 < len(path.read_bytes().splitlines(keepends=True)[0]) < 51
    path.write_bytes(path.read_bytes()[:cut])
    same(whole, SFS(KNN, 3, cv=3, checkpoint=path).fit(X, Y))
    assert len(entries(path)) == whole.n_evaluations_


def test_a_grid_in_parallel_shares_a_file(tmp_path):
    from joblib import parallel_config

    path = tmp_path / "checkpoint"
    pipe = make_pipeline(SFS(KNN, cv=3, checkpoint=path), KNN)
    with parallel_config(backend="threading"):
        grid = GridSearchCV(pipe, {"sfs__n_features_to_select": [2, 3]}, cv=2, n_jobs=2).fit(X, Y)
    known = {(key, tuple(columns)): score for key, columns, score in entries(path)}
    assert len(known) > grid.best_estimator_[0].n_evaluations_
    assert clone(grid.best_estimator_).fit(X, Y)[0].computed_ == [("CVAccuracy", 0)]


SEARCHING = """
import sys
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from fscore.search import ExhaustiveSearch

search = ExhaustiveSearch(KNeighborsClassifier(int(sys.argv[2])), cv=2, max_evaluations=1500, checkpoint=sys.argv[1])
search.fit(*load_wine(return_X_y=True))
"""


def test_processes_append_to_one_file(tmp_path):
    path = tmp_path / "checkpoint"
    workers = [subprocess.Popen([sys.executable, "-c", SEARCHING, path, k]) for k in "15"]
    assert [w.wait() for w in workers] == [0, 0]
    found = entries(path)
    assert len({(key, tuple(columns)) for key, columns, _ in found}) == len(found) == 2 * 1500


def refuse(*args):
    raise OSError("no locks here")


@pytest.mark.parametrize("fcntl", [None, SimpleNamespace(flock=refuse, LOCK_EX=2)], ids=["no locks", "no support"])
def test_a_checkpoint_needs_no_locks(tmp_path, monkeypatch, fcntl):
    monkeypatch.setattr("fscore.search._checkpoint.fcntl", fcntl)
    path = tmp_path / "checkpoint"
    whole = SFS(KNN, 2, cv=3, checkpoint=path).fit(X, Y)
    assert len(entries(path)) == whole.n_evaluations_


UNSEEDED = [KFold(3, shuffle=True), ShuffleSplit(2), RepeatedStratifiedKFold(n_splits=2, n_repeats=2)]
REPEATABLE = [3, KFold(3), KFold(3, shuffle=True, random_state=0), ShuffleSplit(2, random_state=0), LeaveOneOut()]


@pytest.mark.parametrize("cv", UNSEEDED, ids=repr)
@pytest.mark.parametrize("of", ["search", "criterion", "voter"])
def test_a_checkpoint_of_unrepeatable_folds_is_warned_of(tmp_path, cv, of):
    criterion = {"search": KNN, "criterion": CVAccuracy(KNN, cv=cv), "voter": OrderVoting([CVAccuracy(KNN, cv=cv)])}
    search = SFS(criterion[of], 1, cv=cv if of == "search" else 3, checkpoint=tmp_path / "checkpoint")
    for _ in range(2):
        with pytest.warns(UserWarning, match=f"^{re.escape(repr(cv))} shuffles without a seed.*give it a") as caught:
            search.fit(X, Y)
        assert [w.filename for w in caught] == [__file__]
    assert search.computed_[0][1] == 13


@pytest.mark.parametrize("cv", REPEATABLE, ids=repr)
def test_a_checkpoint_of_repeatable_folds_resumes(tmp_path, cv):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            search = SFS(KNN, 1, cv=cv, checkpoint=tmp_path / "checkpoint").fit(X, Y)
        SFS(KNN, 1, cv=UNSEEDED[0]).fit(X, Y)
    assert search.computed_[0][1] == 0
