"""Index entries that lead the search to the right page: numbers of tables and figures in print, names, questions.

The search puts a page whose index entry is nearly the query above all pages that only contain its words. Tables and
figures are found by their captions, questions stand in ``search_terms.yml``. ``search_order.js`` orders what is found
equally well.
"""

import re
from pathlib import Path

import yaml
from _ext.api_pages import METHODS, public_objects
from _ext.extension import on, transform
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from comparison.lessons import stored_lessons
from compendium.papers import papers
from fscore.datasets.registry import read_registry

NUMBERED = re.compile(r"(Table|Figure|Fig\.) ([A-Z]?\.?\d+(?:\.\d+)*)")
ANCHORED = re.compile(r'class="table-scroll[^>]* id="([^"]+)">.*?<caption>(.*?)</caption>', re.DOTALL)


@transform
class SearchTerms(SphinxTransform):
    """Add index entries for what a page's captions number, and for what it answers."""

    default_priority = 810

    def apply(self):
        document = self.env.docname
        questions = yaml.safe_load((Path(self.env.srcdir) / "search_terms.yml").read_text(encoding="utf-8"))
        entries = [(entry, "") for entry in [*questions.get(document, ()), *names(document)]]
        if document == "lessons":
            entries += [(word, f"lesson-{lesson.key}") for lesson in stored_lessons() for word in lesson.words]
        for raw in self.document.findall(nodes.raw):
            for anchor, caption in ANCHORED.findall(raw.astext()):
                entries += [(entry, anchor) for entry in numbers(caption)]
        for section in self.document.findall(nodes.section):
            entries += [(entry, section["ids"][0]) for entry in numbers(section[0].astext())]
        first = dict(reversed(entries))  # each entry once, at its first place
        if first:
            index = [("single", entry, anchor, "main", None) for entry, anchor in first.items()]
            self.document.append(addnodes.index(entries=index))


def names(document):
    """Index entries of a paper's page (authors), of one on methods (public names), and of that on data (data sets)."""
    folder, _, page = document.rpartition("/")
    if folder == "papers":
        name = papers()[page].name
        return [name, *re.findall(r"[A-Z][a-z]+", name)]
    if folder == "methods":
        subpackages = [name for name, explained in METHODS.items() if explained == page]
        return [path.rpartition(".")[2] for path in public_objects() if path.split(".")[1] in subpackages]
    return list(read_registry()) if document == "data" else []


@on("config-inited")
def order_results(app, config):
    """The search's order is read from a file."""
    config.html_search_scorer = str(Path(__file__).with_name("search_order.js"))


def numbers(caption):
    """Index entries of a caption that starts with "Table 7.9": with and without the word."""
    found = NUMBERED.match(caption)
    if found is None:
        return []
    kind = "Table" if found[1] == "Table" else "Figure"
    return [f"{kind} {found[2]}", found[2]] if "." in found[2] else [f"{kind} {found[2]}"]
