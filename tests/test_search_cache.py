"""A cache shared by threads and processes, and checkpoints that a crash has left behind."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from pickle import dumps, loads
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from fscore.criteria import CVScore
from fscore.search import SFFS, SFS, SubsetCache
from fscore.search._cache import HEADER

X, Y = load_wine(return_X_y=True)
KNN = KNeighborsClassifier(3)


def is_whole(path):
    """Whether a checkpoint has one header and only complete records; returns the records."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert lines[0] == HEADER
    assert lines.count(HEADER) == 1
    return [json.loads(line) for line in lines[1:]]


@pytest.mark.parametrize("in_file", [False, True])
def test_threads_share_a_cache(tmp_path, in_file):
    path = tmp_path / "cache"
    cache = SubsetCache(path) if in_file else SubsetCache()
    searches = [SFFS(KNeighborsClassifier(k), size, cv=3, cache=cache) for k in (1, 3) for size in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda search: search.fit(X, Y), searches))
    for found in together:
        alone = SFFS(found.criterion, found.n_features_to_select, cv=3).fit(X, Y)
        assert found.trace_.equals(alone.trace_)
    if in_file:
        records = is_whole(path)
        assert {(key, tuple(columns)): value for key, columns, value in records}.keys() == {
            (key, columns) for key, store in cache._stores.items() for columns in store
        }
        assert len(SubsetCache(path)) == len(cache)


@pytest.fixture
def eager_threads():
    """Threads that take turns after nearly every instruction, so that races happen."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_threads_open_write_and_close_in_any_order(tmp_path, eager_threads):
    path = tmp_path / "cache"
    cache = SubsetCache(path)

    def work(worker):
        for i in range(300):
            cache.open()
            cache.write(f"worker {worker}", [(i,)], [0.5])
            cache.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(is_whole(path)) == 1200


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_grid_in_parallel_shares_a_file(tmp_path, backend):
    from joblib import parallel_config

    path = tmp_path / "cache"
    pipe = make_pipeline(SFS(KNN, cv=3, cache=SubsetCache(path)), KNN)
    grid = GridSearchCV(pipe, {"sfs__n_features_to_select": [1, 2, 3, 4]}, cv=3, error_score="raise")
    with parallel_config(backend, n_jobs=2):
        grid.fit(X, Y)
    is_whole(path)
    again = SFS(KNN, grid.best_params_["sfs__n_features_to_select"], cv=3, cache=SubsetCache(path)).fit(X, Y)
    assert again.computed_ == [("CVAccuracy", 0)]


WRITER = """
import sys
from fscore.search import SubsetCache
cache = SubsetCache(sys.argv[1])
cache.open()
for i in range(200):
    cache.write(sys.argv[2], [(i,), (i, i + 1)], [0.5, 0.25])
cache.close()
"""


def test_processes_append_to_one_file(tmp_path):
    path = tmp_path / "cache"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, f"writer {w}"]) for w in range(4)]
    assert [w.wait() for w in writers] == [0] * 4
    assert len(is_whole(path)) == 1600
    assert len(SubsetCache(path)) == 1600


def test_a_search_reads_what_others_have_appended(tmp_path):
    path = tmp_path / "cache"
    early = SubsetCache(path)
    whole = SFS(KNN, 4, cv=3, cache=SubsetCache(path)).fit(X, Y)
    late = SFS(KNN, 4, cv=3, cache=early).fit(X, Y)
    assert late.computed_ == [("CVAccuracy", 0)]
    assert late.trace_.equals(whole.trace_)
    assert len(is_whole(path)) == whole.n_evaluations_


RECORDS = [b'["k", [0], 0.5]\n', b'["k", [1], 0.25]\n', b'["k", [0, 1], 0.75]\n']


@pytest.mark.parametrize(
    ("content", "known"),
    [
        (HEADER + b"".join(RECORDS) + HEADER, 3),
        (HEADER + RECORDS[0] + HEADER + RECORDS[1], 2),
        (HEADER + HEADER + RECORDS[0], 1),
        (HEADER[:20], 0),
        (HEADER + RECORDS[0] + RECORDS[1][:7], 1),
        (HEADER + RECORDS[0] + RECORDS[1][:7] + RECORDS[2], 1),  # glued together by an earlier version
        (HEADER + RECORDS[0][:-1] + RECORDS[1] + RECORDS[2], 1),
        (HEADER + RECORDS[0] + b"\0" * 100, 1),  # space that was allotted but not written before a power cut
        (HEADER + RECORDS[0] + b"\0" * 10 + b"\n" + RECORDS[2], 2),
        (HEADER + RECORDS[0] + b"\0" * 10 + RECORDS[1][:7] + b"\n" + RECORDS[2], 2),
    ],
)
def test_a_torn_file_resumes_from_its_whole_records(tmp_path, content, known):
    path = tmp_path / "cache"
    path.write_bytes(content)
    assert len(SubsetCache(path)) == known
    search = SFS(KNN, 2, cv=3, checkpoint=path).fit(X, Y)
    assert len(SubsetCache(path)) == known + search.n_evaluations_
    assert SFS(KNN, 2, cv=3, checkpoint=path).fit(X, Y).computed_ == [("CVAccuracy", 0)]


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_file_cut_anywhere_resumes(tmp_path, cut):
    path = tmp_path / "cache"
    whole = SFS(KNN, 3, cv=3, checkpoint=path).fit(X, Y)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * cut // 40])
    resumed = SFS(KNN, 3, cv=3, checkpoint=path).fit(X, Y)
    assert resumed.trace_.equals(whole.trace_)
    assert path.read_bytes() == content


def test_a_foreign_line_is_named_by_its_number_in_the_file(tmp_path):
    path = tmp_path / "cache"
    path.write_bytes(HEADER + RECORDS[0])
    cache = SubsetCache(path)
    cache.open()
    cache.write("k", [(1,), (0, 1)], [0.25, 0.75])
    cache.close()
    with path.open("ab") as file:
        file.write(RECORDS[0] + b"not a record\n")
    with pytest.raises(ValueError, match=r"\(line 6 reads 'not a record"):
        cache.open()
    with pytest.raises(ValueError, match=r"\(line 6 reads 'not a record"):
        SubsetCache(path)


def test_a_pickled_cache_keeps_its_values(tmp_path):
    cache = SubsetCache(tmp_path / "cache")
    search = SFS(KNN, 3, cv=3, cache=cache).fit(X, Y)
    copy = loads(dumps(cache))
    assert len(copy) == len(cache) == search.n_evaluations_
    again = SFS(KNN, 3, cv=3, cache=copy).fit(X, Y)
    assert again.computed_ == [("CVAccuracy", 0)]
    np.testing.assert_array_equal(again.support_, search.support_)


def test_a_cache_reads_again_and_again_what_others_append(tmp_path):
    early, other = SubsetCache(tmp_path / "cache"), SubsetCache(tmp_path / "cache")
    for i in range(4):
        other.open()
        other.write("key", [(i,)], [0.5])
        other.close()
        early.open()
        early.write("own", [(i, 9)], [(0.25, 0.75)])  # the values of a panel
        early.close()
        assert early.store("key") == {(j,): 0.5 for j in range(i + 1)}
        assert not early.store("own")  # which are in the memory of who wrote them
    assert len(is_whole(tmp_path / "cache")) == 8
    assert SubsetCache(tmp_path / "cache").store("own") == {(i, 9): (0.25, 0.75) for i in range(4)}


def test_a_copy_of_an_open_cache_is_closed_and_its_own(tmp_path):
    cache = SubsetCache(tmp_path / "cache")
    cache.store("key")[(0,)] = 0.5
    cache.open()
    for twin in (loads(dumps(cache)), copy(cache)):
        twin.store("key")[(1,)] = 0.25
        twin.open()
        twin.write("key", [(1,)], [0.25])
        twin.close()
        assert twin._file is None
    assert cache.store("key") == {(0,): 0.5}
    cache.write("key", [(0,)], [0.5])
    cache.close()
    assert SubsetCache(tmp_path / "cache").store("key") == {(0,): 0.5, (1,): 0.25}


def test_the_file_stays_open_until_the_last_search_closes_it(tmp_path):
    cache = SubsetCache(tmp_path / "cache")
    cache.open()
    cache.open()
    cache.close()
    cache.write("key", [(0,)], [0.5])
    cache.close()
    assert len(SubsetCache(tmp_path / "cache")) == 1


@pytest.mark.filterwarnings("ignore:.*shuffles without a seed")
def test_other_folds_share_nothing():
    cache = SubsetCache()
    for _ in range(2):
        assert SFS(KNN, 1, cv=KFold(3, shuffle=True), cache=cache).fit(X, Y).computed_ == [("CVAccuracy", 13)]


def refuse(*args):
    raise OSError("no locks here")


@pytest.mark.parametrize("fcntl", [None, SimpleNamespace(flock=refuse, LOCK_EX=2)], ids=["no locks", "no support"])
def test_a_cache_needs_no_locks(tmp_path, monkeypatch, fcntl):
    monkeypatch.setattr("fscore.search._file_lock.fcntl", fcntl)
    path = tmp_path / "cache"
    whole = SFS(KNN, 2, cv=3, checkpoint=path).fit(X, Y)
    assert len(is_whole(path)) == whole.n_evaluations_
    assert SFS(KNN, 2, cv=3, checkpoint=path).fit(X, Y).computed_ == [("CVAccuracy", 0)]


USERS_CODE = """
from sklearn.metrics import IMPORTED as rate
from sklearn.naive_bayes import GaussianNB

price = PRICE

def bonus():
    return HELPER

def utility(true, found, weight=DEFAULT):
    return rate(true, found) + weight * float(SCORER) + CONSTANT + price + sum(bonus() for _ in true)

class Base(GaussianNB):
    shift = ATTRIBUTE

    def predict(self, X):
        return super().predict(X) + BASE

    @property
    def kept(self):
        return PROPERTY

class Guess(Base):
    def predict(self, X):
        return super().predict(X) + ESTIMATOR + self.shift + self.kept
"""


NUMBERS = ("estimator", "default", "constant", "price", "helper", "attribute", "base", "property")


@pytest.mark.parametrize("edited", ["scorer", "imported", *NUMBERS])
def test_edited_code_does_not_find_the_values_of_the_code_before(monkeypatch, edited):
    before = {"scorer": "(true == found).mean()", "imported": "accuracy_score", **dict.fromkeys(NUMBERS, "0")}
    after = {"scorer": "-(true != found).sum()", "imported": "zero_one_loss", **dict.fromkeys(NUMBERS, "1")}
    cache, computed = SubsetCache(), []
    for text in (before, before, {**before, edited: after[edited]}):
        source = USERS_CODE
        for name, value in text.items():
            source = source.replace(name.upper(), value)
        users = ModuleType("users_code")
        monkeypatch.setitem(sys.modules, "users_code", users)
        exec(source, vars(users))
        criterion = CVScore(users.Guess(), scoring=make_scorer(users.utility), cv=3)
        computed.append(SFS(criterion, 1, cache=cache).fit(X, Y).computed_[0][1])
    assert computed == [13, 0, 13]
