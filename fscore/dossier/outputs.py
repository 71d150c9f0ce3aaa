"""The folder of a report, and the files beside the page: columns, the fitted pipeline, the lines that rebuild it."""

import io
import os
import re
from itertools import chain, count
from pathlib import Path

import joblib
import pandas as pd

from fscore._files import write_together
from fscore.dossier.pipelines import final_kinds, final_model, final_steps
from fscore.dossier.running import Record

__all__ = ["RECORD", "choose_folder", "rebuild_lines", "selected_features", "substitutes", "write_files"]

RECORD = "computed.json"
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
    """One row per unit, the selected ones first.

    Parameters
    ----------
    problem : Problem
    found : Findings

    Returns
    -------
    DataFrame
        Columns ``name``, ``columns``, ``kind``, ``selected``, ``frequency`` with its interval, ``effect`` with its
        interval, and ``instead``: columns that do as well within one standard error.
    """
    vote = found.ranks.get("vote") or next(iter(found.ranks.values()))
    order = [*found.units, *(unit for unit in vote if unit not in set(found.units))]
    order += [unit for unit in range(len(problem.units)) if unit not in set(order)]
    rows = []
    for unit in order:
        named = problem.units[unit]
        frequency, effect = found.frequency.get(unit), found.effects.get(unit)
        rows.append(
            {
                "name": named.name,
                "columns": "; ".join(named.columns),
                "kind": problem.kinds[named.columns[0]] if len(named.columns) == 1 else "category",
                "selected": "yes" if unit in found.recommended else "no",
                "frequency": frequency and round(frequency.share, 4),
                "frequency_lower": frequency and round(frequency.lower, 4),
                "frequency_upper": frequency and round(frequency.upper, 4),
                "effect": effect and round(effect.value, 5),
                "effect_lower": effect and round(effect.lower, 5),
                "effect_upper": effect and round(effect.upper, 5),
                "instead": "; ".join(problem.units[v].name for v in substitutes(found, unit)),
            }
        )
    return pd.DataFrame(rows)


def substitutes(found, unit):
    """Units outside the selection that do as well within one standard error."""
    return [v for v, _, change, error in found.near.get(unit, ()) if change is not None and change >= -error]


def rebuild_lines(path, problem, found, options):
    """Python that makes the final model again.

    Parameters
    ----------
    path : Path
    problem : Problem
    found : Findings
    options : dict
        Arguments of `pose` that differ from their defaults.

    Returns
    -------
    str
    """
    kinds, codes = final_kinds(problem, found)
    *before, estimator = final_steps(problem, found)
    own = ", ".join(sorted(["ColumnTypes", "encoder", "pose", "read_text", *(type(step).__name__ for step in before)]))
    steps = ", ".join(map(repr, [*before, estimator]))
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    listed = "".join(f"    {name!r}: {kind!r},\n" for name, kind in kinds.items())
    missing = f", missing={codes!r}" if codes else ""
    return f'''"""Makes the model of the report again, and uses it."""

from sklearn.pipeline import make_pipeline
from {type(estimator).__module__.rpartition(".")[0]} import {type(estimator).__name__}

from fscore.dossier import {own}

table = read_text({str(path)!r})
problem = pose(table, {problem.target.name!r}{given})
kinds = {{
{listed}}}
model = make_pipeline(ColumnTypes(kinds{missing}), encoder(kinds), {steps})
model.fit(table.iloc[problem.rows], problem.labels())
print(model.predict(table.iloc[:5]))
'''


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
