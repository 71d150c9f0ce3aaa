"""From a table of text to a problem: typed columns, target, and what decides how it may be scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from fscore.datasets.column_type import ColumnType
from fscore.datasets.table import Table
from fscore.datasets.words import any_of
from fscore.report.derived import KINDS, MERGING, derive
from fscore.report.issues import Issue, counted, listed
from fscore.report.names import has_word
from fscore.report.rules_of_groups import groups_of
from fscore.report.rules_of_time import time_of
from fscore.report.stages import STAGES, run_stage
from fscore.report.target import find_column, read_target, refuse_rare

__all__ = ["Problem", "build_problem"]


@dataclass(frozen=True)
class Problem:
    """What is selected from, and how it may be scored. A stage makes a new one of it.

    Attributes
    ----------
    table : DataFrame of text
        The columns of the file except the target and those left out by an option; the rows in use.
    X : DataFrame of shape (n_samples, n_columns)
        The columns to choose from, typed.
    y : ndarray of shape (n_samples,)
        Class numbers, or values.
    target : Target
    rows : ndarray of int
        Rows of the file in use.
    types : dict of str to ColumnType
        How each column of the table is read.
    kinds : dict of str to str
        Kind of each column of the table and of X.
    keep : list of str
        Columns that the user declares to be neither a leak nor an identifier.
    derived : dict of str to (str, list of str)
        How columns of X are made from columns of the file, and from which: see `fscore.report.derived`.
    groups : ndarray of shape (n_samples,) or None
        Rows of one number stay in one fold.
    time : ndarray of shape (n_samples,) or None
        Folds go forwards in it.
    group_name, time_name : str or None
        The latter with quotation marks.
    time_columns : tuple of str
        Columns to choose that give the time.
    looks_for_groups, looks_for_time : bool
        Whether rules look for such a column; if so, the report also scores without them.
    drawn : ndarray of int
        The rows that selection and scoring use: all, or a sample.
    issues : tuple of Issue
    left_out : dict of str to str
        Why a column of the file cannot be chosen: the kind of an issue, or an option.
    """

    table: pd.DataFrame
    X: pd.DataFrame
    y: np.ndarray
    target: Any
    rows: np.ndarray
    types: Mapping[str, ColumnType]
    kinds: Mapping[str, str]
    keep: Sequence[str] = ()
    derived: Mapping[str, tuple[str, list[str]]] = field(default_factory=dict)
    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    group_name: str | None = None
    time_name: str | None = None
    time_columns: tuple[str, ...] = ()
    looks_for_groups: bool = True
    looks_for_time: bool = True
    drawn: np.ndarray | None = None
    issues: tuple[Issue, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def task(self):
        """Classification or regression."""
        return self.target.task

    @property
    def columns(self):
        """Names of the columns to choose from."""
        return list(self.X)

    def labels(self):
        """The target of the rows in use, as the final model learns it."""
        return self.y if self.task == "regression" else np.array(self.target.classes)[self.y]

    def typed(self, name):
        """A column of the table or of X, whether or not it is one to choose."""
        if name in self.X:
            return self.X[name]
        if name in self.derived:
            sources = pd.DataFrame({source: self.typed(source) for source in self.source_columns(name)})
            return derive(sources, {name: self.derived[name]})[name]
        return self.types[name].read(self.table[name])

    def source_columns(self, name):
        """The columns of the file that a column of X is made from."""
        return self.derived[name][1] if name in self.derived else [name]

    def is_kept(self, name):
        """Whether the user declares a column of X, or one that it is made from, to be no leak and no identifier."""
        return not set(self.keep).isdisjoint([name, *self.source_columns(name)])

    def suspects(self, beside=False, times=False):
        """The columns of X that may reveal the target.

        Those that the user keeps do not, nor do groups and times, by which rows are known beforehand.

        Parameters
        ----------
        beside : bool, default=False
            Whether columns that are offered beside those they are derived from are asked about, too.
        times : bool, default=False
            Whether columns that give the time are.

        Returns
        -------
        DataFrame
        """
        known = {self.group_name, *(() if times else self.time_columns)}
        known |= set() if beside else {name for name, (how, _) in self.derived.items() if how not in MERGING}
        return self.X[[name for name in self.X if name not in known and not self.is_kept(name)]]

    def units(self, rows_each):
        """Numbers of what a column names, by its name, if each has so many rows on average; a number names a time.

        Rows without a name are of one unit. The groups are units, too.
        """
        names = [name for name in self.table if self.kinds[name] != "number" or has_word(name, any_of("time"))]
        codes = {name: pd.factorize(self.typed(name), use_na_sentinel=False)[0] for name in names}
        codes |= {} if self.groups is None else {self.group_name: self.groups}
        return {name: numbers for name, numbers in codes.items() if numbers.max() + 1 <= len(numbers) / rows_each}

    def keep_rows(self, rows):
        """The problem of some of the rows."""
        table, X = (frame.iloc[rows].reset_index(drop=True) for frame in (self.table, self.X))
        groups, time = (values if values is None else values[rows] for values in (self.groups, self.time))
        return replace(self, table=table, X=X, y=self.y[rows], rows=self.rows[rows], groups=groups, time=time)

    def leave_out(self, reasons):
        """The problem without some columns of X, by name with the reason."""
        return replace(self, X=self.X.drop(columns=list(reasons)), left_out={**self.left_out, **reasons})

    def offer(self, derived):
        """The problem with derived columns; those they stand for are then no columns to choose."""
        sources = {name for _, names in derived.values() for name in names}
        others = {name: self.typed(name) for name in sources - set(self.X)}  # such as the groups that the user named
        X = derive(self.X.assign(**others), derived).drop(columns=list(others))
        kinds = {**self.kinds, **{name: KINDS[how] or self.kinds[names[-1]] for name, (how, names) in derived.items()}}
        return replace(self, X=X, kinds=kinds, derived={**self.derived, **derived})

    def retype(self, types):
        """The problem with some columns read in another way."""
        kinds = {**self.kinds, **{name: type.kind for name, type in types.items()}}
        X = self.X.assign(**{name: types[name].read(self.table[name]) for name in types})
        return replace(self, types={**self.types, **types}, kinds=kinds, X=X)


def build_problem(
    table: Table | pd.DataFrame,
    target: str,
    *,
    task: Literal["classification", "regression"] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    groups: str | None = None,
    time: str | None = None,
) -> Problem:
    """Turn a table into a problem.

    Parameters
    ----------
    table : Table or DataFrame
        As `read_table` or `pandas.read_csv` returns it.
    target : str
    task : {"classification", "regression"}, optional
    drop, keep : sequence of str
        Columns to leave out; columns that look like a leak, an identifier or numbers with codes for missing values, but
        are not.
    groups, time : str, optional
        Column that says which rows belong together, and column of time; they are then no columns to choose. None looks
        for them; "none" doesn't.

    Returns
    -------
    Problem

    Raises
    ------
    ValueError
        Unknown columns, or nothing is left to select from.
    """
    table = table if isinstance(table, Table) else Table.of(table)
    _refuse_few(len(table.frame), "row")
    names = list(table.frame)
    target_name = find_column(target, names, "--target")
    drop, keep = [find_column(n, names, "--drop") for n in drop], [find_column(n, names, "--keep") for n in keep]
    options = {
        option: None if name in (None, "none") else find_column(name, names, f"--{option}")
        for option, name in (("groups", groups), ("time", time))
    }
    drop = [name for name in drop if name not in options.values()]  # they are no columns to choose anyway
    if target_name in [*drop, *options.values()]:
        raise ValueError(f"{target_name!r} is the target, so it can't be left out, nor give groups or time.")
    if both := sorted(set(drop) & set(keep)):
        raise ValueError(f"--keep={both[0]!r} is also to be left out by --drop; give one of the options.")
    table = replace(table, types={n: type.without_codes() if n in keep else type for n, type in table.types.items()})
    start = partial(_typed_problem, table, target=target_name, task=task, drop=drop, options=options)
    fields = {"keep": keep, "looks_for_groups": groups is None, "looks_for_time": time is None}
    summaries, *stages = STAGES.values()
    problem, issues = run_stage(summaries, replace(start(np.arange(len(table.frame))), **fields))
    if issues:  # the values of these rows are none of the target
        problem = replace(start(problem.rows), **fields)
    problem = replace(problem, issues=(*problem.issues, *issues))
    for rules in stages:
        problem, issues = run_stage(rules, problem)
        problem = replace(problem, issues=(*problem.issues, *issues))
    if problem.X.shape[1] == 0:
        reasons = listed(problem.left_out) or "the file has only the target"
        raise ValueError(f"no column is left to select from: {reasons}.")
    if problem.task == "classification":
        refuse_rare(target_name, problem.target.classes, problem.y)
    _refuse_few(len(problem.y), "usable row")
    return problem if problem.drawn is not None else replace(problem, drawn=np.arange(len(problem.y)))


def _typed_problem(table, rows, target, task, drop, options):
    """The problem of some rows of a table before any stage."""
    read = read_target(Table(table.frame.iloc[rows], table.types), target, task)
    _refuse_few(len(read.rows), "usable row")
    candidates = table.frame.iloc[rows[read.rows]].reset_index(drop=True).drop(columns=list({target, *drop}))
    types = {name: table.types[name] for name in candidates}
    # Plain numbers are read once, for all rules.
    plain = {n: types[n].plain(c) for n, c in candidates.items()}
    candidates = pd.DataFrame({n: c if plain[n] is None else plain[n] for n, c in candidates.items()}, candidates.index)
    X = {n: types[n].read(c) for n, c in candidates.items() if n not in options.values()}
    return Problem(
        table=candidates,
        X=pd.DataFrame(X, candidates.index),
        y=read.values,
        target=read,
        rows=rows[read.rows],
        types=types,
        kinds={name: type.kind for name, type in types.items()},
        groups=None if options["groups"] is None else groups_of(candidates[options["groups"]]),
        group_name=options["groups"],
        **_time_fields(options["time"], candidates, types),
        issues=tuple(read.issues),
        left_out=dict.fromkeys(drop, "--drop") | {name: f"--{option}" for option, name in options.items() if name},
    )


def _time_fields(name, table, types):
    """The fields of a problem for a column of time that the user named."""
    if name is None:
        return {}
    if types[name].kind not in ("number", "date"):
        raise ValueError(f"--time={name!r} holds {types[name].kind} values; give a column of dates or numbers.")
    return {"time": time_of(types[name].read(table[name]).to_numpy()), "time_name": f"“{name}”"}


def _refuse_few(n, what):
    if n < 10:
        raise ValueError(f"{counted(n, what)}: too few to validate anything; at least 10 are needed.")
