"""How the inner loops are compiled, so that the first call waits as little as possible, and says why it waits.

A kernel is called from Python and runs without the GIL. A helper is called by kernels only; without the wrappers that
Python and C would need it compiles in about two thirds of the time.

What compiles slowly, and is written as a loop instead: arithmetic of whole arrays, and assigning an array to a part of
another. Either brings along the message for arrays whose shapes differ, and with it numba's strings: two seconds.
``min``, ``max``, ``take`` and ``arange`` cost a quarter of a second each.
"""

import logging
import threading

from numba import njit
from numba.core import event

HELPER = {"cache": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
helper = njit(**HELPER)


SECONDS = 1.0  # shorter compilations are not logged
MESSAGE = (
    "Compiling the inner loops of fscore. This happens once after installing and takes up to a minute; "
    "`python -m fscore compile` does it beforehand."
)


class _Announcement(event.Listener):
    """Logs one message in a process, while its first long compilation of this package's code is under way.

    Attributes
    ----------
    n_compiled : int
        Number of functions of this package that were compiled, rather than loaded from the cache.
    """

    def __init__(self):
        self.n_compiled = 0
        self.quiet = False
        self._timer = None
        self._depth = 0

    def on_start(self, happening):
        if not happening.data["dispatcher"].py_func.__module__.startswith("fscore."):
            return
        self.n_compiled += 1
        self._depth += 1
        if self._depth == 1 and not self.quiet:
            self._timer = threading.Timer(SECONDS, self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, happening):
        if not happening.data["dispatcher"].py_func.__module__.startswith("fscore."):
            return
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _say(self):
        if not self.quiet:
            self.quiet = True
            logging.getLogger("fscore").warning(MESSAGE)


LISTENER = _Announcement()
event.register("numba:compile", LISTENER)
