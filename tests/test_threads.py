"""Threads of linear algebra are limited for small matrices, and those of criteria are kept between steps."""

import os
import pickle
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fscore._jobs import Threads
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


def all_results(threads, function, items):
    with threads.map(function, items) as results:
        return list(results)


def test_results_come_in_order():
    threads, met = Threads(3), threading.Barrier(3, timeout=60)

    def negative(number):
        if number < 3:
            met.wait()  # for two other calls at the same time
        return -number, threading.get_ident()

    results, workers = zip(*all_results(threads, negative, range(100)), strict=True)
    assert results == tuple(-number for number in range(100))
    assert len(set(workers)) == 3
    threads.close()
    alone = Threads(1)
    assert all_results(alone, lambda _: threading.get_ident(), "ab") == [threading.get_ident()] * 2
    alone.close()


def test_few_items_are_taken_before_their_results_are_asked_for():
    threads, taken = Threads(2), []
    with threads.map(str, (taken.append(item) or item for item in range(100))) as results:
        assert next(results) == "0"
        assert taken == [0, 1, 2, 3, 4]
    threads.close()


def test_threads_are_kept_until_they_are_closed():
    threads, met = Threads(2), threading.Barrier(2, timeout=60)

    def worker(_):
        met.wait()
        return threading.get_ident()

    first, second = (set(all_results(threads, worker, range(2))) for _ in range(2))
    assert first == second
    n_before = threading.active_count()
    threads.close()
    assert threading.active_count() == n_before - 2
    assert len(set(all_results(threads, worker, range(2)))) == 2
    threads.close()
    threads.close()


def test_after_an_error_nothing_is_left_running():
    threads, began, go, ended = Threads(2), threading.Event(), threading.Event(), []

    def work(item):
        if item == 0:
            began.wait()
            threading.Timer(0.1, go.set).start()
            raise KeyError
        began.set()
        go.wait()
        ended.append(item)

    with pytest.raises(KeyError):
        all_results(threads, work, range(9))
    n = len(ended)
    assert 1 <= n <= 4  # of those that were taken ahead
    assert all_results(threads, str, range(3)) == ["0", "1", "2"]
    assert len(ended) == n
    threads.close()


def test_the_end_of_the_block_leaves_nothing_running():
    threads, ended = Threads(2), []
    with threads.map(ended.append, range(100)) as results:
        next(results)
    n = len(ended)
    assert 1 <= n <= 5
    assert all_results(threads, str, range(3)) == ["0", "1", "2"]
    assert len(ended) == n
    threads.close()


def test_copies_and_forks_have_threads_of_their_own(monkeypatch):
    threads = Threads(2)
    all_results(threads, str, range(3))
    copy = pickle.loads(pickle.dumps(threads))
    assert (copy.n, copy._pool) == (2, None)
    pool = threads._pool
    monkeypatch.setattr(os, "getpid", lambda: -1)  # as in a fork
    assert all_results(threads, str, range(3)) == ["0", "1", "2"]
    assert threads._pool is not pool
    threads.close()
    pool.shutdown()
