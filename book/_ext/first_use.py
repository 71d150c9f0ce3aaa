"""The first use of a glossary term on a page links to the glossary."""

import re
from pathlib import Path

from _ext.extension import transform
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

# Words that often have their everyday meaning.
EVERYDAY = {
    *("candidate", "equivalence", "field", "margin", "mask", "power"),
    *("reading", "redundant", "split", "tie", "verdict"),
}


def terms(glossary):
    """The terms that a glossary page defines: unindented lines of its list."""
    listed = glossary.partition(":::{glossary}")[2]
    return [line.strip() for line in listed.splitlines() if line.strip() and line[0] not in " :"]


@transform
class LinkTerms(SphinxTransform):
    """Link the first use of each term in a page's paragraphs."""

    default_priority = 520  # after code has become links to the API

    def apply(self):
        page = self.env.docname
        if page in ("index", "glossary", "bibliography") or page.startswith(("api/", "yours/")):
            return
        known = terms((Path(self.env.srcdir) / "glossary.md").read_text(encoding="utf-8"))
        left = {term.lower(): term for term in known if term.lower() not in EVERYDAY}
        longest_first = "|".join(sorted(map(re.escape, left), key=len, reverse=True))
        pattern = re.compile(rf"(?<![\w-])(?:{longest_first})(?![\w-])", re.IGNORECASE)
        for paragraph in self.document.findall(nodes.paragraph):
            if isinstance(paragraph.parent, nodes.block_quote | nodes.entry):  # quotations and tables stay as they are
                continue
            for text in list(paragraph.findall(nodes.Text)):
                if text.parent is paragraph or isinstance(text.parent, nodes.emphasis):
                    self.link(text, pattern, left)

    def link(self, text, pattern, left):
        """Replace the words of a text that are used for the first time."""
        parts, done = [], 0
        for found in pattern.finditer(text):
            term = left.pop(found[0].lower(), None)
            if term is not None:
                target = {"refdomain": "std", "reftype": "term", "reftarget": term, "refdoc": self.env.docname}
                link = addnodes.pending_xref("", **target, refexplicit=True, refwarn=True)
                link += nodes.inline("", found[0], classes=["xref", "std", "std-term"])
                parts += [nodes.Text(text[done : found.start()]), link]
                done = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[done:])])
