"""Directives of the method pages: code that runs when the book is built, cards with its pictures, the claims served.

{example}           code, what it prints and draws; ``:picture: NAME`` shows the figure first and folds the code
{method-cards}      a card with picture for each method page of the table of contents
{serves} PAPER ...  claims of a paper, for instance ``{serves} somol2011 S1 S2``

What an example prints and draws is kept in ``.cache/examples`` as long as its code, the modules that it uses and the
style of the figures are unchanged.
"""

import ast
import contextlib
import io
import shutil

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from compendium.digest import code_digest
from compendium.kept import CACHE, hash_of, kept
from compendium.markup import anchor_of
from compendium.papers import papers
from compendium.published import claims_of
from compendium.source_code import imported_names

METHODS = "methods/"


def run(code):
    """What a piece of code prints, and the figure that it leaves open, as SVG; from an earlier run if nothing changed.

    Parameters
    ----------
    code : str
        A last line that is an expression prints its value.

    Returns
    -------
    text : str
    picture : Path or None
    """
    used = [*imported_names(code), "compendium.style"]
    key = hash_of(code_digest(used), code)
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


class Example(SphinxDirective):
    """Code with what it prints and draws."""

    has_content = True
    option_spec = {  # noqa: RUF012
        "alt": directives.unchanged_required,
        "caption": directives.unchanged_required,
        "picture": directives.unchanged_required,
    }

    def run(self):
        code = "\n".join(self.content)
        text, picture = run(code)
        block = nodes.literal_block(code, code, language="python")
        if "picture" not in self.options:
            printed = nodes.literal_block(text, text.rstrip(), language="text", classes=["printed"])
            return [block, printed] if text else [block]
        folded = [
            nodes.raw("", "<details><summary>Code of the figure</summary>", format="html"),
            block,
            nodes.raw("", "</details>", format="html"),
        ]
        return [self.figure(picture), *folded]

    def figure(self, picture):
        name = f"_pictures/{self.options['picture']}.svg"
        target = self.env.app.srcdir / name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(picture, target)
        caption, _ = self.parse_inline(self.options["caption"])
        image = nodes.image(uri=f"/{name}", alt=self.options["alt"])
        return nodes.figure("", image, nodes.caption("", "", *caption))


class MethodCards(SphinxDirective):
    """A card for each method page, with its picture and first paragraph."""

    def run(self):
        lines = ["::::{grid} 1 2 2 3", ":gutter: 3", ""]
        for document in method_pages(self.env):
            source = self.env.doc2path(document)
            with open(source, encoding="utf-8") as file:
                title, _, body = file.read().removeprefix("# ").partition("\n")
            idea = " ".join(body.strip().partition("\n\n")[0].split())
            name = document.removeprefix(METHODS)
            lines += [
                f":::{{grid-item-card}} {title}",
                f":link: /{document}",
                ":link-type: doc",
                f":img-top: /_pictures/{name}.svg",
                f":img-alt: Picture of the page on {title.lower()}",
                "",
                idea,
                ":::",
            ]
        return self.parse_text_to_nodes("\n".join([*lines, "::::"]))


def method_pages(env):
    """The pages on methods, in the order of the table of contents."""
    found = env.app.config.external_site_map
    return [document for document in found if document.startswith(METHODS) and document != f"{METHODS}index"]


class Serves(SphinxDirective):
    """Claims of a paper that a method serves, with their text."""

    required_arguments = 2
    final_argument_whitespace = True

    def run(self):
        paper, wanted = self.arguments[0], self.arguments[1].split()
        claims = claims_of(paper).set_index("claim_id")["claim"]
        lines = [f"{{doc}}`{papers()[paper].name} </papers/{paper}>`:", ""]
        lines += [f"- {{doc}}`{claim} </claims/{anchor_of(paper, claim)}>` {claims[claim]}" for claim in wanted]
        return self.parse_text_to_nodes("\n".join(lines))


def cards_last(app, env, documents):
    """The page of the cards shows pictures that the other pages draw."""
    if f"{METHODS}index" in documents:
        documents.remove(f"{METHODS}index")
        documents.append(f"{METHODS}index")


def setup(app):
    app.add_directive("example", Example)
    app.add_directive("method-cards", MethodCards)
    app.add_directive("serves", Serves)
    app.connect("env-before-read-docs", cards_last)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
