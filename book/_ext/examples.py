"""Directives of the method pages: code that runs when the book is built, cards with its pictures, the claims served.

{example}           code, what it prints and draws; ``:picture: NAME`` shows the figure first and folds the code
{method-cards}      a card with picture for each method page of the table of contents
{serves} PAPER ...  claims of a paper, for instance ``{serves} somol2011 S1 S2``
"""

import ast
import contextlib
import io
import re
from pathlib import Path

import yaml
from _ext.extension import directive, on, raw
from docutils import nodes
from docutils.parsers.rst.directives import unchanged_required

from compendium.claim_records import stored_records
from compendium.markup import anchor_of, filled, typeset
from compendium.papers import papers
from fscore._files import write_atomically

METHODS, INDEX = "methods/", "methods/index"


def run(code):
    """Run a piece of code.

    Parameters
    ----------
    code : str
        A last line that is an expression prints its value.

    Returns
    -------
    text : str
        What it prints.
    drawing : str
        SVG of the figure that it leaves open, if any.
    """
    import matplotlib.pyplot as plt

    from compendium import style

    plt.switch_backend("agg")
    style.apply()
    tree = ast.parse(code)
    if isinstance(last := tree.body[-1], ast.Expr):
        show = "\nif (_shown := {}) is not None: print(_shown)"
        tree.body[-1:] = ast.parse(show.format(ast.unparse(last.value))).body
    printed, drawing = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "example", "exec"), {"__name__": "example"})
    if plt.get_fignums():
        plt.savefig(drawing, format="svg", metadata={"Date": None})
        plt.close("all")
    return printed.getvalue(), drawing.getvalue()


@directive("example", content=True, **dict.fromkeys(("alt", "caption", "picture"), unchanged_required))
def example(directive):
    """Code with what it prints and draws."""
    code = "\n".join(directive.content)
    text, drawing = run(code)
    block = nodes.literal_block(code, code, language="python")
    if "picture" not in directive.options:
        printed = nodes.literal_block(text, text.rstrip(), language="text", classes=["printed"])
        return [block, printed] if text else [block]
    name = f"_pictures/{directive.options['picture']}.svg"
    write_atomically(Path(directive.env.app.srcdir, name), drawing)
    caption, _ = directive.parse_inline(directive.options["caption"])
    image = nodes.image(uri=f"/{name}", alt=directive.options["alt"])
    figure = nodes.figure("", image, nodes.caption("", "", *caption))
    return [figure, raw("<details><summary>Code of the figure</summary>"), block, raw("</details>")]


@directive("method-cards")
def method_cards(directive):
    """A card for each method page, with its picture and first paragraph."""
    cards = []
    for document in directive.config.external_site_map:
        if document.startswith(METHODS) and document != INDEX:
            text = Path(directive.env.doc2path(document)).read_text(encoding="utf-8")
            title, _, body = text.removeprefix("# ").partition("\n")
            name = document.removeprefix(METHODS)
            first = body.strip().partition("\n\n")[0].replace("\n", " ")
            cards.append({"name": name, "title": title, "alt": _description(text, name), "text": first})
    return filled("method_cards.jinja", cards=cards)


def _description(text, picture):
    """The description of a picture in the page that draws it."""
    options = map(yaml.safe_load, re.findall(r"^```\{example\}\n---\n(.*?)\n---$", text, re.M | re.S))
    return next(given["alt"] for given in options if given["picture"] == picture)


@on("env-before-read-docs")
def cards_last(app, env, documents):
    """The page of the cards shows pictures that the other pages draw."""
    documents.sort(key=INDEX.__eq__)


@directive("serves", 1, more=99)
def serves(directive, paper, *wanted):
    """Claims of a paper that a method serves, with what was found."""
    found = {record.claim_id: record for record in stored_records() if record.paper == paper}
    lines = [f"{{doc}}`{papers()[paper].name} </papers/{paper}>`:", ""]
    for claim in wanted:
        link = f"{{doc}}`{claim} {found[claim].short} </claims/{anchor_of(paper, claim)}>`"
        lines.append(f"- {link}. {typeset(found[claim].verdict.sentence)}")
    return "\n".join(lines)
