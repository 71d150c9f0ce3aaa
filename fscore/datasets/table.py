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
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd

from fscore._extras import extra

from .column_type import ColumnType
from .columns import label_array, labels
from .detection import column_types, decimal_mark
from .quantities import FEET, is_number
from .texts import clean, column_names, is_missing

__all__ = ["Table", "load_csv", "read_table"]

_NOT_TABLES = {
    rb"PK\x03\x04": "an Excel workbook or a zip archive",
    rb"\x1f\x8b": "a gzip file",
    rb"%PDF": "a PDF",
    rb"(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml)": "a web page or XML",
}
_LATIN = {  # of Western and Central Europe and Turkey: letters beyond ASCII in their languages
    "cp1252": "äöüß àâæçéèêëîïôœùûüÿ áéíñóúü ãáàâçéêíõóôú àèéìíîòóùú åäöéü æøåéö ëïéèöüáó",
    "cp1250": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű čćđšž ăâîşţ",
    "cp1254": "çğıöşüâî",
}
_LATIN["iso8859_2"] = _LATIN["cp1250"]
_OTHER_SCRIPTS = ["cp1251", "koi8_r", "cp1253", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
_SEPARATORS = ",;\t|"
_ENGLISH = 0.02  # share of letters beyond ASCII, below which a text is in English, with a few names and signs
_DETECTED = 1_000_000  # bytes that are used to find the encoding
_SNIFFED_ROWS = 50
_FEWEST_NAMED = 3  # rows from which a first field that the header lacks is a name of the row
_TITLES = 10  # most rows above a header
_FEWEST_BELOW = 5  # rows of one width
_MOST_NAMED = 5  # most columns listed in a message
_BEFORE = r'^[\r\n]*(?:sep=.\r?\n|"?TOA5"?,.*\r?\n)?'  # for a spreadsheet, or about a data logger
_RULE = re.compile(r"[|+ :=-]*[=-]{3}[|+ :=-]*")
_DIMENSIONS = re.compile(r"(\w+,)+\w+\\\w+ *\t")  # of Eurostat: sex,age,geo\time, and a tab
_GENERAL = re.compile(r"[a-z]?|([a-z]|col(umn)?|var(iable)?|field)[ _]?\d+", re.IGNORECASE)  # X1, or nothing
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
    text = _decoded(content, encoding, notes)
    text = _without_comments(re.sub(_BEFORE, "", text, count=1), notes)
    text = _without_titles(_without_rules(text), notes)
    separator = _separator(text)
    header, rows = _with_dimensions(*_one_header(*_rectangle(_rows(text, separator), notes), notes))
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
        f"{name!r} is read with a decimal {type.decimal!r}, unlike other columns."
        for name, type in types.items()
        if type.kind == "number" and type.decimal != decimal and not type.unit
    ]
    notes += [_note_of_unit(frame[name], type) for name, type in types.items() if type.unit not in ("", "%")]
    return Table(frame, types, notes)


def _note_of_unit(column, type):
    others = type.unread(column)
    remark = f"; {len(others)} others count as missing, such as {others.mode()[0]!r}" if len(others) else ""
    if type.unit == FEET:
        return f"Lengths in {column.name!r} are in feet and inches, and are read as inches{remark}."
    if type.unit == "day":
        return f"Durations in {column.name!r} are read as days{remark}."
    if type.unit.strip(":"):
        return f"{'Most n' if remark else 'N'}umbers in {column.name!r} are in {type.unit!r}{remark}."
    read = "seconds" if len(type.unit) > 1 else "minutes, or as seconds if it has those"
    return f"Times in {column.name!r} are read as {read}{remark}."


# bytes to text ----------------------------------------------------------------------------------------------------


def _decoded(content, encoding, notes):
    for start, kind in _NOT_TABLES.items():
        if re.match(start, content, re.IGNORECASE):
            raise ValueError(f"this is {kind}, not a table; save the table as 'CSV UTF-8'.")
    requested, encoding = encoding, encoding or _encoding(content)
    try:
        text = content.decode(codecs.lookup(encoding).name).removeprefix("\ufeff")
    except LookupError:
        raise ValueError(
            f"encoding={requested!r} is unknown; name one such as 'utf-8', 'cp1251' or 'shift_jis'."
        ) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"this is incomplete or damaged {encoding} text (line {line}); name another encoding, or save the table "
            "again, as 'CSV UTF-8'."
        ) from None
    if not (requested or encoding.startswith("utf")):
        notes.append(
            f"The file is not UTF-8, and is read as {encoding}. If letters look wrong, name its encoding (--encoding)."
        )
    if "\0" in text:
        raise ValueError("null characters, so this is not a text file; save the table as 'CSV UTF-8'.")
    return text


def _encoding(content):
    """UTF-16 by its byte order mark, else UTF-8, else the most plausible national encoding."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return _national(content[:_DETECTED])
    return "utf-8"


def _national(content):
    """A national encoding. Latin letters beyond ASCII stand alone or in pairs, those of other scripts in runs."""
    runs = re.findall(rb"[\x80-\xff]+", content)
    in_english = sum(map(len, runs)) < _ENGLISH * len(re.findall(rb"[A-Za-z]", content))
    different = set(runs)
    if sum(len(run) > 2 for run in different) >= len(different) / 4 and not in_english:
        with extra("report", "A text file that is not UTF-8"):
            from charset_normalizer import from_bytes

        words = b" ".join(re.findall(rb"[A-Za-z\x80-\xff]+", content))
        best = from_bytes(content, cp_isolation=_OTHER_SCRIPTS).best()
        best = best or from_bytes(words, cp_isolation=_OTHER_SCRIPTS).best()
        if best:
            return best.encoding
    if _oddities(content, "mac_roman") < _oddities(content, "cp1252"):
        return "mac_roman"
    return max(_LATIN, key=lambda encoding: _n_letters(content, encoding))  # the Western one where several fit


def _n_letters(content, encoding):
    """How many different letters of one language, beyond ASCII, the words of four letters or more have."""
    words = re.findall(r"[^\W\d_]{4,}", content.decode(encoding, "replace"))
    letters = {letter for word in words for letter in word.lower() if not letter.isascii()}
    return max(len(letters & set(alphabet)) for alphabet in _LATIN[encoding].split())


def _oddities(content, encoding):
    """How often a capital letter or a rare sign follows a small letter, as in "donÕt" for "don’t"."""
    text = content.decode(encoding, "replace")
    return len(re.findall("(?<=[a-z])[^\0-\x7f\xa0a-zß-öø-ÿœšž‘’”–—…®™°]", text))


# text to rows -----------------------------------------------------------------------------------------------------


def _without_comments(text, notes):
    """The text without lines above the header that begin with "#".

    The last of them is the header if it has more than one field, and as many as the next line, which has numbers.
    """
    lines = io.StringIO(text, newline="").readlines()
    n = next((number for number, line in enumerate(lines) if not line.startswith("#") and line.strip()), 0)
    comments = [number for number in range(n) if lines[number].startswith("#")]
    if not comments:
        return text
    separator = _separator("".join(lines[n:]))
    (_, last), *following = _first_rows("".join(lines[comments[-1] :]), separator, 2)
    if following and 1 < len(last) == len(following[0][1]) and any(map(is_number, following[0][1])):
        n = comments[-1]
    if n:
        notes.append(f"Lines above the header were left out: {n}.")
    return "".join(lines[n:])


def _without_rules(text):
    """The text of a table that is drawn with bars, without the rules between its lines and the bars around them."""
    lines = [line.strip() for line in io.StringIO(text, newline="")]
    first = next((number for number, line in enumerate(lines[:_TITLES]) if _RULE.fullmatch(line)), None)
    if first is None or "|" not in "".join(lines[first + 1 : first + 2]):
        return text
    return "\n".join(line.removeprefix("|").removesuffix("|") for line in lines if not _RULE.fullmatch(line))


def _without_titles(text, notes):
    """The text from its header on, without the lines of a title above.

    The header is the first line no field of which begins as a number does, while the next line has as many fields, at
    least one of them a number; a line of units with empty fields may stand between. Lines above it are a title if they
    have one field, the others being empty, or less than half as many as others, or a comment if they start with
    "#". Or they are lines of one width, such as names and values of settings, above a narrower table.
    """
    for separator in _SEPARATORS:
        rows = _first_rows(text, separator, _TITLES + 3)
        if n_above := _n_wider(rows):
            return _from_line(rows[n_above][0], text, notes)
        width = max((len(row) for _, row in rows), default=0)
        following = zip(rows, rows[1:], rows[2:], [*rows[3:], (0, [])], strict=False)
        for (_, above), (line, header), (_, row), (_, after) in following:
            if any(above[1:]) and not above[0].startswith("#") and 2 * sum(map(bool, above)) >= width:
                break
            if "" in row and not any(map(_DIGIT.match, row)):  # units
                row = after
            n_names = sum(map(bool, header))
            if len(header) == len(row) and n_names > 1 and 2 * len(header) >= width and _is_above(header, row):
                return _from_line(line, text, notes)
    return text


def _from_line(line, text, notes):
    notes.append(f"Lines above the header were left out: {line - 1}.")
    return "".join([*io.StringIO(text, newline="")][line - 1 :])


def _is_above(header, row):
    """Whether no field of a header begins as a number does, while one of the row below does."""
    return not any(map(_DIGIT.match, header)) and any(map(_DIGIT.match, row))


def _n_wider(rows):
    """How many lines, at least two, have one width and stand above a header and rows of another, smaller one."""
    widths = [len(row) for _, row in rows]
    n = next((number for number, width in enumerate(widths) if width != widths[0]), 0)
    if n < 2 or len(rows) - n < _FEWEST_BELOW or set(widths[n:]) != {widths[-1]} or not 1 < widths[-1] < widths[0]:
        return 0
    (_, header), (_, row) = rows[n : n + 2]
    return n if _is_above(header, row) else 0


def _separator(text):
    """The separator that cuts the first rows into the same number of fields as the header, and into the most.

    Rows may have one field more, the name of the row.
    """

    def quality(separator):
        first, *widths = [len(row) for _, row in _first_rows(text, separator, _SNIFFED_ROWS)] or [0]
        fits = 1 + max(widths.count(first), widths.count(first + 1))
        return (fits / (1 + len(widths)) if first > 1 else 0, first)

    if _DIMENSIONS.match(text):
        return "\t"
    best = max(_SEPARATORS, key=quality)
    return best if quality(best)[1] > 1 or quality(" ")[0] < 1 else " "


def _first_rows(text, separator, n):
    """The first of `_rows`; an empty one in place of one that can't be split."""
    rows = []
    try:
        rows.extend(islice(_rows(text, separator), n))
    except ValueError:
        rows.append((0, []))
    return rows


def _rows(text, separator):
    """Yield the first line and the fields of each row that is not empty, without blanks around them."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    line = 1
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if any(fields):
                yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(
            f"line {line} can't be split into fields ({error}); close every quotation mark, and write one inside a "
            'quoted field twice: "say ""yes"""'
        ) from None


def _rectangle(lines, notes):
    """Header and rows of one width.

    Short rows are filled, and empty fields beyond the header are cut off. Where every row has one field more than the
    header, and the first ones differ, these are names of rows, as R writes them. Rows that repeat the header, as in
    joined files, notes below the table, which have one field, and a narrower table there are left out.
    """
    (_, header), *lines = [*lines] or [(1, [])]
    n_below = next((n for n, (_, row) in enumerate(reversed(lines)) if not _is_footnote(row, len(header))), 0)
    n_below = n_below or _n_of_another_table(lines, len(header))
    lines = lines[: len(lines) - n_below]
    table = [(line, row) for line, row in lines if row != header]
    for what, n in ("below the table", n_below), ("that repeat the header", len(lines) - len(table)):
        if n and table:
            notes.append(f"Lines {what} were left out: {n}.")
    lines = table or lines
    width = max((number for _, row in lines for number, field in enumerate(row, 1) if field), default=0)
    while header and not header[-1] and len(header) > width:
        header.pop()
    names = {row[0] for _, row in lines}
    differ = len(names) == len(lines) >= _FEWEST_NAMED
    if len(header) > 1 and differ and all(len(row) == len(header) + 1 for _, row in lines) and width > len(header):
        notes.append("The first field of each row has no name; it is taken for a name of the row and left out.")
        lines = [(line, row[1:]) for line, row in lines]
    width, rows, n_short = len(header), [], 0
    for line, row in lines:
        if any(row[width:]):
            raise ValueError(
                f"line {line} has {len(row)} fields, but the first line has {width}; name every column in the first "
                "line, also one that only numbers the rows, remove titles above it, and quote texts that hold the "
                "separator."
            )
        n_short += len(row) < width
        rows.append((row + [""] * width)[:width])
    if not rows:
        raise ValueError("the file is empty: there is no data below a header line.")
    if n_short:
        notes.append(f"Rows shorter than the header: {n_short}; their missing fields count as missing values.")
    return header, rows


def _n_of_another_table(lines, width):
    """Last rows, below an empty line, that are all shorter than the header, while those above are as long."""
    n = next((number for number, (_, row) in enumerate(lines) if len(row) != width), 0)
    if n == 0 or max(len(row) for _, row in lines[n:]) >= width:
        return 0
    (before, row), (line, _) = lines[n - 1 : n + 1]
    return len(lines) - n if line - before - "".join(row).count("\n") > 1 else 0


def _is_footnote(row, width):
    """Whether a row of more than two columns has a phrase in the first one, and nothing else."""
    return width > 2 and not any(row[1:]) and " " in row[0] and not _DIGIT.match(row[0])


def _one_header(header, rows, notes):
    """Header and rows, where the second line may name the parts of a question, as tools for surveys write them.

    It then has a word below every empty name of the first line, no number, and below other names hardly any word that
    occurs again. Where the first name is empty, each name stands in both lines, and below X1, X2 and Y in the second.
    Where it is empty in several lines, names are joined from all of these, as offices of statistics write them.
    """
    n_above = next((n for n, row in enumerate(rows[:_TITLES], 1) if _are_import_ids(row)), 0)
    if n_above and len(rows) > n_above:
        notes.append(f"Lines of questions and identifiers below the header were left out: {n_above}.")
        return header, rows[n_above:]
    n_lines = 1 + next((n for n, row in enumerate(rows) if row[0] or any(map(is_number, row))), 0)
    if not header[0] and n_lines > 1 and all(row[0] for row in rows[n_lines - 1 : n_lines + _FEWEST_BELOW]):
        notes.append(f"Names stand in the first {n_lines} lines.")
        return _joined_names([header, *rows[: n_lines - 1]]), rows[n_lines - 1 :]
    second, below = rows[0], rows[1:]
    subtitles = [subtitle for name, subtitle in zip(header, second, strict=True) if not name]
    several = [not name or following == "" for name, following in zip(header, [*header[1:], None], strict=True)]
    named = [position for position, subtitle in enumerate(second) if subtitle and not several[position]]
    again = [position for position in named if any(row[position] == second[position] for row in below)]
    is_header = all(subtitles) and len(set(subtitles)) > 1 and not any(map(_DIGIT.match, second))
    are_new = len(below) > 1 and len(again) <= len(named) / 4
    are_names = all(second) and len(set(second)) == len(second) and are_new and _is_above(second, below[0])
    if are_names and all(map(_GENERAL.fullmatch, header)):
        notes.append("Names stand in the second line.")
        return second, below
    if not (is_header and are_new):
        return header, rows
    if not header[0]:
        notes.append("Names stand in the first two lines.")
        return [f"{above} {name}".strip() for above, name in zip(header, second, strict=True)], below
    names, question = [], ""
    for position, name in enumerate(header):
        question = name or question
        names.append(f"{question}: {second[position]}" if several[position] else name)
    notes.append("The second line names parts of the questions in the first; names come from both.")
    return names, below


def _joined_names(lines):
    """Names from several lines, each different part once; a part that spans columns is that of the empty fields too."""
    for line, below in pairwise(lines):
        for position in range(1, len(line)):
            if not line[position] and below[position] and below[position - 1]:
                line[position] = line[position - 1]
    return [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*lines, strict=True)]


def _are_import_ids(row):
    """Whether each field is what Qualtrics writes into the third line."""
    return any(row) and all(field.startswith('{"ImportId"') for field in row if field)


def _with_dimensions(header, rows):
    r"""Header and rows with a column for each part of the first, which Eurostat writes as "sex,age,geo\time"."""
    names = header[0].partition("\\")[0].split(",")
    is_joined = _DIMENSIONS.match(header[0] + "\t")
    if not is_joined or any(row[0].count(",") != len(names) - 1 for row in rows):
        return header, rows
    return [*names, *header[1:]], [[*row[0].split(","), *row[1:]] for row in rows]


def _is_data(header, frame, types):
    """Whether the first line looks like one of the rows.

    Above every column of numbers, dates or truth values it has such a value, and half of its texts occur in their
    columns.
    """
    if not header[0]:  # an unnamed column of row names
        return False
    named = pd.DataFrame([header], columns=frame.columns, dtype=object).loc[:, list(map(bool, header))]
    of_words = [name for name in named if types[name].kind in ("category", "text", "empty")]
    others = named.drop(columns=of_words)
    are_values = all(is_missing(values[0]) or types[name].parse(values).notna()[0] for name, values in others.items())
    occur = [named[name][0] in set(frame[name]) for name in of_words]
    return are_values and sum(occur) >= (0.5 if len(others.columns) else 1) * len(occur)


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
    target_values = replace(type, missing=()).read(column) if type.kind == "number" else labels(column, type)[0]
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
