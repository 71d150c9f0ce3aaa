"""What a trap is, and the register of the rules that look for traps.

A rule is one function: it looks at a problem, may change it, and returns a trap or None. To add one, write it in
`rules_of_columns` or `rules_of_rows`, in the place where it should run, and add a table to
``tests/test_report_traps.py`` in which it finds something.
"""

from dataclasses import dataclass

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
        Columns that are no features because of it.
    """

    kind: str
    columns: tuple
    found: str
    done: str
    left_out: tuple = ()


def rule(function):
    """Register a rule; rules run in the order in which they are written.

    Parameters
    ----------
    function : callable
        Takes a `Problem` and returns a `Trap` or None.
    """
    RULES.append(function)
    return function


def listed(names, most=6):
    """Names in one phrase: the first few, and how many more."""
    names = [f"“{name}”" for name in names]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def counted(n, noun):
    """A number and its noun, such as "1 column" or "1,234 columns"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
