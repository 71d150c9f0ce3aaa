"""How many printed numbers are found again: every comparison of every paper, counted by table.

A paper takes part if its module ``printed`` has a function ``comparisons(tables)``: it maps all tables of the paper's
experiments, by name (``experiment.name`` where several have a table of that name), to one comparison for each printed
table (see `compendium.published.compare`), with one row for each printed number and a column ``item`` that names it.
"""

from collections import Counter

import pandas as pd
from scipy.stats import false_discovery_control

from compendium.experiment import experiment_of
from compendium.papers import papers
from compendium.parts import part_of
from compendium.published import LEVEL, UNEXPLAINED, explained

__all__ = ["COLUMNS", "all_comparisons", "beyond_chance", "scoreboard"]

COLUMNS = ["paper", "table", "item", "published", "reproduced", "error", "difference", "errors", "p", "agrees"]
REASONS = ["cause", "explanation"]
COUNTS = ["printed", "comparable", "agree", "explained", "unexplained"]


def all_comparisons(tables):
    """Every printed number of every paper with ours.

    Parameters
    ----------
    tables : dict of str to (dict of str to DataFrame)
        Tables by name, by notebook, as from `compendium.results.shown_tables`. Papers of which an experiment's table is
        missing are left out.

    Returns
    -------
    DataFrame
        `COLUMNS`, cause and explanation; one row per printed number.
    """
    found = []
    for paper in papers().values():
        own = _tables(paper, tables)
        comparisons = getattr(part_of(paper.key, "printed"), "comparisons", None)
        if own is None or comparisons is None:
            continue
        for label, comparison in comparisons(own).items():
            frame = explained(comparison.reset_index(drop=True), paper.key, label)
            found.append(frame.assign(paper=paper.key, table=label)[[*COLUMNS, *REASONS]])
    if not found:
        return pd.DataFrame(columns=[*COLUMNS, *REASONS])
    return pd.concat([frame.astype({"agrees": object}) for frame in found], ignore_index=True)


def _tables(paper, tables):
    """All tables of a paper's experiments by name; None if one is missing."""
    own, names = {}, Counter(name for notebook in paper.pages for name in experiment_of(notebook).tables)
    for notebook in paper.pages:
        found = tables.get(notebook, {})
        if set(experiment_of(notebook).tables) - set(found):
            return None
        experiment = notebook.removeprefix(f"{paper.key}_")
        for name, table in found.items():
            own[name if names[name] == 1 else f"{experiment}.{name}"] = table
    return own


def beyond_chance(comparisons):
    """Which numbers differ by more than chance would make some of so many differ.

    Of the numbers that are compared by a standard error, those that the procedure of Benjamini and Hochberg (1995)
    finds at a false discovery rate of 5 %; and all others that differ, because no chance is known for them.

    Parameters
    ----------
    comparisons : DataFrame
        As from `all_comparisons`.

    Returns
    -------
    Series of bool
    """
    by_error = _by_error(comparisons)
    beyond = comparisons["agrees"].eq(False)
    beyond[by_error] &= false_discovery_control(comparisons.loc[by_error, "p"]) <= LEVEL
    return beyond


def _by_error(comparisons):
    """Which numbers are compared by a standard error."""
    return comparisons["agrees"].notna() & comparisons["error"].gt(0)


def scoreboard(comparisons):
    """Count the printed numbers by paper and table.

    Parameters
    ----------
    comparisons : DataFrame
        As from `all_comparisons`.

    Returns
    -------
    DataFrame
        paper, table, printed (numbers), comparable (those that we have a value for), agree, explained and unexplained
        (those that differ, with and without a recorded explanation); by_chance, how many numbers would differ on
        average if all that are compared by a standard error were equal; and beyond_chance, how many of the unexplained
        `beyond_chance` finds.
    """
    differs = comparisons["agrees"].eq(False)
    flags = pd.DataFrame(
        {
            "printed": True,
            "comparable": comparisons["agrees"].notna(),
            "agree": comparisons["agrees"].eq(True),
            "explained": differs & comparisons["cause"].ne(UNEXPLAINED),
            "unexplained": differs & comparisons["cause"].eq(UNEXPLAINED),
        },
        index=comparisons.index,
    )
    flags["by_chance"] = LEVEL * _by_error(comparisons)
    flags["beyond_chance"] = flags["unexplained"] & beyond_chance(comparisons)
    counts = flags.groupby([comparisons["paper"], comparisons["table"]], sort=False).sum()
    return counts.astype(dict.fromkeys([*COUNTS, "beyond_chance"], int)).reset_index()
