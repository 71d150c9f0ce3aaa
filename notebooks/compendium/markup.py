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
from compendium.verdicts import ANSWERS, MARKS

COLOURS = ("#006b4f", "#8a5300", "#a8321a", "#5b4a8a")  # of the answers, outside the site
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


def tally_sentence(verdicts):
    """One sentence on a page's verdicts: how many there are of each, checks apart; or the only one's evidence."""
    if len(verdicts) == 1:
        said = next(iter(verdicts.values())).evidence
        return typeset(f"{said[:1].upper()}{said[1:]}.")
    parts = []
    for kind, check in (("claim", False), ("check", True)):
        counts = Counter(verdict.answer for verdict in verdicts.values() if verdict.check is check)
        if n := counts.total():
            parts.append(f"{n} {kind}{'s' * (n > 1)}: {counted(counts)}")
    return f"{'; '.join(parts)}."


def counted(counts):
    """How many there are of each answer: "1 holds, 7 mixed"."""
    found = [(answer, counts[answer]) for answer in ANSWERS if counts[answer]]
    return ", ".join(f"{n} {answer if n == 1 else answer.removesuffix('s')}" for answer, n in found)


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
ENVIRONMENT.globals |= {"ANSWERS": ANSWERS, "MARKS": MARKS, "COLOURS": COLOURS, "papers": papers}
ENVIRONMENT.globals |= {function.__name__: function for function in (anchor_of, place, sentence, tally_sentence)}
