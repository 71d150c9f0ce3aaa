"""Rules for single columns and copies of them, and notes about all."""

from itertools import chain

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from fscore.datasets.codes import EXACT
from fscore.datasets.column_type import ColumnType
from fscore.datasets.columns import notations
from fscore.datasets.dates import order_in_words
from fscore.report.calculated import conversions, is_linear_copy
from fscore.report.evidence import FEW_VALUES, NEARLY_ALL, ROWS_EACH
from fscore.report.issues import counted, listed, rule
from fscore.report.names import has_word, is_identifier_name, is_postal_code_or_phone, is_unit_number
from fscore.report.rankings import MOST_UNITS
from fscore.report.rules_of_groups import are_numbers_of_things
from fscore.report.rules_of_time import in_order, order_of_rows

__all__ = ["are_file_numbers", "counts_rows"]

_MOST_MISSING = 0.95
_YEARS = 1900, 2099
_MOST_ZEROS = 0.25  # share of rows; more of them are a usual value
_FAR = 0.1  # of the largest number: the least distance of others from zero where zero is far
_FEWEST_SET = 10  # rows in which a flag is set
_FEWEST_ORDERED = 6  # different words; the models need no order of fewer
_FEWEST_CONVERTED, _MOST_CONVERTED = 10, 500  # different values of a column in another unit; columns that are compared
_MOST_GAPS = 2  # times as many codes as there are, at most, from the first to the last


@rule("empty", "{columns}: no usable values, or fewer than one in twenty.", "Left out.", leaves_out=True)
def empty(problem):
    """A column with hardly any value, but no flag that is set in some rows.

    Codes for a missing value are values, numbers beyond ±1e50 are not.
    """

    def written(name):
        read = problem.X[name]
        return read if name in problem.derived else problem.types[name].without_codes().read(problem.table[name])

    def is_flag(name, column):
        return problem.kinds[name] == "category" and column.nunique() == 1 and column.count() >= _FEWEST_SET

    hardly = [name for name, column in problem.X.items() if column.isna().mean() > _MOST_MISSING]
    columns = {name: written(name) for name in hardly}
    return [n for n, column in columns.items() if column.isna().mean() > _MOST_MISSING and not is_flag(n, column)]


@rule("constant", "{columns}: the same value in every row.", "Left out.", leaves_out=True)
def constant(problem):
    """A column with the same value in every row."""
    return [name for name, column in problem.X.items() if column.nunique(dropna=False) == 1 and column.notna().all()]


@rule(
    "mixed notation",
    "Most values look like numbers, in a notation that isn't read: {columns}.",
    "Left out if the texts hardly ever repeat, else used as categories; write plain numbers in one unit, one in a "
    "field, to use them as numbers.",
)
def mixed_notation(problem):
    """A column of numbers written in several ways, so that they are not read as numbers."""
    of_words = [n for n in problem.X if problem.kinds[n] in ("category", "text") and n not in problem.derived]
    varied = [n for n in of_words if problem.X[n].nunique() > FEW_VALUES]
    examples = {
        n: listed(notations(problem.table[n])) for n in varied if not are_file_numbers(problem.X[n].dropna(), n)
    }
    examples = {name: phrase for name, phrase in examples.items() if phrase}
    return {"columns": examples, "left_out": [n for n in examples if problem.kinds[n] == "text"]}


def are_file_numbers(texts, name):
    """Whether texts such as "38/2020" and "307/22" name each row: so the column is called, or one part is a year."""
    if texts.nunique() <= NEARLY_ALL * len(texts) or not texts.str.fullmatch(r"\d+/\d+").all():
        return False
    parts = texts.str.split("/", expand=True).astype(float)
    return is_identifier_name(name) or parts.apply(lambda part: part.between(*_YEARS).all()).any()


@rule(
    "identifier",
    "Columns that name the rows, or count them: {columns}.",
    "Left out; if such numbers are a measurement, use --keep and the column's name.",
    leaves_out=True,
)
def identifier(problem):
    """A column that names or counts the rows, and is not their time; an index may begin again, as in joined files."""
    how = {name: _names_rows(problem, name) for name in problem.X}
    return {"columns": {name: phrase for name, phrase in how.items() if phrase}}


def _names_rows(problem, name):
    """How a column names or counts the rows; empty if it doesn't."""
    present, kind = problem.X[name].dropna(), problem.kinds[name]
    named = is_identifier_name(name) or is_postal_code_or_phone(name)
    n, distinct = len(present), present.nunique()
    if n < FEW_VALUES or kind == "date" or name in (*problem.keep, *problem.time_columns, *problem.derived):
        return ""
    names = "a different value in nearly every row" if distinct > NEARLY_ALL * n else ""
    if kind == "text" and named:
        return names or "names that few rows share"
    if kind in ("category", "text"):
        return names if named or not (present.str.contains(" ").any() or present.str.len().max() > 40) else ""
    if not np.array_equal(present, present.round()):
        return ""
    if names and (named or counts_rows(present)):
        return names
    begins_again = name.startswith("Unnamed") and "cycles" in (order_of_rows(present), order_of_rows(-present))
    begins_again = begins_again or (named and _counts_blocks(present.to_numpy()))
    return "counts the rows of each block anew" if begins_again else ""


def _counts_blocks(numbers):
    """Whether numbers are 1, 2, ... in each of several blocks of rows, and not as many, as the same units would be."""
    starts = np.flatnonzero(numbers == 1)
    lengths = np.diff([*starts, len(numbers)])
    if len(starts) < 2 or lengths.min() > NEARLY_ALL * lengths.max():
        return False
    return np.array_equal(numbers, np.concatenate([np.arange(1, length + 1) for length in lengths]))


def counts_rows(numbers):
    """Whether numbers are distinct integers in the order of the rows, or with hardly any gaps."""
    are_distinct = numbers.is_unique and (numbers % 1 == 0).all()
    return are_distinct and (np.ptp(numbers) + 1 <= 1.2 * len(numbers) or in_order(numbers))


@rule(
    "numbers of units",
    "By the name, numbers of things, which measure nothing: {columns}.",
    "--keep uses them as numbers.",
)
def unit_numbers(problem):
    """Numbers of things of which many have several rows, so that they are no identifiers of the rows.

    They are categories if each has five rows or more on average.
    """
    numbers = [n for n in problem.X if problem.kinds[n] == "number" and n not in problem.derived]
    named = [
        name
        for name in numbers
        if is_unit_number(name) or is_postal_code_or_phone(name) or are_numbers_of_things(name, problem)
    ]
    repeated = [n for n in named if n not in problem.keep and (problem.X[n].dropna() % 1 == 0).all()]
    left_out = [n for n in repeated if problem.X[n].nunique() > len(problem.X) / ROWS_EACH]
    types = {n: ColumnType("category") for n in repeated if n not in left_out}
    columns = {
        n: f"left out: fewer than {ROWS_EACH} rows each on average" if n in left_out else "used as a category"
        for n in repeated
    }
    return {"columns": columns, "left_out": left_out, "changes": {"types": types}}


@rule(
    "free text",
    "{columns}: texts most of which differ.",
    "Left out, even with --keep; derive columns from them to use them.",
    leaves_out=True,
)
def free_text(problem):
    """Texts of which more than half are different."""
    return [name for name in problem.X if problem.kinds[name] == "text" and not _names_rows(problem, name)]


@rule(
    "missing codes",
    "Numbers or dates far from all others that seem to stand for missing values: {columns}.",
    "They count as missing; --keep and the column's name uses them as they are.",
)
def codes_for_missing(problem):
    """Numbers such as -999 and infinity, and dates such as 1900-01-01, in place of a missing value."""
    coded = {name: problem.types[name] for name in problem.X if name in problem.types and problem.types[name].missing}
    return {"columns": {name: ", ".join(type.codes()) for name, type in coded.items()}}


_AMONG_NUMBERS = {
    "other text": "Other texts count as missing; write all numbers of a column in one unit",
    "limit": "A limit such as “<0.5” is read as its number",
    "range": "A range such as “3-5” is read as its middle",
}


@rule(
    "zeros",
    "Zeros far from all other numbers: {columns}.",
    "Kept; empty these cells if they stand for missing values.",
)
def zeros_apart(problem):
    """A few zeros in a quantity, such as a weight, that is nowhere near zero otherwise."""
    zeros = {}
    for name, numbers in problem.X.select_dtypes(np.float64).items():
        n_zeros = (numbers == 0).sum()
        if name not in problem.types or not ROWS_EACH <= n_zeros <= _MOST_ZEROS * len(numbers):
            continue
        others = np.unique(numbers[numbers != 0].dropna())
        if len(others) > FEW_VALUES and others[0] > max(np.diff(others).max(), _FAR * others[-1]):
            zeros[name] = f"0 in {counted(n_zeros, 'row')}, otherwise at least {others[0]:g}"
    return {"columns": zeros}


@rule(
    "mixed types",
    "Numbers with something else among them: {columns}.",
    "{how}.",
)
def mixed_types(problem):
    """Words, limits, ranges and other units among numbers; signs alone, such as ":" and "**", mark missing ones."""
    mixed = {}
    for name, column in problem.table.select_dtypes(exclude=np.float64).items():  # plain numbers are read before
        if name in problem.X and problem.kinds[name] == "number":
            type = problem.types[name]
            unread = type.unread(column)
            texts = [unread[unread.str.contains(r"\w")], *type.inexact(column)]
            parts = {
                what: counted(len(some), what) for what, some in zip(_AMONG_NUMBERS, texts, strict=True) if len(some)
            }
            if "other text" in parts:
                parts["other text"] += f" such as “{texts[0].mode()[0]}”"
            if parts:
                mixed[name] = parts
    how = [done for what, done in _AMONG_NUMBERS.items() if any(what in parts for parts in mixed.values())]
    return {"columns": {name: ", ".join(parts.values()) for name, parts in mixed.items()}, "how": ". ".join(how)}


@rule("dates", "Dates: {columns}.", "Used as days since 1970{parts}.")
def dates(problem):
    """Dates, with the order in which they were read: day and month may be the wrong way round."""
    orders = {
        name: order_in_words(ColumnType("text").read(problem.table[name]), problem.types[name].date_order)
        for name in problem.X
        if problem.kinds[name] == "date"
    }
    parts = [name for name, (how, _) in problem.derived.items() if how in ("hour", "weekday", "month")]
    offered = [name for name in parts if name in problem.X]
    return {"columns": orders, "parts": f", and beside them {listed(offered)}" if offered else ""}


@rule(
    "missing values",
    "{n} with missing values; “{worst}” has the most ({share}).",
    "{how}.",
)
def missing_values(problem):
    """Columns with missing values, and what the models make of these."""
    missing = problem.X.isna().mean()
    missing = missing[missing > 0]
    if missing.empty:
        return None
    share = f"{missing.max():.0%}" if missing.max() >= 0.01 else "under 1%"
    of_numbers = (
        "A linear model and a forest fill numbers with the median of the training part; boosting takes them as they are"
    )
    are_words = [problem.kinds[name] in ("category", "text") for name in missing.index]
    how = [of_numbers] * (not all(are_words)) + ["A missing category is a category of its own"] * any(are_words)
    words = {"n": counted(len(missing), "column"), "worst": missing.idxmax(), "share": share, "how": ". ".join(how)}
    return {"columns": missing.index, **words}


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
    "duplicate columns",
    "Columns that repeat another one, up to unit or names of categories: {columns}.",
    "Left out.",
    leaves_out=True,
)
def duplicate_columns(problem):
    """Columns that repeat one as full, nearly, in another unit, order or spelling, also as numbers for its words.

    Numbers that order many words are kept instead of these.
    """
    X = problem.X.fillna(dict.fromkeys(problem.X.columns[problem.X.nunique() == 1], "no"))  # a flag is set or not
    complete = X.dropna() if X.notna().all(axis=1).mean() >= 0.5 else X
    first, copies = {}, {}
    for name in X.isna().sum().sort_values(kind="stable").index:
        keys = _contents(complete[name])
        for earlier in chain.from_iterable(first.get(key, ()) for key in keys):
            pair = X[[earlier, name]].dropna()
            shared = set(_contents(pair[earlier])) & set(_contents(pair[name]))
            if {key[0] for key in shared} == {"ranks"} and not is_linear_copy(X[earlier], X[name]):
                continue  # such as a start and an end
            has_gaps = (X[earlier].isna() != X[name].isna()).mean() > 1 - NEARLY_ALL  # which may tell something
            if shared and earlier not in copies and not has_gaps:
                are_ordered = name not in problem.derived and _are_ordered(X[earlier], X[name])
                copy, kept = (earlier, name) if are_ordered else (name, earlier)
                copies[copy] = f"= “{kept}”"
        for key in keys if name not in copies else ():
            first.setdefault(key, []).append(name)
    numbers = [n for n in problem.X if problem.kinds[n] == "number" and n not in problem.derived and n not in copies]
    by_values = X[numbers].nunique().sort_values(ascending=False, kind="stable")
    by_values = by_values[by_values >= _FEWEST_CONVERTED][:_MOST_CONVERTED]
    for kept, copy in conversions(X[by_values.index]):
        if kept not in copies and (X[kept].isna() == X[copy].isna()).mean() >= NEARLY_ALL:
            copies.setdefault(copy, f"= “{kept}”, rounded")
    return {"columns": copies}


def _are_ordered(words, numbers):
    """Whether numbers stand for many words in every row, and not in the order of the alphabet or of the rows."""
    is_code = is_unit_number(numbers.name) or has_word(numbers.name, "code")
    if is_code or numbers.dtype != np.float64 or words.dtype == np.float64 or (words.isna() != numbers.isna()).any():
        return False
    pairs = pd.DataFrame({"word": words, "number": numbers}).dropna().drop_duplicates()
    orders = pairs, pairs.sort_values("word")
    return len(pairs) >= _FEWEST_ORDERED and not any(order["number"].is_monotonic_increasing for order in orders)


def _contents(column):
    """What copies share: the pattern of words and codes that repeat, and the ranks of numbers, in either direction."""
    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    pattern = [("pattern", hash(codes.tobytes()))] if len(distinct) <= len(column) / 2 else []
    if column.dtype != np.float64:
        return pattern
    x = column.to_numpy()
    ranks = [("ranks", hash(rankdata(np.where(np.isnan(x), np.inf, sign * x)).tobytes())) for sign in (1, -1)]
    return ranks + (pattern if _are_codes(distinct, column.name) else [])


def _are_codes(distinct, name):
    """Whether numbers may stand for words, as 1 to 5 or 0, 4, 8 do, and not measure something that each word has."""
    numbers = np.unique(distinct[~np.isnan(distinct)])
    if not np.array_equal(numbers, numbers.round()) or np.abs(numbers).max() > EXACT:
        return False
    step = max(np.gcd.reduce(np.diff(numbers).astype(np.int64)), 1)
    is_number = is_identifier_name(name) or is_postal_code_or_phone(name)
    return is_number or np.ptp(numbers) / step < _MOST_GAPS * len(numbers)
