"""The head of each page: an escaped title, and a description for search engines and link previews."""

import html

from docutils import nodes

SHORTEST, LONGEST = 40, 160  # characters of a description that search engines show


def escape_title(app, page, template, context, doctree):
    """Escape ``pagetitle``, which the theme does not escape and which may contain the name of a user's file."""
    if "pagetitle" in context:
        context["pagetitle"] = html.escape(context["pagetitle"])


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


def setup(app):
    app.connect("html-page-context", escape_title, priority=900)  # after the theme has set it
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
