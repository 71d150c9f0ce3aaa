"""What a column of text holds: numbers, yes and no, dates, categories or free text."""

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fscore.datasets.records import is_number
from fscore.dossier.reading import MISSING

__all__ = ["KINDS", "ColumnTypes", "as_kind", "date_format", "is_huge", "kind_of", "notations"]

KINDS = ("number", "boolean", "date", "category", "text", "empty")

_TRUTH = [("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"), ("on", "off"), ("ja", "nein"), ("oui", "non")]
_DATE_FORMATS = (
    "ISO8601",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%m/%d/%y",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %I:%M %p",
    "%d-%b-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
)
_COMPACT_DATE = r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"  # 20210301
_NUMBER_IN_TEXT = re.compile(
    r"(?P<sign>\(?)[-+\u2212]?(?P<before>[$\u00a3\u00a5\u20ac]?)\s?[-+\u2212]?"
    r"(\d*[.,]?\d+|(?P<groups>\d{1,3}([,' \u00a0]\d{2,3})*[,' \u00a0]\d{3}(\.\d+)?|\d{1,3}(\.\d{3})+(,\d+)?))"
    r"(?P<unit>\s?[%$\u00a3\u00a5\u20ac\u00b0]|\s[^\W\d][^\s\d]{0,5})?\)?"
)
_MOST_NOTATIONS = 4  # more are parts of codes or addresses
_MOSTLY = 0.8  # share of values that must fit a kind; the others count as missing
_MOST_CATEGORIES = 20  # more different words than this may be free text
_LARGEST = 1e50  # the variance of squared errors of larger numbers would overflow
_EPOCH = pd.Timestamp("1970-01-01")


class ColumnTypes(TransformerMixin, BaseEstimator):
    """Gives every column its type: numbers and dates as float, categories as text.

    Parameters
    ----------
    kinds : dict of str to {"number", "boolean", "date", "category", "text"}, optional
        Kind of each column to keep; None finds them from the data.
    missing : dict of str to list of float, optional
        Numbers that stand for a missing value, by column.

    Attributes
    ----------
    kinds_ : dict of str to str
    categories_ : dict of str to list of str
        What `fit` saw in each column of categories or text.
    date_formats_ : dict of str to str
        The format that fits the most dates of each column of text; `transform` tries it first.
    feature_names_in_ : ndarray of shape (n_features,)
    n_features_in_ : int

    Notes
    -----
    A date becomes days since 1970. What doesn't fit the kind of its column is missing: NaN; so are numbers from 1e50.
    Values may also be numbers already, as `pandas.read_csv` gives them; in a column of categories they stand for the
    one that `fit` saw of this value, 1067 for "01067".

    Examples
    --------
    >>> import pandas as pd
    >>> from fscore.dossier import ColumnTypes
    >>> table = pd.DataFrame({"age": ["31", "n/a", "27"], "smokes": ["yes", "no", "no"], "town": ["Ulm", "Bonn", "?"]})
    >>> ColumnTypes().fit_transform(table)
        age  smokes  town
    0  31.0     1.0   Ulm
    1   NaN     0.0  Bonn
    2  27.0     0.0   NaN
    """

    def __init__(
        self, kinds: Mapping[str, str] | None = None, missing: Mapping[str, Sequence[float]] | None = None
    ) -> None:
        self.kinds = kinds
        self.missing = missing

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Find the kinds.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = _frame(X)
        self.kinds_ = {name: kind_of(X[name]) for name in X} if self.kinds is None else dict(self.kinds)
        if unknown := sorted({str(kind) for kind in self.kinds_.values()} - set(KINDS)):
            raise ValueError(f"kinds holds {', '.join(unknown)}; known kinds are {', '.join(KINDS)}.")
        _check_columns(X, self.kinds_)
        self.categories_ = {
            name: list(_texts(X[name]).dropna().unique())
            for name, kind in self.kinds_.items()
            if kind in ("category", "text")
        }
        self.date_formats_ = {
            name: _date_format(_texts(X[name]).dropna())
            for name, kind in self.kinds_.items()
            if kind == "date" and not pd.api.types.is_datetime64_any_dtype(X[name])
        }
        self.feature_names_in_ = np.array(X.columns, dtype=object)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Convert.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Needs the columns of `kinds_`, in any order; others are left out.

        Returns
        -------
        DataFrame
            float64, or object with text and NaN.

        Raises
        ------
        ValueError
            A column lacks, or a number could be several categories, such as "7" and "07".
        """
        check_is_fitted(self)
        X = _frame(X)
        _check_columns(X, self.kinds_)
        typed = {name: as_kind(X[name], kind, self.date_formats_.get(name)) for name, kind in self.kinds_.items()}
        for name, categories in self.categories_.items():
            spelled = _spelled(X[name], categories)
            typed[name] = typed[name].mask(spelled.notna(), spelled)
        for name, codes in (self.missing or {}).items():
            if name in typed:
                typed[name] = typed[name].mask(typed[name].isin(codes))
        return pd.DataFrame(typed, index=X.index)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Names of the columns that `transform` gives."""
        check_is_fitted(self)
        return np.array(list(self.kinds_), dtype=object)


def kind_of(column):
    """The kind of a column.

    Parameters
    ----------
    column : Series of text or numbers

    Returns
    -------
    str
        One of `KINDS`.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        return "empty" if column.isna().all() else "date"
    if pd.api.types.is_numeric_dtype(column):
        return "empty" if column.isna().all() else "category" if _is_set_or_not(column) else "number"
    numbers = pd.to_numeric(column, errors="coerce")
    words = _texts(column[numbers.isna()]).dropna()
    total = len(words) + int(numbers.notna().sum())
    if total == 0:
        return "empty"
    if len(words) <= (1 - _MOSTLY) * total and not _has_leading_zeros(column, numbers):
        if words.empty and _is_set_or_not(numbers):
            return "category"
        return "date" if _are_compact_dates(column, numbers) else "number"
    values = pd.concat([words, column[numbers.notna()].astype(str)])
    distinct = pd.Series(pd.unique(values))
    lowered = set(distinct.str.lower())
    if any(lowered <= set(pair) for pair in _TRUTH):
        return "category" if len(lowered) == 1 and total < len(column) else "boolean"
    if _dates(distinct).notna().mean() >= _MOSTLY:
        return "date"
    return "text" if len(distinct) > max(_MOST_CATEGORIES, 0.5 * total) else "category"


def _is_set_or_not(numbers):
    """One number, or none: which of the two is all that the column tells."""
    return numbers.nunique() == 1 and bool(numbers.isna().any())


def _has_leading_zeros(column, numbers):
    """Codes such as 00123, which are names and not quantities."""
    whole = column[numbers.notna() & (numbers == numbers.round())].astype(str)
    return bool(len(whole)) and whole.str.fullmatch(r"0\d+").mean() >= 0.05


def _are_compact_dates(column, numbers):
    """Numbers such as 20210301, all of them days of a calendar."""
    present = numbers.dropna()
    if not present.between(19_000_101, 20_991_231).all() or present.nunique() < 2:
        return False
    return bool(column[numbers.notna()].astype(str).str.strip().str.fullmatch(_COMPACT_DATE).all())


def as_kind(column, kind, date_format=None):
    """A column converted to its kind: float64, or text with NaN.

    Parameters
    ----------
    column : Series
    kind : str
    date_format : str, optional
        The format of its dates, as far as it fits them. Others are read in the one format that fits the most.

    Returns
    -------
    Series
    """
    if kind in ("category", "text"):
        return _texts(column).astype(object)
    if pd.api.types.is_datetime64_any_dtype(column):
        return (column - _EPOCH) / pd.Timedelta(days=1)
    if pd.api.types.is_numeric_dtype(column) and kind != "date":
        values = column.astype(np.float64)
    elif kind == "boolean":
        truth = {word: float(place == 0) for pair in _TRUTH for place, word in enumerate(pair)}
        values = _texts(column).str.lower().map(truth | {"1": 1.0, "0": 0.0}).astype(np.float64)
    elif kind == "date":
        values = (_dates(_texts(column), date_format) - _EPOCH) / pd.Timedelta(days=1)
    else:
        values = pd.to_numeric(column, errors="coerce").astype(np.float64)
    return values.where(values.abs() < _LARGEST)


def is_huge(column):
    """Which numbers of a column are infinite or too large to compute with, and so count as missing."""
    return pd.to_numeric(column, errors="coerce").abs() >= _LARGEST


def notations(column):
    """Examples of numbers in a column of text, one of each notation: "58.6%" and "0.375".

    Parameters
    ----------
    column : Series

    Returns
    -------
    list of str
        The most frequent first; empty if most values don't look like numbers, or all are plain digits, such as codes.
    """
    texts = _texts(column).dropna().astype(str)
    found = texts.map(_NUMBER_IN_TEXT.fullmatch)
    found = found[found.notna()]
    if len(found) < _MOSTLY * len(texts):
        return []
    forms = found.map(
        lambda match: (match["sign"], match["before"], bool(match["groups"]), (match["unit"] or "").strip())
    )
    frequent = forms.value_counts().index
    if len(frequent) > _MOST_NOTATIONS or set(frequent) <= {("", "", False, "")}:
        return []
    return [texts[forms[forms == form].index[0]] for form in frequent]


def _texts(column):
    """Stripped text; missing values in any usual spelling are NaN; whole numbers are written without a point."""
    if pd.api.types.is_float_dtype(column):
        column = column.map(lambda value: f"{value:.15g}", na_action="ignore")
    codes, distinct = pd.factorize(column.astype(object))
    texts = np.array([_text(value) for value in distinct] + [np.nan], dtype=object)
    return pd.Series(texts[codes], index=column.index, name=column.name, dtype=object)


def _spelled(column, categories):
    """The category that each number of a column stands for; NaN where there is none, and for text."""
    by_number = {}
    for category in filter(is_number, categories):
        by_number.setdefault(float(category), []).append(category)
    spelled = {}
    for value in column.dropna().unique() if by_number else ():
        if isinstance(value, Real) and float(value) in by_number:
            first, *others = by_number[float(value)]
            if others:
                raise ValueError(
                    f"column {column.name!r} holds the number {value}, which could be the category {first!r} or "
                    f"{others[0]!r}; read the column as text, with dtype=str."
                )
            spelled[value] = first
    return column.map(spelled).astype(object)


def _text(value):
    text = " ".join(str(value).split())
    return np.nan if text.lower() in MISSING else text


def date_format(column):
    """The format in which a column of dates is read, and one with day and month exchanged that fits as well.

    Parameters
    ----------
    column : Series

    Returns
    -------
    read : str
        In words, such as "day/month/year"; empty if there is no text.
    other : str
        Empty if there is none.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        return "", ""
    texts = _texts(column).dropna()
    form = _date_format(texts)
    if form is None or "/" not in form or form.startswith("%Y"):
        return _in_words(form), ""
    swapped = re.sub("%[dm]", lambda part: "%m" if part[0] == "%d" else "%d", form)
    days, others = _parsed(texts, form), _parsed(texts, swapped)
    doubtful = others.notna().sum() >= days.notna().sum() and not days.equals(others)
    return _in_words(form), _in_words(swapped) if doubtful else ""


def _in_words(form):
    if form is None:
        return ""
    form = "%Y-%m-%d" if form == "ISO8601" else re.sub(" %[HI].*", "", form)
    return re.sub("%(.)", lambda part: {"d": "day", "y": "year", "Y": "year"}.get(part[1], "month"), form)


def _dates(texts, known=None):
    """Dates in a known format, and the others in the one that fits the most of them."""
    if known is not None:
        found = _parsed(texts, known)
        return found.where(found.notna(), _dates(texts[found.isna()]))
    form = _date_format(texts)
    return pd.Series(pd.NaT, index=texts.index, dtype="datetime64[ns]") if form is None else _parsed(texts, form)


def _date_format(texts):
    """The first of the formats that fit the most values; None if none fits any."""
    best, most = None, 0
    sample = texts.dropna()
    if not sample.astype(str).str.match(rf"\d{{1,4}}[-./ ]|[A-Za-z]{{3,9}} \d|{_COMPACT_DATE}$").mean() > 0.5:
        return best
    for form in _DATE_FORMATS:
        if (n_found := _parsed(texts, form).notna().sum()) > most:
            best, most = form, n_found
    return best


def _parsed(texts, form):
    return pd.to_datetime(texts, format=form, errors="coerce", utc=True).dt.tz_localize(None)


def _frame(X):
    if not isinstance(X, pd.DataFrame):
        raise TypeError(f"X is a {type(X).__name__}; give a DataFrame, such as `read_text` returns.")
    return X


def _check_columns(X, kinds):
    if absent := [name for name in kinds if name not in X.columns]:
        raise ValueError(f"X has no column {', '.join(map(repr, absent[:5]))}; the model was made with such columns.")
