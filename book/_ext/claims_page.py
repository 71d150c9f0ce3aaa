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
from compendium.forest import forest, power_in_words
from compendium.markup import duration, place, typeset
from compendium.papers import names_of, papers
from compendium.store import entries
from compendium.tables import printed_anchors, worded
from compendium.verdicts import ANSWERS, MARKS

EFFECTS = {1: "the effect is as printed or assumed", 0: "there is no effect", -1: "the effect is reversed"}


@directive("claim-cards", 1)
def cards(directive, paper):
    """A card for each claim of a paper, checks last; a sentence if the paper has none."""
    own = [record for record in stored_records() if record.paper == paper]
    if not own:
        return [nodes.paragraph("", "No claim is recorded yet.")]
    cards = shown("claim_cards.html", records=own, power=power_in_brief)
    name = papers()[paper].name
    return [cards, *cite_this(f"fscore-{paper}", f"Verdicts on the claims of {name}", papers()[paper].pages)]


@directive("claim", 2)
def claim(directive, paper, claim_id):
    """All about one claim."""
    record = next(record for record in stored_records() if (record.paper, record.claim_id) == (paper, claim_id))
    verdict = record.verdict
    said = [
        nodes.paragraph("", "", nodes.strong("", f"{MARKS[verdict.group]} {typeset(verdict.sentence)}")),
        *quotation(record),
        raw(forest(verdict, record.on_print)),
    ]
    if power := power_in_words(verdict):
        said.append(nodes.paragraph("", power))
    said += [*rule(verdict), *readings(record), *simulated(record)]
    if record.on_print is None and verdict.rule is not None:
        said.append(sentence("The paper's own numbers", "not printed in a form to which the rule applies."))
    if record.notebook:
        said += [
            *directive.parse_text_to_nodes(f"**Tables and figures:** {{doc}}`/executed/{record.notebook}`"),
            *links_to_tables(record, directive.env.app.srcdir),
            *directive.parse_text_to_nodes(to_recompute(record)),
            nodes.literal_block("", f"make run NOTEBOOK={record.notebook}", language="console"),
        ]
    key = f"fscore-{record.paper}-{record.claim_id}"
    return [*said, *cite_this(key, record.title, [record.notebook] if record.notebook else [])]


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


def rule(verdict):
    """How the claim is judged: its statements with the reason for each threshold, and the code."""
    if verdict.rule is None:
        return [sentence("Rule", "none yet.")]
    kind = "Check (a theorem, or true by construction)" if verdict.check else "Statements"
    code = nodes.literal_block("", inspect.getsource(type(verdict.rule)), language="python")
    opening, closing = raw('<details class="fold"><summary>The rule as code</summary>'), raw("</details>")
    return [*([sentence(kind, verdict.rule.words)] if verdict.rule.words else []), opening, code, closing]


def sentence(label, text):
    """A labeled paragraph; names between backticks are code."""
    parts = [
        nodes.literal("", part) if code % 2 else nodes.Text(part) for code, part in enumerate(typeset(text).split("`"))
    ]
    return nodes.paragraph("", "", nodes.strong("", f"{label}:"), nodes.Text(" "), *parts)


def quotation(record):
    """What the paper says and where: in its own words if they are recorded, and in ours."""
    source = f"{papers()[record.paper].name}, {place(record.where)}"
    if not record.quotation:
        return [sentence("The claim, read off the paper; no sentence of it says so", f"{record.claim} ({source})")]
    words, origin = nodes.paragraph("", f"“{record.quotation}”"), nodes.attribution("", source)
    return [nodes.block_quote("", words, origin), sentence("The claim, in our words", record.claim)]


def readings(record):
    """The estimate of the first statement under every reading of the paper, as dots and as numbers."""
    if record.readings.empty:
        return []
    named = record.readings.assign(
        reading=[worded(name, names_of(record.paper)) for name in record.readings["reading"]]
    )
    n = (~named["default"]).sum()
    compared = (~named["default"] & named["alike"].notna()).sum()
    side = "with this page on the side of the threshold"
    said = f"{readings_in_brief(record)} {side}" if compared else "none can be compared with this page"
    left = f"; the other {n - compared} have fewer units or no estimate" if n > compared > 0 else ""
    brief = sentence(f"Under {n} other readings of the paper", f"{said}{left}.")
    return [brief, shown("claim_readings.html", what=named["what"].dropna().iloc[:1], dots=dots(named), rows=named)]


def dots(readings):
    """Places of the readings' estimates and of the threshold in a drawing, from 0 to 1; of those with as many units."""
    known = readings.dropna(subset="alike")
    thresholds = known[["above", "below"]].stack().replace([float("inf"), float("-inf")], None).dropna().unique()
    values = [*known["estimate"], *thresholds]
    if not len(known) or max(values) == min(values):
        return []
    least, reach = min(values), max(values) - min(values)
    kinds = ["default" if default else "other" for default in known["default"]] + ["threshold"] * len(thresholds)
    return [((value - least) / reach, kind) for value, kind in zip(values, kinds, strict=True)]


def simulated(record):
    """What the rule answers if the truth is known: as printed or assumed, no effect, reversed."""
    answers = [answer for answer in ANSWERS if any(answer in shares for shares in record.simulated.values())]
    rows = [
        (EFFECTS[effect], [f"{shares.get(answer, 0):.0%}" for answer in answers])
        for effect, shares in sorted(record.simulated.items(), reverse=True)
    ]
    return [shown("claim_simulated.html", answers=answers, rows=rows)] if rows else []
