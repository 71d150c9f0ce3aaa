"""The book's Sphinx extension: it registers what the modules of this folder declare by the decorators here."""

import importlib
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from compendium.markup import ENVIRONMENT, filled

ENVIRONMENT.loader.searchpath.append(str(Path(__file__).parents[1] / "_templates"))
DECLARED = []  # functions of the application


def directive(name, arguments=0, *, more=0, content=False, **options):
    """Declare a directive, which shows the Markdown or the nodes that the decorated function returns.

    The function takes the directive and its arguments.
    """

    def declare(show):
        class Shown(SphinxDirective):
            required_arguments, optional_arguments, has_content = arguments, more, content
            option_spec = options

            def run(self):
                content = show(self, *self.arguments)
                return self.parse_text_to_nodes(content) if isinstance(content, str) else content

        DECLARED.append(lambda app: app.add_directive(name, Shown))
        return show

    return declare


def on(event, priority=500):
    """Declare a function that an event of Sphinx calls."""

    def declare(function):
        DECLARED.append(lambda app: app.connect(event, function, priority=priority))
        return function

    return declare


def afterwards(add):
    """Declare a function of the application and the site's folder, which adds to the site that is written."""

    @on("build-finished")
    def finished(app, exception):
        if exception is None and app.builder.format == "html":
            add(app, Path(app.outdir))

    return add


def is_whole(app, page):
    """Whether a page is rendered whole: beside that of a user's run, others are only titles."""
    return "title_only" not in app.env.metadata.get(page, ())


def transform(kind):
    """Declare a transform of every page."""
    DECLARED.append(lambda app: app.add_transform(kind))
    return kind


def raw(html):
    """HTML as a node."""
    return nodes.raw("", html, format="html")


def shown(template, **values):
    """A template of ``_templates`` with values, as a node."""
    return raw(filled(template, **values))


def setup(app):
    for file in sorted(Path(__file__).parent.glob("*.py")):
        importlib.import_module(f"_ext.{file.stem}")
    for register in DECLARED:
        register(app)
    return {"parallel_read_safe": False, "parallel_write_safe": True}  # pages show pictures that others draw
