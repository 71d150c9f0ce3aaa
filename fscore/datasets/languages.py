"""Words of some sixty languages for months, weekdays, halves of the day, large numbers and units.

They are those of the Unicode CLDR in ``data/languages.csv``, and usual spellings that it lacks.
"""

import calendar
import re

from fscore._files import data_file

__all__ = ["MONTHS", "SCALES", "UNITS", "clock_in_english", "date_in_english", "singular"]

_OTHER_MONTHS = {2: "fevrier fév", 3: "maerz mrz", 8: "aout", 11: "listopad listopada", 12: "decembre"}
_OTHER_SCALES = {"lakh": 1e5, "lakhs": 1e5, "lac": 1e5, "lacs": 1e5, "crore": 1e7, "crores": 1e7, "cr": 1e7}
_OTHER_SCALES |= {"tsd": 1e3, "mn": 1e6, "bn": 1e9, "billions": 1e9}
_OTHER_UNITS = {
    "second": "s 1 m 60 h 3600 saat 3600 d 86400 j 86400 w 604800 mo 2629800 y 31557600 a 31557600 год 31557600 "
    "uren 3600 tagen 86400 dager 86400 monaten 2629800 jahren 31557600 année 31557600",
    "m": "m 1 ft 0.3048 feet 0.3048",
    "kg": "g 0.001 t 1000",
    "l": "l 1",
}
# Foreign months that are no names of a product, such as "set 12"; others of a few ASCII letters may be.
_SURE_BEFORE_TWO_DIGITS = r"mai|mei|maj|okt|dez|dic|ene|abr|avr|fev|juin|juil|sept|lug|giu|ott|mrt|mrz"


def singular(unit):
    """A word without the s of a plural."""
    return re.sub(r"(?<=[^\W\d_]{2})s$", "", unit)


def _read():
    """The words by kind, in lower case and without a full stop behind, with what they stand for."""
    tables = {}
    for line in data_file("languages.csv").read_text(encoding="utf-8").splitlines()[1:]:
        kind, word, value = line.split(",")
        tables.setdefault(kind, {})[word] = float(value)
    return tables


_TABLES = _read()
MONTHS = {word: int(month) for word, month in _TABLES["month"].items()}
MONTHS |= {word: month for month, words in _OTHER_MONTHS.items() for word in words.split()}
_WEEKDAYS = _TABLES["weekday"].keys() - MONTHS.keys()
_ENGLISH = {word: calendar.month_abbr[month] for word, month in MONTHS.items()}
_ENGLISH |= {name.lower(): name for name in (*calendar.month_name, *calendar.month_abbr) if name}
SCALES = _TABLES["scale"] | _OTHER_SCALES
UNITS = {}  # by the unit that is one: what each unit is worth, in the singular
for _kind, _words in _TABLES.items():
    if _kind not in ("month", "weekday", "hour", "scale"):
        _others = iter(_OTHER_UNITS.get(_kind, "").split())
        _sizes = _words | {word: float(next(_others)) for word in _others}
        UNITS[_kind] = {singular(word): size for word, size in _sizes.items()}
_HALVES = {word: "ap"[hour == 12] + "m" for word, hour in _TABLES["hour"].items()}
_HALF_DAY = re.compile(
    r"(?<![^\W\d_])(?P<before>[^\W\d_][^\s\d:]*)\s?(?P<time>\d+:[\d:]+)|"
    r"(?P<clock>\d+:[\d:]+)\s?(?P<after>[^\W\d_][^\s\d:]*)"
)
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_](?:[^\s\d,/()'-]*[^\s\d,/()'.-])?")  # its marks of vowels are no letters to `re`
_FIRST_WORD = re.compile(r"([^\W\d_][^\s,.]*)[.,]*\s+(?=.*\d)")
_YEAR_IN_RUSSIAN = re.compile(r"(?<=\d{4})\s?(?:г|года|р|року)\b\.?", re.IGNORECASE)  # and in Ukrainian
_MAY_BE_A_PRODUCT = re.compile(rf"(?!(?:{_SURE_BEFORE_TWO_DIGITS})\b)[A-Za-z]{{1,4}}\.?\s'?\d\d", re.IGNORECASE)


def date_in_english(text):
    """A date without the weekday that it begins with, its month and its half of the day in English."""
    if not _LETTER.search(text):
        return text
    first = _FIRST_WORD.match(text)
    if first and first[1].lower() in _WEEKDAYS:
        text = text[first.end() :]
    if _MAY_BE_A_PRODUCT.fullmatch(text):
        return text
    text = _YEAR_IN_RUSSIAN.sub("", text)
    text = _WORD.sub(lambda word: _ENGLISH.get(word[0].lower(), word[0]), text)
    return clock_in_english(text)


def clock_in_english(text):
    """3:00 pm of 오후 3:00."""
    return _HALF_DAY.sub(_half_in_english, text) if ":" in text and _LETTER.search(text) else text


def _half_in_english(half_day):
    half = _HALVES.get((half_day["before"] or half_day["after"]).lower().rstrip("."))
    return f"{half_day['time'] or half_day['clock']} {half}" if half else half_day[0]
