"""Directives for the front page.

{front-answer}   the counts of claims and printed numbers in a sentence, and the three doors
{front-figure}   every table of the papers in one figure: ours minus print in standard errors
{front-papers}   one row per paper: its claims in words and as marks, its printed numbers as a bar, its tables
"""

from collections import Counter

from claims_page import ClaimsDirective, escaped
from docutils import nodes
from scoreboard_page import framed, stored_comparisons, table_places
from sphinx.util.docutils import SphinxDirective

from compendium.markup import anchor_of
from compendium.papers import papers
from compendium.published import GRADES
from compendium.scoreboard import ALL, COUNTS, as_a_whole, scoreboard
from compendium.verdicts import ANSWERS, MARKS

DOORS = {"Check a claim": "claims", "Choose a method": "executed/comparison_arena", "Use it on my data": "your_csv"}


class FrontAnswer(ClaimsDirective):
    """How many claims hold and how many printed numbers were reproduced, and where to go from here."""

    def run(self):
        counts = scoreboard(stored_comparisons())[COUNTS].sum()
        said = headline(self.records)
        if compared := counts["comparable"]:
            near = counts["identical"] + counts["close"]
            said += f" Of {compared:,} printed numbers, {near:,} are identical or close to ours."
        links = "".join(f'<a href="{page}.html">{question}</a>' for question, page in DOORS.items())
        text = f'<p class="answer">{said}</p><div class="doors">{links}</div>'
        return [nodes.raw("", text, format="html")]


def headline(records):
    """Sentences with the counts of claims by answer, and checks apart."""
    claims = Counter(record.answer for record in records if not record.verdict.check)
    checks = Counter(record.answer for record in records if record.verdict.check)
    said = ", ".join(f"{claims[answer]} {_hold(answer, claims[answer])}" for answer in ANSWERS if claims[answer])
    passed = "all" if checks["passed"] == checks.total() else f"{checks['passed']} of them"
    more = f" Of {checks.total()} checks of theorems and of our code, {passed} passed." if checks else ""
    return f"Of {claims.total()} claims, {said}.{more}"


def _hold(answer, n):
    """What a number of claims do: "hold in every statement", "is undecided"."""
    if answer in ("holds", "fails"):
        verb = answer if n == 1 else answer.removesuffix("s")
        return f"{verb} in every statement" if answer == "holds" else verb
    return f"{'is' if n == 1 else 'are'} {answer}"


class FrontFigure(SphinxDirective):
    """Ours minus print in standard errors, one row a table."""

    def run(self):
        compared = stored_comparisons()
        whole = as_a_whole(compared)
        whole = whole[whole["table"] != ALL]
        return [nodes.raw("", framed(compared, whole, row=0.17), format="html")] if len(whole) else []


class FrontPapers(ClaimsDirective):
    """One row per paper."""

    def run(self):
        counts = scoreboard(stored_comparisons())
        counts = counts.groupby("paper", sort=False)[COUNTS].sum()
        rows = []
        for key in dict.fromkeys(record.paper for record in self.records):
            paper, own = papers()[key], [record for record in self.records if record.paper == key]
            title = paper.folder.joinpath("page.md").read_text(encoding="utf-8").partition("\n")[0].partition(": ")[2]
            numbers = bar(counts.loc[key]) if key in counts.index else "no printed numbers in our copy"
            rows.append(
                f'<tr><th scope="row"><a href="papers/{key}.html">{escaped(paper.name)}</a><br>'
                f"{escaped(title[:1].upper() + title[1:])}</th>"
                f'<td>{in_counts(own)}<br><span class="dots">{" ".join(map(dot, own))}</span></td>'
                f"<td>{numbers}</td><td>{self.tables(paper)}</td></tr>"
            )
        head = "".join(f'<th scope="col">{name}</th>' for name in ("paper", "claims", "identical or close", "tables"))
        table = (
            '<div class="table-scroll full-width" role="region" tabindex="0" aria-label="Claims and printed numbers">'
            f'<table class="fscore scoreboard"><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
        )
        return [nodes.raw("", table, format="html")]

    def tables(self, paper):
        """Links to the paper's tables by their numbers in print."""
        found = table_places(paper, self.env.app.srcdir)
        places = sorted(found, key=lambda number: [part.zfill(3) for part in number.split("-")])
        return ", ".join(f'<a href="{found[number]}">{number.replace("-", ".")}</a>' for number in places) or "–"


def in_counts(records):
    """Claims by answer in words: "1 holds, 3 mixed, 4 undecided, 2 checks passed"."""
    said = []
    for answer in ANSWERS:
        claims = [record for record in records if record.answer == answer]
        checks = sum(record.verdict.check for record in claims)
        if checks:
            said.append(f"{checks} check{'s' * (checks > 1)} {answer}")
        elif claims:
            plural = {"holds": "hold", "fails": "fail"}.get(answer, answer)
            said.append(f"{len(claims)} {answer if len(claims) == 1 else plural}")
    return ", ".join(said)


def dot(record):
    """The mark of a verdict, with a link to its claim."""
    label = escaped(f"{record.claim_id}, {record.verdict.words}: {record.claim}")
    anchor = escaped(anchor_of(record.paper, record.claim_id))
    return (
        f'<a class="dot answer-{ANSWERS.index(record.answer)}" href="claims/{anchor}.html" title="{label}" '
        f'aria-label="{label}"><span class="verdict-mark" aria-hidden="true">{MARKS[record.answer]}</span></a>'
    )


def bar(counts):
    """A bar of the five grades of agreement, with the share of identical or close numbers as text."""
    n, near = counts["comparable"], counts["identical"] + counts["close"]
    drawn = "".join(
        f'<span class="grade-{number}" style="width:{counts[grade] / n if n else 0:.1%}"></span>'
        for number, grade in enumerate(GRADES)
    )
    listed = ", ".join(f"{grade} {counts[grade]}" for grade in GRADES)
    share = f"{near / n:.0%}" if n else "–"
    return (
        f'<span class="bar" role="img" aria-label="{listed}" title="{listed}">{drawn}</span> '
        f'<a href="printed_numbers.html">{share}</a> ({near} of {n})'
    )


def setup(app):
    app.add_directive("front-answer", FrontAnswer)
    app.add_directive("front-figure", FrontFigure)
    app.add_directive("front-papers", FrontPapers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
