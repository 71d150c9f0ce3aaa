"""What a paper may have beside its experiments: modules (claims, printed, summaries), and names for abbreviations."""

import importlib
import importlib.util
from functools import cache

import yaml

from compendium.papers import NOTEBOOKS

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


@cache
def names_of(paper):
    """What pages write for a paper's abbreviations: ``names`` in its ``about.yml``, if it has any."""
    return yaml.safe_load((NOTEBOOKS / paper / "about.yml").read_text(encoding="utf-8")).get("names", {})
