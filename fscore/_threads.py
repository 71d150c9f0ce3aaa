"""Keeps the linear algebra of many small matrices to one thread."""

from functools import cache

__all__ = ["one_thread"]


@cache
def _pools():
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread():
    """Context in which numpy and scipy use one thread for linear algebra.

    Each brings a pool of threads of its own. While small matrices go from one library to the other, the threads of the
    first still wait for work and keep those of the second from the processors.
    """
    return _pools().limit(limits=1, user_api="blas")
