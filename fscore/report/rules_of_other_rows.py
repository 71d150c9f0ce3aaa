"""Rules for columns that are made from the targets of other rows: ranks and shares in groups, means over time."""

from itertools import product

import numpy as np
import pandas as pd

from fscore.report.calculated import FLOAT_ERROR, exact_fit, explained, unit_of
from fscore.report.evidence import FEW_ROWS, FEW_VALUES, FIRST_ROWS, MOST, NEARLY_ALL, ROWS_EACH
from fscore.report.issues import QUESTION, rule

__all__ = []

_ORDERED = 0.999  # share of the steps in the order of the target that go in one direction
_WINDOW = 3  # rows before and after
_LONGER = (*range(7, 61), 72, 84, 90, 96, 100, 120, 144, 168, 180, 200, 250, 252, 336, 360, 364, 365, 366, 720, 730)
_PROMISING = 0.9  # squared correlation with a mean over a longer window, from which it is compared row by row


@rule(
    "order within groups",
    "In each group these order the rows exactly as the target does, as shares, ranks and scores of it do: {columns}.",
    QUESTION,
)
def order_within_groups(problem):
    """Numbers that rise with the target, or fall, within each group or date of another column, as a share of the week.

    A number is no such column: the target may be calculated from both.
    """
    y, numbers = problem.y, _numbers(problem)
    if problem.task == "classification" or len(np.unique(y)) < FEW_VALUES or numbers.empty:
        return None
    X, found = numbers.to_numpy(), {}
    of_ties = np.random.default_rng(0).permutation(len(y))  # their order in the file may be that of a column
    for name, groups in sorted(problem.units(ROWS_EACH).items(), key=lambda item: item[1].max()):
        if groups.max() == 0:
            continue
        order = np.lexsort((of_ties, y, groups))
        steps = np.flatnonzero((np.diff(groups[order]) == 0) & (np.diff(y[order]) > 0))
        alike = np.ones(X.shape[1], bool)
        for tried in steps[:FIRST_ROWS], steps:
            rises = X[order[tried + 1]][:, alike] - X[order[tried]][:, alike]
            alike[alike] = _is_monotone(rises)
        for column in numbers.columns[alike]:
            found.setdefault(column, f"within each “{name}”")
    return {"columns": found}


@rule(
    "order within groups",
    "In each group the row of the largest target, or the smallest, has a value of its own in: {columns}.",
    QUESTION,
)
def first_within_groups(problem):
    """Columns of two values, one of which marks the largest or smallest target of each group, as a winner."""
    y, found = problem.y, {}
    suspects = problem.suspects()
    flags = suspects.loc[:, suspects.nunique() == 2]
    if problem.task == "classification" or len(np.unique(y)) < FEW_VALUES or flags.empty:
        return None
    for name, groups in problem.units(ROWS_EACH).items():
        if (n_groups := groups.max() + 1) < FEW_ROWS:
            continue
        of_group = pd.Series(y).groupby(groups)
        ends = [(y == of_group.transform(end)).to_numpy() for end in ("max", "min")]
        for flag, column in flags.items():
            marked = column == column.value_counts().index[-1]
            one_each = np.mean(np.bincount(groups[marked], minlength=n_groups) == 1)
            if one_each >= NEARLY_ALL and max(end[marked].mean() for end in ends) >= _ORDERED:
                found.setdefault(flag, f"within each “{name}”")
    return {"columns": found}


def _is_monotone(steps):
    """Whether nearly all steps of each column go in one direction, and there are enough."""
    known = ~np.isnan(steps)
    rise, fall = (steps > 0).sum(axis=0), (steps < 0).sum(axis=0)
    enough = (rise + fall >= FEW_ROWS) & (rise + fall >= MOST * known.sum(axis=0))
    return enough & (np.minimum(rise, fall) <= (1 - _ORDERED) * known.sum(axis=0))


@rule(
    "target leak",
    "Calculated from the target of the same row, or of later ones, with those of other rows in time: {columns}.",
    "Left out; targets of the rows before may be used.",
    leaves_out=True,
)
def made_over_time(problem):
    """The target of the next time, or a mean over a window that reaches to the same row or beyond, in each unit."""
    if problem.task == "classification":
        return None
    numbers, found = _numbers(problem), []
    times = [problem.typed(name).to_numpy() for name in problem.table if problem.kinds[name] == "date"]
    times += [] if problem.time is None or any(np.array_equal(problem.time, time) for time in times) else [problem.time]
    units = [np.zeros(len(problem.y), int), *problem.units(2 * _WINDOW + 1).values()]
    for time, unit in product(times, units):
        order = np.lexsort((time, unit))
        if not _has_ties(time[order], unit[order]):
            around = _targets_around(problem.y[order], unit[order])
            found += [n for n in numbers if n not in found and _is_made(numbers[n].to_numpy()[order], around)]
            others = numbers.drop(columns=found).iloc[order]
            found += _means_of_windows(others, problem.y[order], unit[order])
    return found


def _has_ties(time, unit):
    """Whether a unit has several rows at one time, or a time is missing."""
    return np.isnan(time).any() or ((np.diff(time) == 0) & (np.diff(unit) == 0)).any()


def _targets_around(y, unit):
    """The targets from some rows before each to as many after it, of its unit; NaN where there is none."""
    padded, of_unit = (np.pad(values, _WINDOW, constant_values=-1) for values in (y.astype(float), unit))
    shifts = range(2 * _WINDOW + 1)
    same = [of_unit[k : k + len(y)] == unit for k in shifts]
    return np.column_stack([np.where(at, padded[k : k + len(y)], np.nan) for k, at in zip(shifts, same, strict=True)])


def _is_made(x, around):
    """Whether a column is a linear function of the targets around its rows, and not of those before alone."""
    rows = np.flatnonzero(~np.isnan(x) & ~np.isnan(around).any(axis=1))
    if len(rows) < max(FEW_ROWS, NEARLY_ALL * (~np.isnan(around).any(axis=1)).sum()):
        return False
    error = unit_of(x[rows]) / 2  # of a mean of few rounded values that is rounded again
    for tried in rows[:FIRST_ROWS], rows:
        exact = exact_fit(x[tried], error)
        if explained(around[tried], x[tried]) <= exact:
            return False
    return explained(around[rows, :_WINDOW], x[rows]) <= exact


def _means_of_windows(numbers, y, unit):
    """Names of the columns that are means, or sums, of the targets of a longer window that has the row in it.

    It ends with the row, has it in the middle, or begins with it.
    """
    found, values = [], numbers.to_numpy()
    filled = np.nan_to_num(values - np.nanmean(values, axis=0))
    sums = np.cumsum(np.append(0.0, y))
    for length in (length for length in _LONGER if 2 * length <= len(y)):
        starts = np.flatnonzero(unit[length - 1 :] == unit[: len(y) - length + 1])
        if len(starts) < max(FEW_ROWS, len(y) / 2):
            continue
        means = (sums[length:] - sums[:-length])[starts] / length
        first = means[:FIRST_ROWS] - means[:FIRST_ROWS].mean()
        for place in {0, (length - 1) // 2, length // 2, length - 1}:
            tried = filled[starts[:FIRST_ROWS] + place]
            promising = (first @ tried) ** 2 > _PROMISING * (first @ first) * len(first) * tried.var(axis=0)
            columns = [k for k in np.flatnonzero(promising) if numbers.columns[k] not in found]
            found += [numbers.columns[k] for k in columns if _is_linear(means, values[starts + place, k])]
    return found


def _is_linear(means, x):
    """Whether a column is a linear function of means in nearly all rows, up to fine rounding; none only rises."""
    known = ~np.isnan(x)
    means, x = means[known], x[known]
    steps = np.diff(x)
    if (steps >= 0).all() or (steps <= 0).all():
        return False
    slope, intercept = np.polyfit(means, x, 1)
    error = 0.6 * unit_of(x) + FLOAT_ERROR * np.ptp(x)
    is_fine = FEW_VALUES * error < np.ptp(x)
    return is_fine and np.mean(np.abs(x - intercept - slope * means) <= error) >= NEARLY_ALL


def _numbers(problem):
    """Numbers of the file that may reveal the target and are mostly there."""
    numbers = problem.suspects().select_dtypes(np.float64)
    return numbers.loc[:, numbers.notna().mean() >= NEARLY_ALL]
