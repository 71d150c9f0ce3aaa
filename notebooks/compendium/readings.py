"""Verdicts under the readings of a paper: the settings that it leaves open, each choice a set of tables of its own."""

import pandas as pd

from compendium.verdicts import MARKS, claims_needing

__all__ = ["multiverse", "verdicts_under"]


def verdicts_under(paper, readings):
    """Judge every claim whose tables a reading has, for each reading.

    Parameters
    ----------
    paper : str
        Key of the paper.
    readings : iterable of (str, dict of str to DataFrame)
        Each reading's name and its tables, by the names that the rules need.

    Returns
    -------
    DataFrame
        reading, claim, answer, evidence.
    """
    rows = [
        {"reading": reading, "claim": claim_id, **verdict.as_dict()}
        for reading, tables in readings
        for claim_id, verdict in claims_needing(paper, tables).items()
    ]
    return pd.DataFrame(rows, columns=["reading", "claim", "answer", "evidence"])


def multiverse(verdicts):
    """The verdict on each claim under each reading, by its mark.

    Parameters
    ----------
    verdicts : DataFrame
        As from `verdicts_under`.

    Returns
    -------
    DataFrame
        reading, and a column for each claim; empty text where a reading has no verdict.
    """
    marks = verdicts.assign(mark=verdicts["answer"].map(MARKS))
    wide = marks.pivot_table(index="reading", columns="claim", values="mark", aggfunc="first", sort=False)
    return wide.fillna("").reset_index()
