"""Texts of a table: cleaned, with every usual spelling of a missing value, and words for yes and no."""

import re
import unicodedata
from string import ascii_lowercase

import numpy as np
import pandas as pd

from .words import WORDS

__all__ = [
    "MISSING",
    "MISSING_OF_PANDAS",
    "SUPPRESSED",
    "TRUTH",
    "TRUTH_OF",
    "clean",
    "cleaned",
    "column_names",
    "is_missing",
]

# Usual spellings of a missing value, in lower case; .a to .z are those of Stata and SAS.
MISSING = frozenset([*WORDS["missing"], *(f".{letter}" for letter in ascii_lowercase)])
MISSING_OF_PANDAS = WORDS["missing_of_pandas"]
SUPPRESSED, TRUTH = frozenset(WORDS["suppressed"]), WORDS["yes_and_no"]
TRUTH_OF = {word: 1.0 - index % 2 for words in [*TRUTH, "1 0"] for index, word in enumerate(words.split())}
_OTHER_SIGNS = {0xFEE0 + ord(sign): sign for sign in "0123456789.,-+%"} | {0xFFE5: "\u00a5", 0x2103: "\u00b0C"}
_OTHER_SIGNS |= {zero + digit: str(digit) for zero in (0x660, 0x6F0) for digit in range(10)}  # Arabic, Persian
_OTHER_SIGNS |= {0x66A: "%", 0x66B: ".", 0x66C: ","}
_OTHER_SIGNS |= {sign: unicodedata.normalize("NFKC", chr(sign)) for sign in range(0x3371, 0x33E0)}  # ㎡, ㎏


_YEAR_ZERO = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民國": 1911, "民国": 1911}
_ERA = re.compile(rf"({'|'.join(_YEAR_ZERO)})\s?(\d{{1,3}}|元)(?=\s?[年./-])")  # of Japan and Taiwan


def clean(value):
    """A text without outer, repeated and invisible characters, composed (NFC), with European digits and years."""
    text = str(value)
    if not text.isascii():
        text = "".join(filter(_is_visible, unicodedata.normalize("NFC", text))).translate(_OTHER_SIGNS)
        text = _ERA.sub(_in_western_years, text)
    return " ".join(text.split())


def _in_western_years(era):
    return str(_YEAR_ZERO[era[1]] + (1 if era[2] == "元" else int(era[2])))


def _is_visible(character):
    """Whether a character is neither a format character, such as a zero-width space, nor a variation selector."""
    return unicodedata.category(character) != "Cf" and not "\ufe00" <= character <= "\ufe0f"


def is_missing(text):
    """Whether a text spells a missing value."""
    return clean(text).lower() in MISSING


def cleaned(column, level=""):
    """Cleaned text; missing values in any usual spelling but one are NaN; whole numbers are written without a point."""
    if pd.api.types.is_float_dtype(column):
        column = column.map(lambda value: f"{value:.15g}", na_action="ignore")
    codes, distinct = pd.factorize(column.astype(object))
    missing = MISSING - ({level} if level else set())
    texts = [np.nan if text.lower() in missing else text for text in map(clean, distinct)]
    texts = np.array([*texts, np.nan], dtype=object)
    return pd.Series(texts[codes], index=column.index, name=column.name, dtype=object)


def column_names(header):
    """Names of columns: cleaned; repeated and empty ones as `pandas.read_csv` calls them: "x.1", "Unnamed: 2".

    Parameters
    ----------
    header : sequence of str

    Returns
    -------
    list of str
    """
    names = [clean(name) or f"Unnamed: {number}" for number, name in enumerate(header)]
    taken, unique = set(names), []
    for name in names:
        made, number = name, 0
        while made in unique or (number and made in taken):
            number += 1
            made = f"{name}.{number}"
        unique.append(made)
    return unique
