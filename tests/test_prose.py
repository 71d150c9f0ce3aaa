"""No results in prose: a number or a comparison that a run has measured is computed on the page, never typed."""

import json
import re

from compendium.papers import notebook_files, papers

# Code, formulas, links and directives hold no sentences.
MARKUP = re.compile(
    r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|\{[a-z:]+\}`[^`]*`|`[^`]*`|\]\([^)]*\)|^:[\w-]+:.*?$", re.S | re.M
)
# "Table 7.9", "eqs. 15 to 17", "Section 4.1": places in a paper.
PLACES = re.compile(
    r"\b(?:Tables?|Figs?\.|Figures?|Sections?|sections?|Chapters?|[Ee]qs?\.|[Ee]quations?|Appendix|pp?\.|Remark|\()\s*"
    r"[A-Z]?\.?\d[\d.]*[a-z]?(?:\s*(?:,|to|and|or|–)\s*[A-Z]?\d[\d.]*[a-z]?)*\)?"
)
RESULT = re.compile(
    r"(?<![\w.])[+-]?\d+(?:[.,]\d+)*\s*(?:%|points?\b|times\b)|(?<![\w.])\d*\.\d+"
    r"|\b(?:more|less|fewer|better|worse|higher|lower|faster|slower|smaller|larger|greater|longer|shorter|closer|wider)\b"
    r"[^.]*\bthan\b|\b(?:beats?|leads?|wins?|outperforms?)\b",
)
# What the source says is no result of ours.
ATTRIBUTED = re.compile(r"\b(?:thesis|paper|text|prose|authors?|print|printed)\b", re.I)
# Sentences about methods, not results, by their beginning.
ALLOWED = (
    "(7.1)",  # an equation's number
    "A *bullet* marks",
    "A vertex of the",
    "Features of equal criterion value",
    "the intervals hold for all methods at once",
    "Therefore a method that answers fewer",  # a rule of ours
    "The method *reduces the dimensionality*",
    "Methods that choose the same subset",
    "N5 says that",
    "On the Adrenal tumor data, GMLVQ is said to lead",  # both halves are the thesis'
    "Product kernels would never give more",
    "Since the relevances are about",
    "Soft MDM is *competitive* if",
    "Some libraries also require",
    'Such a "top five"',
    "The chosen size can therefore be larger",
    "The experiments of run under the main readings",
    "The three parts of Sonar",
    "in it is the original Omega",  # the thesis' table against its prose
    "that a method is better",
)


def sentences():
    """Every sentence of the Markdown cells and of the papers' pages, with its place."""
    for name, file in notebook_files().items():
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                yield from ((name, sentence) for sentence in split("".join(cell["source"])))
    for paper in papers().values():
        if (page := paper.folder / "page.md").is_file():
            yield from ((f"{paper.key}/page.md", sentence) for sentence in split(page.read_text(encoding="utf-8")))


def split(text):
    return [" ".join(part.split()) for part in re.split(r"(?<=[.:;?!])\s+|\n\s*\n+|\n- ", plain(text)) if part.strip()]


def plain(text):
    return PLACES.sub(" ", MARKUP.sub(" ", text))


def is_result(sentence):
    return bool(RESULT.search(sentence)) and not ATTRIBUTED.search(sentence)


def test_no_sentence_states_a_result():
    found = [f"{place}: {text}" for place, text in sentences() if is_result(text) and not text.startswith(ALLOWED)]
    assert not found, "compute these on the page (page.say), or allow what states no result:\n" + "\n".join(found)


def test_every_exception_is_used():
    written = [text for _, text in sentences() if is_result(text)]
    assert [start for start in ALLOWED if not any(text.startswith(start) for text in written)] == []
