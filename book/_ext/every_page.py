"""What every page gets: a description, and short tables.

A long table shows its first rows; ``tables.js`` offers the others, which stand in a template that a browser keeps but
does not show. Sorting, filtering and saving use all rows. The list of all claims stays whole: its form filters them.
"""

import html
import re

from _ext.extension import on
from docutils import nodes

SHORTEST, LONGEST = 40, 160  # characters of a description that search engines show
LONG, SHOWN = 20, 12  # rows from which a table is shortened, and rows that are shown then
# The body of a table in a region that ``tables.js`` serves.
BODY = re.compile(r'(?s)(<div class="table-scroll(?![^>]*data-filtered)(?:(?!</table>).)*?<tbody>)(.*?)(</tbody>)')


@on("html-page-context")
def describe(app, page, template, context, doctree):
    """Add a page's description: what a directive set, or its first paragraph, or its title if there is none."""
    paragraphs = doctree.findall(nodes.paragraph) if doctree else ()
    sentences = (words(node) for node in paragraphs if isinstance(node.parent, nodes.section))
    title = f"{html.unescape(context.get('title', ''))}: {app.config.html_title}"
    text = (doctree and doctree.get("description")) or next((text for text in sentences if len(text) > SHORTEST), title)
    if len(text) > LONGEST:
        text = text[:LONGEST].rpartition(" ")[0] + " …"
    context["metatags"] = context.get("metatags", "") + f'<meta name="description" content="{html.escape(text)}">\n'


def words(paragraph):
    """The text of a paragraph without formulas, on one line."""
    found = [node for node in paragraph.findall(nodes.Text) if not isinstance(node.parent, nodes.math | nodes.raw)]
    return " ".join("".join(map(str, found)).split())


@on("html-page-context")
def shorten(app, page, template, context, doctree):
    """Put the further rows of each long table into a template."""
    if "body" in context:
        context["body"] = BODY.sub(first_rows, context["body"])


def first_rows(body):
    """The body of a table, shortened if it is long."""
    before, *rows = re.split(r"(?=<tr\b)", body[2])
    if len(rows) <= LONG:
        return body[0]
    shown, rest = "".join(rows[:SHOWN]), "".join(rows[SHOWN:])
    return f"{body[1]}{before}{shown}<template>{rest}</template>{body[3]}"
