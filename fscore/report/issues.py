"""What an issue is, and the rules that look for issues."""

from dataclasses import dataclass
from functools import wraps

__all__ = ["QUESTION", "Issue", "counted", "listed", "rule"]

# What is done about columns that may reveal the target.
QUESTION = "Kept. Are these known before the target? Leave out by --drop what isn't."


@dataclass(frozen=True)
class Issue:
    """A property of the data that misleads a selection.

    Attributes
    ----------
    kind : str
        Its name, such as "identifier".
    columns : tuple of str
        The columns concerned; empty for the whole table.
    finding : str
        What was found, one sentence.
    action : str
        What was done about it, and what the user can do.
    left_out : tuple of str
        Columns that are not features because of it.
    """

    kind: str
    columns: tuple
    finding: str
    action: str
    left_out: tuple = ()


def rule(kind, finding, action, leaves_out=False):
    """Make a rule of a check; `fscore.report.stages` lists the rules.

    The check takes a `Problem`, which it doesn't change, and returns the columns concerned, or a dict: what fills the
    sentences, and ``columns`` (without it, the whole table; a dict says something of each), ``left_out`` (by default
    all of these, or none) and ``changes``, new values of fields of the problem: a rule of a stage must not change what
    another one does (``derived`` and ``types`` are merged). There is no such issue if it returns no columns, or None.

    Parameters
    ----------
    kind : str
        Name of the issue.
    finding : str
        What was found, one sentence; ``{columns}`` stands for the columns.
    action : str
        What was done about it, and what the user can do.
    leaves_out : bool
        Whether the columns are not features because of it.

    Returns
    -------
    function
        From a check to a rule: a function from a `Problem` to an `Issue` and changes, or to None.
    """

    def decorate(check):
        @wraps(check)
        def apply(problem):
            result = check(problem)
            result = result if isinstance(result, dict) else {"columns": result or ()}
            columns = result.get("columns", ())
            if "columns" in result and len(columns) == 0:
                return None
            left_out = result.get("left_out", columns if leaves_out else ())
            most = 12 if action.startswith("Kept") else 6  # a question hides none
            words = result | {"columns": listed(columns, most)}
            issue = Issue(kind, tuple(columns), finding.format(**words), action.format(**words), tuple(left_out))
            return issue, result.get("changes", {})

        return apply

    return decorate


def listed(names, most=12):
    """Names in one phrase, those of a dict with what it says of them: the first few, and how many more."""
    phrases = [f"“{name}” ({names[name]})" if isinstance(names, dict) else f"“{name}”" for name in names]
    more = f" and {len(phrases) - most} more" if len(phrases) > most else ""
    return ", ".join(phrases[:most]) + more


def counted(n, noun):
    """A number and its noun, such as "1 column" or "1,234 columns"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
