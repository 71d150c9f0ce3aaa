"""Directives for the page of printed numbers.

{scoreboard}           printed numbers by paper and table: how many have which grade
{scoreboard-figure}    ours minus print in standard errors, one row a table
{differing-numbers}    every number that differs, with its explanation if there is one
{paper-tables} nel1998 the paper's tables and figures: where they are, and how many numbers have which grade
"""

import io
from functools import cache

import numpy as np
import pandas as pd
from _ext.extension import directive, raw, shown
from _ext.places import table_places
from docutils import nodes
from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure

from compendium.papers import papers
from compendium.parts import names_of
from compendium.published import GRADES, UNEXPLAINED
from compendium.results import stored_tables
from compendium.scoreboard import ALL, all_comparisons, as_a_whole, beyond_chance, scoreboard
from compendium.style import HASHSALT
from compendium.tables import html_table, worded
from compendium.typography import typeset

INK = "#010203"  # replaced by the page's text colour
EDGE = 5  # standard errors that the figure shows
EVERY = "All papers"
CAPTIONS = (
    "Printed numbers by paper and table",
    "Inputs, grades of those that agree, errors and chance, by paper and table",
)
COLUMNS = ["paper", "table", "number", "published", "reproduced", "standard errors", "explanation"]


@cache
def stored_comparisons():
    """Every printed number with the value in the store."""
    return all_comparisons(stored_tables())


@directive("scoreboard")
def counts(directive):
    """Counts over all papers, by paper, and by table; folded, what the differences are made of."""
    counted = scoreboard(stored_comparisons())
    means = as_a_whole(stored_comparisons()).set_index(["paper", "table"])
    parts = [(EVERY, ALL, counted, "–")]
    for paper, own in counted.groupby("paper", sort=False):
        compared = own[own["comparable"] > 0]
        for table, part in ((ALL, own), *compared.groupby("table", sort=False)):
            said = _mean(means.loc[(paper, table)]) if (paper, table) in means.index else "–"
            parts.append((papers()[paper].name, table, part, said))
    tables = zip(*(_rows(*part) for part in parts), strict=True)
    first, more = (html_table(pd.DataFrame(rows), caption) for rows, caption in zip(tables, CAPTIONS, strict=True))
    return [raw(first), raw(f"<details><summary>{CAPTIONS[1]}</summary>{more}</details>")]


def _rows(paper, table, part, mean):
    """The row of one table, or of several together, and its folded row."""
    row = part.drop(columns=["paper", "table", "ratio"]).sum()
    near, n = row["identical"] + row["close"], row["comparable"]
    first = {
        "paper": paper,
        "table": table,
        "compared": int(n),
        "identical or close": f"{near / n:.0%}" if n else "–",
        "could be": f"{row['attainable'] / n:.0%}" if n else "–",
        **{grade: int(row[grade]) for grade in GRADES if grade.startswith("differs")},
        "mean difference": mean,
        "not measured": int(row["printed"] - row["inputs"] - n),
    }
    more = {
        "paper": paper,
        "table": table,
        "printed": int(row["printed"]),
        "inputs": int(row["inputs"]),
        **{grade: int(row[grade]) for grade in GRADES if not grade.startswith("differs")},
        "our error at most half": f"{row['narrow']:.0f} of {row['noisy']:.0f}" if row["noisy"] else "–",
        "our error / theirs": np.nan if table == ALL else part["ratio"].item(),
        "unexplained beyond chance": int(row["beyond_chance"]),
        "would differ by chance": round(row["by_chance"], 1),
    }
    return first, more


def _mean(row):
    """A table's mean difference with its interval in words, and whether it is off as a whole."""
    said = f"{row['mean']:+.2f} ({row['low']:+.2f} to {row['high']:+.2f})"
    carried = f"; not so without {row['carried_by']}" if row["carried_by"] else ""
    return typeset(f"{said}, {row['off']} print{carried}" if row["off"] else said)


@directive("paper-tables", 1)
def paper_tables(directive, paper):
    """The tables and figures of one paper in its own numbering, with the grades of their numbers."""
    places = table_places(papers()[paper].pages, directive.env.app.srcdir)
    places = {number.lower(): at for number, at in places.items()}
    counted = scoreboard(stored_comparisons()).query("paper == @paper and comparable > 0").to_dict("records")
    if not counted:
        return [nodes.paragraph("", "No printed number is compared in this build.")]
    at = [places.get(row["table"].removeprefix("Table ").replace(".", "-").lower()) for row in counted]
    return [shown("paper_tables.html", rows=zip(counted, at, strict=True), GRADES=GRADES)]


@directive("scoreboard-figure")
def figure(directive):
    """Ours minus print in standard errors, by table and paper."""
    return drawing(as_a_whole(stored_comparisons()))


def drawing(whole, row=0.24):
    """A figure with one row per table; its lines and text take the colour of the page's text.

    Parameters
    ----------
    whole : DataFrame
        As from `compendium.scoreboard.as_a_whole`.
    row : float
        Height of a row, in inches.

    Returns
    -------
    list of nodes
        Empty if nothing is compared.
    """
    if whole.empty:
        return []
    compared = stored_comparisons()
    compared = compared[compared["grade"].ne("input")]
    figure = Figure(figsize=(5.6, row * len(whole) + 0.8), layout="constrained")
    axes = figure.add_subplot()
    labels = []
    for place, table in enumerate(whole.itertuples()):
        own = compared["paper"].eq(table.paper) & compared["table"].eq(table.table)
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
    axes.spines[:].set_color(INK)
    axes.spines[["top", "right"]].set_visible(False)
    text = io.StringIO()
    with rc_context({"svg.hashsalt": HASHSALT}):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor").replace("<svg ", '<svg class="drawing" ', 1)
    return [shown("differences.html", svg=Markup(svg), edge=EDGE)]


@directive("differing-numbers")
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
    return [raw(html_table(pd.DataFrame(rows, columns=COLUMNS), "Printed numbers that differ from ours"))]


def _explanation(number):
    if number.cause != UNEXPLAINED:
        return f"{number.cause}: {number.explanation}"
    return f"{UNEXPLAINED}, beyond chance" if number.beyond else f"{UNEXPLAINED}, within chance"
