"""Directives that generate the book's tables from result files, folders, and registry.

{run-status}             one row per notebook: duration, seed, data, machine
{check-summary}          one sentence: what the build measured again
{check-status}           what it measured again, by notebook
{check-differences}      every unit that differs, with both values
{data-registry}          every data set: shape, licence, source
{measured-table} NAME    the rows of data/measured/NAME.csv, which a benchmark wrote
    :caption: what they say
    :code: columns with pieces of code, if any
{ranks} FAMILY           the methods of a family in the comparison of all methods
"""

import html
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
from _ext.extension import directive, raw
from _ext.places import link_to
from docutils import nodes
from docutils.parsers.rst import directives

from comparison.outcomes import ranking
from compendium.papers import DATA
from compendium.results import entries
from compendium.runner.check import checked, summary
from compendium.typography import typeset
from fscore.datasets.registry import read_registry


def table(directive, rows, caption, widths=""):
    """A table of Markdown cells; without ``widths`` (of the columns), the browser chooses them."""
    frame = pd.DataFrame(rows)
    if frame.empty:
        return [nodes.paragraph("", f"{caption}: none in this build.")]
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


@directive("run-status")
def run_status(directive):
    """Provenance of each page."""
    rows = []
    for notebook, entry in entries().items():
        origin = entry.about
        data = ", ".join(f"{name} ({(of['sha256'] or of['source'])[:12]})" for name, of in origin["datasets"].items())
        rows.append(
            {
                "page": link_to(notebook),
                "measured": origin["measured"],
                "seconds": origin["seconds"],
                "seed": origin["parameters"].get("seed", "–"),
                "data (first 12 digits of the SHA-256)": data or "generated on the page",
                "machine": origin["machine"],
            }
        )
    return table(directive, rows, "Measured tables with time, duration, seed and data", "18 14 9 7 30 22")


@directive("check-summary")
def check_summary(directive):
    """What this build measured again, in one sentence."""
    found = checked().get("notebooks")
    return [nodes.paragraph("", summary(found) if found else "This build measured nothing again.")]


@directive("check-status")
def check_status(directive):
    """What this build measured again, by page."""
    rows = [
        {
            "page": link_to(notebook),
            "units": part["units"] if part["recorded"] else "1 (the whole experiment)",
            "with data here": part["here"],
            "measured again": part["measured"],
            "values compared": part["values"],
            "equal": part["measured"] - len(part["differ"]),
        }
        for notebook, part in checked().get("notebooks", {}).items()
    ]
    return table(directive, rows, "Measured again in this build")


@directive("check-differences")
def check_differences(directive):
    """Every unit that differs, with both values."""
    rows = [
        {"page": link_to(name), "unit": item["what"], "value": place, "here": here, "stored": stored}
        for name, part in checked().get("notebooks", {}).items()
        for item in part["differ"]
        for place, here, stored in item["differ"]
    ]
    return table(directive, rows, "Units that differ")


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
                "licence": entry.licence,
                "used in": ", ".join(entry.papers) or "–",
                "files, with the first 12 digits of their SHA-256": ", ".join(files) or "–",
                "notes": typeset(entry.notes),
            }
        )
    return table(directive, rows, "Data sets, from the registry", "12 9 9 7 7 12 10 17 17")


@directive("measured-table", 1, caption=directives.unchanged_required, code=directives.unchanged)
def measured_table(directive, name):
    """The rows of a file in ``data/measured``, as the benchmark wrote them; a sentence if it was never run."""
    file, code = DATA / "measured" / f"{name}.csv", directive.options.get("code", "").split()
    directive.env.note_dependency(str(file))
    frame = pd.read_csv(file, dtype=str, keep_default_na=False) if file.is_file() else pd.DataFrame()
    for column in frame.columns:
        if column in code:
            frame[column] = [f"`` {text} ``" if text else "" for text in frame[column]]
        else:
            frame[column] = frame[column].map(typeset)
    return table(directive, frame, directive.options["caption"])


@directive("ranks", 1)
def ranks(directive, family):
    """The methods of a family in the comparison: rank among all methods, and mean gain over all features."""
    caption = "Gain over all features in points of balanced accuracy, mean over the data sets of the comparison"
    if (entry := entries().get("comparison_arena")) is None:
        return table(directive, [], caption)
    directive.env.note_dependency(str(entry.folder / "about.json"))
    found = ranking(SimpleNamespace(**entry.tables))
    rows = [
        {"method": row.method, f"rank of {len(found)}": row.rank, "gain": typeset(f"{row.gain:+.1f}")}
        for row in found[found["family"] == family].itertuples()
    ]
    return table(directive, rows, caption)
