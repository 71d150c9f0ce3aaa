"""Words of some sixty languages for months, weekdays, halves of the day, large numbers and units.

They are those of the Unicode CLDR in ``data/languages.csv``, and usual spellings that it lacks in ``words.toml``.
"""

import calendar
import re

from fscore._files import data_file

from .words import WORDS

__all__ = ["MONTHS", "SCALES", "UNITS", "clock_in_english", "date_in_english", "singular"]

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
    return {kind: words | WORDS.get(kind, {}) for kind, words in tables.items()}


_TABLES = _read()
MONTHS = {word: int(month) for word, month in _TABLES["month"].items()}
SCALES = _TABLES["scale"]
UNITS = {  # by the unit that is one: what each unit is worth, in the singular
    kind: {singular(word): size for word, size in _TABLES[kind].items()} for kind in ("second", "m", "kg", "l", "m²")
}
_WEEKDAYS = _TABLES["weekday"].keys() - MONTHS.keys()
_ENGLISH = {word: calendar.month_abbr[month] for word, month in MONTHS.items()}
_ENGLISH |= {name.lower(): name for name in (*calendar.month_name, *calendar.month_abbr) if name}
_HALVES = {word: "ap"[hour == 12] + "m" for word, hour in _TABLES["hour"].items()}
_HALF_DAY = re.compile(
    r"(?<![^\W\d_])(?P<before>[^\W\d_][^\s\d:]*)\s?(?P<time>\d+:[\d:]+)|"
    r"(?P<clock>\d+:[\d:]+)\s?(?P<after>[^\W\d_][^\s\d:]*)"
)
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_](?:[^\s\d,/()'-]*[^\s\d,/()'.-])?")  # its marks of vowels are no letters to `re`
_FIRST_WORD = re.compile(r"([^\W\d_][^\s,.]*)[.,]*\s+(?=.*\d)")
_SAYS_YEAR = re.compile(r"(?<=\d{4})\s?(?:г|года|р|року|r|roku)\b\.?", re.IGNORECASE)  # Russian, Ukrainian, Polish
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
    text = _SAYS_YEAR.sub("", text)
    text = _WORD.sub(lambda word: _ENGLISH.get(word[0].lower(), word[0]), text)
    return clock_in_english(text)


def clock_in_english(text):
    """3:00 pm of 오후 3:00."""
    return _HALF_DAY.sub(_half_in_english, text) if ":" in text and _LETTER.search(text) else text


def _half_in_english(half_day):
    half = _HALVES.get((half_day["before"] or half_day["after"]).lower().rstrip("."))
    return f"{half_day['time'] or half_day['clock']} {half}" if half else half_day[0]
