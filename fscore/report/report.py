"""From a file to the report: reads, looks for traps, selects, scores, writes."""

import hashlib
import platform
import shlex
import sys
import time as clock
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from fscore import __version__
from fscore.datasets.table import read_table
from fscore.report.findings import Findings, findings
from fscore.report.models import MODELS
from fscore.report.outputs import RECORD, choose_folder, rebuild_lines, write_files
from fscore.report.page import page
from fscore.report.problem import Problem, pose
from fscore.report.rankings import METHODS, OWN
from fscore.report.running import Record, default_jobs, run_all, to_stderr
from fscore.report.target import find_column
from fscore.report.traps import counted
from fscore.report.work import Settings, Work

__all__ = ["Report", "report"]

LARGEST_SEED = 2**32 - 5
_FOREST = 60.0  # seconds; a smaller budget leaves the forest out


class Report(NamedTuple):
    """A report that was written.

    Attributes
    ----------
    folder : Path
        Holds ``report.html``, ``selected_features.csv``, ``model.joblib``, ``rebuild.py`` and ``computed.json``.
    found : Findings
        What it says.
    problem : Problem
        What was asked, with the traps in the data.
    """

    folder: Path
    found: Findings
    problem: Problem


def report(
    csv: str | PathLike[str],
    target: str,
    *,
    out: str | PathLike[str] | None = None,
    within: str | PathLike[str] | None = None,
    encoding: str | None = None,
    task: Literal["classification", "regression"] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    groups: str | None = None,
    time: str | None = None,
    methods: Sequence[str] | None = None,
    max_features: int | None = None,
    cost: str | PathLike[str] | Mapping[str, float] | None = None,
    budget: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    show: bool | None = None,
) -> Report:
    """Write a report on a CSV file: which columns to use, with what score, and what is wrong with the data.

    Parameters
    ----------
    csv : str or path-like
    target : str
        Column to predict.
    out : str or path-like, optional
        Folder for the results; by default the file's name with ``_report``. If that holds the report of another file
        or of other settings, it is the first free one with a number: ``_report_2`` and so on.
    within : str or path-like, optional
        Folder that the default folder is in; the working directory by default.
    encoding : str, optional
        Of the file, such as "cp1251"; by default found.
    task : {"classification", "regression"}, optional
        By default found from the target.
    drop, keep : sequence of str
        Columns to leave out, and columns to keep although they predict the target alone or look like an identifier.
    groups, time : str, optional
        Column that says which rows belong together, and column of time. By default they are looked for; "none" turns
        that off.
    methods : sequence of str, optional
        Some of `METHODS`; by default the one that goes with the better model, with the others beside it.
    max_features : int, optional
    cost : str, path-like or dict, optional
        Cost of each column (a CSV file with the columns ``column`` and ``cost``): the cheapest set within one standard
        error is selected instead of the smallest. Columns not listed cost 1.
    budget : float, optional
        Seconds. A first answer from few rows is always computed; what is then not finished in time is left out. With
        less than a minute, the forest is no model to choose.
    seed : int, default=0
        At most 4294967291: steps of the work add up to 4 to it, and random states take 32 bits.
    n_jobs : int, optional
        Processes; by default, or if -1, one per processor.
    show : bool, optional
        Show progress on the error stream; by default on a terminal.

    Returns
    -------
    Report

    Raises
    ------
    FileNotFoundError
        No such file.
    ValueError
        The file, the target or an option can't be used, or `out` holds another report or other files of the same names;
        one sentence says why.
    """
    if not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"--seed={seed} must be between 0 and {LARGEST_SEED}.")
    if n_jobs is not None and n_jobs < 1 and n_jobs != -1:
        raise ValueError(f"--jobs={n_jobs} must be at least 1, or -1 for one per processor.")
    start = clock.time()
    say = to_stderr if (sys.stderr.isatty() if show is None else show) else None
    csv = Path(csv).expanduser()
    table = read_table(csv, encoding)
    if say:
        rows, columns = table.frame.shape
        say(f"{csv.name}: {counted(rows, 'row')}, {counted(columns, 'column')}; looking for traps")
    problem = pose(table, target, task=task, drop=drop, keep=keep, groups=groups, time=time)
    methods = _methods(methods)
    if max_features is not None and max_features < 1:
        raise ValueError(f"--max-features={max_features} must be at least 1.")
    problem.cost = None if cost is None else _costs(cost, problem, table.frame.columns)
    settings = Settings(problem.task, methods, max_features, seed, problem.cost)
    given = {"task": task, "drop": list(drop), "keep": list(keep), "groups": groups, "time": time}
    options = {name: value for name, value in given.items() if value}
    more = {
        "encoding": encoding,
        "seed": seed,
        "methods": ",".join(methods),
        "max-features": max_features,
        "cost": None if isinstance(cost, Mapping) else cost,
        "budget": budget and f"{np.format_float_positional(budget, trim='-')}s",
    }
    sha256 = hashlib.sha256(csv.read_bytes()).hexdigest()
    key = Record.key_of(sha256, (tuple(settings), target, encoding, sorted(options.items())))
    folder = choose_folder(out, Path(within or "") / f"{csv.stem}_report", key)
    models = [name for name in MODELS if name != "forest" or budget is None or budget >= _FOREST]
    record = Record(folder / RECORD, key, models)
    work = Work(problem, settings, None if budget is None else start + budget, record.models)
    stopped = run_all(work, record, n_jobs=default_jobs() if n_jobs in (None, -1) else n_jobs, say=say)
    if not {"select", "quick"} & set(record.results):
        raise KeyboardInterrupt("interrupted before anything was found; the same command starts again.")
    found = findings(problem, work, record.results, stopped)
    run = {
        "file": csv.name,
        "sha256": sha256,
        "command": _command(csv, {"target": target, "out": out if within is None else folder, **options, **more}),
        "settings": _listed(settings, options, work),
        "seconds": sum(record.seconds.values()),
        "versions": _versions(),
        "stopped": stopped,
        "left": [name for name in work.plan() if name not in record.results],
        "notes": table.notes,
        "rebuild": rebuild_lines(csv.resolve(), problem, found, options, encoding),
    }
    write_files(folder, page(problem, work, found, run), run["rebuild"], problem, found)
    return Report(folder, found, problem)


def _methods(methods):
    if unknown := [name for name in methods or () if name not in METHODS]:
        raise ValueError(f"--methods: {', '.join(unknown)} is unknown; known are {', '.join(METHODS)}.")
    return tuple(dict.fromkeys(methods or ()))


def _costs(cost, problem, columns):
    """Cost of each column to choose from; other columns of the file may be listed, too."""
    known = list(dict.fromkeys([*columns, *problem.columns]))
    by_name = {}
    for given, value in cost.items() if isinstance(cost, Mapping) else _read_costs(cost):
        number = pd.to_numeric(value, errors="coerce")
        if not (np.isfinite(number) and number >= 0):
            said = repr(value) if np.isnan(number) else number
            raise ValueError(f"--cost: {given!r} costs {said}; a cost is a number, zero or more.")
        name = find_column(given, known, "--cost")
        if name in by_name:
            raise ValueError(f"--cost: {name!r} is listed twice; list every column once.")
        by_name[name] = float(number)
    return tuple(
        by_name.get(name, sum(by_name.get(member, 1.0) for member in problem.members(name))) for name in problem.columns
    )


def _read_costs(file):
    """Pairs of a column and its cost as text."""
    try:
        listed = read_table(file)
    except (ValueError, FileNotFoundError) as error:
        raise type(error)(f"--cost: {error}") from None
    if missing := {"column", "cost"} - set(listed.frame):
        raise ValueError(f"--cost: the file has no column {', '.join(sorted(missing))}.")
    cost, read = listed.frame["cost"], listed.types["cost"].read(listed.frame["cost"])
    return zip(listed.frame["column"], read.where(read.notna(), cost), strict=True)


def _command(csv, given):
    """The command that makes the report again; a value that looks like an option is joined to its own."""
    words = ["python", "-m", "fscore", "report", str(csv)]
    for name, value in given.items():
        for one in map(str, value if isinstance(value, list) else [value] if value else []):
            words += [f"--{name}={one}"] if one.startswith("-") else [f"--{name}", one]
    return shlex.join(words)


def _listed(settings, options, work):
    return {
        "task": settings.task,
        "models": ", ".join(MODELS[name] for name in work.models),
        "ranking": ", ".join(settings.methods or [f"{OWN[model]} for {model}" for model in work.models]),
        "seed": settings.seed,
        "outer folds": len(work.outer),
        "rows in selection and scoring": len(work.y),
        **{f"--{name}": value for name, value in options.items()},
    }


def _versions():
    others = {name: version(name) for name in ("numpy", "pandas", "scikit-learn")}
    return {"fscore": __version__, "Python": platform.python_version(), **others}
