"""The rule for rows of one unit."""

import re
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from fscore.datasets.column_type import ColumnType
from fscore.datasets.quantities import notation
from fscore.report.evidence import MOST, NEARLY_ALL, ROWS_EACH
from fscore.report.issues import listed, rule
from fscore.report.names import (
    has_word,
    is_coordinate,
    is_identifier_name,
    is_number_of_known_unit,
    is_place,
    is_postal_code_or_phone,
    is_unit,
    is_unit_number,
)
from fscore.report.rules_of_time import NAMES_OF_PARTS, TIME

__all__ = ["are_numbered", "are_numbers_of_things", "are_runs", "groups_of"]

_LIKENESS = 0.1  # share of the target's variance that lies between the units, corrected for chance
_BETWEEN = tuple("-_./: ")  # what may stand between the name of a unit and what distinguishes its rows
_FEWEST_UNITS = 4
_MANY_UNITS = 8  # from which a number, or texts that end in one, are enough
_FEWEST_VALUES = 5  # of numbers that describe units
_MOST_DESCRIBED = 200  # columns of numbers among which they are looked for
_PAIRS = 200  # rows of one unit that are compared first
_MONOTONE = 0.999  # rank correlation
_DENSE = 2  # times as many numbers as units, at most, between the first and the last
_MOST_FACTORS = 6  # of which two may be crossed in each unit
_N_PERMUTATIONS = 40
_TRIED = 50  # texts
_LIKE_NUMBERS = 0.2  # share of texts that look like numbers, from which none of them names a row
_LONGEST = 40  # characters of a name
_SMOOTH = 0.5  # of successive differences, as a share of what they are in random order: a measurement
_STANDARD_ERRORS = 3  # by which they must be smaller


@rule(
    "groups",
    "Rows of one {unit} {why} ({n:,} values in {n_rows:,} rows).",
    "The main score is for a new {unit} (the rows of one stay in one fold), the one beside it for known ones. If you "
    "will predict known ones only, use --groups none.",
)
def groups(problem):
    """Several rows of one unit: their targets are alike, its name is that of a unit's number, or it has attributes.

    A unit has a name such as "subject", or it is called "INV01", "INV02", ..., or the names of rows begin with it, also
    where another column names it, or its rows are a panel: another column, such as the year, or two, such as the year
    and the month, run through the same values in every unit. Of a panel's two columns, such as places and parties, or
    plates and wells, those with attributes are the units. What tells the class alone is a unit only of a panel, such as
    countries whose continent is the target. A unit's number says nothing else about it: if numbers that are close have
    similar targets, they measure something.
    """
    if not problem.looks_for_groups:
        return None
    one_hot = {name: names for name, (how, names) in problem.derived.items() if how == "category"}
    no_names = {name for names in one_hot.values() for name in names}
    for name, why in problem.left_out.items():
        of_numbers = why in ("target leak", "identifier") and problem.kinds[name] == "number"
        if of_numbers or (why == "duplicate columns" and not is_identifier_name(name)):
            no_names.add(name)
    no_names |= {name for name in problem.table if is_coordinate(name) or is_postal_code_or_phone(name)}
    no_names |= _parties(problem)
    names = [name for name in (*problem.table, *one_hot) if name not in no_names]
    described = _described_units(problem, [name for name in names if not _leaks(name, problem)])
    if likeness := _likeness_of_units(problem, names, described):
        name, start = max(likeness, key=lambda key: likeness[key][0])
        share, column = likeness[name, start]
        why = "have similar targets" if share else "belong together, by its name"
    elif described:
        name = max(described, key=lambda name: len(described[name]))
        share, start, column, why = 0.0, "", problem.typed(name), f"have the same {listed(described[name])}"
    elif pair := _unit_and_row_names(problem, names):
        name, row_names = pair
        share, start, column, why = 0.0, "", problem.typed(name), f"have names in “{row_names}” that begin with it"
    else:
        return None
    changes = {"groups": groups_of(column), "group_name": f"{name} ({start} ...)" if start else name}
    if share and name in problem.X and problem.kinds[name] == "number":
        changes["types"] = {name: ColumnType("category")}
    words = {"unit": f"“{changes['group_name']}”", "why": why, "n": column.nunique(), "n_rows": len(column)}
    return {"columns": (name,), **words, "changes": changes}


def _parties(problem):
    """Columns with the same names in other rows, such as of home and guest: a new one is a known one of the other."""
    words = problem.X[[name for name in problem.X if problem.kinds[name] in ("category", "text")]]
    values = {name: set(column.dropna()) for name, column in words.items() if column.nunique() >= _MANY_UNITS}

    def are_parties(one, two):
        are_shared = len(values[one] & values[two]) >= NEARLY_ALL * len(values[one] | values[two])
        return are_shared and (words[one] == words[two]).mean() < MOST

    return {name for pair in combinations(values, 2) if are_parties(*pair) for name in pair}


def _likeness_of_units(problem, names, described):
    """By the names of units, and the starts of names of rows: how alike targets are, and a column of the units.

    It is 0 for numbers of patients and the like, which are units whatever the target.
    """
    offered = [name for name in problem.X if name not in problem.derived]
    values_of = cache(lambda name: pd.factorize(problem.X[name], use_na_sentinel=False)[0])
    likeness = {}
    for name in names:
        kind, column = problem.kinds[name], problem.typed(name)
        identifies = is_identifier_name(name)
        if kind == "number":
            numbered = _count_runs(problem, name) or (is_unit(name) and are_numbers_of_things(name, problem))
        else:
            numbered = are_numbered(column) and column.nunique() >= _MANY_UNITS and not _are_levels(column, problem)
            numbered = numbered or (identifies and _are_long_codes(column))
        numbered = numbered or (is_unit(name) and are_runs(column))
        named = identifies or numbered
        is_numbered_place = is_place(name) and (is_unit_number(name) or are_numbers_of_things(name, problem))
        words = (kind in ("category", "text") or is_numbered_place) and name.casefold() not in NAMES_OF_PARTS
        if not (words or named):
            continue
        codes = pd.factorize(column, use_na_sentinel=False)[0]
        if not _are_units(codes) or column.nunique() < _FEWEST_UNITS:
            for start in _starts(column, problem) if kind == "text" else ():
                share, by_chance = _likeness(pd.factorize(start)[0], problem.y, problem.task, None)
                if share > max(_LIKENESS, by_chance):
                    likeness[name, start.iloc[0]] = share, start
            continue
        panel = _panel({other: values_of(other) for other in offered if other != name}, codes, problem.kinds)
        if panel is None and _leaks(name, problem):
            continue
        measures = panel is None and not is_unit_number(name) and not words and _is_smooth(column, problem)
        if not words and (measures or not np.array_equal(column, column.round())):
            continue
        if named or (panel is not None and (name in described or not described)):
            share, by_chance = _likeness(codes, problem.y, problem.task, panel)
            if share > max(_LIKENESS, by_chance):
                unit = _whole(name, codes, panel, share, names, problem)
                likeness[unit, ""] = share, problem.typed(unit)
            elif (is_number_of_known_unit(name) or (identifies and numbered)) and codes.max() >= _MANY_UNITS:
                likeness[name, ""] = 0.0, column
    return likeness


def _whole(name, codes, panel, share, names, problem):
    """The column whose units consist of several of these and are as much alike, nearly, as trees with two cores."""
    n_parts = codes.max() + 1
    for other in names:
        if problem.kinds[other] == "number" and not is_unit(other):
            continue
        wholes = pd.factorize(problem.typed(other), use_na_sentinel=False)[0]
        n_wholes = wholes.max() + 1
        are_parts = _MANY_UNITS <= n_wholes <= n_parts / 2 and len(pd.unique(codes * n_wholes + wholes)) == n_parts
        if are_parts and _likeness(wholes, problem.y, problem.task, panel)[0] >= NEARLY_ALL * share:
            return other
    return name


def _leaks(name, problem):
    return problem.left_out.get(name) == "target leak"


def _described_units(problem, names):
    """By the names of units: at least two columns of numbers that are the same in all rows of one, as those of a plot.

    One is enough beside a copy in words, such as names of animals that have numbers.
    Numbers that rise or fall with the name of a unit, such as a square or a logarithm, don't count.
    """
    numbers = problem.X.select_dtypes(np.float64).drop(columns=list(problem.derived), errors="ignore")
    numbers = numbers.loc[:, numbers.nunique() >= _FEWEST_VALUES]
    words = [n for n, why in problem.left_out.items() if why == "duplicate columns" and problem.kinds[n] != "number"]
    copied = [pd.factorize(problem.typed(n), use_na_sentinel=False)[0] for n in words]
    described = {}
    for name in names if 2 <= numbers.shape[1] <= _MOST_DESCRIBED else ():
        column = problem.typed(name)
        whole = problem.kinds[name] == "number" and np.array_equal(column, column.round())
        is_time = name.casefold() in NAMES_OF_PARTS or has_word(name, TIME)
        if is_time or not (whole or problem.kinds[name] in ("category", "text")):
            continue
        codes = pd.factorize(column, use_na_sentinel=False)[0]
        if _are_units(codes) and codes.max() >= _MANY_UNITS:
            others = _same_in_units(numbers.drop(columns=name, errors="ignore"), codes)
            if whole:
                others = others.loc[:, ~(others.corrwith(column, method="spearman").abs() > _MONOTONE)]
            if others.shape[1] >= (1 if any(np.array_equal(codes, copy) for copy in copied) else 2):
                described[name] = list(others)
    return described


def _unit_and_row_names(problem, names):
    """A column of units and one of rows' names, which begin with those of the units: "P01" and "P01-T2"; or None."""
    texts = {name: problem.typed(name) for name in names if problem.kinds[name] in ("category", "text")}
    texts = {name: column for name, column in texts.items() if column.notna().all()}
    row_names = [name for name, column in texts.items() if column.nunique() > NEARLY_ALL * len(problem.y)]
    for unit_name in texts if row_names else ():
        codes = pd.factorize(texts[unit_name])[0]
        if not _are_units(codes) or codes.max() < _MANY_UNITS:
            continue
        for row_name in row_names:
            pairs = zip(texts[row_name], texts[unit_name], strict=True)
            if all(row.startswith(unit) and row[len(unit) : len(unit) + 1] in _BETWEEN for row, unit in pairs):
                return unit_name, row_name
    return None


def _same_in_units(numbers, codes):
    """The columns that have one value in all rows of each unit."""
    order = np.argsort(codes, kind="stable")
    first = np.flatnonzero(np.diff(codes[order]) == 0)[:_PAIRS]
    one, two = (numbers.iloc[order[rows]].to_numpy() for rows in (first, first + 1))
    numbers = numbers.loc[:, ((one == two) | np.isnan(one) | np.isnan(two)).all(axis=0)]
    of_units = numbers.groupby(codes)
    return numbers.loc[:, (of_units.max() - of_units.min()).max() == 0]


def are_numbered(column):
    """Whether texts are one word with a number of some digits, nearly without gaps: "INV01", "INV02"."""
    parts = column.dropna().drop_duplicates().astype(str).str.extract(r"^([^\W\d_][\W\w]{0,11}?)(\d{2,6})$")
    if len(parts) < _FEWEST_UNITS or parts.isna().any(axis=None) or parts[0].nunique() > 1:
        return False
    return parts[1].str.len().nunique() == 1 and np.ptp(parts[1].astype(int)) < _DENSE * len(parts)


def are_numbers_of_things(name, problem):
    """Whether numbers with the name of a place or unit are 1, 2, ..., nearly without gaps, and have some rows each.

    Of places, some may have few. Those of units don't measure something, such as the size of a family.
    """
    column = problem.typed(name)
    is_measured = has_word(name, "(in|at|of|per|by)[^a-z].*")  # such as the time in a hospital
    if column.dtype != np.float64 or is_measured or not (is_unit(name) or is_place(name)):
        return False
    numbers, n_rows = np.unique(column.dropna(), return_counts=True)
    are_whole = np.array_equal(numbers, numbers.round())
    if not are_whole or len(numbers) < _MANY_UNITS or numbers[0] != 1 or numbers[-1] >= _DENSE * len(numbers):
        return False
    if is_place(name):
        return n_rows.mean() >= ROWS_EACH
    return n_rows.min() >= ROWS_EACH and not _is_smooth(column, problem)


def _are_levels(column, problem):
    """Whether texts that end in numbers are levels by whose number the target goes, such as tariffs: "TK10", "TK11"."""
    return _is_smooth(column.str.extract(r"(\d+)$")[0].astype(float), problem)


def _count_runs(problem, name):
    """Whether a column of numbers counts units one after the other, in each of which another one begins again at 1."""
    starts = _starts_of_runs(problem.X[name]) if name in problem.X else []
    if len(starts) < _FEWEST_UNITS or len(starts) > problem.X[name].nunique() or has_word(name, TIME):
        return False
    runs = np.repeat(starts, np.diff([*starts, len(problem.y)]))
    count = np.arange(len(runs)) - runs + 1
    return any(np.array_equal(column, count) for _, column in problem.X.select_dtypes(np.float64).items())


def are_runs(column):
    """Whether the rows of each value follow each other, five or more on average."""
    return len(_starts_of_runs(column)) == column.nunique() <= len(column) / ROWS_EACH


def _starts_of_runs(column):
    """The rows whose value differs from that of the row before."""
    return np.flatnonzero(column != column.shift())


def _are_long_codes(column):
    """Whether all texts are six digits or more, with signs between them, and as long: "000117"."""
    codes = column.dropna().drop_duplicates().astype(str)
    return bool(codes.str.fullmatch(r"\d(?:[./-]?\d){5,}").all()) and codes.str.len().nunique() == 1


def _are_units(codes):
    """Whether there are several units, most of which have several rows."""
    return codes.max() + 1 >= _FEWEST_UNITS and np.mean(np.bincount(codes)[codes] > 1) > 0.5


def _starts(column, problem):
    """Starts of names of rows that several rows share, the shortest first: "sub-01" of "sub-01_run-2".

    A start is not a unit's name if it begins with a digit, if there are few for the classes, which it may name, or few
    words, such as the makers of a product and their brands, or if a column of words says the same.
    """
    texts = column.fillna("")
    if texts.head(_TRIED).map(notation).notna().mean() > _LIKE_NUMBERS:
        return  # prices, say
    parts = texts.map(re.compile(r"[^\W\d_]+|\d+|[\W_]+").findall)
    of_words = [n for n in problem.table if problem.kinds[n] == "category"]
    others = [pd.factorize(problem.typed(n))[0] for n in of_words]
    n_before = 1
    for n in range(1, int(parts.map(len).min()) if texts.map(len).max() <= _LONGEST else 0):
        starts = parts.map(lambda part, n=n: "".join(part[:n]))
        codes = pd.factorize(starts)[0]
        names = codes.max() >= n_before and starts.str.contains(r"^[^\W\d_][^(,]*\w$").all()
        are_kinds = not starts.str.contains(r"\d").any() and (n_before > 1 or codes.max() < _MANY_UNITS)
        n_before = codes.max() + 1
        known = any(np.array_equal(codes, other) for other in others)
        are_many = _are_units(codes) and codes.max() >= 2 * len(problem.target.classes)
        if names and are_many and not known and not are_kinds:
            yield starts


def groups_of(column):
    """Numbers of the groups that a column names; a row without a name is a group of its own."""
    groups = pd.factorize(ColumnType("text").read(column))[0]
    alone = groups < 0
    groups[alone] = groups.max() + 1 + np.arange(alone.sum())
    return groups


def _panel(values, codes, kinds):
    """Numbers of the values of a column, or of two, that has each once in most units; None if none.

    The two are parts of a time, such as the year and the month, or categories, such as sex and age.

    Where many values are crossed with few, such as cores with depths, the many are the units, unless they are times.
    """
    n, n_units = len(codes), codes.max() + 1
    parts = [other for other in values if other.casefold() in NAMES_OF_PARTS or has_word(other, TIME)]
    factors = [other for other in values if kinds[other] == "category" and values[other].max() + 1 <= n / n_units]
    crossed = list(combinations(factors, 2)) if n_units >= _MANY_UNITS and len(factors) <= _MOST_FACTORS else []
    pairs = [
        values[one] * (values[other].max() + 1) + values[other] for one, other in (*combinations(parts, 2), *crossed)
    ]
    named = {*parts, *(other for other in values if kinds[other] == "date")}
    others = [row for other, row in values.items() if other in named or n_units >= min(_MANY_UNITS, row.max() + 1)]
    for times in (*others, *(pd.factorize(pair)[0] for pair in pairs)):
        n_times = times.max() + 1
        if 3 <= n_times <= 2 * n / n_units and len(pd.unique(codes * n_times + times)) == n:
            return times
    return None


def _targets(y, task):
    """Values, or indicators of the classes, as a table."""
    return pd.DataFrame(y[:, None].astype(float) if task == "regression" else np.eye(y.max() + 1)[y])


def _is_smooth(numbers, problem):
    """Whether mean targets of successive numbers differ less than those in random order (von Neumann's ratio)."""
    means = _targets(problem.y, problem.task).groupby(numbers.to_numpy()).mean().sort_index().to_numpy()
    spread = max(2 * ((means - means.mean(axis=0)) ** 2).sum(), np.finfo(float).tiny)
    ratio = (np.diff(means, axis=0) ** 2).sum() / spread
    return 0 < ratio < min(_SMOOTH, 1 - _STANDARD_ERRORS / np.sqrt(len(means)))


def _likeness(codes, y, task, panel):
    """Share of the target's variance between units, corrected for their number; the most that permutations reach.

    In a panel, the mean of the target at each time is subtracted first.
    """
    targets = _targets(y, task)
    targets = targets - (targets.mean() if panel is None else targets.groupby(panel).transform("mean"))
    total = max((targets**2).to_numpy().sum(), np.finfo(float).tiny)

    def share(codes):
        between = (targets.groupby(codes).transform("mean") ** 2).to_numpy().sum() / total
        return 1 - (1 - between) * (len(y) - 1) / max(len(y) - codes.max() - 1, 1)

    rng = np.random.default_rng(0)
    return share(codes), max(share(rng.permutation(codes)) for _ in range(_N_PERMUTATIONS))
