"""Words for months, weekdays, halves of the day, units and large numbers, by Babel from the Unicode CLDR.

`python tests/words_of_languages.py` writes ``data/languages.csv`` anew. A word that means two things of one kind in
two languages is left out.
"""

import csv
import itertools
import re
import unicodedata
from pathlib import Path

from babel import Locale
from babel.dates import get_day_names, get_month_names, get_period_names
from babel.numbers import format_compact_decimal
from babel.units import format_unit

FILE = Path(__file__).parents[1] / "data" / "languages.csv"
BABEL = "2.18.0"  # whose edition of the CLDR the table holds
LANGUAGES = (
    "af am ar az be bg bn bs ca cs da de de_AT el en en_IN es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja "
    "ka kk kn ko lt lv mk ml mn mr ms my nb ne nl pa pl pt ro ru sk sl sq sr sr_Latn sv sw ta te th tr uk ur uz vi zh"
)
UNITS = {  # what one is worth in the unit that is named first
    "second": "duration-second 1 duration-minute 60 duration-hour 3600 duration-day 86400 duration-week 604800 "
    "duration-month 2629800 duration-year 31557600",
    "m": "length-meter 1 length-millimeter 0.001 length-centimeter 0.01 length-kilometer 1000 "
    "length-mile-scandinavian 10000 length-inch 0.0254 length-foot 0.3048 length-mile 1609.344",
    "kg": "mass-kilogram 1 mass-milligram 0.000001 mass-gram 0.001 mass-tonne 1000 "
    "mass-ounce 0.028349523125 mass-pound 0.45359237",
    "l": "volume-liter 1 volume-milliliter 0.001 volume-centiliter 0.01 volume-deciliter 0.1 volume-hectoliter 100",
    "m²": "area-square-meter 1 area-hectare 10000 area-square-kilometer 1000000 area-acre 4046.8564224",
}


def spelled(text):
    """A word as it is looked up: composed, in lower case, without a full stop behind it; None if it has digits."""
    word = " ".join(unicodedata.normalize("NFC", text).replace("\u200f", "").split()).lower().rstrip(".")
    return None if not word or re.search(r"[\d\-/()]", word) or " " in word else word


def words():
    """All (kind, word, value), a word in each language."""
    for language in LANGUAGES.split():
        for width, context in itertools.product(("wide", "abbreviated"), ("format", "stand-alone")):
            for month, name in get_month_names(width, context, language).items():
                yield "month", name, month
            for day, name in get_day_names(width, context, language).items():
                yield "weekday", name, day
        for width, context in itertools.product(("wide", "abbreviated", "narrow"), ("format", "stand-alone")):
            names = get_period_names(width, context, language)
            for half, hour in (("am", 0), ("pm", 12)):
                yield "hour", names.get(half, ""), hour
        styles = Locale.parse(language).compact_decimal_formats
        for power, style in itertools.product(range(3, 10), styles):
            for digit in (1, 2, 5):
                text = format_compact_decimal(digit * 10**power, format_type=style, locale=language)
                match = re.fullmatch(r"(\d+)[\s\u200f]*([^\d\s].*)", text)
                if match and (len(match[2]) > 1 or not match[2].isascii()):
                    yield "scale", match[2], digit * 10**power // int(match[1])
        for kind, sizes in UNITS.items():
            for (unit, size), width, n in itertools.product(
                zip(sizes.split()[::2], sizes.split()[1::2], strict=True),
                ("long", "short", "narrow"),
                (1, 2, 5, 1.5),
            ):
                match = re.fullmatch(r"[\d.,]+[\s\u200f]*([^\d\s].*)", format_unit(n, unit, width, locale=language))
                if match and match[1] != unit:
                    yield kind, match[1], float(size)


def table():
    """Rows of the table: kind, word and value.

    Words that mean two things of one kind are left out; so are ASCII letters, units among words for thousands and for
    times, and what is short among the first.
    """
    meanings = {}
    for kind, text, value in words():
        word = spelled(text)
        if word and any(map(str.isalpha, word)) and not (word.isascii() and len(word) < (3 if kind == "scale" else 2)):
            meanings.setdefault(word, {}).setdefault(kind, set()).add(value)
    rows = []
    for word, by_kind in meanings.items():
        units = {kind for kind in by_kind if kind in UNITS}
        for kind, (value, *others) in by_kind.items():
            if not others and not (kind in ("scale", "second") and units - {kind}):
                rows.append((kind, word, f"{value:.15g}"))
    return sorted(rows)


if __name__ == "__main__":
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("kind", "word", "value"), *table()])
