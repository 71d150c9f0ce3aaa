"""HTML of the parts of a page, from the templates of ``templates/``: what they say comes from Python.

Links are relative to a folder beside the site's front page, where all pages of notebooks lie.
"""

import math
import re
from collections import Counter
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from compendium.papers import papers, printed_files, summary_files
from compendium.published import all_claims, claims_of
from compendium.typography import typeset
from compendium.verdicts import GROUPS, MARKS, NOT_TESTED

COLOURS = ("#006b4f", "#8a5300", "#a8321a", "#5b4a8a", "#55606b")  # of the tones, outside the site
# The tone of an answer or a group: it agrees, in part, not; it is open; there is nothing.
TONES = dict.fromkeys(("holds", "passed"), 0)
TONES |= dict.fromkeys(("mixed", "holds where we could tell", "contradicted in part"), 1)
TONES |= dict.fromkeys(("fails", "failed"), 2)
TONES |= dict.fromkeys(("undecided", "too small to tell", "can't tell"), 3)
TONES |= dict.fromkeys(("no effect", "no effect found", NOT_TESTED), 4)
ENVIRONMENT = Environment(
    loader=FileSystemLoader([Path(__file__).with_name("templates")]),
    autoescape=lambda template: template.endswith(".html"),
    trim_blocks=True,
    lstrip_blocks=True,
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


ENVIRONMENT.filters["typeset"] = typeset
ENVIRONMENT.tests["finite"] = math.isfinite
ENVIRONMENT.globals |= {"GROUPS": GROUPS, "MARKS": MARKS, "TONES": TONES, "COLOURS": COLOURS, "papers": papers}
ENVIRONMENT.globals |= {function.__name__: function for function in (anchor_of, place, sentence, tally)}
