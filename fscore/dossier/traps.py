"""What a trap is, and those that a single column can hold."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fscore.dossier.types import as_kind, date_format, is_huge, kind_of, notations

__all__ = ["Trap", "column_traps", "counted", "listed", "missing_codes", "one_hot_groups"]

IDENTIFIER_NAME = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|index|idx|key|no|nr|number|patient|subject|person|participant|donor|user|customer|"
    r"client|household|family|animal|site|case|record|sample|specimen|batch)($|[^a-z])|[a-z]ID$",
)
_CODES = {sign * int("9" * digits) for digits in (2, 3, 4, 5, 6) for sign in (1, -1)} | {-1, -9}
_MOST_MISSING = 0.95
_FEW = 20  # rows below which a pattern in a column is no evidence


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
        What was done about it, one sentence.
    """

    kind: str
    columns: tuple
    found: str
    done: str


def listed(names, most=6):
    """Names in one phrase: the first few, and how many more."""
    names = [f"“{name}”" for name in names]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def counted(n, noun):
    """A number and its noun, such as "1 column" or "1,234 columns"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def column_traps(table, keep=()):
    """Types of all columns, and the traps that single columns hold.

    Parameters
    ----------
    table : DataFrame of text
        Without the target.
    keep : sequence of str
        Columns that the user vouches for: they are no identifiers.

    Returns
    -------
    X : DataFrame
        Typed (see `ColumnTypes`), without columns that can't be features.
    kinds : dict of str to str
        Kind of each column of X.
    codes : dict of str to list of float
        Numbers that stand for a missing value.
    traps : list of Trap
    """
    traps, kinds, codes, X = [], {}, {}, {}
    found = {
        "empty": [],
        "only huge numbers": [],
        "huge numbers": [],
        "constant": [],
        "identifier": [],
        "free text": [],
        "dates": [],
        "mixed types": [],
    }
    n_words, n_huge, formats = 0, 0, {}
    for name in table:
        text = table[name]
        kind = kind_of(text)
        values = as_kind(text, kind)
        if kind == "number":
            stands_for_missing = missing_codes(values)
            if stands_for_missing:
                codes[name] = stands_for_missing
                values = values.mask(values.isin(stands_for_missing))
            words = as_kind(text[values.isna()], "text").dropna()
            words = words[pd.to_numeric(words, errors="coerce").isna()]
            if len(words):
                found["mixed types"].append(name)
                n_words += len(words)
        huge = is_huge(text) if kind == "number" else np.zeros(len(text), dtype=bool)
        if (values.isna() & ~huge).mean() > _MOST_MISSING:
            found["empty"].append(name)
        elif values.isna().mean() > _MOST_MISSING:
            found["only huge numbers"].append(name)
        elif values.nunique(dropna=False) == 1:
            found["constant"].append(name)
        elif kind == "text" and (examples := notations(text)):
            traps.append(_mixed_notation(name, examples, "Left out"))
        elif name not in keep and _numbers_rows(name, values, kind):
            found["identifier"].append(name)
        elif kind == "text":
            found["free text"].append(name)
        else:
            kinds[name], X[name] = kind, values
            if huge.any():
                found["huge numbers"].append(name)
                n_huge += int(huge.sum())
            if kind == "category" and values.nunique() > _FEW and (examples := notations(text)):
                traps.append(_mixed_notation(name, examples, "Used as categories"))
            if kind == "date":
                found["dates"].append(name)
                formats.setdefault(date_format(text), []).append(name)
    for kind, (what, done) in _SENTENCES.items():
        if found[kind]:
            names = found[kind]
            what = what.format(words=counted(n_words, "word"), n_huge=n_huge, formats=_formats(formats))
            traps.append(Trap(kind, tuple(names), f"{listed(names)}: {what}.", done))
    if codes:
        said = "; ".join(f"“{name}”: {', '.join(f'{c:g}' for c in values)}" for name, values in codes.items())
        traps.append(
            Trap(
                "missing codes",
                tuple(codes),
                f"Numbers far from all others that seem to stand for missing values: {said}.",
                "They count as missing.",
            )
        )
    X = pd.DataFrame(X, index=table.index)
    missing = X.isna().sum()
    if (missing := missing[missing > 0]).size:
        worst = missing.idxmax()
        traps.append(
            Trap(
                "missing values",
                tuple(missing.index),
                f"Columns with missing values: {len(missing)}; the most has “{worst}” ({missing.max() / len(X):.0%}).",
                "Numbers are filled with the median of the training part, categories get the value “(missing)”.",
            )
        )
    return X, kinds, codes, traps


_SENTENCES = {
    "empty": ("no values, or fewer than one in twenty", "Left out."),
    "only huge numbers": (
        "only infinite numbers and such beyond ±1e50, or fewer than one in twenty others",
        "Left out; divide such a column by a power of ten to use it.",
    ),
    "huge numbers": (
        "numbers that are infinite or beyond ±1e50: {n_huge}",
        "They count as missing; divide such a column by a power of ten to use them.",
    ),
    "constant": ("the same value in every row", "Left out."),
    "identifier": (
        "a different value in every row, or a count of the rows",
        "Left out: it names rows; --keep says that a column of numbers doesn't.",
    ),
    "free text": ("texts that hardly ever repeat", "Left out, with --keep, too; derive columns from them to use them."),
    "mixed types": ("numbers with {words} among them", "Words count as missing."),
    "dates": ("dates{formats}", "Used as days since 1970."),
}


def _mixed_notation(name, examples, done):
    return Trap(
        "mixed notation",
        (name,),
        f"“{name}”: most values look like numbers, in a notation that isn't read: {listed(examples)}.",
        f"{done}; write plain numbers in one unit to use them as numbers.",
    )


def _formats(formats):
    """How dates were read, as the end of a sentence; `formats` has the columns by what `date_format` says."""
    read = [
        f"{listed(names) if len(formats) > 1 else ''} as {form}{f', but {other} fits as well' if other else ''}".strip()
        for (form, other), names in formats.items()
        if form
    ]
    return f", read {'; '.join(read)}" if read else ""


def missing_codes(values):
    """Numbers such as -999 that repeat at the end of the range, far from the rest.

    Parameters
    ----------
    values : Series of float64

    Returns
    -------
    list of float
    """
    present = values.dropna().to_numpy()
    found = []
    for code in {present.min(), present.max()} & _CODES if len(present) else ():
        others = present[present != code]
        n_coded = len(present) - len(others)
        if n_coded < max(3, 0.005 * len(present)) or len(others) < _FEW or n_coded > 0.9 * len(present):
            continue
        low, high = others.min(), others.max()
        if max(code - high, low - code) > max(high - low, 1.0) and len(np.unique(others)) > 2:
            found.append(float(code))
    return sorted(found)


def _numbers_rows(name, values, kind):
    """Whether a column only names or counts the rows."""
    present = values.dropna()
    n = len(present)
    if n < _FEW:
        return False
    distinct = present.nunique()
    named = bool(IDENTIFIER_NAME.search(name if re.search(r"[a-z]ID$", name) else name.lower()))
    if kind in ("category", "text"):
        words = present.str.contains(" ").any() or present.str.len().max() > 40
        return distinct > 0.95 * n and (named or not words)
    if kind != "number" or distinct < n or not np.array_equal(present, present.round()):
        return False
    span = present.max() - present.min() + 1
    steps = np.sign(np.diff(present))
    return named or span <= 1.2 * n or abs(steps.sum()) == n - 1


def one_hot_groups(X):
    """Columns of zeros and ones that are one category: one prefix, and never more than one of them is set.

    Parameters
    ----------
    X : DataFrame

    Returns
    -------
    dict of str to list of str
        Columns by the prefix that they share.
    """
    binary = [name for name in X if X[name].dtype == np.float64 and X[name].isin([0.0, 1.0]).all()]
    by_prefix = {}
    for name in binary:
        for match in re.finditer(r"(?<=\w)\s*(?:__|[_=.:/\-]| )\s*(?=\w)", name):
            by_prefix.setdefault(name[: match.start()], []).append(name)
    groups, taken = {}, set()
    for prefix, names in sorted(by_prefix.items(), key=lambda entry: (-len(entry[1]), -len(entry[0]))):
        total = X[names].sum(axis=1)
        if len(names) >= 3 and total.max() == 1 and total.mean() > 0.5 and not taken & set(names):
            groups[prefix] = names
            taken.update(names)
    return groups
