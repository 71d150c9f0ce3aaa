"""How many workers to start, and threads that stay."""

import os
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from numbers import Integral

from joblib import effective_n_jobs

__all__ = ["Threads", "n_workers"]


def n_workers(n_jobs):
    """The number of workers for ``n_jobs``, at most as many as joblib's current backend has processors."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs={n_jobs!r} must be a positive integer, -1 for all processors, or None.")
    return min(effective_n_jobs(n_jobs), effective_n_jobs(-1))


class Threads:
    """Threads that start when first needed and then wait for more: starting them takes as long as a small step.

    Parameters
    ----------
    n : int
    """

    def __init__(self, n):
        self.n, self._pool, self._process = n, None, None

    def __reduce__(self):
        return Threads, (self.n,)

    @contextmanager
    def submitting(self):
        """A function that submits calls and returns their futures; at the end none of them is running any more.

        After an error those that have not begun never do.
        """
        jobs = []

        def submit(function, *arguments):
            if self._process != os.getpid():  # a fork has no threads
                self._pool, self._process = ThreadPoolExecutor(self.n), os.getpid()
            jobs.append(self._pool.submit(function, *arguments))
            return jobs[-1]

        try:
            yield submit
        finally:
            for job in jobs:
                job.cancel()
            wait(jobs)

    def close(self):
        """End the threads; another call starts new ones."""
        if self._process == os.getpid():
            self._pool.shutdown()
        self._pool = self._process = None
