"""What every page gets: an escaped title, a description, short tables, wide code, few icons, no numbers for its tables.

A long table of a notebook or of the scoreboard shows its first rows; ``tables.js`` offers the others, which stand in a
template that a browser keeps but does not show. Sorting, filtering and saving use all rows. Code with long lines takes
the margin at the right, where there is one; the theme then moves the page's contents out of the way.
"""

import html
import re

from _ext.extension import afterwards, on
from docutils import nodes
from sphinx.domains.std import StandardDomain

SHORTEST, LONGEST = 40, 160  # characters of a description that search engines show
LONG, SHOWN = 20, 12  # rows from which a table is shortened, and rows that are shown then
WIDE = 82  # characters of a line of code that the page's column has room for
StandardDomain.enumerable_nodes.pop(nodes.table, None)  # on our pages, "Table 6" is a table of a paper
BODY = re.compile(r"(<tbody>\n)(.*?)(\n</tbody>)", re.DOTALL)
CODE = re.compile(r'(<div class="highlight-[^"]*)("><div class="highlight"><pre>)(.*?)(?=</pre>)', re.DOTALL)
TAG = re.compile(r"<[^>]+>")
ICON = re.compile(r'(?:"([a-z0-9-]+)"|\b([a-z][a-z0-9]*)):\[\d+,\d+,\[[^\]]*\],"[0-9a-f]+",(?:"[^"]*"|\["[^]]*\])\],?')


@on("html-page-context", priority=900)  # after the theme has set it
def escape_title(app, page, template, context, doctree):
    """Escape ``pagetitle``, which the theme does not escape and which may contain the name of a user's file."""
    if "pagetitle" in context:
        context["pagetitle"] = html.escape(context["pagetitle"])


@on("html-page-context")
def describe(app, page, template, context, doctree):
    """Add the first paragraph of a page as its description, or its title if there is none."""
    paragraphs = doctree.findall(nodes.paragraph) if doctree else ()
    sentences = (words(node) for node in paragraphs if isinstance(node.parent, nodes.section))
    title = f"{html.unescape(context.get('title', ''))}: {app.config.html_title}"
    text = next((text for text in sentences if len(text) > SHORTEST), title)
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition(" ")[0] + " …"
    context["metatags"] = context.get("metatags", "") + f'<meta name="description" content="{html.escape(text)}">\n'


def words(paragraph):
    """The text of a paragraph without formulas, on one line."""
    found = [node for node in paragraph.findall(nodes.Text) if not isinstance(node.parent, nodes.math | nodes.raw)]
    return " ".join("".join(map(str, found)).split())


@on("html-page-context")
def shorten(app, page, template, context, doctree):
    """Put the further rows of each long table of `compendium.tables.html_table` into a template."""
    if "body" in context:
        context["body"] = BODY.sub(first_rows, context["body"])


def first_rows(body):
    """The body of a table, shortened if it is long."""
    rows = body[2].split("\n<tr>")  # a cell may contain line breaks
    if len(rows) <= LONG:
        return body[0]
    shown, rest = ("\n<tr>".join(part) for part in (rows[:SHOWN], ["", *rows[SHOWN:]]))
    return f"{body[1]}{shown}\n<template>{rest.lstrip()}</template>{body[3]}"


@on("html-page-context")
def widen(app, page, template, context, doctree):
    """Give code with long lines the theme's class for what reaches into the margin, on pages with a contents list.

    On others the theme's script fails on this class.
    """
    if context.get("display_toc"):
        context["body"] = CODE.sub(wide_if_long, context["body"])


def wide_if_long(code):
    """A block of code, with the class if one of its lines is long."""
    longest = max(map(len, html.unescape(TAG.sub("", code[3])).splitlines()), default=0)
    return f"{code[1]}{' full-width' if longest > WIDE else ''}{code[2]}{code[3]}"


@afterwards
def keep_used_icons(app, site):
    """Keep of Font Awesome only the icons that the pages and the theme show: a hundredth of its 1.5 MB."""
    scripts = site / "_static/scripts"
    showing = (*site.rglob("*.html"), *scripts.glob("*book-theme.js"))
    used = {name for file in showing for name in re.findall(r"\bfa-([a-z0-9-]+)", file.read_text(encoding="utf-8"))}
    script = scripts / "fontawesome.js"
    text = script.read_text(encoding="utf-8")
    script.write_text(ICON.sub(lambda icon: icon[0] if (icon[1] or icon[2]) in used else "", text), encoding="utf-8")
