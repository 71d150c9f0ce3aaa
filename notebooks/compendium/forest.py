"""A verdict as a picture: each statement with its interval and threshold, as a table whose rows are drawn.

The drawing repeats what the row says in words and numbers, so that readers who don't see it miss nothing. Side is shown
by marker and color; colors are those of ``verdicts.css``, with a dark form.
"""

import math

import pandas as pd

from compendium.markup import filled
from compendium.simulations import ENOUGH, effect_of, power_of

WIDTH, HEIGHT = 150, 26  # of a row's drawing, in pixels
EDGE = 8  # between the drawing and what it shows
MOST = 10_000  # units; an experiment that would need more has hardly an effect to find
REPEATED = {"splits", "repetitions"}  # units of which another experiment on the same samples would have others


def evidence(paper, verdicts, simulated=True):
    """HTML of every claim of a page: its verdict, what the paper says, and its statements, folded.

    Parameters
    ----------
    paper : str
    verdicts : dict of str to `compendium.verdicts.Verdict`
    simulated : bool, default=True
        Whether the experiment has the size of the simulated ones, whose power is then shown.

    Returns
    -------
    str
    """
    shown = {"forest": forest, "power_in_words": power_in_words, "power_of": power_of, "effect_of": effect_of}
    return filled("evidence.html", paper=paper, verdicts=verdicts, simulated=simulated, **shown)


def forest(verdict, power=None):
    """HTML of a verdict's statements: answer, what, drawing, estimate with interval, claimed side, units, power.

    Parameters
    ----------
    verdict : `compendium.verdicts.Verdict`
    power : DataFrame, optional
        As from `compendium.simulations.power_of`.

    Returns
    -------
    str
        Empty for a verdict without statements.
    """
    if not verdict.rows:
        return ""
    drawn = [row for row in verdict.rows if not row.exact]
    power = power if drawn else None
    several = [row for row in drawn if row.n > 1]  # a single unit has no interval
    return filled(
        "forest.html",
        rows=zip(verdict.rows, drawings(verdict), strict=True),
        drawn=drawn,
        units={f"{row.n} {row.of}" for row in drawn},
        several=several,
        repeated=" and ".join(sorted({row.of for row in several} & REPEATED)),
        power=power,
        power_of_row=power_of_row,
        unsure=power is not None and any(_is_unsure(row, power) for row in drawn),
    )


def _power(row, power):
    """The power of a statement; NaN if it is unknown."""
    return power["power"].get(row.what, math.nan)


def _is_unsure(row, power):
    """Whether the experiment left a statement open that it could hardly have decided."""
    return row.answer == "undecided" and _power(row, power) < ENOUGH


def power_of_row(row, power):
    """Power of a statement: "96 %", or "32 %, n ≈ 310" with the number of units that would do; empty if unknown."""
    share = _power(row, power)
    if row.exact or math.isnan(share):
        return ""
    wanted, n = power.loc[row.what, ["n_wanted", "n"]]
    said = f"{100 * share:.0f} %"
    if share >= ENOUGH or pd.isna(wanted) or wanted <= n:
        return said
    return f"{said}, n > {MOST:,}" if wanted > MOST else f"{said}, n ≈ {float(f'{wanted:.2g}'):,.0f}"


def power_in_words(verdict, power, effect):
    """One sentence on how often a claim would hold in experiments like this one; empty if that is unknown.

    Parameters
    ----------
    verdict : `compendium.verdicts.Verdict`
    power : DataFrame
        As from `compendium.simulations.power_of`.
    effect : str
        As from `compendium.simulations.effect_of`.

    Returns
    -------
    str
    """
    if "" not in power.index or verdict.check:
        return ""
    share = power.loc["", "power"]
    of = "all statements hold" if len(power) > 2 else "it holds"
    return f"Power: in simulated experiments of this size ({effect}) {of} in {100 * share:.0f} % of the draws."


def drawings(verdict):
    """SVG of each statement's interval, estimate and thresholds; empty for a fact. Those in one unit share an axis."""
    shown = {}
    for row in verdict.rows:
        if not row.exact:
            shown.setdefault(row.unit, []).extend((row.low, row.high, row.estimate, row.above, row.below))

    def drawn(row):
        finite = [value for value in shown[row.unit] if math.isfinite(value)] or [0.0, 1.0]
        least, most = min(finite), max(max(finite), min(finite) + 1e-12)

        def x(value, shift=0):
            share = (min(max(least, value), most) - least) / (most - least)  # what is missing lies at the edge
            return f"{EDGE + share * (WIDTH - 2 * EDGE) + shift:.1f}"

        return filled("interval.html", row=row, x=x, width=WIDTH, height=HEIGHT)

    return ["" if row.exact else drawn(row) for row in verdict.rows]
