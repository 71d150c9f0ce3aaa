"""Directives that generate the book's tables from result files, folders, and registry.

{data-registry}          every data set: shape, licence, source
{measured-table} NAME    the rows of data/measured/NAME.csv, which a benchmark wrote
    :caption: what they say
    :without: a benchmark that is left out, because a picture shows its numbers
{ranks} FAMILY           the methods of a family in the comparison of all methods
{advice}                 a paragraph: which of some methods or families, one a line, the comparison recommends
{paper-found} nel1998    how many of a paper's claims have which verdict, and how many printed numbers agree
{paper-trust} nel1998    what its verdicts hang on: experiments that are too small, other readings
{paper-data} nel1998     to what data its findings speak: sizes, repeated rows, groups, what is not public
{paper-tables} nel1998   the paper's tables and figures: where they are, and how many numbers have which grade
"""

import html
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
from _ext.extension import directive, raw, shown
from _ext.places import table_places
from docutils.parsers.rst import directives

from comparison.advice import of_methods
from comparison.outcomes import ranking, too_slow
from compendium.claim_records import stored_records
from compendium.comparison import COUNTS, scoreboard, shares_in_words, stored_comparisons
from compendium.markup import tally, typeset
from compendium.package import data_of_paper
from compendium.papers import DATA, papers
from compendium.published import GRADES
from compendium.store import entries
from fscore.datasets.registry import read_registry


def table(directive, rows, caption, widths=""):
    """A table of Markdown cells; without ``widths`` (of the columns), the browser chooses them."""
    frame = pd.DataFrame(rows)
    if frame.empty:
        return f"{caption}: none in this build."
    lines = [f":::{{list-table}} {caption}", ":header-rows: 1"]
    if widths:
        lines += [f":widths: {widths}", ":width: 100%", ":class: wide"]
    lines.append("")
    for row in [list(frame.columns), *frame.astype(str).to_numpy().tolist()]:
        cells = [str(cell).replace("\n", " ") or " " for cell in row]
        lines += [f"* - {cells[0]}", *(f"  - {cell}" for cell in cells[1:])]
    parsed = directive.parse_text_to_nodes("\n".join([*lines, ":::"]))
    # A region that scrolls separately, also by keyboard, so that the page never exceeds the screen's width.
    opening = f'<div class="table-scroll" role="region" tabindex="0" aria-label="{html.escape(caption)}">'
    return [raw(opening), *parsed, raw("</div>")]


@directive("data-registry")
def data_registry(directive):
    """Every data set of the papers."""

    def known(number):
        return "unknown" if number is None else number

    rows = []
    for entry in read_registry().values():
        files = [f"[{Path(file.path).name}]({file.url}) `{file.sha256[:12]}`" for file in entry.files]
        rows.append(
            {
                "name": f"`{entry.name}`",
                "kind": entry.kind,
                "samples × features": f"{known(entry.n_samples)} × {known(entry.n_features)}",
                "classes": known(entry.n_classes),
                "missing values": known(entry.missing),
                "license": entry.licence,
                "paper": ", ".join(entry.papers) or "–",
                "files, with the first 12 digits of their SHA-256": ", ".join(files) or "–",
                "notes": typeset(entry.notes),
            }
        )
    return table(directive, rows, "Data sets, from the registry", "12 9 9 7 7 12 10 17 17")


@directive("measured-table", 1, caption=directives.unchanged_required, without=directives.unchanged)
def measured_table(directive, name):
    """The rows of a file in ``data/measured``, as the benchmark wrote them; a sentence if it was never run."""
    file = DATA / "measured" / f"{name}.csv"
    frame = pd.read_csv(file, dtype=str, keep_default_na=False) if file.is_file() else pd.DataFrame()
    if without := directive.options.get("without"):
        frame = frame[frame["benchmark"] != without]
    return table(directive, frame.map(typeset), directive.options["caption"])


@directive("ranks", 1)
def ranks(directive, family):
    """The methods of a family in the comparison: rank among all methods, mean gain over all features, their number."""
    caption = (
        "Gain over all features in points of balanced accuracy, mean over the data sets of the comparison; "
        "all features and a random subset have ranks, too"
    )
    if (entry := entries().get("comparison_arena")) is None:
        return table(directive, [], caption)
    tables = SimpleNamespace(**entry.tables)
    ranked, slow = ranking(tables), too_slow(tables)
    rows = []
    for row in ranked[ranked["family"] == family].itertuples():
        chosen = f"{row.features:.1f}{' (its own number)' if row.own_size else ''}"
        rows.append((row.method, row.rank, typeset(f"{row.gain:+.1f}"), chosen))
    for row in slow[slow["family"] == family].itertuples():
        rows.append((row.method, f"too slow: answered {row.answered:.0%} of the fits", "–", "–"))
    columns = ["method", f"rank of {len(ranked)}", "gain", "features chosen"]
    return table(directive, pd.DataFrame(rows, columns=columns), caption)


@directive("advice", content=True)
def advice(directive):
    """What the comparison says of the methods and families that are named, one a line."""
    if (entry := entries().get("comparison_arena")) is None:
        return "The comparison is not measured in this build."
    said = typeset(" ".join(of_methods(SimpleNamespace(**entry.tables), list(directive.content))))
    return f"**Which one?** {{doc}}`The comparison </executed/comparison_arena>` says: {said}"


@directive("paper-found", 1)
def paper_found(directive, paper):
    """The verdicts on a paper's claims, and how many of its printed numbers agree, in two sentences."""
    own = [record for record in stored_records() if record.paper == paper]
    if not own:
        return "No claim is recorded yet."
    said = f"Of {len(own)} claims: {tally(record.verdict.group for record in own)}."
    counts = scoreboard(stored_comparisons()).query("paper == @paper")[COUNTS].sum()
    if counts["comparable"]:
        said += f" Of {counts['comparable']:,} printed numbers {shares_in_words(counts)}"
    return typeset(said)


@directive("paper-trust", 1)
def paper_trust(directive, paper):
    """What the verdicts on a paper's claims hang on: experiments too small to tell, and other readings."""
    own = [record for record in stored_records() if record.paper == paper and not record.verdict.check]
    small = sum(record.verdict.group == "too small to tell" for record in own)
    said = [f"For {small} of {len(own)} claims the experiment is too small: even a real effect would mostly be missed."]
    tried = [record for record in own if len(record.readings)]
    if tried:
        turned = sum(record.readings["alike"].eq(False).any() for record in tried)
        n = max((~record.readings["default"]).sum() for record in tried)
        said.append(
            f"Under {n} other readings of what the paper leaves open, the estimate behind {turned} of {len(tried)} "
            "claims crosses its threshold at least once."
        )
    return typeset(" ".join(said[0 if small else 1 :])) if own else ""


@directive("paper-data", 1)
def paper_data(directive, paper):
    """The data of a paper's experiments: sizes, repeated rows, groups, and what is not public."""
    return typeset(data_of_paper(paper))


@directive("paper-tables", 1)
def paper_tables(directive, paper):
    """The tables and figures of one paper in its own numbering, with the grades of their numbers."""
    places = table_places(papers()[paper].pages, directive.env.app.srcdir)
    places = {number.lower(): at for number, at in places.items()}
    counted = scoreboard(stored_comparisons()).query("paper == @paper and comparable > 0").to_dict("records")
    if not counted:
        return "No printed number is compared in this build."
    at = [places.get(row["table"].removeprefix("Table ").replace(".", "-").lower()) for row in counted]
    return [shown("paper_tables.html", rows=zip(counted, at, strict=True), GRADES=GRADES)]
