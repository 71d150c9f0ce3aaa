"""Escape the title that the theme repeats for print: the name of a user's file may be part of it."""

import html


def escape_title(app, page, template, context, doctree):
    """The theme writes ``pagetitle`` into the page as it is."""
    if "pagetitle" in context:
        context["pagetitle"] = html.escape(context["pagetitle"])


def setup(app):
    app.connect("html-page-context", escape_title, priority=900)  # after the theme has set it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
