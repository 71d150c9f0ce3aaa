"""Rules for the table as a whole: what is missing, repeated rows, many columns, many rows."""

import re

import numpy as np
import pandas as pd

from fscore.report.models import OneHotCategories
from fscore.report.rankings import MOST_UNITS
from fscore.report.rules_of_columns import counts_rows
from fscore.report.scores import Rows, draw
from fscore.report.target import refuse_rare
from fscore.report.traps import counted, listed, rule

__all__ = ["MOST_ROWS"]

_TOTAL = re.compile(r"((sub|grand )?total|sum|average)s?:?", re.IGNORECASE)
MOST_ROWS = 4000  # rows that a selection looks at; more are drawn from


@rule("row of totals", "The last row sums up the others: it has {what}.", "Left out.")
def row_of_totals(problem):
    """A last row of totals, as spreadsheets have it: so it is called, or half of its numbers are, at least two."""
    last, above = problem.table.iloc[-1], problem.table.iloc[:-1]
    words = {name: str(word).strip() for name, word in last.items() if _TOTAL.fullmatch(str(word).strip())}
    what = [f"“{word}” in “{name}”" for name, word in words.items() if last[name] not in set(above[name])]
    numbers = problem.X.select_dtypes(np.float64)
    numbers = numbers.assign(**{problem.target.name: problem.y}) if problem.task == "regression" else numbers
    numbers = {name: column.dropna().to_numpy() for name, column in numbers.items() if pd.notna(column.iloc[-1])}
    sums = [name for name, values in numbers.items() if _is_total(values)]
    what += [f"the sum or mean of {listed(sums)}"] if len(sums) >= max(2, len(numbers) / 2) else []
    if not what:
        return None
    problem.take(np.arange(len(above)))
    return {"what": what[0]}


def _is_total(values):
    """Whether the last of some numbers, and no other, is the sum of those above up to a thousandth, or the mean."""
    *above, last = values
    digits = len(repr(float(last)).partition(".")[2])
    are = np.isclose(values, np.sum(above), rtol=1e-3), values.round(digits) == np.mean(above or 0).round(digits)
    return any(some[-1] and some.sum() == 1 for some in are)


@rule(
    "one-hot columns",
    "Columns of zeros and ones that are one category each: {said}.",
    "Each category is one column to choose.",
)
def one_hot_columns(problem):
    """Columns of zeros and ones that are one category: one prefix, and never more than one of them is set."""
    binary = [name for name in problem.X if problem.kinds[name] == "number" and problem.X[name].isin([0.0, 1.0]).all()]
    by_prefix = {}
    for name in binary:
        for match in re.finditer(r"(?<=\w)\s*(?:__|[_=.:/\-]| )\s*(?=\w)", name):
            by_prefix.setdefault(name[: match.start()], []).append(name)
    taken = set()
    for prefix, names in sorted(by_prefix.items(), key=lambda entry: (-len(entry[1]), -len(entry[0]))):
        total = problem.X[names].sum(axis=1)
        free = not taken & set(names) and prefix not in problem.X
        if len(names) >= 3 and total.max() == 1 and total.mean() > 0.5 and free:
            problem.categories[prefix] = names
            taken.update(names)
    if not problem.categories:
        return None
    problem.X = OneHotCategories(problem.categories).fit_transform(problem.X)
    problem.kinds |= dict.fromkeys(problem.categories, "category")
    said = listed({prefix: counted(len(names), "column") for prefix, names in problem.categories.items()})
    return {"columns": [name for names in problem.categories.values() for name in names], "said": said}


@rule(
    "missing values",
    "{n} with missing values; “{worst}” has the most ({share}).",
    "A linear model and a forest fill numbers with the median of the training part; boosting takes them as they are.",
)
def missing_values(problem):
    """Columns with missing values."""
    missing = problem.X.isna().mean()
    missing = missing[missing > 0]
    if missing.empty:
        return None
    share = f"{missing.max():.0%}" if missing.max() >= 0.01 else "under 1%"
    return {"columns": missing.index, "n": counted(len(missing), "column"), "worst": missing.idxmax(), "share": share}


@rule(
    "duplicate rows",
    "Rows that repeat an earlier one, so that copies would be trained on and tested: {n}.",
    "One of each is kept.",
)
def duplicate_rows(problem):
    """Rows that repeat an earlier one in every column, where chance doesn't explain it."""
    _, repeated, natural = _alike(problem)
    if not repeated.any() or natural:
        return None
    problem.take(np.flatnonzero(~repeated))
    if problem.task == "classification":
        refuse_rare(problem.target.name, problem.target.classes, problem.y)
    return {"n": repeated.sum()}


@rule("contradicting rows", "Sets of rows with the same features but different targets: {n}.", "They {stay}.")
def contradicting_rows(problem):
    """Rows that differ in the target alone."""
    alike, _, natural = _alike(problem)
    n_contradicting = (np.bincount(alike) > 1).sum()
    if natural or not n_contradicting:
        return None
    stay = "are kept"
    if problem.groups is None:
        problem.groups, stay = alike, "stay in one fold"
    return {"n": n_contradicting, "stay": stay}


def _alike(problem):
    """Number of each row's set of equal rows, which of them repeat an earlier one, and whether chance explains it.

    Rows are compared in all columns of the file, since rows that differ in one that is not a feature are different
    cases; columns that count the rows or reveal the target make no difference. Repeated rows are expected if the
    columns have few different values.
    """
    table = problem.table.drop(columns=[name for name, why in problem.left_out.items() if why == "target leak"])
    table = table.loc[:, [not counts_rows(pd.to_numeric(column, errors="coerce")) for _, column in table.items()]]
    if table.shape[1] == 0:
        return np.zeros(len(problem.y), int), np.zeros(len(problem.y), bool), True
    texts = table.astype(dict.fromkeys(table.columns[table.dtypes != np.float64], str))
    alike = pd.factorize(pd.util.hash_pandas_object(texts, index=False))[0]
    repeated = pd.DataFrame({"row": alike, "y": problem.y}).duplicated().to_numpy()
    if len(np.unique(alike)) == len(alike):
        return alike, repeated, False
    # The number of pairs of equal rows to expect if columns were independent. Copies must not make copies look likely.
    distinct = table[~pd.Series(alike).duplicated().to_numpy()]
    pairs = len(distinct) * (len(distinct) - 1) / 2
    log_chance = sum(np.log(_share_of_equal_pairs(distinct[name])) for name in distinct)
    return alike, repeated, bool(pairs * np.exp(log_chance) > 0.01) or bool(table.nunique().max() <= 20)


def _share_of_equal_pairs(column):
    counts = column.value_counts(dropna=False).to_numpy()
    n = counts.sum()
    return max((counts * (counts - 1)).sum() / max(n * (n - 1), 1), 1 / n**2)


@rule(
    "more columns than rows",
    "{p} columns, but only {n} rows: some columns fit the target by chance.",
    "Selection is repeated inside every fold, so that the score doesn't profit from it.",
)
def more_columns_than_rows(problem):
    """So many columns that some fit the target by chance."""
    n, p = problem.X.shape
    return p >= n and {"n": n, "p": p}


@rule(
    "many columns",
    "{p:,} columns to choose from.",
    f"Methods rank the {MOST_UNITS} that are best by themselves or by Relief, in each training part anew.",
)
def many_columns(problem):
    """More columns than the methods rank."""
    return problem.X.shape[1] > MOST_UNITS and {"p": problem.X.shape[1]}


@rule(
    "many rows",
    "{n:,} rows.",
    "Selection and validation use {drawn:,} of them, drawn at random; the final model learns from all.",
)
def many_rows(problem):
    """More rows than a selection looks at."""
    if len(problem.y) <= MOST_ROWS:
        return None
    problem.drawn = draw(Rows(problem.y, problem.task, problem.groups), MOST_ROWS)
    return {"n": len(problem.y), "drawn": len(problem.drawn)}
