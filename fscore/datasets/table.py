"""Reads a user's table: finds its encoding, separator, header and the type of each column.

As a data set, every column but the target is a numeric feature.
"""

import hashlib
import os
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from .codes import FEWEST_NUMBERS
from .column_type import ColumnType
from .columns import are_numbers, label_array, labels
from .detection import column_types, decimal_mark
from .encodings import decoded
from .layout import are_in_order, header_and_rows
from .quantities import EITHER, FEET, is_number, words_of_zero
from .texts import clean, column_names, is_missing

__all__ = ["Table", "load_csv", "read_table"]

_MOST_NAMED = 5  # most columns listed in a message


@dataclass
class Table:
    """A table as it was written, and how to read it.

    Attributes
    ----------
    frame : DataFrame
        Text, one row per record.
    types : dict of str to ColumnType
        How each column is read.
    notes : list of str
        What was repaired or assumed, one sentence each.
    """

    frame: pd.DataFrame
    types: dict[str, ColumnType]
    notes: list[str] = field(default_factory=list)

    @staticmethod
    def of(frame: pd.DataFrame) -> "Table":
        """The table of a data frame, as `pandas.read_csv` gives it or with text in every column."""
        frame = frame.set_axis(column_names(frame.columns), axis=1)
        return Table(frame, column_types(frame))


def read_table(path: str | PathLike[str], encoding: str | None = None) -> Table:
    """Read a CSV file with a header line.

    The separator (comma, semicolon, tab, bar or blanks), the encoding and the decimal mark are found from the content.

    Parameters
    ----------
    path : str or path-like
    encoding : str, optional
        As Python calls it, such as "cp1251"; by default UTF-8 or UTF-16, and a national encoding if it is neither.

    Returns
    -------
    Table

    Raises
    ------
    FileNotFoundError
        No such file.
    ValueError
        The file is empty, is not text, has no header line or no data, a row has more fields than the header, or
        quotation marks don't match.
    """
    path = Path(os.path.expanduser(path))  # unlike Path.expanduser, no error for an unknown user
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give the path of a CSV file.")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; give the path of a CSV file.")
    with _named(path.name):
        return _parsed(path.read_bytes(), encoding)


@contextmanager
def _named(file):
    """Begin the message of a ValueError within this context by the name of the file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _parsed(content, encoding):
    notes = []
    header, rows, separator = header_and_rows(decoded(content, encoding, notes), notes)
    names = column_names(header)
    if renamed := [name for name, title in zip(names, header, strict=True) if title and name != clean(title)]:
        notes.append(f"Several columns have the same name; they are now called {', '.join(map(repr, renamed))}.")
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    decimal, doubtful = decimal_mark(frame, separator)
    types = column_types(frame, decimal)
    if _is_data(header, frame, types):
        start = separator.join(header)[:40]
        raise ValueError(f"there is no header line (the file starts with {start!r}); name the columns in a first line.")
    if doubtful:
        named = ", ".join(f"{name!r} ({value!r})" for name, value in doubtful[:3])
        notes.append(f"Numbers are read with a decimal {decimal!r}, but could be read with the other mark: {named}.")
    elif decimal == ",":
        notes.append("Numbers are read with a decimal comma.")
    notes += [
        f"{name!r} is read with a decimal {'point or comma' if type.decimal == EITHER else repr(type.decimal)}, "
        "unlike other columns."
        for name, type in types.items()
        if type.kind == "number" and type.decimal != decimal and not type.unit
    ]
    numbers = {name: type for name, type in types.items() if type.kind == "number" and type.unit != "%"}
    notes += filter(None, (_note_of_unit(frame[name], type) for name, type in numbers.items()))
    return Table(frame, types, notes)


def _note_of_unit(column, type):
    others, free = type.unread(column), column[column.str.lower().isin(words_of_zero(type.unit))]
    these = "1 other counts" if len(others) == 1 else f"{len(others):,} others count"
    remark = f"; {these} as missing, such as {others.mode()[0]!r}" if len(others) else ""
    if type.unit == FEET:
        return f"Lengths in {column.name!r} are in feet and inches, and are read as inches{remark}."
    if type.unit == "day":
        return f"Durations in {column.name!r} are read as days{remark}."
    if len(free):
        remark += f"; {free.iloc[0]!r} is 0"
    if not type.unit:
        return f"{free.iloc[0]!r} in {column.name!r} is 0." if len(free) else ""
    if type.unit.strip(":"):
        return f"{'Most n' if remark else 'N'}umbers in {column.name!r} are in {type.unit!r}{remark}."
    are_told = column[~column.isin(others)].str.contains(r"\d.*[^\W\d_]|[^\W\d_].*\d").any()  # 7:45 AM, 2h 50m
    doubt = "" if are_told else " if 1:30 is an hour and a half, in seconds if it is a minute and a half"
    return f"Times in {column.name!r} are read in {'seconds' if len(type.unit) > 1 else 'minutes' + doubt}{remark}."


def _is_data(header, frame, types):
    """Whether the first line looks like one of the rows.

    Above every column of numbers, dates or truth values it has such a value, and half of its texts occur in their
    columns, or three or more of its fields are plain numbers, not in order as those of years.
    """
    if not header[0]:  # an unnamed column of row names
        return False
    named = pd.DataFrame([header], columns=frame.columns, dtype=object).loc[:, list(map(bool, header))]
    of_words = [name for name in named if types[name].kind in ("category", "text", "empty")]
    others = named.drop(columns=of_words)
    are_values = all(is_missing(values[0]) or types[name].parse(values).notna()[0] for name, values in others.items())
    occur = [named[name][0] in set(frame[name]) for name in of_words]
    numbers = [float(field) for field in header if is_number(field)]
    are_names = len(numbers) < FEWEST_NUMBERS or are_in_order(numbers)
    return are_values and (not are_names or sum(occur) >= (0.5 if len(others.columns) else 1) * len(occur))


def load_csv(path, target=None, encoding=None):
    """Read a CSV file as `read_table` does; a first column without a name is left out, with a warning.

    Parameters
    ----------
    path : Path
    target : str, optional
        The column that holds the label; default the last.
    encoding : str, optional
        See `read_table`.

    Returns
    -------
    dict
        data, target, feature_names, target_name, name and sha256, as `fscore.datasets.load` describes them. Labels are
        int64 if all are whole numbers, float64 if all are numbers, and otherwise text.

    Raises
    ------
    FileNotFoundError
        No such file.
    ValueError
        The file can't be read (see `read_table`); it has no target column; a feature is not a number or is infinite; a
        label is missing, or one number is written in several ways.
    """
    table = read_table(path, encoding)
    with _named(path.name):
        content = _labeled(table, target)
    for note in table.notes:
        warnings.warn(f"{path.name}: {note}", stacklevel=3)
    return {**content, "name": path.stem, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def _labeled(table, target):
    """Features and labels of a table; adds to its notes."""
    frame, notes = table.frame, table.notes
    name = frame.columns[-1] if target is None else clean(target)
    if name not in frame:
        raise ValueError(f"there is no column {target!r}; the columns are: {', '.join(frame)}.")
    y = _labels(frame[name], table.types[name])
    frame = frame.drop(columns=name)
    if "Unnamed: 0" in frame:
        notes.append("the first column has no name, so it is taken for names of the rows and left out")
        frame = frame.drop(columns="Unnamed: 0")
    if frame.empty:
        raise ValueError(f"there is no feature beside the label {name!r}; a feature is a column of numbers.")
    data = _features(frame, table.types, name)
    if missing := [f"{column} ({n})" for column, n in zip(frame, np.isnan(data).sum(axis=0), strict=True) if n]:
        notes.append(f"missing values stay NaN in {', '.join(missing)}")
    return {"data": data, "target": y, "feature_names": list(frame), "target_name": name}


def _labels(column, type):
    are_values = are_numbers(column, type)
    target_values = replace(type, missing=()).read(column) if are_values else labels(column, type)[0]
    if missing := int(target_values.isna().sum()):
        first = target_values.isna().to_numpy().argmax()
        raise ValueError(
            f"rows without a usable label in {column.name!r}: {missing}, the first is row {first + 1} below the header "
            f"({column.iloc[first]!r}); fill or remove them."
        )
    return label_array(target_values)


def _features(frame, types, target):
    data, wrong = np.empty(frame.shape), []
    for position, name in enumerate(frame):
        type = types[name] if types[name].kind in ("number", "boolean") else replace(types[name], kind="number")
        column, values = frame[name], type.parse(frame[name])
        unread = [*type.unread(column[values.isna()]), *column[np.isinf(values)]]
        wrong += [f"{name} ({text[:20]!r})" for text in unread[:1]]
        data[:, position] = values
    if wrong:
        more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        raise ValueError(
            f"these columns are not numbers, or hold infinite values: {', '.join(wrong[:_MOST_NAMED])}{more}. Encode, "
            f"replace or remove them, or name the label by target= (it is now {target!r})."
        )
    return data
