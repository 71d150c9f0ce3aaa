"""Old addresses lead to the pages that took over their content: ``redirects.yml`` maps one to the other."""

import posixpath
import re
from pathlib import Path

import yaml
from _ext.extension import afterwards

from compendium.markup import filled


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
        address = posixpath.relpath(page, posixpath.dirname(old) or ".")
        file = out / old
        file.parent.mkdir(parents=True, exist_ok=True)
        text = filled("moved.html", page=address, place=f"#{anchor}" if anchor else "", known=known)
        file.write_text(f"{text}\n", encoding="utf-8")
