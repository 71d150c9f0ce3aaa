"""Numbers in texts, as people write them: with units, limits, separators, clocks, durations and fractions."""

import re
import unicodedata
from typing import NamedTuple

import numpy as np
import pandas as pd

from .languages import SCALES, UNITS, clock_in_english, singular
from .words import WORDS, any_of

__all__ = [
    "EITHER",
    "FEET",
    "LABELED",
    "MAY_HAVE_COMMA",
    "RANGE",
    "common_unit",
    "in_unit",
    "is_number",
    "notation",
    "quantities",
    "shared_unit",
    "words_of_zero",
]

_CURRENCY = (
    r"US\$|R\$|Rs[.,]?|Rp[.,]?|[Kk]r[.,]?(?=\s)|\\|[$\u00a2-\u00a5\u0e3f\u20a0-\u20c0]|"
    "(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|RUB|TRY|KRW|SGD|HKD|AED|SAR|QAR|ILS|"
    "EGP|THB|IDR|MYR|PHP|VND|TWD|PKR|BDT|LKR|NGN|KES|GHS|ARS|CLP|COP|PEN|UAH|RON|BGN|ISK)"
)
_NO_MONEY = re.compile(rf"({_CURRENCY})\s?[-\u2013\u2014]|[-\u2013\u2014]\s?({_CURRENCY})")  # the zero of accountants
_MONEY = r"Kč|zł|Ft|lei|лв|руб|грн|円|元|원|บาท|TL|[Kk]r\.?"
_SCALES = {"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "B": 1e9}
_SCALE_WORD = re.compile(r"(?<=\d)\s?([万萬億亿千만억천]|[^\W\d_][^\s\d/]*)")
# As written with a decimal point; in a text with a decimal comma, points and commas change places before.
_NUMBER = re.compile(
    r"(?P<negative>\()?(?P<limit>[<>\u2264\u2265]=?\s?)?(?P<sign>[-+\u2212\u2013]?)"
    rf"(?P<before>{_CURRENCY}|%)?\s?(?P<sign2>[-+\u2212\u2013]?)"
    r"(?P<number>(?:[1-9]\d{0,2}(?P<mark>[,' \u2019])\d{3}(?:(?P=mark)\d{3})*|"
    r"[1-9]\d?(?:,\d\d)+,\d{3}|\d+)"  # 1,00,95,000 of India
    r"(?:\.(?:\d+|(?!\s?[-\u2013\u2014])))?|\.\d+)"
    r"(?P<power>[eE][+-]?\d+)?(?:[.,:/]\s?[-\u2013\u2014]{1,2}(?=$|\s))?(?P<minus>-$)?"  # 500.-, 500/-; 500- is -500
    r"(?P<scale>(?:[kKMB]|(?(before)m|(?!)))(?![^\W\d_]))?"
    r"(?P<plus>\+(?=\s?[^\W\d_]))?"
    rf"(?:\s?(?P<after>%(?:\s?vol\.?)?|[\"'\u2032\u2033]|{_CURRENCY}|\u00b0[^\W\d_]{{0,3}}|"
    r"(?!xx)[^\W\d_][^\s\d]{0,7}(?:(?<=[mst])[23])?))?"  # m2
    r"(?:\s?(?P<per>/\s?[^\W\d_][^\s\d/]{0,7}[\u00b2\u00b323]?))?"  # \u20ac 1.50/kg
    r"(?P<more>\+)?(?(negative)\))"
)
_NEGATIVE_MONEY = re.compile(rf"^({_CURRENCY})\s?\((?=.+\)$)")  # $(5.00)
_SWAPPED = str.maketrans(",.", ".,")
EITHER = ".,"  # decimal marks of a column that people have typed in two ways
MAY_HAVE_COMMA = re.compile(r"\d,\d|^\D{0,3},\d|\d\.\d{3}\.\d{3}")  # a decimal comma, or points between thousands
_FREE, _GROUND = frozenset(WORDS["free"]), frozenset(WORDS["ground"])
_FLOORS = ("", "th", "e", "º", "ª", *WORDS["floor"])  # units of their numbers
_UNREAD = re.compile(  # notations of numbers that are not read: 120/80; 15'11"
    r"\d+\s?['\u2032]\s?\d+\s?[\"\u2033]?|"
    rf"({_CURRENCY})?\s?(\d+(\.\d+)?\s?/\s?\d+(\.\d+)?|[-+]?\d{{1,3}}([,' ]\d{{2,3}})*[,' ]\d{{3}}(\.\d+)?)"
)
_ORDINALS = dict.fromkeys(("st", "nd", "rd"), "th") | dict.fromkeys(("er", "re", "ère", "ème", "eme"), "e")

_LIMITS = {  # in words: "under 5", "5 or more"
    limit: re.compile(
        rf"(?:{before}) (.+)|(.+?)(?:,? (?:{any_of('or')}) (?:{any_of(comparative)})|\s?(?:{any_of(behind)}))",
        re.IGNORECASE,
    )
    for limit, before, comparative, behind in (
        (-1, any_of("below"), "less", "at_most"),
        (1, rf"{any_of('above')}|(?-i:{any_of('from')})", "more", "at_least"),
    )
}

_SECONDS = r"([0-5]\d(?:[.,]\d+)?)"
_CLOCK = re.compile(
    rf"(\d{{1,3}}):{_SECONDS}(?::{_SECONDS})?|([01]?\d|2[0-4])\.([0-5]\d)\.([0-5]\d)|"
    r"(\d+)\s?(?:h|hrs?|hours?|u)\s?([0-5]?\d)",  # 2h 50
    re.IGNORECASE,
)
_HALF_DAY = re.compile(
    r"(1[0-2]|0?\d)(?:[:.]([0-5]\d))?(?:[:.]([0-5]\d))?\s?([ap])(?:\.?\s?m\.?|(?<=:\d\d[ap]))", re.IGNORECASE
)
_MINUTES = {unit: seconds / 60 for unit, seconds in UNITS["second"].items()}
_DAY = _MINUTES["day"]
_HOURS = "|".join(re.escape(unit) for unit, minutes in _MINUTES.items() if minutes == 60)
_AFTER_CLOCK = re.compile(
    rf"(?<=\d)\s?(?:(?P<day>uhr|uur|น\.?)|(?P<per>(?:min)?\s?/\s?(?:km|mi|100 ?m))|(?:{_HOURS})s?\.?)$",  # 5:32 /km
    re.IGNORECASE,
)
_PART_OF_TIME = r"(\d+(?:\.\d+)?)\s?([^\W\d_][^\s\d.,]*)\.?"
_PARTS_OF_TIME = re.compile(rf"(?:{_PART_OF_TIME},?\s?(?:and |und |et )?){{2,5}}")
_ISO = re.compile(
    r"P(?:(?P<y>\d+)Y)?(?:(?P<mo>\d+)M)?(?:(?P<w>\d+)W)?(?:(?P<d>\d+)D)?"
    r"(?:T(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+(?:\.\d+)?)S)?)?|"
    r"(?P<days>\d+) days?,? (?P<hours>\d{1,2}):(?P<minutes>\d\d)(?::(?P<seconds>\d\d(?:\.\d+)?))?"
)
_MIXED = {  # units of which several stand in one column, and what each is worth
    ":": {":": 1.0} | {unit: n for unit, n in _MINUTES.items() if n < _DAY},
    ":::": {"": 1.0, ":": 1.0, "::": 1.0},
    "day": {":": 1 / _DAY} | {unit: n / _DAY for unit, n in _MINUTES.items() if unit != "m"},  # or are these months?
}
_MIXED |= {  # other names of one unit of time: "77 y", "82 yrs"
    name: {unit: 1.0 for unit, n in _MINUTES.items() if n == _MINUTES[name]} for name in ("month", "week", "year")
}
_MIXED |= {  # units of one dimension
    "s": {"\u00b5s": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0},
    "byte": {"byte": 1.0, "b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    **{kind: UNITS[kind] for kind in ("m", "kg", "l", "m²")},
}
_PREFIXES = {
    "n": 1e-9,
    "µ": 1e-6,
    "\u03bc": 1e-6,
    "u": 1e-6,
    "m": 1e-3,
    "": 1.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
}
_PREFIXED = {  # in which small and capital letters differ
    base: {prefix + base: size for prefix, size in _PREFIXES.items()}
    for base in ("M", "V", "A", "W", "Wh", "Hz", "Pa", "J")
}
_ABNORMAL = ("H", "L", "HH", "LL")  # beside numbers of a laboratory: high, low
_MINUTES_OF_A_DAY = 24 * 60  # a clock of two numbers beyond it has minutes and seconds
_FAMILIAR = {unit for units in _MIXED.values() for unit in units if unit.isalpha()}
_SAME_SIZE = 3  # largest ratio of medians
_FEWEST_OF_A_SIZE = 3  # different numbers
_POWER = re.compile("(?<=m)[23]$")  # m2 is m\u00b2

FEET = "'\""  # the unit of 5'4"
_INCH = "[\"\u2033]|''"
_FEET = re.compile(rf"(\d)\s?['\u2032]\s?(\d{{1,2}}(?:\.\d+)?)\s?(?:{_INCH})?")  # 5'4" in inches
_FRACTION = re.compile(rf"(?:(\d+)[ -])?(\d+)/(2|3|4|8|16|32|64)\s?({_INCH}|in(?:ch|ches)?\.?)?", re.IGNORECASE)
_HALVES = re.compile(r"(?<!\d)(\d*) ?([\u00bd\u2153\u2154\u00bc\u00be\u215b\u215c\u215d\u215e])")  # 3\u00bd
_DEGREES = re.compile(  # 52\u00b031'12"N
    rf"(\d{{1,3}}(?:\.\d+)?)\s?\u00b0\s?(?:(\d{{1,2}}(?:\.\d+)?)\s?['\u2032\u2019]\s?)?"
    rf"(?:(\d{{1,2}}(?:\.\d+)?)\s?(?:{_INCH}|\u201d)\s?)?([NSEWO])?"
)
_SEXAGESIMAL = re.compile(r"([+-]?)(\d{1,3}) ([0-5]\d) ([0-5]\d[.,]\d+)")  # +56 27 16.5
_MARK = re.compile(  # of a test or a review
    r"(\d+(?:\.\d+)?)\s?(?:/|out of|of|von|sur)\s?(4|5|6|7|10|15|20|25|30|40|50|60|100)"
    r"(?: (?:stars?|sternen?|points?|punkten?))?",
    re.IGNORECASE,
)
_TO_ONE = re.compile(r"(\d+(?:\.\d+)?)\s?:\s?1")  # 13.2:1, a ratio

_IN_BRACKETS = re.compile(r"^\[(\d+)\??\]$")  # a year that isn't on the title page
_ERROR = re.compile(r"(?<=\d)\s?(?:\u00b1|\+/?-)\s?\d[\d.,]*")  # 1.59 \u00b1 0.05
_ABOUT = re.compile(
    r"^(?:[c\u00a9](?=[12]\d{3}$)|ca\.|ca|circa|approx\.?|about|around|etwa|env\.|environ|[~\u2248\u7d04\u7ea6\uc57d]|"
    r"\u7bc9|(?:\u5f92)?\u6b69)\s?(?=\d)",  # "built 12 years" ago, of a house, and "on foot 5 minutes" to it
    re.IGNORECASE,
)
_AGO = re.compile(  # "3 days ago", "vor 3 Tagen"
    r"^(?:vor|hace|il y a|h\u00e1) (?=\d+\+? [^\W\d_])|"
    r"(?<=[^\W\d_]) (?:ago|geleden|sedan|fa|atr\u00e1s|\u00f6nce|temu)$",
    re.IGNORECASE,
)
_ONE = re.compile(r"^an? (?=[^\W\d_]+$)")  # hour ago
_FLAG = re.compile(  # of statistical offices: 12.3 r is revised, 4.5 bp a break, provisional; 10\u2075 is a power
    r"(?:(?<=\d{3})\s\([^\W\d_]+\)|"  # $12,000 (estimated), but not 10 (very good)
    r"(?<=\d)(?:\s(?:[bpreu]|[bdepru]{2}|\([rpeu]\))|\*+|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+[)\u207e]))$"
)


class _Quantity(NamedTuple):
    """A number with its unit; -1 for the limit of "<0.5", 1 for that of ">100" and "80+"; and what it is marked by."""

    value: float = np.nan
    unit: str = ""
    limit: int = 0
    mark: str = ""


_LABELED = re.compile(r"(\d{1,2})(?: ?[-=:.\u2013] ?| \(?)([^\W\d_][^\d]*)")  # 10 very happy, an end of a scale
LABELED = "a label"  # the unit of such a number
RANGE = "range"  # the mark of one
_TO = re.compile(r"(?<=[^\s(])\s?(?:[-\u2013\u2014~\u301c\uff5e]|\b(?:to|bis|à|a)\b)\s?(?=[\d$\u20ac\u00a3])")
_WIDEST = 10  # times as large the end of a range is as its start, at most


def is_number(text):
    """Whether a text is written as a plain number."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # to Python, 1_2 is 12


def _is_money(unit):
    """Whether a unit is a currency."""
    return re.fullmatch(rf"{_CURRENCY}|{_MONEY}", unit) is not None


def words_of_zero(unit):
    """Words in small letters that are 0 beside numbers of a unit: free among amounts of money, or the ground floor."""
    if _is_money(unit):
        return _FREE
    return _GROUND if unit.lower() in _FLOORS else frozenset()


def quantities(texts, decimal):
    """The number that each text holds.

    Parameters
    ----------
    texts : Series of str
    decimal : {".", ",", ".,"}
        The last one for numbers with either mark.

    Returns
    -------
    DataFrame
        value (the middle of a range), unit, limit (-1 for "<0.5", 1 for ">100" and "80+") and mark, which tells
        notations apart; NaN if a text is not a number.
    """
    distinct = texts.dropna().unique()
    marks = [("," if "," in text else ".") if decimal == EITHER else decimal for text in distinct]
    rows = [_quantity(*pair) or _middle(*pair) or _Quantity() for pair in zip(distinct, marks, strict=True)]
    return pd.DataFrame(rows, distinct, list(_Quantity._fields)).reindex(texts).set_axis(texts.index)


def common_unit(numbers, counts):
    """The unit of most quantities, or one in which all units of time are.

    Parameters
    ----------
    numbers : DataFrame
        As from `quantities`, without NaN.
    counts : Series of int
        How often each of them occurs.

    Returns
    -------
    str
    """
    clocks = numbers["value"][numbers["unit"] == ":"]
    have_seconds = ((clocks >= _MINUTES_OF_A_DAY) | (clocks % 1 > 0)).any()
    if have_seconds and {":"} < {*numbers["unit"]} <= {*_MIXED[":::"]}:
        return ":::"
    units = {singular(unit).lower() for unit in numbers["unit"][numbers["value"] != 0]}
    for unit in ("month", "week", "year", ":", "day", "s", "byte", "m", "kg", "l", "m²"):
        if len(units) > 1 and units <= {*_MIXED[unit]}:
            return unit
    exact = {*numbers["unit"][numbers["value"] != 0]}
    for unit, sizes in _PREFIXED.items():
        if len(exact) > 1 and exact <= {*sizes}:
            return unit
    has_unit = numbers["unit"] != ""
    needs_one = (numbers["value"] != 0) | has_unit | ~has_unit.any()  # 0 beside $4.99 needs none
    frequency = counts[needs_one].groupby(numbers["unit"][needs_one]).sum()
    unit = frequency[frequency.index.map(_stem) == frequency.groupby(_stem).sum().idxmax()].idxmax()
    return ":" if len(clocks) and singular(unit) in _MIXED[":"] else unit


def shared_unit(numbers, counts):
    """The unit that numbers without one have, too, as in "25 years" beside 34; "" if none.

    It is a familiar one, and both kinds of numbers have the same size. Parameters as for `common_unit`.
    """
    has_unit, bare = numbers["unit"] != "", (numbers["unit"] == "") & (numbers["value"] != 0)
    if not has_unit.any() or not bare.any():
        return ""
    unit = common_unit(numbers[has_unit], counts[has_unit])
    familiar = (
        unit in ("%", "x")
        or unit.startswith("/")
        or _is_money(unit)
        or (len(unit) > 1 and singular(unit).lower() in _FAMILIAR)
    )
    values = [in_unit(numbers[has_unit], unit).dropna().abs(), numbers["value"][bare].abs()]
    if not familiar or min(v.nunique() for v in values) < _FEWEST_OF_A_SIZE:
        return ""
    ratio = values[0].median() / values[1].median()
    return unit if 1 / _SAME_SIZE < ratio < _SAME_SIZE else ""


def in_unit(numbers, unit, shared=False, labeled=False):
    """The values of quantities in a unit, perhaps in the plural; NaN for those in another one.

    Zero has any unit, and so has a limit among numbers without one: "over 50 years" beside 49. With ``shared``, all
    numbers without a unit have it; with ``labeled``, numbers with a label need none. Forms of one word are one unit.
    """
    units = numbers["unit"]
    if sizes := _MIXED.get(unit):
        factors = units.map(singular, na_action="ignore").str.lower().map(sizes)
    elif sizes := _PREFIXED.get(unit):
        factors = units.map(sizes)
    else:
        factors = units.map(_stem, na_action="ignore").map({_stem(unit): 1.0})
    of_any = (numbers["limit"] != 0) | units.isin(_ABNORMAL) | (labeled & (units == LABELED))
    any_unit = (((numbers["value"] == 0) | shared) & (units == "")) | (of_any & (unit == ""))
    return numbers["value"] * factors.mask(any_unit, 1)


def _stem(unit):
    """What all forms of a word begin with, such as "pok" of pokój, pokoje and pokoi; other units, in the singular.

    A currency is its sign.
    """
    if sign := WORDS["currency"].get(singular(unit).lower()):
        return sign
    return unit[:3].lower() if len(unit) > 3 and unit.isalpha() else singular(unit)


def notation(text):
    """Unit, and what else is special about a text that looks like a number; None if it doesn't."""
    quantity = _quantity(text, ".") or _quantity(text, ",")
    if quantity and quantity.unit != LABELED:
        return quantity.unit, quantity.mark
    return ("", "unread") if _UNREAD.fullmatch(text) else None


def _middle(text, decimal):
    """The middle of a range, such as "30-60 min"; None for other texts."""
    ends = [_quantity(end, decimal) for end in _TO.split(text)]
    if len(ends) != 2 or None in ends or not 0 <= ends[0].value < ends[1].value <= _WIDEST * max(ends[0].value, 1):
        return None
    units = {end.unit for end in ends} - {""}
    return _Quantity((ends[0].value + ends[1].value) / 2, *units, mark=RANGE) if len(units) < 2 else None


def _quantity(text, decimal):
    """The `_Quantity` that a text holds; None if it is not a number."""
    plain = _with_point(text, decimal)
    if is_number(plain):
        return _Quantity(float(plain), mark=decimal if "." in plain else "")
    if match := _NO_MONEY.fullmatch(text):
        return _Quantity(0.0, match[1] or match[2])
    bare, n_words = _AGO.subn("", text)
    bare = _ONE.sub("1 ", bare) if n_words else bare
    if not any(map(str.isnumeric, bare)):
        return None
    bare = _IN_BRACKETS.sub(r"\1", bare)
    bare = _ERROR.sub("", _FLAG.sub("", _ABOUT.sub("", bare)), count=1)
    for limit, words in _LIMITS.items():
        if match := words.fullmatch(bare):
            quantity = _without_limit(_with_point(match[1] or match[2], decimal), decimal)
            return quantity and quantity._replace(limit=limit, mark="words")
    return _without_limit(_with_point(bare, decimal), decimal)


def _with_point(text, decimal):
    return text.translate(_SWAPPED) if decimal == "," else text


def _without_limit(text, decimal):
    for read in (_clock, _duration, _length, _degrees, _of_marks):
        if quantity := read(text):
            return quantity
    return _number(text, decimal)


def _clock(text):
    text = clock_in_english(text.replace(",", "."))
    if match := _HALF_DAY.fullmatch(text):
        hour, minute, second, half = match.groups(default="0")
        minutes = 60 * (int(hour) % 12 + 12 * (half.lower() == "p")) + int(minute)
        return _Quantity(60 * minutes + int(second), "::") if match[3] else _Quantity(minutes, ":")
    after = _AFTER_CLOCK.search(text)
    clock = text[: after.start()] if after else text
    if not (match := _CLOCK.fullmatch(clock.replace(".", ":") if after and after["day"] else clock)):
        return None
    fields = [float(field) for field in match.groups() if field]
    value = sum(field * 60**power for power, field in enumerate(reversed(fields)))
    per = ((after and after["per"]) or "").replace(" ", "").removeprefix("min")
    return _Quantity(value, ":" * (len(fields) - 1) + per)


def _duration(text):
    """Two or more units of time, from the largest: "1 yr 11 mon", "2h 50m", "PT1H30M"."""
    if match := _ISO.fullmatch(text):
        fields = [(float(n), unit if len(unit) < 3 else unit[0]) for unit, n in match.groupdict().items() if n]
    elif _PARTS_OF_TIME.fullmatch(text):
        fields = [(float(n), singular(unit).lower()) for n, unit in re.findall(_PART_OF_TIME, text)]
        is_long = fields[0][1] in ("y", "yr", "year")
        fields = [(n, "mo" if unit == "m" and is_long else unit) for n, unit in fields]
    else:
        return None
    sizes = [_MINUTES.get(unit, np.nan) for _, unit in fields]
    if not all(one > two for one, two in zip(sizes, [*sizes[1:], 0.0], strict=True)):
        return None
    minutes = sum(n * size for (n, _), size in zip(fields, sizes, strict=True))
    return _Quantity(minutes / _DAY, "day") if sizes[0] >= _DAY else _Quantity(minutes, ":")


def _length(text):
    if match := _FEET.fullmatch(text):
        return _Quantity(12 * float(match[1]) + float(match[2]), FEET)
    match = _FRACTION.fullmatch(text)
    if match and (match[1] or match[4]):  # 3/4 alone may be a date
        return _Quantity(float(match[1] or 0) + float(match[2]) / float(match[3]), '"' if match[4] else "", mark="/")
    return None


def _degrees(text):
    if match := _SEXAGESIMAL.fullmatch(text):
        value = sum(float(part.replace(",", ".")) / 60**power for power, part in enumerate(match.groups()[1:]))
        return _Quantity(-value if match[1] == "-" else value, mark=" ")
    match = _DEGREES.fullmatch(text)
    if not match:
        return None
    value = sum(float(match[part] or 0) / 60**power for power, part in enumerate((1, 2, 3)))
    return _Quantity(-value if match[4] in ("S", "W") else value, "\u00b0")


def _of_marks(text):
    if match := _TO_ONE.fullmatch(text):
        return _Quantity(float(match[1]), ":1")
    match = _MARK.fullmatch(text)
    fits = match and float(match[1]) <= float(match[2])
    return _Quantity(float(match[1]), f"/{match[2]}", mark="/") if fits else None


def _decimal(match):
    return str(float(match[1] or 0) + unicodedata.numeric(match[2]))


def _number(text, decimal):
    factor, word = 1.0, _SCALE_WORD.search(text)
    if word and (scale := word[1].lower().rstrip(".,")) in SCALES:
        factor, text = SCALES[scale], text[: word.start()] + text[word.end() :]
    text = _NEGATIVE_MONEY.sub(r"(\1", _HALVES.sub(_decimal, text))
    match = _NUMBER.fullmatch(text)
    if not match:
        labeled = _LABELED.fullmatch(text)
        return _Quantity(float(labeled[1]), LABELED) if labeled else None
    if match["per"] and not (match["before"] or match["after"]):
        return None  # 12/A is a house
    if match["power"] and "," in match["number"]:
        return None  # 1,429e-01 has a decimal comma
    number = match["number"].replace(match["mark"] or ",", "") + (match["power"] or "")
    negative = match["negative"] or {"-", "\u2212", "\u2013"} & {match["sign"], match["sign2"], match["minus"]}
    scale = match["scale"] or ""
    factor *= _SCALES.get(scale, 1)
    billions = scale != "B" or match["before"] or "." in number  # 12B is a seat
    value = (-1 if negative else 1) * float(number) * (factor if billions else 1)
    after = (match["after"] or "").rstrip(".,").replace("\u2033", '"').replace("\u2032", "'")
    after = _ORDINALS.get(after, after)
    after += (match["per"] or "").replace(" ", "")
    after = _POWER.sub(lambda power: "\u00b2\u00b3"[power[0] == "3"], after)
    unit = (match["before"] or "").replace("\\", "\u00a5") + ("" if billions else scale) + after
    at_least = match["limit"] or match["more"] or match["plus"]
    limit = -1 if (match["limit"] or "")[:1] in {"<", "\u2264"} else int(bool(at_least))
    mark = match["limit"] or match["negative"] or match["mark"] or ("." if "." in text else "")
    if decimal == ",":
        unit, mark = unit.translate(_SWAPPED), mark.translate(_SWAPPED)
    return _Quantity(value, unit, limit, mark)
