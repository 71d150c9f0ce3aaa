"""Numbers and dates that stand for a missing value, such as -999 and 1900-01-01."""

import re
from collections import defaultdict

import numpy as np

from .words import any_of

__all__ = ["LARGEST", "codes_of_a_column", "codes_of_several_columns"]

_CODES: set[float] = {sign * int("9" * digits) for digits in (2, 3, 4, 5, 6) for sign in (1, -1)} | {-1, -9}
_CODES |= {sign * nines for nines in (99.9, 999.9, 9999.9, 99.99, 999.99) for sign in (1, -1)}
# Where they lie very far from the rest.
_MORE_CODES = {*(-7, -8, -77, -88, -97, -98, -888), *(77, 88, 97, 98, 777, 888, 997, 998, 7777, 8888, 9997, 9998)}
_MORE_CODES |= {77777, 88888, 99997, 99998}
_NO_YEAR = {0, 1, 1111}  # in a column of years, by its name
_UNANSWERED = {7, 8, 9}  # beside yes and no
_CODE_DAYS = {
    float(np.datetime64(day).astype(int))
    for day in ("0001-01-01", "1753-01-01", "1899-12-30", "1900-01-01", "1970-01-01", "2999-12-31", "9999-12-31")
}

_FEW = 10  # fewest other values for a code to count as one for missing
_FEWEST_CODED = 3  # rows
_VERY_FAR = 5  # ranges of all other numbers, beyond which a known code may be rare
_FAR = 1000  # ranges of all other numbers, beyond which one is impossible, such as an age of 99999999999
LARGEST = 1e50  # the variance of squared errors of larger numbers would overflow


def codes_of_a_column(values, kind):
    """Values of a column that stand for a missing one.

    They lie far from all numbers that cannot be codes, or are the only negative ones and don't just follow zero; or, if
    they are dates, are far more frequent. One of them repeats: three times if it lies very far, else in more rows. Or
    they are too large to compute with.

    Parameters
    ----------
    values : Series of float64
        Numbers, or days since 1970.
    kind : {"number", "date"}

    Returns
    -------
    tuple of float
        Infinite for all that are too large.
    """
    present = values.dropna().to_numpy()
    huge = np.abs(present) >= LARGEST
    codes = [np.inf] if huge.any() else []
    distinct, counts = np.unique(present[~huge], return_counts=True)
    known = [*_CODES, *_MORE_CODES] if kind == "number" else [*_CODE_DAYS]
    if kind == "number" and re.search(any_of("years"), str(values.name), re.IGNORECASE):
        known += _NO_YEAR
    may_be = np.isin(distinct if kind == "number" else distinct // 1, known)
    others, n_others = distinct[~may_be], counts[~may_be]
    found, repeats = [], False
    for code, n_coded in zip(distinct[may_be], counts[may_be], strict=True) if n_others.sum() >= _FEW else ():
        rest = distinct[distinct != code]
        if len(rest) <= 2:
            continue
        low, high = others[0], others[-1]
        distance = max(code - high, low - code)
        is_frequent = kind == "date" and n_coded > 5 * n_others.max()
        is_alone = code not in _MORE_CODES and may_be.sum() == 1
        is_only_negative = kind == "number" and code < 0 and others[0] >= max(code + 2, 0)
        far = max(high - low, 1.0 if is_alone else abs(code) / 2)
        if is_frequent or is_only_negative or distance > far:
            found.append(float(code))
            is_very_far = n_coded >= _FEWEST_CODED and distance > _VERY_FAR * (high - low)
            repeats |= is_very_far or _is_frequent(n_coded, counts.sum())
    codes += found if repeats else []
    return tuple(sorted({*codes, *(_isolated(distinct, _FAR) if kind == "number" else ())}))


def codes_of_several_columns(numbers, known):
    """Numbers that stand for a missing value, as only the other columns of a table tell.

    A number such as -200 that two columns have beyond all others, at more than their range, or one of them as the only
    negative one; in others, it is missing where it is the only negative one. A code that other columns have, beside two
    values; and 7, 8 and 9 beside 1 and 2, or 0 and 1, in two columns, or two of them in one.

    Parameters
    ----------
    numbers : dict of str to Series of float64
        The columns of numbers, without missing values.
    known : dict of str to tuple of float
        Codes that each of these has by itself, as from `codes_of_a_column`.

    Returns
    -------
    dict of str to tuple of float
        Of columns without such codes of their own.
    """
    uncoded = {name: values for name, values in numbers.items() if not known[name]}
    distinct = {name: np.unique(values) for name, values in uncoded.items()}
    isolated, only_negative = defaultdict(list), defaultdict(list)
    for name, values in uncoded.items():
        for code in _isolated(distinct[name], 1):
            if abs(code) > 1 and _is_frequent((values == code).sum(), len(values)):
                isolated[code].append(name)
        negative = distinct[name][distinct[name] < 0]
        if len(negative) == 1 and len(distinct[name]) > 2 and _is_frequent((values == negative[0]).sum(), len(values)):
            only_negative[negative[0]].append(name)
    missing = {}
    for code, names in isolated.items():
        others = only_negative[code]
        if len(names) > 1 or names[0] in others:
            missing |= dict.fromkeys([*names, *others], (code,))
    answers = {name: set(values) for name, values in distinct.items() if len(values) <= 2 + len(_UNANSWERED)}
    coded = {n: tuple(sorted(a & _UNANSWERED)) for n, a in answers.items() if a - _UNANSWERED in ({0, 1}, {1, 2})}
    coded = {name: codes for name, codes in coded.items() if codes}
    missing |= coded if len(coded) > 1 else {name: codes for name, codes in coded.items() if len(codes) > 1}
    finite = {code for codes in known.values() for code in codes if not np.isinf(code)}
    for name, three in answers.items():
        if len(three) == 3 and len(codes := finite & three) == 1 and codes != {sorted(three)[1]}:
            missing[name] = tuple(codes)
    return {name: tuple(map(float, codes)) for name, codes in missing.items()}


def _is_frequent(n_coded, n):
    return n_coded >= max(_FEWEST_CODED, 0.005 * n)


def _isolated(distinct, ranges):
    """The smallest and largest of different numbers, each if it lies so many ranges of all others away from them."""
    for end, rest in ((distinct[:1], distinct[1:]), (distinct[-1:], distinct[:-1])):
        if len(rest) > _FEW and np.abs(rest[[0, -1]] - end).min() > ranges * np.ptp(rest):
            yield float(end[0])
