"""Statements: each is one sentence of a paper made testable, and one function decides all of them.

A statement has an estimate, its interval, and the side of a threshold on which the paper says it lies. It *holds* if
the interval lies on that side, *fails* if it lies on the other, and is *undecided* if the interval contains the
threshold::

    mean_of("lead of ERLVQ on Iris", leads, "sets of codebooks", above=0, unit="points")

The statements of one claim are decided together, by Holm's procedure: if none were true of the world or all lay on
their thresholds, any of them would be decided in at most 5 % of the experiments.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from compendium.inference import mean_interval, share_interval

LEVEL = 0.95  # of all intervals of one claim together
SIDES = ("holds", "fails", "undecided")


@dataclass(frozen=True)
class Statement:
    """One testable sentence.

    Attributes
    ----------
    what : str
        What is estimated, in at most ten words.
    estimate : float
    interval : callable
        Maps a level, such as 0.95, to the bounds of the interval.
    n : int
        Number of independent units behind the interval.
    of : str
        What these units are, such as "data sets"; empty for a fact, which chance has no part in.
    above, below : float
        The claimed side: above a threshold, below one, or between two. Infinite where there is none.
    unit : str
        Of the estimate: "points", "%", or empty for a pure number.
    possible : tuple of float
        Bounds of what the estimate can be, such as (-1, 1) for a correlation. The interval ends there.
    """

    what: str
    estimate: float
    interval: Callable
    n: int
    of: str
    above: float = -math.inf
    below: float = math.inf
    unit: str = ""
    possible: tuple = (-math.inf, math.inf)


@dataclass(frozen=True)
class Decided:
    """A statement with its interval and the answer: "holds", "fails" or "undecided"."""

    what: str
    estimate: float
    low: float
    high: float
    above: float
    below: float
    n: int
    of: str
    unit: str
    level: float
    answer: str

    @property
    def exact(self):
        """Whether it is a fact, which chance has no part in."""
        return not self.of

    @property
    def claimed(self):
        """The claimed side in words: "above 0.5"."""
        ends = [f"{end:.4g}" for end in (self.above, self.below) if math.isfinite(end)]
        singular = ends in (["1"], ["-1"])
        unit = f" {self.unit.removesuffix('s') if singular else self.unit}" if self.unit and ends != ["0"] else ""
        if len(ends) == 2:
            return f"between {ends[0]} and {ends[1]}{unit}"
        return f"{'above' if math.isfinite(self.above) else 'below'} {ends[0]}{unit}"

    @property
    def measured(self):
        """The estimate and its interval in words: "3.1 points (1.2 to 5.0)"."""
        if math.isnan(self.estimate):
            return "not measured"
        said = f"{self._number(self.estimate)} {self.unit}".strip()
        if self.exact:
            return said
        if self.n < 2 or not (math.isfinite(self.low) and math.isfinite(self.high)):
            return f"{said} (too few {self.of} for an interval)"
        return f"{said} ({self._number(self.low)} to {self._number(self.high)})"

    def _number(self, value):
        """A number with the digits that the width of its interval leaves meaning to."""
        width = self.high - self.low
        if value == 0 or not 1e-3 < width < math.inf:
            return f"{value:.2g}"
        return f"{value:.{max(1 - math.floor(math.log10(width)), 0)}f}"


def mean_of(what, values, of, *, interval=mean_interval, **claimed):
    """A statement about a mean, with Student's interval or another of `compendium.inference`.

    Parameters
    ----------
    what : str
    values : array-like
        One per independent unit; missing ones are left out.
    of : str
        What the units are.
    interval : callable
        Maps values and ``level`` to an interval.
    **claimed
        ``above``, ``below``, ``unit`` and ``possible`` of `Statement`.

    Returns
    -------
    Statement

    Examples
    --------
    >>> from compendium.statements import decide, mean_of
    >>> decide([mean_of("gain", [1.0, 2.0, 3.0, 2.0], "data sets", above=0)])[0].answer
    'holds'
    """
    x = np.asarray(values, dtype=float)
    x = x[~np.isnan(x)]
    mean = float(x.mean()) if len(x) else math.nan
    return Statement(what, mean, lambda level: interval(x, level=level), len(x), of, **claimed)


def share_of(what, successes, n, of, **claimed):
    """A statement about a share in percent, with its exact interval; parameters as for `mean_of`."""

    def interval(level):
        return tuple(100 * bound for bound in share_interval(successes, n, level))

    share = 100 * successes / n if n else math.nan
    return Statement(what, share, interval, int(n), of, unit="%", **claimed)


def fact(what, value, **claimed):
    """A statement that chance has no part in: a count, or a largest deviation."""
    value = float(value)
    return Statement(what, value, lambda level: (value, value), 0, "", **claimed)


def side(low, high, above=-math.inf, below=math.inf):
    """Whether an interval lies on the claimed side of its thresholds.

    Parameters
    ----------
    low, high : float
        The interval; a bound that is NaN leaves the answer open.
    above, below : float
        The claimed side.

    Returns
    -------
    str
        "holds" if all of the interval lies above ``above`` and below ``below``, "fails" if it lies on the other side of
        one of them, else "undecided".

    Examples
    --------
    >>> from compendium.statements import side
    >>> side(0.2, 0.9, above=0), side(-0.9, -0.2, above=0), side(-0.1, 0.9, above=0)
    ('holds', 'fails', 'undecided')
    """
    if (above == -math.inf or low > above) and (below == math.inf or high < below):
        return "holds"
    return "fails" if high < above or low > below else "undecided"


def decide(statements, level=LEVEL):
    """Decide the statements of one claim together.

    Parameters
    ----------
    statements : list of Statement
    level : float, default=0.95

    Returns
    -------
    list of Decided
        In the same order. Each has the interval that decided it. A statement without a threshold is left out: the paper
        prints none for a user's data.

    Notes
    -----
    Holm's procedure [1]_, with intervals in place of p-values: all k statements get intervals of level 1 - 0.05 / k.
    Those that are decided leave, the others get intervals for their smaller number, until none is decided. The
    probability of any wrong decision is at most 5 %. Facts are not counted: they can't be wrong by chance.

    References
    ----------
    .. [1] Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6.
    """
    statements = [s for s in statements if not (math.isnan(s.above) or math.isnan(s.below))]
    rows = {k: _decided(s, level) for k, s in enumerate(statements) if not s.of}
    waiting = [k for k in range(len(statements)) if k not in rows]
    while waiting:
        joint = 1 - (1 - level) / len(waiting)
        found = {k: _decided(statements[k], joint) for k in waiting}
        left = [k for k in waiting if found[k].answer == "undecided"]
        rows |= found
        if left == waiting:
            break
        waiting = left
    return [rows[k] for k in range(len(statements))]


def _decided(statement, level):
    s = statement
    low, high = map(float, np.clip(s.interval(level), *s.possible))
    answer = side(low, high, s.above, s.below)
    if not s.of and answer == "undecided":  # a fact on its threshold
        answer = "fails"
    return Decided(s.what, float(s.estimate), low, high, s.above, s.below, s.n, s.of, s.unit, level, answer)
