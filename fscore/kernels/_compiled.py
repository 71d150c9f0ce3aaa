"""How the inner loops are compiled, so that the first call waits as little as possible.

A kernel is called from Python and runs without the GIL. A helper is called by kernels only; without the wrappers that
Python and C would need it compiles in about two thirds of the time.

What compiles slowly, and is written as a loop instead: arithmetic of whole arrays, and assigning an array to a part of
another. Either brings along the message for arrays whose shapes differ, and with it numba's strings: two seconds.
``min``, ``max``, ``take`` and ``arange`` cost a quarter of a second each.
"""

from numba import njit

__all__ = ["HELPER", "helper", "kernel"]

HELPER = {"cache": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
helper = njit(**HELPER)
