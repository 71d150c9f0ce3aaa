"""Figures for phones: where the window is narrow, a page shows the drawing of a figure whose panels are stacked.

Notebooks store both drawings; see ``compendium/style.py``.
"""

import json
import re
from pathlib import Path

from _ext.extension import afterwards, on
from _ext.private import image_name

from compendium.style import NARROW

SVG = "image/svg+xml"
IMAGE = re.compile(r'<img [^>]*src="([^"]*_images/([0-9a-f]{64}))\.svg"[^>]*>')


@on("builder-inited")
def find_narrow_figures(app):
    """Collect the narrow drawings of all notebooks by the names of the wide ones."""
    app.narrow_figures = {}
    for file in Path(app.srcdir).rglob("*.ipynb"):
        for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            for data in (output.get("data", {}) for output in cell.get("outputs", ())):
                if NARROW in data:
                    name = image_name("".join(data[SVG]))
                    app.narrow_figures[name] = "".join(data[NARROW])


@on("html-page-context")
def offer_narrow_figures(app, page, template, context, doctree):
    """Let the browser choose between both drawings."""

    def offered(image):
        path, name = image.groups()
        if name not in app.narrow_figures:
            return image[0]
        source = f'<source media="(max-width: 600px)" srcset="{path}-narrow.svg">'
        return f"<picture>{source}{image[0]}</picture>"

    if "body" in context:
        context["body"] = IMAGE.sub(offered, context["body"])


@afterwards
def write_narrow_figures(app, site):
    """Write the narrow drawings beside the wide ones."""
    for name, drawing in app.narrow_figures.items():
        (site / "_images" / f"{name}-narrow.svg").write_text(drawing, encoding="utf-8")
