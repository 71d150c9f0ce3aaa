"""One build at a time: a lock that the system releases when its process ends, also by ``kill -9``."""

import fcntl
import os
from contextlib import contextmanager


@contextmanager
def alone(lock, doing):
    """Hold a lock; if another process holds it, say so and wait for its end.

    Parameters
    ----------
    lock : Path
        File that all such processes lock. It and its folder are created, and it is left behind.
    doing : str
        What the other process does, for the message, for instance ``"builds the notebooks"``.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            print(f"Process {file.read() or 'unknown'} {doing}; waiting for its end.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
