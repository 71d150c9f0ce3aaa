"""Index entries that lead the search to the right page: numbers of tables and figures in print, names, questions.

The search puts a page whose index entry is nearly the query above all pages that only contain its words. Tables and
figures are found by their captions.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

NUMBERED = re.compile(r"(Table|Figure|Fig\.) ([A-Z]?\.?\d+(?:\.\d+)*)")
ANCHORED = re.compile(r'class="table-scroll[^>]* id="([^"]+)">.*?<caption>(.*?)</caption>', re.DOTALL)
QUESTIONS = {
    "methods/index": ["which method", "methods"],
    "library": ["pipeline"],
    "your_csv": ["my data", "my csv"],
}


class SearchTerms(SphinxTransform):
    """Add index entries for what a page's captions number, and for what it answers."""

    default_priority = 810

    def apply(self):
        document = self.env.docname
        entries = [(entry, "") for entry in QUESTIONS.get(document, ())]
        for raw in self.document.findall(nodes.raw):
            for anchor, caption in ANCHORED.findall(raw.astext()):
                entries += [(entry, anchor) for entry in numbers(caption)]
        for section in self.document.findall(nodes.section):
            entries += [(entry, section["ids"][0]) for entry in numbers(section[0].astext())]
        first = dict(reversed(entries))  # each entry once, at its first place
        if first:
            index = [("single", entry, anchor, "main", None) for entry, anchor in first.items()]
            self.document.append(addnodes.index(entries=index))


def numbers(caption):
    """Index entries of a caption that starts with "Table 7.9": with and without the word."""
    found = NUMBERED.match(caption)
    if found is None:
        return []
    kind = "Table" if found[1] == "Table" else "Figure"
    return [f"{kind} {found[2]}", found[2]] if "." in found[2] else [f"{kind} {found[2]}"]


def setup(app):
    app.add_transform(SearchTerms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
