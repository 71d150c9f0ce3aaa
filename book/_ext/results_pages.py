"""Directives that generate the book's tables from result files, folders, and registry.

{run-status}          one row per notebook: duration, seed, data, machine
{check-summary}       one sentence: what the build measured again
{check-status}        what it measured again, by notebook
{check-differences}   every unit that differs, with both values
{data-registry}       every data set: shape, licence, source
"""

import html
from pathlib import Path

import pandas as pd
from docutils import nodes
from places import link_to
from sphinx.util.docutils import SphinxDirective

from compendium.results import entries
from compendium.runner.check import checked, summary
from compendium.typography import typeset
from fscore.datasets.registry import read_registry


class TableDirective(SphinxDirective):
    """A directive whose content is a table of Markdown cells."""

    has_content = False
    widths = None  # relative widths of the columns; None lets the browser choose

    def frame(self):
        """The table to show."""
        raise NotImplementedError

    def caption(self):
        return ""

    def run(self):
        frame = self.frame()
        if frame.empty:
            return [nodes.paragraph("", f"{self.caption()}: none in this build.")]
        lines = [f":::{{list-table}} {self.caption()}", ":header-rows: 1"]
        if self.widths:
            lines += [f":widths: {' '.join(map(str, self.widths))}", ":width: 100%", ":class: wide"]
        lines.append("")
        for row in [list(frame.columns), *frame.astype(str).to_numpy().tolist()]:
            cells = [str(cell).replace("\n", " ") or " " for cell in row]
            lines += [f"* - {cells[0]}", *(f"  - {cell}" for cell in cells[1:])]
        table = self.parse_text_to_nodes("\n".join([*lines, ":::"]))
        # A region that scrolls separately, also by keyboard, so that the page never exceeds the screen's width.
        label = html.escape(self.caption())
        opening = f'<div class="table-scroll" role="region" tabindex="0" aria-label="{label}">'
        return [nodes.raw("", opening, format="html"), *table, nodes.raw("", "</div>", format="html")]


class RunStatus(TableDirective):
    """Provenance of each page."""

    widths = (18, 14, 9, 7, 30, 22)

    def caption(self):
        return "Measured tables with time, duration, seed and data"

    def frame(self):
        rows = []
        for notebook, entry in entries().items():
            origin = entry.about
            data = ", ".join(
                f"{name} ({(entry['sha256'] or entry['source'])[:12]})" for name, entry in origin["datasets"].items()
            )
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
        return pd.DataFrame(rows)


class RunVersions(TableDirective):
    """Versions of the packages that the pages were made with."""

    def caption(self):
        return "Versions"

    def frame(self):
        found = {}
        for entry in entries().values():
            for package, version in entry.about["versions"].items():
                found.setdefault(package, set()).add(version)
        return pd.DataFrame({"package": list(found), "version": [", ".join(sorted(v)) for v in found.values()]})


class CheckSummary(SphinxDirective):
    """What this build measured again, in one sentence."""

    def run(self):
        found = checked().get("notebooks")
        return [nodes.paragraph("", summary(found) if found else "This build measured nothing again.")]


class CheckStatus(TableDirective):
    """What this build measured again, by page."""

    def caption(self):
        return "Measured again in this build"

    def frame(self):
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
        return pd.DataFrame(rows)


class CheckDifferences(TableDirective):
    """Every unit that differs, with both values."""

    def caption(self):
        return "Units that differ"

    def frame(self):
        rows = [
            {"page": link_to(name), "unit": item["what"], "value": place, "here": here, "stored": stored}
            for name, part in checked().get("notebooks", {}).items()
            for item in part["differ"]
            for place, here, stored in item["differ"]
        ]
        return pd.DataFrame(rows)


class DataRegistry(TableDirective):
    """Every data set of the papers."""

    widths = (12, 9, 9, 7, 7, 12, 10, 17, 17)

    def caption(self):
        return "Data sets, from the registry"

    def frame(self):
        rows = []
        for entry in read_registry().values():
            files = [f"[{Path(file.path).name}]({file.url}) `{file.sha256[:12]}`" for file in entry.files]
            rows.append(
                {
                    "name": f"`{entry.name}`",
                    "kind": entry.kind,
                    "samples × features": f"{_known(entry.n_samples)} × {_known(entry.n_features)}",
                    "classes": _known(entry.n_classes),
                    "missing values": _known(entry.missing),
                    "licence": entry.licence,
                    "used in": ", ".join(entry.papers) or "–",
                    "files, with the first 12 digits of their SHA-256": ", ".join(files) or "–",
                    "notes": typeset(entry.notes),
                }
            )
        return pd.DataFrame(rows)


def _known(number):
    return "unknown" if number is None else number


def setup(app):
    for name, directive in {
        "run-status": RunStatus,
        "run-versions": RunVersions,
        "check-summary": CheckSummary,
        "check-status": CheckStatus,
        "check-differences": CheckDifferences,
        "data-registry": DataRegistry,
    }.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
