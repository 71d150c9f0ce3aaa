"""HTML of the parts of a page, from the templates of ``templates/``: what they say comes from Python.

A verdict is a picture: each statement with its interval and threshold, as a table whose rows are drawn. The drawing
repeats what the row says in words and numbers, so that readers who don't see it miss nothing. Marker and color show the
side; colors are those of ``verdicts.css``, with a dark form.

Links are relative to a folder beside the site's front page, where all pages of notebooks lie.
"""

import math
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from compendium.papers import NOTEBOOKS, papers, printed_files, summary_files
from compendium.published import all_claims, claims_of
from compendium.verdicts import ENOUGH, GROUPS, MARKS, NOT_TESTED

WIDTH, HEIGHT = 150, 26  # of a row's drawing, in pixels
EDGE = 8  # between the drawing and what it shows
MOST = 10_000  # units; an experiment that would need more has hardly an effect to find
REPEATED = {"splits", "repetitions"}  # units of which another experiment on the same samples would have others
# A number as Python writes it, with a mantissa of one digit before the point: hashes and names have longer ones.
SCIENTIFIC = re.compile(r"(?<![\w.])(\d(?:\.\d+)?)e([+-]?\d{1,3})(?![\w.]*\w)")
MINUS = re.compile(r"(?<![\w.)\]⁻])-(?=\.?\d|inf\b)")
NEGATIVE_ZERO = re.compile(r"−(0(?:\.0+)?)(?![\d.])")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
COLOURS = ("#006b4f", "#8a5300", "#a8321a", "#5b4a8a", "#55606b")  # of the tones, outside the site
# The tone of an answer or a group: it agrees, in part, not; it is open; there is nothing.
TONES = dict.fromkeys(("holds", "passed"), 0)
TONES |= dict.fromkeys(("mixed", "holds where we could tell", "contradicted in part"), 1)
TONES |= dict.fromkeys(("fails", "failed"), 2)
TONES |= dict.fromkeys(("undecided", "too small to tell", "can't tell"), 3)
TONES |= dict.fromkeys(("no effect", "no effect found", NOT_TESTED), 4)


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


def escape_markdown(text):
    """Escape all Markdown in a text that others wrote, such as a user's file name or a paper's sentence."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(text.split()))


def duration(seconds):
    """A duration in words, in the unit that suits it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


ENVIRONMENT = Environment(
    loader=FileSystemLoader([Path(__file__).with_name("templates"), NOTEBOOKS]),  # a paper names its folder
    autoescape=lambda template: template.endswith(".html"),
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


def filled(template, **values):
    """HTML of a template with values, which are escaped unless they are HTML from here."""
    return Markup(ENVIRONMENT.get_template(template).render(values))


def anchor_of(paper, claim_id):
    """Name of a claim's page: its id, preceded by the paper if two papers use the same id."""
    return f"{paper}-{claim_id}" if uses_of_ids()[claim_id] > 1 else claim_id


@cache
def uses_of_ids():
    """How many papers use each id of a claim."""
    return Counter(all_claims()["claim_id"])


def place(where):
    """A claim's place in words: "4.2, Fig 10" becomes "Section 4.2, Fig 10"."""
    return re.sub(
        r"^(abstract, )?(\d[\d.-]*(?:, \d[\d.-]*)*)(?![^, ])",
        lambda match: f"{match[1] or ''}Section{'s' * bool(set(',-') & set(match[2]))} {match[2]}",
        where,
    )


def sentence(paper, claim_id):
    """What a claim says, in our words."""
    return claims_of(paper).set_index("claim_id").loc[claim_id, "claim"]


def tally(groups):
    """How many there are of each group, in the order of `compendium.verdicts.GROUPS`: "3 hold, 1 fails, 2 passed"."""
    counts = Counter(groups)
    return ", ".join(f"{n} {_plural(group) if n > 1 else group}" for group in GROUPS if (n := counts[group]))


def _plural(group):
    """A group of several claims: "hold", "hold where we could tell"."""
    return re.sub("^(hold|fail)s", r"\1", group)


def source_line(paper, notebook, *, own=False):
    """HTML that says where the page comes from: the paper, where to read it, and the notebook to download.

    Parameters
    ----------
    paper, notebook : str
    own : bool, default=False
        Whether the page is a user's run: then it links to the published page instead of its notebook.
    """
    about = papers().get(paper) if printed_files(paper) else None
    folder = "_sources" if notebook in summary_files() else "../_sources/executed"
    return filled("source_line.html", about=about, notebook=notebook, folder=folder, own=own)


# Verdicts -------------------------------------------------------------------------------------------------------------


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
    return filled("evidence.html", paper=paper, verdicts=verdicts)


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
        printed=printed,
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


ENVIRONMENT.filters |= {"typeset": typeset, "escape_markdown": escape_markdown}
ENVIRONMENT.tests["finite"] = math.isfinite
ENVIRONMENT.globals |= {"GROUPS": GROUPS, "MARKS": MARKS, "TONES": TONES, "COLOURS": COLOURS, "papers": papers}
CALLED = (anchor_of, forest, place, power_in_words, power_of_row, printed_in_words, scope_in_words, sentence, tally)
ENVIRONMENT.globals |= {function.__name__: function for function in CALLED}
