"""Threads of linear algebra are limited for small matrices, and those of short calls are kept."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fscore._jobs import threaded
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


def all_results(function, items, n):
    with threaded(function, items, n) as results:
        return list(results)


def test_results_come_in_order():
    met = threading.Barrier(3, timeout=60)

    def negative(number):
        if number < 3:
            met.wait()  # for two other calls at the same time
        return -number, threading.get_ident()

    results, workers = zip(*all_results(negative, range(100), 3), strict=True)
    assert results == tuple(-number for number in range(100))
    assert len(set(workers)) == 3
    assert all_results(lambda _: threading.get_ident(), "ab", 1) == [threading.get_ident()] * 2


def test_threads_are_kept():
    met = threading.Barrier(2, timeout=60)

    def worker(_):
        met.wait()
        return threading.get_ident()

    first, second = (set(all_results(worker, range(2), 2)) for _ in range(2))
    assert first == second


def test_callers_share_threads():
    results = {}

    def call(first):
        results[first] = all_results(str, range(first, first + 50), 2)

    callers = [threading.Thread(target=call, args=(first,)) for first in range(0, 400, 50)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert [text for first in sorted(results) for text in results[first]] == [*map(str, range(400))]


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt])
def test_after_an_error_no_call_begins_and_none_is_left_running(error):
    another, began, ended = threading.Event(), [], []

    def work(item):
        if item == 0:
            another.wait(60)
            raise error
        began.append(item)
        another.set()
        time.sleep(0.2)
        ended.append(item)

    with pytest.raises(error):
        all_results(work, range(9), 2)
    begun = sorted(began)
    assert sorted(ended) == begun
    assert len(begun) <= 4  # those that were taken ahead
    assert all_results(str, range(3), 2) == ["0", "1", "2"]
    assert sorted(began) == sorted(ended) == begun


def test_a_fork_has_threads_of_its_own():
    assert all_results(str, range(3), 2) == ["0", "1", "2"]
    child = os.fork()
    if not child:
        os._exit(all_results(str, range(3), 2) != ["0", "1", "2"])  # a fork has no threads, and would wait for ever
    for _ in range(600):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the fork waits for threads that it doesn't have")
    assert status == 0
