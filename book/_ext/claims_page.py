"""Directives for the claims.

{claims-matrix}     every claim with its verdicts, in a table that can be filtered
{claims}            a section for each claim, whose anchor is the claim's id
{front-scoreboard}  one row per paper: its claims as marks, its printed numbers as a bar
{findings}          three results that we did not expect, each with a figure of its page and a computed sentence
"""

import html
import inspect
import json
import re
from functools import cache

from docutils import nodes
from narrow_figures import SVG, image_name
from scoreboard_page import comparisons_in, tables_in
from sphinx.util.docutils import SphinxDirective

from compendium.claim_records import claim_records, command_of
from compendium.markup import anchor_of, place, reading_link
from compendium.papers import papers
from compendium.parts import names_of
from compendium.results import read_results
from compendium.scoreboard import COUNTS, scoreboard
from compendium.tables import printed_anchors, worded
from compendium.typography import typeset
from compendium.verdicts import ANSWERS, MARKS, Verdict

UNTESTED = ANSWERS[-2:]
# Page, figure, heading, and what says the sentence: a claim, or a table of the paper.
FINDINGS = (
    ("somol2011_hybrid", "fig-somol2011-lambda", "Table 7, number by number", "Table 7"),
    ("somol2011_ensembles", "fig-somol2011-gains", "What voting does", "S5"),
    ("chen2012_training", "fig-chen2012-entropy", "The weight of the entropy", "C5"),
)
# Printed numbers that settings were chosen by: their agreement is no surprise, and the card says so.
CHOSEN_BY = {
    ("somol2011_hybrid", "Table 7"): "We chose the settings that the paper leaves open by the accuracies in this table."
}
EFFECTS = {1: "as large as printed", 0: "absent", -1: "reversed"}


@cache
def records_in(folder):
    """Every claim, with the verdicts of the staged pages."""
    return claim_records(read_results(folder), tables_in(folder))


class ClaimsDirective(SphinxDirective):
    """A directive that shows the claims of the staged results."""

    @property
    def records(self):
        return records_in(self.env.app.srcdir / "results")


class ClaimsMatrix(ClaimsDirective):
    """All claims in one table, with filters by paper, verdict and word."""

    def run(self):
        rows = [
            f'<tr data-paper="{record.paper}" data-answer="{record.answer}">'
            f'<th scope="row">{link(record)}</th><td>{marked(record.answer)}</td>'
            f"<td>{escaped(papers()[record.paper].name)}</td><td>{escaped(record.claim)}</td>"
            f"<td>{readings_in_brief(record)}</td>"
            f"<td>{marked(record.on_print.answer) if record.on_print else '–'}</td></tr>"
            for record in self.records
        ]
        columns = ["claim", "verdict", "paper", "what it says", "under other readings", "the paper's own numbers"]
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
    return f'<a href="#{anchor}">{escaped(record.claim_id)}</a>'


def marked(answer):
    return (
        f'<span class="answer-{ANSWERS.index(answer)}"><span class="verdict-mark" aria-hidden="true">{MARKS[answer]}'
        f"</span> {answer}</span>"
    )


def readings_in_brief(record):
    """Counts of the answers under the readings: "7 partly, 2 replicated"."""
    counts = record.readings["answer"].value_counts()
    return ", ".join(f"{counts[answer]} {answer}" for answer in ANSWERS if answer in counts) or "–"


class Claims(ClaimsDirective):
    """One section per paper, and in it one per claim."""

    def run(self):
        found = []
        for key, paper in papers().items():
            records = [record for record in self.records if record.paper == key]
            if records:
                part = section(f"claims-of-{key}", paper.name)
                part += self.links_to(f"{{doc}}`The paper's page </papers/{key}>`", *reading_link(paper, "."))
                part += [self.claim(record) for record in records]
                found.append(part)
        return found

    def links_to(self, text, title="", address=""):
        link = nodes.raw("", f' · <a href="{escaped(address)}">{title}</a>' if address else "", format="html")
        found = self.parse_text_to_nodes(text)
        found[-1] += link
        return found

    def links_to_tables(self, record):
        """Links to the tables that the claim's place names, if its page has them."""
        file = self.env.app.srcdir / "executed" / f"{record.notebook}.ipynb"
        shown = file.read_text(encoding="utf-8") if file.is_file() else ""
        found = [anchor for part in re.split("[,;] (?=Table)", record.where) for anchor in printed_anchors(part)]
        links = [
            f'<a href="executed/{record.notebook}.html#{anchor}">Table {anchor[6:].replace("-", ".")}</a>'
            for anchor in dict.fromkeys(found)
            if f'id=\\"{anchor}\\"' in shown
        ]
        return [nodes.raw("", f"<p>{', '.join(links)}</p>", format="html")] if links else []

    def claim(self, record):
        anchor = anchor_of(record.paper, record.claim_id)
        part = section(anchor, f"{record.claim_id}: {MARKS[record.answer]} {record.answer}")
        part += quotation(record)
        if record.rule is None:
            part += sentence("Rule", "none yet.")
        else:
            kind = "Check of our code (true by construction)" if record.rule.check else "Rule"
            if record.rule.statement:
                part += sentence(kind, f"{record.rule.statement} {record.rule.reasons}".strip())
            part += folded(
                "The rule as code",
                nodes.literal_block("", inspect.getsource(record.rule.function), language="python"),
            )
        part += sentence("Verdict", in_words(Verdict(record.answer, record.evidence)))
        part += readings(record)
        if record.on_print is not None:
            part += sentence("The same rule on the paper's own numbers", in_words(record.on_print))
        elif record.rule is not None:
            part += sentence("The paper's own numbers", "not printed in a form to which the rule applies.")
        if record.simulated:
            part += sentence("The rule on simulated data", power(record))
        if record.notebook:
            part += self.links_to(f"**Tables and figures:** {{doc}}`/executed/{record.notebook}`")
            part += self.links_to_tables(record)
            part += sentence("To recompute it", "")
            part += nodes.literal_block("", command_of(record.notebook), language="console")
        return part


def section(anchor, title):
    return nodes.section("", nodes.title("", title), ids=[anchor], names=[anchor.lower()])


def sentence(label, text):
    """A labelled paragraph; names between backticks are code."""
    parts = [
        nodes.literal("", part) if code % 2 else nodes.Text(part) for code, part in enumerate(typeset(text).split("`"))
    ]
    return nodes.paragraph("", "", nodes.strong("", f"{label}:"), nodes.Text(" "), *parts)


def in_words(verdict):
    """A verdict as two sentences: mark and answer, then the evidence."""
    evidence = verdict.evidence.strip()
    said = f" {evidence[:1].upper()}{evidence[1:].removesuffix('.')}." if evidence else ""
    return f"{MARKS[verdict.answer]} {verdict.answer}.{typeset(said)}"


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
    """The verdict under each other reading of the paper."""
    if record.readings.empty:
        return []
    names = names_of(record.paper)
    items = [
        f"{worded(row.reading, names)}: {in_words(Verdict(row.answer, row.evidence))}"
        for row in record.readings.itertuples()
    ]
    items = [nodes.list_item("", nodes.paragraph("", item)) for item in items]
    brief = sentence(f"Under {len(items)} readings of the paper", f"{readings_in_brief(record)}.")
    return [brief, *folded("Each reading", nodes.bullet_list("", *items))]


def power(record):
    """How often the rule gives each answer if the effect is as printed, absent, or reversed."""
    parts = []
    for effect, shares in sorted(record.simulated.items(), reverse=True):
        said = ", ".join(f"{answer} {shares[answer]:.0%}" for answer in ANSWERS if answer in shares)
        parts.append(f"effect {EFFECTS[effect]}: {said}")
    return f"{'; '.join(parts)}."


class FrontScoreboard(ClaimsDirective):
    """One row per paper: every claim as a mark that links to it, and the share of printed numbers found again."""

    def run(self):
        counts = scoreboard(comparisons_in(self.env.app.srcdir / "results"))
        counts = counts.groupby("paper", sort=False)[COUNTS].sum()
        rows = []
        tested = {record.paper: papers()[record.paper] for record in self.records}
        for key, paper in tested.items():
            dots = " ".join(dot(record) for record in self.records if record.paper == key)
            numbers = bar(paper.name, counts.loc[key]) if key in counts.index else "–"
            rows.append(
                f'<tr><th scope="row"><a href="papers/{key}.html">{escaped(paper.name)}</a></th>'
                f'<td class="dots">{dots}</td><td>{numbers}</td></tr>'
            )
        judged = sum(record.answer not in UNTESTED for record in self.records)
        listed = f" of {len(self.records)}" if judged < len(self.records) else ""
        said = f"{judged}{listed} claims tested"
        if compared := counts["comparable"].sum():
            said += f", {compared:,} printed numbers compared"
        legend = " ".join(marked(answer) for answer in ANSWERS if any(r.answer == answer for r in self.records))
        table = (
            f'<p class="answer">{in_letters(len(tested))} papers, run again from scratch: {said}.</p>{doors()}'
            '<div class="table-scroll" role="region" tabindex="0" aria-label="Claims and printed numbers by paper">'
            '<table class="fscore scoreboard"><thead><tr><th scope="col">paper</th><th scope="col">claims</th>'
            '<th scope="col">printed numbers found again</th></tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div><p>{legend}</p>"
        )
        return [nodes.raw("", table, format="html")]


def in_letters(number):
    """A small number as the first word of a sentence."""
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
    return words[number] if number < len(words) else str(number)


def doors():
    """The three questions that readers come with, each with the page that answers it."""
    arena = [page for paper in papers().values() for page in paper.pages if "arena" in page]
    questions = {
        "Does a claim hold?": "claims",
        "Which method should I use?": f"executed/{arena[0]}" if arena else "library",
        "Use it on my data": "your_csv",
    }
    links = "".join(f'<a href="{page}.html">{question}</a>' for question, page in questions.items())
    return f'<div class="doors">{links}</div>'


def dot(record):
    """The mark of a verdict, with a link to its claim."""
    label = escaped(f"{record.claim_id}, {record.answer}: {record.claim}")
    anchor = escaped(anchor_of(record.paper, record.claim_id))
    return (
        f'<a class="dot answer-{ANSWERS.index(record.answer)}" href="claims.html#{anchor}" title="{label}" '
        f'aria-label="{label}"><span class="verdict-mark" aria-hidden="true">{MARKS[record.answer]}</span></a>'
    )


def bar(name, counts):
    """A bar of agreeing, explained and unexplained numbers, with the counts as text."""
    parts = [(part, counts[part] / counts["comparable"] if counts["comparable"] else 0) for part in COUNTS[2:]]
    drawn = "".join(f'<span class="{part}" style="width:{share:.1%}"></span>' for part, share in parts)
    share = f"{counts['agree'] / counts['comparable']:.0%}" if counts["comparable"] else "–"
    text = f"{counts['agree']} of {counts['comparable']}"
    return f'<span class="bar" aria-hidden="true">{drawn}</span> <a href="printed_numbers.html">{share}</a> ({text})'


class Findings(ClaimsDirective):
    """Cards with a figure and a sentence; what the staged pages don't have is left out."""

    def run(self):
        cards = []
        for page, figure, heading, source in FINDINGS:
            drawing, said = self.drawing(page, figure), self.said(page, source)
            if drawing and said:
                opening = f'<a href="executed/{page}.html">'
                text = f"<p>{opening}<strong>{escaped(heading)}</strong></a><br>{escaped(said)}</p>"
                cards.append(f'<div class="finding">{text}{opening}{drawing}</a></div>')
        if not cards:
            return []
        part = section("findings", "What we did not expect")
        part += nodes.raw("", f'<div class="findings">{"".join(cards)}</div>', format="html")
        return [part]

    def drawing(self, page, name):
        """A figure of an executed notebook, as the image that its page shows; empty if there is none."""
        file = self.env.app.srcdir / "executed" / f"{page}.ipynb"
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"] if file.is_file() else ():
            shown = cell["metadata"].get("mystnb", {})
            if shown.get("figure", {}).get("name") == name:
                alt = escaped(shown.get("image", {}).get("alt", ""))
                for data in (output.get("data", {}) for output in cell["outputs"]):
                    if SVG in data:
                        return f'<img src="_images/{image_name("".join(data[SVG]))}.svg" alt="{alt}">'
        return ""

    def said(self, page, source):
        """The evidence of a claim, or the counts of a printed table."""
        for record in self.records:
            if record.claim_id == source and record.notebook == page:
                return in_words(Verdict(record.answer, record.evidence))
        counts = scoreboard(comparisons_in(self.env.app.srcdir / "results"))
        found = counts[(counts["paper"] == page.partition("_")[0]) & (counts["table"] == source)]
        if found.empty or not found["comparable"].iloc[0]:
            return ""
        row = found.iloc[0]
        name = papers()[page.partition("_")[0]].name
        said = f"{row['agree']} of the {row['comparable']} compared numbers in {source} of {name} agree with ours."
        return f"{said} {CHOSEN_BY.get((page, source), '')}".strip()


def setup(app):
    app.add_directive("findings", Findings)
    app.add_directive("claims-matrix", ClaimsMatrix)
    app.add_directive("claims", Claims)
    app.add_directive("front-scoreboard", FrontScoreboard)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
