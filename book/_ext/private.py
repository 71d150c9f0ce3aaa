"""Everything that reaches into private parts of Sphinx, its theme and MyST-NB: what may break with other versions.

The versions are pinned in `pyproject.toml`; ``tests/test_private.py`` builds a small site and checks each of these.
Beyond this file, ``search_order.js`` wraps ``Search.htmlToText`` of Sphinx's search, and ``_static/custom.css`` names
classes of the theme; the tests of the built site in a browser check these.
"""

import hashlib
import html
import os
import re

from _ext.extension import afterwards, on
from joblib import cpu_count

ICON = re.compile(r'(?:"([a-z0-9-]+)"|\b([a-z][a-z0-9]*)):\[\d+,\d+,\[[^\]]*\],"[0-9a-f]+",(?:"[^"]*"|\["[^]]*\])\],?')
CODE = re.compile(r'(<div class="highlight-[^"]*)("><div class="highlight"><pre>)(.*?)(?=</pre>)', re.DOTALL)
TAG = re.compile(r"<[^>]+>")
WIDE = 82  # characters of a line of code that the page's column has room for


@on("env-check-consistency")
def write_in_parallel(app, environment):
    """Sphinx: write pages in several processes, for which jupyter-book has no option; reading so is not safe."""
    app.parallel = cpu_count()


def has_formulas(app, page):
    """Sphinx: whether a page itself has formulas."""
    return bool(app.env.domaindata["math"]["has_equations"].get(page))


def title_of_section(directive):
    """docutils: the title of the section in which a directive stands; empty outside of sections."""
    section = directive.state_machine.node
    return section[0].astext() if section.children else ""


def image_name(drawing):
    """MyST-NB: the name under which it stores an SVG drawing, which is the hash of its text."""
    return hashlib.sha256(os.linesep.join(drawing.splitlines()).encode()).hexdigest()


@on("html-page-context", priority=900)  # after the theme has set it
def escape_title(app, page, template, context, doctree):
    """The theme: escape ``pagetitle``, which it does not escape and which may contain the name of a user's file."""
    if "pagetitle" in context:
        context["pagetitle"] = html.escape(context["pagetitle"])


@on("html-page-context")
def widen(app, page, template, context, doctree):
    """The theme: give code with long lines its class for what reaches into the margin, on pages with a contents list.

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
    """The theme: keep of Font Awesome only the icons that the pages and the theme show, a hundredth of its 1.5 MB."""
    scripts = site / "_static/scripts"
    showing = (*site.rglob("*.html"), *scripts.glob("*book-theme.js"))
    used = {name for file in showing for name in re.findall(r"\bfa-([a-z0-9-]+)", file.read_text(encoding="utf-8"))}
    script = scripts / "fontawesome.js"
    text = script.read_text(encoding="utf-8")
    script.write_text(ICON.sub(lambda icon: icon[0] if (icon[1] or icon[2]) in used else "", text), encoding="utf-8")
