"""The modules that a paper may have beside its experiments: claims, names, printed, summaries."""

import importlib
import importlib.util

__all__ = ["names_of", "part_of"]


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
    """What pages write for a paper's abbreviations: ``NAMES`` of its module ``names``, if it has one."""
    return getattr(part_of(paper, "names"), "NAMES", {})
