"""Rules for traps in single columns, including those of time or groups; functions in the order in which they run."""

import calendar
import re
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import kruskal, rankdata, spearmanr

from fscore.datasets.columns import ColumnType, date_format, notations
from fscore.report.traps import counted, listed, rule

__all__ = ["counts_rows", "has_word"]

_IDENTIFIER = (  # words of names of columns that name things
    "id|ids|uuid|guid|pid|mrn|ssn|email|index|idx|key|no|nr|number|patient|subject|subj|person|participant|donor|user|"
    "customer|client|member|employee|student|player|doctor|household|family|school|hospital|farm|account|device|machine|"
    "firm|animal|chick|cow|mouse|litter|site|case|record|sample|specimen|batch|"
    "proband|teilnehmer|kunde|schüler|sujet|paciente|sujeto|alumno|cliente|пациент|клиент"
)
_TIME = r"time|zeit|timestamp|datetime|epoch|date|datum|year|yr|jahr|quarter|period|month|monat|week|woche|day|tag"
_PARTS = {  # of a date, the longest first: names of such columns, the least and the greatest number, days
    "year": (("year", "yr", "jahr", "année", "año", "ano", "anno"), 1000, 2200, 372.0),
    "month": (("month", "mnth", "mon", "mo", "monat", "mois", "mes", "mês", "mese"), 0, 12, 31.0),
    "day": (("day", "dom", "da", "tag", "jour", "día", "dia", "giorno"), 0, 31, 1.0),
    "hour": (("hour", "hr", "stunde", "heure", "hora", "ora"), 0, 24, 1 / 24),
}
_BIRTH = r"birth\w*|born|dob|geb\w*|naissance|nacimiento"
_IN_ORDER = 0.98  # of the steps from row to row
_SAYS_WHEN = r"^(date|datum|time|zeit|timestamp|when|day|week|month)$|visit\w*|observ\w*|record\w*|sampl\w*|measur\w*"
_NAMES_OF_PARTS = {name: part for part, (names, *_) in _PARTS.items() for name in names}
_MONTHS = {name.casefold(): k for names in (calendar.month_name, calendar.month_abbr) for k, name in enumerate(names)}
_MOST_MISSING = 0.95
_LIKENESS = 0.1  # share of the target's variance that lies between the units, corrected for chance
_N_PERMUTATIONS = 40
_SURE = 1e-4  # p-value that counts as evidence of order in time
_NEARLY_ALL = 0.9  # of the rows have an identifier of their own; copies of rows have not
_FEW = 20  # rows below which a pattern in a column is not evidence
_SHORTEST_LABEL = 3  # letters of a class from which its occurrence in another text is not a coincidence


def has_word(name, words):
    """Whether a name has one of some words (a regular expression), as "patient_id", "CustomerId" and "ID" have "id".

    What a name has in brackets at its end doesn't count.
    """
    plain = re.sub("([a-z])([A-Z])", r"\1 \2", name.partition("(")[0]).lower()
    return bool(re.search(f"(^|[^a-z])({words})($|[^a-z])", plain))


def is_identifier_name(name):
    """Whether a name is that of an identifier, as "patient_id", "Site (code)" or "Client no.", and not of a count."""
    counts = has_word(name, "(no|nr|number|count)[^a-z]+of|per")
    return not counts and has_word(name, f"({_IDENTIFIER})([^a-z]+(name|code|tag))?[^a-z]*$")


@rule("empty", "{columns}: no usable values, or fewer than one in twenty.", "Left out.", leaves_out=True)
def empty(problem):
    """A column with hardly any value; codes for a missing value are values, but numbers beyond ±1e50 are not."""
    written = {name: replace(problem.types[name], missing=()).read(problem.table[name]) for name in problem.X}
    return [name for name, column in written.items() if column.isna().mean() > _MOST_MISSING]


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
    words = labels[labels.str.count(r"[^\W\d_]") >= _SHORTEST_LABEL]
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
    "time order",
    "The target changes with {called}: rows drawn at random would look ahead.",
    "Scored forwards in time, trained on earlier rows and tested on later ones, and beside that on rows drawn at "
    "random (--time none scores these alone).",
)
def time_order(problem):
    """A date, a year, or rows in the order of hours or days, where the target changes with it.

    The file must be sorted by it, or the name must say that it is the time of the row: a date of birth and the year of
    a car are not.
    """
    for names, called, time in _times(problem) if problem.looks_for_time else ():
        if _follows_time(time, problem.y, problem.task):
            problem.take_time(time, called, names)
            return {"columns": names, "called": called}
    return None


def _times(problem):
    """Columns, name and values of what may be the time of a row."""
    dates = [name for name in problem.X if problem.kinds[name] == "date" and not has_word(name, _BIRTH)]
    found = [name for name in dates if _order(problem.X[name])]
    found += [name for name in dates if has_word(name, _SAYS_WHEN)]
    numbers = [name for name in problem.X if problem.kinds[name] == "number" and has_word(name, _TIME)]
    found += [name for name in numbers if _in_order(problem.X[name])]
    yield from (((name,), f"“{name}”", problem.X[name].to_numpy()) for name in found)
    parts = {}
    for part, (words, low, high, _) in _PARTS.items():
        for name in problem.X:
            values = _numbers(problem, name, part) if name.casefold().strip() in words else None
            if values is not None and values.between(low, high).all() and values.max() > 2:
                parts.setdefault(part, (name, values.to_numpy(dtype=float)))
    if "year" in parts and (len(parts) > 1 or _order(parts["year"][1])):
        names = tuple(name for name, _ in parts.values())
        yield names, listed(names), sum(_PARTS[part][-1] * values for part, (_, values) in parts.items())
    for part, (name, values) in parts.items():
        if part != "year" and _order(values) == "cycles" and not _begins_with_units(problem, values):
            yield (name,), f"the order of the rows (“{name}” runs through it)", np.arange(len(values), dtype=float)


def _begins_with_units(problem, values):
    """Whether numbers fall where the name in another column changes, to one that wasn't there before."""
    cycle = np.cumsum(np.diff(values, prepend=values[0]) < 0)
    units = problem.table[[n for n in problem.table if problem.kinds[n] == "category" or is_identifier_name(n)]]
    return ((units.nunique() > cycle[-1]) & (units.groupby(cycle).nunique() == 1).all()).any()


def _order(values):
    """Whether numbers rise by one or not at all and begin again at times ("cycles"), or are "sorted"; else empty."""
    steps = np.diff(values[~np.isnan(values)])
    falls, rises = steps < 0, steps > 0
    if 0 < falls.mean() < 0.5 and (steps[rises] == 1).sum() > rises.sum() - (1 - _IN_ORDER) * len(steps):
        return "cycles"
    return "sorted" if min(falls.mean(), rises.mean()) < 1 - _IN_ORDER else ""


def _numbers(problem, name, part):
    """A column as numbers, those of months by their names; None if it holds something else."""
    if problem.kinds[name] == "category" and part == "month":
        return problem.X[name].str.casefold().str.strip().map(_MONTHS)
    return problem.X[name] if problem.kinds[name] == "number" else None


def _follows_time(time, y, task):
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
    blocks = np.array_split(np.arange(len(y)), max(4, round(len(y) ** 0.5)))
    ranks = rankdata(time[known][order])
    targets = [y] if task == "regression" else [y == c for c in np.unique(y)]
    tests = [spearmanr(ranks, target) for target in targets]
    tests += [kruskal(*(target[block] for block in blocks)) for target in targets]
    return min(test.pvalue for test in tests) < _SURE / len(targets)


@rule(
    "identifier",
    "{columns}: different values in nearly every row, or a count of the rows.",
    "Left out; if such numbers are a measurement, use --keep and the column's name.",
    leaves_out=True,
)
def identifier(problem):
    """A column that names or counts the rows, and is not their time."""
    return [name for name in problem.X if _names_rows(problem, name)]


def _names_rows(problem, name):
    present, kind, named = problem.X[name].dropna(), problem.kinds[name], is_identifier_name(name)
    n, distinct = len(present), present.nunique()
    differ = distinct > _NEARLY_ALL * n
    if n < _FEW or kind == "date" or name in (*problem.keep, *problem.time_columns):
        return False
    if kind in ("category", "text"):
        return differ and (named or not (present.str.contains(" ").any() or present.str.len().max() > 40))
    whole = np.array_equal(present, present.round())
    return whole and ((named and differ) or counts_rows(present))


def _in_order(numbers):
    """Whether numbers rise, or fall, in every step from row to row."""
    return numbers.is_unique and (numbers.is_monotonic_increasing or numbers.is_monotonic_decreasing)


def counts_rows(numbers):
    """Whether numbers are distinct integers in the order of the rows, or with hardly any gaps."""
    are_distinct = len(numbers) > 1 and numbers.is_unique and (numbers % 1 == 0).all()
    return are_distinct and (np.ptp(numbers) + 1 <= 1.2 * len(numbers) or _in_order(numbers))


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
    """Numbers such as -999 and infinity, and dates such as 1900-01-01, in place of a missing value."""
    coded = {name: problem.types[name] for name in problem.X if problem.types[name].missing}
    return coded and {"columns": {name: ", ".join(type.codes()) for name, type in coded.items()}}


@rule(
    "mixed types",
    "Numbers with something else among them: {columns}.",
    "Other texts count as missing; write all numbers of a column in one unit. A limit such as “<0.5” is read as its "
    "number.",
)
def mixed_types(problem):
    """Words, limits and other units among numbers."""
    found = {}
    for name, column in problem.table.select_dtypes(exclude=np.float64).items():  # plain numbers are read before
        if name in problem.X and problem.kinds[name] == "number":
            others, limits = problem.types[name].unread(column), problem.types[name].limits(column)
            said = [f"{counted(len(others), 'other text')} such as “{others.mode()[0]}”"] if len(others) else []
            said += [counted(len(limits), "limit")] if len(limits) else []
            if said:
                found[name] = ", ".join(said)
    return found and {"columns": found}


@rule("dates", "Dates: {columns}.", "Used as days since 1970.")
def dates(problem):
    """Dates, with the format in which they were read: day and month may be the wrong way round."""
    names = [name for name in problem.X if problem.kinds[name] == "date"]
    return names and {"columns": {name: date_format(problem.table[name]) for name in names}}


@rule(
    "groups",
    "Rows of one {columns} have similar targets ({n} values in {n_rows} rows).",
    "Scored twice: for a new {columns} (the rows of one stay in one fold) and for known ones. If you will predict "
    "known ones only, use --groups none.",
)
def groups(problem):
    """Several rows of one unit, whose targets are alike.

    A unit has a name such as "subject", or its rows are a panel: another column, such as the year, runs through the
    same values in every unit.
    """
    likeness = {}
    for name, column in problem.table.items() if problem.looks_for_groups else ():
        named = is_identifier_name(name)
        words = problem.kinds[name] in ("category", "text") and name.casefold() not in _NAMES_OF_PARTS
        if not (words or (named and problem.kinds[name] == "number")) or problem.left_out.get(name) == "target leak":
            continue
        codes = pd.factorize(column, use_na_sentinel=False)[0]
        n_units, n = codes.max() + 1, len(codes)
        whole = words or np.array_equal(problem.typed(name), problem.typed(name).round())
        if not (4 <= n_units < 0.9 * n and np.mean(np.bincount(codes)[codes] > 1) > 0.5 and whole):  # most repeat
            continue
        panel = _panel(problem, name, codes)
        if named or panel is not None:
            share, by_chance = _likeness(codes, problem.y, problem.task, panel)
            if share > max(_LIKENESS, by_chance):
                likeness[name] = share
    if not likeness:
        return None
    name = max(likeness, key=likeness.get)
    problem.take_groups(name)
    if name in problem.X:
        problem.types[name], problem.kinds[name] = ColumnType("category"), "category"
        problem.X[name] = problem.typed(name)
    return {"columns": (name,), "n": problem.table[name].nunique(), "n_rows": len(problem.table)}


def _panel(problem, name, codes):
    """Numbers of the values of a column that has each of them once in most of the units; None if there is none."""
    n, n_units = len(codes), codes.max() + 1
    for other in problem.X:
        values = pd.factorize(problem.X[other], use_na_sentinel=False)[0]
        n_values = values.max() + 1
        fits = other != name and 3 <= n_values <= 2 * n / n_units and problem.kinds[other] != "text"
        if fits and n >= 0.5 * n_units * n_values and len(np.unique(codes * n_values + values)) == n:
            return values
    return None


def _likeness(codes, y, task, panel):
    """Share of the target's variance between units, corrected for their number; the most that permutations reach.

    In a panel, the mean of the target at each time is subtracted first.
    """
    targets = pd.DataFrame(y[:, None].astype(float) if task == "regression" else np.eye(y.max() + 1)[y])
    targets = targets - (targets.mean() if panel is None else targets.groupby(panel).transform("mean"))
    total = max((targets**2).to_numpy().sum(), np.finfo(float).tiny)

    def share(codes):
        between = (targets.groupby(codes).transform("mean") ** 2).to_numpy().sum() / total
        return 1 - (1 - between) * (len(y) - 1) / max(len(y) - codes.max() - 1, 1)

    rng = np.random.default_rng(0)
    return share(codes), max(share(rng.permutation(codes)) for _ in range(_N_PERMUTATIONS))
