"""Rules for single columns that may reveal the target, which the report asks about."""

from itertools import chain

import numpy as np
import pandas as pd
from scipy.stats import binom

from fscore.datasets.words import any_of
from fscore.report.calculated import is_linear_copy, unit_of
from fscore.report.evidence import FEW_VALUES, MOST, NEARLY_ALL, SURE
from fscore.report.issues import QUESTION, counted, listed, rule
from fscore.report.names import has_word

__all__ = []

_FINEST = 5e-6  # relative rounding of a ratio
_PEAK = 0.8  # of the ratios near the most frequent one that are equal to it; of measurements that are alike, a third
_NEARLY_ONLY = 0.95  # of the rows with a value are of one class
_MOSTLY_FILLED, _HARDLY_FILLED = 0.8, 0.01  # shares of a rare class and of the others, though the others are more
_SOMETIMES, _MOST_SOMETIMES = 0.1, 3  # the same of amounts and texts, if they are so few
_MOST_PARTS = 10  # of a class
_FEWEST_CLASSES = 4  # to have coarser ones
_EVENT = any_of("event")
_DURATION = rf"{any_of('duration')}|to.({_EVENT})"


@rule(
    "coarser target",
    "In all rows of one class these have one value: {columns}.",
    QUESTION,
)
def coarser_target(problem):
    """What follows from the class, as the genus from the species and the country from the city."""
    sizes = np.bincount(problem.y) if problem.task == "classification" else []
    if len(sizes) < _FEWEST_CLASSES:
        return None

    suspects = problem.suspects()
    one_each = suspects.groupby(problem.y).nunique().max() == 1
    are_few = suspects.nunique().between(2, len(sizes))
    return list(suspects.columns[one_each & are_few & (suspects.notna().mean() > NEARLY_ALL)])


@rule(
    "mostly equal",
    "{columns}: in most rows equal to the target, or in proportion to it.",
    QUESTION,
)
def mostly_equal(problem):
    """Another amount of what the target measures: in another unit or currency in some rows, up to rounding.

    If most rows have one ratio, the median is one of theirs, and hardly any ratio lies just beyond rounding.
    """
    if problem.task == "classification":
        return _mostly_equal_classes(problem)
    ratios, numbers = {}, problem.suspects(times=True).select_dtypes(np.float64)
    for name, column in numbers.items() if len(np.unique(problem.y)) > FEW_VALUES else ():
        x = column.to_numpy()
        rows = ~np.isnan(x) & (x != 0) & (problem.y != 0)
        x, y = np.abs(x[rows]), np.abs(problem.y[rows])
        if rows.mean() <= MOST or min(len(np.unique(x)), len(np.unique(y))) <= FEW_VALUES:
            continue
        ratio, rounding = np.log(y / x), 0.5 * (unit_of(x) / x + unit_of(y) / y) + _FINEST
        gap = np.abs(ratio - np.median(ratio)) / (rounding + np.median(rounding))
        equal, near = np.mean(gap <= 1), np.mean(gap <= 3)
        if equal > max(MOST, _PEAK * near):
            ratios[name] = f"the target is {np.exp(np.median(ratio)):.4g} times it in {equal:.0%} of the rows"
    return {"columns": ratios}


def _mostly_equal_classes(problem):
    """Columns with the names of three classes or more, which agree with the target in more rows than by chance."""
    labels, classes, equal = pd.Series(problem.labels()), problem.target.classes, {}
    for name, column in problem.suspects().items() if len(classes) > 2 else ():
        if set(classes) <= set(column.unique()):
            observed = (column == labels).mean()
            by_chance = sum((column == label).mean() * (labels == label).mean() for label in classes)
            if observed - by_chance > MOST * (1 - by_chance):  # Cohen's kappa
                equal[name] = f"the same in {observed:.0%} of the rows"
    return {"columns": equal}


@rule(
    "follow-up time",
    "{columns}: {how} the time until “{target}” was recorded, which is known only afterwards.",
    "Kept. Leave out by --drop what isn't known before, or use a survival model; --keep ends this warning.",
)
def follow_up_time(problem):
    """Time until an event as a feature for it, or the dates that it lies between: it is known only afterwards."""
    if problem.task == "regression" or not has_word(problem.target.name, f"^(status|outcome)$|{_EVENT}"):
        return None
    suspects = problem.suspects(times=True)
    numbers = [name for name in suspects if problem.kinds[name] == "number"]
    named = [name for name in numbers if has_word(name, _DURATION)]
    pairs = {n: pair for n, (how, pair) in problem.derived.items() if how == "difference"}
    pairs = {n: pair for n, pair in pairs.items() if problem.kinds[pair[0]] == "date" and set(pair) <= set(problem.X)}
    lengths = [problem.typed(name) for name in pairs]
    equal = [name for name in numbers if any(is_linear_copy(length, suspects[name]) for length in lengths)]
    names = [name for name in dict.fromkeys([*named, *equal, *chain(*pairs.values())]) if name in suspects]
    how = "by the name, this may be" if set(names) <= set(named) else "dates or numbers that may give"
    return {"columns": names, "how": how, "target": problem.target.name}


@rule("filled in for one class", "{columns}: {filled} for {only}.", QUESTION)
def filled_in_for_one_class(problem):
    """A column that half of the rows of some classes have a value in, and hardly any other: it may be filled in later.

    Zero amounts count as no value, and so does the more frequent value of two. A tenth of the rows is enough for
    amounts and texts, and for flags of these classes alone, unless there are many such columns. Quantities are zero or
    not, or lie beyond a limit.
    """
    find = _classes_with_values if problem.task == "classification" else _targets_with_values
    found, parts = {}, None
    for name, column in problem.suspects(beside=True, times=True).items():
        if not found.keys().isdisjoint(problem.source_columns(name)):
            continue
        if filled := _filled_in(problem, column, find):
            parts = _parts_of_a_class(problem)["columns"] if parts is None else parts
            if name not in parts:  # of which another rule asks
                found[name] = filled
    rare = [name for name, (_, has_value, rows, _) in found.items() if has_value[rows].mean() < MOST]
    columns, n_exceptions, is_one_class = {}, 0, problem.task == "classification"
    for name in [name for name in found if name not in rare or len(rare) <= _MOST_SOMETIMES]:
        flag, has_value, rows, which = found[name]
        n, n_others = has_value[rows].sum(), has_value[~rows].sum()
        value = "in " if flag is None else f"“{_as_written(problem, name, has_value, flag)}” in "
        value = "not 0 in " if flag is None and (problem.X[name][~has_value] == 0).any() else value
        columns[name] = f"{value}{n:,} of {rows.sum():,} rows {which}, and in {n_others:,} of {(~rows).sum():,} others"
        n_exceptions += n_others
        is_one_class = is_one_class and len(np.unique(problem.y[rows])) == 1
    some = "some classes" if problem.task == "classification" else "some targets"
    only = f"{'nearly ' if n_exceptions else ''}only {'one class' if is_one_class else some}"
    filled = {"not 0" if what.startswith("not 0") else "filled in" for what in columns.values()}
    return {"columns": columns, "only": only, "filled": " or ".join(sorted(filled))}


def _filled_in(problem, column, find):
    """The flag or None, the rows that have a value, those of the classes or targets that have it, and which; or None.

    Where other cells are empty, an amount of 0 is a value, too.
    """
    ways = [_has_value(column)]
    if column.isna().any() and (column == 0).any():
        ways.insert(0, (column.notna(), None))
    for has_value, flag in ways:
        is_flag = flag is not None or column.nunique() == 1
        if of_classes := find(problem, has_value.to_numpy(), is_flag):
            return flag, has_value, *of_classes
    return None


def _classes_with_values(problem, has_value, is_flag):
    """The rows of the classes that have so many of the values that chance doesn't explain it, and which; or None.

    These are nearly all values, or as good as all rows of a rare class have one.
    """
    classes, sizes = problem.target.classes, np.bincount(problem.y)
    filled = np.bincount(problem.y[has_value], minlength=len(sizes))
    shares = filled / sizes
    often = shares >= _SOMETIMES
    if is_flag and filled[often].sum() < filled.sum():
        often = shares >= MOST
    if not often.any() or often.all():
        return None
    tells = shares[often].min() >= _MOSTLY_FILLED and shares[~often].max() <= _HARDLY_FILLED
    if not tells and filled[often].sum() < _NEARLY_ONLY * filled.sum():
        return None
    all_but = "all but " if 2 * often.sum() > len(sizes) else ""
    named = listed([classes[k] for k in np.flatnonzero(~often if all_but else often)])
    rows = often[problem.y]
    return (rows, f"of {all_but}{named}") if _are_sure(has_value, rows, len(sizes)) else None


def _targets_with_values(problem, has_value, is_flag):
    """The rows of the targets that have all values, and which: those beyond a limit, not 0 or 0; or None.

    Half of the rows that are nearest to the limit must have a value, too, and half of all rows lie before it.
    """
    not_zero = problem.y != 0
    for sign, side in ((1, "more"), (-1, "less")) if has_value.any() and not is_flag else ():
        y = sign * problem.y
        limit = y[has_value].min()
        rows = y >= limit
        if rows.mean() > MOST or has_value[rows].mean() < MOST:
            continue
        near = rows & (y <= np.sort(y[rows])[:FEW_VALUES][-1])
        if has_value[near].mean() >= MOST and _are_sure(has_value, rows) and not np.array_equal(rows, not_zero):
            return rows, f"whose target is {sign * limit:,.10g} or {side}"
    least = MOST if is_flag else _SOMETIMES
    for rows, which in (not_zero, "is not 0"), (~not_zero, "is 0"):
        if rows.any() and not has_value[~rows].any() and has_value[rows].mean() >= least and _are_sure(has_value, rows):
            return rows, f"whose target {which}"
    return None


def _are_sure(has_value, rows, n_classes=2):
    """Whether chance doesn't explain that so many of the values are in these rows, those of some of the classes."""
    n, n_sets = has_value[rows].sum(), n_classes * np.log(2)  # of classes, logarithm
    return n >= FEW_VALUES and n_sets + _log_chance(n, has_value.sum(), rows.mean()) < np.log(SURE)


@rule(
    "filled in for one class",
    "{columns}: each only in the class “{label}”, of which they are {share} of the rows together.",
    QUESTION,
)
def filled_in_together(problem):
    """Flags or amounts, such as kinds of a failure, each of which is found in one class only, and which tell it."""
    return _parts_of_a_class(problem)


def _parts_of_a_class(problem):
    suspects = problem.suspects() if problem.task == "classification" else problem.X.iloc[:, :0]
    names, has_value = list(suspects), np.empty((suspects.shape[1], len(problem.y)), bool)
    for k, name in enumerate(names):
        has_value[k], _ = _has_value(suspects[name])
    n_values = has_value.sum(axis=1)
    for k, label in enumerate(problem.target.classes):
        of_class = has_value[:, problem.y == k]
        n, size = of_class.sum(axis=1), of_class.shape[1]
        is_sure = _log_chance(n, n_values, size / len(problem.y)) < np.log(SURE / max(len(names), 1))
        parts = np.flatnonzero(is_sure & (n >= _NEARLY_ONLY * n_values) & (n < MOST * size))
        if 2 <= len(parts) <= _MOST_PARTS:
            n_together = of_class[parts].any(axis=0).sum()
            if n_together >= max(FEW_VALUES, NEARLY_ALL * size):
                columns = {names[part]: counted(n[part], "row") for part in parts}
                return {"columns": columns, "label": label, "share": f"{n_together / size:.0%}"}
    return {"columns": ()}


def _has_value(column):
    """Which rows have a value other than 0, or the rarer one of two; this one, if there are two."""
    if column.nunique() != 2 or column.isna().any():
        return column.notna() & (column != 0), None
    flag = column.value_counts().index[-1]
    return column == flag, flag


def _as_written(problem, name, rows, value):
    """The value of these rows as the file has it, such as "No", which is read as 0."""
    written = problem.table[name][rows.to_numpy()].iloc[0] if name in problem.table else value
    return written.strip() if isinstance(written, str) else format(written, "g")


def _log_chance(n_often, n, share):
    """Logarithm of the probability that so many of n values are in this share of the rows, or more."""
    return binom.logsf(n_often - 1, n, share)
