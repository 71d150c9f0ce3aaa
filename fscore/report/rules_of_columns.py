"""Rules for traps that lie in single columns; each is a function, in the order in which they run."""

import re

import numpy as np
import pandas as pd

from fscore.datasets.columns import date_format, notations
from fscore.report.traps import Trap, counted, listed, rule

__all__ = ["IDENTIFIER_NAME", "named_like_an_identifier"]

IDENTIFIER_NAME = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|index|idx|key|no|nr|number|patient|subject|subj|person|participant|donor|user|"
    r"customer|client|household|family|animal|chick|litter|site|case|record|sample|specimen|batch)($|[^a-z])"
)
_MOST_MISSING = 0.95
_NEARLY_ALL = 0.9  # of the rows have an identifier of their own; copies of rows have not
_FEW = 20  # rows below which a pattern in a column is no evidence
_SHORTEST_LABEL = 3  # letters of a class that are no coincidence within another text


def named_like_an_identifier(name):
    """Whether a name says that its column names things: "patient_id", "CustomerId", "Subject"."""
    return bool(IDENTIFIER_NAME.search(re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))


@rule
def empty(problem):
    """A column with hardly any value; huge numbers and codes for a missing value are values, if not usable ones."""
    names = tuple(name for name in problem.X if _written(problem, name).isna().mean() > _MOST_MISSING)
    if names:
        return Trap(
            "empty", names, f"{listed(names)}: no values, or fewer than one in twenty.", "Left out.", left_out=names
        )


@rule
def only_huge_numbers(problem):
    """A column whose numbers are nearly all infinite, or too large to compute with."""
    names = tuple(
        name for name in problem.X if (_written(problem, name).isna() | _huge(problem, name)).mean() > _MOST_MISSING
    )
    if names:
        return Trap(
            "only huge numbers",
            names,
            f"{listed(names)}: only infinite numbers and such beyond ±1e50, or fewer than one in twenty others.",
            "Left out; divide such a column by a power of ten to use it.",
            left_out=names,
        )


def _written(problem, name):
    return problem.types[name].parse(problem.table[name])


def _huge(problem, name):
    return problem.types[name].huge(problem.table[name])


@rule
def constant(problem):
    """A column with the same value in every row."""
    names = tuple(name for name in problem.X if problem.X[name].nunique(dropna=False) == 1)
    if names:
        return Trap("constant", names, f"{listed(names)}: the same value in every row.", "Left out.", left_out=names)


@rule
def contains_the_target(problem):
    """A text that has the class of its row in it: "2013FAIL" where the class is "FAIL"."""
    labels = pd.Series(problem.classes_of_rows()).astype(str).str.casefold()
    if problem.task == "regression" or not labels[labels.str.len() >= _SHORTEST_LABEL].str.isalpha().any():
        return None
    names = []
    for name in problem.X:
        if problem.kinds[name] in ("category", "text") and name not in problem.keep:
            texts = problem.X[name].fillna("").str.casefold()
            pairs = [(label, text) for label, text in zip(labels, texts, strict=True) if label.isalpha()]
            if len(pairs) >= _FEW and np.mean([label in text and label != text for label, text in pairs]) >= 0.9:
                names.append(name)
    if names:
        return Trap(
            "target leak",
            tuple(names),
            f"{listed(names)}: the values contain the class that is to be predicted.",
            "Left out; derive a column without the class to use the rest of it.",
            left_out=tuple(names),
        )


@rule
def mixed_notation(problem):
    """A column of numbers written in several ways, so that they are not read as numbers."""
    names, left_out, examples = [], [], []
    for name in problem.X:
        if problem.kinds[name] not in ("category", "text") or problem.X[name].nunique() <= _FEW:
            continue
        if some := notations(problem.table[name]):
            names.append(name)
            examples.append(f"“{name}” ({listed(some)})")
            if problem.kinds[name] == "text":
                left_out.append(name)
    if names:
        done = "Left out" if len(left_out) == len(names) else "Used as categories"
        if 0 < len(left_out) < len(names):
            done = f"{listed(left_out)} left out, the others used as categories"
        return Trap(
            "mixed notation",
            tuple(names),
            f"Most values look like numbers, in a notation that isn't read: {'; '.join(examples)}.",
            f"{done}; write plain numbers in one unit, one in a field, to use them as numbers.",
            left_out=tuple(left_out),
        )


@rule
def identifier(problem):
    """A column that names or counts the rows."""
    names = tuple(name for name in problem.X if name not in problem.keep and _names_rows(problem, name))
    if names:
        return Trap(
            "identifier",
            names,
            f"{listed(names)}: a different value in every row, or a count of the rows.",
            "Left out; if such numbers are a measurement, use --keep and the column's name.",
            left_out=names,
        )


def _names_rows(problem, name):
    present, kind = problem.X[name].dropna(), problem.kinds[name]
    n, distinct = len(present), present.nunique()
    if n < _FEW:
        return False
    if kind in ("category", "text"):
        words = present.str.contains(" ").any() or present.str.len().max() > 40
        return distinct > _NEARLY_ALL * n and (named_like_an_identifier(name) or not words)
    if kind != "number" or not np.array_equal(present, present.round()):
        return False
    return (named_like_an_identifier(name) and distinct > _NEARLY_ALL * n) or (distinct == n and counts_rows(present))


def counts_rows(numbers):
    """Whether different whole numbers run through the rows, or leave hardly any number out."""
    steps = np.sign(np.diff(numbers))
    return np.ptp(numbers) + 1 <= 1.2 * len(numbers) or abs(steps.sum()) == len(numbers) - 1


@rule
def free_text(problem):
    """Texts that hardly ever repeat."""
    names = tuple(name for name in problem.X if problem.kinds[name] == "text")
    if names:
        return Trap(
            "free text",
            names,
            f"{listed(names)}: texts that hardly ever repeat.",
            "Left out, with --keep, too; derive columns from them to use them.",
            left_out=names,
        )


@rule
def codes_for_missing(problem):
    """Numbers such as -999 and dates such as 1900-01-01 in place of a missing value."""
    names = tuple(name for name in problem.X if problem.types[name].missing)
    if names:
        said = "; ".join(f"“{name}”: {', '.join(problem.types[name].codes())}" for name in names)
        return Trap(
            "missing codes",
            names,
            f"Numbers or dates far from all others that seem to stand for missing values: {said}.",
            "They count as missing.",
        )


@rule
def huge_numbers(problem):
    """Numbers among others that are infinite or too large to compute with."""
    counts = {name: int(_huge(problem, name).sum()) for name in problem.X}
    names = tuple(name for name, n in counts.items() if n)
    if names:
        return Trap(
            "huge numbers",
            names,
            f"{listed(names)}: numbers that are infinite or beyond ±1e50: {sum(counts.values())}.",
            "They count as missing; divide such a column by a power of ten to use them.",
        )


@rule
def mixed_types(problem):
    """Words and limits among numbers."""
    words, limits = (
        pd.Series({name: len(of_type(problem.types[name])(problem.table[name])) for name in problem.X}, dtype=int)
        for of_type in (lambda type: type.unread, lambda type: type.limits)
    )
    words = words[[problem.kinds[name] == "number" for name in words.index]]
    names = tuple(name for name in problem.X if words.get(name, 0) or limits[name])
    if names:
        among = [counted(n, what) for n, what in ((words.sum(), "word"), (limits.sum(), "limit")) if n]
        done = ["Words count as missing."] if words.any() else []
        done += ["A limit such as “<0.5” is read as its number."] if limits.any() else []
        return Trap(
            "mixed types", names, f"{listed(names)}: numbers with {' and '.join(among)} among them.", " ".join(done)
        )


@rule
def dates(problem):
    """Dates, with the format in which they were read: day and month may be the wrong way round."""
    formats = {}
    for name in problem.X:
        if problem.kinds[name] == "date":
            formats.setdefault(date_format(problem.table[name]), []).append(name)
    if formats:
        names = tuple(name for some in formats.values() for name in some)
        read = [
            f"{f'{listed(some)} ' if len(formats) > 1 else ''}as {form}{f', but {other} fits as well' if other else ''}"
            for (form, other), some in formats.items()
            if form
        ]
        said = f", read {'; '.join(read)}" if read else ""
        return Trap("dates", names, f"{listed(names)}: dates{said}.", "Used as days since 1970.")
