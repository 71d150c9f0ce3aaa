"""How many workers to start."""

from numbers import Integral

from joblib import effective_n_jobs

__all__ = ["n_workers"]


def n_workers(n_jobs):
    """The number of workers for ``n_jobs``, at most as many as joblib's current backend has processors."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs={n_jobs!r} must be a positive integer, -1 for all processors, or None.")
    return min(effective_n_jobs(n_jobs), effective_n_jobs(-1))
