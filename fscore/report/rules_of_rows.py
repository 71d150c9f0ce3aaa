"""Rules for rows: totals and other summaries, impossible targets, repeated and similar rows, a sample of many."""

import re

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.stats import iqr, rankdata, skew

from fscore.datasets.words import any_of
from fscore.report.evidence import FEW_VALUES, MOST
from fscore.report.issues import listed, rule
from fscore.report.rules_of_columns import counts_rows
from fscore.report.rules_of_groups import are_runs
from fscore.report.rules_of_time import order_of_rows
from fscore.report.scores import Rows, draw

__all__ = ["MOST_ROWS"]

_TOTAL = re.compile(
    rf"(?:(?:(?:sub|grand |overall )?total|sum|(?:overall )?average|overall mean)s?|{any_of('total', 'mean')})"
    "(?: (?:of|de|du|des|der|del|della|do|da|van) .{1,30}| (?:general|generale|geral|générale?))?:?",
    re.IGNORECASE,
)
_CALLED = rf"\b(?:(?:sub)?total|{any_of('total')})\b"
_STATISTIC = re.compile(  # words that may also be a name, so that one of them is not enough
    r"avg|means?|medians?|modes?|(st(andar)?d\.? ?)(dev(iation)?\.?|err(or)?)|sd|se|"
    r"var(iance)?|n|count|obs(ervations)?|min(imum)?|max(imum)?|range|media|média|" + _TOTAL.pattern,
    re.IGNORECASE,
)
_FEWEST_SUMMED = 2  # columns
_MOST_GRADES = 50  # different targets, of which the range is known
_COMPACT = 10  # interquartile ranges that the range of more values may have, unless extreme ones are to be expected
_FEWEST_GRADED = 50
_SHARE_OF_COPIES = 0.01
_EXPECTED = 0.01  # pairs of equal rows by chance, from which one tells nothing
_FEWEST_NEIGHBORS, _FEWEST_CHANGES = 100, 10  # rows; changes of the target from row to row
MOST_ROWS = 4000  # rows that a selection looks at; more are drawn from


@rule("row of totals", "{rows} the others: {what}.", "Left out.")
def summary_rows(problem):
    """Last rows of totals, means and the like: so they are called, or half of the numbers of one are, at least two.

    Or the first row, if it is called so, or subtotals of the rows above each, or all rows of one value, as those of the
    world beside its countries. A word that may be a name, such as "mean", is enough for the last row where half of it
    is empty.
    """
    for rows, what, sum_up in _summaries(problem):
        return {"rows": rows, "what": what, "changes": {"keep_rows": ~sum_up}}
    return None


def _summaries(problem):
    """Yield what rows sum up the others, how one sees it, and which they are: the surest ones first."""
    table, n = problem.table, len(problem.table)
    position = np.arange(n)
    numbers = problem.X.select_dtypes(np.float64)
    numbers = numbers.assign(**{problem.target.name: problem.y}) if problem.task == "regression" else numbers
    if (subtotals := _subtotals(table, numbers)).any():
        yield f"{subtotals.sum():,} rows summarize", "they are subtotals of the rows above", subtotals
    # Sums of flags are often equal by chance.
    varied = numbers.loc[:, numbers.nunique() > FEW_VALUES].fillna(0.0).to_numpy()
    sums = {name: _sums_of_others(problem.X[name], varied) for name in problem.X if problem.kinds[name] == "category"}
    if sums := {name: value for name, value in sums.items() if value is not None}:
        sum_up = (problem.X[list(sums)] == pd.Series(sums)).any(axis=1).to_numpy()
        what = f"they have {', '.join(f'“{value}” in “{name}”' for name, value in sums.items())}"
        yield f"{sum_up.sum():,} rows summarize", what, sum_up
    if (first := _summary(table.iloc[::-1], n)) and _TOTAL.fullmatch(first[0]):
        yield "The first row summarizes", f"it has “{first[0]}” in “{first[1]}”", position == 0
    words = []
    while len(words) < n - 1 and (word := _summary(table, n - len(words))):
        words.insert(0, word)
    if len(words) > 1:
        what = f"they have {listed([word for word, _ in words])}"
        yield f"The last {len(words)} rows summarize", what, position >= n - len(words)
    is_bare = problem.X.iloc[-1].notna().mean() <= MOST
    totals = [f"“{word}” in “{name}”" for word, name in words if is_bare or _TOTAL.fullmatch(word)]
    numbers = {name: column.dropna().to_numpy() for name, column in numbers.items() if pd.notna(column.iloc[-1])}
    sums = [name for name, values in numbers.items() if _is_total(values)]
    totals += [f"the sum or mean of {listed(sums)}"] if len(sums) >= max(2, len(numbers) / 2) else []
    if totals:
        yield "The last row summarizes", f"it has {totals[0]}", position == n - 1


def _sums_of_others(column, numbers):
    """The value, in two rows up to a third, whose rows sum up to what all others do in two numbers; or None."""
    if column.isna().any():
        return None
    codes, values = pd.factorize(column)
    sums = csr_array((np.ones(len(codes)), (codes, np.arange(len(codes))))) @ numbers
    is_sum = np.isclose(2 * sums, numbers.sum(axis=0), rtol=1e-4).sum(axis=1) >= _FEWEST_SUMMED
    sizes = np.bincount(codes)
    is_sum &= (sizes >= 2) & (sizes <= len(codes) / 3)
    return values[is_sum][0] if is_sum.sum() == 1 else None


def _subtotals(table, numbers):
    """Which rows are called totals, if at least two, and half of them, sum up those since the one before.

    Others may not, since rows without a target are left out before.
    """
    texts = table.select_dtypes(exclude=np.float64).astype(str)
    called = texts.apply(lambda column: column.str.contains(_CALLED, case=False)).any(axis=1).to_numpy()
    block = called[::-1].cumsum()[::-1]  # of a total and the rows since the one before
    equal = np.isclose(2 * numbers, numbers.groupby(block).transform("sum"), rtol=1e-3).sum(axis=1)
    equal = equal >= np.maximum(MOST * numbers.notna().sum(axis=1), 1)
    return called & ((called & equal).sum() >= max(2, called.sum() / 2))


def _summary(table, end):
    """The word for a statistic in the last of the first rows, and its column; None if there is none of its own."""
    for name, value in table.iloc[end - 1].items():
        word = str(value).strip()
        if _STATISTIC.fullmatch(word) and word not in set(table[name].iloc[: end - 1]):
            return word, name
    return None


def _is_total(values):
    """Whether the last of some numbers, and no other, is the sum of those above up to a thousandth, or the mean."""
    *above, last = values
    digits = len(repr(float(last)).partition(".")[2])
    equal_sum = np.isclose(values, np.sum(above), rtol=1e-3)
    equal_mean = values.round(digits) == np.mean(above or 0).round(digits)
    return any(equal[-1] and equal.sum() == 1 for equal in (equal_sum, equal_mean))


@rule(
    "impossible target",
    "One row has the target {value:g}, but all others lie between {low:g} and {high:g}: row {row} below the header.",
    "Left out; if it is right, use --keep and the name of the target.",
)
def impossible_target(problem):
    """A single value far from all others, as where a row is shifted by one column, if these are grades or compact.

    An amount, whose logarithm is less skewed, must be far by its logarithm, too.
    """
    y, target = problem.y, problem.target.name
    if problem.task == "classification" or len(y) < _FEWEST_GRADED or target in problem.keep:
        return None
    farthest = np.abs(y - np.median(y)).argmax()
    others = np.delete(y, farthest)
    scales, are_grades = [y], len(np.unique(others)) <= _MOST_GRADES
    if not are_grades and y.min() > 0 and abs(skew(np.log(others))) < abs(skew(others)):
        scales.append(np.log(y))
    if not all(_is_far(values[farthest], np.delete(values, farthest), are_grades) for values in scales):
        return None
    words = {"value": y[farthest], "low": others.min(), "high": others.max(), "row": problem.rows[farthest] + 1}
    return {"columns": [target], **words, "changes": {"keep_rows": np.arange(len(y)) != farthest}}


def _is_far(value, others, are_grades):
    """Whether a value lies farther from grades, or compact values, than these lie from each other."""
    size = np.ptp(others)
    return (are_grades or size <= _COMPACT * iqr(others)) and max(value - others.max(), others.min() - value) > size


@rule(
    "duplicate rows",
    "Rows that repeat an earlier one, so that copies would be trained on and tested: {n}.",
    "One of each is kept.",
)
def repeated_rows(problem):
    """Rows that repeat an earlier one in every column, where chance doesn't explain it."""
    table = _columns_to_compare(problem)
    _, repeated, natural = _alike(table, problem.y)
    if not repeated.any() or (natural and not _are_copies(table, problem.y, repeated)):
        return None
    return {"n": repeated.sum(), "changes": {"keep_rows": ~repeated}}


@rule("contradicting rows", "Sets of rows with the same features but different targets: {n}.", "They {stay}.")
def contradicting_rows(problem):
    """Rows that differ in the target alone."""
    alike, repeated, natural = _alike(_columns_to_compare(problem), problem.y)
    n_contradicting = (np.bincount(alike[~repeated]) > 1).sum()
    if natural or not n_contradicting:
        return None
    if problem.groups is not None:
        return {"n": n_contradicting, "stay": "are kept"}
    return {"n": n_contradicting, "stay": "stay in one fold", "changes": {"groups": alike}}


@rule("duplicate rows", "Rows that differ from an earlier one only in {columns}: {n}.", "They stay in one fold.")
def copies_with_another_identifier(problem):
    """A hundredth of the rows or more that differ from an earlier one in an identifier alone, as second records do."""
    identifiers = [n for n, reason in problem.left_out.items() if reason == "identifier" and n in problem.table]
    if problem.groups is not None or not identifiers:
        return None
    alike, repeated, natural = _alike(_columns_to_compare(problem, identifiers), problem.y)
    if natural or repeated.sum() < max(_SHARE_OF_COPIES * len(repeated), 1):
        return None
    return {"columns": identifiers, "n": repeated.sum(), "changes": {"groups": alike}}


def _alike(table, y):
    """Number of each row's set of equal rows, which of them repeat an earlier one, and whether chance explains it.

    Repeated rows are expected if the columns have few different values.
    """
    if table.shape[1] == 0:
        return np.zeros(len(y), int), np.zeros(len(y), bool), True
    texts = table.astype(dict.fromkeys(table.columns[table.dtypes != np.float64], str))
    alike = pd.factorize(pd.util.hash_pandas_object(texts, index=False))[0]
    repeated = pd.DataFrame({"row": alike, "y": y}).duplicated().to_numpy()
    if len(np.unique(alike)) == len(alike):
        return alike, repeated, False
    distinct = table[~pd.Series(alike).duplicated().to_numpy()]
    return alike, repeated, bool(_pairs_by_chance(distinct) > _EXPECTED) or bool(table.nunique().max() <= FEW_VALUES)


def _columns_to_compare(problem, without=()):
    """The columns of the file in which rows are compared.

    They are all, since rows that differ in one that is not a feature are different cases; but columns that count the
    rows or reveal the target make no difference.
    """
    leaks = [name for name, reason in problem.left_out.items() if reason == "target leak"]
    sources = [source for name in leaks for source in problem.source_columns(name)]
    table = problem.table.drop(columns=[*sources, *without])
    return table.loc[:, [not counts_rows(pd.to_numeric(column, errors="coerce")) for _, column in table.items()]]


def _are_copies(table, y, repeated):
    """Whether many more rows repeat than by chance, and more different ones than differ in one column alone.

    Columns may depend on each other, so that rows coincide more often; but then more of them differ in a column of few
    values alone, or all have the most frequent ones, such as no symptoms.
    """
    values = [pd.factorize(column, use_na_sentinel=False)[0] for _, column in table.items()]
    values.append(np.unique(y, return_inverse=True)[1])
    rng = np.random.default_rng(0)
    keys = [rng.integers(2**62, size=codes.max() + 1)[codes] for codes in values]
    rows = np.sum(keys, axis=0)  # equal, with a probability of nearly 1, for equal rows alone
    nearly = np.zeros((~repeated).sum(), bool)
    for codes, key in zip(values, keys, strict=True):
        if codes.max() < FEW_VALUES:
            nearly |= pd.Series((rows - key)[~repeated]).duplicated(keep=False).to_numpy()
    n_rows = np.unique(rows, return_counts=True)[1]
    n_pairs = (n_rows * (n_rows - 1)).sum() / 2
    return _pairs_by_chance(table[~repeated]) < _EXPECTED * n_pairs and nearly.sum() < (n_rows > 1).sum() - 1


def _pairs_by_chance(distinct):
    """The number of pairs of equal rows to expect if columns were independent.

    It is that of different rows: copies must not make copies look likely.
    """
    pairs = len(distinct) * (len(distinct) - 1) / 2
    return pairs * np.exp(sum(np.log(_share_of_equal_pairs(distinct[name])) for name in distinct))


def _share_of_equal_pairs(column):
    counts = column.value_counts(dropna=False).to_numpy()
    n = counts.sum()
    return max((counts * (counts - 1)).sum() / max(n * (n - 1), 1), 1 / n**2)


@rule(
    "many rows",
    "{n:,} rows.",
    "Selection and validation use {n_drawn:,} of them, drawn at random; the final model learns from all.",
)
def many_rows(problem):
    """More rows than a selection looks at."""
    if len(problem.y) <= MOST_ROWS:
        return None
    drawn = draw(Rows(problem.y, problem.task, problem.groups), MOST_ROWS)
    return {"n": len(problem.y), "n_drawn": len(drawn), "changes": {"drawn": drawn}}


@rule(
    "similar neighbors",
    "Rows that follow one another in the file have similar targets ({how}), and no column says why.",
    "If neighbors belong together, as in a recording or a place, the score is too high for others: give the recordings "
    "or places numbers in a column and name it by --groups, or number the rows and name that by --time.",
)
def similar_neighbors(problem):
    """Targets that go on from row to row, as states in a recording without a time.

    In a file that is sorted by its target or by a column, they do so anyway.
    """
    is_known = problem.groups is not None or problem.time is not None or not problem.looks_for_time
    if is_known or len(problem.y) < _FEWEST_NEIGHBORS or _sorts_rows(problem):
        return None
    if problem.task == "classification":
        same, sides = np.mean(problem.y[1:] == problem.y[:-1]), problem.y
        by_chance = np.sum((np.bincount(problem.y) / len(problem.y)) ** 2)
        alike, how = (same - by_chance) / (1 - by_chance), f"the same in {same:.0%} of the pairs"
    else:
        ranks, sides = rankdata(problem.y), problem.y > np.median(problem.y)
        alike = np.corrcoef(ranks[1:], ranks[:-1])[0, 1]
        how = f"rank correlation {alike:.2f}"
    is_sorted = np.count_nonzero(np.diff(sides)) < max(_FEWEST_CHANGES, 3 * len(problem.target.classes))
    return None if is_sorted or alike < MOST else {"how": how}


def _sorts_rows(problem):
    """Whether a column that doesn't just count the rows is sorted, runs through, or has each value in one block."""
    for name in problem.table:
        column = problem.typed(name)
        if column.nunique(dropna=False) == 1:
            continue
        if are_runs(column):
            return True
        if problem.kinds[name] in ("number", "date") and problem.left_out.get(name) != "identifier":
            rises = np.diff(column.dropna())
            step = np.median(rises[rises > 0]) if (rises > 0).any() else 1.0
            if order_of_rows((column / step).round(6).to_numpy()):
                return True
    return False
