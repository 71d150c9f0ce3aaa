"""Compiling beforehand, and the message that says why the first call takes long."""

import logging
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from fscore.kernels import _compiled


def happening(module):
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})


class Timer:
    """Stands for `threading.Timer`; the test decides when it fires."""

    def __init__(self, seconds, action):
        self.action, self.cancelled = action, False
        Timer.last = self

    def start(self):
        pass

    def cancel(self):
        self.cancelled = True


@pytest.fixture
def listener(monkeypatch):
    monkeypatch.setattr(_compiled.threading, "Timer", Timer)
    Timer.last = None
    return _compiled._Announcement()


def test_one_message_while_a_long_compilation_is_under_way(listener, caplog):
    own = happening("fscore.kernels.knn")
    listener.on_start(own)
    listener.on_start(own)  # a function within
    first = Timer.last
    with caplog.at_level(logging.WARNING, "fscore"):
        first.action()
        listener.on_end(own)
        assert not first.cancelled
        listener.on_end(own)
        assert first.cancelled
        listener.on_start(own)
        assert Timer.last is first  # said once
        listener.on_end(own)
    assert [r.message for r in caplog.records] == [_compiled.MESSAGE]
    assert listener.n_compiled == 3


def test_short_compilations_and_those_of_others_are_not_logged(listener, caplog):
    other = happening("somebody.elses")
    listener.on_start(other)
    listener.on_end(other)
    assert Timer.last is None
    own = happening("fscore.kernels.knn")
    listener.on_start(own)
    listener.on_end(own)
    assert Timer.last.cancelled
    assert not caplog.records
    assert listener.n_compiled == 1


def run(arguments, cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done


FIRST_SEARCH = """
from sklearn.datasets import load_iris
from fscore.search import SFFS
from sklearn.neighbors import KNeighborsClassifier
SFFS(KNeighborsClassifier(3)).fit(*load_iris(return_X_y=True))
from fscore.kernels._compiled import LISTENER
print(LISTENER.n_compiled)
"""


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    before = run(["-c", FIRST_SEARCH], tmp_path / "empty")
    assert int(before.stdout) > 0
    assert before.stderr.count("Compiling the inner loops of fscore") == 1
    first = run(["-m", "fscore", "compile"], tmp_path / "cache").stdout.splitlines()
    assert first[-1].split(" functions compiled")[0] != "0"
    after = run(["-c", FIRST_SEARCH], tmp_path / "cache")
    assert (int(after.stdout), after.stderr) == (0, "")
    again = run(["-m", "fscore", "compile"], tmp_path / "cache").stdout.splitlines()
    assert again[-1].startswith("0 functions compiled")
    assert all("in the cache" in line for line in again[:-1])
