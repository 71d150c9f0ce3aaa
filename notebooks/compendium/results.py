"""What the store holds for the notebooks of the book: their tables and their verdicts."""

from functools import cache

from compendium.experiment import experiment_of
from compendium.papers import notebook_files, paper_of, papers
from compendium.store import find
from compendium.verdicts import claims_needing


@cache
def entries():
    """The store's entry of each notebook with its declared parameters.

    Returns
    -------
    dict of str to Entry
        Without the notebooks that were never measured.
    """
    found = {name: find(experiment_of(name)()) for name in notebook_files()}
    return {name: entry for name, entry in found.items() if entry is not None}


def readings_of(paper):
    """The store's entry of a paper's readings, whose tables comparisons with print may take; None if there is none."""
    name = f"{paper}_readings"
    return find(experiment_of(name)()) if name in notebook_files() else None


def stored_tables():
    """Their tables: by name, by notebook."""
    return {name: entry.tables for name, entry in entries().items()}


def verdicts_of():
    """The verdicts by the store's tables, each with its notebook.

    Returns
    -------
    dict of (str, str) to (Verdict, str)
        Maps (paper, claim) to (verdict, notebook).
    """
    readings = {paper: entry.tables for paper in papers() if (entry := readings_of(paper)) is not None}
    return {
        (paper, claim): (verdict, notebook)
        for notebook, entry in entries().items()
        for paper in (paper_of(notebook),)
        for claim, verdict in claims_needing(paper, entry.tables, readings.get(paper)).items()
    }
