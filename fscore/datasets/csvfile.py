"""Reads a CSV file of the user's own; says in one sentence what is wrong with it."""

import csv
import hashlib
import io
import re
import shlex
import warnings
from array import array

import numpy as np
from sklearn.utils import Bunch

__all__ = ["load_csv"]

_SEPARATORS = ",;\t"
_MISSING = {"", "?", "NA", "N/A", "NaN", "nan", "null"}
_BOOLEANS = {"True": 1.0, "TRUE": 1.0, "true": 1.0, "False": 0.0, "FALSE": 0.0, "false": 0.0}
_NOT_TEXT = {b"PK\x03\x04": "an Excel workbook or a zip archive", b"\x1f\x8b": "a gzip file", b"%PDF": "a PDF"}
_MOST_NAMED = 5  # columns that a message lists


def load_csv(path, target=None):
    """Read a CSV file with a header line: every column but `target` is a numeric feature.

    Fields are separated by comma, semicolon or tab, whichever splits the header line into the most fields. Empty rows
    and empty fields at the end of a row are ignored; a first column without a name that only counts the rows is left
    out, with a warning.

    Parameters
    ----------
    path : Path
    target : str, optional
        The column that holds the label; default the last.

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
        The file is empty or is not text in UTF-8 or UTF-16; it has no header line, columns without a name or with the
        same name, or no target column; a row has more or fewer fields than the header; a feature is not a number or
        is infinite; a label is missing, or one number is written in several ways.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}: give the path of a CSV file, or a name of available().")
    content = path.read_bytes()
    encoding = _encoding(content, path.name)
    separator, header = _header(content, encoding, path.name)
    place = _target_place(header, target, path.name)
    target = header[place]
    names = header[:place] + header[place + 1 :]
    data, label_texts = _columns(_records(content, encoding, separator, path.name), header, place, path.name)
    if target in label_texts and all(map(_is_number, names)):
        raise _no_header(path.name, separator.join(header))
    data, names = _without_row_numbers(data, names, path.name)
    missing = np.isnan(data).sum(axis=0)
    note = ", ".join(f"{names[k]} ({missing[k]})" for k in np.flatnonzero(missing))
    if note:
        warnings.warn(f"{path.name}: missing values stay NaN in {note}", stacklevel=3)
    y = _labels(label_texts, target, path.name)
    return Bunch(
        data=data,
        target=y,
        feature_names=names,
        target_names=[str(label) for label in np.unique(y)],
        target_name=target,
        split=None,
        groups=None,
        relevant=None,
        name=path.stem,
        source="csv",
        sha256=hashlib.sha256(content).hexdigest(),
        DESCR=f"{path.name}: {data.shape[0]} samples, {data.shape[1]} features, label in {target!r}."
        + (f"\nMissing values, kept as NaN: {note}." if note else ""),
    )


def _encoding(content, file):
    """UTF-8, or UTF-16 with a byte order mark; refuses anything else."""
    for start, kind in _NOT_TEXT.items():
        if content.startswith(start):
            raise ValueError(f"{file} is {kind}, not a text file; save the table as 'CSV UTF-8'.")
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding == "utf-16":
            raise ValueError(f"{file} is incomplete UTF-16 text; save the table again, as 'CSV UTF-8'.") from None
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{file} is not UTF-8 text (line {line} holds the byte 0x{content[error.start]:02x}; older spreadsheets "
            f"write Latin-1): save it as 'CSV UTF-8', or run: iconv -f latin1 -t utf-8 {shlex.quote(file)} > utf8.csv"
        ) from None
    if "\0" in text:
        raise ValueError(f"{file} holds null characters, so it is not a text file; save the table as 'CSV UTF-8'.")
    if not text.strip():
        raise ValueError(f"{file} is empty; its first line must name the columns.")
    return encoding


def _records(content, encoding, separator, file):
    """Yield line number and fields, without blanks around them: the first line, then each row that is not empty."""
    stream = io.TextIOWrapper(io.BytesIO(content), encoding)
    reader = csv.reader(stream, delimiter=separator, skipinitialspace=True, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(
                f"{file}, line {line}: quotation marks don't match ({error}); a field is quoted as a whole, and a "
                'quotation mark inside it is written twice: "say ""yes"""'
            ) from None
        row = [field.strip() for field in row]
        if any(row) or line == 1:
            yield line, row


def _header(content, encoding, file):
    """Separator and column names."""
    headers = {}
    for separator in _SEPARATORS:
        try:
            headers[separator] = next(_records(content, encoding, separator, file))[1]
        except ValueError as error:
            problem = error
    if not headers:
        raise problem
    separator = max(headers, key=lambda separator: len(headers[separator]))
    header = headers[separator]
    while header and not header[-1]:  # a separator at the end of the line
        header.pop()
    if not header:
        raise ValueError(f"{file} starts with an empty line; its first line must name the columns.")
    if all(_is_number(name) for name in header):
        raise _no_header(file, separator.join(header))
    if nameless := [str(k) for k, name in enumerate(header, 1) if k > 1 and not name]:
        raise ValueError(
            f"{file}: column {', '.join(nameless)} has no name; name it in the header line, or remove the column."
        )
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise ValueError(f"{file} has several columns called {', '.join(twice)}; column names must differ.")
    if len(header) == 1:
        raise ValueError(
            f"{file} has only one column, {header[0]!r}, but needs features and a label, separated by comma, "
            "semicolon or tab."
        )
    return separator, header


def _no_header(file, line):
    return ValueError(f"{file} has no header line (it starts with {line[:40]!r}): name the columns in a first line.")


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _target_place(header, target, file):
    if target is None:
        return len(header) - 1
    if not target or target not in header:
        names = ", ".join(name for name in header if name)
        raise ValueError(f"{file} has no column {target!r}; its columns are: {names}.")
    return header.index(target)


def _columns(rows, header, place, file):
    """Features as floats, with missing values as NaN, and labels as text."""
    next(rows)  # the header
    width, values, labels = len(header), array("d"), []
    not_numbers, infinite, unlabelled = {}, {}, []
    for line, row in rows:
        if len(row) != width:
            _check_width(row, width, line, file)
            del row[width:]
        labels.append(row.pop(place))
        if _is_missing(labels[-1]):
            unlabelled.append(line)
        for k, field in enumerate(row):
            value = _value(field)
            if value is None:
                not_numbers.setdefault(k, (field, line))
                value = np.nan
            elif value in (np.inf, -np.inf):
                infinite.setdefault(k, (field, line))
            values.append(value)
    names = header[:place] + header[place + 1 :]
    if not labels:
        raise ValueError(f"{file} has a header line but no data.")
    if not_numbers:
        raise _not_numbers(not_numbers, names, header[place], file)
    if infinite:
        raise ValueError(
            f"{file}: these columns hold infinite values: {_places(infinite, names)}. Write a number, or leave the "
            "field empty if it is missing."
        )
    if unlabelled:
        raise ValueError(
            f"{file}: {len(unlabelled)} rows have no label in {header[place]!r} (the first is line {unlabelled[0]}); "
            "fill or remove them."
        )
    return np.frombuffer(values).reshape(len(labels), width - 1), labels


def _check_width(row, width, line, file):
    """Refuse a row that doesn't match the header; empty fields beyond its width do no harm."""
    if len(row) < width:
        raise ValueError(
            f"{file}, line {line} has {len(row)} fields, but the header names {width} columns; leave a field empty "
            "where a value is missing."
        )
    if any(row[width:]):
        raise ValueError(
            f"{file}, line {line} has {len(row)} fields, but the header names {width} columns; name every column, also "
            "one that only numbers the rows, and quote texts that hold the separator."
        )


def _value(field):
    """The number that a field holds, NaN if it is missing, None if it is something else."""
    try:
        return float(field) if "_" not in field else None  # to Python, 1_2 is 12
    except ValueError:
        return np.nan if field in _MISSING else _BOOLEANS.get(field)


def _is_missing(field):
    value = _value(field)
    return value is not None and np.isnan(value)


def _not_numbers(found, names, target, file):
    said = f"{file}: these columns are not numbers: {_places(found, names)}."
    if all(re.fullmatch(r"[+-]?[\d.]*,\d+", field) for field, _ in found.values()):
        return ValueError(
            f"{said} Numbers need a decimal point and no thousands separator; "
            f"pandas.read_csv(..., decimal=',') followed by to_csv(..., index=False) converts decimal commas."
        )
    return ValueError(f"{said} Encode or remove them, or name the label by target= (it is now {target!r}).")


def _places(found, names):
    """Column names, each with its first offending field."""
    listed = [f"{names[k] or 'the first'} ({field[:20]!r} in line {line})" for k, (field, line) in found.items()]
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _without_row_numbers(data, names, file):
    if names[0]:
        return data, names
    numbers = data[:, 0]
    if not any(np.array_equal(numbers, np.arange(start, start + len(data))) for start in (0, 1)):
        raise ValueError(
            f"{file}: the first column has no name; name it in the header line if it is a feature, remove it if it "
            "only names the rows (pandas: to_csv(..., index=False))."
        )
    if len(names) == 1:
        raise ValueError(f"{file} has no feature: its first column only numbers the rows, the other is the label.")
    warnings.warn(f"{file}: the first column has no name and only numbers the rows, so it is left out", stacklevel=4)
    return np.ascontiguousarray(data[:, 1:]), names[1:]


def _labels(texts, target, file):
    """Whole numbers as int64, other numbers as float64, anything else as text."""
    values = [_value(text) for text in texts]
    if None in values:
        return np.array(texts)
    y = np.array(values)
    if np.isinf(y).any():
        raise ValueError(f"{file}: the label {target!r} holds infinite values; write a number, or remove those rows.")
    if (y != np.round(y)).any():
        return y
    written = {}
    for text in set(texts):
        number = int(text) if re.fullmatch(r"[+-]?\d+", text) else int(_value(text))
        if number in written:
            one, other = sorted([text, written[number]])
            raise ValueError(
                f"{file}: the labels {one!r} and {other!r} in {target!r} are the same number; write them alike, or as "
                "texts (such as 'c01') if they are different classes."
            )
        written[number] = text
    if max(map(abs, written)) >= 2**63:
        return np.array(texts)
    numbers = {text: number for number, text in written.items()}
    return np.array([numbers[text] for text in texts], dtype=np.int64)
