"""Fills the templates of this folder: the page, the answer in words, and the lines that rebuild the model."""

import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fscore.report.traps import counted, listed

__all__ = ["render"]

_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]")


def render(name, **what):
    """Fill a template; in the page, what is filled in is text, whatever it looks like.

    Parameters
    ----------
    name : {"page.html", "answer.txt", "rebuild.txt"}
    **what
        What the template names.

    Returns
    -------
    str
    """
    environment = Environment(
        loader=PackageLoader("fscore.report", "."),
        autoescape=name.endswith(".html"),
        finalize=_visible if name.endswith(".html") else None,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"place": _place, "counted": counted, "listed": listed, "interval": _interval}
    return environment.get_template(name).render(**what)


def _visible(value):
    """Text without control characters, and without those that reverse its direction."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else _HIDDEN.sub("", value)


def _place(value, low, high, start, end):
    """Where a value lies between two coordinates, at most at their ends."""
    share = (value - low) / (high - low) if high > low else 0.5
    return round(start + (end - start) * min(max(share, 0.0), 1.0), 1)


def _interval(estimate, digits=2):
    """Value and interval in one phrase."""
    return f"{estimate.value:.{digits}f} ({estimate.lower:.{digits}f} to {estimate.upper:.{digits}f})"
