"""Directives for the front page.

{front-answer}   whether the papers hold up: statements and printed numbers in sentences, claims by group as a bar
{front-figure}   every table of the papers in one figure: ours minus print in standard errors
{front-papers}   one row per paper: its claims in words and as marks, its printed numbers as a bar, its tables
"""

import io
from collections import Counter
from itertools import groupby

import numpy as np
import pandas as pd
from _ext.extension import directive, shown
from _ext.places import table_places
from markupsafe import Markup
from matplotlib import rc_context

from compendium.claim_records import expectation_in_words, statements_in_words, stored_records
from compendium.comparison import (
    ALL,
    COUNTS,
    REACH,
    as_a_whole,
    differences_figure,
    numbers_in_words,
    scoreboard,
    stored_comparisons,
)
from compendium.markup import tally, typeset
from compendium.papers import papers
from compendium.published import GRADES
from compendium.style import HASHSALT
from compendium.verdicts import GROUPS

MOSTLY = 0.75  # of the statements that could be decided: from here on they "mostly" hold
INK = "#010203"  # replaced by the page's text colour


@directive("front-answer")
def answer(directive):
    """Whether the papers hold up, in sentences, and a bar of the claims by group, whose parts lead to their list."""
    records = stored_records()
    groups = Counter(record.verdict.group for record in records if not record.verdict.check)
    bar = [(group, groups[group]) for group in GROUPS if groups[group]]
    statements = statements_in_words(record.verdict for record in records)
    said = typeset(f"{statements} {numbers_in_words()}")
    more = typeset(f"{expectation_in_words(records)} {checks_in_words(records)}")
    directive.state.document["description"] = f"{lead(records)} {statements}"
    return [shown("front_answer.html", lead=lead(records), said=said, more=more, bar=bar)]


def headline(records):
    """The answer in short: the statements by answer, what to expect of the claims, and the checks."""
    statements = statements_in_words(record.verdict for record in records)
    return f"{statements} {expectation_in_words(records)} {checks_in_words(records)}"


def lead(records):
    """The title's answer: how many of the statements that could be decided hold."""
    rows = [row.answer for record in records if not record.verdict.check for row in record.verdict.rows]
    decided = [answer for answer in rows if answer != "undecided"]
    if not decided:
        return "We can't tell yet."
    share = decided.count("holds") / len(decided)
    words = "Mostly" if share >= MOSTLY else "More often than not" if share > 0.5 else "Mostly not"
    return f"{words}, where we can tell."


def checks_in_words(records):
    """A sentence on the claims that are checks."""
    checks = [record.verdict.answer for record in records if record.verdict.check]
    if not checks:
        return ""
    passed = "all passed" if set(checks) == {"passed"} else f"{checks.count('passed')} passed"
    return f"{len(checks)} further claims are theorems or true by construction; as checks of our code, {passed}."


@directive("front-figure")
def figure(directive):
    """Ours minus print in standard errors, one row a table; lines and text take the colour of the page's text."""
    whole = as_a_whole(stored_comparisons())
    whole = whole[whole["table"] != ALL]
    if whole.empty:
        return []
    in_order = scoreboard(stored_comparisons())[["paper", "table"]]
    rows = in_order.merge(pd.concat([whole, without_error(whole)]))
    text = io.StringIO()
    with rc_context({"svg.hashsalt": HASHSALT}):
        drawn = differences_figure(stored_comparisons(), rows, row=0.17, ink=INK)
        drawn.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor").replace("<svg ", '<svg class="drawing" ', 1)
    return [
        shown("differences.html", svg=Markup(svg), edge=REACH, said=off_in_words(whole), squares=len(rows) > len(whole))
    ]


def without_error(whole):
    """Rows for the tables whose numbers have no standard error, with how many agree."""
    counts = scoreboard(stored_comparisons()).query("comparable > 0 and table.str.startswith('Table')")
    known = set(zip(whole["paper"], whole["table"], strict=True))
    rows = [
        (row.paper, row.table, np.nan, f"{row.agree} of {row.comparable} agree; no error is known")
        for row in counts.itertuples()
        if (row.paper, row.table) not in known
    ]
    return pd.DataFrame(rows, columns=["paper", "table", "mean", "note"])


def off_in_words(whole):
    """How many tables are off as a whole, which way, and how many of these a recorded cause explains."""
    off = whole[whole["off"] != ""]
    if off.empty:
        return f"In none of the {len(whole)} tables with an interval does it miss zero."
    below, above, explained = ((off["off"] == "below").sum(), (off["off"] == "above").sum(), off["explained"].sum())
    ways = " and ".join(f"{n} {way}" for n, way in ((below, "lower"), (above, "higher")) if n)
    known = f"known causes explain {explained}" if explained else "no known cause explains them"
    missed = f"In {len(off)} of the {len(whole)} tables with an interval, it misses zero"
    return f"{missed}: our numbers are systematically off ({ways}); {known}."


@directive("front-papers")
def front_papers(directive):
    """One row per paper: its claims, its printed numbers as a bar of their grades, its tables by number in print."""
    counts = scoreboard(stored_comparisons()).groupby("paper", sort=False)[COUNTS].sum().to_dict("index")
    rows = []
    for key, records in groupby(stored_records(), key=lambda record: record.paper):
        paper, own = papers()[key], list(records)
        title = paper.folder.joinpath("page.md").read_text(encoding="utf-8").partition("\n")[0].partition(": ")[2]
        found = table_places(paper.pages, directive.env.app.srcdir)
        tables = sorted(found.items(), key=lambda item: [part.zfill(3) for part in item[0].split("-")])
        rows.append((paper, title, own, tables, counts.get(key)))
    return [shown("front_papers.html", rows=rows, GRADES=GRADES, tally=tally)]
