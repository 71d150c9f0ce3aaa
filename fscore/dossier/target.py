"""The target column: its task, its classes, and the rows that can't be used."""

import difflib
import unicodedata

import numpy as np
import pandas as pd

from fscore.dossier.reading import is_missing
from fscore.dossier.traps import Trap, listed, missing_codes
from fscore.dossier.types import as_kind, is_huge, kind_of

__all__ = ["FEWEST", "Target", "find_column", "read_target"]

_MOST_CLASSES = 20  # more different numbers than this look continuous, unless they are few for so many rows
_SURELY_CONTINUOUS = 50  # more than this do in any number of rows
FEWEST = 5  # rows of a class, below which it can't be validated
_SHARE_OF_A_CLASS = 0.05  # of all rows; a word for "missing" that is as frequent is a class
_IMBALANCE = 4  # times as many rows in the largest class as in the smallest
_LEAST_RANGE = 1e-100  # of a quantity: squares of smaller differences underflow


class Target:
    """The target, ready for use.

    Attributes
    ----------
    name : str
    task : {"classification", "regression"}
    values : ndarray of shape (n_rows,)
        Class numbers, or float64, of the rows in use.
    classes : list
        Labels by class number: text, or int where all are whole numbers. Empty for regression.
    rows : ndarray of int
        The rows of the file in use.
    traps : list of Trap
    """

    def __init__(self, name, task, values, classes, rows, traps):
        self.name, self.task, self.values = name, task, values
        self.classes, self.rows, self.traps = classes, rows, traps


def find_column(name, columns, option):
    """The column meant by a user: exactly this name, or the only one that differs in case and blanks.

    Parameters
    ----------
    name : str
    columns : sequence of str
    option : str
        Where the name was given, for the message.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is none.
    """

    def plain(text):
        return " ".join(unicodedata.normalize("NFC", text).split()).casefold()

    if name in columns:
        return name
    alike = [column for column in columns if plain(column) == plain(name)]
    if len(alike) == 1:
        return alike[0]
    near = difflib.get_close_matches(plain(name), [plain(column) for column in columns], n=1)
    hint = "".join(f" Did you mean {column!r}?" for column in columns if near and plain(column) == near[0])
    some = ", ".join(map(repr, list(columns)[:8])) + (", ..." if len(columns) > 8 else "")
    raise ValueError(f"{option}={name!r}: the file has no such column; it has {some}.{hint}")


def read_target(text, task=None):
    """Read the target from its column of text.

    A word for "missing", such as "none", is a class if the other values are a few words, 5 % of the rows have it, and
    it doesn't stand for a missing number elsewhere in the file (``text.attrs["missing"]``, see `read_text`).

    Parameters
    ----------
    text : Series
    task : {"classification", "regression"}, optional
        None decides: numbers with many different values are for regression.

    Returns
    -------
    Target

    Raises
    ------
    ValueError
        All values are missing, there is one class, or no class has enough rows.
    """
    name, traps = text.name, []
    kind = kind_of(text)
    if kind == "empty":
        raise ValueError(f"the target {name!r} has no values; name another column by --target.")
    numbers = as_kind(text, "number") if kind == "number" else None
    huge = is_huge(text) if kind == "number" else np.zeros(len(text), dtype=bool)
    if numbers is not None and numbers.isna().all():
        raise ValueError(
            f"the numbers of the target {name!r} are all infinite or beyond ±1e50; divide them by a power of ten."
        )
    continuous = numbers is not None and _is_continuous(numbers)
    if continuous and (task == "classification" or (task is None and _is_whole(numbers))):
        traps.append(
            Trap(
                "continuous labels",
                (name,),
                f"The target “{name}” has {numbers.nunique()} different numbers, so it looks continuous.",
                "Each number is a class, as asked."
                if task
                else "Treated as a quantity (regression); --task classification makes each number a class.",
            )
        )
    task, words = task or ("regression" if continuous else "classification"), _words_for_missing(text)
    if task == "regression":
        if numbers is None:
            raise ValueError(f"the target {name!r} holds {kind} values, but --task regression needs numbers.")
        unlabelled = int(numbers.isna().sum())
        if codes := missing_codes(numbers):
            numbers = numbers.mask(numbers.isin(codes))
            traps.append(
                Trap(
                    "missing codes",
                    (name,),
                    f"Numbers far from all others that seem to stand for a missing “{name}”: "
                    f"{', '.join(f'{code:g}' for code in codes)}.",
                    "Rows with them are left out.",
                )
            )
        rows = np.flatnonzero(numbers.notna())
        values, classes = numbers.to_numpy()[rows], []
        if len(np.unique(values)) < 2:
            raise ValueError(f"the target {name!r} has the same value in every row; name another column by --target.")
        if np.ptp(values) < _LEAST_RANGE:
            raise ValueError(
                f"the target {name!r} varies by {np.ptp(values):.1g} only, so that its squares underflow; give it in a "
                "smaller unit."
            )
    else:
        labels, merged = _labels(text, kind)
        if kind == "category" and (named := _words_as_classes(text, words, labels)):
            labels = labels.fillna(words.str.lower().map(named))
            traps.append(_missing_or_class(name, labels, named))
        unlabelled = int(labels.isna().sum())
        words = words[labels.isna()]
        counts = labels.value_counts()
        rare = sorted(counts.index[counts < min(FEWEST, counts.iloc[0])], key=str) if len(counts) > 2 else []
        labels = labels.where(~labels.isin(rare))
        rows = np.flatnonzero(labels.notna())
        values, classes = pd.factorize(labels.iloc[rows], sort=True)
        classes = list(classes)
        traps += _class_traps(name, counts, rare, merged)
        if len(classes) < 2:
            raise ValueError(
                f"the target {name!r} has one class only ({counts.index[0]!r}); at least two classes with "
                f"{FEWEST} rows each are needed{_taken_as_missing(words)}."
            )
        if np.bincount(values).max() < 2 or len(classes) > len(values) / 2:
            raise ValueError(
                f"the target {name!r} has {counts.size} different labels in {len(text)} rows, so it doesn't look like "
                "a class; name another column by --target."
            )
        if (fewest := np.bincount(values).min()) < FEWEST:
            raise ValueError(
                f"class {classes[np.bincount(values).argmin()]!r} of the target {name!r} has {fewest} of the "
                f"{FEWEST} rows that validation needs of each class; collect more, or merge it with another."
            )
    if unlabelled:
        called = [f"with {listed(sorted(set(words.dropna())))}: {words.notna().sum()}"] if words.notna().any() else []
        called += [f"infinite or beyond ±1e50: {huge.sum()}"] if huge.any() else []
        why = f" ({'; '.join(called)})" if called else ""
        traps.append(
            Trap(
                "missing target",
                (name,),
                f"Rows without a value in “{name}”: {unlabelled}{why}.",
                "These rows are left out"
                + ("; if such a word is a class, write another one for it." if words.notna().any() else "."),
            )
        )
    return Target(name, task, values, classes, rows, traps)


def _is_continuous(numbers):
    distinct = numbers.nunique()
    few_for_rows = min(0.02 * numbers.notna().sum(), _SURELY_CONTINUOUS)
    return distinct > max(_MOST_CLASSES if _is_whole(numbers) else 10, few_for_rows)


def _is_whole(numbers):
    present = numbers.dropna()
    return np.array_equal(present, present.round())


def _labels(text, kind):
    """Class labels, and which spellings were merged: those that differ in case only."""
    if kind in ("number", "boolean"):
        numbers = as_kind(text, "number")
        if kind == "number" and _is_whole(numbers) and numbers.abs().max() < 2**53:
            return numbers.astype("Int64").astype(object), []
        if kind == "number":
            return numbers.map(lambda value: f"{value:.15g}", na_action="ignore").astype(object), []
    labels = as_kind(text, "text")
    spellings = {}
    for label, count in labels.value_counts().items():
        spellings.setdefault(label.casefold(), []).append((count, label))
    usual = {label: max(group)[1] for group in spellings.values() for _, label in group}
    merged = [label for label, kept in usual.items() if label != kept]
    return labels.map(usual, na_action="ignore"), merged


def _words_for_missing(text):
    """The fields that spell a missing value by a word of letters, as they are; NaN elsewhere."""
    fields = text.astype(object).where(lambda fields: fields.map(lambda field: isinstance(field, str)), "")
    words = fields.str.strip()
    return words.where([word.isalpha() and is_missing(word) for word in words])


def _words_as_classes(text, words, labels):
    """Words for "missing" that are classes: the usual spelling of each by the word in lower case."""
    others = labels.dropna()
    if not 0 < others.nunique() <= _MOST_CLASSES or pd.to_numeric(others, errors="coerce").notna().any():
        return {}
    shares = words.str.lower().value_counts() / len(text)
    elsewhere = text.attrs.get("missing", ())
    frequent = [word for word, share in shares.items() if share >= _SHARE_OF_A_CLASS and word not in elsewhere]
    return {word: words[words.str.lower() == word].mode()[0] for word in frequent}


def _missing_or_class(name, labels, named):
    said = ", ".join(f"“{label}” ({(labels == label).sum()} rows)" for label in named.values())
    return Trap(
        "missing or class",
        (name,),
        f"A word that often spells a missing value is frequent in “{name}”: {said}.",
        "It is a class; leave these cells empty if their values are missing.",
    )


def _taken_as_missing(words):
    """What to add to a message on missing classes, if a word may be meant as one."""
    if words.isna().all():
        return ""
    word = words.value_counts().index[0]
    return f"; {word!r} was taken as missing: if it is a class, write another word for it"


def _class_traps(name, counts, rare, merged):
    traps = []
    if merged:
        traps.append(
            Trap(
                "label spelling",
                (name,),
                f"Labels that differ in case only: {listed(merged)}.",
                "They are merged with the more frequent spelling.",
            )
        )
    if rare:
        traps.append(
            Trap(
                "rare classes",
                (name,),
                f"Classes of “{name}” with fewer than {FEWEST} rows: {listed(map(str, rare))}.",
                "Their rows are left out: so few can't be validated.",
            )
        )
    kept = counts.drop(rare)
    if len(kept) > 1 and kept.iloc[0] >= _IMBALANCE * kept.iloc[-1]:
        traps.append(
            Trap(
                "imbalance",
                (name,),
                f"“{kept.index[0]}” has {kept.iloc[0]} rows and “{kept.index[-1]}” {kept.iloc[-1]}.",
                "Scored by balanced accuracy (the mean over classes of the share found), with weights for the classes.",
            )
        )
    return traps
