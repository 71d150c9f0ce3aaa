"""Rules for how rows came about: in time, and several from one patient, country or school."""

import calendar

import numpy as np
import pandas as pd

from fscore.report.rules_of_columns import follows_time, has_word, is_name_of_names, orders_rows_in_time
from fscore.report.traps import listed, rule

__all__ = []

_LIKENESS = 0.1  # share of the target's variance that lies between the units, corrected for chance
_N_PERMUTATIONS = 40
_PARTS = {  # of a date, the longest first: names of such columns, the least and the greatest number, days
    "year": (("year", "yr", "jahr"), 1000, 2200, 372.0),
    "month": (("month", "mnth", "mon", "monat"), 0, 12, 31.0),
    "day": (("day", "dom", "tag"), 0, 31, 1.0),
    "hour": (("hour", "hr", "stunde"), 0, 24, 1 / 24),
}
_BIRTH = r"birth\w*|born|dob|geb\w*|naissance|nacimiento"
_IN_ORDER = 0.98  # of the steps from row to row
_SAYS_WHEN = r"^(date|datum|time|zeit|timestamp|when|day|week|month)$|visit\w*|observ\w*|record\w*|sampl\w*|measur\w*"
_NAMES_OF_PARTS = {name: part for part, (names, *_) in _PARTS.items() for name in names}
_MONTHS = {name.casefold(): k for names in (calendar.month_name, calendar.month_abbr) for k, name in enumerate(names)}


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
        if follows_time(time, problem.y, problem.task):
            problem.take_time(time, called)
            return {"columns": names, "called": called}
    return None


def _times(problem):
    """Columns, name and values of what may be the time of a row."""
    dates = [name for name in problem.X if problem.kinds[name] == "date" and not has_word(name, _BIRTH)]
    found = [name for name in dates if _order(problem.X[name])]
    found += [name for name in dates if has_word(name, _SAYS_WHEN)]
    found += [name for name in problem.X if orders_rows_in_time(problem, name)]
    yield from (((name,), f"“{name}”", problem.X[name].to_numpy()) for name in found)
    parts = {}
    for part, (words, low, high, _) in _PARTS.items():
        for name in problem.X:
            values = _numbers(problem, name, part) if name.casefold().strip() in words else None
            if values is not None and values.between(low, high).all() and values.nunique() > 2:
                parts.setdefault(part, (name, values.to_numpy(dtype=float)))
    if "year" in parts and (len(parts) > 1 or _order(parts["year"][1])):
        names = tuple(name for name, _ in parts.values())
        yield names, listed(names), sum(_PARTS[part][-1] * values for part, (_, values) in parts.items())
    for name, values in parts.values():
        if _order(values) == "cycles":
            yield (name,), f"the order of the rows (“{name}” runs through it)", np.arange(len(values), dtype=float)


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
    if not problem.looks_for_groups:
        return None
    likeness = {}
    for name, column in problem.table.items():
        named = is_name_of_names(name)
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
        problem.as_category(name)
    return {"columns": (name,), "n": problem.table[name].nunique(), "n_rows": len(problem.table)}


def _panel(problem, name, codes):
    """Numbers of the values of a column that has each of them once in most of the units; None if there is none."""
    n, n_units = len(codes), codes.max() + 1
    for other in problem.X:
        values = pd.factorize(problem.X[other], use_na_sentinel=False)[0]
        n_values = values.max() + 1
        if other != name and 3 <= n_values <= 2 * n / n_units and problem.kinds[other] != "text":
            n_pairs = len(np.unique(codes * n_values + values))
            if n_pairs == n and n >= 0.5 * n_units * n_values:
                return values
    return None


def _likeness(codes, y, task, panel):
    """Share of the target's variance between units, corrected for their number; the most that permutations reach.

    Of a panel, the mean of the target at each of its times is taken out before.
    """
    targets = pd.DataFrame(y[:, None].astype(float) if task == "regression" else np.eye(y.max() + 1)[y])
    targets = targets - (targets.mean() if panel is None else targets.groupby(panel).transform("mean"))
    total = max((targets**2).to_numpy().sum(), np.finfo(float).tiny)

    def share(codes):
        between = (targets.groupby(codes).transform("mean") ** 2).to_numpy().sum() / total
        return 1 - (1 - between) * (len(y) - 1) / max(len(y) - codes.max() - 1, 1)

    rng = np.random.default_rng(0)
    return share(codes), max(share(rng.permutation(codes)) for _ in range(_N_PERMUTATIONS))
