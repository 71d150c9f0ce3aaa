"""Texts with digits that are no quantities: names of things, such as codes and versions, and levels of a scale."""

import re

import numpy as np

from .texts import SUPPRESSED

__all__ = [
    "EXACT",
    "FEWEST_NUMBERS",
    "LEVEL_SHARE",
    "MOST_CATEGORIES",
    "are_bar_codes",
    "are_dilutions",
    "are_names",
    "are_versions",
    "make_categories",
]

EXACT = 2**53  # beyond it, floats skip whole numbers
FEWEST_NUMBERS = 3  # different ones; beside fewer, other texts are not missing
LEVEL_SHARE = 0.05  # of the values, from which a word among numbers, or for "missing", may be a category
MOST_CATEGORIES = 20  # more different words than this may be free text
_MOST_LEVELS = 9  # numbers, beside which words may be levels, too
_MOST_GRADES = 30
_MANY, _LONG = 20, 1e11  # different numbers that are all as large
_FEWEST_PLACES = 5  # "1st", "2nd" and "3rd" are categories
_CODES_SHARE = 0.05  # share of whole numbers with a leading zero, from which they are codes
_LEVEL_ROWS = 5  # of a level on average, from which words beside few numbers are levels
_DILUTIONS = [base**k for base in (2, 5, 10) for k in range(12)]


def make_categories(counts, values, unit, others):
    """Whether the texts beside numbers make these categories, too.

    Words are levels beside few whole numbers: 1, 2, 3 and "very much". V27 and E849 make 250.83 a code, and A and B
    make 1 to 5 one.

    Parameters
    ----------
    counts : Series of int
        How often each text occurs.
    values : Series of float64
        The numbers among the texts.
    unit : str
        Of the numbers.
    others : Index of str
        Texts that are neither numbers nor mark a suppressed one, at least one.

    Returns
    -------
    bool
    """
    are_whole = (values % 1 == 0).all()
    are_words = not others.str.contains(r"\d").any()
    is_often = counts[others].sum() > LEVEL_SHARE * counts.sum() and counts.sum() >= _LEVEL_ROWS * len(counts)
    if are_words and are_whole and not unit and is_often and values.nunique() <= _MOST_LEVELS:
        return True
    codes = others.str.fullmatch(r"[A-Za-z]{1,2}[-.]?\d[\d.]*[A-Za-z]?")
    letters = counts.index[counts.index.str.fullmatch("[A-Za-z]")].str.lower()
    are_letters = are_whole and not set(letters) <= SUPPRESSED
    return ((codes.sum() >= 2 or is_often) and codes.mean() > 0.5) or (
        are_letters and values.nunique() <= MOST_CATEGORIES
    )


def are_names(counts, values, unit):
    """Whether numbers name things: codes, places in a race, grades or versions. Parameters as of `make_categories`."""
    if unit in ("th", "e") and values.nunique() <= _FEWEST_PLACES:
        return True
    are_codes = _are_codes(counts[values.index], values) and not _are_times_or_directions(counts.index)
    return are_codes or _are_grades(counts.index) or are_versions(counts.index)


def are_bar_codes(numbers):
    """Whether numbers are those of chips, bar codes and the like: many, of the same twelve digits or more."""
    if not numbers.min() >= _LONG or numbers.nunique() < _MANY or not (numbers % 1 == 0).all():
        return False
    return np.floor(np.log10(numbers)).nunique() == 1


def are_dilutions(texts):
    """Whether all texts are dilutions, such as 1:10, 1:20 and 1:40, which are no clock."""
    dilutions = [int(text[2:]) for text in texts if re.fullmatch(r"1:[1-9]\d*", text)]
    steps = np.array(dilutions) / min(dilutions, default=1)
    return len(dilutions) == len(texts) >= FEWEST_NUMBERS and bool(np.isin(steps, _DILUTIONS).all())


def are_versions(texts):
    """Whether texts such as 20.9 and 20.10 are versions, by the name of their column."""
    return bool(re.search("version|release", str(texts.name), re.IGNORECASE)) and texts.str.fullmatch(r"\d+\.\d+").all()


def _are_codes(counts, values):
    """Whether numbers are codes: 00123, or more digits than a float holds."""
    in_digits = counts.index.str.fullmatch(r"[+-]?\d[\d.,' \u2019]*")
    whole = counts[counts.index.str.fullmatch(r"[+-]?\d+")]
    zeros = whole[whole.index.str.fullmatch(r"0\d+")]
    return (values[in_digits].abs() >= EXACT).any() or zeros.sum() >= max(1, _CODES_SHARE * whole.sum())


def _are_times_or_directions(texts):
    """Whether texts such as 0825, 082500 or 030 are times of day or directions, by the name of their column."""
    name = str(texts.name)
    is_clock = re.search(r"time|hour|uhr|heure|hora|(?<![a-z])std", name, re.IGNORECASE)
    if is_clock and texts.str.fullmatch(r"([01]\d|2[0-4])([0-5]\d){1,2}").all():
        return True
    is_direction = re.search("wind(?!ow)|heading|bearing|azimuth|dir(ection)?$|kn?ts?$", name, re.IGNORECASE)
    return bool(is_direction) and texts.str.fullmatch(r"\d{2,3}").all()


def _are_grades(texts):
    """Whether texts such as 2+, 2 and 2- are grades, of which the better may have the smaller number; also "ill"."""
    of_digits = texts[texts.str.contains(r"\d")]
    if len(of_digits) > _MOST_GRADES or not of_digits.str.fullmatch(r"\d[+-]?").all():
        return False
    return {"+", "-"} <= set(of_digits.str[-1])
