"""The columns of a table of text as numbers and categories, also as a transformer of a pipeline."""

import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fscore._typing import ArrayLike

from .codes import EXACT
from .column_type import ColumnType
from .detection import column_types
from .quantities import is_number, notation
from .texts import TRUTH_OF, cleaned, column_names

__all__ = ["ColumnTypes", "are_numbers", "label_array", "labels", "notations"]

_MOST_NOTATIONS = 4  # more are parts of codes or addresses
_MOST_SAMPLED = 1000  # rows in which notations are looked for
_SHORT = [  # for a word, beside the other answer: N and NO alone may be directions
    *(("y", "yes", {"no", "n"}), ("n", "no", {"yes", "y"})),
    *(("t", "true", {"false", "f"}), ("f", "false", {"true", "t"})),
]
_MOSTLY = 0.8  # share of texts that must look like numbers


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


def are_numbers(column, type):
    """Whether a column of numbers can serve as labels by their values: 5 and 5+, <1 and 1, 3* and 3 are different."""
    if type.kind != "number":
        return False
    texts, values = cleaned(column), replace(type, missing=()).read(column)
    signs = texts.str.replace(r"[\d\s.,'\u2019]|(?<=[\d\s])[^\W_]+$", "", regex=True)  # 3 of 3 kg
    inexact = texts.isin(pd.concat(type.inexact(column)))
    distinct = pd.DataFrame({"value": values, "sign": signs, "inexact": inexact}).dropna().drop_duplicates()
    return distinct["value"].is_unique


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
        Spellings that were replaced: those that differ in case only, "Yes!" and "Y" beside "Yes", and other words for
        yes and no.

    Raises
    ------
    ValueError
        Two different labels are the same number, such as "1" and "01".
    """
    if are_numbers(column, type):
        values = replace(type, missing=()).read(column)
        if (values.dropna() == values.dropna().round()).all() and values.abs().max() < EXACT:
            return values.astype("Int64").astype(object), []
        return values.map(lambda value: f"{value:.15g}", na_action="ignore").astype(object), []
    texts = cleaned(column)
    counts = texts.value_counts()
    numbers = {}
    for label in filter(is_number, counts.index):
        if (other := numbers.setdefault(float(label), label)) != label and len(label) < 16:
            one, other = sorted([label, other])
            raise ValueError(
                f"the labels {one!r} and {other!r} in {column.name!r} are the same number; write them alike, or as "
                "texts (such as 'c01') if they are different classes."
            )
    keys = {label: TRUTH_OF[label.lower()] if type.kind == "boolean" else _plain(label) for label in counts.index}
    words = {*keys.values()}
    for short, word, others in _SHORT:
        if word in words and not words.isdisjoint(others):
            keys |= {label: word for label, key in keys.items() if key == short}
    usual = {}
    for label in sorted(counts.index, key=lambda label: (counts[label], label), reverse=True):
        usual.setdefault(keys[label], label)
    merged = [label for label in counts.index if usual[keys[label]] != label]
    return texts.map(lambda label: usual[keys[label]], na_action="ignore").astype(object), merged


def _plain(label):
    """A label in small letters; a word for yes or no without the signs that end a sentence."""
    word = label.casefold().rstrip("!.,;")
    return word if word.isalpha() and word in TRUTH_OF else label.casefold()


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
        The most frequent first; empty if most values don't look like numbers, or all of these are plain or have a
        capital letter behind, as codes do: 428 and 250.8 beside V57, 20041 beside 20086A.
    """
    texts = cleaned(column[:: -(-len(column) // _MOST_SAMPLED)]).dropna()
    forms = texts.map(notation).dropna()
    frequent = forms.value_counts().index
    are_codes = all(re.fullmatch("[A-Z]?", unit) and mark in ("", ".") for unit, mark in frequent)
    if len(forms) < _MOSTLY * len(texts) or len(frequent) > _MOST_NOTATIONS or are_codes:
        return []
    return [texts[forms.index[forms == form][0]] for form in frequent]


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
        library = type(X).__module__.partition(".")[0]
        raise TypeError(
            f"X is a {type(X).__name__} of {library}; give a DataFrame of pandas, such as `pandas.read_csv` returns."
        )
    X = X.set_axis(column_names(X.columns), axis=1)
    if absent := [name for name in types if name not in X.columns]:
        raise ValueError(f"X has no column {', '.join(map(repr, absent[:5]))}; the model was made with such columns.")
    return X


def _check_values(column, type, known):
    """Raise a ValueError if a column isn't written as it was; warn if some of its values are not."""
    if pd.api.types.is_float_dtype(column):
        why = "but its points separate thousands" if type.points else ""
        if type.kind in ("category", "text") and (column.abs() >= EXACT).any():
            why = "which skip such large whole numbers"
        if why:
            raise ValueError(f"column {column.name!r} is of floats, {why}; read the column as text, with dtype=str.")
    unread = type.unread(column) if type.kind in ("number", "boolean", "date") else ()
    new = [text for text in unread if text not in known]
    if not new:
        return
    problem = f"column {column.name!r} holds {new[0]!r}, but was read as a {type.kind}"
    problem += f" in {type.unit!r}" if type.unit else ""
    if len(new) > cleaned(column).notna().sum() / 2:
        raise ValueError(f"{problem}; write its values as in the file of the report, or leave them empty.")
    warnings.warn(f"{problem}; {len(new)} such values count as missing.", stacklevel=3)
