"""An exclusive lock on an open file, for processes that append to it."""

from contextlib import contextmanager

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["locked"]


@contextmanager
def locked(file):
    """Hold an exclusive lock on a file, if the system has locks and the file system supports them."""
    held = False
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            held = True
        except OSError:  # some network file systems
            pass
    try:
        yield
    finally:
        if held:
            fcntl.flock(file, fcntl.LOCK_UN)
