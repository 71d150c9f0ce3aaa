"""Number of workers, and a pool of threads that is kept."""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from numbers import Integral

from joblib import effective_n_jobs

__all__ = ["Threads", "n_workers"]


def n_workers(n_jobs):
    """The number of workers for ``n_jobs``, at most as many as joblib's current backend has processors."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs={n_jobs!r} must be a positive integer, -1 for all processors, or None.")
    n = effective_n_jobs(n_jobs)
    return min(n, effective_n_jobs(-1)) if n > 1 else 1


class Threads:
    """Threads that start when first needed and are then reused: starting them takes as long as a small step.

    Parameters
    ----------
    n : int
        How many calls run at once.
    """

    def __init__(self, n):
        self.n, self._pool, self._process = n, None, None

    def __reduce__(self):
        return Threads, (self.n,)

    @contextmanager
    def map(self, function, items):
        """Give an iterator over the function's results in the order of the items; at most ``2 n`` calls run ahead.

        After an error, or at the end of the block, no call begins any more, and none is left running.
        """
        if self.n == 1:
            yield map(function, items)
            return
        if self._process != os.getpid():  # a forked process has no threads
            self._pool, self._process = ThreadPoolExecutor(self.n), os.getpid()
        calls = deque()
        try:
            yield self._results(function, items, calls)
        finally:
            for call in calls:
                call.cancel()
            wait(calls)

    def _results(self, function, items, calls):
        for item in items:
            calls.append(self._pool.submit(function, item))
            if len(calls) > 2 * self.n:
                yield calls.popleft().result()
        while calls:
            yield calls.popleft().result()

    def close(self):
        """End the threads; another call starts new ones."""
        if self._process == os.getpid():
            self._pool.shutdown()
        self._pool = self._process = None
