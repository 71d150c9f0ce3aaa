"""Directives for the claims.

{claim-cards} PAPER  a card for each claim of a paper: verdict, sentence, power, and its statements as a thumbnail
{claim} PAPER ID     what a paper says, the statements with their picture, and what they hang on
"""

import inspect
import re

from _ext.citing import cite_this
from _ext.extension import directive, shown
from _ext.places import table_places

from compendium.claim_records import power_in_brief, stored_records
from compendium.markup import duration, filled, forest, place, power_in_words
from compendium.papers import names_of, papers
from compendium.store import entries
from compendium.tables import printed_anchors, worded
from compendium.verdicts import ANSWERS

EFFECTS = {1: "the effect is as printed or assumed", 0: "there is no effect", -1: "the effect is reversed"}
IN_BRIEF = {"mixed": "holds in part", "undecided": "can't tell"}  # each stands for two of the verdicts on a page


@directive("claim-cards", 1)
def cards(directive, paper):
    """A card for each claim of a paper, checks last; a sentence if the paper has none."""
    own = [record for record in stored_records() if record.paper == paper]
    if not own:
        return "No claim is recorded yet."
    cards = shown("claim_cards.html", records=own, power=power_in_brief)
    name = papers()[paper].name
    return [cards, *cite_this(f"fscore-{paper}", f"Verdicts on the claims of {name}", papers()[paper].pages)]


@directive("claim", 2)
def claim(directive, paper, claim_id):
    """All about one claim."""
    record = next(record for record in stored_records() if (record.paper, record.claim_id) == (paper, claim_id))
    notebooks = [record.notebook] if record.notebook else []
    said = filled(
        "claim.jinja",
        record=record,
        source=f"{papers()[paper].name}, {place(record.where)}",
        statements=forest(record.verdict, record.on_print),
        power=power_in_words(record.verdict),
        code=inspect.getsource(type(record.verdict.rule)) if record.verdict.rule is not None else "",
        readings=readings(record),
        simulated=simulated(record),
        tables=tables_named(record.where, table_places(notebooks, directive.env.app.srcdir)),
        took=duration(entries()[record.notebook].about["seconds"]) if record.notebook else "",
    )
    cited = cite_this(f"fscore-{paper}-{claim_id}", record.title, notebooks)
    return [*directive.parse_text_to_nodes(said), *cited]


def tables_named(where, places):
    """The tables that a claim's place in the paper names, of those that are shown, with their addresses."""
    named = [anchor[6:] for part in re.split("[,;] (?=Table)", where) for anchor in printed_anchors(part)]
    return {number: places[number] for number in named if number in places}


def readings(record):
    """The estimate of the first statement under every reading of the paper, in brief and as HTML."""
    if record.readings.empty:
        return {}
    named = record.readings.assign(
        reading=[worded(name, names_of(record.paper)) for name in record.readings["reading"]]
    )
    others, own = named[~named["default"]], named[named["default"]]
    sides = [row.on_claimed_side for row in record.verdict.primary[:1]]
    turned = own[own["beyond"].notna() & ~(own["beyond"] > 0).isin(sides)] if sides else own[:0]
    return {
        "n": len(others),
        "compared": others["alike"].count(),
        "alike": int(others["alike"].sum()),
        "turned": [f"{estimate:.3g}" for estimate in turned["estimate"]],
        "shown": filled("claim_readings.html", what=named["what"].dropna().iloc[:1], dots=dots(named), rows=named),
    }


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
    """What the rule answers if the truth is known: as printed or assumed, no effect, reversed; as HTML."""
    answers = [answer for answer in ANSWERS if any(answer in shares for shares in record.simulated.values())]
    rows = [
        (EFFECTS[effect], [f"{shares.get(answer, 0):.0%}" for answer in answers])
        for effect, shares in sorted(record.simulated.items(), reverse=True)
    ]
    heads = [IN_BRIEF.get(answer, answer) for answer in answers]
    return filled("claim_simulated.html", answers=heads, rows=rows) if rows else ""
