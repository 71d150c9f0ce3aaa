"""What a trap is, and the register of the rules that look for traps.

A rule is one function with its two sentences. To add one, write it in the file ``rules_of_*`` where it belongs, in the
place where it should run, and add a table to ``tests/test_report_traps.py`` in which it finds something.
"""

from dataclasses import dataclass
from functools import wraps

__all__ = ["RULES", "Trap", "counted", "listed", "rule"]

RULES = []


@dataclass(frozen=True)
class Trap:
    """A property of the data that misleads a selection.

    Attributes
    ----------
    kind : str
        Its name, such as "identifier".
    columns : tuple of str
        The columns concerned; empty for the whole table.
    found : str
        What was found, one sentence.
    done : str
        What was done about it, and what the user can do.
    left_out : tuple of str
        Columns that are not features because of it.
    """

    kind: str
    columns: tuple
    found: str
    done: str
    left_out: tuple = ()


def rule(kind, found, done, leaves_out=False):
    """Register the function below as a rule; rules run in the order in which they are written.

    The function takes a `Problem`, which it may change, and returns the columns concerned, or None if there is no such
    trap. It may also return a dict: what fills the sentences, and ``columns`` (by default none: the whole table; a dict
    says something of each) and ``left_out`` (by default all of these, or none).

    Parameters
    ----------
    kind : str
        Name of the trap.
    found : str
        What was found, one sentence; ``{columns}`` stands for the columns.
    done : str
        What was done about it, and what the user can do.
    leaves_out : bool
        Whether the columns are not features because of it.
    """

    def register(look):
        @wraps(look)
        def trap(problem):
            said = look(problem)
            if not said:
                return None
            said = said if isinstance(said, dict) else {"columns": said}
            columns = said.get("columns", ())
            left_out = said.get("left_out", columns if leaves_out else ())
            words = said | {"columns": listed(columns)}
            return Trap(kind, tuple(columns), found.format(**words), done.format(**words), tuple(left_out))

        RULES.append(trap)
        return trap

    return register


def listed(names, most=6):
    """Names in one phrase, those of a dict with what it says of them: the first few, and how many more."""
    said = [f"“{name}” ({names[name]})" if isinstance(names, dict) else f"“{name}”" for name in names]
    more = f" and {len(said) - most} more" if len(said) > most else ""
    return ", ".join(said[:most]) + more


def counted(n, noun):
    """A number and its noun, such as "1 column" or "1,234 columns"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
