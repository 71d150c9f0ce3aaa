"""Escape the page title, which the theme repeats for printing and which may contain the name of a user's file."""

import html


def escape_title(app, page, template, context, doctree):
    """Escape ``pagetitle``, which the theme inserts without escaping."""
    if "pagetitle" in context:
        context["pagetitle"] = html.escape(context["pagetitle"])


def setup(app):
    app.connect("html-page-context", escape_title, priority=900)  # after the theme has set it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
