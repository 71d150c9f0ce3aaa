"""What the owner decides, on every page: authors, how to cite, and the address of the source if there is one.

Pages write ``{{ citation }}`` and ``{{ clone }}``; the buttons of the repository and of Binder appear when
`pyproject.toml` names it.
"""

from _ext.extension import on, raw
from docutils import nodes

from compendium.citation import bibtex, binder, clone, project, sentence
from compendium.papers import ROOT, all_notebook_files
from compendium.store import entries


@on("config-inited")
def fill_in(app, config):
    """Fill in what `pyproject.toml` says."""
    config.author = " and ".join(project().authors)
    config.myst_substitutions |= {"citation": sentence(), "clone": clone()}
    options = config.html_theme_options
    options["extra_footer"] += f"<p>To cite: {sentence()}; and the paper whose method you use.</p>"
    if project().repository:
        options |= {"repository_url": project().repository, "use_repository_button": True}
        options["article_header_end"] = ["binder.html", "article-header-buttons.html"]


@on("html-page-context")
def offer_binder(app, page, template, context, doctree):
    """Give the page of a notebook the address at which Binder opens it."""
    if (file := all_notebook_files().get(page.rpartition("/")[2])) is not None:
        context["binder"] = binder(str(file.relative_to(ROOT)))


def cite_this(key, part, notebooks):
    """How to cite a part of the site, folded, with the date when its numbers were measured.

    Parameters
    ----------
    key : str
        Of the entry in BibTeX.
    part : str
        What is cited, in one sentence without a period.
    notebooks : iterable of str
        Those that measure it.
    """
    measured = max((entries()[name].about["measured"][:10] for name in notebooks if name in entries()), default="")
    text = nodes.paragraph("", "", nodes.inline("", f"{sentence(part, measured)}."))  # its words are no links
    code = nodes.literal_block("", bibtex(key, part, measured), language="bibtex")
    return [raw('<details class="fold cite"><summary>Cite this</summary>'), text, code, raw("</details>")]
