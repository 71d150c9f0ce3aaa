"""How many workers to start."""

from joblib import effective_n_jobs

__all__ = ["n_workers"]


def n_workers(n_jobs):
    """The number of workers for ``n_jobs``, at most as many as joblib's current backend has processors."""
    return min(effective_n_jobs(n_jobs), effective_n_jobs(-1))
