"""Directives for the front page.

{front-answer}   the counts of claims and printed numbers in a sentence, and the three doors
{front-figure}   every table of the papers in one figure: ours minus print in standard errors
{front-papers}   one row per paper: its claims in words and as marks, its printed numbers as a bar, its tables
"""

from collections import Counter

from claims_page import stored_records
from docutils import nodes
from scoreboard_page import framed, stored_comparisons, table_places
from templates import directive, filled

from compendium.markup import tally_sentence
from compendium.papers import papers
from compendium.published import GRADES
from compendium.scoreboard import ALL, COUNTS, as_a_whole, scoreboard
from compendium.verdicts import ANSWERS

DOORS = {"Check a claim": "claims", "Choose a method": "executed/comparison_arena", "Use it on my data": "your_csv"}


def answer(directive):
    """How many claims hold and how many printed numbers were reproduced, and where to go from here."""
    counts = scoreboard(stored_comparisons())[COUNTS].sum()
    said = headline(stored_records())
    if compared := counts["comparable"]:
        near = counts["identical"] + counts["close"]
        said += f" Of {compared:,} printed numbers, {near:,} are identical or close to ours."
    links = "".join(f'<a href="{page}.html">{question}</a>' for question, page in DOORS.items())
    return [nodes.raw("", f'<p class="answer">{said}</p><div class="doors">{links}</div>', format="html")]


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


def figure(directive):
    """Ours minus print in standard errors, one row a table."""
    compared = stored_comparisons()
    whole = as_a_whole(compared)
    whole = whole[whole["table"] != ALL]
    return [nodes.raw("", framed(compared, whole, row=0.17), format="html")] if len(whole) else []


def front_papers(directive):
    """One row per paper: its claims, its printed numbers as a bar of their grades, its tables by number in print."""
    counts = scoreboard(stored_comparisons()).groupby("paper", sort=False)[COUNTS].sum().to_dict("index")
    rows = []
    for key in dict.fromkeys(record.paper for record in stored_records()):
        paper, own = papers()[key], [record for record in stored_records() if record.paper == key]
        title = paper.folder.joinpath("page.md").read_text(encoding="utf-8").partition("\n")[0].partition(": ")[2]
        found = table_places(paper, directive.env.app.srcdir)
        order = sorted(found, key=lambda number: [part.zfill(3) for part in number.split("-")])
        tables = [(number.replace("-", "."), found[number]) for number in order]
        said = {"said": tally_sentence({r.claim_id: r.verdict for r in own}), "counts": counts.get(key)}
        rows.append({"paper": paper, "title": title, "records": own, "tables": tables, **said})
    return [filled("front_papers.html", rows=rows, GRADES=GRADES)]


def setup(app):
    app.add_directive("front-answer", directive(answer))
    app.add_directive("front-figure", directive(figure))
    app.add_directive("front-papers", directive(front_papers))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
