"""Directives of the method pages: code that runs when the book is built, cards with its pictures, the claims served.

{example}           code, what it prints and draws; ``:picture: NAME`` shows the figure first and folds the code, and
                    ``:reads: FILE`` names the file of the project that it reads
{method-cards}      a card with picture for each method page of the table of contents
{serves} PAPER ...  claims of a paper, for instance ``{serves} somol2011 S1 S2``

What an example prints and draws is kept in ``.cache/examples`` as long as its code, the file and the modules that it
uses, and the style of the figures are unchanged.
"""

import ast
import contextlib
import io
import re
import shutil
from pathlib import Path

import yaml
from _ext.extension import directive, on, raw
from docutils import nodes
from docutils.parsers.rst.directives import unchanged_required

from compendium.digest import code_digest
from compendium.kept import CACHE, hash_of, kept
from compendium.markup import anchor_of
from compendium.papers import ROOT, papers
from compendium.published import claims_of
from compendium.source_code import imported_names

METHODS, INDEX = "methods/", "methods/index"


def run(code, file=None):
    """What a piece of code prints, and the figure that it leaves open, as SVG; from an earlier run if nothing changed.

    Parameters
    ----------
    code : str
        A last line that is an expression prints its value.
    file : Path, optional
        What it reads.

    Returns
    -------
    text : str
    picture : Path or None
    """
    used = [*imported_names(code), "compendium.style"]
    key = hash_of(code_digest(used), code, file.read_bytes() if file else b"")
    picture = CACHE / "examples" / f"{key}.svg"
    text = kept("examples", key, lambda: _execute(code, picture))
    return text, picture if picture.is_file() else None


def _execute(code, picture):
    import matplotlib.pyplot as plt

    from compendium import style

    plt.switch_backend("agg")
    style.apply()
    tree = ast.parse(code)
    if isinstance(last := tree.body[-1], ast.Expr):
        show = "\nif (_shown := {}) is not None: print(_shown)"
        tree.body[-1:] = ast.parse(show.format(ast.unparse(last.value))).body
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "example", "exec"), {"__name__": "example"})
    if plt.get_fignums():
        picture.parent.mkdir(parents=True, exist_ok=True)
        plt.savefig(picture, metadata={"Date": None})
        plt.close("all")
    return printed.getvalue()


@directive("example", content=True, **dict.fromkeys(("alt", "caption", "picture", "reads"), unchanged_required))
def example(directive):
    """Code with what it prints and draws."""
    code, file = "\n".join(directive.content), None
    if "reads" in directive.options:
        file = ROOT / directive.options["reads"]
        directive.env.note_dependency(str(file))
    text, picture = run(code, file)
    block = nodes.literal_block(code, code, language="python")
    if "picture" not in directive.options:
        printed = nodes.literal_block(text, text.rstrip(), language="text", classes=["printed"])
        return [block, printed] if text else [block]
    name = f"_pictures/{directive.options['picture']}.svg"
    target = directive.env.app.srcdir / name
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(picture, target)
    caption, _ = directive.parse_inline(directive.options["caption"])
    image = nodes.image(uri=f"/{name}", alt=directive.options["alt"])
    figure = nodes.figure("", image, nodes.caption("", "", *caption))
    return [figure, raw("<details><summary>Code of the figure</summary>"), block, raw("</details>")]


@directive("method-cards")
def method_cards(directive):
    """A card for each method page, with its picture and first paragraph."""
    lines = ["::::{grid} 1 2 2 3", ":gutter: 3", ""]
    for document in directive.config.external_site_map:
        if document.startswith(METHODS) and document != INDEX:
            text = Path(directive.env.doc2path(document)).read_text(encoding="utf-8")
            title, _, body = text.removeprefix("# ").partition("\n")
            name = document.removeprefix(METHODS)
            lines += [
                f":::{{grid-item-card}} {title}",
                f":link: /{document}",
                ":link-type: doc",
                f":img-top: /_pictures/{name}.svg",
                f":img-alt: {_description(text, name)}",
                "",
                " ".join(body.strip().partition("\n\n")[0].split()),
                ":::",
            ]
    return directive.parse_text_to_nodes("\n".join([*lines, "::::"]))


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
    """Claims of a paper that a method serves, with their text."""
    claims = claims_of(paper).set_index("claim_id")["claim"]
    lines = [f"{{doc}}`{papers()[paper].name} </papers/{paper}>`:", ""]
    lines += [f"- {{doc}}`{claim} </claims/{anchor_of(paper, claim)}>` {claims[claim]}" for claim in wanted]
    return directive.parse_text_to_nodes("\n".join(lines))
