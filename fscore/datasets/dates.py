"""Dates and times of day in texts."""

import calendar
import re
from datetime import date
from functools import cache
from itertools import takewhile

import numpy as np
import pandas as pd

from .languages import MONTHS, date_in_english
from .words import any_of

__all__ = ["EPOCHS", "YEAR_ALONE", "are_months", "date_order", "days", "epoch_unit", "is_open", "order_in_words"]

_MONTH = "|".join(filter(None, (*calendar.month_name, *calendar.month_abbr)))
_BETWEEN = r"\s*[-./ ]\s*"
_OF = r"[-/ ,.]*(?:de )?"
_YEAR = r"(?:1[5-9]|2[015])\d\d|9999|2999|0001|'?\d{2}"
YEAR_ALONE = r"(?:1[5-9]|20)\d\d"  # its first day, beside other dates
_TIME = (
    r"(?:(?:\s*[T,:]\s*|,?\s+(?:kl\.?|um|à|at|às|a las|o)\s+|\s+)"
    r"(?P<hour>\d{1,2})(?:[:.]|\s?h\s?)?(?P<minute>[0-5]\d)(?:[:.]?(?P<second>[0-5]\d(?:[.,]\d+)?))?"
    r"\s*(?P<half>[ap]\.?\s?m\.?)?\s*"
    r"(?:Z|(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?|UTC|GMT|[A-Z]{1,4}T|[MOW]ES?Z|MSK|Uhr)?)?"
)
_IN_BRACKETS = re.compile(r"(?<=[\d日일])\s?[(（](?:[^\W\d_]{1,9}\.?|\d{1,3})[)）]")  # a weekday, or an age
_CLOCK = re.compile(r"(\d{1,2})\s?[時时시]\s?(\d{1,2})\s?[分분](?:\s?(\d{1,2})\s?[秒초])?")
_COMPACT = r"(?P<year>(?:19|20)\d\d|9999)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
_DIGITS = r"(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?"
_SHAPES = [  # year, month and day; `a` and `b` are day and month in either order
    _COMPACT + _DIGITS,
    rf"(?P<word>{_MONTH}) (?P<day>\d{{1,2}}){_TIME} (?P<year>\d{{4}})",  # as C's ctime writes it
    r"(?P<serial>[1-6]\d{4}(?:\.\d+)?)",  # days since 30 December 1899, as in a spreadsheet
    rf"(?P<day>\d{{1,2}})\.?[- ](?P<word>{_MONTH})\.?",  # without a year
    rf"(?P<year>{YEAR_ALONE})",
] + [
    shape + _TIME
    for shape in (
        _COMPACT,
        r"(?P<a>0[1-9]|[12]\d|3[01])(?P<b>0[1-9]|[12]\d|3[01])(?P<year>(?:19|20)\d\d)",
        rf"(?P<year>\d{{4}}){_BETWEEN}(?P<month>\d{{1,2}}){_BETWEEN}(?P<day>\d{{1,2}})\.?",
        r"(?P<year>\d{4})\s?[年년]\s?(?P<month>\d{1,2})\s?[月월](?:\s?(?P<day>\d{1,2})\s?[日일])?",
        r"(?P<year>\d{4})[-./M](?P<month>\d{2})",
        r"(?P<year>\d{4})[-/](?P<month>\d{4})",  # 2014/2015, a season
        r"(?P<month>0?[1-9]|1[0-2])[-./](?P<year>(?:19|20)\d\d)",
        r"(?P<year>[12]\d{3})[-./ ]?W(?P<week>\d{1,2})",
        r"(?P<year>[12]\d{3})[-./ ]?[SH](?P<half_year>[12])",
        r"(?P<year>\d{4})[-./ ]?Q(?P<quarter>[1-4])",
        r"Q(?P<quarter>[1-4])[-./ ](?P<year>\d{4})",
        rf"(?P<quarter>[1-4])Q[-./ ]?(?P<year>{_YEAR})",
        rf"(?P<a>\d{{1,2}}){_BETWEEN}(?P<b>\d{{1,2}}){_BETWEEN}(?P<year>{_YEAR})\.?",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?\.?{_OF}(?P<word>{_MONTH})\.?{_OF}(?P<year>{_YEAR})",
        rf"(?P<word>{_MONTH})\.?[-/ ]*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:\s*,\s*|[-/ ]+)(?P<year>\d{{4}})",
        rf"(?P<word>{_MONTH})\.?[-/ ,']+(?P<year>{_YEAR})",
        rf"(?P<year>\d{{4}})[-/ ]*(?P<word>{_MONTH})(?:[-/ ]*(?P<day>\d{{1,2}}))?",
    )
]
EPOCHS = {"s": 86_400, "ms": 86_400_000}  # of a day, counted from 1970
_IN_WORDS = {
    "season": "season, from July",
    "week": "year-week",
    "yymmdd": "year-month-day, with two digits of the year",
    "dm": "day and month without a year, read as of a leap year",
    "s": "seconds since 1970",
    "ms": "milliseconds since 1970",
}
_LIVED = (7_000, 30_000)  # days since 1970 that such a count may stand for
_SERIAL_ZERO = (1899, 30, 12)
_MOST_SERIAL = 0.5  # of the texts may be serial numbers; more are another number
_MOSTLY = 0.8  # of the texts must be dates
_MOST_TRIED = 200  # texts, before all are read
_MONTH_AND_YEAR = re.compile(r"(0?[1-9]|1[0-2])\.(?:19|20)\d\d")
_MARKS = r"(?:(?:10|\d)/){2}(?:10|\d)"  # three marks of ten, such as 7/10/10 of Apgar's
_MOST_WEEKS = 53  # of a year
_BUDDHIST = 543  # years, by which the count in Thailand is ahead
_LEAP_YEAR = 1972
_FEWEST_DAYS = 20  # different ones without a year; fewer may be fractions or scores that a spreadsheet made dates
_FEWEST_FIRSTS = 3  # different dates, all of the first of a month
_OTHER = {"dmy": "mdy", "mdy": "dmy"}
_PIVOT = 69  # of two digits, from which a year is of the last century


@cache
def _shapes():
    """The compiled shapes; compiling takes longer than most imports, so it waits for the first text."""
    return [re.compile(shape, re.IGNORECASE) for shape in _SHAPES]


def _match(text):
    """The match of a date, or of the first one of an interval such as "1.5.2021 12:00 - 1.5.2021 13:00"."""
    for shape in _shapes():
        if match := shape.fullmatch(text):
            return match
    start, *end = text.split(" - ")
    first = _match(start) if len(end) == 1 else None
    return first if first and (re.fullmatch(r"\d{1,2}:\d\d", *end) or _match(*end)) else None


def _fields(text):
    """Year, first and second number of a date, whether their order is open, and days since midnight; or None.

    A date without a year has NaN for it. The clock is that of the zone, since what people do follows it.
    """
    text = _IN_BRACKETS.sub("", text.removeprefix("[").removesuffix("]"), count=1)
    if not text.isascii():
        text = _CLOCK.sub(lambda clock: ":".join(filter(None, clock.groups())), text)
    match = _match(date_in_english(text))
    if match is None:
        return None
    fields = match.groupdict()
    if fields.get("serial"):
        return *_SERIAL_ZERO, False, float(fields["serial"])
    if "year" not in fields:
        return np.nan, int(fields["day"]), MONTHS[fields["word"].lower()], False, 0.0
    year = int(fields["year"].strip("'"))
    year += (1900 if year >= _PIVOT else 2000) if len(fields["year"].strip("'")) == 2 else 0
    year -= _BUDDHIST if year // 100 == 25 else 0
    is_open = "a" in fields
    month = MONTHS[fields["word"].lower()] if fields.get("word") else int(fields.get("month") or 1)
    month = 3 * int(fields["quarter"]) - 2 if fields.get("quarter") else month
    month = 6 * int(fields["half_year"]) - 5 if fields.get("half_year") else month
    one, two = (fields["a"], fields["b"]) if is_open else (fields.get("day") or 1, month)
    if week := int(fields.get("week") or 0):
        if (monday := _monday(year, week)) is None:
            return None
        year, one, two = monday.year, monday.day, monday.month
    hour, half = int(fields.get("hour") or 0), (fields.get("half") or "")[:1].lower()
    hour = hour % 12 + 12 * (half == "p") if half else hour
    if hour > 24:
        return None
    seconds = 3600 * hour + 60 * int(fields.get("minute") or 0) + float((fields.get("second") or "0").replace(",", "."))
    return year, int(one), int(two), is_open, seconds / 86400


def _table(texts):
    """The fields of each different text; rows of NaN where it is no date."""
    distinct = texts.dropna().unique()
    rows = [_fields(text) or (np.nan,) * 5 for text in distinct]
    return pd.DataFrame(rows, distinct, ["year", "one", "two", "open", "clock"], dtype=float)


def _in_order(fields, order):
    """Days since 1970 of the fields of dates; NaN where there is no such day."""
    if order == "dm":
        fields = fields.assign(year=fields["year"].fillna(_LEAP_YEAR))
    if order == "season":
        fields = fields.assign(two=fields["two"].mask(_are_seasons(fields), 7))
    if order == "week":
        mondays = [_monday(*row) for row in fields[["year", "two"]].to_numpy()]
        return pd.Series([(monday - date(1970, 1, 1)).days if monday else np.nan for monday in mondays], fields.index)
    if order == "yymmdd":
        years = fields["one"] + np.where(fields["one"] >= _PIVOT, 1900, 2000)
        fields = fields.assign(year=years, one=fields["year"] % 100)
    swap = (fields["open"] == 1) & (order == "mdy")
    day, month = fields["one"].where(~swap, fields["two"]), fields["two"].where(~swap, fields["one"])
    valid = fields["year"].notna() & month.between(1, 12) & day.between(1, 31) & (fields["year"] > 0)
    months = ((fields["year"] - 1970) * 12 + month - 1).where(valid, 0).astype(int).to_numpy().astype("datetime64[M]")
    dates = months.astype("datetime64[D]") + (day.where(valid, 1) - 1).astype(int).to_numpy()
    valid &= dates.astype("datetime64[M]") == months
    return pd.Series(dates.astype(int), fields.index).where(valid) + fields["clock"]


def _are_seasons(fields):
    """Which dates are of a year and the next one, such as 2014-15 and 2014/2015."""
    return (fields["open"] == 0) & ((fields["two"] - fields["year"]) % 100 == 1)


def _monday(year, week):
    """The first day of a week; None if there is no such week."""
    if not (year > 0 and 1 <= week <= date(int(year), 12, 28).isocalendar().week):
        return None
    return date.fromisocalendar(int(year), int(week), 1)


def days(texts, order):
    """Days since 1970 of texts.

    Parameters
    ----------
    texts : Series of str
    order : {"ymd", "dmy", "mdy", "yymmdd", "season", "week", "dm"}
        See `date_order`.

    Returns
    -------
    Series of float64
        NaN where a text is no date.
    """
    return texts.map(_in_order(_table(texts), order)).astype(np.float64)


def date_order(texts):
    """The order of year, month and day in which most texts are dates.

    Parameters
    ----------
    texts : Series of str

    Returns
    -------
    {"ymd", "dmy", "mdy", "yymmdd", "season", "week", "dm", ""}
        Empty if too few are dates; "dm" if none has a year. Where both orders fit, the day comes first, but not before
        a year of two digits, or a number that is 1 in all dates. A season such as 2014-15 begins in July; 2014-52 is a
        week where no number is beyond 53; "yymmdd" such as 85-12-31 fits more than the others. Years alone don't tell.
    """
    texts = texts[~texts.str.fullmatch(YEAR_ALONE)]
    if texts.str.fullmatch(_MARKS).all():
        return ""
    sample = texts.iloc[:: max(1, len(texts) // _MOST_TRIED)]
    if np.mean([_fields(text) is not None for text in sample]) < _MOSTLY / 2:
        return ""
    fields = _table(texts)
    if _are_seasons(fields).mean() >= _MOSTLY:
        return "season"
    if texts.str.fullmatch(r"\d{4}[-./]\d{2}").all() and 12 < fields["two"].max() <= _MOST_WEEKS:
        return "week"
    if fields["year"].isna().all() and len(fields) >= _FEWEST_DAYS and fields["one"].max() > 12:
        return "dm" if _in_order(fields, "dm").notna().mean() >= _MOSTLY else ""
    fits = {order: _in_order(fields, order).notna().sum() for order in ("dmy", "mdy")}
    if texts.str.fullmatch(r"\d\d([-./])\d\d\1\d\d(\s.*)?").all():
        fits["yymmdd"] = _in_order(fields, "yymmdd").notna().sum()
    is_serial = fields["clock"] > 2  # days, where others are less than a day
    if max(fits.values()) < _MOSTLY * len(fields) or is_serial.mean() > _MOST_SERIAL:
        return ""
    if not (fields["open"] == 1).any():
        return "ymd"
    if fits["mdy"] == fits["dmy"] == max(fits.values()):
        firsts, n = fields.dropna()[["one", "two"]].eq(1).all(), _in_order(fields, "mdy").nunique()
        of_months = n >= _FEWEST_FIRSTS and firsts["one"] != firsts["two"]
        two_digits = texts.str.fullmatch(r"\d+/\d+/\d\d\b.*").mean() > 0.5
        return "mdy" if (firsts["two"] if of_months else two_digits) else "dmy"
    return max(fits, key=fits.get)


def is_open(texts, order):
    """Whether dates could be read with day and month exchanged. Parameters as for `days`."""
    fields = _table(texts)
    return _in_order(fields, _OTHER[order]).notna().sum() >= _in_order(fields, order).notna().sum()


def are_months(texts):
    """Whether all texts are month and year, such as 01.2021, and no decimals of one size: 1.1987, 1.2021, 1.2034."""
    matches = [*takewhile(bool, map(_MONTH_AND_YEAR.fullmatch, texts))]
    months = {match[1] for match in matches}
    return len(matches) == len(texts) and (len(months) > 2 or any(month[0] == "0" for month in months))


def epoch_unit(numbers, name):
    """Whether numbers count seconds or milliseconds since 1970, by their size and the name of the column.

    Parameters
    ----------
    numbers : Series of float64
    name : str

    Returns
    -------
    {"s", "ms", ""}
    """
    if not re.search(any_of("epoch"), str(name), re.IGNORECASE):
        return ""
    return next((unit for unit, day in EPOCHS.items() if (numbers / day).between(*_LIVED).all()), "")


def order_in_words(texts, order):
    """How dates are read, in words, and whether they could be read with day and month exchanged.

    Parameters
    ----------
    texts : Series of str
    order : {"ymd", "dmy", "mdy", "yymmdd", "season", "week", "dm", "s", "ms"}

    Returns
    -------
    str
        Such as "day/month/year".
    """
    if order in _IN_WORDS:
        return _IN_WORDS[order]
    distinct = pd.Series(texts.dropna().unique())
    distinct = distinct[~distinct.str.fullmatch(YEAR_ALONE)]
    table = _table(distinct)
    if order not in ("dmy", "mdy"):
        fields = next(filter(None, (_match(date_in_english(text)) for text in distinct)), None)
        written = fields.groupdict() if fields else {}
        names = [name for name in ("year", "half_year", "quarter", "week", "word", "day") if written.get(name)]
        if set(names) <= {"year", "day"}:
            return "year-month-day"
        return " ".join(sorted(names, key=fields.start)).replace("word", "month").replace("_", "-")
    mark = (re.search(r"\d\s*([-./ ])", distinct.iloc[0]) or " /")[1]
    era = " of the Buddhist era" if distinct.str.contains(r"(?<!\d)25\d\d(?!\d)").all() else ""
    words = {"dmy": ("day", "month", "year"), "mdy": ("month", "day", "year")}
    other = _OTHER[order]
    values, swapped = _in_order(table, order), _in_order(table, other)
    doubtful = mark != "." and swapped.notna().sum() >= values.notna().sum() and not values.equals(swapped)
    return mark.join(words[order]) + era + (f", but {mark.join(words[other])} fits as well" if doubtful else "")
