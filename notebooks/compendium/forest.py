"""A verdict as a picture: each statement with its interval and threshold, as a table whose rows are drawn.

The drawing repeats what the row says in words and numbers, so that readers who don't see it miss nothing. Side is shown
by marker and color; colors are those of ``verdicts.css``, with a dark form.
"""

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from compendium.markup import filled
from compendium.verdicts import ENOUGH

WIDTH, HEIGHT = 150, 26  # of a row's drawing, in pixels
EDGE = 8  # between the drawing and what it shows
MOST = 10_000  # units; an experiment that would need more has hardly an effect to find
REPEATED = {"splits", "repetitions"}  # units of which another experiment on the same samples would have others


def evidence(paper, verdicts):
    """HTML of every claim of a page: its verdict, what the paper says, and its statements, folded.

    Parameters
    ----------
    paper : str
    verdicts : dict of str to `compendium.verdicts.Verdict`

    Returns
    -------
    str
    """
    return filled("evidence.html", paper=paper, verdicts=verdicts, forest=forest, power_in_words=power_in_words)


def sentences(paper, verdicts, first=""):
    """HTML of what was found on every claim of a page, one sentence each, that on claim ``first`` before the others.

    Other parameters are as for `evidence`. With three claims or more, a click on the first sentence opens the others,
    so that a figure fits on a phone's first screen.
    """
    findings = [(claim, verdicts[claim].sentence) for claim in sorted(verdicts, key=lambda claim: claim != first)]
    return filled("verdicts.html", paper=paper, verdicts=verdicts, findings=findings)


def forest(verdict, on_print=None, secondary=True):
    """HTML of a verdict's statements: answer, what, drawing, estimate with interval, needed side, scope, power.

    Parameters
    ----------
    verdict : `compendium.verdicts.Verdict`
    on_print : `compendium.verdicts.Verdict`, optional
        The same statements on the paper's own numbers.
    secondary : bool, default=True
        Whether secondary statements are shown, too.

    Returns
    -------
    str
        Empty for a verdict without statements.
    """
    if not secondary:
        verdict = replace(verdict, rows=verdict.primary)
    if not verdict.rows:
        return ""
    drawn = [row for row in verdict.rows if not row.exact]
    power = verdict.power if drawn else None
    several = [row for row in drawn if row.n > 1]  # a single unit has no interval
    printed = {row.what: row for row in on_print.rows if math.isfinite(row.estimate)} if on_print else {}
    return filled(
        "forest.html",
        rows=list(zip(verdict.rows, drawings(verdict, printed), strict=True)),
        drawn=drawn,
        secondary=any(row.secondary for row in verdict.rows),
        varying=any(row.prediction for row in drawn),
        repeated=" and ".join(sorted({row.of for row in several} & REPEATED)),
        power=power,
        power_of_row=power_of_row,
        printed=printed,
        printed_in_words=printed_in_words,
        scope_in_words=scope_in_words,
        unsure=power is not None and any(_is_unsure(row, power) for row in drawn),
    )


def scope_in_words(row):
    """What a statement is about: "data sets in general, from 10 that vary by 0.4; on another: -1.3 to 0.9"."""
    if row.exact:
        return "these data, exactly"
    if row.about != "in general":
        return f"these data sets: {row.n} {row.of}" if row.n > 1 else f"these data sets: {row.of}: {row.n}"
    tau = f" that vary by {row.digits(row.tau)}" if math.isfinite(row.tau) else ""
    more = f"; on another: {' to '.join(map(row.digits, row.prediction))}" if row.prediction else ""
    return f"{row.of} in general, from {row.n}{tau}{more}"


def printed_in_words(row, printed):
    """The same estimate by the paper's own numbers, how much of it is left, and where ours would lie if it were right.

    Parameters
    ----------
    row, printed : `compendium.statements.Decided`
        ``printed`` is None if the paper prints too little.

    Returns
    -------
    str
        "3.7 points; ours is 57% of it; expected 2.2 to 5.2": the interval holds 95% of estimates like ours, given the
        errors of both sides.
    """
    if printed is None:
        return "–"
    said = [printed.estimated]
    if row.threshold == 0 and printed.estimate * row.estimate != 0 and not row.exact:
        share = row.estimate / printed.estimate
        said.append(f"ours is {share:.0%} of it" if share > 0 else "ours has the other sign")
    half = math.hypot((row.high - row.low) / 2, (printed.high - printed.low) / 2)
    if math.isfinite(half) and half > 0 and not printed.exact:
        low, high = np.clip([printed.estimate - half, printed.estimate + half], *row.possible)
        expected = replace(row, low=low, high=high)
        said.append(f"expected {expected.digits(low)} to {expected.digits(high)}")
    return "; ".join(said)


def _power(row, power):
    """The power of a statement; NaN if it is unknown."""
    return power["power"].get(row.what, math.nan)


def _is_unsure(row, power):
    """Whether the experiment left a statement open that it could hardly have decided."""
    return row.answer == "undecided" and _power(row, power) < ENOUGH


def power_of_row(row, power):
    """Power of a statement: "96%", or "32%, n ≈ 310" with the number of units that would do; empty if unknown."""
    share = _power(row, power)
    if row.exact or math.isnan(share):
        return ""
    wanted, n = power.loc[row.what, ["n_wanted", "n"]]
    said = f"{100 * share:.0f}%"
    if share >= ENOUGH or pd.isna(wanted) or wanted <= n:
        return said
    return f"{said}, n > {MOST:,}" if wanted > MOST else f"{said}, n ≈ {float(f'{wanted:.2g}'):,.0f}"


def power_in_words(verdict):
    """One sentence on how often a claim would hold in experiments like this one; empty if that is unknown.

    Parameters
    ----------
    verdict : `compendium.verdicts.Verdict`

    Returns
    -------
    str
    """
    if verdict.chance is None or verdict.check:
        return ""
    return (
        f"Power: if the paper is right, an experiment of this size confirms it {100 * verdict.chance:.0f}% of the time "
        f"(simulated: {verdict.rule.effect})."
    )


def drawings(verdict, printed=None):
    """SVG of each statement's interval, estimate and thresholds; empty for a fact. Those in one unit share an axis.

    ``printed`` maps what a statement estimates to the same by the paper's own numbers, which are drawn beside ours.
    """
    shown, printed = {}, printed or {}
    for row in verdict.rows:
        if not row.exact:
            theirs = [printed[row.what].estimate] if row.what in printed else []
            shown.setdefault(row.unit, []).extend((row.low, row.high, row.estimate, row.above, row.below, *theirs))

    def drawn(row):
        finite = [value for value in shown[row.unit] if math.isfinite(value)] or [0.0, 1.0]
        least, most = min(finite), max(max(finite), min(finite) + 1e-12)

        def x(value, shift=0):
            share = (min(max(least, value), most) - least) / (most - least)  # what is missing lies at the edge
            return f"{EDGE + share * (WIDTH - 2 * EDGE) + shift:.1f}"

        theirs = printed[row.what].estimate if row.what in printed else None
        return filled("interval.html", row=row, x=x, printed=theirs, width=WIDTH, height=HEIGHT)

    return ["" if row.exact else drawn(row) for row in verdict.rows]
