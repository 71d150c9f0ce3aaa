"""Old addresses lead to the pages that took over their content: ``redirects.yml`` maps one to the other."""

import html
import json
import posixpath
import re
from pathlib import Path

import yaml
from _ext.extension import afterwards

# The browser keeps the anchor of the old address only if a script passes it on. Of an anchor that the new page lacks,
# such as a class's inherited method, the part before the last dot may be there.
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta name="robots" content="noindex">
<link rel="canonical" href="{page}{place}">
<noscript><meta http-equiv="refresh" content="0; url={page}{place}"></noscript>
<script>
const known = new Set({known});
let place = decodeURIComponent(location.hash.slice(1));
while (place.includes(".") && !known.has(place)) place = place.slice(0, place.lastIndexOf("."));
location.replace("{page}" + (known.has(place) ? "#" + place : "{place}"));
</script></head>
<body><p>This page has moved: <a href="{page}{place}">new address</a>.</p></body></html>
"""


@afterwards
def write_redirects(app, out):
    """Write a page at each old address; a target that does not exist is an error."""
    moved = yaml.safe_load((Path(app.srcdir) / "redirects.yml").read_text(encoding="utf-8"))
    for old, new in moved.items():
        page, _, anchor = new.partition("#")
        if not (out / page).is_file():
            if any((Path(app.srcdir) / page).with_suffix(ending).is_file() for ending in (".md", ".ipynb")):
                raise ValueError(f"redirects.yml leads from {old} to {new}, which was not rendered.")
            continue  # a part of the book that this project doesn't have
        known = sorted(set(re.findall(r'\sid="([^"]+)"', (out / page).read_text(encoding="utf-8"))))
        address = html.escape(posixpath.relpath(page, posixpath.dirname(old) or "."))
        file = out / old
        file.parent.mkdir(parents=True, exist_ok=True)
        place = f"#{anchor}" if anchor else ""
        listed = json.dumps(known).replace("<", "\\u003c")
        file.write_text(PAGE.format(page=address, place=html.escape(place), known=listed), encoding="utf-8")
