"""How many printed numbers are found again: every comparison of every paper, counted by table.

A paper takes part if its module ``printed`` has a function ``comparisons(tables)``: it maps all tables of the paper's
experiments, by name (``experiment.name`` where several have a table of that name), to one comparison for each printed
table (see `compendium.published.compare`), with one row for each printed number and a column ``item`` that names it.
"""

import importlib
import importlib.util
from collections import Counter

import pandas as pd

from compendium.experiment import experiment_of
from compendium.frames import from_json
from compendium.papers import papers
from compendium.published import UNEXPLAINED, explained

__all__ = ["COLUMNS", "all_comparisons", "scoreboard"]

COLUMNS = ["paper", "table", "item", "published", "reproduced", "error", "difference", "errors", "agrees"]
COUNTS = ["printed", "comparable", "agree", "explained", "unexplained"]


def all_comparisons(results):
    """Every printed number of every paper with ours.

    Parameters
    ----------
    results : dict of str to dict
        Results by notebook, as from `compendium.results.read_results`. Papers without the results of all their
        experiments are left out.

    Returns
    -------
    DataFrame
        `COLUMNS`, cause and explanation; one row per printed number.
    """
    found = [pd.DataFrame(columns=[*COLUMNS, "cause", "explanation"])]
    for paper in papers().values():
        tables = _tables(paper, results)
        if tables is None or importlib.util.find_spec(f"{paper.key}.printed") is None:
            continue
        comparisons = getattr(importlib.import_module(f"{paper.key}.printed"), "comparisons", lambda tables: {})
        for label, comparison in comparisons(tables).items():
            frame = explained(comparison.reset_index(drop=True), paper.key, label)
            found.append(frame.assign(paper=paper.key, table=label)[[*COLUMNS, "cause", "explanation"]])
    return pd.concat([frame for frame in found if len(frame)] or found, ignore_index=True)


def _tables(paper, results):
    """All tables of a paper's experiments by name; None if one is missing."""
    tables, names = {}, Counter(name for notebook in paper.pages for name in experiment_of(notebook).tables)
    for notebook in paper.pages:
        content = results.get(notebook, {}).get("tables", {})
        if set(experiment_of(notebook).tables) - set(content):
            return None
        experiment = notebook.removeprefix(f"{paper.key}_")
        for name, table in content.items():
            tables[name if names[name] == 1 else f"{experiment}.{name}"] = from_json(table)
    return tables


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
        (those that differ, with and without a recorded explanation).
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
    by = [comparisons["paper"], comparisons["table"]]
    return flags.groupby(by, sort=False)[COUNTS].sum().astype(int).reset_index()
