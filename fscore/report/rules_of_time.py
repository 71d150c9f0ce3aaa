"""The rule for a target that changes with time."""

import numpy as np
import pandas as pd
from scipy.stats import kruskal, rankdata, spearmanr

from fscore.datasets.languages import MONTHS
from fscore.datasets.words import WORDS, any_of
from fscore.report.evidence import SURE
from fscore.report.issues import listed, rule
from fscore.report.names import has_word, is_identifier_name

__all__ = ["BIRTH", "NAMES_OF_PARTS", "SAYS_WHEN", "TIME", "time_of"]

TIME, BIRTH, SAYS_WHEN = any_of("time"), any_of("birth"), any_of("says_when")
_PARTS = {"year": (1000, 2200, 372.0), "month": (0, 12, 31.0), "day": (0, 31, 1.0), "hour": (0, 24, 1 / 24)}
# Of a date, the longest first: the least and the greatest number, days.
NAMES_OF_PARTS = {name: part for part in _PARTS for name in WORDS["part_of_date"][part]}
_IN_ORDER = 0.98  # of the steps from row to row
_FEWEST_TIMES = 6  # of which the last are tested, each by several before it
_FORWARDS = (
    "Scored forwards in time, trained on earlier rows and tested on later ones, and beside that without regard to time "
    "(--time none: only so)."
)


@rule("time order", "The target changes with {called}: rows drawn at random would look ahead.", "{scored}")
def time_order(problem):
    """A date, a year, or rows in the order of hours or days, where the target changes with it.

    The file must be sorted by it, or the name must say that it is the time of the row: a date of birth and the year of
    a car are not. Of few years, too few lie before and after each other to score forwards.
    """
    for names, called, time in _times(problem) if problem.looks_for_time else ():
        if all(_follows_time(time[rows], problem.y[rows], problem.task) for rows in _independent(problem, time)):
            if (n_times := len(np.unique(time[~np.isnan(time)]))) < _FEWEST_TIMES:
                scored = (
                    f"Scored on rows drawn at random: forwards, {n_times} times are too few. A later one may differ."
                )
                return {"columns": names, "called": called, "scored": scored}
            changes = {"time": time_of(time), "time_name": called, "time_columns": tuple(names)}
            return {"columns": names, "called": called, "scored": _FORWARDS, "changes": changes}
    return None


def _times(problem):
    """Columns, name and values of what may be the time of a row."""
    ends = {columns[1] for how, columns in problem.derived.values() if how == "difference"}
    dates = [n for n in problem.X if problem.kinds[n] == "date" and not has_word(n, BIRTH) and n not in ends]
    names = [name for name in dates if order_of_rows(problem.X[name])]
    names += [name for name in dates if has_word(name, SAYS_WHEN)]
    numbers = [n for n in problem.X if problem.kinds[n] == "number" and has_word(n, TIME) and n not in problem.derived]
    names += [name for name in numbers if in_order(problem.X[name])]
    yield from (((name,), f"“{name}”", problem.X[name].to_numpy()) for name in names)
    parts = {}
    for part, (low, high, _) in _PARTS.items():
        for name in problem.X:
            is_named = NAMES_OF_PARTS.get(name.casefold().strip()) == part
            values = _numbers(problem, name) if is_named else None
            if values is not None and values.between(low, high).all() and values.max() > 2:
                parts.setdefault(part, (name, values.to_numpy(dtype=float)))
    if "year" in parts and (len(parts) > 1 or order_of_rows(parts["year"][1])):
        names = tuple(name for name, _ in parts.values())
        yield names, listed(names), sum(_PARTS[part][-1] * values for part, (_, values) in parts.items())
    for name, values in parts.values() if "year" not in parts else ():
        if order_of_rows(values) == "cycles" and not _begins_with_units(problem, values):
            yield (name,), f"the order of the rows (“{name}” runs through it)", np.arange(len(values), dtype=float)


def _begins_with_units(problem, values):
    """Whether numbers fall where the name in another column changes, to one that wasn't there before."""
    cycle = np.cumsum(np.diff(values, prepend=values[0]) < 0)
    units = problem.table[[n for n in problem.table if problem.kinds[n] == "category" or is_identifier_name(n)]]
    return ((units.nunique() > cycle[-1]) & (units.groupby(cycle).nunique() == 1).all()).any()


def _independent(problem, time):
    """All rows; and where an identifier repeats at one time, as for the vehicles of an accident, its first ones."""
    yield slice(None)
    for name in filter(is_identifier_name, problem.table):
        repeats = pd.DataFrame({"unit": problem.table[name], "time": time}).duplicated().to_numpy()
        if repeats.any():
            yield ~repeats


def order_of_rows(values):
    """Whether numbers rise by one or not at all and begin again at times ("cycles"), or are "sorted"; else empty."""
    steps = np.diff(values[~np.isnan(values)])
    falls, rises = steps < 0, steps > 0
    if 0 < falls.mean() < 0.5 and (steps[rises] == 1).sum() > rises.sum() - (1 - _IN_ORDER) * len(steps):
        return "cycles"
    return "sorted" if min(falls.mean(), rises.mean()) < 1 - _IN_ORDER else ""


def _numbers(problem, name):
    """A column as numbers, those of months by their names; None if it holds something else."""
    if problem.kinds[name] == "category":
        return problem.X[name].str.casefold().str.strip().map(MONTHS)
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
    return min(test.pvalue for test in tests) < SURE / len(targets)


def time_of(numbers):
    """Numbers as the time of the rows; a row without one counts as the earliest."""
    return np.where(np.isnan(numbers), np.nanmin(numbers), numbers)


def in_order(numbers):
    """Whether numbers rise, or fall, in every step from row to row."""
    return numbers.is_unique and (numbers.is_monotonic_increasing or numbers.is_monotonic_decreasing)
