"""What the store holds for the notebooks of the book: their tables, their verdicts, and the counts by paper."""

from functools import cache

import pandas as pd

from compendium.experiment import experiment_of
from compendium.papers import notebook_files, paper_of, papers, printed_files
from compendium.published import claims_of
from compendium.store import find
from compendium.verdicts import CLAIMS, NOT_TESTED, Verdict, claims_needing, rules_of, tally

__all__ = ["counts_by_paper", "entries", "stored_tables", "verdicts_of"]


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
    return {
        (paper_of(notebook), claim): (verdict, notebook)
        for notebook, entry in entries().items()
        for claim, verdict in claims_needing(paper_of(notebook), entry.tables).items()
    }


def counts_by_paper(verdicts):
    """How often each answer was given, by paper; claims and checks apart.

    Parameters
    ----------
    verdicts : dict
        As from :func:`verdicts_of`.

    Returns
    -------
    DataFrame
        One row per paper, indexed by its key, in the order of `papers`. Columns: ``claims``, their answers, "not
        tested", ``checks``, and how many of them passed. Folders without printed numbers, such as the comparison, are
        no papers.
    """
    untested = (Verdict(), None)
    rows = {}
    for paper in filter(printed_files, papers()):
        checks = {claim_id for claim_id, rule in rules_of(paper).items() if rule.check}
        answers = {claim: verdicts.get((paper, claim), untested)[0].answer for claim in claims_of(paper)["claim_id"]}
        claims = [answer for claim, answer in answers.items() if claim not in checks]
        passed = [answers[claim] for claim in checks].count("passed")
        counts = tally(claims)[[*CLAIMS, NOT_TESTED]]
        rows[paper] = {"claims": len(claims), **counts, "checks": len(checks), "passed": passed}
    return pd.DataFrame.from_dict(rows, orient="index")
