"""The list of contents beside each page, generated once for each folder instead of once for each page.

The lists of two pages in a folder differ in the marks of the current page only, and the theme takes a seventh of the
time of a build to generate them.
"""

import copy
import posixpath
from functools import cache

from pydata_sphinx_theme.toctree import add_toctree_functions


def share_lists(app):
    """Let the pages of a folder share a list, of which each marks its own entry."""

    @cache
    def unmarked(folder, depth, collapse, opened):
        nowhere = posixpath.join(folder, "nowhere")  # a page that the list doesn't contain
        context = {"toctree": lambda **options: app.builder._get_local_toctree(nowhere, **options)}
        add_toctree_functions(app, nowhere, "page.html", context, None)
        return nowhere, context["generate_toctree_html"](
            kind="sidebar",
            startdepth=0,
            maxdepth=depth,
            collapse=collapse,
            includehidden=True,
            titles_only=True,
            show_nav_level=opened,
        )

    @cache
    def contents_list(page, *options):
        nowhere, contents = unmarked(posixpath.dirname(page), *options)
        return str(mark(copy.copy(contents), app.builder.get_relative_uri(nowhere, page)))

    def offer(app, page, template, context, doctree):
        context["contents_list"] = lambda *options: contents_list(page, *options)

    app.connect("html-page-context", offer, priority=400)  # before the theme, which renders its templates to look


def mark(contents, uri):
    """Mark the entry with this address and all that contain it as the theme does."""
    link = contents.find("a", href=uri)
    if link is None:
        return contents
    link["href"] = "#"
    link["class"].insert(0, "current")
    for element in link.parents:
        if element.name == "li":
            element["class"][1:1] = ["current", "active"]
            if (details := element.find("details", recursive=False)) is not None:
                details["open"] = "open"
        elif element.name == "ul":
            element["class"] = ["current", *element.get("class", [])]
    return contents


def setup(app):
    app.connect("builder-inited", share_lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
