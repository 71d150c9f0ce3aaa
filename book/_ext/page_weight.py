"""Keep of Font Awesome only the icons that the pages show: a hundredth of its 1.5 MB."""

import re
from pathlib import Path

ICON = re.compile(r'(?:"([a-z0-9-]+)"|\b([a-z][a-z0-9]*)):\[\d+,\d+,\[[^\]]*\],"[0-9a-f]+",(?:"[^"]*"|\["[^]]*\])\],?')


def keep_used_icons(app, exception):
    """Drop the shapes of all other icons from the script."""
    if exception is not None or app.builder.format != "html":
        return
    used = set()
    for page in Path(app.outdir).rglob("*.html"):
        used |= set(re.findall(r"\bfa-([a-z0-9-]+)", page.read_text(encoding="utf-8")))
    for theme in (app.outdir / "_static/scripts").glob("*book-theme.js"):  # it shows icons as well
        used |= set(re.findall(r"\bfa-([a-z0-9-]+)", theme.read_text(encoding="utf-8")))
    script = app.outdir / "_static/scripts/fontawesome.js"
    text = script.read_text(encoding="utf-8")
    script.write_text(ICON.sub(lambda icon: icon[0] if (icon[1] or icon[2]) in used else "", text), encoding="utf-8")


def setup(app):
    app.connect("build-finished", keep_used_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
