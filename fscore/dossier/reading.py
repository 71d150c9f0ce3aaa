"""Reads a CSV file as it comes: bytes to a table of text, or one sentence that says why not."""

import csv
import io
import re
import unicodedata
from os import PathLike
from pathlib import Path

import pandas as pd

from fscore.datasets.records import is_number, records, refuse_binary, refuse_blank

__all__ = ["MISSING", "is_missing", "read_text"]

#: Usual spellings of a missing value, in lower case.
MISSING = frozenset(
    (
        *(
            "",
            "?",
            "na",
            "n/a",
            "n.a.",
            "#n/a",
            "#na",
            "<na>",
            "nan",
            "nat",
            "null",
            "(null)",
            "none",
            "nil",
            "missing",
        ),
        *("-", "--", "\u2013", "\u2014", ".", "..", "n.d.", "not available", "no data", "(blank)"),
        *("#value!", "#div/0!", "#ref!", "#name?", "#num!"),  # a spreadsheet's errors
    )
)

_SEPARATORS = ",;\t|"
_NUMBER_WITH_COMMA = re.compile(r"[+-]?(\d{1,3}([.\s\u00a0']\d{3})+|\d*),\d+([eE][+-]?\d+)?")
_NUMBER_WITH_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([,\s\u00a0']\d{3})+(\.\d+)?")
_POINTS_ONLY = re.compile(r"[+-]?\d{1,3}(\.\d{3})*")  # 1.234 may be a decimal number, 1.234.567 can't
_POINTS_AND_COMMA = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+")
_MARKS = {",": ("Commas", "comma", r"\."), ".": ("Points", "point", ",")}  # plural, singular, the other mark
_ONE_GROUP = {mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}[{mark}]\d{{3}}") for mark in _MARKS}  # 1,234: of both readings
_GROUPS = {
    mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}(([{mark}]\d{{3}}){{2,}}|([{mark}]\d{{3}})+{other}\d+)")
    for mark, (_, _, other) in _MARKS.items()
}
_DECIMAL = {
    mark: re.compile(rf"[+-]?(\d{{1,3}}(({other}|[\s\u00a0'])\d{{3}})+|\d*)[{mark}]\d+([eE][+-]?\d+)?")
    for mark, (_, _, other) in _MARKS.items()
}
_BELOW_1000 = re.compile(r"[+-]?\d{1,3}")
_CURRENCY = r"[$\u00a3\u00a5\u20ac]"
_WITH_UNIT = re.compile(
    rf"([+-]?)({_CURRENCY}?)\s?([+-]?[\d.,'\u00a0]*\d)(\s?(?:%|{_CURRENCY}|\u00b0[CFK]?)|\s[^\W\d][^\s\d]{{0,5}})?"
)
_GROUPED = re.compile(r"[,\s']")
_SIGNS = set(",%'$\u00a3\u00a5\u20ac\u00b0\u2212 \u00a0")
_SNIFFED_ROWS = 50
_TITLES, _TITLES_SIZE = 10, 20_000  # lines above a header, and characters in which they are looked for
_DIGIT = re.compile(r"\s*[-+]?[.,]?\d")


def read_text(path: str | PathLike[str]) -> pd.DataFrame:
    """Read a CSV file with a header line as text.

    The separator (comma, semicolon, tab, bar or blanks), the encoding (UTF-8, UTF-16, Windows or Latin-1) and the
    decimal sign are found from the content. Numbers come out with a decimal point, without thousands separators,
    percent signs, and a currency or unit that all of a column have.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    DataFrame of str
        One row per record. ``attrs["notes"]`` lists what was repaired, one sentence each; ``attrs["encoding"]`` and
        ``attrs["separator"]`` say how the file was read; ``attrs["missing"]`` has the words, in lower case, that stand
        for a missing value among numbers.

    Raises
    ------
    FileNotFoundError
        No such file.
    ValueError
        The file is empty, is not text, has no header line or no data, a row has more fields than the header, or
        quotation marks don't match.
    """
    path = _existing(path)
    text, encoding = _decoded(path.read_bytes(), path.name)
    notes = []
    lines = text.lstrip("\r\n")
    if declared := re.match(r"sep=(.)\r?\n", lines):
        separator, lines = declared.group(1), lines[declared.end() :]
    else:
        lines = _without_titles(lines, notes)
        separator = _separator(lines)
    header, rows = _rectangle(records(io.StringIO(lines, newline=""), separator, path.name), path.name, notes)
    if all(is_number(name) for name in header):
        raise ValueError(
            f"{path.name} has no header line (it starts with {separator.join(header)[:40]!r}); name the columns in a "
            "first line."
        )
    if not rows:
        raise ValueError(f"{path.name} has a header line but no data.")
    names = _names(header, notes)
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    columns = {name: _without_unit(column, name, notes) for name, column in columns.items()}
    thousands = _thousands(columns, separator, notes)
    table = pd.DataFrame(
        {name: _plain_numbers(column, separator, thousands[name]) for name, column in columns.items()}, dtype=object
    )
    unnamed = [
        name for name, given in zip(names, header, strict=True) if not given and table[name].map(is_missing).all()
    ]
    table = table.drop(columns=unnamed)
    table.attrs.update(notes=notes, encoding=encoding, separator=separator, missing=_missing_words(table))
    return table


def is_missing(value):
    """Whether a field spells a missing value."""
    return value.strip().lower() in MISSING


def _existing(path):
    path = Path(path).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; give the path of a CSV file.")
    return path


def _decoded(content, file):
    refuse_binary(content, file)
    for encoding in _encodings(content):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        refuse_blank(text, file)
        if re.match(r"\s*<(!doctype|html|\?xml)", text, re.IGNORECASE):
            raise ValueError(f"{file} is a web page or XML, not a table; download or save the table as 'CSV UTF-8'.")
        return text, encoding
    raise ValueError(f"{file} is incomplete UTF-16 text; save the table again, as 'CSV UTF-8'.")


def _encodings(content):
    """Encodings to try; Latin-1 takes any bytes, so it comes last."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    start = content[:200]
    if len(start) >= 4 and start[1::2].count(0) > 0.4 * len(start):
        return ["utf-16-le"]
    if len(start) >= 4 and start[::2].count(0) > 0.4 * len(start):
        return ["utf-16-be"]
    return ["utf-8-sig", "cp1252", "latin-1"]


def _without_titles(text, notes):
    """The text from its header on, without the lines of a title or comment above.

    The header is the first line no field of which begins as a number does, while the next line has as many fields, at
    least one of them a number. Lines above it are a title if they have no separator, and a comment if they start with
    "#".
    """
    lines = text[:_TITLES_SIZE].splitlines(keepends=True)[: _TITLES + 2]
    if any(line.count('"') % 2 for line in lines):
        return text  # a quoted text goes on in the next line
    for separator in _SEPARATORS:
        fields = [next(csv.reader([line], delimiter=separator), []) for line in lines]
        for place in range(1, len(lines) - 1):
            if not (len(fields[place - 1]) < 2 or lines[place - 1].startswith("#")):
                break
            header, row = fields[place : place + 2]
            if len(header) == len(row) > 1 and not any(map(_DIGIT.match, header)) and any(map(_DIGIT.match, row)):
                notes.append(f"Lines above the header were left out: {place}.")
                return text[sum(map(len, lines[:place])) :]
    return text


def _separator(text):
    """The separator that cuts the first rows into the same number of fields as the header, and into the most."""

    def quality(separator):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
        widths = []
        try:
            for row in reader:
                if row:
                    widths.append(len(row))
                if len(widths) > _SNIFFED_ROWS:
                    break
        except csv.Error:
            return (0, 0)
        return (widths.count(widths[0]) / len(widths) if widths[0] > 1 else 0, widths[0])

    best = max(_SEPARATORS, key=quality)
    return best if quality(best)[1] > 1 or quality(" ")[0] < 1 else " "


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
                    f"{file}, line {line} has {len(row)} fields, but the header names {width} columns; name every "
                    "column, also one that only numbers the rows, and quote texts that hold the separator."
                )
            del row[width:]
        elif len(row) < width:
            short += 1
            row += [""] * (width - len(row))
        rows.append(row)
    if short:
        notes.append(f"Rows shorter than the header: {short}; the fields they lack count as missing.")
    return header, rows


def _names(header, notes):
    """Column names that differ: repeated ones get a number, empty ones their place."""
    names, seen = [], set()
    for place, given in enumerate(header, 1):
        name = unicodedata.normalize("NFC", re.sub(r"\s+", " ", given)) or f"column {place}"
        base, number = name, 1
        while name in seen:
            number += 1
            name = f"{base} ({number})"
        if number > 1:
            notes.append(f"Several columns are called {base!r}; number {number} is now {name!r}.")
        seen.add(name)
        names.append(name)
    return names


def _thousands(columns, separator, notes):
    """The marks, comma or point, that separate thousands in each column; a note on each that isn't certain.

    A value of one reading only decides for its column. A column without one follows the decimal sign of the others, and
    then its form (808 beside 2,313).
    """
    uses = {name: {",": _use(column, ",")} for name, column in columns.items()}
    if separator != "," or any(use[","] in ("open", "perhaps groups") for use in uses.values()):
        for name, column in columns.items():
            uses[name]["."] = _use(column, ".")
    sure = {(mark, use) for marks in uses.values() for mark, use in marks.items() if use in ("groups", "decimals")}
    signs = {mark if use == "decimals" else other for mark, use in sure for other in _MARKS if other != mark}
    found = {}
    for name, marks in uses.items():
        found[name] = {mark for mark, use in marks.items() if use == "groups"}
        for mark, use in marks.items():
            if use in ("open", "perhaps groups") and (mark == "," or separator != ","):
                if mark == "." and use == "perhaps groups" and any(other[","] == "open" for other in uses.values()):
                    use = "open"
                groups, why = _likely_use(mark, use, sure, signs, separator)
                found[name] |= {mark} if groups else set()
                if why:
                    notes.append(f"{_MARKS[mark][0]} in {name!r} {why}.")
    return found


def _missing_words(table):
    """Words such as "na" that stand for a missing value among numbers."""
    found = set()
    for name in table:
        fields = set(table[name])
        words = {field.lower() for field in fields if field.isalpha() and is_missing(field)}
        present = [field for field in fields if not is_missing(field)]
        if words - found and present and all(map(is_number, present)):
            found |= words
    return sorted(found)


def _use(column, mark):
    """How the numbers of a column use a mark: for "groups" of digits, for "decimals", or None.

    Where every mark stands before three digits and after one to three, it is "perhaps groups" if the other values are
    whole numbers below 1000, else "open".
    """
    if mark not in "".join(column):
        return None
    present = [field for field in column if not is_missing(field)]
    marked = [field for field in present if mark in field]
    others = [field for field in present if mark not in field and _is_written_number(field)]
    n_open = sum(map(bool, map(_ONE_GROUP[mark].fullmatch, marked)))
    n_groups = sum(map(bool, map(_GROUPS[mark].fullmatch, marked)))
    n_decimals = sum(map(bool, map(_DECIMAL[mark].fullmatch, marked))) - n_open
    n_numbers = n_open + n_groups + n_decimals
    if not n_numbers or n_numbers + len(others) < 0.8 * len(present):
        return None
    if n_groups or n_decimals:
        return "groups" if n_groups >= n_decimals else "decimals"
    if mark == "," and any(map(_NUMBER_WITH_POINT.fullmatch, others)):
        return "groups"
    whole = all(map(_BELOW_1000.fullmatch, others)) and any(map(float, others))
    return "perhaps groups" if whole else "open"


def _is_written_number(field):
    forms = (_THOUSANDS, *_DECIMAL.values(), *_GROUPS.values())
    return is_number(field) or any(form.fullmatch(field) for form in forms)


def _likely_use(mark, use, sure, signs, separator):
    """Whether a mark of two readings separates thousands, and what to say about it."""
    other = next(other for other in _MARKS if other != mark)
    if signs == {other}:
        if mark == separator:  # English throughout
            return True, ""
        if (other, "decimals") in sure:
            return True, f"separate thousands, because the file writes decimals with a {_MARKS[other][1]}"
        return True, "separate thousands, as they do in other columns"
    if signs == {mark}:
        doubt = "are read as decimal signs, as in other columns, although they could separate thousands"
        return False, doubt if use == "perhaps groups" else ""
    if use == "perhaps groups":
        return True, "are read as thousands separators: three digits follow each, and the other numbers are whole"
    if "," in signs if mark == "." else separator == ",":
        return True, "are read as thousands separators, but could be decimal signs"
    return False, "are read as decimal signs, but could separate thousands"


def _plain_numbers(column, separator, thousands):
    """A column of numbers with a decimal point, without thousands separators; others as they are."""
    joined = "".join(column)
    if not (_SIGNS & set(joined) or thousands or any(field.count(".") > 1 for field in column)):
        return column
    present = [field for field in column if not is_missing(field)]
    if not present:
        return column
    with_comma = [field for field in present if _GROUPED.search(field)]
    if all(map(_POINTS_ONLY.fullmatch, present)) and any(field.count(".") > 1 for field in present):
        thousands = thousands | {"."}
    if not with_comma:
        grouped = "." in thousands
        return [field.replace(".", "") if grouped and _POINTS_ONLY.fullmatch(field) else field for field in column]
    others = [field for field in present if not _GROUPED.search(field)]
    if any(map(_POINTS_AND_COMMA.fullmatch, with_comma)):  # then 1.234 is a thousand and more
        others = [field.replace(".", "") if _POINTS_ONLY.fullmatch(field) else field for field in others]
    n_plain = sum(map(is_number, others))
    n_decimal = sum(map(bool, map(_NUMBER_WITH_COMMA.fullmatch, with_comma)))
    n_thousands = sum(map(bool, map(_THOUSANDS.fullmatch, with_comma)))
    are_decimal = n_decimal and n_decimal + n_plain >= 0.8 * len(present)
    if are_decimal and "," not in thousands and not any(map(_NUMBER_WITH_POINT.fullmatch, others)):
        return [_with_point(field) for field in column]
    if n_thousands and n_thousands + n_plain >= 0.8 * len(present):
        return [re.sub(r"[,\s\u00a0']", "", field) if _THOUSANDS.fullmatch(field) else field for field in column]
    if are_decimal and separator == ",":  # quoted numbers with a decimal comma
        return [_with_point(field) for field in column]
    return column


def _without_unit(column, name, notes):
    """The column without the currency, percent sign or unit that all its values have, and with plain minus signs."""
    if not _SIGNS & set("".join(column)):
        return column
    plain = [field.replace("\u2212", "-") for field in column]
    found = [_WITH_UNIT.fullmatch(field) for field in plain if not is_missing(field)]
    if not found or not all(found):
        return column
    units = {(match[2] + (match[4] or "")).strip() for match in found}
    if len(units) > 1:
        return column
    if (unit := units.pop()) and unit != "%":
        notes.append(f"All values of {name!r} end or begin with {unit!r}; they are read as numbers.")
    return [field if is_missing(field) else "".join(_WITH_UNIT.fullmatch(field).group(1, 3)) for field in plain]


def _with_point(field):
    if not (_NUMBER_WITH_COMMA.fullmatch(field) or re.fullmatch(r"[+-]?\d{1,3}([.\s\u00a0']\d{3})+", field)):
        return field
    return re.sub(r"[.\s\u00a0']", "", field).replace(",", ".")
