"""Directives that generate the book's tables from result files, folders, registry and package.

{verdict-counts}      one row per paper: number of claims by verdict
{papers}              one row per paper: its methods and pages
{verdicts} PAPER      every claim of a paper with its verdict, evidence and page
{run-status}          one row per notebook: duration, seed, data, machine
{data-registry}       every data set: shape, licence, source
{public-names}        every public name with a one-line description
"""

import html
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import pandas as pd
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import fscore
from compendium import published
from compendium.markup import anchor_of, place
from compendium.papers import papers, printed_files
from compendium.results import counts_by_paper, read_results, verdicts_of
from compendium.typography import typeset
from compendium.verdicts import ANSWERS, MARKS
from fscore.datasets.registry import read_registry

NOT_TESTED = ANSWERS[-1]


def marked(answer):
    return f"{MARKS[answer]} {answer}"


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

    @property
    def results(self):
        """Results of the pages; their verdicts are those of the tables that the pages show."""
        return read_results(self.env.app.srcdir / "results")


class VerdictCounts(TableDirective):
    """Number of claims by verdict, for each paper."""

    def caption(self):
        return "Claims by paper and verdict"

    def frame(self):
        rows = []
        for paper, counts in counts_by_paper(verdicts_of(self.results)).iterrows():
            row = {"paper": link_to(paper), "claims": counts["claims"] or "none yet"}
            row |= {marked(answer): counts[answer] if counts["claims"] else "–" for answer in ANSWERS}
            rows.append(row)
        return pd.DataFrame(rows)


def link_to(paper):
    return f"{{doc}}`{papers()[paper].name} <papers/{paper}>`"


class Papers(TableDirective):
    """Methods and pages of each paper."""

    widths = (18, 37, 45)

    def caption(self):
        return "The papers, their methods and experiments"

    def frame(self):
        rows = []
        for paper in papers().values():
            if not printed_files(paper.key):
                continue
            pages = " · ".join(f"{{doc}}`executed/{page}`" for page in paper.pages)
            rows.append({"paper": link_to(paper.key), "methods": paper.methods, "experiments": pages})
        return pd.DataFrame(rows)


class Verdicts(TableDirective):
    """Every claim of one paper."""

    required_arguments = 1
    widths = (9, 16, 33, 42)

    def caption(self):
        return "Claims, verdicts and evidence"

    def frame(self):
        paper = self.arguments[0]
        verdicts = verdicts_of(self.results)
        rows = []
        for _, line in published.claims_of(paper).iterrows():
            verdict, notebook = verdicts.get((paper, line["claim_id"]), (None, None))
            rows.append(
                {
                    "claim": f'<a href="../claims.html#{anchor_of(paper, line["claim_id"])}">{line["claim_id"]}</a>',
                    "verdict": marked(verdict["answer"] if verdict else NOT_TESTED),
                    "the paper says": f"{line['claim']} ({place(line['where'])})",
                    "evidence": f"{typeset(verdict['evidence'])} ({{doc}}`/executed/{notebook}`)" if verdict else "–",
                }
            )
        return pd.DataFrame(rows)


class RunStatus(TableDirective):
    """Provenance of each page."""

    widths = (18, 8, 14, 9, 7, 26, 18)

    def caption(self):
        return "Executed pages with time, duration, seed and data"

    def frame(self):
        rows = []
        for notebook, content in self.results.items():
            origin = content["provenance"]
            data = ", ".join(
                f"{name} ({(entry['sha256'] or entry['source'])[:12]})" for name, entry in origin["datasets"].items()
            )
            rows.append(
                {
                    "page": f"{{doc}}`/executed/{notebook}`",
                    "run": content["run"],
                    "finished": origin["finished"],
                    "seconds": origin["duration_seconds"],
                    "seed": content["parameters"].get("seed", "–"),
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
        for content in self.results.values():
            for package, version in content["provenance"]["versions"].items():
                found.setdefault(package, set()).add(version)
        return pd.DataFrame({"package": list(found), "version": [", ".join(sorted(v)) for v in found.values()]})


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


class PublicNames(TableDirective):
    """Every public name of the package."""

    def caption(self):
        return "Public names by subpackage"

    def frame(self):
        return public_names()


def public_names():
    """One row for each name in the ``__all__`` of a subpackage, with the first line of its docstring."""
    rows = []
    for subpackage in pkgutil.iter_modules(fscore.__path__, "fscore."):
        module = None if subpackage.name.startswith("fscore._") else import_module(subpackage.name)
        for name in getattr(module, "__all__", ()):
            line = inspect.getdoc(getattr(module, name)).splitlines()[0]
            rows.append({"module": f"`{subpackage.name}`", "name": f"`{name}`", "description": line})
    return pd.DataFrame(rows)


def _known(number):
    return "unknown" if number is None else number


def setup(app):
    for name, directive in {
        "verdict-counts": VerdictCounts,
        "papers": Papers,
        "verdicts": Verdicts,
        "run-status": RunStatus,
        "run-versions": RunVersions,
        "data-registry": DataRegistry,
        "public-names": PublicNames,
    }.items():
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
