"""Columns that are offered in place of columns of the file, or beside them."""

import json
import re
import warnings
from ast import literal_eval
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from fscore.datasets.words import WORDS, any_of

__all__ = [
    "KINDS",
    "MERGING",
    "PLACES",
    "OfferedColumns",
    "answers_in",
    "are_listed",
    "derive",
    "merged_columns",
    "numbers_in",
]

KINDS = {  # by how a column is derived; None for the kind of the column itself
    "category": "category",  # the name of the one column that is set
    "hour": "number",  # of a time stamp, 0 to 24
    "weekday": "category",
    "month": "number",
    "difference": "number",  # the second column minus the first; of dates in days
    "first number": "number",  # of "120/80"
    "second number": "number",
    "third number": "number",
    "answer": "boolean",  # whether it is among the answers of a field; its name follows that of the column
    "answer between semicolons": "boolean",
    "is given": "boolean",  # whether the column has a value
    "of unit": None,  # the first value of the second column in all rows of a unit, which the first column names
}
PLACES = [how for how in KINDS if how.endswith(" number")]
# In place of the columns of the file.
MERGING = {"category", "answer", "answer between semicolons", "of unit", *PLACES}
_NUMBER = r"([-+\u2212]?\d+(?:\.\d+)?)"
_BETWEEN = r"[-/x\u00d7*,;:&+~\uff5e\u2013\u2026]|to|by|over|(?:out )?of"  # \u2026 of "-3\u2026+4"
_NEXT = rf"(?:(?:\u00b0C)?\s*(?:{_BETWEEN})\s*{_NUMBER})"
_NUMBERS = re.compile(
    rf"[(\[]?\s*{_NUMBER}{_NEXT}{_NEXT}?\s*(?:[)\]]|\u00b0?[^\W\d_]{{0,8}}\.?(?: \([^()\d]*\))?)", re.IGNORECASE
)
_SIGNS = re.compile(r"(?<=\d)[ ,'\u00a0\u202f](?=\d{3}(?!\d))|[$\u20ac\u00a3\u20b9]\s?")  # of "$40,000 - $60,000"
_GROUND = re.compile(rf"^(?:{any_of('ground')})(?=\s*(?:/|(?:out )?of)\s*\d)", re.IGNORECASE)
_SEMICOLONS = re.compile(r"\s*[;|]\s*")
_SEPARATORS = re.compile(r"\s*[;|]\s*|,\s+|(?:,|(?<=[^\W\d_]):)(?=[^\W\d_])")  # of answers
_IN_A_LIST = re.compile(r'"([^"]+)"|([^,"]+)')  # of {TV,"Cable TV"}, as databases write it
_WEEKDAYS = np.array(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"], dtype=object)


class OfferedColumns(TransformerMixin, BaseEstimator):
    """Makes the columns that a report offers from typed columns of the file.

    Parameters
    ----------
    columns : list of str
        Those to return.
    derived : dict of str to (str, list of str)
        Those that are made from others: how, and from which. "category": the name of the column that is set, out of
        several of zeros and ones; "hour", "weekday", "month": of days since 1970; "difference": the second of two
        columns minus the first; "first number", "second number", "third number": of a text such as "120/80";
        "answer", "answer between semicolons": whether "x: a" has the answer a in column x; "is given": whether the
        column has a value; "of unit": the first value of the second column in all rows of a unit, which the first
        column names.

    Examples
    --------
    >>> import pandas as pd
    >>> from fscore.report import OfferedColumns
    >>> X = pd.DataFrame({"site_north": [1, 0], "site_south": [0, 1], "age": [31, 27]})
    >>> OfferedColumns(["age", "site"], {"site": ("category", ["site_north", "site_south"])}).fit_transform(X)
       age        site
    0   31  site_north
    1   27  site_south
    """

    def __init__(self, columns: Sequence[str], derived: Mapping[str, tuple[str, Sequence[str]]]) -> None:
        self.columns = columns
        self.derived = derived

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Nothing is learned.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """Make the columns.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_features)
            Typed; a row in which none of a category's columns is set has no value.

        Returns
        -------
        DataFrame
        """
        return derive(X, self.derived)[list(self.columns)]


def numbers_in(text):
    """Two or three numbers that a text consists of, as 2 and 1 in "2:1"; nothing for other texts.

    The ground floor in front of the number of floors is 0.
    """
    text = _GROUND.sub("0", text)
    if any(sign in text for sign in ("-", "\u2013", " to ")):
        text = re.sub(r"(?<=\d)k\b", "000", _SIGNS.sub("", text), flags=re.IGNORECASE)
    match = _NUMBERS.fullmatch(text)
    return [float(number.replace("\u2212", "-")) for number in match.groups() if number] if match else []


def answers_in(text, how="answer"):
    """The parts of a text between semicolons or bars, or also commas before a blank or a letter; the texts of a list.

    Parameters
    ----------
    text : str
    how : {"answer", "answer between semicolons"}, default="answer"
    """
    if are_listed(text):
        return _of_list(text)
    separators = _SEPARATORS if how == "answer" else _SEMICOLONS
    return [answer for answer in separators.split(text.strip()) if answer]


def are_listed(text):
    """Whether answers stand in brackets or braces, as in JSON, in Python or in a database."""
    return text[:1] + text[-1:] in ("[]", "{}")


@lru_cache(maxsize=2**16)
def _of_list(text):
    """The texts of a list, or those called "name", else the first ones, of its objects."""
    for parse in json.loads, literal_eval:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes that Python doesn't know
                items = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        items = [items] if isinstance(items, dict) else items
        if any(isinstance(item, list | tuple | set) for item in items):
            return [text]  # no list of answers
        names = [item.get("name", next(iter(item.values()), "")) if isinstance(item, dict) else item for item in items]
        return [str(name) for name in names if name not in ("", None)]
    return [(quoted or plain).strip() for quoted, plain in _IN_A_LIST.findall(text[1:-1])]


def derive(X, derived):
    """Add derived columns to typed ones, and take those away that they stand for."""
    new = {name: _derived(how, X[list(columns)], name) for name, (how, columns) in derived.items()}
    replaced = merged_columns(derived) | set(new)
    kept = X.drop(columns=[name for name in X if name in replaced])
    return pd.concat([kept, pd.DataFrame(new, X.index)], axis=1) if new else kept


def merged_columns(derived):
    """The columns in place of which others are offered."""
    return {name for how, names in derived.values() if how in MERGING for name in names[how == "of unit" :]}


def _derived(how, columns, name):
    first = columns.iloc[:, 0]
    if how in PLACES:
        numbers = first.map(lambda text: dict(enumerate(numbers_in(text))).get(PLACES.index(how)), na_action="ignore")
        is_ground = first.str.lower().isin(WORDS["ground"]) & (how == PLACES[0])
        return numbers.astype(np.float64).mask(is_ground, 0.0)
    if how.startswith("answer"):
        answer = name.removeprefix(f"{first.name}: ")
        return first.map({text: float(answer in answers_in(text, how)) for text in first.dropna().unique()})
    if how == "is given":
        return first.notna().astype(np.float64)
    if how == "category":
        is_set = columns > 0
        return is_set.idxmax(axis=1).astype(object).where(is_set.any(axis=1))
    if how == "of unit":
        return columns.iloc[:, 1].groupby(pd.factorize(first)[0]).transform("first")
    if how == "difference":
        return columns.iloc[:, 1] - first
    if how == "hour":
        return (24 * 3600 * (first % 1)).round() / 3600
    days = np.floor(first.fillna(0)).to_numpy().astype("datetime64[D]")
    if how == "weekday":
        return pd.Series(_WEEKDAYS[(days.astype(int) + 3) % 7], first.index).where(first.notna())
    return pd.Series(days.astype("datetime64[M]").astype(int) % 12 + 1.0, first.index).where(first.notna())
