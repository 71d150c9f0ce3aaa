"""Copy MathJax into the site, so that formulas need no network access.

The files come from the package ``sphinx-mathjax-offline``; only the TeX-to-HTML part (a tenth of it) is copied.
"""

import shutil
from importlib.metadata import files
from pathlib import Path

from _ext.extension import afterwards, on
from _ext.private import has_formulas

SCRIPT = "tex-chtml.js"
FILES = (SCRIPT, "a11y/assistive-mml.js", "input/tex/extensions/**/*.js", "output/chtml/fonts/**/*.*")


@afterwards
def copy_mathjax(app, site):
    """Copy the required parts after the pages are written."""
    source = Path(next(file for file in files("sphinx-mathjax-offline") if file.name == SCRIPT).locate()).parent
    for file in (file for pattern in FILES for file in source.glob(pattern)):
        target = site / "mathjax" / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


@on("html-page-context", priority=900)  # after Sphinx has added it
def drop_unused(app, page, template, context, doctree):
    """Load MathJax only where a page itself has formulas; Sphinx also loads it where a page below it has some."""
    if not has_formulas(app, page):
        unused = app.config.mathjax_path
        context["script_files"] = [file for file in context["script_files"] if not str(file.filename).endswith(unused)]
