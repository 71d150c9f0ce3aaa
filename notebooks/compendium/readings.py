"""Verdicts under the readings of a paper: the settings that it leaves open, each choice a set of tables of its own.

The module ``summaries`` of a paper with an experiment on readings declares how its tables are judged::

    READINGS = Readings("peng2005", default="as on the pages")

    @READINGS.judge
    def verdicts(tables):
        return verdicts_under("peng2005", ((name, part) for name, part in ...))
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from compendium.parts import part_of
from compendium.verdicts import claims_needing

COLUMNS = ("answer", "words", "marks", "evidence")

_DECLARED = {}


@dataclass
class Readings:
    """How the readings of a paper are judged.

    Attributes
    ----------
    paper : str
        Key of the paper.
    default : str
        Name of the reading that the other pages have.
    judged : callable or None
        Maps the tables of the experiment ``<paper>_readings`` to verdicts, as from `verdicts_under`.
    """

    paper: str
    default: str = "default"
    judged: Callable | None = None

    def __post_init__(self):
        _DECLARED[self.paper] = self

    def judge(self, function):
        """Declare the function that judges the tables (a decorator)."""
        self.judged = function
        return function


def readings_of(paper):
    """The declaration in a paper's module ``summaries``; None if it has none."""
    part_of(paper, "summaries")
    return _DECLARED.get(paper)


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
        reading, claim, answer, words, marks, evidence.
    """
    rows = [
        {"reading": reading, "claim": claim_id, **{name: getattr(verdict, name) for name in COLUMNS}}
        for reading, tables in readings
        for claim_id, verdict in claims_needing(paper, tables).items()
    ]
    return pd.DataFrame(rows, columns=["reading", "claim", *COLUMNS])


def agreement(compared):
    """How many printed numbers agree with ours, and how far ours are from print, by reading and printed table.

    Parameters
    ----------
    compared : iterable of DataFrame
        As from `compendium.published.compare`, with the columns reading, table (the printed one) and chosen_on (whether
        a default was chosen looking at the number).

    Returns
    -------
    DataFrame
        reading, table, chosen_on, comparable (numbers of which we have one), agree, distance (mean absolute
        difference) and rms (root mean square difference).
    """
    found = pd.concat(compared, ignore_index=True)
    found = found[found["agrees"].notna()]
    found = found.assign(agree=found["agrees"].eq(True), distance=found["difference"].abs())
    groups = found.assign(rms=found["distance"] ** 2).groupby(["reading", "table", "chosen_on"], sort=False)
    means = groups[["distance", "rms"]].mean()
    counts = groups["agree"].agg(comparable="size", agree="sum")
    return counts.join(means.assign(rms=np.sqrt(means["rms"]))).reset_index()


def multiverse(verdicts):
    """The statements of each claim under each reading, by their marks.

    Parameters
    ----------
    verdicts : DataFrame
        As from `verdicts_under`.

    Returns
    -------
    DataFrame
        reading, and a column for each claim; empty text where a reading has no verdict.
    """
    wide = verdicts.pivot_table(index="reading", columns="claim", values="marks", aggfunc="first", sort=False)
    return wide.fillna("").reset_index()
