"""Text as a header and rows: without titles, comments and notes around the table, and with names from several lines."""

import csv
import io
import re
from bisect import bisect_right
from itertools import islice, pairwise, takewhile

from .dates import YEAR_ALONE
from .quantities import is_number
from .texts import is_missing

__all__ = ["are_in_order", "header_and_rows"]

_SEPARATORS = ",;\t|"
_SNIFFED_ROWS = 50
_FEWEST_NAMED = 3  # rows from which a first field that the header lacks is a name of the row
_TITLES = 10  # most rows above a header
_FEWEST_BELOW = 5  # rows of one width
_BEFORE = r'^[\r\n]*(?:sep=.\r?\n|"?TOA5"?,.*\r?\n)?'  # for a spreadsheet, or about a data logger
_RULE = re.compile(r"[|+ :=-]*[=-]{3}[|+ :=-]*")
_DIMENSIONS = re.compile(r"(\w+,)+\w+\\\w+ *\t")  # of Eurostat: sex,age,geo\time, and a tab
_FEWEST_BLOCKS = 3  # of merged cells
_GENERAL = re.compile(r"[a-z]?|([a-z]|col(umn)?|var(iable)?|field)[ _]?\d+", re.IGNORECASE)  # X1, or nothing
_PLAIN = re.compile(r"\d+(\.\d+)?")
_MEASURED = re.compile(r"([-+]?\d*[.,]?\d+([eE][-+]?\d+)?)?")
_MOST_UNITS = 3  # lines up to the first numbers
_DIGIT = re.compile(r"\s*[-+]?[.,]?\d")
_IMPORT_ID = re.compile(r'\{"ImportId"')  # in the third line that Qualtrics writes


def header_and_rows(text, notes):
    """The header, the rows and the separator of a table; adds to the notes what was left out or repaired."""
    text = _without_comments(re.sub(_BEFORE, "", text, count=1), notes)
    text = _without_titles(_without_rules(text), notes)
    separator = _separator(text)
    header, rows = _with_dimensions(*_one_header(*_rectangle(_rows(text, separator), notes), notes))
    return header, _filled_down(header, rows, notes), separator


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
    least one of them a number; lines of units, or without any number, may stand between. Some names may begin with a
    number, as those of wavelengths and years, if all differ. Lines above it are a title if they have one field, the
    others being empty, or less than half as many as others, or a comment if they start with "#". Or they are lines of
    one width, such as names and values of settings, above a narrower table. The separator that makes the most fields of
    the header tells.
    """
    headers = [header for separator in _SEPARATORS if (header := _line_of_header(text, separator))]
    if not headers:
        return text
    line, _ = max(headers, key=lambda header: (header[1], -header[0]))
    return _from_line(line, text, notes)


def _line_of_header(text, separator):
    """The line of the header and its number of fields, if this separates fields; None if no line looks like one."""
    rows = _first_rows(text, separator, _TITLES + 3)
    if n_above := _n_wider(rows):
        return rows[n_above][0], len(rows[n_above][1])
    width = max((len(row) for _, row in rows), default=0)
    for number, ((_, above), (line, header)) in enumerate(pairwise(rows)):
        if _are_merged(above, header):
            first = next((n for n in range(number) if len(rows[n][1]) == width and not rows[n][1][0]), number)
            return rows[first][0], width
        if any(above[1:]) and not above[0].startswith("#") and 2 * sum(map(bool, above)) >= width:
            return (rows[0][0], len(above)) if len(above) == len(header) else None
        row = _first_with_a_number(header, [row for _, row in rows[number + 2 :]])
        is_wide = len(header) == len(row) and sum(map(bool, header)) > 1 and 2 * len(header) >= width
        if is_wide and (_is_above(header, row) or _are_names(header, row)):
            return line, len(header)
    return None


def _first_with_a_number(header, rows):
    """The first row with a number, if only units, and rows with empty fields, stand between it and the header."""
    n = next((n for n, row in enumerate(rows) if any(map(_DIGIT.match, row))), len(rows))
    below = [*takewhile(lambda row: len(row) == len(header), rows)]
    are_units = len(below) > _FEWEST_BELOW and _n_units(below) == n
    are_named = all(name or not field for row in rows[:n] for name, field in zip(header, row, strict=False))
    return rows[n] if n < len(rows) and are_named and (are_units or all("" in row for row in rows[:n])) else []


def _from_line(line, text, notes):
    if line == 1:
        return text
    notes.append(f"Lines above the header were left out: {line - 1}.")
    return "".join([*io.StringIO(text, newline="")][line - 1 :])


def _is_above(header, row):
    """Whether no field of a header begins as a number does, while one of the row below does."""
    return not any(map(_DIGIT.match, header)) and any(map(_DIGIT.match, row))


def _are_names(header, row):
    """Whether the fields of a header differ, and one that doesn't begin as a number does stands above one that does.

    Those that are numbers, three or more, ascend or descend; where all of these are years, they may stand above all
    numbers. The last fields may be empty.
    """
    names = header[: max(n for n, name in enumerate(header, 1) if name)]
    numbers = [name for name in names if _PLAIN.fullmatch(name)]
    is_name = any(not _DIGIT.match(name) and _DIGIT.match(value) for name, value in zip(names, row, strict=False))
    are_years = bool(numbers) and all(re.fullmatch(YEAR_ALONE, name) for name in numbers)
    in_order = not numbers or (len(numbers) > 2 and are_in_order([*map(float, numbers)]))
    return all(names) and len(set(names)) == len(names) and (is_name or are_years) and in_order


def are_in_order(numbers):
    """Whether numbers ascend or descend, as names such as years and wavelengths do."""
    return sorted(numbers) in (numbers, numbers[::-1])


def _are_merged(above, names):
    """Whether fields are merged cells, such as years: the same names, two or more, stand below several of them.

    In the first column, only one of the two lines has a field, or no name is a number.
    """
    if len(above) != len(names) or not (above[0] or names[0]):
        return False
    if above[0] and names[0] and any(map(_DIGIT.match, names)):
        return False
    starts = [position for position, field in enumerate(above) if field]
    below = [tuple(filter(None, names[start:end])) for start, end in pairwise([*starts, len(names)])]
    return any(len(group) > 1 and below.count(group) > 1 for group in below)


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
    text = text.replace("\t", " ") if separator == " " else text
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
    n_below = max(n_below, _n_of_another_table(lines, len(header)))
    lines = lines[: len(lines) - n_below]
    n_read, lines = len(lines), [(line, row) for line, row in lines if row != header]
    for what, n in ("below the table", n_below), ("that repeat the header", n_read - len(lines)):
        if n:
            notes.append(f"Lines {what} were left out: {n}.")
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
    """Whether a row of more than two columns has a phrase or a line in the first one, and nothing else."""
    is_phrase = " " in row[0] and not _DIGIT.match(row[0])
    return width > 2 and not any(row[1:]) and (is_phrase or set(row[0]) <= {"_", "-", "="})


def _one_header(header, rows, notes):
    """Header and rows, where the second line may name the parts of a question, as tools for surveys write them.

    It then has a word below every empty name of the first line, no number, and below other names hardly any word that
    occurs again. Where the first name is empty, each name stands in both lines, and below X1, X2 and Y in the second.
    Where it is empty in several lines, names are joined from all of these, as offices of statistics write them.
    """
    n_above = next((n for n, row in enumerate(rows[:_TITLES], 1) if any(map(_IMPORT_ID.match, row))), 0)
    if n_above and len(rows) > n_above:
        notes.append(f"Lines of questions and identifiers below the header were left out: {n_above}.")
        return header, rows[n_above:]
    if n_more := _n_more_names(header, rows):
        notes.append(f"Names stand in the first {n_more + 1} lines.")
        return _joined_names([header, *rows[:n_more]]), rows[n_more:]
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
        n_units = _n_units(rows)
        if n_units:
            line = ", ".join(rows[0])[:40]
            notes.append(f"Lines of units or types below the header were left out: {n_units}, such as {line!r}.")
        return header, rows[n_units:]
    if not header[0]:
        notes.append("Names stand in the first two lines.")
        return [f"{above} {name}".strip() for above, name in zip(header, second, strict=True)], below
    names, question = [], ""
    for position, name in enumerate(header):
        question = name or question
        names.append(f"{question}: {second[position]}" if several[position] else name)
    notes.append("The second line names parts of the questions in the first; names come from both.")
    return names, below


def _n_units(rows):
    """How many first lines hold units or types: no number, but words above two columns of numbers."""
    if len(rows) > 1 and all(re.fullmatch("-+", field) for field in rows[0]):
        return 1
    n, n_measured = next((n for n, row in enumerate(rows[:_MOST_UNITS]) if any(map(_DIGIT.match, row))), 0), 0
    for above, column in zip(zip(*rows[:n], strict=True), zip(*rows[n:], strict=True), strict=True) if n else ():
        units = {field for field in above if not is_missing(field)}
        if not units.isdisjoint(column):
            return 0
        is_measured = any(column) and all(_MEASURED.fullmatch(field) or is_missing(field) for field in column)
        n_measured += bool(units) and is_measured
    return n if n_measured > 1 else 0


def _n_more_names(header, rows):
    """How many lines below the first one have names, too: those below merged cells, or without a first field."""
    lines = [header, *rows[:_TITLES]]
    n_merged = next((n for n, pair in enumerate(pairwise(lines), 1) if _are_merged(*pair)), 0)
    if n_merged and not any(line[0] for line in lines[: n_merged - 1]):
        return n_merged
    n_empty = next((n for n, row in enumerate(rows) if row[0] or any(map(is_number, row))), 0)
    return 0 if header[0] or not all(row[0] for row in rows[n_empty : n_empty + 1 + _FEWEST_BELOW]) else n_empty


def _joined_names(lines):
    """Names from several lines, each different part once; a part that spans columns is that of the empty fields too."""
    for below, line in pairwise(reversed(lines)):
        for position in range(1, len(line)):
            if not line[position] and below[position] and below[position - 1]:
                line[position] = line[position - 1]
    return [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*lines, strict=True)]


def _with_dimensions(header, rows):
    r"""Header and rows with a column for each part of the first, which Eurostat writes as "sex,age,geo\time"."""
    names = header[0].partition("\\")[0].split(",")
    is_joined = _DIMENSIONS.match(header[0] + "\t")
    if not is_joined or any(row[0].count(",") != len(names) - 1 for row in rows):
        return header, rows
    return [*names, *header[1:]], [[*row[0].split(","), *row[1:]] for row in rows]


def _filled_down(header, rows, notes):
    """Rows with the values of merged cells in the first columns, which a spreadsheet writes into the first row only."""
    n_merged, starts = 0, []
    while n_merged < len(header) and _is_merged(column := [row[n_merged] for row in rows], starts):
        n_merged += 1
        starts = sorted({*starts, *(position for position, value in enumerate(column) if value)})
    if n_merged == 0:
        return rows
    for above, row in pairwise(rows):
        first = next((position for position, value in enumerate(row[:n_merged]) if value), n_merged)
        row[:first] = above[:first]
    notes.append(f"Empty fields below a value hold it, as in merged cells: {', '.join(map(repr, header[:n_merged]))}.")
    return rows


def _is_merged(column, outer):
    """Whether the fields of a column are empty in most rows, and the others begin blocks of rows.

    ``outer`` says where the blocks of the columns before begin. This one has a value where one of several rows does;
    those of one row may be totals. If it has others, too, its blocks are of about one size, or have names that differ
    within each outer block; and numbers with decimals are measured.
    """
    own = [position for position, value in enumerate(column) if value]
    if not column[0] or 2 * len(own) > len(column) or len(own) < _FEWEST_BLOCKS:
        return False
    of_outer = {start for start, end in pairwise([*outer, len(column)]) if end - start > 1}
    if not of_outer <= {*own}:
        return False
    if outer and {*own} <= {*outer}:
        return True
    numbers = [column[position] for position in own if is_number(column[position])]
    sizes = [end - start for start, end in pairwise([*sorted({*own, *outer}), len(column)])]
    alike = min(sizes) >= max(2, sorted(sizes)[len(sizes) // 2] / 2)
    names = {(bisect_right(outer, position), column[position]) for position in own}
    return all(map(str.isdigit, numbers)) and (alike or (len(names) == len(own) and not numbers))
