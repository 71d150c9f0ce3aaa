"""Directives for the claims.

{claims-matrix}      every claim with its verdicts, in a table that can be filtered
{claim-cards} PAPER  a card for each claim of a paper: verdict, sentence, power, and its statements as a thumbnail
{claim} PAPER ID     what a paper says, the statements with their picture, and what they hang on
"""

import inspect
import re
from functools import cache

from docutils import nodes
from templates import directive, filled

from compendium.claim_records import claim_records
from compendium.forest import forest, power_in_words
from compendium.markup import place
from compendium.papers import papers
from compendium.parts import names_of
from compendium.results import stored_tables, verdicts_of
from compendium.tables import printed_anchors, worded
from compendium.typography import typeset
from compendium.verdicts import ANSWERS, MARKS

EFFECTS = {1: "as large as printed", 0: "absent", -1: "reversed"}


@cache
def stored_records():
    """Every claim, with the verdicts by the store's tables."""
    return claim_records(verdicts_of(), stored_tables())


def matrix(directive):
    """All claims in one table, with filters by paper, verdict and word."""
    return [filled("claims_matrix.html", records=stored_records(), power=power_in_brief, readings=readings_in_brief)]


def power_in_brief(record):
    """How often all statements hold if the effect is as printed; nothing for a check."""
    if record.verdict.check or "" not in record.power.index:
        return "–"
    return f"{record.power.loc['', 'power']:.0%}"


def readings_in_brief(record):
    """Counts of the answers under the readings: "7 mixed, 2 holds"."""
    counts = record.readings["answer"].value_counts()
    return ", ".join(f"{counts[answer]} {answer}" for answer in ANSWERS if answer in counts) or "–"


def cards(directive, paper):
    """A card for each claim of a paper, checks last; a sentence if the paper has none."""
    own = [record for record in stored_records() if record.paper == paper]
    if not own:
        return [nodes.paragraph("", "No claim is recorded yet.")]
    return [filled("claim_cards.html", records=own, power=power_in_brief, intervals=intervals)]


def intervals(record):
    """The drawings of a claim's statements."""
    return "".join(re.findall(r'<svg class="interval".*?</svg>', forest(record.verdict)))


def claim(directive, paper, claim_id):
    """All about one claim."""
    record = next(record for record in stored_records() if (record.paper, record.claim_id) == (paper, claim_id))
    part = directive.parse_text_to_nodes(f"**{MARKS[record.answer]} {record.verdict.words}**")
    part += quotation(record)
    part.append(sentence("Verdict", in_words(record.verdict)))
    part.append(nodes.raw("", forest(record.verdict, record.power), format="html"))
    if said := power_in_words(record.verdict, record.power):
        part.append(nodes.paragraph("", said))
    part += rule(record)
    part += readings(record)
    if record.on_print is not None:
        part.append(sentence("The same rule on the paper's own numbers", in_words(record.on_print)))
    elif record.rule is not None:
        part.append(sentence("The paper's own numbers", "not printed in a form to which the rule applies."))
    if record.simulated:
        part.append(sentence("The rule on simulated data", error_rates(record)))
    if record.notebook:
        part += directive.parse_text_to_nodes(f"**Tables and figures:** {{doc}}`/executed/{record.notebook}`")
        part += links_to_tables(record, directive.env.app.srcdir / "executed" / f"{record.notebook}.ipynb")
        part.append(sentence("To recompute it", ""))
        part.append(nodes.literal_block("", f"make run NOTEBOOK={record.notebook}", language="console"))
    return part


def links_to_tables(record, page):
    """Links to the tables that the claim's place names, if its page has them."""
    shown = page.read_text(encoding="utf-8") if page.is_file() else ""
    found = [anchor for part in re.split("[,;] (?=Table)", record.where) for anchor in printed_anchors(part)]
    links = [
        f'<a href="../executed/{record.notebook}.html#{anchor}">Table {anchor[6:].replace("-", ".")}</a>'
        for anchor in dict.fromkeys(found)
        if f'id=\\"{anchor}\\"' in shown
    ]
    return [nodes.raw("", f"<p>{', '.join(links)}</p>", format="html")] if links else []


def rule(record):
    """How the claim is judged: its statements with the reason for each threshold, and the code."""
    if record.rule is None:
        return [sentence("Rule", "none yet.")]
    kind = "Check (a theorem, or true by construction)" if record.rule.check else "Statements"
    said = f"{record.rule.statement} {record.rule.reasons}".strip()
    code = nodes.literal_block("", inspect.getsource(record.rule.function), language="python")
    opening = nodes.raw("", '<details class="fold"><summary>The rule as code</summary>', format="html")
    closing = nodes.raw("", "</details>", format="html")
    return [*([sentence(kind, said)] if record.rule.statement else []), opening, code, closing]


def sentence(label, text):
    """A labelled paragraph; names between backticks are code."""
    parts = [
        nodes.literal("", part) if code % 2 else nodes.Text(part) for code, part in enumerate(typeset(text).split("`"))
    ]
    return nodes.paragraph("", "", nodes.strong("", f"{label}:"), nodes.Text(" "), *parts)


def in_words(verdict):
    """A verdict as a sentence: mark, words and evidence."""
    return f"{MARKS[verdict.answer]} {typeset(verdict.evidence)}."


def quotation(record):
    """What the paper says and where: in its own words if they are recorded, and in ours."""
    source = f"{papers()[record.paper].name}, {place(record.where)}"
    if not record.quotation:
        return [sentence("The claim, in our words", f"{record.claim} ({source})")]
    words, origin = nodes.paragraph("", f"“{record.quotation}”"), nodes.attribution("", source)
    return [nodes.block_quote("", words, origin), sentence("The claim, in our words", record.claim)]


def readings(record):
    """A small matrix: the marks of the statements under each other reading of the paper."""
    if record.readings.empty:
        return []
    own = [("this page's", record.verdict.marks, record.verdict.words)]
    others = [*record.readings[["reading", "marks", "words"]].itertuples(index=False, name=None)]
    rows = [(worded(reading, names_of(record.paper)), marks, words) for reading, marks, words in own + others]
    said = f"{readings_in_brief(record)}. They were measured with fewer data, so more is undecided."
    brief = sentence(f"Under {len(others)} other readings of the paper", said)
    return [brief, filled("claim_readings.html", rows=rows)]


def error_rates(record):
    """How often the rule gives each answer if the effect is as printed, absent, or reversed."""
    parts = []
    for effect, shares in sorted(record.simulated.items(), reverse=True):
        said = ", ".join(f"{answer} {shares[answer]:.0%}" for answer in ANSWERS if answer in shares)
        parts.append(f"effect {EFFECTS[effect]}: {said}")
    return f"{'; '.join(parts)}."


def setup(app):
    app.add_directive("claims-matrix", directive(matrix))
    app.add_directive("claim-cards", directive(cards, 1))
    app.add_directive("claim", directive(claim, 2))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
