"""A verdict as a picture: each statement with its interval and threshold, as a table whose rows are drawn.

The drawing repeats what the row says in words and numbers, so that readers who don't see it miss nothing. Side is shown
by marker and colour; colours are those of ``verdicts.css``, with a dark form.
"""

import html
import math

import pandas as pd

from compendium.simulations import ENOUGH
from compendium.typography import typeset
from compendium.verdicts import ANSWERS, MARKS

__all__ = ["forest", "power_in_words", "power_of_row"]

WIDTH, HEIGHT = 150, 26  # of a row's drawing, in pixels
EDGE = 8  # between the drawing and what it shows
COLOURS = ("#006b4f", "#8a5300", "#a8321a", "#5b4a8a")  # of the answers, outside the site


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
    units = {f"{row.n} {row.of}" for row in drawn}
    columns = ["", "statement", *([""] if drawn else []), "measured", "claimed"]
    columns += ["units"] if len(units) > 1 else []
    columns += ["power"] if drawn and power is not None else []
    head = "".join(f'<th scope="col">{name}</th>' if name else '<td aria-hidden="true"></td>' for name in columns)
    ranges = {unit: _range([row for row in drawn if row.unit == unit]) for unit in {row.unit for row in drawn}}
    rows = []
    for row in verdict.rows:
        cells = [
            f'<td><span class="answer-{ANSWERS.index(row.answer)}"><span class="verdict-mark" aria-hidden="true">'
            f"{MARKS[row.answer]}</span> {row.answer}</span></td>",
            f'<th scope="row">{_text(row.what)}</th>',
        ]
        if drawn:
            cells.append(f'<td aria-hidden="true">{"" if row.exact else _drawing(row, *ranges[row.unit])}</td>')
        cells += [f'<td class="measured">{_text(row.measured)}</td>', f"<td>{_text(row.claimed)}</td>"]
        if "units" in columns:
            cells.append(f"<td>{'exact' if row.exact else _text(f'{row.n} {row.of}')}</td>")
        if "power" in columns:
            cells.append(f"<td>{_text(power_of_row(row, power))}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    said = f"Intervals over {units.pop()}, together at 95 %." if len(units) == 1 else ""
    if "power" in columns and any(row.what in power.index and power.loc[row.what, "power"] < ENOUGH for row in drawn):
        said += " Where the power is below 50 %, this experiment could not have decided; n is how many units could."
    said = f"<p>{_text(said.strip())}</p>" if said else ""
    return (
        '<div class="table-scroll" role="region" tabindex="0" aria-label="Statements"><table class="fscore forest">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{said}"
    )


def power_of_row(row, power):
    """Power of a statement: "96 %", or "32 %, n ≈ 300" with the number of units that would do; empty if unknown."""
    if row.exact or row.what not in power.index:
        return ""
    found = power.loc[row.what]
    said = f"{found['power']:.0%}".replace("%", " %")
    if found["power"] >= ENOUGH:
        return said
    if pd.isna(found["n_wanted"]) or found["n_wanted"] <= found["n"]:
        return said
    return f"{said}, n ≈ {int(found['n_wanted']):,}"


def power_in_words(verdict, power):
    """One sentence on how often a claim would hold in experiments like this one; empty if that is unknown.

    Parameters
    ----------
    verdict : `compendium.verdicts.Verdict`
    power : DataFrame
        As from `compendium.simulations.power_of`.

    Returns
    -------
    str
    """
    if "" not in power.index or verdict.check:
        return ""
    share = power.loc["", "power"]
    of = "all statements hold" if len(power) > 2 else "it holds"
    said = f"Power: if the effect is as printed, {of} in {100 * share:.0f} % of simulated experiments of this size."
    return f"{said} This experiment could not have decided all of it." if share < ENOUGH else said


def _text(text):
    return html.escape(typeset(text))


def _range(rows):
    """Ends of the axis that statements in one unit share: all finite bounds and thresholds."""
    values = [value for row in rows for value in (row.low, row.high, row.estimate, row.above, row.below)]
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    return min(finite), max(max(finite), min(finite) + 1e-12)


def _drawing(row, least, most):
    """SVG of one interval, its estimate, and its thresholds."""

    def x(value):
        share = (min(max(value, least), most) - least) / (most - least)
        return EDGE + share * (WIDTH - 2 * EDGE)

    middle = HEIGHT / 2
    number = ANSWERS.index(row.answer)
    ink = f"var(--verdict-{number}, {COLOURS[number]})"
    ends = [end for end in (row.above, row.below) if math.isfinite(end)]
    lines = "".join(
        f'<line x1="{x(end):.1f}" x2="{x(end):.1f}" y1="0" y2="{HEIGHT}" stroke="currentColor" stroke-dasharray="3 2"/>'
        for end in ends
    )
    low, high, at = x(row.low), x(row.high), x(row.estimate if math.isfinite(row.estimate) else least)
    bar = f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}" stroke="{ink}" stroke-width="2"/>'
    markers = {
        "holds": f'<circle cx="{at:.1f}" cy="{middle}" r="5" fill="{ink}"/>',
        "fails": f'<rect x="{at - 4.5:.1f}" y="{middle - 4.5}" width="9" height="9" fill="{ink}"/>',
        "undecided": f'<path d="M{at - 6:.1f} {middle}l6 -6 6 6 -6 6z" fill="Canvas" stroke="{ink}" stroke-width="2"/>',
    }
    return (
        f'<svg class="interval" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"{lines}{bar}{markers[row.answer]}</svg>"
    )
