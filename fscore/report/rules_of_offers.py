"""Rules for columns that are offered in place of columns of the file, or beside them."""

import re
from itertools import combinations

import numpy as np
import pandas as pd

from fscore.datasets.words import any_of
from fscore.report.calculated import is_linear_copy
from fscore.report.derived import PLACES, answers_in, are_listed, derive, numbers_in
from fscore.report.evidence import MOST, NEARLY_ALL, ROWS_EACH
from fscore.report.issues import counted, listed, rule
from fscore.report.names import has_word, is_identifier_name
from fscore.report.rules_of_columns import are_file_numbers
from fscore.report.rules_of_time import BIRTH, SAYS_WHEN, order_of_rows

__all__ = []

_SECOND = 1.001 / 86400  # of a day
_ALIKE = 0.999  # correlation of two numbers from which their difference may matter more than they do
_NEVER = 0.01  # share of rows in which a date may lie before its start
_MOST_PAIRS = 10
_FEWEST_NUMBERS = 3  # different ones at each place
_MOST_RANGES = 30
_OF_A_RANGE = 0.8  # rank correlation of its ends
_CODES = 1e5  # first number, from which 45000000-7 is a code
_MOST_ANSWERS = 30
_FEW = 0.05  # share of rows with a free text, or without, from which either may matter
_SEVERAL = 0.1  # share of the rows with more than one answer
_LATER_ROWS = 0.2  # share of the rows that are no first row of a unit
_OF_UNITS = 0.8  # share of the units whose first row has a value
_FEWEST = {"hour": 4, "weekday": 5, "month": 8}  # different values from which a part of a time stamp is offered


@rule(
    "one-hot columns",
    "Columns of zeros and ones that are one category each: {categories}.",
    "Each category is one column to choose.",
)
def one_hot_columns(problem):
    """Columns of zeros and ones that are one category: one prefix, and never more than one of them is set."""
    binary = [n for n in problem.X if problem.kinds[n] in ("number", "boolean") and problem.X[n].isin([0.0, 1.0]).all()]
    by_prefix = {}
    for name in binary:
        for match in re.finditer(r"(?<=\w)\s*(?:__|[_=.:/\-]| )\s*(?=\w)", name):
            by_prefix.setdefault(name[: match.start()], []).append(name)
    categories, merged = {}, set()
    for prefix, names in sorted(by_prefix.items(), key=lambda entry: (-len(entry[1]), -len(entry[0]))):
        total = problem.X[names].sum(axis=1)
        free = not merged & set(names) and prefix not in problem.table
        if len(names) >= 3 and total.max() == 1 and total.mean() > 0.5 and free:
            categories[prefix] = names
            merged.update(names)
    return {
        "columns": [name for names in categories.values() for name in names],
        "categories": listed({prefix: counted(len(names), "column") for prefix, names in categories.items()}),
        "changes": {"derived": {prefix: ("category", names) for prefix, names in categories.items()}},
    }


@rule(
    "several numbers",
    "Columns with several numbers in a field: {columns}.",
    "Each of the numbers is a column to choose.",
)
def several_numbers(problem):
    """Texts such as "120/80", "1920x1080" and "(41.88, -87.63)"; a few ranges such as "18-24" remain categories."""
    examples, derived = {}, {}
    for name in _of_words(problem):
        texts = problem.X[name].dropna()
        if not any(map(numbers_in, texts.head())):
            continue
        numbers_of = {text: dict(enumerate(numbers_in(text))) for text in texts.unique()}
        numbers = pd.DataFrame(map(numbers_of.get, texts))
        if len(numbers := numbers.dropna()) < NEARLY_ALL * len(texts):
            continue
        have_dash = texts.str.contains(r"\d\s*[-\u2013]\s*\d").mean() >= NEARLY_ALL
        are_ranges = (numbers[0] <= numbers[1]).all()
        if are_ranges and numbers[0].corr(numbers[1], method="spearman") >= _OF_A_RANGE:
            are_names = texts.nunique() <= _MOST_RANGES
        else:
            are_names = have_dash and (texts.nunique() > NEARLY_ALL * len(texts) or numbers[0].max() >= _CODES)
        are_sums = texts.str.fullmatch(r"\d+\+\d+").all()  # such as 88+2, whose second number may vary little
        are_names = are_names or are_file_numbers(texts, name)
        if (are_sums or numbers.nunique().min() >= _FEWEST_NUMBERS) and not are_names and not _have_codes(texts):
            examples[name] = texts.iloc[0]
            derived |= {f"{name} ({how})": (how, [name]) for how in PLACES[: numbers.shape[1]]}
    return {"columns": examples, "changes": {"derived": derived}}


def _have_codes(texts):
    """Whether numbers begin with zeros."""
    return texts.str.contains(r"(?<![\d.])(?<!\d[ ,'\u00a0\u202f])0\d").any()


@rule(
    "several answers",
    "Columns with several answers in a field: {columns}.",
    f"Each answer that at least {ROWS_EACH} rows have, and as many have not, is a column to choose.",
)
def several_answers(problem):
    """Texts such as "Python;R;SQL" that are made of few answers, each in several rows; of lists the frequent ones."""
    numbers, derived = {}, {}
    for name in _of_words(problem):
        how, frequent = _frequent_answers(problem.X[name].dropna())
        new = {f"{name}: {answer}": (how, [name]) for answer in frequent}
        if new and not set(new) & set(problem.table):  # tools for surveys write both
            numbers[name] = counted(len(new), "answer")
            derived |= new
    return {"columns": numbers, "changes": {"derived": derived}}


def _frequent_answers(texts):
    """How texts of several answers are split, and the answers to tell apart; none if the texts are no such lists."""
    how = "answer between semicolons" if texts.str.contains("[;|]").mean() >= _SEVERAL else "answer"
    answers = texts.map({text: answers_in(text, how) for text in texts.unique()})
    counts = answers.explode().value_counts()
    frequent = counts[counts.between(ROWS_EACH, len(texts) - ROWS_EACH)]
    n_answers = answers.map(len)
    if not ((n_answers > 1).mean() >= _SEVERAL and (n_answers.nunique() > 1 or _are_at_any_place(answers))):  # no texts
        return how, []
    if texts.map(are_listed).all():
        return how, sorted(frequent.head(_MOST_ANSWERS).index)
    are_most = len(frequent) <= _MOST_ANSWERS and frequent.sum() >= NEARLY_ALL * counts.sum()
    return how, sorted(frequent.index) if are_most and texts.nunique() > len(counts) else []


def _are_at_any_place(answers):
    """Whether most answers occur at several places, unlike first and last names, and none twice in a field."""
    places = answers.map(enumerate).map(list).explode()
    places = pd.DataFrame(places.tolist(), index=places.index, columns=["place", "answer"])
    n_places = places.groupby("answer")["place"].transform("nunique")
    return (n_places > 1).mean() >= MOST and answers.map(lambda field: len(set(field)) == len(field)).all()


@rule(
    "several labels",
    "Fields of {columns} hold several labels, such as “{example}”.",
    "Each combination is a class; to predict a single label, make a column of it that says yes or no.",
)
def several_labels(problem):
    """Classes such as "bug,docs" that are combinations of labels."""
    if problem.task == "regression":
        return None
    texts = pd.Series(map(str, problem.target.classes), dtype=str).iloc[problem.y]
    how, labels = _frequent_answers(texts)
    example = max(texts.unique(), key=lambda text: len(answers_in(text, how)))
    return {"columns": [problem.target.name] if labels else [], "example": example}


@rule(
    "texts with gaps",
    "Free texts that some rows have and others don't: {columns}.",
    "Whether a row has one is a column to choose.",
)
def texts_with_gaps(problem):
    """Free texts, such as the address of a home page, which are of no use but for whether they are there."""
    texts = problem.X[[name for name in problem.X if problem.kinds[name] == "text"]]
    share = texts.notna().mean()
    names = share.index[share.between(_FEW, 1 - _FEW)].tolist()
    return {
        "columns": names,
        "changes": {"derived": {f"{name} (given)": ("is given", [name]) for name in names}},
    }


def _of_words(problem):
    return [name for name in problem.X if problem.kinds[name] in ("category", "text")]


def time_stamps(problem):
    """Hour, weekday and month of dates that have them; a note on all dates names them."""
    derived = {}
    for name, column in problem.X.items():
        if problem.kinds[name] != "date" or has_word(name, BIRTH):
            continue
        has_hours = (column.dropna() % 1 != 0).mean() > 0.5
        if has_hours or has_word(name, SAYS_WHEN) or order_of_rows(column):
            parts = {f"{name} ({part})": (part, [name]) for part in ("hour", "weekday", "month")[not has_hours :]}
            offered = derive(problem.X[[name]], parts)
            days = pd.to_datetime(column, unit="D").dt.day.nunique()
            enough = {new: offered[new].nunique() >= _FEWEST[part[0]] for new, part in parts.items()}
            has_year = problem.types[name].date_order != "dm"
            enough[f"{name} (weekday)"] &= days >= _FEWEST["weekday"] and has_year
            derived |= {new: part for new, part in parts.items() if enough[new]}
    return None, {"derived": derived}


@rule("start and end", "A start and an end, by their order or their names: {pairs}.", "{what} offered, too.")
def differences(problem):
    """Two dates of which one is hardly ever before the other, or numbers that are named so.

    Numbers must be nearly equal, such as prices or the readings of a meter. Many such numbers are none, as those of a
    spectrum, nor columns that are named by a wavelength or a year, nor identifiers.
    """
    dates = [name for name in problem.X if problem.kinds[name] == "date" and problem.X[name].nunique() > 1]
    pairs = [
        pair
        for one, two in (*combinations(dates, 2), *_alike_numbers(problem))
        for pair in ((one, two), (two, one))
        if _follows(problem, *pair)
    ][:_MOST_PAIRS]
    return {
        "columns": list(dict.fromkeys(name for pair in pairs for name in pair)),
        "pairs": ", ".join(f"“{start}” and “{end}”" for start, end in pairs),
        "what": "Their difference is" if len(pairs) == 1 else "Their differences are",
        "changes": {"derived": {f"{end} minus {start}": ("difference", [start, end]) for start, end in pairs}},
    }


def _alike_numbers(problem):
    """Pairs of numbers that are nearly equal, and no copies; none if there are many."""
    of_series = [name for name in problem.X if name.replace(".", "", 1).isdecimal()]
    no_pair = {*(of_series if len(of_series) > _MOST_PAIRS else ()), *filter(is_identifier_name, problem.X)}
    numbers = problem.X[[n for n in problem.X if problem.kinds[n] == "number" and n not in no_pair]]
    sizes = numbers.abs().median()
    with np.errstate(all="ignore"):
        r = np.abs(np.atleast_2d(np.corrcoef(numbers.fillna(numbers.mean()).to_numpy().T)))
    alike = np.argwhere(np.triu(r > _ALIKE, 1))
    for i, j in alike if len(alike) <= 5 * _MOST_PAIRS else ():
        one, two = numbers.columns[i], numbers.columns[j]
        if 0.5 * sizes[two] < sizes[one] < 2 * sizes[two] and not is_linear_copy(numbers[one], numbers[two]):
            yield one, two


@rule(
    "filled in once",
    "Filled in only in the first row of each “{unit}”: {columns}.",
    "Its other rows have the same value.",
)
def filled_in_once(problem):
    """Columns with a value in the first of several rows of a unit only, such as the sex of a patient with visits."""
    names = [name for name in problem.X if problem.kinds[name] in ("number", "category", "boolean")]
    filled = problem.X[names].notna()
    filled = filled.loc[:, filled.mean() <= 1 - _LATER_ROWS]
    units = [name for name in problem.table if problem.kinds[name] != "number" or is_identifier_name(name)]
    for unit in units if filled.shape[1] else ():
        codes = pd.factorize(problem.typed(unit))[0]
        first = ~pd.Series(codes).duplicated().to_numpy()
        if codes.min() < 0 or not ROWS_EACH <= first.sum() <= (1 - _LATER_ROWS) * len(codes):
            continue
        once = filled.columns[~filled[~first].any() & (filled[first].mean() >= _OF_UNITS)]
        derived = {f"{name} (of {unit})": ("of unit", [unit, name]) for name in once}
        if derived and not set(derived) & set(problem.table):
            return {"columns": once, "unit": unit, "changes": {"derived": derived}}
    return None


def _follows(problem, start, end):
    """Whether one date is hardly ever before another, and often after it; or numbers are named so."""
    if problem.kinds[start] == "number":
        return has_word(start, any_of("start")) and has_word(end, any_of("end"))
    gaps = (problem.X[end] - problem.X[start]).dropna()
    if gaps.abs().max() <= _SECOND:  # one has milliseconds
        return False
    return len(gaps) >= 20 and (gaps < 0).mean() <= _NEVER and (gaps > 0).mean() > 0.5 and gaps.nunique() > 2
