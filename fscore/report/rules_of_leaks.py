"""Rules for columns that reveal the target."""

from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import iqr, rankdata
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fscore.report.calculated import FLOAT_ERROR, unit_of
from fscore.report.evidence import ALONE, EXACT_FIT, FEW_ROWS, FEW_VALUES, FIRST_ROWS, MOST, NEARLY_ALL, ROWS_EACH
from fscore.report.issues import rule
from fscore.report.names import is_unit, is_unit_number
from fscore.report.rules_of_groups import are_numbered
from fscore.report.scores import Rows, folds, measure_of

__all__ = ["MOST_CODES", "is_cut", "purity"]

_MONOTONE = 0.97  # rank correlation with a quantity: only then is a tree fitted
_N_BINS = 24
_FINE = 5  # times the rounding of a sum or mean that the target must vary by
_FEWEST_BANDS = 3  # limit and order of fewer may agree by chance
_RARE = 0.5  # of the density in the middle
MOST_CODES = 10  # different numbers of units that may be codes of the target; more are units
_SHORTEST_LABEL = 3  # letters of a class from which its occurrence in another text is not a coincidence
_OFTEN = 0.2  # share of the rows with a value, from which a column may tell the class in these


_leak = partial(
    rule,
    "target leak",
    action="Left out; if one of them is known before the target, keep it by --keep and its name.",
    leaves_out=True,
)


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
    suspects = problem.suspects(beside=True).loc[words.index]
    texts = suspects[[name for name in suspects if problem.kinds[name] in ("category", "text")]].fillna("")

    def holds(column):
        pairs = zip(words, column.str.casefold(), strict=True)
        return np.mean([word in text and word != text for word, text in pairs]) >= NEARLY_ALL

    return [name for name, column in texts.items() if len(words) >= FEW_VALUES and holds(column)]


@_leak("Columns that predict the target alone, which real measurements hardly ever do ({measure}): {columns}.")
def target_leak(problem):
    """A column that predicts the target alone; units do, if their targets are alike, such as batches of one class."""
    scores = {}
    for name, column in problem.suspects(beside=True).items() if len(problem.y) >= FEW_ROWS else ():
        if _are_units(name, column, problem):
            continue
        score = (_of_a_class if problem.task == "classification" else _of_a_quantity)(column, problem.y)
        if score >= ALONE:
            scores[name] = f"{score:.3f}"
    return {"columns": _with_ends(problem, scores), "measure": measure_of(problem.task)}


def _are_units(name, column, problem):
    """Whether a column names units: many by a number, such as "T0021" of a photo, or several batches of each class."""
    are_names = column.dtype != np.float64 and are_numbered(column)
    if column.nunique() > MOST_CODES and (is_unit_number(name) or are_names):
        return True
    return problem.task == "classification" and is_unit(name) and column.groupby(problem.y).nunique().min() > 1


def _with_ends(problem, leaks):
    """Columns that leak, with what is said of each; the end of a difference that leaks does, and what is made of it."""
    pairs = {n: problem.derived[n][1] for n in leaks if problem.derived.get(n, ("",))[0] == "difference"}
    ends = {end: f"the end of “{n}”" for n, (start, end) in pairs.items() if end in problem.X and start not in leaks}
    parts = {n: f"of “{columns[-1]}”" for n, (_, columns) in problem.derived.items() if n in problem.X}
    parts = {n: words for n, words in parts.items() if not set(ends).isdisjoint(problem.derived[n][1])}
    return leaks | {name: words for name, words in (ends | parts).items() if name not in leaks}


@_leak("The target is this number, rounded: {columns}.")
def rounded_to_the_target(problem):
    """A quantity within a unit of the target, up or down, as the time between two dates of which it counts the days."""
    unit = unit_of(problem.y) if problem.task == "regression" else 0.0
    if len(problem.y) < FEW_ROWS or not 0 < 2 * unit <= np.std(problem.y):
        return None
    leaks, numbers = {}, problem.suspects(beside=True).select_dtypes(np.float64)
    gaps = numbers.sub(problem.y, axis=0)
    low, high = gaps.min(), gaps.max()
    for name in gaps.columns[(high - low < 2 * unit) & (gaps.notna().mean() >= MOST)]:
        if _of_a_quantity(numbers[name], problem.y) < ALONE:
            leaks[name] = f"{low[name]:.2g} to {high[name]:.2g} more than it"
    return {"columns": _with_ends(problem, leaks)}


@_leak("{columns}: each of its values stands for a range of the target.")
def target_in_bands(problem):
    """A column such as a grade that divides the target at limits; groups that differ by nature lie further apart."""
    target = pd.to_numeric(pd.Series(problem.labels()), errors="coerce")
    if target.isna().any() or target.nunique() < 2 * _FEWEST_BANDS:
        return None
    values = np.unique(target)

    def is_band(column):
        codes = pd.Series(pd.factorize(column)[0])
        if not 2 <= codes.max() + 1 <= len(values) / 2 or (codes >= 0).mean() < _OFTEN:
            return False
        bands = target[codes >= 0].groupby(codes).agg(["min", "max", "size"]).sort_values("min")
        steps = bands["min"].to_numpy()[1:] - bands["max"].to_numpy()[:-1]
        are_large = (bands["size"] >= ROWS_EACH).to_numpy()
        are_two = are_large.all() and len(target) >= FEW_ROWS  # rows of so many are hardly the first or last by chance
        if steps.min() <= 0 or not (are_large.sum() >= _FEWEST_BANDS or are_two):
            return False
        is_one_value = (bands["min"] == bands["max"]).any()  # as of a shop that is closed
        if len(bands) == 2 and (is_one_value or not is_cut(*(target[codes == code] for code in bands.index))):
            return False
        inside = np.diff(values)[np.isin(values[1:], bands["min"], invert=True)]
        return steps[are_large[1:] & are_large[:-1]].max(initial=0.0) <= inside.max()

    bands = [column for _, column in problem.suspects(beside=True).items() if is_band(column)]
    return [column.name for column in bands if _of_a_quantity(column, target.to_numpy()) < ALONE]


@_leak("{columns}: says whether the target is beyond a limit, which differs by another column.")
def beyond_limits(problem):
    """A column of two values that divides the target in each category of another, as a deadline of each priority."""
    y, suspects = pd.Series(problem.y), problem.suspects(beside=True)
    n_values = suspects.nunique()
    flags = suspects.loc[:, (n_values == 2) & suspects.notna().all()].apply(lambda flag: pd.factorize(flag)[0])
    if problem.task == "classification" or flags.empty:
        return None
    flags, leaks = flags.iloc[np.argsort(y)], {}
    in_one = _n_changes(flags)
    for by, column in suspects.loc[:, n_values.between(2, MOST_CODES)].items():
        of_category = [rows for _, rows in flags.groupby(column, dropna=False)]
        n_changes = np.array([_n_changes(rows) for rows in of_category])
        for name in flags.columns[(n_changes.max(axis=0) == 1) & (n_changes.sum(axis=0) > 1) & (in_one > 1)]:
            if _divides([y[rows.index].groupby(rows[name]) for rows in of_category]):
                leaks[name] = f"by “{by}”"
    return {"columns": leaks}


def _n_changes(flags):
    return np.abs(np.diff(flags, axis=0)).sum(axis=0)


def _divides(categories):
    """Whether targets of each category lie on two sides of a limit, those of one code above in all, at least in two."""
    sides = [dict(list(targets)) for targets in categories if len(targets) == 2 and targets.size().min() >= ROWS_EACH]
    above = {max(parts, key=lambda code: parts[code].min()) for parts in sides}
    limits = [sorted(parts.values(), key=np.min) for parts in sides]
    return len(sides) > 1 and len(above) == 1 and all(b.max() < a.min() and is_cut(b, a) for b, a in limits)


def is_cut(below, above, of_sides=max):
    """Whether numbers below and above a limit are of one heap: near it, they are not rare beside the middle of a side.

    It is enough of one side, such as of the long delays where most have none, or of the mean of both.
    """
    shares = []
    for distance in (below.max() - below, above - above.min()):
        width = iqr(distance) / 4
        in_the_middle = ((distance - distance.median()).abs() <= width / 2).sum()
        shares.append(((distance <= width).sum() - 1) / max(in_the_middle, 1))  # besides the row at the limit
    return of_sides(shares) >= _RARE


@_leak("{columns}: from row to row it grows by the target, or in proportion to it.")
def running_sum(problem):
    """A column whose step to the next row, or from the row before, is the target, also within each unit of a panel.

    A meter may count in another unit. The most frequent target, often 0, doesn't count: other columns may stay as they
    are.
    """
    if problem.task == "classification":
        return None
    y, unit = problem.y, unit_of(problem.y)
    usual, spread = pd.Series(y).mode()[0], np.std(y)

    def is_sum(x, of_units, rows):
        steps = np.where(np.diff(of_units[rows]) == 0, np.diff(x[rows]), np.nan)
        coarse, float_error = unit_of(x[~np.isnan(x)]), FLOAT_ERROR * np.nanmax(np.abs(x), initial=0.0)
        return any(is_step(steps, targets, coarse, float_error) for targets in (y[rows[1:]], y[rows[:-1]]))

    def is_step(steps, targets, coarse, float_error):
        counts = ~np.isnan(steps) & (targets != usual) & (targets != 0)
        if counts.sum() < FEW_ROWS:
            return False
        steps, targets = steps[counts], targets[counts]
        factor = np.median(steps / targets)
        fine = abs(factor) * unit
        error = (coarse if coarse > fine else fine / 2) + float_error
        equal = np.abs(steps - factor * targets) <= error
        return _FINE * error < abs(factor) * spread and equal.sum() >= max(FEW_ROWS, NEARLY_ALL * len(equal))

    # The rows of each unit together, in their order.
    units = [np.zeros(len(y), int), *problem.units(_FEWEST_BANDS).values()]
    orders = [(of_units, np.argsort(of_units, kind="stable")) for of_units in units]

    def grows(x):
        return any(
            is_sum(x[:FIRST_ROWS], of_units, rows[rows < FIRST_ROWS]) and is_sum(x, of_units, rows)
            for of_units, rows in orders
        )

    numbers = problem.suspects(beside=True).select_dtypes(np.float64)
    return [name for name, column in numbers.items() if grows(column.to_numpy())]


@_leak("{columns}: the mean or sum of the targets of the rows that share its value.")
def mean_of_the_target(problem):
    """A column of means of the target over rows such as repetitions, which it is the same in, or of sums.

    Only values count whose rows differ so much in the target that their mean is hardly near the value by chance.
    """
    if problem.task == "classification":
        return None
    y, names = problem.y, []
    numbers = problem.suspects(beside=True).select_dtypes(np.float64)
    for name, x in numbers.loc[:, numbers.nunique() < len(y) - FEW_ROWS].items():
        of_value = pd.DataFrame({"x": x, "y": y}).groupby("x")["y"].agg(["mean", "sum", "size", "sem"])
        error = unit_of(of_value.index) / 2 + FLOAT_ERROR * np.abs(y).max()
        of_value = of_value[of_value["sem"] > _FINE * error]
        values = of_value.index.to_numpy()
        gaps = np.abs(of_value["mean"] - values), np.abs(of_value["sum"] - values) / of_value["size"]
        fits = len(values) >= FEW_ROWS and max(np.mean(gap <= error) for gap in gaps) >= MOST
        if fits and _of_a_quantity(x, y) < ALONE:
            names.append(name)
    return names


def _of_a_class(column, y):
    """Balanced accuracy of a column by itself, at least roughly."""
    of_numbers = column.dtype == np.float64
    codes = column.to_numpy() if of_numbers else pd.factorize(column)[0].astype(float)
    missing = np.isnan(codes)
    present = column.notna().to_numpy()
    is_filled = _OFTEN * len(y) <= present.sum() < len(y)
    if is_filled and np.bincount(y[present], minlength=y.max() + 1).min() >= 5:
        alone = _of_a_class(column[present], y[present])
        if alone >= ALONE:
            return alone
    if min(missing.sum(), (~missing).sum()) >= 5:
        gaps = [missing[y != c].mean() - missing[y == c].mean() for c in range(y.max() + 1)]
        # That there is a value tells the class; that there is none, only of two.
        if (alone := (1 + max(np.abs(gaps) if len(gaps) == 2 else gaps)) / 2) >= ALONE:
            return alone
    if purity(codes, y, of_numbers) < NEARLY_ALL:
        return 0.0
    limits = {"max_leaf_nodes": 4 * (y.max() + 1), "min_samples_leaf": 2} if of_numbers else {}
    tree = DecisionTreeClassifier(**limits, class_weight="balanced")
    parts = folds(Rows(y, "classification"), 5, 0)
    return balanced_accuracy_score(y, cross_val_predict(tree, codes[:, None], y, cv=parts))


def purity(codes, y, in_bins):
    """Mean over classes of the share of rows whose class leads in their bin: quick, and no less than a tree finds."""
    ranks = rankdata(np.where(np.isnan(codes), -np.inf, codes), method="dense")
    if in_bins and ranks.max() > _N_BINS:
        ranks = np.searchsorted(np.quantile(ranks, np.linspace(0, 1, _N_BINS)[1:-1]), ranks)
    table = np.zeros((int(ranks.max()) + 1, y.max() + 1))
    np.add.at(table, (ranks.astype(int), y), 1)
    return (table / table.sum(axis=0)).max(axis=1).sum() / table.shape[1]


def _of_a_quantity(column, y):
    """R2 of a column of numbers by itself if that may be near 1: its ranks are those of the target."""
    if column.dtype != np.float64:
        return 0.0
    x = column.to_numpy()
    present = ~np.isnan(x)
    if present.sum() < max(FEW_ROWS, _OFTEN * len(y)) or np.ptp(x[present]) == 0:
        return 0.0
    monotone = abs(np.corrcoef(rankdata(x[present]), rankdata(y[present]))[0, 1])
    if monotone > EXACT_FIT or monotone <= _MONOTONE:
        return float(monotone > EXACT_FIT)
    tree, parts = DecisionTreeRegressor(min_samples_leaf=2), folds(Rows(y, "regression"), 5, 0)
    return r2_score(y, cross_val_predict(tree, x[:, None], y, cv=parts))
