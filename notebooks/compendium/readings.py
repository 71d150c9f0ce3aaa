"""Readings: settings that a paper leaves open. Each has a name and changes some parameters of the experiments.

The module ``readings`` of a paper declares them as dictionaries, and measures its experiments under each of them::

    READINGS = {"default": {}, "one neighbor": {"n_neighbors": 1}}

    tables = sweep(measure, {"reading": READINGS})

Its module ``summaries`` judges the tables: ``verdicts(tables)``, as from `verdicts_under`, and ``DEFAULT_READING``, the
name of the reading that the other pages have.
"""

from itertools import product

import numpy as np
import pandas as pd

from compendium.verdicts import claims_needing

COLUMNS = ("answer", "words", "marks", "evidence", "what", "estimate", "n", "above", "below")
FIRST = COLUMNS[4:]  # of the first primary statement


def sweep(measure, axes):
    """Measure tables under every combination of settings.

    Parameters
    ----------
    measure : callable
        Such as an `Experiment` or a function: takes the changed parameters as keywords, and returns a dict of tables.
    axes : dict of str to dict of (object to dict)
        For each column that identifies a setting: the changed parameters by the setting's name.

    Returns
    -------
    dict of str to DataFrame
        The tables of all combinations under each other, with a last column for each axis.
    """
    parts = {}
    for combination in product(*(settings.items() for settings in axes.values())):
        names = dict(zip(axes, (name for name, _ in combination), strict=True))
        changed = {parameter: value for _, changes in combination for parameter, value in changes.items()}
        for table, frame in measure(**changed).items():
            parts.setdefault(table, []).append(frame.assign(**names))
    return {table: pd.concat(frames, ignore_index=True) for table, frames in parts.items()}


def by_reading(tables):
    """Each reading with its part of the tables that have a column ``reading``.

    Parameters
    ----------
    tables : dict of str to DataFrame

    Yields
    ------
    (str, dict of str to DataFrame)
        Readings in the order in which the tables first have them.
    """
    parts = {}
    for table, frame in tables.items():
        for reading, part in frame.groupby("reading", sort=False):
            parts.setdefault(reading, {})[table] = part
    yield from parts.items()


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
        reading, claim, answer, words, marks, evidence; what, estimate, n, above and below of the first primary
        statement.
    """
    rows = [
        {"reading": reading, "claim": claim_id}
        | {name: getattr(verdict, name) for name in COLUMNS if name not in FIRST}
        | {name: getattr(row, name) for row in verdict.primary[:1] for name in FIRST}
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
