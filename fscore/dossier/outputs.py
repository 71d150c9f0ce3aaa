"""The files beside the page: the list of columns, the fitted pipeline, and the lines that rebuild it."""

import os

import joblib
import pandas as pd

from fscore._files import write_atomically
from fscore.dossier.pipelines import final_kinds, final_model, final_steps

__all__ = ["rebuild_lines", "selected_features", "substitutes", "write_files"]


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


def write_model(file, fitted):
    """Write a fitted pipeline, at once or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    joblib.dump(fitted, temporary)
    os.replace(temporary, file)


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


def write_files(folder, path, problem, found, options):
    """Write the list of columns, the model and the lines that rebuild it.

    Parameters
    ----------
    folder, path : Path
    problem : Problem
    found : Findings
    options : dict
    """
    write_atomically(folder / "selected_features.csv", selected_features(problem, found).to_csv(index=False))
    write_atomically(folder / "rebuild.py", rebuild_lines(path, problem, found, options))
    write_model(folder / "model.joblib", final_model(problem, found))
