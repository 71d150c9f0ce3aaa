"""What the owner decides, on every page: authors, how to cite, and the address of the source if there is one.

Pages write ``{{ citation }}``; the button of the repository appears when `pyproject.toml` names it.
"""

from _ext.extension import on

from compendium.citation import project, sentence


@on("config-inited")
def fill_in(app, config):
    """Fill in what `pyproject.toml` says."""
    config.author = " and ".join(project().authors)
    config.myst_substitutions["citation"] = sentence()
    options = config.html_theme_options
    options["extra_footer"] += f"<p>To cite: {sentence()}; and the paper whose method you use.</p>"
    if project().repository:
        options |= {"repository_url": project().repository, "use_repository_button": True}
