"""Directives for the page of printed numbers.

{scoreboard}           printed numbers by paper and table: how many have which grade
{scoreboard-figure}    ours minus print in standard errors, one row a table
{differing-numbers}    every number that differs, with its explanation if there is one
{paper-tables} nel1998 the paper's tables and figures: where they are, and how many numbers have which grade
"""

import io
import re
from functools import cache

import numpy as np
import pandas as pd
from docutils import nodes
from matplotlib import rc_context
from matplotlib.figure import Figure
from places import document_of
from templates import directive, filled

from compendium.papers import papers
from compendium.parts import names_of
from compendium.published import GRADES, UNEXPLAINED
from compendium.results import stored_tables
from compendium.scoreboard import ALL, COUNTS, all_comparisons, as_a_whole, beyond_chance, scoreboard
from compendium.style import HASHSALT
from compendium.tables import html_table, worded
from compendium.typography import typeset

ALT = (
    "One row per table. Each dot is a printed number, placed at our value minus the printed one in standard errors; "
    "the diamond is their mean with its 95 % interval. Zero is a line. The page Published and reproduced numbers has "
    "the means as a table."
)
CAPTION = (
    "A row is a table of a paper; one whose interval (diamond) misses the line is off as a whole. Dots: ours "
    "minus print in standard errors, drawn at the edge beyond {edge}."
)
INK = "#010203"  # replaced by the page's text colour
EDGE = 5  # standard errors that the figure shows
EVERY = "All papers"
PLACE = re.compile(
    r'id=\\"table-((?:[a-z]-)?\d+(?:-\d+)*)\\"', re.IGNORECASE
)  # a table's anchor in an executed notebook
COLUMNS = ["paper", "table", "number", "published", "reproduced", "standard errors", "explanation"]


@cache
def stored_comparisons():
    """Every printed number with the value in the store."""
    return all_comparisons(stored_tables())


def counts(directive):
    """Counts over all papers, by paper, and by table."""
    compared = stored_comparisons()
    counts, whole = scoreboard(compared), as_a_whole(compared).set_index(["paper", "table"])
    numbers = [*COUNTS, "attainable", "noisy", "narrow", "by_chance", "beyond_chance"]
    totals = counts.groupby("paper", sort=False)[numbers].sum().reset_index().assign(table=ALL)
    names = {EVERY: EVERY, **{key: paper.name for key, paper in papers().items()}}
    overall = counts[numbers].sum().to_frame().T.astype(counts[numbers].dtypes).assign(paper=EVERY, table=ALL)
    counts = pd.concat([overall, totals, counts])
    rows = []
    for paper in counts["paper"].unique():
        for row in counts[counts["paper"] == paper].to_dict("records"):
            near, n = row["identical"] + row["close"], row["comparable"]
            rows.append(
                {
                    "paper": names[paper],
                    "table": row["table"],
                    "compared": n,
                    "identical or close": f"{near / n:.0%}" if n else "–",
                    "could be": f"{row['attainable'] / n:.0%}" if n else "–",
                    **{grade: row[grade] for grade in GRADES},
                    "our error at most half": f"{row['narrow']} of {row['noisy']}" if row["noisy"] else "–",
                    "our error / theirs": row.get("ratio"),
                    "mean difference in errors": _mean(whole, paper, row["table"]),
                    "unexplained beyond chance": row["beyond_chance"],
                    "would differ by chance": round(row["by_chance"], 1),
                    "inputs": row["inputs"],
                }
            )
    return [nodes.raw("", html_table(pd.DataFrame(rows), "Printed numbers by paper and table"), format="html")]


def paper_tables(directive, paper):
    """The tables and figures of one paper in its own numbering, with the grades of their numbers."""
    places = {number.lower(): at for number, at in table_places(papers()[paper], directive.env.app.srcdir).items()}
    counts = scoreboard(stored_comparisons())
    rows = []
    for row in counts[counts["paper"] == paper].to_dict("records"):
        at = places.get(row["table"].removeprefix("Table ").replace(".", "-").lower())
        grades = "; ".join(f"{grade} {row[grade]}" for grade in GRADES if row[grade])
        rows.append((row["table"], at, row["identical"] + row["close"], row["comparable"], grades))
    if not rows:
        return [nodes.paragraph("", "No printed number is compared in this build.")]
    return [filled("paper_tables.html", rows=rows)]


def table_places(paper, source):
    """Address of each of a paper's tables in the site, by its number in print with "-" for "."."""
    found = {}
    for page in paper.pages:
        file, (document, _) = source / "executed" / f"{page}.ipynb", document_of(page)
        for number in PLACE.findall(file.read_text(encoding="utf-8")) if file.is_file() else ():
            found.setdefault(number, f"{document}.html#table-{number}")
    return found


def _mean(whole, paper, table):
    """A table's mean difference with its interval in words, and whether it is off as a whole."""
    if (paper, table) not in whole.index:
        return "–"
    row = whole.loc[(paper, table)]
    said = f"{row['mean']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
    carried = f"; not so without {row['carried_by']}" if row["carried_by"] else ""
    return typeset(f"{said}, {row['off']} print{carried}" if row["off"] else said)


def figure(directive):
    """Ours minus print in standard errors, by table."""
    compared = stored_comparisons()
    whole = as_a_whole(compared)
    return [] if whole.empty else [nodes.raw("", framed(compared, whole), format="html")]


def framed(compared, whole, row=0.24):
    """The figure of `dots` with its description and caption, as HTML."""
    opening = f'<figure class="align-default" role="img" tabindex="0" aria-label="{ALT}">'
    closing = f"<figcaption><p>{CAPTION.format(edge=EDGE)}</p></figcaption></figure>"
    return opening + dots(compared, whole, row) + closing


def dots(compared, whole, row):
    """SVG with one row per table; its lines and text take the colour of the page's text.

    Parameters
    ----------
    compared : DataFrame
        As from `compendium.scoreboard.all_comparisons`.
    whole : DataFrame
        As from `compendium.scoreboard.as_a_whole`.
    row : float
        Height of a row, in inches.

    Returns
    -------
    str
    """
    figure = Figure(figsize=(5.6, row * len(whole) + 0.8), layout="constrained")
    axes = figure.add_subplot()
    labels = []
    for place, table in enumerate(whole.itertuples()):
        own = compared["paper"].eq(table.paper) & compared["table"].eq(table.table) & compared["grade"].ne("input")
        errors = compared.loc[own, "errors"].dropna().to_numpy(float).clip(-EDGE, EDGE)
        height = place + 0.3 * (np.arange(len(errors)) % 5 - 2) / 2  # so that equal numbers can be told apart
        axes.scatter(errors, height, s=5, color=INK, alpha=0.25, linewidths=0)
        axes.plot(np.clip([table.low, table.high], -EDGE, EDGE), [place] * 2, color=INK, linewidth=1.6, linestyle="-")
        axes.scatter(np.clip(table.mean, -EDGE, EDGE), place, s=34, marker="D", color=INK, zorder=3)
        labels.append(f"{papers()[table.paper].name.split()[0]} {table.table.removeprefix('Table ')}")
    axes.axvline(0, color=INK, linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(whole)), labels)
    axes.set_ylim(len(whole) - 0.4, -0.6)
    axes.set_xlim(-EDGE - 0.2, EDGE + 0.2)
    axes.set_xlabel("below print    (ours - print) / standard error    above print", color=INK, fontsize=10)
    axes.tick_params(labelsize=10, color=INK, labelcolor=INK)
    for spine in axes.spines.values():
        spine.set_color(INK)
    text = io.StringIO()
    with rc_context({"svg.hashsalt": HASHSALT}):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    drawing = text.getvalue()
    return drawing[drawing.index("<svg") :].replace(INK, "currentColor").replace("<svg ", '<svg class="drawing" ', 1)


def differing(directive):
    """Every number that differs."""
    compared = stored_comparisons()
    compared = compared.assign(beyond=beyond_chance(compared))
    rows = [
        {
            "paper": papers()[row.paper].name,
            "table": row.table,
            "number": worded(row.item, names_of(row.paper)),
            "published": typeset(f"{row.published:g}"),
            "reproduced": typeset(f"{row.reproduced:.4g}"),
            "standard errors": None if pd.isna(row.errors) else f"{row.errors:+.1f}",
            "explanation": _explanation(row),
        }
        for row in compared[compared["grade"].str.startswith("differs")].itertuples()
    ]
    table = html_table(pd.DataFrame(rows, columns=COLUMNS), "Printed numbers that differ from ours")
    return [nodes.raw("", table, format="html")]


def _explanation(number):
    if number.cause != UNEXPLAINED:
        return f"{number.cause}: {number.explanation}"
    return f"{UNEXPLAINED}, beyond chance" if number.beyond else f"{UNEXPLAINED}, within chance"


def setup(app):
    app.add_directive("scoreboard", directive(counts))
    app.add_directive("scoreboard-figure", directive(figure))
    app.add_directive("differing-numbers", directive(differing))
    app.add_directive("paper-tables", directive(paper_tables, 1))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
