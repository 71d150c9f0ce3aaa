"""HTML of the parts of a page, from the templates of ``templates/``: what they say comes from Python.

Links are relative to a folder beside the site's front page, where all pages of notebooks lie.
"""

import math
import re
from collections import Counter
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from compendium.papers import NOTEBOOKS, papers, printed_files, summary_files
from compendium.published import all_claims, claims_of
from compendium.verdicts import GROUPS, MARKS, NOT_TESTED

# A number as Python writes it, with a mantissa of one digit before the point: hashes and names have longer ones.
SCIENTIFIC = re.compile(r"(?<![\w.])(\d(?:\.\d+)?)e([+-]?\d{1,3})(?![\w.]*\w)")
MINUS = re.compile(r"(?<![\w.)\]⁻])-(?=\.?\d|inf\b)")
NEGATIVE_ZERO = re.compile(r"−(0(?:\.0+)?)(?![\d.])")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
COLOURS = ("#006b4f", "#8a5300", "#a8321a", "#5b4a8a", "#55606b")  # of the tones, outside the site
# The tone of an answer or a group: it agrees, in part, not; it is open; there is nothing.
TONES = dict.fromkeys(("holds", "passed"), 0)


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


TONES |= dict.fromkeys(("mixed", "holds where we could tell", "contradicted in part"), 1)
TONES |= dict.fromkeys(("fails", "failed"), 2)
TONES |= dict.fromkeys(("undecided", "too small to tell", "can't tell"), 3)
TONES |= dict.fromkeys(("no effect", "no effect found", NOT_TESTED), 4)
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


ENVIRONMENT.filters |= {"typeset": typeset, "escape_markdown": escape_markdown}
ENVIRONMENT.tests["finite"] = math.isfinite
ENVIRONMENT.globals |= {"GROUPS": GROUPS, "MARKS": MARKS, "TONES": TONES, "COLOURS": COLOURS, "papers": papers}
ENVIRONMENT.globals |= {function.__name__: function for function in (anchor_of, place, sentence, tally)}
