"""Packages that only some functions need, and the extra of the distribution that installs them."""

from contextlib import contextmanager


@contextmanager
def extra(name, purpose):
    """Import within this context; a missing package is reported with the extra that brings it.

    Parameters
    ----------
    name : str
        Name of the extra in ``pyproject.toml``.
    purpose : str
        What needs the package; starts the message.

    Raises
    ------
    ModuleNotFoundError
        If an import fails.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{purpose} needs {error.name}, which is not installed; run: pip install "fscore-selection[{name}]"',
            name=error.name,
        ) from None
