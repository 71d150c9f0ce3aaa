"""Statements: each is one sentence of a paper made testable, and one function decides all of them.

A statement has an estimate, its interval, and the side of a threshold on which the paper says it lies. It *holds* if
the interval lies on that side and *fails* if it lies on the other. An effect that the paper calls better or worse and
whose interval lies within a margin around the threshold is *no effect*. Otherwise the answer is *undecided*::

    mean_of("lead of ERLVQ on Iris", leads, "sets of codebooks", above=0, margin=POINT, unit="points")

All intervals have the level 95%. A claim is its primary statements, all of which must hold; an intersection needs no
correction for their number. Secondary statements are shown beside them and decide nothing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from compendium.inference import (
    bootstrap_interval,
    mean_interval,
    mean_over_groups_interval,
    random_effects,
    share_interval,
)

LEVEL = 0.95  # of each interval
SIDES = ("holds", "fails", "no effect", "undecided")
# The margin, declared once: what is smaller is equivalent to nothing.
POINT = 1.0  # points of accuracy
INDEX = 0.05  # of an index between 0 and 1, or of a correlation
ALMOST_ALL = 80  # percent: what "nearly every" and "almost all" need
SETS = "data sets"  # units of which a paper speaks in general


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
    margin : float
        Distance from the only threshold within which an effect is none; 0 where the threshold is a margin itself.
    secondary : bool
        Whether the claim does not hang on it: it is stricter than the paper's sentence, or stands beside it.
    tau : float
        Standard deviation of true values between the units; NaN if it is unknown.
    prediction : tuple of float
        Interval in which the true value of one more unit lies; empty if it is unknown.
    """

    what: str
    estimate: float
    interval: Callable = field(compare=False)
    n: int
    of: str
    above: float = -math.inf
    below: float = math.inf
    unit: str = ""
    possible: tuple = (-math.inf, math.inf)
    margin: float = 0.0
    secondary: bool = False
    tau: float = math.nan
    prediction: tuple = ()

    def __post_init__(self):
        if math.isinf(self.above) and math.isinf(self.below):
            raise ValueError(f"the statement {self.what!r} has no threshold; give above, below or both.")


@dataclass(frozen=True, kw_only=True)
class Decided(Statement):
    """A statement with the bounds of its interval and the answer, one of `SIDES`."""

    low: float
    high: float
    answer: str

    @property
    def exact(self):
        """Whether it is a fact, which chance has no part in."""
        return not self.of

    @property
    def about(self):
        """What it speaks of: "in general", of all data sets like these, or "on these data sets"."""
        return "in general" if self.of == SETS else "on these data sets"

    @property
    def sets(self):
        """How many data sets it is about, in words: "12 data sets"."""
        return f"{self.n} data set{'s' * (self.n > 1)}"

    @property
    def threshold(self):
        """The threshold, of two the nearer one."""
        finite = [end for end in (self.above, self.below) if math.isfinite(end)]
        return min(finite, key=lambda end: abs(self.estimate - end))

    @property
    def on_claimed_side(self):
        """Whether the estimate lies on the claimed side of the threshold, whatever its interval."""
        return self.above < self.estimate < self.below

    @property
    def negligible(self):
        """Whether it holds, but by less than the margin."""
        farthest = max(abs(end - self.threshold) for end in (self.low, self.high))
        return self.answer == "holds" and farthest < self.margin

    @property
    def needed(self):
        """What it needs to hold, in words: "above 0.5"."""
        ends = [f"{end:.4g}" for end in (self.above, self.below) if math.isfinite(end)]
        singular = ends in (["1"], ["-1"])
        unit = "" if ends == ["0"] else self.unit.removesuffix("s") if singular else self.unit
        if len(ends) == 2:
            return f"between {ends[0]} and {_with_unit(ends[1], unit)}"
        return f"{'above' if math.isfinite(self.above) else 'below'} {_with_unit(ends[0], unit)}"

    @property
    def measured(self):
        """The estimate and its interval in words: "3.1 points (1.2 to 5.0)"."""
        if math.isnan(self.estimate) or self.exact:
            return self.estimated
        if self.n < 2 or not (math.isfinite(self.low) and math.isfinite(self.high)):
            return f"{self.estimated} (too few {self.of} for an interval)"
        return f"{self.estimated} ({self.digits(self.low)} to {self.digits(self.high)})"

    @property
    def estimated(self):
        """The estimate with its unit, in the digits that its interval leaves meaning to: "3.12 points"."""
        return "not measured" if math.isnan(self.estimate) else _with_unit(self.digits(self.estimate), self.unit)

    @property
    def number(self):
        """The estimate with its unit, as a sentence says it: "3.1 points", "82%", with two digits at most."""
        text = self.digits(self.estimate)
        if "." in text and "e" not in text and float(text):
            wanted = max(1 - math.floor(math.log10(abs(float(text)))), 0)
            text = f"{self.estimate:.{min(wanted, len(text.partition('.')[2]))}f}"
        return _with_unit(text, self.unit)

    @property
    def change(self):
        """The estimate with its unit and its sign: "+3.1 points"."""
        return self.number if self.estimate < 0 else f"+{self.number}"

    @property
    def moved(self):
        """The estimate as a change: "rose by 3.1 points"."""
        return f"{'fell' if self.estimate < 0 else 'rose'} by {self.number.removeprefix('-')}"

    def difference(self, more, less):
        """The estimate in words: "3.1 points higher"."""
        return f"{self.number.removeprefix('-')} {less if self.estimate < 0 else more}"

    def digits(self, value):
        """A number with the digits that the width of its interval leaves meaning to."""
        width, value = self.high - self.low, value or 0.0
        if self.exact and 1e-3 <= abs(value) < 1e4:
            return f"{value:.3g}"
        if value == 0 or not 1e-3 < width < math.inf:
            return f"{value:.2g}" if abs(value) < 99.5 else f"{value:.0f}"
        text = f"{value:.{max(1 - math.floor(math.log10(width)), 0)}f}"
        return text if float(text) else text.removeprefix("-")  # no negative zero


def _with_unit(number, unit):
    return f"{number}{'' if unit == '%' else ' '}{unit}".strip()


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
        ``above``, ``below``, ``unit``, ``possible``, ``margin`` and ``secondary`` of `Statement`.

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


def means_of(what, values, of, **claimed):
    """Secondary statements about several means.

    Parameters
    ----------
    what : str
        With braces for the name of each: ``"gain on {}"``.
    values : dict of str to array-like
    of : str
    **claimed
        As for `mean_of`.
    """
    return [mean_of(what.format(name), each, of, secondary=True, **claimed) for name, each in values.items()]


def statistic_of(what, sample, statistic, of, **claimed):
    """A statement about any statistic of a sample, with its bootstrap interval.

    Parameters
    ----------
    what : str
    sample : array-like
        One row per independent unit.
    statistic : callable
        Maps rows to a number.
    of : str
    **claimed
        As for `mean_of`.
    """
    sample = np.asarray(sample)

    def interval(level):
        return bootstrap_interval(sample, statistic, level)

    return Statement(what, statistic(sample), interval, len(sample), of, **claimed)


def share_of_means(what, sample, of, threshold=0.0, **claimed):
    """A statement about the share of columns whose mean over the units (rows) is above a threshold, in percent."""

    def share(sample):
        return 100 * np.mean(sample.mean(axis=0) > threshold)

    return statistic_of(what, sample, share, of, unit="%", possible=(0, 100), **claimed)


def share_of(what, successes, n, of, **claimed):
    """A statement about a share in percent, with its exact interval; parameters as for `mean_of`."""

    def interval(level):
        return tuple(100 * bound for bound in share_interval(successes, n, level))

    share = 100 * successes / n if n else math.nan
    return Statement(what, share, interval, int(n), of, unit="%", possible=(0, 100), **claimed)


def fact(what, value, **claimed):
    """A statement that chance has no part in: a count, or a largest deviation."""
    value = float(value)
    return Statement(what, value, lambda level: (value, value), 0, "", **claimed)


def over_sets(what, values, **claimed):
    """Statements about a mean over data sets in general and, if they were measured repeatedly, over these.

    In general, a random-effects model tells differences between data sets from chance within them, see
    `compendium.inference.random_effects`; for these, chance within them is all that counts. Where no data set was
    measured twice, the two can't be told apart, and Student's interval over the data sets is all there is.

    Parameters
    ----------
    what : str
    values : Series
        Independent measurements with a level ``dataset``; missing ones are left out.
    **claimed
        As for `mean_of`, for both statements.

    Returns
    -------
    list of Statement
        In general; on these data sets.
    """
    values = values.dropna()
    groups = values.index.get_level_values("dataset")
    if not groups.has_duplicates:
        general = mean_of(what, values, SETS, **claimed)
        low, high = general.interval(LEVEL)
        reach = (high - low) / 2 * math.sqrt(len(values) + 1)
        ahead = (general.estimate - reach, general.estimate + reach) if math.isfinite(reach) else ()
        return [replace(general, prediction=ahead)]
    found, mean = random_effects(values, groups), float(values.groupby(groups).mean().mean())
    more = {"tau": found.tau, "prediction": found.prediction(LEVEL)}

    def interval(level):
        return mean_over_groups_interval(values, groups, level)

    return [
        Statement(what, found.mean, found.interval, found.n, SETS, **more, **claimed),
        Statement(f"{what}, on these data sets", mean, interval, len(values), "measurements", **claimed),
    ]


def each_over_sets(what, values, **claimed):
    """Secondary statements as from `over_sets` about several means, with braces in ``what`` for the name of each."""
    return [s for name, each in values.items() for s in over_sets(what.format(name), each, secondary=True, **claimed)]


def secondary(statements):
    """The same statements as secondary ones."""
    return [replace(statement, secondary=True) for statement in statements]


def least_of(what, samples, of, **claimed):
    """A statement that the smallest of several means lies above a threshold.

    It holds if each mean alone does at the level: an intersection, which needs no correction. It fails if one does at
    the level of all of them together, because that one was chosen (Bonferroni).

    Parameters
    ----------
    what : str
    samples : list of array-like
    of : str
    **claimed
        As for `mean_of`.
    """
    samples = [np.asarray(sample, dtype=float) for sample in samples]
    chosen = min(samples, key=np.mean)

    def interval(level):
        joint = 1 - (1 - level) / len(samples)
        return min(mean_interval(x, level)[0] for x in samples), min(mean_interval(x, joint)[1] for x in samples)

    return Statement(what, float(chosen.mean()), interval, len(chosen), of, **claimed)


def side(low, high, above=-math.inf, below=math.inf, margin=0.0):
    """Where an interval lies.

    Parameters
    ----------
    low, high : float
        The interval; a bound that is NaN leaves the answer open.
    above, below : float
        The claimed side.
    margin : float, default=0
        Distance from the threshold within which an effect is none.

    Returns
    -------
    str
        "holds" if all of the interval lies above ``above`` and below ``below``; else "no effect" if it lies within the
        margin around the threshold, "fails" if it lies on the other side of one of them, and "undecided".

    Examples
    --------
    >>> from compendium.statements import side
    >>> side(0.2, 0.9, above=0), side(-0.9, -0.2, above=0), side(-0.1, 0.9, above=0)
    ('holds', 'fails', 'undecided')
    >>> side(-0.1, 0.9, above=0, margin=1), side(-0.9, -0.2, above=0, margin=1), side(-1.9, -0.2, above=0, margin=1)
    ('no effect', 'no effect', 'fails')
    """
    if (above == -math.inf or low > above) and (below == math.inf or high < below):
        return "holds"
    threshold = above if math.isfinite(above) else below
    if margin > 0 and threshold - margin < low and high < threshold + margin:
        return "no effect"
    return "fails" if high < above or low > below else "undecided"


def decide(statements):
    """Decide statements.

    Parameters
    ----------
    statements : list of Statement

    Returns
    -------
    list of Decided
        In the same order. Each has the interval that decided it. A statement without a threshold is left out: the paper
        prints none for a user's data.
    """
    return [_decided(s) for s in statements if _has_threshold(s)]


def primary(statements):
    """The statements on which a claim hangs, of those that can be decided."""
    return [s for s in statements if _has_threshold(s) and not s.secondary]


def _has_threshold(statement):
    return not (math.isnan(statement.above) or math.isnan(statement.below))


def _decided(statement):
    s = statement
    low, high = map(float, np.clip(s.interval(LEVEL), *s.possible))
    answer = side(low, high, s.above, s.below, s.margin)
    if not s.of and answer == "undecided":  # a fact on its threshold
        answer = "fails"
    ahead = tuple(map(float, np.clip(s.prediction, *s.possible)))
    changed = {"estimate": float(s.estimate), "prediction": ahead}
    return Decided(**vars(s) | changed, low=low, high=high, answer=answer)
