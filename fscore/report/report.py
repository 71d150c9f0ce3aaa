"""From a file to the report: reads, looks for issues, selects, scores, writes; resumes after an interruption."""

import hashlib
import json
import os
import shlex
import sys
import tempfile
import time as clock
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib.metadata import version
from itertools import chain, count
from numbers import Integral
from os import PathLike
from pathlib import Path
from threading import Event, Thread
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from fscore import __version__
from fscore._files import write_atomically
from fscore._interrupts import ctrl_c_ignored
from fscore._jobs import n_workers
from fscore.datasets.table import read_table
from fscore.report.analysis import Analysis, BudgetSpent, Settings
from fscore.report.findings import Findings, read_findings
from fscore.report.issues import counted
from fscore.report.outputs import page, rebuild_lines, write_files
from fscore.report.problem import Problem, build_problem
from fscore.report.rankings import METHODS
from fscore.report.target import find_column

__all__ = ["Record", "Report", "report"]

LARGEST_SEED = 2**32 - 5
_FORMAT = 12  # of the record, and of the rules by which it was computed
RECORD = "computed.json"
_FILES = ("report.html", "report.json", "selected_features.csv", "model.joblib", "rebuild.py", RECORD)


class Report(NamedTuple):
    """A report that was written.

    Attributes
    ----------
    folder : Path
        Holds ``report.html``, ``report.json``, ``selected_features.csv``, ``model.joblib``, ``rebuild.py`` and
        ``computed.json``.
    findings : Findings
        What it says.
    problem : Problem
        What was asked, with the issues in the data.
    """

    folder: Path
    findings: Findings
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
        error is selected instead of the smallest. Columns not listed cost 1. Sets of one ranking contain each other,
        so costs matter where some are 0, or where several `methods` are compared.
    budget : float, optional
        Seconds. A first answer from few rows is always computed; what is then not finished in time is left out.
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
    if not (isinstance(seed, Integral) and 0 <= seed <= LARGEST_SEED):
        raise ValueError(f"--seed={seed} must be a whole number between 0 and {LARGEST_SEED}.")
    n_jobs = n_workers(-1 if n_jobs is None else n_jobs, "--jobs")
    start = clock.time()
    shown = sys.stderr.isatty() if show is None else show
    say = partial(print, file=sys.stderr, flush=True) if shown else lambda line: None
    csv = Path(csv).expanduser()
    say(f"reading {csv.name}")
    table = read_table(csv, encoding)
    say(f"{counted(len(table.frame), 'row')}, {counted(len(table.types), 'column')}; looking for issues")
    drop, keep, methods = ([names] if isinstance(names, str) else list(names or ()) for names in (drop, keep, methods))
    options = {"task": task, "drop": drop, "keep": keep, "groups": groups, "time": time}
    options = {name: value for name, value in options.items() if value}
    problem = build_problem(table, target, **options)
    methods = tuple(dict.fromkeys(methods))
    if unknown := [name for name in methods if name not in METHODS]:
        raise ValueError(f"--methods={', '.join(unknown)!r} is unknown; known are {', '.join(METHODS)}.")
    if max_features is not None and not (isinstance(max_features, Integral) and max_features >= 1):
        raise ValueError(f"--max-features={max_features} must be a whole number, at least 1.")
    costs = None if cost is None else _costs(cost, problem, table.frame.columns)
    settings = Settings(problem.task, methods, max_features, seed, costs)
    sha256 = hashlib.sha256(csv.read_bytes()).hexdigest()
    depends = sha256, (tuple(settings), target, encoding, sorted(options.items())), __version__, _FORMAT
    key = hashlib.sha256(repr(depends).encode()).hexdigest()
    folder = choose_folder(out, Path(within or "") / f"{csv.stem}_report", key)
    record = Record(folder / RECORD, key)
    record.write()  # a folder that can't be written is found before the work
    analysis = Analysis(problem, settings, None if budget is None else start + budget)
    stopped = run_all(analysis, record, n_jobs=n_jobs, show=shown)
    if not {"select", "quick"} & set(record.results):
        raise KeyboardInterrupt("interrupted before anything was found; the same command starts again.")
    findings = read_findings(problem, analysis, record.results, stopped)
    command = {"target": target, "out": _name(out if within is None else folder), **options}
    command |= {"encoding": encoding, "seed": seed, "methods": ",".join(methods), "max-features": max_features}
    seconds = budget and f"{np.format_float_positional(budget, trim='-')}s"
    command |= {"cost": None if isinstance(cost, Mapping) else _name(cost), "budget": seconds}
    run = {
        "file": csv.name,
        "sha256": sha256,
        "command": _command(csv.name, command),
        "options": options,
        "seconds": sum(record.seconds.values()),
        "versions": {"fscore": __version__, "Python": sys.version.split()[0]}
        | {name: version(name) for name in ("numpy", "pandas", "scikit-learn")},
        "left": analysis.missing(record.results),
        "notes": table.notes,
        "rebuild": rebuild_lines(csv.name, problem, findings, options, encoding),
    }
    lines = rebuild_lines(csv.resolve(), problem, findings, options, encoding)
    write_files(folder, page(problem, analysis, findings, run), lines, problem, findings, run)
    return Report(folder, findings, problem)


def _costs(cost, problem, columns):
    """Cost of each column to choose from; other columns of the file may be listed, too."""
    known = list(dict.fromkeys([*columns, *problem.columns]))
    by_name = {}
    for column, value in cost.items() if isinstance(cost, Mapping) else _read_costs(cost):
        number = pd.to_numeric(value, errors="coerce")
        if not (np.isfinite(number) and number >= 0):
            raise ValueError(f"--cost: {column!r} costs {value!r}; a cost is a number, zero or more.")
        name = find_column(column, known, "--cost")
        if name in by_name:
            raise ValueError(f"--cost: {name!r} is listed twice; list every column once.")
        by_name[name] = float(number)
    return tuple(by_name.get(n, sum(by_name.get(m, 1.0) for m in problem.source_columns(n))) for n in problem.columns)


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


def _name(path):
    """Its last part: a page is shared, and doesn't show where the files are."""
    return path and (Path(path).name or str(path))


def _command(file, options):
    """The command that makes the report again; a value that looks like an option is joined to its own."""
    words = ["python", "-m", "fscore", "report", file]
    for name, value in options.items():
        for one in map(str, value if isinstance(value, list) else [value] if value else []):
            words += [f"--{name}={one}"] if one.startswith("-") else [f"--{name}", one]
    return shlex.join(words)


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
        same = [f for f in default.parent.glob("*") if f.name.startswith(default.name) and _stored(f / RECORD, key)]
        numbered = (default.with_name(f"{default.name}_{number}") for number in count(2))
        free = (f for f in chain([default], numbered) if not f.exists() or (f.is_dir() and not _taken(f)))
        return min(same, default=None) or next(free)
    if not str(out):
        raise ValueError("--out='' is not a folder; name one, or leave --out away.")
    folder = Path(out).expanduser()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--out={str(folder)!r} is a file; name a folder.")
    if _stored(folder / RECORD, key) or not (names := _taken(folder)):
        return folder
    replaced = f"{', '.join(names)}, which the report would replace"
    what = "the report of another file or of other settings" if RECORD in names else replaced
    raise ValueError(f"--out={str(folder)!r} holds {what}; name another folder.")


def _taken(folder):
    return [name for name in _FILES if (folder / name).exists()]


class Record:
    """Results of steps, kept in a file that is replaced at once after every step.

    Parameters
    ----------
    file : Path
    key : str
        Results of another key are not used: it stands for the file, the settings and the version.
    """

    def __init__(self, file, key):
        self.file = file
        self.content = _stored(file, key) or {"key": key, "results": {}, "seconds": {}}
        self.results, self.seconds = self.content["results"], self.content["seconds"]

    def add(self, name, result, seconds):
        """Keep a result, unless it is None."""
        if result is not None:
            self.results[name], self.seconds[name] = result, round(seconds, 3)
            self.write()

    def write(self):
        """Write what there is."""
        write_atomically(self.file, json.dumps(self.content))


def _stored(file, key):
    """What a record of this key holds; None if the file isn't there, is broken, or is another record."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return content if content["key"] == key else None
    except (ValueError, KeyError, TypeError, OSError):
        return None


def run_all(analysis, record, *, n_jobs, show):
    """Compute all steps that the record lacks.

    Parameters
    ----------
    analysis : Analysis
        With a deadline, the first step is a quick answer, which is always computed.
    record : Record
    n_jobs : int
    show : bool
        Show progress on the error stream.

    Returns
    -------
    {None, "budget", "interrupt"}
        Why it ended early, if it did.
    """
    plan = analysis.plan(quick=analysis.deadline is not None)
    todo = [name for name in plan if name not in record.results]
    try:
        with _progress(analysis, len(todo), show) as bar:
            if "quick" in todo:
                record.add(*_timed(analysis, "quick"))
                bar.update()
            for needs_selection in (False, True):
                steps = [name for name in todo if name != "quick" and analysis.needs_selection(name) == needs_selection]
                selected = record.results.get("select")
                if needs_selection and selected is None:
                    break
                pool = Parallel(
                    n_jobs=max(1, min(n_jobs, len(steps))), return_as="generator_unordered", pre_dispatch="n_jobs"
                )
                with ctrl_c_ignored():
                    results = pool(delayed(_timed)(analysis, name, selected) for name in steps)
                for result in results:
                    record.add(*result)
                    bar.update()
    except KeyboardInterrupt:
        return "interrupt"
    return "budget" if set(plan) - set(record.results) else None


@contextmanager
def _progress(analysis, n_steps, show):
    """A bar of steps; beside it, the number of models that all processes have fitted within them."""
    with (
        tempfile.NamedTemporaryFile() if show else nullcontext() as counter,
        tqdm(unit="step", desc="choosing and scoring", total=n_steps, disable=not show) as bar,
    ):
        analysis.counter, finished = counter and counter.name, Event()

        def watch():
            while not finished.wait(1):
                n_models = os.path.getsize(counter.name)
                bar.set_postfix_str(f"{n_models:,} models fitted" if n_models else "starting processes")

        watcher = Thread(target=watch, daemon=True)
        if show:
            watcher.start()
        try:
            yield bar
        finally:
            finished.set()
            if show:
                watcher.join()
            analysis.counter = None


def _timed(analysis, name, selected=None):
    """One step, by one thread: on few rows more cost more than they give. None as its result where the time is up."""
    start = clock.perf_counter()
    try:
        with threadpool_limits(1):
            return name, analysis.run(name, selected), clock.perf_counter() - start
    except BudgetSpent:
        return name, None, 0.0
