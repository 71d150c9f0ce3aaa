"""The folder of a report, and the files beside the page: columns, the fitted pipeline, the lines that rebuild it."""

import io
import os
import re
from itertools import chain, count
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

from fscore._files import write_together
from fscore.report.models import make_model
from fscore.report.running import Record
from fscore.report.templates import render
from fscore.search import redundancy_groups

__all__ = [
    "RECORD",
    "by_rank",
    "choose_folder",
    "final_model",
    "rebuild_lines",
    "selected_features",
    "substitutes",
    "write_files",
]

RECORD = "computed.json"
ALIKE = 0.8  # absolute rank correlation from which a column may stand in for another
_FILES = ("report.html", "selected_features.csv", "model.joblib", "rebuild.py", RECORD)


def choose_folder(out, default, key):
    """The folder of a report: the one with its record, or one where it replaces nothing.

    Parameters
    ----------
    out : str, path-like or None
        As given by the user.
    default : Path
        Without `out`, the folder is this one, or the first free one with a number behind its name.
    key : str
        Of the record: see `Record`.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If `out` holds other files of these names, or can't be a folder.
    """
    if out is None:
        return _own(default, key) or _free(default)
    if not os.fspath(out):
        raise ValueError("--out='' is no folder; name one, or leave --out away.")
    folder = Path(out).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--out={str(folder)!r} is a file; name a folder.")
    if Record.has(folder / RECORD, key) or not (taken := _taken(folder)):
        return folder
    what = "the report of another file or of other settings"
    if RECORD not in taken:
        what = f"{', '.join(taken)}, which the report would replace"
    raise ValueError(f"--out={str(folder)!r} holds {what}; name another folder.")


def _own(default, key):
    """The folder that has the record; None if there is none."""
    if not default.parent.is_dir():
        return None
    name = re.compile(re.escape(default.name) + r"(_\d+)?")
    named = [folder for folder in default.parent.iterdir() if name.fullmatch(folder.name)]
    return min((folder for folder in named if Record.has(folder / RECORD, key)), default=None)


def _free(default):
    """The first folder that is not there, or has no file of a report."""
    numbered = (default.with_name(f"{default.name}_{number}") for number in count(2))
    folders = chain([default], numbered)
    return next(folder for folder in folders if not folder.exists() or (folder.is_dir() and not _taken(folder)))


def _taken(folder):
    return [name for name in _FILES if (folder / name).exists()]


def selected_features(problem, found):
    """One row per column to choose from, the selected ones first.

    Parameters
    ----------
    problem : Problem
    found : Findings

    Returns
    -------
    DataFrame
        Columns ``name``, ``columns`` (of the file), ``kind``, ``selected`` (in the model), ``smallest`` (in the
        smallest good set), ``frequency`` with its interval, ``effect`` with its interval, and ``instead``: columns that
        order the rows alike.
    """
    instead, columns = substitutes(problem, found), by_rank(found, len(problem.columns))
    table = pd.DataFrame({"name": [problem.columns[column] for column in columns]}, index=columns)
    table["columns"] = ["; ".join(problem.members(name)) for name in table["name"]]
    table["kind"] = table["name"].map(problem.kinds)
    for what, some in (("selected", found.recommended), ("smallest", found.small)):
        table[what] = np.where(table.index.isin(some), "yes", "no")
    for what, values, digits in (("frequency", found.frequency, 4), ("effect", found.effects, 5)):
        ends = np.array([values.get(column, [np.nan] * 3) for column in columns])
        table[[what, f"{what}_lower", f"{what}_upper"]] = ends.round(digits)
    table["instead"] = ["; ".join(instead.get(column, ())) for column in columns]
    return table.reset_index(drop=True)


def by_rank(found, n_columns):
    """All columns: the selected ones, then the others by how often they were selected again."""
    rest = [column for column in range(n_columns) if column not in set(found.columns)]
    return [*found.columns, *sorted(rest, key=lambda column: -found.frequency.get(column, (0,))[0])]


def substitutes(problem, found):
    """Names of columns outside the selection that order the rows like one in it, by that one."""
    numbers = [k for k, name in enumerate(problem.columns) if problem.kinds[name] not in ("category", "text")]
    chosen = [numbers.index(column) for column in found.columns if column in numbers]
    if not chosen or len(problem.y) < 3:
        return {}
    X = problem.X.iloc[problem.drawn, numbers]
    groups = redundancy_groups(X.fillna(X.median()), chosen, threshold=ALIKE)
    return {
        numbers[place]: [problem.columns[numbers[other]] for other in alternatives]
        for selected, alternatives in zip(groups["selected"], groups["alternatives"], strict=True)
        for place in selected
        if alternatives
    }


def final_model(problem, found):
    """The pipeline from text to prediction with the recommended columns, fitted on all rows in use.

    Parameters
    ----------
    problem : Problem
    found : Findings

    Returns
    -------
    Pipeline
    """
    names, categories = _needed(problem, found)
    types = {name: problem.types[name] for name in names}
    return make_model(found.model, types, problem.task, categories=categories).fit(problem.table, problem.labels())


def _needed(problem, found):
    """The columns of the file that the final model takes, and those of each category made of several."""
    names = [problem.columns[column] for column in sorted(found.recommended)]
    members = [member for name in names for member in problem.members(name)]
    categories = {name: list(problem.categories[name]) for name in names if name in problem.categories}
    return members, categories or None


def rebuild_lines(path, problem, found, options, encoding=None):
    """Python that makes the final model again.

    Parameters
    ----------
    path : Path
    problem : Problem
    found : Findings
    options : dict
        Arguments of `pose` that differ from their defaults.
    encoding : str, optional
        Of the file, if it was given.

    Returns
    -------
    str
    """
    names, categories = _needed(problem, found)
    return render(
        "rebuild.txt",
        path=repr(str(path)),
        encoding=encoding and repr(encoding),
        target=repr(problem.target.name),
        options=[(name, repr(value)) for name, value in options.items()],
        columns=list(map(repr, names)),
        model=repr(found.model),
        task=repr(problem.task),
        categories=categories and repr(categories),
    )


def write_files(folder, page, lines, problem, found):
    """Write the page, the list of columns, the model and the lines that rebuild it: all of them, or none.

    Parameters
    ----------
    folder : Path
    page, lines : str
    problem : Problem
    found : Findings
    """
    model = io.BytesIO()
    joblib.dump(final_model(problem, found), model)
    contents = {
        "report.html": page,
        "selected_features.csv": selected_features(problem, found).to_csv(index=False),
        "rebuild.py": lines,
        "model.joblib": model.getvalue(),
    }
    write_together({folder / name: content for name, content in contents.items()})
