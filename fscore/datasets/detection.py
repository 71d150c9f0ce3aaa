"""How each column of a table of text is read, found from what it holds."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from .codes import (
    EXACT,
    FEWEST_NUMBERS,
    LEVEL_SHARE,
    MOST_CATEGORIES,
    are_bar_codes,
    are_dilutions,
    are_names,
    are_versions,
    make_categories,
)
from .column_type import ColumnType
from .dates import are_months, date_order, epoch_unit, is_open
from .missing import LARGEST, codes_of_a_column, codes_of_several_columns
from .quantities import (
    EITHER,
    LABELED,
    MAY_HAVE_COMMA,
    RANGE,
    common_unit,
    in_unit,
    is_number,
    quantities,
    shared_unit,
    words_of_zero,
)
from .texts import MISSING, MISSING_OF_PANDAS, SUPPRESSED, TRUTH, TRUTH_OF, clean, cleaned

__all__ = ["column_type", "column_types", "decimal_mark"]

_MOSTLY = 0.8  # share of values that must fit a kind; the others count as missing
_FEWEST_IN_GROUPS = 10  # numbers of 1000 and more, by which a mark is found to separate groups of three digits
_FEWEST_BESIDE_A_WORD = 10  # different numbers, beside which one word may stand for missing in half of the rows
_MOST_RANGES = 0.2  # share of ranges, of which each is read as its middle
_MOST_TRIED = 200  # texts, the most frequent and as many others, none of which is a number in a column of words
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,6})").fullmatch  # neither a code nor a date
_DATE_OR_NUMBER = re.compile(r"\d{8}(\d{4}(\d\d)?)?|\d\d?\.\d\d?\.\d\d(\d\d)?")  # 31.01.20, also a clock
_MOST_SNIFFED = 1000  # different values of a column that are used to find the decimal mark


def decimal_mark(frame, separator=","):
    """The decimal mark of a table: the one that makes more numbers; the other may separate thousands.

    Parameters
    ----------
    frame : DataFrame
    separator : str
        Of the file: where both marks make as many numbers, it is a comma if semicolons separate fields.

    Returns
    -------
    mark : {".", ","}
    doubtful : list of (str, str)
        Columns that both marks read, but differently, each with an example; none where other columns tell the mark, and
        it is usual beside this separator. Columns of several answers, such as 1,3, don't tell an unusual one.
    """
    of_text = frame.select_dtypes(["object", "string"])
    fields = (field for name in of_text for field in of_text[name].unique() if isinstance(field, str))
    if separator != ";" and not any(map(MAY_HAVE_COMMA.search, fields)):
        return ".", []
    unusual = {";": ".", ",": ","}.get(separator)
    n_read, n_answers, doubtful = {".": 0.0, ",": 0.0}, {".": 0.0, ",": 0.0}, []
    for name in of_text:
        texts = cleaned(of_text[name]).value_counts()[:_MOST_SNIFFED]
        if not texts.index.str.contains("[.,]").any() or are_months(texts.index):
            continue
        values = {mark: quantities(texts.index.to_series(), mark)["value"] for mark in n_read}
        shares = {mark: texts[values[mark].notna()].sum() / texts.sum() for mark in n_read}
        if max(shares.values()) >= _MOSTLY:
            tells = max(shares, key=shares.get)
            are_answers = tells == unusual and _are_answers(texts.index, tells, MOST_CATEGORIES)
            for mark in n_read:
                (n_answers if are_answers else n_read)[mark] += shares[mark]
        if shares["."] == shares[","] >= _MOSTLY and not values["."].equals(values[","]):
            doubtful.append((name, next(text for text in texts.index if re.search("[.,]", text))))
    if n_read["."] == n_read[","] and not doubtful:
        n_read = n_answers
    if n_read["."] != n_read[","]:
        mark = max(n_read, key=n_read.get)
        return mark, doubtful if mark == unusual else []
    return ("," if doubtful and separator == ";" else "."), doubtful


def column_types(frame, decimal=None):
    """How each column of a table is read.

    Parameters
    ----------
    frame : DataFrame
    decimal : {".", ","}, optional
        By default found: see `decimal_mark`.

    Returns
    -------
    dict of str to ColumnType
    """
    decimal = decimal or decimal_mark(frame)[0]
    typed = {name: _typed(frame[name], decimal) for name in frame}
    numbers = {name: values[values.abs() < LARGEST] for name, (type, values) in typed.items() if type.kind == "number"}
    codes = codes_of_several_columns(numbers, {name: typed[name][0].missing for name in numbers})
    types = {name: type for name, (type, _) in typed.items()}
    orders = {name: type.date_order for name, type in types.items() if type.date_order in ("dmy", "mdy")}
    if len({*orders.values()}) > 1:  # some columns may tell which one is right
        proven = {name: order for name, order in orders.items() if not is_open(cleaned(frame[name]), order)}
        for name in orders.keys() - proven.keys() if len({*proven.values()}) == 1 else ():
            types[name] = replace(types[name], date_order=next(iter(proven.values())))
    return types | {name: replace(types[name], missing=missing) for name, missing in codes.items()}


def column_type(column, decimal="."):
    """How a column is read.

    Parameters
    ----------
    column : Series of text, numbers or dates
    decimal : {".", ","}

    Returns
    -------
    ColumnType
    """
    return _typed(column, decimal)[0]


def _typed(column, decimal):
    """How a column is read, and its numbers or dates, codes for missing values among them; None for texts."""
    type, values = ColumnType("number", decimal=decimal), None
    are_texts = len(column) and all(isinstance(field, str) for field in column)
    if are_texts and (all(map(_WHOLE, column)) or all("." in field for field in column)):  # codes are versions only
        values = None if are_versions(column) or are_months(column) else type.plain(column)
    if values is None or (values.abs() >= EXACT).any():
        type = _first_fit(column, decimal)
        if type.kind == "category":
            return replace(type, level=_level(column)), None
        if type.kind not in ("number", "date"):
            return type, None
        values = type.parse(column)
    if type.kind == "number" and not type.unit:
        numbers = values.dropna()
        if unit := epoch_unit(numbers, column.name):
            return ColumnType("date", date_order=unit), None
        if are_bar_codes(numbers):
            return _type_of_words(numbers.value_counts()), None
    return replace(type, missing=codes_of_a_column(values, type.kind)), values


def _first_fit(column, decimal):
    """How a column is read, apart from codes for missing values."""
    if column.isna().all():
        return ColumnType("empty")
    if pd.api.types.is_datetime64_any_dtype(column):
        return ColumnType("date")
    if pd.api.types.is_numeric_dtype(column) and not _are_beyond_floats(column):
        return ColumnType("category" if column.nunique() == 1 and column.isna().any() else "number")
    counts = cleaned(column).value_counts()
    if counts.empty:
        return ColumnType("empty")
    lowered = set(counts.index.str.lower())
    is_one_value = len({TRUTH_OF.get(word, word) for word in lowered}) == 1
    is_set_or_not = is_one_value and counts.sum() < len(column)  # or missing, like a flag
    if lowered - {"1", "0"} and any(lowered <= {*words.split(), "1", "0"} for words in TRUTH):
        return ColumnType("category" if is_set_or_not else "boolean")
    are_thousands = _are_thousands(counts.index, decimal)
    has_both = not are_thousands and _have_both_marks(counts.index)
    number = None if are_thousands else _number_type(counts, EITHER if has_both else decimal)
    if number is None:
        mark = "," if decimal == "." else "."
        other = _number_type(counts, mark)
        # €5,50 and 10,3 are numbers beside columns of 5.50, and 1.536 beside 846, too
        fits = are_thousands or (other is not None and (other.unit or _are_decimals(counts.index, mark)))
        number = other if fits else None
    if number is not None:
        if is_set_or_not:
            return ColumnType("category")
        of_digits = [*filter(re.compile(r"\d").search, counts.index)]
        may_be_dates = len(counts) > 1 and (all(map(_DATE_OR_NUMBER.fullmatch, of_digits)) or are_months(of_digits))
        order = date_order(counts.index.to_series()) if may_be_dates else ""
        is_clock = order == "mdy" and number.unit  # 2.05.30 and 2.25.10
        return ColumnType("date", date_order=order) if order and not is_clock else number
    if order := date_order(counts.index.to_series()):
        return ColumnType("date", date_order=order)
    return _type_of_words(counts)


def _number_type(counts, decimal):
    """The type of a column most of which are numbers with one unit; None for others, and for codes.

    Limits count as numbers if at least three differ and none is a limit in both directions, as in "<50K" and ">50K".
    Beside other texts, at least three numbers that are no limits must differ: "1Fam" beside "Duplex" and "13+" beside
    "all" are categories.
    """
    texts = counts.index.to_series()
    few = pd.concat([texts[:_MOST_TRIED], texts[:: -(-len(texts) // _MOST_TRIED)]])
    if quantities(few, decimal)["value"].isna().all():
        return None
    numbers = quantities(texts, decimal)
    plain = numbers["value"].notna()
    limits = numbers[numbers["limit"] != 0].reset_index(drop=True)  # the index has the column's name, such as "unit"
    in_both_directions = limits.groupby(["value", "unit"])["limit"].nunique() > 1
    if in_both_directions.any() or numbers["value"].nunique() < FEWEST_NUMBERS:
        plain &= numbers["limit"] == 0
    are_ranges = numbers["mark"] == RANGE
    if counts[are_ranges].sum() > _MOST_RANGES * counts.sum():
        plain &= ~are_ranges
    labeled = _are_labels_of_ends(numbers[plain])
    plain &= labeled | (numbers["unit"] != LABELED)
    if not plain.any() or are_dilutions(numbers.index[plain]):
        return None
    shared = shared_unit(numbers[plain], counts[plain])
    unit = shared or common_unit(numbers[plain], counts[plain])
    fits = plain & in_unit(numbers, unit, bool(shared), labeled).notna()
    are_words = counts.index.str.lower().isin(SUPPRESSED | words_of_zero(unit))
    suppressed = are_words & (fits.sum() >= FEWEST_NUMBERS)
    others = numbers.index[~fits & ~suppressed]
    exact = numbers["value"][fits & (numbers["limit"] == 0)].nunique()
    few = exact < FEWEST_NUMBERS <= counts.sum() / 2
    if len(others) and (few or make_categories(counts, numbers["value"][fits], unit, others)):
        return None
    is_one_word = len(others) == 1 and exact >= _FEWEST_BESIDE_A_WORD
    most = 0.5 if is_one_word else _MOSTLY
    if counts[fits].sum() < most * counts[~suppressed].sum() or are_names(counts, numbers["value"][fits], unit):
        return None
    points = decimal == "," and counts.index[fits].str.fullmatch(r"[+-]?\d{1,3}\.\d{3}").any()
    return ColumnType("number", unit, decimal, bool(points), shared_unit=bool(shared), labeled=labeled)


def _type_of_words(counts):
    return ColumnType("text" if len(counts) > max(MOST_CATEGORIES, 0.5 * counts.sum()) else "category")


def _are_thousands(texts, mark):
    """Whether a mark stands between groups of three digits only: 1.040.000 and 317.500, or 1.536 beside 846 and 707.

    Of decimals some would have one or two digits, unless all have three; 0, 1 and 100 may stand beside these. With a
    unit, as in "€ 86.000", all may be zeros.
    """
    if not any(mark in text for text in texts):
        return False
    for tried in texts[:_MOST_TRIED], texts:  # mostly the first ones tell
        numbers = tried.to_series().str.extract(rf"^[^\d.,]*(\d+(?:[{mark}]\d+)*)[^\d.,]*$")[0].dropna()
        in_groups = numbers[numbers.str.contains(mark, regex=False)]
        if not in_groups.str.fullmatch(rf"[1-9]\d{{0,2}}([{mark}]\d{{3}})+").all():
            return False
    others = set(numbers) - set(in_groups) - {"0", "1", "100"}
    are_small = len(others) >= 2 and max(map(len, others)) <= 3
    are_zeros = in_groups.str.endswith("000").all() and texts.str.contains(r"[^\d\s.,+-]").all()
    are_many = len(in_groups) >= _FEWEST_IN_GROUPS
    return (are_many and (are_small or are_zeros)) or in_groups.str.count(re.escape(mark)).max() > 1


def _are_decimals(texts, mark):
    """Whether texts are plain numbers with a decimal mark.

    Ascending codes, such as 1,3, may be several answers.
    """
    parts = texts.to_series().str.extract(rf"^[+-]?(\d+)(?:[{mark}](\d+))?([eE][+-]?\d+)?$")
    if parts[0].notna().all() and parts[2].notna().any():
        return True
    decimals = parts[1].dropna()
    are_decimals = parts[0].notna().all() and decimals.nunique() >= FEWEST_NUMBERS
    return are_decimals and not _are_answers(texts, mark)


def _have_both_marks(texts):
    """Whether some numbers have a decimal point and others a comma, but none has both or three digits behind it."""
    if not any("," in text for text in texts) or not any("." in text for text in texts):
        return False
    decimals = texts.to_series().str.extract(r"^[+-]?\d+([.,])(\d+)$").dropna()
    n_different = [(decimals[0] == mark).sum() for mark in EITHER]
    may_be_thousands = (decimals[1].str.len() == 3).any() or texts.str.contains(r"\d\.\d+,\d|\d,\d+\.\d").any()
    return min(n_different) >= FEWEST_NUMBERS and not may_be_thousands


def _are_answers(texts, mark, most=np.inf):
    """Whether the parts around a mark ascend, up to a number, as those of several answers do; 0 is none."""
    parts = texts.to_series().str.extract(rf"^[+-]?(\d+)[{mark}](\d+)$").dropna().astype(float)
    return len(parts) > 0 and parts[0].between(1, parts[1], "left").all() and parts[1].max() <= most


def _are_labels_of_ends(numbers):
    """Whether all numbers with a label are the ends of a scale: 1, 2, 3 and "0 not at all", "4 very much"."""
    labeled = numbers["unit"] == LABELED
    bare, ends = numbers["value"][~labeled], numbers["value"][labeled]
    inside = ends.between(bare.min(), bare.max(), "neither").any()
    return 0 < len(ends) <= 2 and bare.nunique() >= FEWEST_NUMBERS and not inside


def _are_beyond_floats(column):
    return pd.api.types.is_integer_dtype(column) and (column.max() >= EXACT or column.min() <= -EXACT)


def _level(column):
    """The word for "missing" that is one of the categories of a column of words, such as none; or an empty text."""
    fields = column.map({field: clean(field) for field in column.unique() if isinstance(field, str)}).dropna()
    if fields.empty:
        return ""
    words = fields[fields.str.lower().isin(MISSING)]
    levels = fields[~fields.str.lower().isin(MISSING)].unique()
    may_be = words[words.str.fullmatch("none|nil", case=False) | ((words == "-") & any("+" in text for text in levels))]
    if any(map(is_number, levels)) or may_be.nunique() != 1 or len(levels) > MOST_CATEGORIES:
        return ""
    word, others = may_be.iloc[0], len(column) - len(fields) + len(words) - len(may_be)
    if len(may_be) < LEVEL_SHARE * len(column) or (word in MISSING_OF_PANDAS and others):
        return ""  # pandas reads an empty cell alike
    return word
