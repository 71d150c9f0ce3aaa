"""Directives for the claims.

{claim-cards} PAPER  a card for each claim of a paper: verdict, sentence, power, and its statements as a thumbnail
{claim} PAPER ID     what a paper says, the statements with their picture, and what they hang on
"""

import inspect
import re

from _ext.citing import cite_this
from _ext.extension import directive, raw, shown
from _ext.places import table_places
from docutils import nodes

from compendium.claim_records import power_in_brief, readings_in_brief, stored_records
from compendium.forest import drawings, forest, power_in_words
from compendium.markup import place
from compendium.papers import papers
from compendium.parts import names_of
from compendium.results import entries
from compendium.simulations import effect_of
from compendium.tables import printed_anchors, worded
from compendium.typography import duration, typeset
from compendium.verdicts import ANSWERS, MARKS

EFFECTS = {1: "as printed or assumed", 0: "absent", -1: "reversed"}


@directive("claim-cards", 1)
def cards(directive, paper):
    """A card for each claim of a paper, checks last; a sentence if the paper has none."""
    own = [record for record in stored_records() if record.paper == paper]
    if not own:
        return [nodes.paragraph("", "No claim is recorded yet.")]
    cards = shown("claim_cards.html", records=own, power=power_in_brief, drawings=drawings)
    name = papers()[paper].name
    return [cards, *cite_this(f"fscore-{paper}", f"Verdicts on the claims of {name}", papers()[paper].pages)]


@directive("claim", 2)
def claim(directive, paper, claim_id):
    """All about one claim."""
    record = next(record for record in stored_records() if (record.paper, record.claim_id) == (paper, claim_id))
    said = [
        *directive.parse_text_to_nodes(f"**{MARKS[record.answer]} {record.verdict.words}**"),
        *quotation(record),
        sentence("Verdict", in_words(record.verdict)),
        raw(forest(record.verdict, record.power)),
    ]
    if power := power_in_words(record.verdict, record.power, effect_of(record.paper, record.claim_id)):
        said.append(nodes.paragraph("", power))
    said += [*rule(record), *readings(record)]
    if record.on_print is not None:
        said.append(sentence("The same rule on the paper's own numbers", in_words(record.on_print)))
    elif record.rule is not None:
        said.append(sentence("The paper's own numbers", "not printed in a form to which the rule applies."))
    if record.simulated:
        said.append(sentence("The rule on simulated data", error_rates(record)))
    if record.notebook:
        said += [
            *directive.parse_text_to_nodes(f"**Tables and figures:** {{doc}}`/executed/{record.notebook}`"),
            *links_to_tables(record, directive.env.app.srcdir),
            *directive.parse_text_to_nodes(to_recompute(record)),
            nodes.literal_block("", f"make run NOTEBOOK={record.notebook}", language="console"),
        ]
    return said


def to_recompute(record):
    """A line in Markdown: where it says how, and how long the published run took."""
    seconds = entries()[record.notebook].about["seconds"]
    how = "{doc}`with other parameters or your data </rerun>`"
    return f"**To recompute it**, also {how} (the published run took {duration(seconds)} of one core):"


def links_to_tables(record, source):
    """Links to the tables that the claim's place names, if its page has them."""
    shown = table_places([record.notebook], source)
    named = [anchor[6:] for part in re.split("[,;] (?=Table)", record.where) for anchor in printed_anchors(part)]
    links = [
        f'<a href="../{shown[number]}">Table {number.replace("-", ".")}</a>'
        for number in dict.fromkeys(named)
        if number in shown
    ]
    return [raw(f"<p>{', '.join(links)}</p>")] if links else []


def rule(record):
    """How the claim is judged: its statements with the reason for each threshold, and the code."""
    if record.rule is None:
        return [sentence("Rule", "none yet.")]
    kind = "Check (a theorem, or true by construction)" if record.rule.check else "Statements"
    code = nodes.literal_block("", inspect.getsource(record.rule.function), language="python")
    opening, closing = raw('<details class="fold"><summary>The rule as code</summary>'), raw("</details>")
    return [*([sentence(kind, record.rule.words)] if record.rule.words else []), opening, code, closing]


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
    others = record.readings[["reading", "marks", "words"]].itertuples(index=False, name=None)
    rows = [("this page's", record.verdict.marks, record.verdict.words), *others]
    rows = [(worded(reading, names_of(record.paper)), *said) for reading, *said in rows]
    said = f"{readings_in_brief(record)}. They were measured with fewer data sets or repetitions."
    brief = sentence(f"Under {len(rows) - 1} other readings of the paper", said)
    return [brief, shown("claim_readings.html", rows=rows)]


def error_rates(record):
    """How often the rule gives each answer if the effect is as printed or assumed, absent, or reversed."""
    parts = []
    for effect, shares in sorted(record.simulated.items(), reverse=True):
        said = ", ".join(f"{answer} {shares[answer]:.0%}" for answer in ANSWERS if answer in shares)
        parts.append(f"effect {EFFECTS[effect]}: {said}")
    return f"{'; '.join(parts)}."
