"""What a paper may have beside its experiments, and no import statement leads to.

Modules of known names (claims, printed, summaries), modules that its experiments find in a folder, and names for
abbreviations.
"""

import importlib
import importlib.util

from compendium.papers import papers


def part_of(paper, name):
    """A module of a paper, for instance its ``claims``; None if it has none of this name.

    Parameters
    ----------
    paper : str
        Key of the paper.
    name : str

    Returns
    -------
    module or None
    """
    full = f"{paper}.{name}"
    return importlib.import_module(full) if importlib.util.find_spec(full) is not None else None


def names_of(paper):
    """What pages write for a paper's abbreviations: ``names`` in its ``about.yml``, if it has any."""
    return papers()[paper].names if paper in papers() else {}


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
        Sorted within each folder; empty for a package that is not a paper.
    """
    about = papers().get(paper)
    return [
        f"{paper}.{folder}.{file.stem}"
        for folder in (about.discovered if about else ())
        for file in sorted((about.folder / folder).glob("[a-z]*.py"))
    ]
