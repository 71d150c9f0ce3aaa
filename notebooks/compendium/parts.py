"""The modules that a paper may have beside its experiments: claims, names, printed, simulations, summaries."""

import importlib
import importlib.util

__all__ = ["part_of"]


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
