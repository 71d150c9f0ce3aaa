"""Modules of a paper that its experiments find in a folder, and that no import statement leads to."""

from pathlib import Path

import yaml

from compendium.papers import NOTEBOOKS

__all__ = ["discovered_modules", "measuring_modules"]


def measuring_modules(module):
    """Modules from which all the code that an experiment measures with can be reached.

    Parameters
    ----------
    module : str
        Dotted name of the module that declares the experiment.

    Returns
    -------
    list of str
    """
    return [module, *discovered_modules(module.partition(".")[0])]


def discovered_modules(paper):
    """Dotted names of the modules in the folders that ``discovered`` in a paper's ``about.yml`` names.

    Results depend on their code, as they do on imported code.

    Parameters
    ----------
    paper : str
        Key of the paper, or any other package.

    Returns
    -------
    list of str
        Sorted within each folder; empty for a package that is no paper.
    """
    about = Path(NOTEBOOKS, paper, "about.yml")
    if not about.is_file():
        return []
    folders = yaml.safe_load(about.read_text(encoding="utf-8")).get("discovered") or ()
    return [
        f"{paper}.{folder}.{file.stem}"
        for folder in folders
        for file in sorted((about.parent / folder).glob("[a-z]*.py"))
    ]
