"""The target column: its task, its classes, and the rows that can't be used."""

import difflib
from dataclasses import replace

import numpy as np
import pandas as pd

from fscore.datasets.columns import labels, notations
from fscore.datasets.texts import clean, is_missing
from fscore.report.evidence import ROWS_EACH
from fscore.report.issues import Issue, listed, rule
from fscore.report.names import is_count

__all__ = ["Target", "find_column", "imbalance", "rare_classes", "read_target", "refuse_rare"]

_TOO_FEW = "Their rows are left out: so few can't be validated."
_MOST_CLASSES = 20  # more different numbers than this look continuous, unless they are few for so many rows
_SURELY_CONTINUOUS = 50  # more than this do in any number of rows
_SHARE_OF_A_CLASS = 0.05  # of all rows; a word for "missing" that is as frequent is a class
_EMPTY = "(empty)"  # the class of the rows without a mark, where no row has another one
_FEWEST_GRADES = 5  # different numbers that may be grades or counts
_FEWEST_RATINGS = 8  # different numbers on a scale, such as from 1 to 10, that are a quantity
_MOST_CODES = 10  # more than this aren't, if one is rare
_SHARE_OF_THE_LARGEST = 0.02  # times as many rows as the most frequent count has, the largest one
_FEWEST_COUNTED = 4  # the same, where the name says that they are counts
_STEEP = 10  # times as many rows as behind a gap
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
    issues : list of Issue
    """

    def __init__(self, name, task, values, classes, rows, issues):
        self.name, self.task, self.values = name, task, values
        self.classes, self.rows, self.issues = classes, rows, issues


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
        return clean(text).casefold()

    alike = [name] if name in columns else [column for column in columns if plain(column) == plain(name)]
    if len(alike) == 1:
        return alike[0]
    near = difflib.get_close_matches(plain(name), [plain(column) for column in columns], n=1)
    hint = "".join(f" Did you mean {column!r}?" for column in columns if near and plain(column) == near[0])
    first = ", ".join(map(repr, list(columns)[:8])) + (", ..." if len(columns) > 8 else "")
    raise ValueError(f"{option}={name!r}: the file has no such column; it has {first}.{hint}")


def read_target(table, name, task=None):
    """Read the target from its column of a table.

    A word for "missing", such as "none", is a class if the other values are a few words, 5% of the rows have it, and
    it doesn't stand for a missing number elsewhere in the table.

    Parameters
    ----------
    table : Table
    name : str
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
    text, type = table.frame[name], table.types[name]
    numbers = replace(type, missing=()).read(text) if type.kind == "number" else pd.Series(dtype=float)
    if type.kind == "empty" or (type.kind == "number" and numbers.isna().all()):
        raise ValueError(f"the target {name!r} has no values, or none within ±1e50; name another column by --target.")
    of_words = task is None and type.kind in ("category", "text") and text.nunique() > _MOST_CLASSES
    if of_words and (odd := notations(text)):
        raise ValueError(
            f"the target {name!r} holds numbers in a notation that isn't read ({listed(odd)}); write plain numbers in "
            "one unit, or use --task classification."
        )
    if type.kind == "date" and task != "classification" and text.nunique() > _MOST_CLASSES:
        others = [other for other, type in table.types.items() if type.kind == "date" and other != name]
        since = f" since {others[0]!r}" if others else ", such as those since a start"
        raise ValueError(
            f"the target {name!r} holds dates, which can't be predicted as they are; add a column of the days{since}, "
            "and name it by --target."
        )
    uncoded = numbers[~numbers.isin(type.missing)]
    issues, continuous = [], _is_continuous(uncoded, is_count(name))
    n_values = uncoded.nunique()
    finding = f"The target “{name}” has {n_values} different numbers."
    few = n_values <= min(_SURELY_CONTINUOUS, len(numbers) / 5)
    if continuous and (task == "classification" or (task is None and (few or _is_whole(numbers)))):
        action = "Treated as a quantity (regression); --task classification makes each number a class."
        action = "Each is a class, as asked." if task else action
        issues.append(Issue("continuous labels", (name,), finding, action))
    elif task is None and not continuous and n_values >= _FEWEST_GRADES:
        action = "Each is a class; if they are counts or ordered grades, use --task regression."
        issues.append(Issue("numbers as classes", (name,), finding, action))
    if task == "classification" or (task is None and not continuous):
        return _classes(table, name, issues)
    if type.kind != "number":
        raise ValueError(f"the target {name!r} holds {type.kind} values, but --task regression needs numbers.")
    issues += _unlabeled(table, name, numbers, "regression")
    if type.missing:
        numbers = numbers.mask(numbers.isin(type.missing))
        finding = f"Numbers far from all others that seem to stand for a missing “{name}”: {', '.join(type.codes())}."
        issues.append(Issue("missing codes", (name,), finding, "Rows with them are left out."))
    rows = np.flatnonzero(numbers.notna())
    values = numbers.to_numpy()[rows]
    if np.ptp(values) < _LEAST_RANGE:
        raise ValueError(
            f"the target {name!r} has the same value in every row, up to {_LEAST_RANGE}; name another column by "
            "--target, or give it in a smaller unit."
        )
    return Target(name, "regression", values, [], rows, issues)


def _classes(table, name, issues):
    text, type = table.frame[name], table.types[name]
    classified, merged = labels(text, type)
    words = _words_for_missing(text)
    if type.kind == "category" and (named := _words_as_classes(table, words, classified)):
        classified = classified.fillna(words.str.lower().map(named))
        phrases = ", ".join(f"“{label}” ({(classified == label).sum()} rows)" for label in named.values())
        finding = f"A word that often spells a missing value is frequent in “{name}”: {phrases}."
        action = "It is a class; leave these cells empty if their values are missing."
        issues.append(Issue("missing or class", (name,), finding, action))
    empty = text.isna() | (text == "")
    are_marks = classified.nunique() == 1 and (classified.notna() | empty).all()
    if are_marks and min(empty.sum(), (~empty).sum()) >= ROWS_EACH:
        (label,) = classified.dropna().unique()
        classified = classified.astype(object).where(~empty, _EMPTY).astype(str)
        filled = f"All rows with a value in “{name}” have “{label}” ({(~empty).sum()} rows)"
        finding = f"{filled}, and {empty.sum()} rows are empty."
        action = f"An empty cell is the class “{_EMPTY}”; leave out these rows if their value is missing."
        issues.append(Issue("missing or class", (name,), finding, action))
    issues += _unlabeled(table, name, classified, "classification")
    coded = classified.isin(type.missing)
    if type.kind == "number" and coded.any() and classified[~coded].nunique() > 1:
        codes = ", ".join(type.codes())
        finding = f"Beside its classes, “{name}” has {codes}, which seem to stand for a missing answer."
        action = "Rows with them are left out; write words if they are classes."
        issues.append(Issue("missing codes", (name,), finding, action))
        classified = classified.mask(coded)
    counts = classified.value_counts()
    rare = sorted(counts.index[counts < min(ROWS_EACH, counts.iloc[0])], key=str) if len(counts) > 2 else []
    classified = classified.where(~classified.isin(rare))
    rows = np.flatnonzero(classified.notna())
    values, classes = pd.factorize(classified.iloc[rows], sort=True)
    issues += _class_issues(name, counts, rare, merged)
    if len(classes) < 2:
        word = words.mode()
        hint = f"; {word[0]!r} was taken as missing: if it is a class, write another word for it" if len(word) else ""
        raise ValueError(
            f"the target {name!r} has one class only ({counts.index[0]!r}); at least two classes with {ROWS_EACH} rows "
            f"each are needed{hint}{_or_regression(counts.index)}."
        )
    if len(classes) > len(values) / 2:
        raise ValueError(
            f"the target {name!r} has {counts.size} different labels in {len(text)} rows, so it doesn't look like a "
            "class; name another column by --target."
        )
    refuse_rare(name, classes, values)
    return Target(name, "classification", values, list(classes), rows, issues)


def refuse_rare(name, classes, values):
    """Refuse a target with a class that is too rare to be validated.

    Parameters
    ----------
    name : str
    classes : sequence
    values : ndarray of int of shape (n_rows,)

    Raises
    ------
    ValueError
        If a class has fewer than five rows.
    """
    sizes = np.bincount(values, minlength=len(classes))
    if sizes.min() < ROWS_EACH:
        raise ValueError(
            f"class {classes[sizes.argmin()]!r} of the target {name!r} has {sizes.min()} of the {ROWS_EACH} different "
            "rows that validation needs of each class; collect more, or merge it with another"
            f"{_or_regression(classes)}."
        )


def _or_regression(classes):
    """The remedy if several numbers are classes."""
    are_numbers = len(classes) > 2 and not any(isinstance(label, str) for label in classes)
    return ", or use --task regression for a quantity" if are_numbers else ""


@rule(
    "rare classes",
    f"Classes of {{columns}} with fewer than {ROWS_EACH} different rows: {{names}}.",
    _TOO_FEW,
)
def rare_classes(problem):
    """Classes of which copies of rows leave too few; not where one class at most would be left."""
    target = problem.target
    if problem.task == "regression":
        return None
    rare = np.bincount(problem.y, minlength=len(target.classes)) < ROWS_EACH
    if not rare.any() or (~rare).sum() < 2:
        return None
    numbers, used = np.cumsum(~rare) - 1, ~rare[target.values]
    classes = [label for label, is_rare in zip(target.classes, rare, strict=True) if not is_rare]
    changed = Target(target.name, target.task, numbers[target.values[used]], classes, target.rows[used], target.issues)
    return {
        "columns": [target.name],
        "names": listed(str(label) for label in target.classes if label not in classes),
        "changes": {"target": changed, "y": numbers[problem.y], "keep_rows": ~rare[problem.y]},
    }


@rule(
    "imbalance",
    "“{most}” has {n_most} rows and “{least}” {n_least}.",
    "Scored by balanced accuracy (the mean over classes of the share found), with weights for the classes.",
)
def imbalance(problem):
    """A class with several times the rows of another one."""
    sizes = np.bincount(problem.y) if problem.task == "classification" else np.ones(1)
    most, least = sizes.argmax(), sizes.argmin()
    if sizes[most] < _IMBALANCE * sizes[least]:
        return None
    classes = problem.target.classes
    words = {"most": classes[most], "n_most": sizes[most], "least": classes[least], "n_least": sizes[least]}
    return {"columns": [problem.target.name], **words}


def _unlabeled(table, name, values, task):
    """The issue of rows whose target is missing or can't be read, if there are any."""
    unlabeled, type = table.frame[name][values.isna()], table.types[name]
    if unlabeled.empty:
        return []
    words, unread = _words_for_missing(unlabeled).dropna(), type.unread(unlabeled)
    why = [f"with {listed(sorted(set(texts)))}: {len(texts)}" for texts in (words, unread) if len(texts)]
    because = f" ({'; '.join(why)})" if why else ""
    finding = f"Rows without a {'number' if task == 'regression' else 'class'} in “{name}”: {len(unlabeled)}{because}."
    remedy = "; if such a word is a class, write another one for it" if task == "classification" and len(words) else ""
    return [Issue("missing target", (name,), finding, f"These rows are left out{remedy}.")]


def _is_continuous(numbers, is_named_count):
    distinct, few = numbers.nunique(), _FEWEST_COUNTED if is_named_count else _FEWEST_GRADES
    if not _is_whole(numbers):
        return distinct >= _FEWEST_GRADES  # stars in halves or tenths are a quantity
    counts = numbers.value_counts().sort_index()
    if distinct > _MOST_CODES and (counts.min() < ROWS_EACH or is_named_count):
        return True
    if distinct >= few and _is_unimodal(counts.to_numpy()):
        is_scale = distinct >= _FEWEST_RATINGS and counts.max() >= _IMBALANCE * counts.min()
        if is_scale or _are_counts(counts, is_named_count):
            return True
    return distinct > max(_MOST_CLASSES, min(0.02 * numbers.notna().sum(), _SURELY_CONTINUOUS))


def _are_counts(counts, is_named_count):
    """Whether numbers, by their frequencies in ascending order, begin with 0 or 1, and the large ones are rare.

    Rare numbers behind a gap are codes, such as 7 and 9 beside 1 to 5.
    """
    sizes = counts.to_numpy()
    are_codes = ((np.diff(counts.index) > 1) & (sizes[:-1] >= _STEEP * sizes[1:])).any()
    is_rare = sizes[-1] < ROWS_EACH or sizes[-1] <= _SHARE_OF_THE_LARGEST * sizes.max()
    starts = counts.index[0] in (0, 1) and sizes.argmax() < len(sizes) / 2
    return starts and not are_codes and (is_named_count or is_rare)


def _is_unimodal(sizes):
    """Whether sizes rise to the largest and then fall, up to chance: two standard errors of a difference."""
    rises = np.diff(sizes) / np.sqrt(sizes[1:] + sizes[:-1])
    mode = sizes.argmax()
    return (rises[:mode] > -2).all() and (rises[mode:] < 2).all()


def _is_whole(numbers):
    return (numbers.dropna() % 1 == 0).all()


def _words_for_missing(text):
    """The fields that spell a missing value by a word of letters, as they are; NaN elsewhere."""
    words = pd.Series([field.strip() if isinstance(field, str) else "" for field in text], text.index, dtype=object)
    return words.where([word.isascii() and word.isalpha() and is_missing(word) for word in words])


def _words_as_classes(table, words, classified):
    """Words for "missing" that are classes: the usual spelling of each by the word in lower case."""
    others = classified.dropna()
    if not 0 < others.nunique() <= _MOST_CLASSES or pd.to_numeric(others, errors="coerce").notna().any():
        return {}
    shares = words.str.lower().value_counts() / len(words)
    frequent = [word for word, share in shares.items() if share >= _SHARE_OF_A_CLASS]
    if not frequent:
        return {}
    elsewhere = {
        word.lower()
        for name, type in table.types.items()
        if type.kind == "number"
        for word in _words_for_missing(pd.Series(table.frame[name].unique())).dropna()
    }
    return {word: words[words.str.lower() == word].mode()[0] for word in frequent if word not in elsewhere}


def _class_issues(name, counts, rare, merged):
    issues = []
    if merged:
        finding = f"Labels that differ from another one in spelling only: {listed(merged)}."
        issues.append(Issue("label spelling", (name,), finding, "They are merged with the more frequent spelling."))
    if rare:
        finding = f"Classes of “{name}” with fewer than {ROWS_EACH} rows: {listed(map(str, rare))}."
        issues.append(Issue("rare classes", (name,), finding, _TOO_FEW))
    return issues
