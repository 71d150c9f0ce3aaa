"""Rules for traps that lie in single columns; each is a function, in the order in which they run."""

import re

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, kruskal, rankdata, spearmanr

from fscore.datasets.columns import ColumnType, date_format, notations
from fscore.report.traps import counted, listed, rule

__all__ = ["counts_rows", "follows_time", "has_word", "is_name_of_names", "orders_rows_in_time"]

_IDENTIFIER = (  # words of names of columns that name things
    "id|ids|uuid|guid|pid|mrn|ssn|email|index|idx|key|no|nr|number|patient|subject|subj|person|participant|donor|user|"
    "customer|client|member|employee|student|player|doctor|household|family|school|hospital|farm|account|device|machine|"
    "animal|chick|cow|mouse|litter|site|case|record|sample|specimen|batch"
)
_TIME = r"time|zeit|timestamp|datetime|epoch|date|datum|year|yr|jahr|quarter|period|month|monat|week|woche|day|tag"
_MOST_MISSING = 0.95
_SURE = 1e-4  # p-value that counts as evidence of order in time
_NEARLY_ALL = 0.9  # of the rows have an identifier of their own; copies of rows have not
_FEW = 20  # rows below which a pattern in a column is no evidence
_SHORTEST_LABEL = 3  # letters of a class that are no coincidence within another text


def has_word(name, words):
    """Whether a name has one of some words (a regular expression), as "patient_id", "CustomerId" and "ID" have "id".

    What a name has in brackets at its end doesn't count.
    """
    plain = re.sub("([a-z])([A-Z])", r"\1 \2", name.partition("(")[0]).lower()
    return bool(re.search(f"(^|[^a-z])({words})($|[^a-z])", plain))


def is_name_of_names(name):
    """Whether a column names things, by its own name, as "patient_id", "Site (code)" or "Client no.", but no count."""
    counts = has_word(name, "(no|nr|number|count)[^a-z]+of|per")
    return not counts and has_word(name, f"({_IDENTIFIER})([^a-z]+(name|code|tag))?[^a-z]*$")


@rule("empty", "{columns}: no values, or fewer than one in twenty.", "Left out.", leaves_out=True)
def empty(problem):
    """A column with hardly any value; huge numbers and codes for a missing value are values, if not usable ones."""
    written = {name: problem.types[name].parse(problem.table[name]) for name in problem.X}
    return [name for name, column in written.items() if column.isna().mean() > _MOST_MISSING]


@rule(
    "huge numbers",
    "{columns}: numbers that are infinite or beyond ±1e50: {n}.",
    "They count as missing, and a column that has hardly any other is left out; divide it by a power of ten to use it.",
)
def huge_numbers(problem):
    """Numbers that are infinite or too large to compute with."""
    counts = {name: n for name in problem.X if (n := problem.types[name].huge(problem.table[name]).sum())}
    left_out = [name for name in counts if problem.X[name].isna().mean() > _MOST_MISSING]
    return counts and {"columns": list(counts), "left_out": left_out, "n": sum(counts.values())}


@rule("constant", "{columns}: the same value in every row.", "Left out.", leaves_out=True)
def constant(problem):
    """A column with the same value in every row."""
    return [name for name in problem.X if problem.X[name].nunique(dropna=False) == 1]


@rule(
    "target leak",
    "{columns}: the values contain the class that is to be predicted.",
    "Left out; derive a column without the class to use the rest of it.",
    leaves_out=True,
)
def contains_the_target(problem):
    """A text that has the class of its row in it: "2013FAIL" where the class is "FAIL"."""
    labels = pd.Series(problem.labels()).astype(str).str.casefold()
    words = labels[labels.str.isalpha() & (labels.str.len() >= _SHORTEST_LABEL)]
    of_words = [name for name in problem.X if problem.kinds[name] in ("category", "text") and name not in problem.keep]

    def holds(name):
        texts = problem.X[name][words.index].fillna("").str.casefold()
        return np.mean([word in text and word != text for word, text in zip(words, texts, strict=True)]) >= 0.9

    return [name for name in of_words if len(words) >= _FEW and holds(name)]


@rule(
    "mixed notation",
    "Most values look like numbers, in a notation that isn't read: {columns}.",
    "Left out if the texts hardly ever repeat, else used as categories; write plain numbers in one unit, one in a "
    "field, to use them as numbers.",
)
def mixed_notation(problem):
    """A column of numbers written in several ways, so that they are not read as numbers."""
    of_words = [name for name in problem.X if problem.kinds[name] in ("category", "text")]
    found = {n: listed(notations(problem.table[n])) for n in of_words if problem.X[n].nunique() > _FEW}
    found = {name: examples for name, examples in found.items() if examples}
    return found and {"columns": found, "left_out": [name for name in found if problem.kinds[name] == "text"]}


@rule(
    "identifier",
    "{columns}: different values in nearly every row, or a count of the rows.",
    "Left out; if such numbers are a measurement, use --keep and the column's name.",
    leaves_out=True,
)
def identifier(problem):
    """A column that names or counts the rows."""
    return [name for name in problem.X if name not in problem.keep and _names_rows(problem, name)]


def _names_rows(problem, name):
    present, kind, named = problem.X[name].dropna(), problem.kinds[name], is_name_of_names(name)
    n, distinct = len(present), present.nunique()
    differ = distinct > _NEARLY_ALL * n
    if n < _FEW or kind == "date":
        return False
    if kind in ("category", "text"):
        return differ and (named or not (present.str.contains(" ").any() or present.str.len().max() > 40))
    whole = np.array_equal(present, present.round())
    return whole and ((named and differ) or counts_rows(present)) and not orders_rows_in_time(problem, name)


def follows_time(time, y, task):
    """Whether the target drifts, or differs between blocks of consecutive rows.

    Parameters
    ----------
    time : ndarray of shape (n_samples,)
    y : ndarray of shape (n_samples,)
        Class numbers, or values.
    task : {"classification", "regression"}

    Returns
    -------
    bool
    """
    known = ~np.isnan(time)
    order = np.argsort(time[known], kind="stable")
    y = np.asarray(y, dtype=np.float64)[known][order]
    if len(y) < 30 or np.ptp(time[known]) == 0 or np.ptp(y) == 0:
        return False
    blocks = np.arange(len(y)) * max(4, round(len(y) ** 0.5)) // len(y)
    ranks = rankdata(time[known][order])
    targets = [y] if task == "regression" else [y == c for c in np.unique(y)]
    drifts = any(spearmanr(ranks, target).pvalue < _SURE / len(targets) for target in targets)
    if drifts or task == "classification":
        return drifts or chi2_contingency(pd.crosstab(blocks, y)).pvalue < _SURE
    return kruskal(*(y[blocks == k] for k in np.unique(blocks))).pvalue < _SURE


def orders_rows_in_time(problem, name):
    """Whether rows are in the order of different numbers that are a time, by their name, and the target follows it."""
    values = problem.X[name].to_numpy()
    named = problem.looks_for_time and problem.kinds[name] == "number" and has_word(name, _TIME)
    in_order = named and abs(np.sign(np.diff(values)).sum()) == len(values) - 1
    return in_order and follows_time(values, problem.y, problem.task)


def counts_rows(numbers):
    """Whether numbers are whole and different, and run through the rows or leave hardly any number out."""
    if len(numbers) < 2 or not numbers.is_unique or (numbers % 1 != 0).any():
        return False
    steps = np.sign(np.diff(numbers))
    return np.ptp(numbers) + 1 <= 1.2 * len(numbers) or abs(steps.sum()) == len(numbers) - 1


@rule(
    "free text",
    "{columns}: texts that hardly ever repeat.",
    "Left out, even with --keep; derive columns from them to use them.",
    leaves_out=True,
)
def free_text(problem):
    """Texts that hardly ever repeat."""
    return [name for name in problem.X if problem.kinds[name] == "text"]


@rule(
    "missing codes",
    "Numbers or dates far from all others that seem to stand for missing values: {columns}.",
    "They count as missing.",
)
def codes_for_missing(problem):
    """Numbers such as -999 and dates such as 1900-01-01 in place of a missing value."""
    coded = {name: problem.types[name] for name in problem.X if problem.types[name].missing}
    return coded and {"columns": {name: ", ".join(type.codes()) for name, type in coded.items()}}


@rule("mixed types", "{columns}: numbers with {among} among them.", "{done}")
def mixed_types(problem):
    """Words, limits and other units among numbers."""
    as_written = problem.table.select_dtypes(exclude=np.float64)  # plain numbers are read before
    numbers = {n: problem.types[n] for n in problem.X if problem.kinds[n] == "number" and n in as_written}
    others, limits = (
        {name: texts for name, type in numbers.items() if len(texts := of_type(type, problem.table[name]))}
        for of_type in (ColumnType.unread, ColumnType.limits)
    )
    names = [name for name in numbers if name in others or name in limits]
    counts = [sum(map(len, texts.values())) for texts in (others, limits)]
    examples = listed([texts.mode()[0] for texts in others.values()], 3)
    among = [f"{counted(counts[0], 'other text')} (such as {examples})"] if others else []
    among += [counted(counts[1], "limit")] if limits else []
    done = ["Other texts count as missing; write all numbers of a column in one unit."] if others else []
    done += ["A limit such as “<0.5” is read as its number."] if limits else []
    return names and {"columns": names, "among": " and ".join(among), "done": " ".join(done)}


@rule("dates", "{columns}: dates{read}.", "Used as days since 1970.")
def dates(problem):
    """Dates, with the format in which they were read: day and month may be the wrong way round."""
    formats = {}
    for name in problem.X:
        if problem.kinds[name] == "date":
            formats.setdefault(date_format(problem.table[name]), []).append(name)
    read = [
        f"{f'{listed(some)} ' if len(formats) > 1 else ''}as {form}{f', but {other} fits as well' if other else ''}"
        for (form, other), some in formats.items()
        if form
    ]
    read = f", read {'; '.join(read)}" if read else ""
    return formats and {"columns": [name for some in formats.values() for name in some], "read": read}
