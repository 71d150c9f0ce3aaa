"""Ctrl-C, which a terminal sends to all processes of a command at once."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def ctrl_c_ignored():
    """Ignore Ctrl-C. Processes that start meanwhile ignore it as long as they live and leave it to their parent.

    A worker that handled it only once it runs its first task would print a traceback where it still imports modules.
    """
    if threading.current_thread() is not threading.main_thread():  # no other thread may change what a signal does
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
