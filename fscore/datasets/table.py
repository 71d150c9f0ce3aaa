"""Reads a user's table: finds its encoding, separator, header and the type of each column.

As a data set, every column but the target is a numeric feature.
"""

import codecs
import csv
import hashlib
import io
import os
import re
import warnings
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from fscore._extras import extra

from .columns import (
    ColumnType,
    clean,
    column_names,
    column_types,
    decimal_mark,
    is_missing,
    is_number,
    label_array,
    labels,
)

__all__ = ["Table", "load_csv", "read_table"]

_NOT_TEXT = {b"PK\x03\x04": "an Excel workbook or a zip archive", b"\x1f\x8b": "a gzip file", b"%PDF": "a PDF"}
_LATIN = ["cp1252", "cp1250", "cp1254"]  # Western and Central Europe, Turkish
_OTHER_SCRIPTS = ["cp1251", "koi8_r", "cp1253", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
_SEPARATORS = ",;\t|"
_DETECTED = 1_000_000  # bytes that are used to find the encoding
_SNIFFED_ROWS = 50
_TITLES, _TITLES_SIZE = 10, 20_000  # most lines above a header, and characters that are searched
_DIGIT = re.compile(r"\s*[-+]?[.,]?\d")


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
    file, notes = path.name, []
    text = _decoded(path.read_bytes(), encoding, file, notes).lstrip("\r\n")
    if declared := re.match(r"sep=(.)\r?\n", text):
        separator, text = declared.group(1), text[declared.end() :]
    else:
        text = _without_titles(text, notes)
        separator = _separator(text)
    header, rows = _rectangle(_records(io.StringIO(text, newline=""), separator, file), file, notes)
    if not rows:
        raise ValueError(f"{file} has a header line but no data.")
    names = column_names(header)
    if renamed := [name for name, given in zip(names, header, strict=True) if given and name != clean(given)]:
        notes.append(f"Several columns have the same name; they are now called {', '.join(map(repr, renamed))}.")
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    decimal, doubtful = decimal_mark(frame, separator)
    types = column_types(frame, decimal)
    if _is_data(header, frame, types):
        raise ValueError(
            f"{file} has no header line (it starts with {separator.join(header)[:40]!r}); name the columns in a first "
            "line."
        )
    if doubtful:
        named = ", ".join(f"{name!r} ({value!r})" for name, value in doubtful[:3])
        notes.append(f"Numbers are read with a decimal {decimal!r}, but could be read with the other mark: {named}.")
    elif decimal == ",":
        notes.append("Numbers are read with a decimal comma.")
    notes += [_note_of_unit(name, type.unit) for name, type in types.items() if type.unit not in ("", "%")]
    empty = [name for name, given in zip(names, header, strict=True) if not given and types[name].kind == "empty"]
    types = {name: type for name, type in types.items() if name not in empty}
    return Table(frame.drop(columns=empty), types, notes)


def _note_of_unit(name, unit):
    if unit.strip(":"):
        return f"Numbers in {name!r} are in {unit!r}."
    return f"Times in {name!r} are read as {'seconds' if unit == '::' else 'minutes, or as seconds if it has those'}."


# bytes to text ----------------------------------------------------------------------------------------------------


def _decoded(content, encoding, file, notes):
    for start, kind in _NOT_TEXT.items():
        if content.startswith(start):
            raise ValueError(f"{file} is {kind}, not a text file; save the table as 'CSV UTF-8'.")
    given, encoding = encoding, encoding or _encoding(content)
    try:
        text = content.decode(codecs.lookup(encoding).name).removeprefix("\ufeff")
    except LookupError:
        raise ValueError(f"encoding={given!r} is unknown; name one such as 'utf-8', 'cp1251' or 'shift_jis'.") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{file} is incomplete or damaged {encoding} text (line {line}); name another encoding, or save the table "
            "again, as 'CSV UTF-8'."
        ) from None
    if not (given or encoding.startswith("utf")):
        notes.append(
            f"The file is not UTF-8, and is read as {encoding}. If letters look wrong, name its encoding (--encoding)."
        )
    if "\0" in text:
        raise ValueError(f"{file} holds null characters, so it is not a text file; save the table as 'CSV UTF-8'.")
    if not text.strip():
        raise ValueError(f"{file} is empty; its first line must name the columns.")
    if re.match(r"\s*<(!doctype|html|\?xml)", text, re.IGNORECASE):
        raise ValueError(f"{file} is a web page or XML, not a table; download or save the table as 'CSV UTF-8'.")
    return text


def _encoding(content):
    """UTF-16 by its byte order mark or its many zeros, else UTF-8, else the most plausible national encoding."""
    start = content[:200]
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    for place, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(start) >= 4 and start[place::2].count(0) > 0.4 * len(start):
            return encoding
    if _is_text(content, "utf-8"):
        return "utf-8"
    return _national(content[:_DETECTED])


def _national(content):
    """A national encoding. Latin letters beyond ASCII stand alone or in pairs, those of other scripts in runs."""
    with extra("report", "A text file that is not UTF-8"):
        from charset_normalizer import from_bytes

    rows = re.findall(rb"[\x80-\xff]+", content)
    if sum(len(row) > 2 for row in rows) >= len(rows) / 4:
        words = b" ".join(re.findall(rb"[A-Za-z\x80-\xff]+", content))
        found = [from_bytes(text, cp_isolation=_OTHER_SCRIPTS).best() for text in (content, words)]
        best = found[0] or found[1]
        return best.encoding if best else "latin-1"
    found = from_bytes(content, cp_isolation=_LATIN)
    best = found.best()
    if best and not any("cp1252" in match.could_be_from_charset and match.chaos <= best.chaos for match in found):
        return best.encoding
    return "cp1252" if _is_text(content, "cp1252") else "latin-1"


def _is_text(content, encoding):
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


# text to rows -----------------------------------------------------------------------------------------------------


def _without_titles(text, notes):
    """The text from its header on, without the lines of a title or comment above.

    The header is the first line no field of which begins as a number does, while the next line has as many fields, at
    least one of them a number. Lines above it are a title if they have no separator, and a comment if they start with
    "#".
    """
    lines = text[:_TITLES_SIZE].splitlines(keepends=True)[: _TITLES + 2]
    if any(line.count('"') % 2 for line in lines):
        return text  # a quoted text continues in the next line
    for separator in _SEPARATORS:
        fields = [_fields(line, separator) for line in lines]
        for place in range(1, len(lines) - 1):
            if not (len(fields[place - 1]) < 2 or lines[place - 1].startswith("#")):
                break
            header, row = fields[place : place + 2]
            if len(header) == len(row) > 1 and not any(map(_DIGIT.match, header)) and any(map(_DIGIT.match, row)):
                notes.append(f"Lines above the header were left out: {place}.")
                return text[sum(map(len, lines[:place])) :]
    return text


def _fields(line, separator):
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return []


def _separator(text):
    """The separator that cuts the first rows into the same number of fields as the header, and into the most."""

    def quality(separator):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
        widths = []
        try:
            for row in reader:
                if row:
                    widths.append(len(row))
                if len(widths) > _SNIFFED_ROWS:
                    break
        except csv.Error:
            widths.append(0)
        return (widths.count(widths[0]) / len(widths) if widths[0] > 1 else 0, widths[0])

    best = max(_SEPARATORS, key=quality)
    return best if quality(best)[1] > 1 or quality(" ")[0] < 1 else " "


def _records(stream, separator, file):
    """Yield line number and fields, without blanks around them: the first line, then each row that is not empty."""
    reader = csv.reader(stream, delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(
                f"{file}, line {line} can't be split into fields ({error}); close every quotation mark, and write one "
                'inside a quoted field twice: "say ""yes"""'
            ) from None
        row = [field.strip() for field in row]
        if any(row) or line == 1:
            yield line, row


def _rectangle(found, file, notes):
    """Header and rows of one width; short rows are filled, empty fields beyond the header are cut off."""
    _, header = next(found)
    while header and not header[-1]:
        header.pop()
    if not header:
        raise ValueError(f"{file} starts with an empty line; its first line must name the columns.")
    width, rows, short = len(header), [], 0
    for line, row in found:
        if len(row) > width:
            if any(row[width:]):
                raise ValueError(
                    f"{file}, line {line} has {len(row)} fields, but the first line has {width}; name every column in "
                    "the first line, also one that only numbers the rows, remove titles above it, and quote texts that "
                    "hold the separator."
                )
            del row[width:]
        elif len(row) < width:
            short += 1
            row += [""] * (width - len(row))
        rows.append(row)
    if short:
        notes.append(f"Rows shorter than the header: {short}; their missing fields count as missing values.")
    return header, rows


def _is_data(header, frame, types):
    """Whether the first line looks like one of the rows.

    Above every column of numbers it has a number, and half of its texts occur in their columns.
    """
    if not header[0]:  # an unnamed column of row names
        return False
    if all(map(is_number, header)):
        return True
    named = [(given, name) for given, name in zip(header, frame, strict=True) if given]
    over_numbers = [given for given, name in named if types[name].kind == "number"]
    occur = [given in set(frame[name]) for given, name in named if types[name].kind != "number"]
    if not all(is_number(given) or is_missing(given) for given in over_numbers):
        return False
    if not occur:
        return len(set(over_numbers)) < len(over_numbers) or not all(map(str.isdigit, over_numbers))
    return sum(occur) >= (0.5 if over_numbers else 1) * len(occur)


_MOST_NAMED = 5  # most columns listed in a message


def load_csv(path, target=None, encoding=None):
    """Read a CSV file as `read_table` does; a first column of row numbers is left out, with a warning.

    Parameters
    ----------
    path : Path
    target : str, optional
        The column that holds the label; default the last.
    encoding : str, optional
        See `read_table`.

    Returns
    -------
    Bunch
        As `fscore.datasets.load` describes it. Labels are int64 if all are whole numbers, float64 if all are numbers,
        and otherwise text.

    Raises
    ------
    FileNotFoundError
        No such file.
    ValueError
        The file can't be read (see `read_table`); it has no target column; a feature is not a number or is infinite; a
        label is missing, or one number is written in several ways.
    """
    table = read_table(path, encoding)
    frame, types, file = table.frame, table.types, path.name
    for note in table.notes:
        warnings.warn(f"{file}: {note}", stacklevel=3)
    target = _target(frame, target, file)
    y = _labels(frame[target], types[target], file)
    if "Unnamed: 0" in frame:
        _refuse_unless_counting(frame["Unnamed: 0"], types["Unnamed: 0"], file)
        warnings.warn(
            f"{file}: the first column has no name and only numbers the rows, so it is left out", stacklevel=3
        )
        frame = frame.drop(columns="Unnamed: 0")
    frame = frame.drop(columns=target)
    if frame.shape[1] == 0:
        raise ValueError(f"{file} has no feature beside the label {target!r}; a feature is a column of numbers.")
    data = _features(frame, types, target, file)
    missing = np.isnan(data).sum(axis=0)
    note = ", ".join(f"{frame.columns[k]} ({missing[k]})" for k in np.flatnonzero(missing))
    if note:
        warnings.warn(f"{file}: missing values stay NaN in {note}", stacklevel=3)
    return Bunch(
        data=data,
        target=y,
        feature_names=list(frame),
        target_names=[str(label) for label in np.unique(y)],
        target_name=target,
        split=None,
        groups=None,
        relevant=None,
        name=path.stem,
        source="csv",
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        DESCR=f"{file}: {data.shape[0]} samples, {data.shape[1]} features, label in {target!r}."
        + (f"\nMissing values, kept as NaN: {note}." if note else ""),
    )


def _target(frame, target, file):
    if target is None:
        return frame.columns[-1]
    if not isinstance(target, str) or clean(target) not in frame:
        raise ValueError(f"{file} has no column {target!r}; its columns are: {', '.join(frame)}.")
    return clean(target)


def _labels(column, type, file):
    try:
        found, _ = labels(column, type)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None
    if missing := int(found.isna().sum()):
        first = found.isna().to_numpy().argmax()
        raise ValueError(
            f"{file}: rows without a usable label in {column.name!r}: {missing}, the first is row {first + 1} below "
            f"the header ({column.iloc[first]!r}); fill or remove them."
        )
    return label_array(replace(type, missing=()).read(column) if type.kind == "number" else found)


def _features(frame, types, target, file):
    data = np.empty(frame.shape)
    not_numbers, infinite = {}, {}
    for place, name in enumerate(frame):
        type = types[name] if types[name].kind in ("number", "boolean") else replace(types[name], kind="number")
        values, unread = type.parse(frame[name]), type.unread(frame[name])
        if len(unread):
            not_numbers[name] = unread.iloc[0]
        elif np.isinf(values).any():
            infinite[name] = frame[name][np.isinf(values)].iloc[0]
        data[:, place] = values
    if not_numbers:
        raise ValueError(
            f"{file}: these columns are not numbers: {_examples(not_numbers)}. Encode or remove them, or name the "
            f"label by target= (it is now {target!r})."
        )
    if infinite:
        raise ValueError(
            f"{file}: these columns hold infinite values: {_examples(infinite)}. Write a number, or leave the field "
            "empty if it is missing."
        )
    return data


def _examples(found):
    listed = [f"{name} ({text[:20]!r})" for name, text in found.items()]
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _refuse_unless_counting(column, type, file):
    numbers = replace(type, kind="number").parse(column)
    if not any(np.array_equal(numbers, np.arange(start, start + len(numbers))) for start in (0, 1)):
        raise ValueError(
            f"{file}: the first column has no name; name it in the header line if it is a feature, remove it if it "
            "only names the rows (pandas: to_csv(..., index=False))."
        )
