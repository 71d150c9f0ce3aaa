"""Types of columns of text: numbers, booleans, dates, categories or free text."""

import re
import unicodedata
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fscore._typing import ArrayLike
from fscore.datasets.dates import EPOCHS, date_order, days, epoch_unit
from fscore.datasets.missing import LARGEST, codes_of_a_column, codes_of_several_columns
from fscore.datasets.quantities import (
    LABELED,
    MAY_HAVE_COMMA,
    common_unit,
    in_unit,
    is_number,
    notation,
    quantities,
    shared_unit,
)

__all__ = [
    "ColumnType",
    "ColumnTypes",
    "clean",
    "column_names",
    "column_type",
    "column_types",
    "decimal_mark",
    "is_missing",
    "label_array",
    "labels",
    "notations",
]

_MISSING = frozenset(  # usual spellings of a missing value, in lower case
    (
        *("", "?", "na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "nat", "null", "(null)", "none", "nil"),
        *("-", "--", "\u2013", "\u2014", ".", "..", "...", "n.d.", "missing", "not available", "no data", "(blank)"),
        *("no answer", "keine angabe", "k. a.", "non renseigné", "sin datos", "não informado", "brak danych", "н/д"),
        *("нет данных", "belirtilmemiş", "무응답", "無回答", "未回答", "缺考"),
        *("#null!", "#value!", "#div/0!", "#ref!", "#name?", "#num!"),  # a spreadsheet's errors
    )
)
_MISSING_OF_PANDAS = ("None", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan")  # what `pandas.read_csv` reads as NaN
_SUPPRESSED = frozenset(  # among numbers
    (
        *("*", "**", "***", "\u2020", "\u2021", ":", "suppressed", "privacysuppressed"),
        *("x", "(x)", "[x]", "s", "(s)", "d", "(d)", "c", "(c)", "[c]", "n", "(n)", "np", "[z]"),
    )
)
_TRUTH = [  # words that occur together
    *("true false t f", "yes no y n", "yes no true false", "on off", "ja nein", "oui non"),
    *("sí no si no sì no", "sim não sim nao"),
]
_TRUTH_OF = {word: 1.0 - index % 2 for words in [*_TRUTH, "1 0"] for index, word in enumerate(words.split())}

_OTHER_SIGNS = {0xFEE0 + ord(sign): sign for sign in "0123456789.,-+%"} | {0xFFE5: "\u00a5", 0x2103: "\u00b0C"}
_OTHER_SIGNS |= {zero + digit: str(digit) for zero in (0x660, 0x6F0) for digit in range(10)}  # Arabic, Persian
_OTHER_SIGNS |= {0x66A: "%", 0x66B: ".", 0x66C: ","}
_MOSTLY = 0.8  # share of values that must fit a kind; the others count as missing
_FEWEST_IN_GROUPS = 10  # numbers of 1000 and more, by which a mark is found to separate groups of three digits
_FEWEST_PLACES = 5  # "1st", "2nd" and "3rd" are categories
_FEWEST_BESIDE_A_WORD = 10  # different numbers, beside which one word may stand for missing in half of the rows
_MOST_GRADES = 30
_MANY, _LONG = 20, 1e11  # different numbers that are all as large
_CODES_SHARE = 0.05  # share of whole numbers with a leading zero, from which they are codes
_MOST_CATEGORIES = 20  # more different words than this may be free text
_LEVEL_ROWS = 5  # of a level on average, from which words beside few numbers are levels
_LEVEL_SHARE = 0.05  # of the values, from which a word for "missing" may be a category
_DILUTIONS = [base**k for base in (2, 5, 10) for k in range(12)]
_MOST_NOTATIONS = 4  # more are parts of codes or addresses
_FEWEST_NUMBERS = 3  # fewest different numbers for an x beside them to count as suppressed
_MOST_TRIED = 200  # texts, the most frequent and as many others, none of which is a number in a column of words
_MOST_SNIFFED = 1000  # different values of a column that are used to find the decimal mark
_EXACT = 2**53  # beyond it, floats skip whole numbers


@dataclass(frozen=True)
class ColumnType:
    """How a column of text is read.

    Attributes
    ----------
    kind : {"number", "boolean", "date", "category", "text", "empty"}
    unit : str
        What stands beside all of its numbers: a currency, a percent sign, a unit; ":" for hours and minutes, which are
        read as minutes, or minutes and seconds, "::" for all three, in seconds, and ":::" for these beside minutes and
        seconds; `fscore.datasets.quantities.FEET` for inches; "day" also for other units of time, in days,
        and so with "s", "byte", "m", "kg" and "l".
    shared_unit : bool
        Whether numbers without a unit have it, too: 34 beside "25 years".
    labeled : bool
        Whether the ends of its scale have a label: "0 not at all" beside 1, 2 and 3.
    decimal : {".", ","}
    points : bool
        Points separate thousands in it: "1.234", which other readers take for 1.234.
    date_order : str
        Order of year, month and day: "ymd", "dmy" or "mdy"; "season" of years such as 2014-15; "week" of weeks such as
        2014-52; "s" or "ms" since 1970.
    level : str
        A word that usually spells a missing value, but is one of the categories: "none" of none, mild and severe.
    missing : tuple of float
        Numbers, or days since 1970, that stand for a missing value; infinity for all numbers from 1e50.
    """

    kind: str
    unit: str = ""
    decimal: str = "."
    points: bool = False
    date_order: str = ""
    level: str = ""
    missing: tuple[float, ...] = ()
    shared_unit: bool = False
    labeled: bool = False

    def read(self, column: pd.Series) -> pd.Series:
        """Convert a column.

        Parameters
        ----------
        column : Series
            Text; or numbers and dates, as `pandas.read_csv` gives them.

        Returns
        -------
        Series
            float64 (dates as days since 1970, yes and no as one and zero) or text; NaN where a value is missing or
            isn't of this kind, and for numbers from 1e50.
        """
        values = self.parse(column)
        if self.kind in ("category", "text"):
            return values
        return values.where((values.abs() < LARGEST) & ~values.isin(self.missing))

    def parse(self, column: pd.Series) -> pd.Series:
        """Convert a column as `read` does, but keep huge numbers and codes for missing values."""
        if self.kind in ("category", "text"):
            texts = _texts(column, self.level.casefold())
            return texts.fillna(self.level) if self.level in _MISSING_OF_PANDAS else texts
        if pd.api.types.is_datetime64_any_dtype(column):
            return (pd.to_datetime(column, utc=True) - pd.Timestamp("1970-01-01", tz="UTC")) / pd.Timedelta(days=1)
        if self.date_order in EPOCHS:
            return pd.to_numeric(column, errors="coerce") / EPOCHS[self.date_order]
        if pd.api.types.is_numeric_dtype(column) and self.kind != "date":
            return column.astype(np.float64)
        if (plain := self.plain(column)) is not None:
            return plain
        texts = _texts(column)
        if self.kind == "date":
            return days(texts, self.date_order)
        if self.kind == "number":
            return self._in_unit(quantities(texts, self.decimal)).astype(np.float64).rename(column.name)
        return texts.str.lower().map(_TRUTH_OF if self.kind == "boolean" else {}).astype(np.float64)

    def plain(self, column: pd.Series) -> pd.Series | None:
        """The numbers of a column if all of its texts are plain numbers or missing; None otherwise."""
        if (self.kind, self.unit, self.decimal, column.dtype) != ("number", "", ".", object):
            return None
        numbers = pd.to_numeric(column, errors="coerce")
        return numbers.astype(np.float64) if numbers.isna().equals(column.isna()) else None

    def unread(self, column: pd.Series) -> pd.Series:
        """The texts of a column that are neither missing nor of this kind: words among numbers."""
        return _texts(column[self.parse(column).isna()]).dropna()

    def limits(self, column: pd.Series) -> pd.Series:
        """The texts of a column that are read as a number, but are a limit: "<0.5", "80+"."""
        if self.kind != "number" or pd.api.types.is_numeric_dtype(column):
            return column[:0]
        texts = _texts(column).dropna()
        numbers = quantities(texts, self.decimal)
        return texts[(numbers["limit"] != 0) & self._in_unit(numbers).notna()]

    def _in_unit(self, numbers):
        return in_unit(numbers, self.unit, self.shared_unit, self.labeled)

    def codes(self) -> list[str]:
        """The numbers or dates that stand for a missing value, as text."""
        if self.kind == "date":
            return [str(np.datetime64(int(day // 1), "D")) for day in self.missing]
        return ["beyond ±1e50" if np.isinf(code) else f"{code:.15g}" for code in self.missing]


class ColumnTypes(TransformerMixin, BaseEstimator):
    """Reads a table of text column by column: numbers and dates as float, categories as text.

    Parameters
    ----------
    types : dict of str to ColumnType, optional
        How each column to keep is read; None finds it from the data.

    Attributes
    ----------
    types_ : dict of str to ColumnType
    categories_ : dict of str to list of str
        What `fit` saw in each column of categories or text.
    words_ : dict of str to set of str
        What `fit` saw in each other column and could not read.
    feature_names_in_ : ndarray of shape (n_features,)
    n_features_in_ : int

    Notes
    -----
    Values may also be numbers or truth values already, as `pandas.read_csv` gives them; in a column of categories they
    stand for the one that `fit` saw of this value, 1067 for "01067" and True for "TRUE". A category that `fit` didn't
    see is warned of.

    Examples
    --------
    >>> import pandas as pd
    >>> from fscore.report import ColumnTypes
    >>> table = pd.DataFrame({"pay": ["$31", "n/a", "$1,027"], "town": ["Ulm", "Bonn", "?"]})
    >>> ColumnTypes().fit_transform(table)
          pay  town
    0    31.0   Ulm
    1     NaN  Bonn
    2  1027.0   NaN
    """

    def __init__(self, types: Mapping[str, ColumnType] | None = None) -> None:
        self.types = types

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Find how each column is read, and what categories there are.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = _frame(X, self.types or ())
        self.types_ = column_types(X) if self.types is None else dict(self.types)
        are_texts = {name: type.kind in ("category", "text") for name, type in self.types_.items()}
        self.categories_ = {n: list(self.types_[n].read(X[n]).dropna().unique()) for n in X if are_texts.get(n)}
        self.words_ = {name: set(type.unread(X[name])) for name, type in self.types_.items() if not are_texts[name]}
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Convert.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Needs the columns of `types_`, in any order; others are left out.

        Returns
        -------
        DataFrame
            float64, or object with text and NaN.

        Raises
        ------
        ValueError
            A column is missing, most of its values can't be read as `fit` read them, or they are numbers that may have
            been read in another way.
        """
        check_is_fitted(self)
        X = _frame(X, self.types_)
        typed = {}
        for name, type in self.types_.items():
            _check_values(X[name], type, self.words_.get(name, ()))
            typed[name] = type.read(X[name])
            if name in self.categories_:
                spelled = _spelled(X[name], self.categories_[name])
                typed[name] = typed[name].mask(spelled.notna(), spelled)
            if type.kind == "category":
                _warn_of_new(typed[name], self.categories_[name])
        return pd.DataFrame(typed, index=X.index)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        """Names of the columns that `transform` gives."""
        check_is_fitted(self)
        return np.array(list(self.types_), dtype=object)


def clean(value):
    """A text without outer, repeated and invisible characters, composed (NFC), with European digits."""
    text = str(value)
    if not text.isascii():
        text = "".join(filter(_is_visible, unicodedata.normalize("NFC", text))).translate(_OTHER_SIGNS)
    return " ".join(text.split())


def _is_visible(character):
    """Whether a character is neither a format character, such as a zero-width space, nor a variation selector."""
    return unicodedata.category(character) != "Cf" and not "\ufe00" <= character <= "\ufe0f"


def is_missing(text):
    """Whether a text spells a missing value."""
    return clean(text).lower() in _MISSING


def column_names(header):
    """Names of columns: cleaned; repeated and empty ones as `pandas.read_csv` calls them: "x.1", "Unnamed: 2".

    Parameters
    ----------
    header : sequence of str

    Returns
    -------
    list of str
    """
    names = [clean(name) or f"Unnamed: {number}" for number, name in enumerate(header)]
    taken, unique = set(names), []
    for name in names:
        made, number = name, 0
        while made in unique or (number and made in taken):
            number += 1
            made = f"{name}.{number}"
        unique.append(made)
    return unique


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
        Columns that both marks read, but differently, each with an example.
    """
    of_text = frame.select_dtypes(["object", "string"])
    fields = (field for name in of_text for field in of_text[name].unique() if isinstance(field, str))
    if separator != ";" and not any(map(MAY_HAVE_COMMA.search, fields)):
        return ".", []
    n_read, doubtful = {".": 0.0, ",": 0.0}, []
    for name in of_text:
        texts = _texts(of_text[name]).value_counts()[:_MOST_SNIFFED]
        if not texts.index.str.contains("[.,]").any():
            continue
        values = {mark: quantities(texts.index.to_series(), mark)["value"] for mark in n_read}
        shares = {mark: texts[values[mark].notna()].sum() / texts.sum() for mark in n_read}
        if max(shares.values()) >= _MOSTLY:
            for mark in n_read:
                n_read[mark] += shares[mark]
        if shares["."] == shares[","] >= _MOSTLY and not values["."].equals(values[","]):
            doubtful.append((name, next(text for text in texts.index if re.search("[.,]", text))))
    if n_read["."] != n_read[","]:
        return max(n_read, key=n_read.get), []
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
    types = {name: column_type(frame[name], decimal) for name in frame}
    of_numbers = {name: type for name, type in types.items() if type.kind == "number"}
    numbers = {name: replace(type, missing=()).read(frame[name]).dropna() for name, type in of_numbers.items()}
    codes = codes_of_several_columns(numbers, {name: type.missing for name, type in of_numbers.items()})
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
    type, values = ColumnType("number", decimal=decimal), None
    if len(column) and all(isinstance(field, str) and "." in field for field in column):  # codes are versions only
        values = None if _are_versions(column) else type.plain(column)
    if values is None or (values.abs() >= _EXACT).any():
        type = _first_fit(column, decimal)
        if type.kind == "category":
            return replace(type, level=_level(column))
        if type.kind not in ("number", "date"):
            return type
        values = type.parse(column)
    if type.kind == "number" and not type.unit:
        numbers = values.dropna()
        if unit := epoch_unit(numbers, column.name):
            return ColumnType("date", date_order=unit)
        if _are_long(numbers):
            return _type_of_words(numbers.value_counts())
    return replace(type, missing=codes_of_a_column(values, type.kind))


def _first_fit(column, decimal):
    """How a column is read, apart from codes for missing values."""
    if column.isna().all():
        return ColumnType("empty")
    if pd.api.types.is_datetime64_any_dtype(column):
        return ColumnType("date")
    if pd.api.types.is_numeric_dtype(column) and not _are_beyond_floats(column):
        return ColumnType("category" if column.nunique() == 1 and column.isna().any() else "number")
    counts = _texts(column).value_counts()
    if counts.empty:
        return ColumnType("empty")
    lowered = set(counts.index.str.lower())
    is_one_value = len({_TRUTH_OF.get(word, word) for word in lowered}) == 1
    is_set_or_not = is_one_value and counts.sum() < len(column)  # or missing, like a flag
    if lowered - {"1", "0"} and any(lowered <= {*words.split(), "1", "0"} for words in _TRUTH):
        return ColumnType("category" if is_set_or_not else "boolean")
    are_thousands = _are_thousands(counts.index, decimal)
    number = None if are_thousands else _number_type(counts, decimal)
    if number is None:
        mark = "," if decimal == "." else "."
        other = _number_type(counts, mark)
        # €5,50 and 10,3 are numbers beside columns of 5.50, and 1.536 beside 846, too
        fits = are_thousands or (other is not None and (other.unit or _are_decimals(counts.index, mark)))
        number = other if fits else None
    if number is not None:
        if is_set_or_not:
            return ColumnType("category")
        compact = len(counts) > 1 and counts.index.str.fullmatch(r"\d{8}(\d{4}(\d\d)?)?").all() and not number.unit
        order = date_order(counts.index.to_series()) if compact else ""
        return ColumnType("date", date_order=order) if order else number
    if order := date_order(counts.index.to_series()):
        return ColumnType("date", date_order=order)
    return _type_of_words(counts)


def _type_of_words(counts):
    return ColumnType("text" if len(counts) > max(_MOST_CATEGORIES, 0.5 * counts.sum()) else "category")


def _are_long(numbers):
    """Whether numbers name things, as those of chips and bar codes do: many, of the same twelve digits or more."""
    if not numbers.min() >= _LONG or numbers.nunique() < _MANY or not (numbers % 1 == 0).all():
        return False
    return np.floor(np.log10(numbers)).nunique() == 1


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

    Ascending codes, such as 1,3, may be several answers, and groups of three digits are thousands.
    """
    parts = texts.to_series().str.extract(rf"^[+-]?(\d+)(?:[{mark}](\d+))?$")
    decimals = parts.dropna()
    if parts[0].isna().any() or decimals[1].nunique() < _FEWEST_NUMBERS or (decimals[1].str.len() == 3).all():
        return False
    return not (decimals[0].astype(float) < decimals[1].astype(float)).all()


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
    if in_both_directions.any() or numbers["value"].nunique() < _FEWEST_NUMBERS:
        plain &= numbers["limit"] == 0
    labeled = _are_labels_of_ends(numbers[plain])
    plain &= labeled | (numbers["unit"] != LABELED)
    if not plain.any() or _are_ratios(numbers.index[plain]):
        return None
    shared = shared_unit(numbers[plain], counts[plain])
    unit = shared or common_unit(numbers[plain], counts[plain])
    fits = plain & in_unit(numbers, unit, bool(shared), labeled).notna()
    suppressed = counts.index.str.lower().isin(_SUPPRESSED) & (fits.sum() >= _FEWEST_NUMBERS)
    others = numbers.index[~fits & ~suppressed]
    letters = counts.index[counts.index.str.fullmatch("[A-Za-z]")]
    exact = numbers["value"][fits & (numbers["limit"] == 0)].nunique()
    few = exact < _FEWEST_NUMBERS <= counts.sum() / 2
    few |= not unit and _are_levels(counts, numbers["value"][fits], others)
    if len(others) and (few or _are_words_or_codes(others, letters, numbers["value"][fits])):
        return None
    is_one_word = len(others) == 1 and exact >= _FEWEST_BESIDE_A_WORD
    most = 0.5 if is_one_word else _MOSTLY
    are_codes = _are_codes(counts[fits], numbers["value"][fits]) and not _are_padded(counts.index)
    if counts[fits].sum() < most * counts[~suppressed].sum() or are_codes:
        return None
    if (unit in ("th", "e") and exact <= _FEWEST_PLACES) or _are_grades(counts.index) or _are_versions(counts.index):
        return None
    points = decimal == "," and counts.index[fits].str.fullmatch(r"[+-]?\d{1,3}\.\d{3}").any()
    return ColumnType("number", unit, decimal, bool(points), shared_unit=bool(shared), labeled=labeled)


def _are_levels(counts, values, others):
    """Whether words beside few whole numbers are levels, too: 1, 2, 3 and "very much"."""
    are_few = values.nunique() < _FEWEST_BESIDE_A_WORD and (values % 1 == 0).all()
    are_words = len(others) > 0 and not others.str.contains(r"\d").any()
    is_often = counts[others].sum() > _LEVEL_SHARE * counts.sum() and counts.sum() >= _LEVEL_ROWS * len(counts)
    return are_few and are_words and is_often


def _are_labels_of_ends(numbers):
    """Whether all numbers with a label are the ends of a scale: 1, 2, 3 and "0 not at all", "4 very much"."""
    labeled = numbers["unit"] == LABELED
    bare, ends = numbers["value"][~labeled], numbers["value"][labeled]
    inside = ends.between(bare.min(), bare.max(), "neither").any()
    return 0 < len(ends) <= 2 and bare.nunique() >= _FEWEST_NUMBERS and not inside


def _are_words_or_codes(others, letters, numbers):
    """Whether what stands beside numbers makes them codes: V27 and E849 beside 250.83, or A and B beside 1 to 5."""
    codes = pd.Series(others).str.fullmatch(r"[A-Za-z]{1,2}[-.]?\d[\d.]*[A-Za-z]?")
    are_letters = not {text.lower() for text in letters} <= _SUPPRESSED and (numbers % 1 == 0).all()
    return (codes.sum() >= 2 and codes.mean() > 0.5) or (are_letters and numbers.nunique() <= _MOST_CATEGORIES)


def _are_ratios(texts):
    """Whether all texts are dilutions, such as 1:10, 1:20 and 1:40, which are no clock."""
    dilutions = [int(text[2:]) for text in texts if re.fullmatch(r"1:[1-9]\d*", text)]
    steps = np.array(dilutions) / min(dilutions, default=1)
    return len(dilutions) == len(texts) >= _FEWEST_NUMBERS and bool(np.isin(steps, _DILUTIONS).all())


def _are_codes(counts, values):
    """Whether numbers are codes: 00123, or more digits than a float holds."""
    in_digits = counts.index.str.fullmatch(r"[+-]?\d[\d.,' \u2019]*")
    whole = counts[counts.index.str.fullmatch(r"[+-]?\d+")]
    zeros = whole[whole.index.str.fullmatch(r"0\d+")]
    return (values[in_digits].abs() >= _EXACT).any() or zeros.sum() >= max(1, _CODES_SHARE * whole.sum())


def _are_padded(texts):
    """Whether texts such as 0825 or 030 are times of day or directions, by the name of their column."""
    name = str(texts.name)
    is_clock = re.search(r"time|hour|uhr|heure|hora|(?<![a-z])std", name, re.IGNORECASE)
    if is_clock and texts.str.fullmatch(r"([01]\d|2[0-4])[0-5]\d").all():
        return True
    is_direction = re.search("wind(?!ow)|heading|bearing|azimuth|dir(ection)?$|kn?ts?$", name, re.IGNORECASE)
    return bool(is_direction) and texts.str.fullmatch(r"\d{2,3}").all()


def _are_grades(texts):
    """Whether texts such as 2+, 2 and 2- are grades, of which the better may have the smaller number."""
    if len(texts) > _MOST_GRADES or not texts.str.fullmatch(r"\d[+-]?").all():
        return False
    return {"+", "-"} <= set(texts.str[-1])


def _are_versions(texts):
    """Whether texts such as 20.9 and 20.10 are versions, by the name of their column."""
    return bool(re.search("version|release", str(texts.name), re.IGNORECASE)) and texts.str.fullmatch(r"\d+\.\d+").all()


def _are_beyond_floats(column):
    return pd.api.types.is_integer_dtype(column) and (column.max() >= _EXACT or column.min() <= -_EXACT)


def _level(column):
    """The word for "missing" that is one of the categories of a column of words, such as none; or an empty text."""
    fields = column.map({field: clean(field) for field in column.unique() if isinstance(field, str)}).dropna()
    if fields.empty:
        return ""
    words = fields[fields.str.lower().isin(_MISSING)]
    levels = fields[~fields.str.lower().isin(_MISSING)].unique()
    may_be = words[words.str.fullmatch("none|nil", case=False) | ((words == "-") & any("+" in text for text in levels))]
    if not len(levels) or any(map(is_number, levels)) or may_be.nunique() != 1 or len(levels) > _MOST_CATEGORIES:
        return ""
    word, others = may_be.iloc[0], len(column) - len(fields) + len(words) - len(may_be)
    if len(may_be) < _LEVEL_SHARE * len(column) or (word in _MISSING_OF_PANDAS and others):
        return ""  # pandas reads an empty cell alike
    return word


def labels(column, type):
    """Class labels of a column: numbers by their value, texts in their most frequent spelling.

    Parameters
    ----------
    column : Series
    type : ColumnType

    Returns
    -------
    labels : Series of object
        int where all are whole numbers, else text; NaN where a label is missing.
    merged : list of str
        Spellings that were replaced: those that differ in case only, and other words for yes and no.

    Raises
    ------
    ValueError
        Two different labels are the same number, such as "1" and "01".
    """
    if type.kind == "number":
        values = replace(type, missing=()).read(column)
        if (values.dropna() == values.dropna().round()).all() and values.abs().max() < _EXACT:
            return values.astype("Int64").astype(object), []
        return values.map(lambda value: f"{value:.15g}", na_action="ignore").astype(object), []
    texts = _texts(column)
    counts = texts.value_counts()
    numbers = {}
    for label in filter(is_number, counts.index):
        if (other := numbers.setdefault(float(label), label)) != label and len(label) < 16:
            one, other = sorted([label, other])
            raise ValueError(
                f"the labels {one!r} and {other!r} in {column.name!r} are the same number; write them alike, or as "
                "texts (such as 'c01') if they are different classes."
            )
    keys = {label: _TRUTH_OF[label.lower()] if type.kind == "boolean" else label.casefold() for label in counts.index}
    usual = {}
    for label in sorted(counts.index, key=lambda label: (counts[label], label), reverse=True):
        usual.setdefault(keys[label], label)
    merged = [label for label in counts.index if usual[keys[label]] != label]
    return texts.map(lambda label: usual[keys[label]], na_action="ignore").astype(object), merged


def label_array(column):
    """Labels of a column without missing values: int64 for whole numbers, float64 for numbers, else str."""
    values = column.convert_dtypes().to_numpy()
    return values.astype(str) if values.dtype == object else values


def notations(column):
    """Examples of numbers in a column of text, one of each notation: "58.6%" and "0.375"; from a sample of the rows.

    Parameters
    ----------
    column : Series

    Returns
    -------
    list of str
        The most frequent first; empty if most values don't look like numbers, or all are plain digits, such as codes.
    """
    texts = _texts(column[:: -(-len(column) // _MOST_SNIFFED)]).dropna()
    forms = texts.map(notation).dropna()
    frequent = forms.value_counts().index
    if len(forms) < _MOSTLY * len(texts) or len(frequent) > _MOST_NOTATIONS or set(frequent) <= {("", "")}:
        return []
    return [texts[forms.index[forms == form][0]] for form in frequent]


def _texts(column, level=""):
    """Cleaned text; missing values in any usual spelling but one are NaN; whole numbers are written without a point."""
    if pd.api.types.is_float_dtype(column):
        column = column.map(lambda value: f"{value:.15g}", na_action="ignore")
    codes, distinct = pd.factorize(column.astype(object))
    cleaned = map(clean, distinct)
    missing = _MISSING - ({level} if level else set())
    texts = np.array([np.nan if text.lower() in missing else text for text in cleaned] + [np.nan], dtype=object)
    return pd.Series(texts[codes], index=column.index, name=column.name, dtype=object)


def _spelled(column, categories):
    """The category that each number or truth value of a column stands for; NaN where there is none, and for text."""
    meant = {}
    for category in categories:
        if is_number(category):
            number = int(category) if re.fullmatch(r"[+-]?\d{1,400}", category) else float(category)
            meant.setdefault(number, []).append(category)
        elif category.lower() in ("true", "false"):
            meant.setdefault(category.lower(), []).append(category)
    spelled = {}
    for value in column.dropna().unique() if meant else ():
        key = str(value).lower() if isinstance(value, bool | np.bool_) else value
        if (key is not value or isinstance(value, Real)) and key in meant:
            first, *others = meant[key]
            if others:
                raise ValueError(
                    f"column {column.name!r} holds the value {value}, which could be the category {first!r} or "
                    f"{others[0]!r}; read the column as text, with dtype=str."
                )
            spelled[value] = first
    return column.map(spelled).astype(object)


def _warn_of_new(column, categories):
    """Warn of categories that were not there when the column was first read."""
    distinct = column.dropna().drop_duplicates()
    if new := distinct[~distinct.isin(categories)].tolist():
        more = f" and {len(new) - 1} more" if len(new) > 1 else ""
        warnings.warn(f"column {column.name!r} holds {new[0]!r}{more}, which it didn't hold before.", stacklevel=3)


def _frame(X, types):
    if not isinstance(X, pd.DataFrame):
        raise TypeError(f"X is a {type(X).__name__}; give a DataFrame, such as `pandas.read_csv` returns.")
    X = X.set_axis(column_names(X.columns), axis=1)
    if absent := [name for name in types if name not in X.columns]:
        raise ValueError(f"X has no column {', '.join(map(repr, absent[:5]))}; the model was made with such columns.")
    return X


def _check_values(column, type, known):
    """Raise a ValueError if a column isn't written as it was; warn if some of its values are not."""
    if pd.api.types.is_float_dtype(column):
        why = "but its points separate thousands" if type.points else ""
        if type.kind in ("category", "text") and (column.abs() >= _EXACT).any():
            why = "which skip such large whole numbers"
        if why:
            raise ValueError(f"column {column.name!r} is of floats, {why}; read the column as text, with dtype=str.")
    unread = type.unread(column) if type.kind in ("number", "boolean", "date") else ()
    new = [text for text in unread if text not in known]
    if not new:
        return
    problem = f"column {column.name!r} holds {new[0]!r}, but was read as a {type.kind}"
    problem += f" in {type.unit!r}" if type.unit else ""
    if len(new) > _texts(column).notna().sum() / 2:
        raise ValueError(f"{problem}; write its values as in the file of the report, or leave them empty.")
    warnings.warn(f"{problem}; {len(new)} such values count as missing.", stacklevel=3)
