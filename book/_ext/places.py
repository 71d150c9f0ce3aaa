"""Where the site shows a notebook: on a page of its own, or, if it tries readings of a paper, on the paper's page."""

import json
import re
import shutil
from pathlib import Path

from _ext.extension import afterwards, on

from compendium.papers import NOTEBOOKS, paper_of, papers, printed_files

READINGS = "readings"  # the notebook's name after the paper's, the title of its section, and the section's anchor
TABLE = re.compile(r'id=\\"table-((?:[a-zA-Z]-)?\d+(?:-\d+)*)\\"')  # an anchor in an executed notebook
LINK = re.compile(rf"\[([^\[\]]+)\]\((?:[./\w]*/)?(\w+_{READINGS})\.ipynb(?:#[^)]*)?\)")


def shown_with_paper(notebook):
    """Whether a notebook is the last section of its paper's page."""
    paper = notebook.removesuffix(f"_{READINGS}")
    has_page = (NOTEBOOKS / paper / "page.md").is_file()
    return paper != notebook and paper in papers() and bool(printed_files(paper)) and has_page


def table_places(notebooks, source):
    """Address of each printed table in the site, by its number in print with "-" for ".".

    Parameters
    ----------
    notebooks : iterable of str
    source : Path
        Folder of the site's sources.
    """
    found = {}
    for notebook in notebooks:
        file = source / "executed" / f"{notebook}.ipynb"
        document = f"papers/{paper_of(notebook)}" if shown_with_paper(notebook) else f"executed/{notebook}"
        for number in TABLE.findall(file.read_text(encoding="utf-8")) if file.is_file() else ():
            found.setdefault(number, f"{document}.html#table-{number}")
    return found


def link_to(notebook):
    """A link in Markdown."""
    if shown_with_paper(notebook):
        return f"{{ref}}`{papers()[paper_of(notebook)].name}: readings <{notebook}>`"
    return f"{{doc}}`/executed/{notebook}`"


@on("source-read")
def relink(app, document, source):
    """Let links of a page to notebooks that have no page of their own lead to their sections."""

    def relinked(link):
        return f"{{ref}}`{link[1]} <{link[2]}>`" if shown_with_paper(link[2]) else link[0]

    source[0] = LINK.sub(relinked, source[0])  # of a notebook, which is JSON, too


def joined(page, notebook, name):
    """A paper's page with a notebook as its last section.

    Parameters
    ----------
    page : str
        Markdown.
    notebook : str
        The executed notebook, as JSON.
    name : str
        Its name, which is the label of the section.

    Returns
    -------
    str
        A notebook, as JSON.
    """
    book = json.loads(notebook)
    for cell in book["cells"]:
        if cell["cell_type"] == "markdown":
            text = re.sub(r"\]\((\w+\.ipynb)", r"](../executed/\1", "".join(cell["source"]))
            cell["source"] = re.sub(r"^(#+) ", r"#\1 ", text, flags=re.MULTILINE)
    first = next(cell for cell in book["cells"] if cell["cell_type"] == "markdown")
    said = first["source"].partition("\n")[2].rstrip()
    first["source"] = f"({name})=\n## {READINGS.capitalize()}\n{said}\n"
    title = {"cell_type": "markdown", "id": "page", "metadata": {}, "source": page}
    return json.dumps({**book, "cells": [title, *book["cells"]]})


@afterwards
def offer_notebooks(app, site):
    """Notebooks without a page of their own can be downloaded like the others."""
    target = site / "_sources" / "executed"
    target.mkdir(parents=True, exist_ok=True)
    for file in Path(app.srcdir, "executed").glob(f"*_{READINGS}.ipynb"):
        shutil.copy(file, target)
