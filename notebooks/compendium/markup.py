"""HTML of the parts of a page that aren't tables: its source, badges of verdicts, folded parts.

Links are relative to a folder beside the site's front page, where all pages of notebooks lie.
"""

import html
import re
from collections import Counter

from compendium.forest import forest, power_in_words
from compendium.papers import papers, printed_files
from compendium.published import all_claims, claims_of
from compendium.simulations import power_of
from compendium.typography import typeset
from compendium.verdicts import ANSWERS, MARKS

__all__ = ["anchor_of", "badge", "evidence_list", "fold", "place", "source_line", "tally_sentence"]


def anchor_of(paper, claim_id):
    """Name of a claim's page: its id, preceded by the paper if two papers use the same id."""
    shared = (all_claims()["claim_id"] == claim_id).sum() > 1
    return f"{paper}-{claim_id}" if shared else claim_id


def place(where):
    """A claim's place in words: "4.2, Fig 10" becomes "Section 4.2, Fig 10"."""
    return re.sub(
        r"^(abstract, )?(\d[\d.-]*(?:, \d[\d.-]*)*)(?![^, ])",
        lambda match: f"{match[1] or ''}Section{'s' * bool(set(',-') & set(match[2]))} {match[2]}",
        where,
    )


def badge(paper, claim_id, verdict, *, site=".."):
    """Link to a claim that shows its verdict by the marks of its statements and in words.

    Parameters
    ----------
    paper, claim_id : str
    verdict : Verdict
    site : str, default=".."
        Path to the site's front page from the page with the badge.

    Returns
    -------
    str
        HTML.
    """
    text = claims_of(paper).set_index("claim_id").loc[claim_id, "claim"]
    kind = f"answer-{ANSWERS.index(verdict.answer)}"
    return (
        f'<a class="badge-verdict {kind}" href="{site}/claims/{html.escape(anchor_of(paper, claim_id))}.html" '
        f'title="{html.escape(text)}"><span class="verdict-mark" aria-hidden="true">{MARKS[verdict.answer]}</span> '
        f"{html.escape(claim_id)} {html.escape(verdict.words)}</a>"
    )


def tally_sentence(verdicts):
    """One sentence on a page's verdicts: how many there are of each, checks apart; or the only one's evidence."""
    if len(verdicts) == 1:
        said = next(iter(verdicts.values())).evidence
        return typeset(f"{said[:1].upper()}{said[1:]}.")
    parts = []
    for kind, check in (("claim", False), ("check", True)):
        counts = Counter(verdict.answer for verdict in verdicts.values() if verdict.check is check)
        if n := counts.total():
            found = [answer for answer in ANSWERS if counts[answer]]
            said = ", ".join(f"{counts[a]} {a if counts[a] == 1 else a.removesuffix('s')}" for a in found)
            parts.append(f"{n} {kind}{'s' * (n > 1)}: {said}")
    return f"{'; '.join(parts)}."


def evidence_list(paper, verdicts):
    """Every claim of a page with its verdict, what the paper says, and its statements with their power."""
    claims = claims_of(paper).set_index("claim_id")
    items = []
    for claim_id, verdict in verdicts.items():
        power = power_of(paper, claim_id)
        said = html.escape(typeset(power_in_words(verdict, power) if verdict.rows else f"{verdict.evidence}."))
        items.append(
            f"<dt>{badge(paper, claim_id, verdict)}</dt>"
            f"<dd>The paper: {html.escape(claims.loc[claim_id, 'claim'])}<br>{forest(verdict, power)}{said}</dd>"
        )
    return f'<dl class="evidence">{"".join(items)}</dl>'


def fold(summary, content):
    """A part that is closed until the reader opens it; works without JavaScript."""
    return f'<details class="fold"><summary>{html.escape(summary)}</summary>{content}</details>'


def source_line(paper, notebook, *, own=False):
    """Where the page comes from: the paper, where to read it, and the notebook to download.

    Parameters
    ----------
    paper, notebook : str
    own : bool, default=False
        Whether the page is a user's run: then it links to the published page instead of its notebook.

    Returns
    -------
    str
        HTML.
    """
    parts = []
    if (about := papers().get(paper)) is not None and printed_files(paper):
        parts.append(f'<a href="../papers/{paper}.html">{html.escape(about.name)}</a>')
        if about.link:
            parts.append(f'<a href="{html.escape(about.link)}">read the paper</a>')
    if own:
        parts.append(f'<a href="../executed/{notebook}.html">the published page</a>')
    else:
        parts.append(f'<a href="../_sources/executed/{notebook}.ipynb" download>this notebook</a>')
    return f'<p class="source-line">{" · ".join(parts)}</p>'
