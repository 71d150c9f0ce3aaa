"""What ends a command early: Ctrl-C, which a terminal sends to all its processes at once, and readers that leave."""

import os
import signal
import sys
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


def exit_with(main):
    """Run a command and exit with its status; silently if nobody reads its output any more, as after ``| head``."""
    try:
        try:
            status = main()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes what is left when it exits
        status = 128 + 13  # as a shell reports a command that SIGPIPE ended
    sys.exit(status)
