"""Threads of linear algebra are limited for small matrices, and those of criteria are kept between steps."""

import os
import pickle
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fscore.criteria._jobs import Threads
from fscore.neural import RANNClassifierCV


def n_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_sizes_of_networks_are_compared_in_one_thread(monkeypatch):
    seen = []
    monkeypatch.setattr("fscore.neural.rann.hidden_outputs", lambda X, W, bias: seen.append(n_threads()) or X @ W[:-1])
    X = np.random.default_rng(0).normal(size=(60, 3))
    with threadpool_limits(2, "blas"):
        if n_threads() != {2}:
            pytest.skip("this linear algebra has one thread")
        RANNClassifierCV(2, 3, cv=2).fit(X, X[:, 0] > 0)
        assert seen[:4] == [{1}] * 4  # both parts of both splits
        assert n_threads() == {2}


def test_threads_are_kept_until_they_are_closed():
    threads, seen = Threads(1), []
    for _ in range(2):
        with threads.submitting() as submit:
            seen.append(submit(threading.get_ident).result())
    assert seen[0] == seen[1] != threading.get_ident()
    n_before = threading.active_count()
    threads.close()
    assert threading.active_count() == n_before - 1
    with threads.submitting() as submit:
        assert submit(int).result() == 0
    threads.close()
    threads.close()


def test_after_an_error_nothing_begins_and_nothing_is_left_running():
    threads, began, go, ended = Threads(1), threading.Event(), threading.Event(), []

    def slow():
        began.set()
        go.wait()
        ended.append("slow")

    def fail():
        with threads.submitting() as submit:
            submit(slow)
            submit(ended.append, "never")
            began.wait()
            threading.Timer(0.1, go.set).start()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert ended == ["slow"]
    with threads.submitting() as submit:
        submit(int)
    assert ended == ["slow"]
    threads.close()


def test_copies_and_forks_have_threads_of_their_own(monkeypatch):
    threads = Threads(2)
    with threads.submitting() as submit:
        submit(int)
    copy = pickle.loads(pickle.dumps(threads))
    assert (copy.n, copy._pool) == (2, None)
    pool = threads._pool
    monkeypatch.setattr(os, "getpid", lambda: -1)  # as in a fork
    with threads.submitting() as submit:
        assert submit(int).result() == 0
    assert threads._pool is not pool
    threads.close()
    pool.shutdown()
