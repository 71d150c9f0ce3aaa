"""Directives whose contents are HTML from ``_templates``; what it says comes from Python."""

from pathlib import Path

from docutils import nodes
from jinja2 import Environment, FileSystemLoader
from sphinx.util.docutils import SphinxDirective

from compendium.markup import anchor_of, place
from compendium.papers import papers
from compendium.verdicts import ANSWERS, MARKS

FOLDER = Path(__file__).parents[1] / "_templates"
ENVIRONMENT = Environment(loader=FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True)
ENVIRONMENT.globals |= {"ANSWERS": ANSWERS, "MARKS": MARKS, "anchor_of": anchor_of, "papers": papers, "place": place}


def filled(template, **values):
    """A template of ``_templates`` with values, as a node."""
    return nodes.raw("", ENVIRONMENT.get_template(template).render(values), format="html")


def directive(show, arguments=0, options=None):
    """A directive without content that shows the nodes which ``show(directive, *arguments)`` returns."""

    class Shown(SphinxDirective):
        required_arguments = arguments
        option_spec = options

        def run(self):
            return show(self, *self.arguments)

    return Shown
