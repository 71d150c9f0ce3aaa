"""Parameters and functions under an old name, which works with a FutureWarning until a version removes it."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from fscore._warnings import warn_user

__all__ = ["DEPRECATED", "renamed_function", "renamed_parameter"]

DEPRECATED: Final = "deprecated"  # default of a parameter under its old name, as in scikit-learn

F = TypeVar("F", bound=Callable[..., Any])


def renamed_parameter(old: Any, new: Any, *, names: tuple[str, str], default: Any, since: str, removal: str) -> Any:
    """The value of a parameter that has a new name; an estimator asks for it in ``fit``.

    Parameters
    ----------
    old, new : object
        What was passed under each name.
    names : (str, str)
        The old name and the new one.
    default : object
        The default under the new name; under the old name it is `DEPRECATED`.
    since, removal : str
        The version that renamed it, and the one that removes the old name.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If both are given.

    Warns
    -----
    FutureWarning
        If the old name is used.
    """
    if isinstance(old, str) and old == DEPRECATED:
        return new
    before, now = names
    if type(new) is not type(default) or new != default:
        raise ValueError(f"{before}={old!r} and {now}={new!r} are the same parameter; give {now} alone.")
    _warn(before, f"{now}={old!r}", now, since, removal)
    return old


def renamed_function(function: F, old: str, *, since: str, removal: str) -> F:
    """A function under its old name.

    Parameters
    ----------
    function : callable
        The function under its new name.
    old : str
    since, removal : str
        The version that renamed it, and the one that removes the old name.

    Returns
    -------
    callable
        It does what `function` does, and gives a FutureWarning.
    """

    @wraps(function)
    def renamed(*args, **kwargs):
        _warn(old, f"{function.__name__}()", function.__name__, since, removal)
        return function(*args, **kwargs)

    renamed.__name__ = renamed.__qualname__ = old
    renamed.__doc__ = f"Old name of `{function.__name__}`, which version {removal} removes."
    return renamed  # type: ignore[return-value]


def _warn(old, usage, new, since, removal):
    warn_user(f"{old} is called {new} since version {since}, and {removal} removes it; write {usage}.", FutureWarning)
