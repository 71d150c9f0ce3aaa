"""What the book relies on in private parts of Sphinx, its theme and MyST-NB (``book/_ext/private.py``)."""

import html
import json
import os
import re
import subprocess
import sys

import pytest

CONF = """
from docutils import nodes
from joblib import cpu_count

from _ext import private
from _ext.extension import DECLARED, directive

extensions, html_theme, nb_execution_mode = ["myst_nb"], "sphinx_book_theme", "off"
html_title, myst_enable_extensions = "Site", ["dollarmath"]


@directive("title-of-section")
def title(directive):
    return [nodes.paragraph("", f"Stands in {private.title_of_section(directive)}.")]


def say(app, exception):
    print("parallel", app.parallel == cpu_count())
    print("formulas", private.has_formulas(app, "index"), private.has_formulas(app, "plain"))


def setup(app):
    for register in DECLARED:
        register(app)
    app.connect("build-finished", say)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
"""
INDEX = """# A &lt;b&gt; page

```{{toctree}}
plain
drawn
```

## First section

Formula $x$.

```{{title-of-section}}
```

```python
short = 1
```

```python
long = "{long}"
```
"""
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1">\n<rect width="2" height="1"/>\n</svg>\n'


@pytest.fixture(scope="module")
def built(root, tmp_path_factory):
    """Pages of a small site by name, its folder, and what the build printed."""
    source = tmp_path_factory.mktemp("site")
    site = source / "_build"
    (source / "conf.py").write_text(CONF)
    (source / "index.md").write_text(INDEX.format(long="x" * 90))
    (source / "plain.md").write_text("# Plain\n\nNo formula.\n")
    output = {"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": SVG.splitlines(keepends=True)}}
    code = {"cell_type": "code", "source": "draw()", "metadata": {}, "execution_count": 1, "outputs": [output]}
    title = {"cell_type": "markdown", "source": "# Drawn", "metadata": {}}
    drawn = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [title, code],
    }
    (source / "drawn.ipynb").write_text(json.dumps(drawn))
    path = os.pathsep.join(map(str, (root, root / "notebooks", root / "book")))
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", source, site]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {file.stem: file.read_text(encoding="utf-8") for file in site.glob("*.html")}
    return pages, site, done.stdout


def test_pages_are_written_in_several_processes(built):
    assert "parallel True" in built[2]


def test_pages_with_formulas_are_known(built):
    assert "formulas True False" in built[2]


def test_a_directive_knows_its_section(built):
    assert "Stands in First section." in built[0]["index"]


def test_an_svg_drawing_is_stored_under_the_hash_of_its_text(built, root, monkeypatch):
    monkeypatch.syspath_prepend(root / "book")
    from _ext.private import image_name

    assert (built[1] / "_images" / f"{image_name(SVG)}.svg").is_file()


def test_a_title_is_escaped_once(built):
    title = re.search(r"<title>(.*?)</title>", built[0]["index"], re.DOTALL)[1]
    assert "<" not in title
    assert html.unescape(title).split() == ["A", "<b>", "page", "—", "Site"]


def test_long_code_is_wide_and_the_theme_knows_the_class(built):
    pages, site, _ = built
    classes = dict(
        re.findall(r'<div class="highlight-python ([^"]*)">.*?<span class="n">(\w+)', pages["index"], re.DOTALL)
    )
    assert {name: "full-width" in kinds for kinds, name in classes.items()} == {"long": True, "short": False}
    (style,) = (site / "_static" / "styles").glob("sphinx-book-theme.css")
    assert "full-width" in style.read_text(encoding="utf-8")


def test_only_the_icons_that_are_shown_are_kept(built):
    pages, site, _ = built
    script = (site / "_static" / "scripts" / "fontawesome.js").read_text(encoding="utf-8")
    assert len(script) < 200_000
    for icon in ("magnifying-glass", "download"):
        assert f"fa-{icon}" in pages["index"]
        assert re.search(rf'"?{icon}"?:\[\d+,', script), icon
    assert not re.search(r'"?rocket"?:\[\d+,', script)
