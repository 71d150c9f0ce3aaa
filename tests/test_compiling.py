"""Compiling beforehand, and the message that says why the first call takes long."""

import importlib
import logging
import os
import pkgutil
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from sklearn.neighbors import KNeighborsClassifier

import fscore.kernels
from fscore._compiling import _sample, workloads
from fscore.criteria import CVAccuracy
from fscore.criteria._knn import MIN_SAMPLES_OF_TREES
from fscore.filters import pairwise_mutual_information
from fscore.kernels import _compiled


def happening(module):
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})


def test_one_message_while_a_long_compilation_of_ours_is_under_way(monkeypatch, caplog):
    timers = []

    def timer(seconds, action):
        """Stands for `threading.Timer`; the test decides when it fires."""
        timers.append(Mock(action=action))
        return timers[-1]

    monkeypatch.setattr(_compiled.threading, "Timer", timer)
    listener = _compiled._Announcement()
    own, other = happening("fscore.kernels.knn"), happening("somebody.elses")
    listener.on_start(other)
    listener.on_end(other)
    assert not timers
    listener.on_start(own)
    listener.on_start(own)  # a function within
    (first,) = timers
    with caplog.at_level(logging.WARNING, "fscore"):
        first.action()
        listener.on_end(own)
        assert not first.cancel.called
        listener.on_end(own)
        assert first.cancel.called
        listener.on_start(own)
        assert timers == [first], "said once"
        listener.on_end(own)
    assert [r.message for r in caplog.records] == [_compiled.MESSAGE]
    assert listener.n_compiled == 3


def signatures():
    """The types for which each kernel is compiled."""
    modules = [
        importlib.import_module(f"fscore.kernels.{m.name}") for m in pkgutil.iter_modules(fscore.kernels.__path__)
    ]
    kernels = {kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, Dispatcher)}
    return {(kernel.py_func.__name__, str(types)) for kernel in kernels for types in kernel.signatures}


@pytest.mark.slow  # loads the code of all kernels
@pytest.mark.filterwarnings("ignore")  # no convergence in so few steps
def test_samples_that_cannot_be_written_need_no_code_of_their_own():
    """Data frames of pandas and memory-mapped files are read-only arrays."""
    X, y = _sample()
    for calls in workloads(X, y).values():
        for call in calls:
            call()
    before = signatures()
    X.setflags(write=False)
    y.setflags(write=False)
    for calls in workloads(X, y).values():
        for call in calls:
            call()
    assert signatures() - before == set()


@pytest.mark.parametrize("bandwidth", ["normal_reference", "adaptive"])
def test_one_column_and_several_share_compiled_code(bandwidth):
    """A column between others has its values apart in memory."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    pairwise_mutual_information(X[:, :1], density="values", bandwidth=bandwidth)
    before = signatures()
    pairwise_mutual_information(X, density="values", bandwidth=bandwidth)
    assert signatures() - before == set()


def test_many_samples_are_scanned_by_the_code_of_few():
    """A few queries are tried first, to see whether trees are faster."""
    rng, steps = np.random.default_rng(0), [[(0,), (1,)], [(0, 1), (0, 2)]]

    def search(n):
        criterion = CVAccuracy(KNeighborsClassifier(3), cv=2)
        bound = criterion.bind(rng.normal(size=(n, 3)), rng.integers(0, 2, n))
        return [bound.score(subsets) for subsets in steps]

    search(60)
    before = signatures()
    search(MIN_SAMPLES_OF_TREES)
    scans = {"single_neighbors", "add_neighbors", "subset_neighbors"}
    assert not {name for name, _ in signatures() - before} & scans


# What one search of the library needs.
FIRST_SEARCH = """
from sklearn.datasets import load_iris
from fscore.search import SFFS
from sklearn.neighbors import KNeighborsClassifier
SFFS(KNeighborsClassifier(3)).fit(*load_iris(return_X_y=True))
from fscore.kernels._compiled import LISTENER
print(LISTENER.n_compiled)
"""

# Numbers near the limits of floats, and the names of all kernels.
EXTREMES = """
import importlib, pkgutil, warnings

from numba.core.dispatcher import Dispatcher

import fscore.kernels
from fscore._compiling import _sample, workloads

warnings.simplefilter("ignore")  # no convergence in so few steps
X, y = _sample()
X *= [1e155, 1, 1e-200, 1, 1, 1]
X[0, 3], X[1, 3] = -1.797e308, 1.797e308
for call in workloads(X, y)["filters"]:
    call()
for module in pkgutil.iter_modules(fscore.kernels.__path__):
    for kernel in vars(importlib.import_module(f"fscore.kernels.{module.name}")).values():
        if isinstance(kernel, Dispatcher) and kernel.targetoptions.get("inline") != "always":
            print(kernel.__module__.rpartition(".")[2] + "." + kernel.__qualname__)
"""


@pytest.mark.slow
def test_nothing_is_left_to_compile_and_no_kernel_indexes_outside_its_arrays(tmp_path):
    """With bounds checking, an index outside an array is an error instead of a crash."""
    bounds = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1", "NUMBA_CACHE_DIR": str(tmp_path)}

    def run(*arguments):
        command = [sys.executable, *arguments]
        done = subprocess.run(command, env={**os.environ, **bounds}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout.splitlines(), done.stderr

    (n_compiled,), said = run("-c", FIRST_SEARCH)
    assert int(n_compiled) > 0
    assert said.count("Compiling the inner loops of fscore") == 1
    compiled, _ = run("-m", "fscore", "compile")
    assert int(compiled[-1].split(" functions compiled")[0]) > 0
    assert run("-c", FIRST_SEARCH) == (["0"], "")
    again, _ = run("-m", "fscore", "compile")
    assert again[-1].startswith("0 functions compiled")
    assert all("in the cache" in line for line in again[:-1])
    kernels, _ = run("-c", EXTREMES)
    cached = {file.name.rpartition("-")[0] for file in tmp_path.rglob("*.nbi")}
    assert len(kernels) > 100
    assert set(kernels) <= cached, "those missing are not reached by any call"
