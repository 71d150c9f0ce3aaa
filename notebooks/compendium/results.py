"""Result files of a run, and counts of their verdicts by paper."""

import json
from pathlib import Path

import pandas as pd

from compendium.papers import DATA, papers, printed_files
from compendium.published import claims_of
from compendium.verdicts import ANSWERS, tally

__all__ = ["REFERENCE_FOLDER", "counts_by_paper", "read_results", "verdicts_of"]

REFERENCE_FOLDER = DATA / "reference"


def read_results(folder):
    """Read the result files in a folder.

    Parameters
    ----------
    folder : path

    Returns
    -------
    dict of str to dict
        Content of each file, written by :class:`compendium.page.Page`, by notebook.
    """
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(Path(folder).glob("*.json"))}


def verdicts_of(results):
    """All verdicts in some results, each with its notebook.

    Parameters
    ----------
    results : dict of str to dict
        As from :func:`read_results`.

    Returns
    -------
    dict of (str, str) to (dict, str)
        Maps (paper, claim) to (verdict, notebook).
    """
    return {
        (notebook.partition("_")[0], claim): (verdict, notebook)
        for notebook, content in results.items()
        for claim, verdict in content["verdicts"].items()
    }


def counts_by_paper(verdicts):
    """How often each answer was given, by paper.

    Parameters
    ----------
    verdicts : dict
        As from :func:`verdicts_of`.

    Returns
    -------
    DataFrame
        One row per paper, indexed by its key, in the order of `papers`; columns ``claims`` and the answers. Folders
        without printed numbers, such as the comparison, are no papers.
    """
    untested = ({"answer": ANSWERS[-1]}, None)
    rows = {}
    for paper in filter(printed_files, papers()):
        ids = claims_of(paper)["claim_id"]
        answers = [verdicts.get((paper, claim), untested)[0]["answer"] for claim in ids]
        rows[paper] = {"claims": len(ids), **tally(answers)}
    return pd.DataFrame.from_dict(rows, orient="index")
