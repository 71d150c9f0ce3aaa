"""Directives for the claims.

{claims-matrix}      every claim with its verdicts, in a table that can be filtered
{claim-cards} PAPER  a card for each claim of a paper: verdict, sentence, power, and its statements as a thumbnail
{claim} PAPER ID     what a paper says, the statements with their picture, and what they hang on
"""

import html
import inspect
import re
from functools import cache

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from compendium.claim_records import claim_records
from compendium.forest import forest, power_in_words
from compendium.markup import anchor_of, place
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


class ClaimsDirective(SphinxDirective):
    """A directive that shows the claims."""

    @property
    def records(self):
        return stored_records()


class ClaimsMatrix(ClaimsDirective):
    """All claims in one table, with filters by paper, verdict and word."""

    def run(self):
        rows = [
            f'<tr id="{escaped(anchor_of(record.paper, record.claim_id))}" data-paper="{record.paper}" '
            f'data-answer="{record.answer}">'
            f'<th scope="row">{link(record)}</th><td>{in_marks(record.verdict)}</td>'
            f"<td>{escaped(papers()[record.paper].name)}</td><td>{escaped(record.claim)}</td>"
            f"<td>{power_in_brief(record)}</td><td>{readings_in_brief(record)}</td>"
            f"<td>{in_marks(record.on_print) if record.on_print else '–'}</td></tr>"
            for record in sorted(self.records, key=lambda record: record.verdict.check)
        ]
        columns = ["claim", "verdict", "paper", "what it says", "power", "other readings", "the paper's own numbers"]
        head = "".join(f'<th scope="col">{escaped(column)}</th>' for column in columns)
        table = (
            '<div class="table-scroll full-width" role="region" tabindex="0" aria-label="All claims" data-filtered>'
            f'<table class="fscore wide" id="claims-matrix"><caption>All claims: <span id="claims-count" '
            f'aria-live="polite">{len(rows)}</span></caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        )
        return [nodes.raw("", filters(self.records) + table + SCRIPT, format="html")]


def filters(records):
    """A form that is shown only where its script runs."""
    names = {record.paper: papers()[record.paper].name for record in records}
    answers = {answer: answer for answer in ANSWERS if any(record.answer == answer for record in records)}
    parts = []
    for name, options in (("paper", names), ("answer", answers)):
        listed = "".join(f'<option value="{escaped(key)}">{escaped(value)}</option>' for key, value in options.items())
        label = "Verdict" if name == "answer" else "Paper"
        parts.append(f'<label>{label} <select name="{name}"><option value="">all</option>{listed}</select></label>')
    parts.append('<label>Word <input name="word" type="search" size="12"></label>')
    return f'<form class="filters" id="claims-filters" hidden>{"".join(parts)}</form>'


SCRIPT = """<script>
(() => {
  // The claims had their sections here once: an old address leads to the claim's page.
  const old = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (old && old.matches("#claims-matrix tr")) location.replace(old.querySelector("a").href);
  const form = document.getElementById("claims-filters");
  const rows = [...document.querySelectorAll("#claims-matrix tbody tr")];
  form.hidden = false;
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("input", () => {
    const { paper, answer, word } = Object.fromEntries(new FormData(form));
    for (const row of rows) {
      row.hidden = (paper && row.dataset.paper !== paper) || (answer && row.dataset.answer !== answer)
        || !row.textContent.toLowerCase().includes(word.trim().toLowerCase());
    }
    document.getElementById("claims-count").textContent = rows.filter(row => !row.hidden).length;
  });
})();
</script>"""


def escaped(text):
    return html.escape(str(text))


def link(record):
    anchor = escaped(anchor_of(record.paper, record.claim_id))
    return f'<a href="claims/{anchor}.html">{escaped(record.claim_id)}</a>'


def in_marks(verdict):
    """A verdict as its words, and the marks of its statements."""
    marks = f" {escaped(verdict.marks)}" if len(verdict.rows) > 1 else ""
    return (
        f'<span class="answer-{ANSWERS.index(verdict.answer)}"><span class="verdict-mark" aria-hidden="true">'
        f'{MARKS[verdict.answer]}</span> {escaped(verdict.words)}</span><span aria-hidden="true">{marks}</span>'
    )


def power_in_brief(record):
    """How often all statements hold if the effect is as printed; nothing for a check."""
    if record.verdict.check or "" not in record.power.index:
        return "–"
    return f"{record.power.loc['', 'power']:.0%}"


def readings_in_brief(record):
    """Counts of the answers under the readings: "7 mixed, 2 holds"."""
    counts = record.readings["answer"].value_counts()
    return ", ".join(f"{counts[answer]} {answer}" for answer in ANSWERS if answer in counts) or "–"


class ClaimCards(ClaimsDirective):
    """A card for each claim of a paper, checks last; a sentence if the paper has none."""

    required_arguments = 1

    def run(self):
        own = [record for record in self.records if record.paper == self.arguments[0]]
        if not own:
            return [nodes.paragraph("", "No claim is recorded yet.")]
        cards = map(card, sorted(own, key=lambda record: record.verdict.check))
        return [nodes.raw("", f'<div class="claim-cards">{"".join(cards)}</div>', format="html")]


def card(record):
    """A claim in brief: what it says, the verdict in words with its picture, and the power of the test."""
    anchor = escaped(anchor_of(record.paper, record.claim_id))
    power = power_in_brief(record)
    said = "A check: a theorem, or true by construction." if record.verdict.check else f"Power {power}."
    drawings = re.findall(r'<svg class="interval".*?</svg>', forest(record.verdict))
    return (
        f'<div class="claim-card"><p class="verdict">{in_marks(record.verdict)}</p>'
        f'<p><a href="../claims/{anchor}.html">{escaped(record.claim_id)}</a> {escaped(record.claim)} '
        f'<span class="where">({escaped(place(record.where))})</span></p>'
        f'<div class="thumbnail" aria-hidden="true">{"".join(drawings)}</div>'
        f"<p>{said if record.verdict.check or power != '–' else 'Power unknown.'}</p></div>"
    )


class Claim(ClaimsDirective):
    """All about one claim."""

    required_arguments = 2

    def run(self):
        record = next(r for r in self.records if [r.paper, r.claim_id] == self.arguments)
        part = self.parse_text_to_nodes(f"**{MARKS[record.answer]} {record.verdict.words}**")
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
            part += self.parse_text_to_nodes(f"**Tables and figures:** {{doc}}`/executed/{record.notebook}`")
            part += self.links_to_tables(record)
            part.append(sentence("To recompute it", ""))
            part.append(nodes.literal_block("", f"make run NOTEBOOK={record.notebook}", language="console"))
        return part

    def links_to_tables(self, record):
        """Links to the tables that the claim's place names, if its page has them."""
        file = self.env.app.srcdir / "executed" / f"{record.notebook}.ipynb"
        shown = file.read_text(encoding="utf-8") if file.is_file() else ""
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
    return [*([sentence(kind, said)] if record.rule.statement else []), *folded("The rule as code", code)]


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


def folded(summary, *content):
    """Content that is closed until the reader opens it; without JavaScript."""
    opening = f'<details class="fold"><summary>{escaped(summary)}</summary>'
    return [nodes.raw("", opening, format="html"), *content, nodes.raw("", "</details>", format="html")]


def readings(record):
    """A small matrix: the marks of the statements under each other reading of the paper."""
    if record.readings.empty:
        return []
    names = names_of(record.paper)
    own = ("this page's", record.verdict.marks, record.verdict.words)
    shown = [own, *record.readings[["reading", "marks", "words"]].itertuples(index=False, name=None)]
    rows = [
        f'<tr><th scope="row">{escaped(worded(reading, names))}</th><td>{marks}</td><td>{words}</td></tr>'
        for reading, marks, words in shown
    ]
    head = "".join(f'<th scope="col">{name}</th>' for name in ("reading", "statements", "verdict"))
    table = (
        '<div class="table-scroll" role="region" tabindex="0" aria-label="Readings"><table class="fscore">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
    said = f"{readings_in_brief(record)}. They were measured with fewer data, so more is undecided."
    brief = sentence(f"Under {len(rows) - 1} other readings of the paper", said)
    return [brief, *folded("Each reading", nodes.raw("", table, format="html"))]


def error_rates(record):
    """How often the rule gives each answer if the effect is as printed, absent, or reversed."""
    parts = []
    for effect, shares in sorted(record.simulated.items(), reverse=True):
        said = ", ".join(f"{answer} {shares[answer]:.0%}" for answer in ANSWERS if answer in shares)
        parts.append(f"effect {EFFECTS[effect]}: {said}")
    return f"{'; '.join(parts)}."


def setup(app):
    app.add_directive("claims-matrix", ClaimsMatrix)
    app.add_directive("claim-cards", ClaimCards)
    app.add_directive("claim", Claim)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
