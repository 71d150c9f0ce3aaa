"""Result files of a run and of the reference: their tables, their verdicts, and the counts by paper."""

import contextlib
import json
from pathlib import Path

import pandas as pd

from compendium.experiment import experiment_of
from compendium.frames import from_json
from compendium.papers import REFERENCE, notebook_files, paper_of, papers, printed_files
from compendium.published import claims_of
from compendium.reference import accepted_results
from compendium.verdicts import ANSWERS, claims_needing, tally

__all__ = [
    "counts_by_paper",
    "judged",
    "read_results",
    "shown_tables",
    "tables_of",
    "verdicts_of",
    "why_unusable",
]


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


def tables_of(content):
    """The tables of one result file by name."""
    return {name: from_json(stored) for name, stored in content["tables"].items()}


def why_unusable(accepted, experiment):
    """Why a page can't show the accepted results of an experiment.

    Parameters
    ----------
    accepted : dict or None
        Content of the reference's file, if there is one.
    experiment : type

    Returns
    -------
    str
        Empty if it can.
    """
    if accepted is None:
        return "there is no reference run yet"
    for kind, expected in (("parameters", [p.name for p in experiment.parameters]), ("tables", experiment.tables)):
        differ = sorted(set(accepted.get(kind, ())) ^ set(expected))
        if differ:
            return f"the reference run is of older code, with other {kind} ({', '.join(differ)})"
    return ""


def shown_tables(results):
    """The tables that the pages of a run show: those of the reference where a page shows the reference.

    Parameters
    ----------
    results : dict of str to dict
        As from :func:`read_results`.

    Returns
    -------
    dict of str to (dict of str to DataFrame)
        Tables by name, by notebook.
    """
    accepted = accepted_results()
    return {
        notebook: tables_of(accepted[notebook] if content.get("shown") == REFERENCE else content)
        for notebook, content in results.items()
    }


def judged(results):
    """Results with their verdicts judged anew by the current rules.

    Parameters
    ----------
    results : dict of str to dict
        As from :func:`read_results`.

    Returns
    -------
    dict of str to dict
        Results of older code, whose tables the rules can't read, keep the verdicts that they came with; those of
        notebooks that no longer exist are omitted.
    """
    anew = {}
    for notebook, content in results.items():
        if notebook in notebook_files():
            verdicts = content["verdicts"]
            if not why_unusable(content, experiment_of(notebook)):
                with contextlib.suppress(KeyError, NameError):  # a column that the older code didn't measure
                    found = claims_needing(paper_of(notebook), tables_of(content))
                    verdicts = {claim_id: verdict.as_dict() for claim_id, verdict in found.items()}
            anew[notebook] = {**content, "verdicts": verdicts}
    return anew


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
