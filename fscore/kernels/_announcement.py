"""Says why the first call takes long: the inner loops are compiled once, and kept in numba's cache."""

import logging
import threading

from numba.core import event

__all__ = ["announce_compilation"]

SECONDS = 1.0  # compiling that takes less goes without a word
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


def announce_compilation():
    """Listen to numba; a second call changes nothing."""
    if not getattr(LISTENER, "registered", False):
        event.register("numba:compile", LISTENER)
        LISTENER.registered = True
