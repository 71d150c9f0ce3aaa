"""Display of tables on the pages: plain HTML, which ``book/_static/tables.js`` makes sortable and filterable."""

import math
import re
from itertools import groupby
from numbers import Integral, Real

import numpy as np
import pandas as pd

from compendium.markup import filled, superscript, typeset

# Columns and metrics that many tables have, in plain English; a table declares those that it alone has.
LABELS = {
    "alpha": "α",
    "ati": "ATI",
    "auc": "AUC",
    "cw": "CW",
    "cw_rel": "relative CW",
    "dataset": "data set",
    "lambda": "λ",
    "n": "repetitions",
    "n_evaluations": "evaluations",
    "n_features": "features",
    "n_samples": "samples",
    "nu": "ν",
    "p_holm": "p after Holm",
    "p_value": "p",
    "se": "standard error",
    "std": "sd",
    "tau": "τ",
}
# Columns whose texts come from the data.
VERBATIM = {"dataset", "data set", "sample", "feature", "features", "column", "columns", "name", "names"}
SIGNED = {"difference", "gain"}  # columns whose positive numbers get a plus sign
NUMBER = r"[A-Z]?\d*\.?\d+"
RANGE = rf"({NUMBER})(?:(?:-|–| to )({NUMBER}))?"
NUMBERED = re.compile(rf"Tables? ({RANGE}(?:(?:, | and |, and ){RANGE})*)")

# Text that is a number, perhaps with its spread; no mask of a subset, such as 0101.
MEASURED = re.compile(r"(?![01]{3,}$)[+−-]?\d+(\.\d+)?%?( ± \d+(\.\d+)?)?\*?")
ALONE = re.compile(r"([+−]?\d+(?:\.\d+)?)([%*]?)")  # as text that is a number alone
# The mark of a verdict or a grade and its tint; see ``tables.css``.
TINTS = {"✓": "good", "●": "good", "◐": "partly", "✗": "bad", "■": "bad"}
MISSING = "–"
SPAN = 10_000  # from here on, numbers of one column differ too much for the same number of decimals
LONG = 60  # characters from which a cell's text wraps
COLUMN = 66  # characters that the page's column has room for
MOST_DECIMALS = 6
DIGITS = 4  # significant digits of the largest number of a column


def means(table, by, columns="metric"):
    """Means over repetitions: one row per case.

    Parameters
    ----------
    table : DataFrame
        Tidy: columns ``by``, ``columns`` and value.
    by : list of str
        Columns that identify a case; a missing one counts as a value of its own.
    columns : str, default="metric"
        The column whose values become columns.

    Returns
    -------
    DataFrame
        Cases and columns in the order in which they first appear, cases grouped by the first of ``by``.
    """
    values = table.groupby([*by, columns], sort=False, dropna=False)["value"].mean()
    return values.unstack(columns).rename_axis(columns=None).reset_index()


def printed_anchors(caption):
    """Anchors of the paper's tables that a caption names first: "Tables 3, 5 to 7, ..." gives table-3, table-5 ...

    Of a range such as 7.11-7.14, every table has its anchor.
    """
    match = NUMBERED.match(caption)
    numbers = []
    for first, last in re.findall(RANGE, match[1]) if match else ():
        chapter, point, start = first.rpartition(".")
        numbers.append(first)
        if last and start.isdigit():
            numbers += [f"{chapter}{point}{n}" for n in range(int(start) + 1, int(last.rpartition(".")[2]) + 1)]
    return [f"table-{number.replace('.', '-')}" for number in numbers]  # a period would need escapes in CSS selectors


def anchors(caption):
    """Names for links to a table: the paper's numbers that its caption begins with, or else its first words."""
    words = " ".join(caption.split()[:8]).lower()
    return printed_anchors(caption) or ["table-" + re.sub(r"\W+", "-", words).strip("-")]


def html_table(frame, caption, *, taken=(), names=None, links=None):
    """HTML of a table that scrolls by itself, also by keyboard.

    Numbers of a column have the same number of decimals and are aligned; the full value is kept for sorting and for the
    download. Neighboring columns ``size, published`` and ``size, reproduced`` share the header *size*.

    Parameters
    ----------
    frame : DataFrame
        Shown without its index. All contents and headers are escaped.
    caption : str
        Gives the table its `anchors`: "Table 7.9: subsets" is found at ``table-7-9``.
    taken : collection of str, optional
        Anchors of earlier tables on the same page, which this one doesn't get.
    names : dict of str to str, optional
        What to write for the abbreviations that are headers, cells or parts of cells between commas. Headers that are
        not among them are written as `LABELS` says, or without underscores.
    links : dict of str to str, optional
        Addresses for the cells that have one.

    Returns
    -------
    str
        HTML.
    """
    names, given = names or {}, [str(name) for name in frame.columns]
    columns = [_cells(name, frame.iloc[:, place].tolist(), names) for place, name in enumerate(given)]
    longest = (max((len(text) for text, *_ in cells), default=0) for cells in columns)
    html = filled(
        "table.html",
        caption=caption,
        own=[anchor for anchor in anchors(caption) if anchor not in taken],
        wide=sum(2 + min(n, 30) for n in longest) > COLUMN,  # the theme then moves the page's contents out of the way
        groups=_grouped(given, LABELS | names),
        rows=zip(*columns, strict=True),
        links=links or {},
    )
    return str(html)  # which notebooks may edit; editing markup escapes what it finds


def worded(text, names):
    """A text with its abbreviations written out: those that it is, or that its parts between commas are."""
    return names.get(text) or ", ".join(names.get(part, part) for part in text.split(", "))


def in_words(value):
    """A single value, such as a parameter's, as text for readers."""
    return "none" if is_missing(value) else _text(value)


def _grouped(columns, labels):
    """Headers in groups: the prefix that neighbors share, with what follows it; nothing for one that stands alone."""

    def header(name):
        return labels.get(name) or name.replace("_", " ")

    def prefix_or_place(item):
        return item[1].partition(", ")[0] if ", " in item[1] else item[0]

    groups = []
    for prefix, group in groupby(enumerate(labels.get(name, name) for name in columns), key=prefix_or_place):
        own = [name for _, name in group]
        shared = header(prefix) if len(own) > 1 else ""
        groups.append((shared, [header(name.partition(", ")[2] if shared else name) for name in own]))
    return groups


def _cells(name, values, names):
    """The cells of one column: text, class, and the full value if the text does not say it."""
    values = [worded(value, names) if isinstance(value, str) else value for value in values]
    texts = _texts(name.rpartition(", ")[2], values)
    numeric = all(is_missing(v) or _is_number(v) or MEASURED.fullmatch(str(v)) for v in values)
    kind = "number" if numeric else "prose" if max(map(len, texts), default=0) > LONG else ""
    cells = []
    for text, value in zip(texts, values, strict=True):
        told = is_missing(value) or not isinstance(value, str | Real) or text == str(value)
        cells.append((text, f"{kind} {TINTS.get(text[:1], '')}".strip(), None if told else str(value)))
    return cells


def _texts(role, values):
    """What a column's cells say."""
    sizes = _sizes(values)
    if not sizes:
        own = role in VERBATIM
        return _aligned([value if own and isinstance(value, str) else _text(value) for value in values])
    if max(sizes) > SPAN * min(sizes):  # one number of decimals would hide the small ones
        return _padded([_text(value) for value in values])
    return [_text(value, _decimals(sizes), signed=role in SIGNED) for value in values]


def _aligned(texts):
    """Texts, with their decimal points aligned if all of them are numbers."""
    found = [ALONE.fullmatch(text) for text in texts if text != MISSING]
    if not found or not all(found):
        return texts
    numbers = iter(_padded([match[1] for match in found]))
    marks = (match[2] or "\u2007" * any(match[2] for match in found) for match in found)
    return [text if text == MISSING else next(numbers) + next(marks) for text in texts]


def _padded(texts):
    """Numbers of different lengths with spaces as wide as digits behind, so that the decimal points are aligned."""
    decimals = [len(text.partition(".")[2]) if "×" not in text else 0 for text in texts]
    most, point = max(decimals), "\u2008"  # as wide as a full stop
    return [
        text + (point if most and not own else "") + "\u2007" * (most - own)
        for text, own in zip(texts, decimals, strict=True)
    ]


def _sizes(values):
    """The absolute values of the numbers in a column that are neither zero nor missing nor infinite."""
    return [abs(value) for value in values if _is_number(value) and math.isfinite(value) and value]


def _decimals(sizes):
    """Decimals that show a column's largest number with four digits, less those that are zero in all rows."""
    if not sizes:
        return 0
    decimals = min(max(DIGITS - 1 - math.floor(math.log10(max(sizes))), 0), MOST_DECIMALS)
    while decimals and all(round(x, decimals) == round(x, decimals - 1) for x in sizes):
        decimals -= 1
    return decimals


def _text(value, decimals=None, signed=False):
    """One cell in words or digits, never in the notation of Python; by default with decimals of its own."""
    if is_missing(value):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, list | tuple | set | np.ndarray):
        return ", ".join(map(_text, value)) or "none"
    if not _is_number(value):
        return typeset(str(value))
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    decimals = _decimals(_sizes([value])) if decimals is None else decimals
    if 0 < abs(value) < 0.5 * 10.0**-decimals:  # would read as zero
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa} × 10{superscript(exponent)}".replace("-", "−")
    text = f"{value:{'+' if signed and value else ''},.{0 if isinstance(value, Integral) else decimals}f}"
    whole = text.partition(".")[0].lstrip("+-")
    return (text if len(whole) > 5 else text.replace(",", "")).replace(",", "\u202f").replace("-", "−")


def is_missing(value):
    """Whether a single value, or a list, is missing."""
    return value is None or value is pd.NA or (isinstance(value, Real) and math.isnan(value))


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
