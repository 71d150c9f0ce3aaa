"""Numbers in sentences and cells as they are printed: powers of ten, minus signs, no words of Python."""

import re

# A number as Python writes it, with a mantissa of one digit before the point: hashes and names have longer ones.
SCIENTIFIC = re.compile(r"(?<![\w.])(\d(?:\.\d+)?)e([+-]?\d{1,3})(?![\w.]*\w)")
MINUS = re.compile(r"(?<![\w.)\]⁻])-(?=\.?\d|inf\b)")
NEGATIVE_ZERO = re.compile(r"−(0(?:\.0+)?)(?![\d.])")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def superscript(number):
    """An exponent's digits: -14 gives ``⁻¹⁴``."""
    return str(int(number)).translate(SUPERSCRIPTS)


def typeset(text):
    """Write the numbers of a text in the signs of print.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        ``4e-14`` as 4 × 10⁻¹⁴, ``1e-6`` as 10⁻⁶, ``2e-1`` as 0.2, a hyphen before a number as a minus sign, ``-0.0`` as
        0.0, ``inf`` as ∞.
    """

    def power(match):
        mantissa, exponent = match.groups()
        if int(exponent) in (-1, 0):
            return f"{float(match[0]):g}"
        return ("" if float(mantissa) == 1 else f"{mantissa} × ") + f"10{superscript(exponent)}"

    text = NEGATIVE_ZERO.sub(r"\1", MINUS.sub("−", SCIENTIFIC.sub(power, text)))
    return re.sub(r"\binf\b", "∞", text)


def duration(seconds):
    """A duration in words, in the unit that suits it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
