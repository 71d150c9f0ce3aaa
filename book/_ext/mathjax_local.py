"""Copy MathJax into the site, so that formulas need no network access.

The files come from the package ``sphinx-mathjax-offline``; only the TeX-to-HTML part (a tenth of it) is copied.
"""

import shutil
from importlib.metadata import files
from pathlib import Path

PARTS = ("tex-chtml.js", "input/tex/extensions", "output/chtml/fonts", "a11y/assistive-mml.js")


def source_folder():
    """The folder of the MathJax files in the installed package."""
    script = next(file for file in files("sphinx-mathjax-offline") if file.name == "tex-chtml.js")
    return Path(script.locate()).parent


def copy_mathjax(app, exception):
    """Copy the required parts after the pages are written."""
    if exception is not None or app.builder.format != "html":
        return
    for part in PARTS:
        source, target = source_folder() / part, Path(app.outdir, "mathjax", part)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, target)


def drop_unused(app, page, template, context, doctree):
    """Load MathJax only where a page itself has formulas; Sphinx also loads it where a page below it has some."""
    if not app.env.domaindata["math"]["has_equations"].get(page):
        unused = app.config.mathjax_path
        context["script_files"] = [file for file in context["script_files"] if not str(file.filename).endswith(unused)]


def setup(app):
    app.config.mathjax_path = "../mathjax/tex-chtml.js"  # relative to _static
    app.connect("html-page-context", drop_unused, priority=900)  # after Sphinx has added it
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
