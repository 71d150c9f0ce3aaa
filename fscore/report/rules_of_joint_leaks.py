"""Rules for columns from which, together, the target or a leak is calculated; the report asks about them."""

from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from fscore.report.calculated import (
    are_ranges,
    exact_fit,
    exact_set,
    exact_sum,
    explained,
    most_correlated,
    rounding_error,
    thinned,
    unit_of,
)
from fscore.report.evidence import ALONE, FEW_ROWS, FEW_VALUES, FIRST_ROWS, MOST, NEARLY_ALL, ROWS_EACH
from fscore.report.issues import QUESTION, rule
from fscore.report.rules_of_leaks import MOST_CODES, is_cut, purity

__all__ = []

_MOST_TRIED = 200  # rows, and columns, that are compared in pairs
_COVERED = 0.8  # share of the rows of each class whose pair of values is frequent
_MOST_FACTORS = 3  # that may be rounded
_COARSE = 0.05  # relative rounding of a factor, from which it is a small count
_BY_ITSELF = 0.95  # of the rows lie in ranges of one column for the classes
_EXPONENTS = np.array([-1, 1, -2, 2, -0.5, 0.5, -3, 3])  # of one column beside another
_MOST_LEVELS = 10  # of a category that adds to the target
_MOST_VALUES = 100  # of a column in pairs with another
_FEWEST_CELLS = 6  # frequent pairs of values
_FEWEST_LIMITED, _LEAST_LIMITED = 50, 0.1  # rows of a class; share of them that lie beyond one of two limits alone
_MOST_PAIRED = 60  # columns, of which two may tell the class


_joint_leak = rule(
    "joint leak",
    "The target is calculated from {columns}: it is {how} of {whom}.",
    QUESTION,
)


@_joint_leak
def sum_leak(problem):
    """Columns of which the target is a weighted sum. A class may be the larger of two, or a function of two."""
    if problem.task == "classification":
        numbers, y, rows = _joint_numbers(problem)
        larger = _compared(numbers, problem.y[rows]) if len(y) else None
        others = larger or _told_by_limits(numbers, problem.y[rows]) or _told_by_pair(problem)
        return _calculated(problem, others, "", "a comparison" if larger else "a function")
    for summands, y, filled in _summands(problem):
        names, where = exact_sum(summands, y)
        if names:
            return _calculated(problem, names, filled or where, "a sum or difference (with weights)")
    return None


def _summands(problem):
    """Yield columns that may add up to the target, the target, and in which rows: all, or those that have them.

    Of something that is done in time, 0 days are overdue. A delay has parts only where there is one: some numbers are
    there in the same rows, which are a part of all.
    """
    numbers, y, rows = _joint_numbers(problem)
    if len(y):
        yield numbers, y, ""
        yield _with_effects(problem, numbers, rows, y), y, ""
        above = y > 0
        if y.min() == 0 and FEW_ROWS <= above.sum() <= NEARLY_ALL * len(y):
            yield numbers[above], y[above], " where the target is not 0"
    numbers, sets = problem.suspects().select_dtypes(np.float64), {}
    for name, column in numbers.items():
        sets.setdefault(column.notna().to_numpy().tobytes(), []).append(name)
    for names in sets.values():
        rows = numbers[names[0]].notna().to_numpy()
        if FEW_ROWS <= rows.sum() <= NEARLY_ALL * len(rows):
            yield numbers.loc[rows, names], problem.y[rows], " in the rows that have them"


@_joint_leak
def product_leak(problem):
    """Columns of which the target is a product or ratio, and no sum, which small changes would also make a product."""
    numbers, y, _ = _joint_numbers(problem)
    names = _product(numbers, y) if problem.task == "regression" else []
    others = [name for name in numbers if name not in names and _is_sum(numbers[names], numbers[name])]
    where = " or of their sums" if others else ""
    return _calculated(problem, [*names, *others], where, "a product or ratio") if names else None


def _is_sum(numbers, x):
    return numbers.shape[1] > 1 and explained(numbers, x) > exact_fit(x, rounding_error(x))


def _product(numbers, y):
    # y may be a change, or a share that is kept or lost, also in percent; the odds of a share are a ratio of two parts.
    sizes, error = np.abs(y), rounding_error(y)
    odds = [np.divide(y, w - y, out=np.zeros(len(y)), where=y < w) for w in (1, 100)]
    slopes = [np.ones(len(y))] * 5 + [(1 + odds[0]) ** 2, (1 + odds[1]) ** 2 / 100]
    for factor, slope in zip((sizes, 1 + y, 1 - y, 100 + y, 100 - y, *odds), slopes, strict=True):
        positive = factor > 0
        if positive.sum() < max(FEW_ROWS, MOST * len(y)) or len(np.unique(factor[positive])) < FEW_VALUES:
            continue
        logs, error_of_log = np.log(factor[positive]), error * slope[positive] / factor[positive]
        signed = y.min() < 0 and factor is sizes
        factors = most_correlated(np.log(_factors(numbers[positive].abs() if signed else numbers[positive])), logs)
        names, _ = exact_set(factors, logs, error_of_log)
        summands = numbers[names]
        if not names and not factors.empty:
            exponents = zip(factors.items(), np.abs(LinearRegression().fit(factors, logs).coef_), strict=True)
            errors = {n: exponent * rounding_error(numbers[n]) / np.exp(x) for (n, x), exponent in exponents}
            errors = {n: of_log for n, of_log in errors.items() if of_log.mean() < _COARSE}
            names, _ = exact_set(factors, logs, error_of_log, pd.DataFrame(errors, factors.index))
            names = names if len(names) <= _MOST_FACTORS else []
            summands = numbers[names] if signed else numbers
        if names and not exact_sum(summands, y)[0]:
            return names
    return []


@_joint_leak
def range_leak(problem):
    """Two columns whose product or ratio, such as weight by squared height, has a range for each class."""
    if problem.task == "regression":
        return None
    numbers, y, _ = _joint_numbers(problem)
    numbers = numbers.loc[:, (numbers > 0).all() & (numbers.nunique() > MOST_CODES)].iloc[:, :_MOST_PAIRED]
    if np.sort(np.bincount(y.astype(int), minlength=2))[-2] < _FEWEST_LIMITED:
        return None
    logs, errors = np.log(numbers.to_numpy()), np.array([unit_of(x) / x.mean() for _, x in numbers.items()])
    few = thinned(len(y), FIRST_ROWS)
    for one, two in combinations(range(logs.shape[1]), 2):
        limits = errors[one] + np.abs(_EXPONENTS) * errors[two]
        are_told = are_ranges(logs[few, one, None] + logs[few, two, None] * _EXPONENTS, y[few], limits, NEARLY_ALL)
        for exponent, error in zip(_EXPONENTS[are_told], limits[are_told], strict=True):
            x = logs[:, one] + exponent * logs[:, two]
            alone = are_ranges(logs[:, [one, two]], y, error, _BY_ITSELF)
            if not alone.any() and _is_divided(x, y, error):
                return _calculated(problem, list(numbers.columns[[one, two]]), "", "a range of a product or ratio")
    return None


def _is_divided(x, codes, error):
    """Whether each code has a range of numbers, the limits of which are within heaps of them."""
    if not (error < np.std(x) and are_ranges(x[:, None], codes, error)[0]):
        return False
    parts = sorted((part for _, part in pd.Series(x).groupby(codes)), key=np.min)
    return all(is_cut(below, above, np.mean) for below, above in pairwise(parts))


@rule("joint leak", "{what}.", QUESTION)
def beyond_another_column(problem):
    """A column of two values that says whether the target exceeds a number by so much, as one that is late its plan."""
    if problem.task == "classification":
        return None
    numbers, y, rows = _joint_numbers(problem)
    numbers = numbers.loc[:, numbers.nunique() > MOST_CODES].iloc[:, :_MOST_PAIRED]
    flags = problem.suspects()[rows]
    flags = flags.loc[:, (flags.nunique() == 2) & flags.notna().all()].iloc[:, :_MOST_PAIRED]
    flags = {name: pd.factorize(flag)[0] for name, flag in flags.items()}
    flags = {name: codes for name, codes in flags.items() if np.bincount(codes).min() >= FEW_VALUES}
    if not flags or len(np.unique(y)) < FEW_VALUES:
        return None
    few, found = thinned(len(y), FIRST_ROWS), {}
    errors = {by: unit_of(x) + unit_of(y) for by, x in numbers.items()}
    for (by, x), (name, codes) in product(numbers.items(), flags.items()):
        gap, error = y - x.to_numpy(), errors[by]
        if not are_ranges(gap[few, None], codes[few], error, NEARLY_ALL)[0]:
            continue
        alone = are_ranges(np.column_stack([x, y]), codes, error)
        if not alone.any() and _is_divided(gap, codes, error):
            found[name] = f"“{name}” says whether the target exceeds “{by}” by a certain amount"
    return {"columns": list(found), "what": "; ".join(found.values())}


@rule("joint leak", "A leak that was left out is calculated from {columns}.", QUESTION)
def parts_of_a_leak(problem):
    """Columns of which a number that was left out as a leak is a sum or product, unless they are asked about."""
    asked = {name for issue in problem.issues if issue.kind == "joint leak" for name in issue.columns}
    parts, found = problem.suspects(times=True).select_dtypes(np.float64), {}
    leaks = [name for name in problem.table if problem.left_out.get(name) == "target leak"]
    for leak in leaks:
        if problem.kinds[leak] == "number":
            numbers, x, _ = _complete(parts, problem.typed(leak).to_numpy())
            names = _calculated(problem, exact_sum(numbers, x)[0] or _product(numbers, x), "", "")["columns"]
            found |= {} if set(names) <= asked else {name: f"for “{leak}”" for name in names}
    return {"columns": found}


def _factors(numbers):
    """Positive numbers; and of changes and discounts, also in percent, what they multiply by."""
    factors = {}
    for name, x in numbers.loc[:, numbers.nunique() > 1].items():
        low, high = x.min(), x.max()
        if low > 0:
            factors[name] = x
        elif -100 < low < 0:
            factors[name] = (1 if low > -1 else 100) + x
        elif low == 0 and high < 100:
            factors[name] = (1 if high < 1 else 100) - x
    return pd.DataFrame(factors, numbers.index)


def _told_by_limits(numbers, y):
    """Two columns with a limit each, beyond which all rows of one of two classes lie and no others; or None."""
    if y.size == 0 or y.max() != 1 or np.bincount(y).min() < _FEWEST_LIMITED or numbers.shape[1] > _MOST_PAIRED:
        return None
    x = np.column_stack([numbers, -numbers])
    for k in (0, 1):
        within = x[y == k] <= x[y != k].max(axis=0)  # of the other class
        n_within = within.sum(axis=0)
        both = within.T.astype(float) @ within.astype(float)
        both[n_within < _LEAST_LIMITED * len(within)] = 1.0  # one that is hardly needed, or not at all
        one, two = np.nonzero(np.triu(np.maximum(both, both.T) == 0))
        if len(one):
            return [numbers.columns[column % numbers.shape[1]] for column in (one[0], two[0])]
    return None


def _told_by_pair(problem):
    """Two columns of few values whose pairs each have rows of one class, as points and the credits that weight them."""
    codes = {name: pd.factorize(column)[0] for name, column in problem.suspects().iloc[:, :_MOST_PAIRED].items()}
    codes = {name: values for name, values in codes.items() if 2 <= values.max() + 1 <= _MOST_VALUES}
    codes = {n: values for n, values in codes.items() if purity(values.astype(float), problem.y, in_bins=False) < ALONE}
    tried = thinned(len(problem.y), FIRST_ROWS)
    for one, two in combinations(codes, 2):
        if all(_are_told(codes[one][rows], codes[two][rows], problem.y[rows]) for rows in (tried, slice(None))):
            return [one, two]
    return None


def _are_told(one, two, y):
    """Whether nearly all rows of each class have a pair of values that is frequent, and no frequent pair has others."""
    known = (one >= 0) & (two >= 0)
    cells = one[known].astype(np.int64) * (two.max() + 1) + two[known]
    cells, sizes = np.unique(cells, return_inverse=True, return_counts=True)[1:]
    frequent = sizes[cells] >= ROWS_EACH
    pairs = np.unique(cells[frequent] * (y.max() + 1) + y[known][frequent]) // (y.max() + 1)
    if len(pairs) < _FEWEST_CELLS or len(np.unique(pairs)) < len(pairs):
        return False
    of_class = np.bincount(y[known], minlength=y.max() + 1)
    covered = np.bincount(y[known][frequent], minlength=len(of_class)) >= _COVERED * of_class
    return known.mean() > NEARLY_ALL and covered.all()


def _joint_numbers(problem):
    """Numbers that may have made the target, and targets, in the rows that have them all; and which rows these are."""
    return _complete(problem.suspects(times=True).select_dtypes(np.float64), problem.y)


def _complete(numbers, y):
    numbers = numbers.loc[:, numbers.notna().mean() > NEARLY_ALL]
    rows = numbers.notna().all(axis=1).to_numpy() & ~np.isnan(y)
    rows = rows & (rows.sum() >= FEW_ROWS)
    return numbers[rows], y[rows].astype(float), rows


def _with_effects(problem, numbers, rows, y):
    """Numbers, and for each category of few levels what each adds to the target by least squares, as in a test's items.

    No columns if there is one category at most, there are too few rows for so many levels, or the fit is not close.
    """
    words = problem.suspects(beside=True, times=True).select_dtypes(exclude=np.float64)[rows]
    words = words.loc[:, words.nunique().between(2, _MOST_LEVELS)]
    if words.shape[1] < 2:
        return numbers.iloc[:, :0]
    levels = {name: pd.get_dummies(column, dtype=float) for name, column in words.items()}
    numbers = most_correlated(numbers, y)
    A = np.column_stack([(numbers - numbers.mean()) / numbers.std(), *levels.values()])
    tried = thinned(len(y), FIRST_ROWS + A.shape[1])
    if A.shape[1] > len(y) - FEW_ROWS or explained(A[tried], y[tried]) <= ALONE:
        return numbers.iloc[:, :0]
    starts = np.cumsum([numbers.shape[1], *(table.shape[1] for table in levels.values())])
    coefficients = np.split(LinearRegression().fit(A, y).coef_, starts)[1:-1]
    added = {name: table @ b for (name, table), b in zip(levels.items(), coefficients, strict=True)}
    return numbers.assign(**added)


def _calculated(problem, names, where, how):
    """The columns of the file that the target is calculated from, and how."""
    sources = list(dict.fromkeys(source for name in names or () for source in problem.source_columns(name)))
    return {"columns": sources, "how": how, "whom": ("them" if len(sources) > 1 else "its numbers") + where}


def _compared(numbers, y):
    """Two columns whose order tells the class; or None."""
    tried = thinned(len(y), _MOST_TRIED)
    few = numbers.iloc[tried, :_MOST_TRIED].to_numpy()
    classes = y[tried, None] == np.arange(y.max() + 1)
    for i, column in enumerate(few.T):
        order = np.sign(few - column[:, None])
        told = sum((classes.T.astype(float) @ (order == sign)).max(axis=0) for sign in (-1, 0, 1))
        for j in i + 1 + np.flatnonzero(told[i + 1 :] >= ALONE * len(few)):
            names = [numbers.columns[i], numbers.columns[j]]
            if purity(np.sign(numbers[names[0]] - numbers[names[1]]).to_numpy(), y, in_bins=False) >= ALONE:
                return names
    return None
