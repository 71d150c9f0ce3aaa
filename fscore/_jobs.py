"""Number of workers, and threads that share short calls."""

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from numbers import Integral

from joblib import effective_n_jobs

# By process, since a fork has no threads, and by number of threads.
_POOLS: dict[tuple[int, int], ThreadPoolExecutor] = {}


def n_workers(n_jobs, name="n_jobs"):
    """The number of workers for the argument ``name``, at most as many as joblib's current backend has processors."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"{name}={n_jobs!r} must be a positive integer, or -1 for all processors.")
    n = effective_n_jobs(n_jobs)
    return min(n, effective_n_jobs(-1)) if n > 1 else 1


@contextmanager
def threaded(function, items, n):
    """Give an iterator over the function's results in the order of the items; at most ``2 n`` calls run ahead.

    After an error, or at the end of the block, no call begins any more, and none is left running.

    Parameters
    ----------
    function : callable
        Must not call `threaded`.
    items : iterable
    n : int
        Number of threads with the caller's own, which need not wake up first. The others are kept for all later calls:
        starting them takes as long as a small step.
    """
    if n == 1:
        yield map(function, items)
        return
    process = os.getpid()
    if (process, n) not in _POOLS:
        _POOLS.setdefault((process, n), ThreadPoolExecutor(n - 1))
    calls = deque()
    try:
        yield _results(_POOLS[process, n], function, items, n, calls)
    finally:
        wait([call for call, _ in calls if not call.cancel()])


def _results(pool, function, items, n, calls):
    for item in items:
        calls.append((pool.submit(function, item), item))
        if len(calls) > 2 * n:
            yield _first_result(calls, function)
    while calls:
        yield _first_result(calls, function)


def _first_result(calls, function):
    """The result of the first call; while another thread makes it, the caller makes those that nobody has begun."""
    for k, (call, item) in enumerate(calls):
        if calls[0][0].done():
            break
        if call.cancel():
            calls[k] = _made(function, item), item
    return calls.popleft()[0].result()


def _made(function, item):
    """A call that is over."""
    call = Future()
    try:
        call.set_result(function(item))
    except Exception as error:  # raised where its result is asked for
        call.set_exception(error)
    return call
