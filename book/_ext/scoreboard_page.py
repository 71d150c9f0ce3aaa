"""Directives for the page of printed numbers.

{scoreboard}           printed numbers by paper and table: compared, agreeing, explained, unexplained
{scoreboard-figure}    published against reproduced values, one panel per paper
{differing-numbers}    every number that differs, with its explanation if there is one
"""

import io
from functools import cache

import numpy as np
import pandas as pd
from docutils import nodes
from matplotlib import rc_context
from matplotlib.figure import Figure
from sphinx.util.docutils import SphinxDirective

from compendium.papers import papers
from compendium.parts import names_of
from compendium.published import UNEXPLAINED
from compendium.results import read_results, shown_tables
from compendium.scoreboard import COUNTS, all_comparisons, beyond_chance, scoreboard
from compendium.style import HASHSALT
from compendium.tables import html_table, worded
from compendium.typography import typeset

ALT = (
    "One panel per paper. Each mark is a printed number: the published value on the horizontal axis, ours on the "
    "vertical one, with the line of equal values. Filled dots agree, hollow triangles differ. Near zero the axes are "
    "linear, beyond logarithmic."
)
CAPTION = (
    "Published (horizontal) and reproduced values (vertical). Filled dots agree; hollow triangles differ by more than "
    "chance and rounding allow."
)
INK = "#010203"  # replaced by the page's text colour
MARKS = {True: {"marker": "o", "s": 9, "facecolors": INK}, False: {"marker": "^", "s": 16, "facecolors": "none"}}
EVERY = "All papers"
COLUMNS = ["paper", "table", "number", "published", "reproduced", "standard errors", "explanation"]


@cache
def tables_in(folder):
    """The tables that the staged pages show, by notebook."""
    return shown_tables(read_results(folder))


@cache
def comparisons_in(folder):
    """Every printed number with the value that the staged pages show."""
    return all_comparisons(tables_in(folder))


class NumbersDirective(SphinxDirective):
    """A directive that shows numbers in the table of the notebooks' pages."""

    title = ""

    def frame(self):
        """The table to show."""
        raise NotImplementedError

    def run(self):
        return [nodes.raw("", html_table(self.frame(), self.title), format="html")]


class Scoreboard(NumbersDirective):
    """Counts over all papers, by paper, and by table."""

    title = "Printed numbers by paper and table"

    def frame(self):
        counts = scoreboard(comparisons_in(self.env.app.srcdir / "results"))
        numbers = [*COUNTS, "by_chance", "beyond_chance"]
        totals = counts.groupby("paper", sort=False)[numbers].sum().reset_index().assign(table="all")
        names = {EVERY: EVERY, **{key: paper.name for key, paper in papers().items()}}
        overall = counts[numbers].sum().to_frame().T.astype(counts[numbers].dtypes).assign(paper=EVERY, table="all")
        counts = pd.concat([overall, totals, counts])
        rows = []
        for paper in counts["paper"].unique():
            for row in counts[counts["paper"] == paper].itertuples():
                share = f"{row.agree / row.comparable:.0%}" if row.comparable else "–"
                rows.append(
                    {
                        "paper": names[paper],
                        "table": row.table,
                        "printed": row.printed,
                        "compared": row.comparable,
                        "agree": row.agree,
                        "share agreeing": share,
                        "differ, explained": row.explained,
                        "differ, unexplained": row.unexplained,
                        "differ, unexplained beyond chance": row.beyond_chance,
                        "would differ by chance": round(row.by_chance, 1),
                    }
                )
        return pd.DataFrame(rows)


class ScoreboardFigure(SphinxDirective):
    """Published against reproduced values."""

    def run(self):
        compared = comparisons_in(self.env.app.srcdir / "results").dropna(subset="reproduced")
        if compared.empty:
            return []
        opening = f'<figure class="align-default" role="img" aria-label="{ALT}">'
        closing = f"<figcaption><p>{CAPTION}</p></figcaption></figure>"
        return [nodes.raw("", opening + scatter(compared) + closing, format="html")]


def scatter(compared):
    """SVG with one panel per paper; its lines and text take the colour of the page's text."""
    keys = list(dict.fromkeys(compared["paper"]))
    columns = min(3, len(keys))
    rows = -(-len(keys) // columns)
    figure = Figure(figsize=(3.2 * columns, 3.2 * rows), layout="constrained")
    for panel, key in enumerate(keys, start=1):
        axes = figure.add_subplot(rows, columns, panel)
        part = compared[compared["paper"] == key]
        for agrees, style in MARKS.items():
            chosen = part[part["agrees"].eq(agrees)]
            axes.scatter(chosen["published"], chosen["reproduced"], edgecolors=INK, **style)
        ends = np.nanpercentile(part[["published", "reproduced"]].to_numpy(float), [0, 100])
        axes.plot(ends, ends, color=INK, linewidth=0.6)
        for set_scale in (axes.set_xscale, axes.set_yscale):
            set_scale("symlog", linthresh=0.1)
        axes.set_title(papers()[key].name, fontsize=9, color=INK)
        axes.tick_params(labelsize=7, color=INK, labelcolor=INK)
        for spine in axes.spines.values():
            spine.set_color(INK)
    text = io.StringIO()
    with rc_context({"svg.hashsalt": HASHSALT}):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    drawing = text.getvalue()
    return drawing[drawing.index("<svg") :].replace(INK, "currentColor").replace("<svg ", '<svg class="drawing" ', 1)


class DifferingNumbers(NumbersDirective):
    """Every number that differs."""

    title = "Printed numbers that differ from ours"

    def frame(self):
        compared = comparisons_in(self.env.app.srcdir / "results")
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
            for row in compared[compared["agrees"].eq(False)].itertuples()
        ]
        return pd.DataFrame(rows, columns=COLUMNS)


def _explanation(number):
    if number.cause != UNEXPLAINED:
        return f"{number.cause}: {number.explanation}"
    return f"{UNEXPLAINED}, beyond chance" if number.beyond else f"{UNEXPLAINED}, within chance"


def setup(app):
    app.add_directive("scoreboard", Scoreboard)
    app.add_directive("scoreboard-figure", ScoreboardFigure)
    app.add_directive("differing-numbers", DifferingNumbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
