"""From a table of text to a problem: typed columns, target, folds, and every trap with what was done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from fscore.datasets.columns import ColumnType
from fscore.datasets.table import Table
from fscore.report import rules_of_columns, rules_of_leaks, rules_of_rows  # noqa: F401 they register
from fscore.report.target import find_column, read_target
from fscore.report.traps import RULES, Trap, counted, listed

__all__ = ["Problem", "pose"]


@dataclass
class Problem:
    """What is selected from, and how it may be scored. Rules for traps look at it, and change it.

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
    categories : dict of str to list of str
        Columns of zeros and ones by the name of the one column that they have become in X.
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
    traps : list of Trap
    left_out : dict of str to str
        Why a column of the file cannot be chosen: the kind of a trap, or an option.
    """

    table: pd.DataFrame
    X: pd.DataFrame
    y: np.ndarray
    target: Any
    rows: np.ndarray
    types: dict[str, ColumnType]
    kinds: dict[str, str]
    keep: list[str]
    categories: Mapping[str, list[str]] = field(default_factory=dict)
    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    group_name: str | None = None
    time_name: str | None = None
    time_columns: tuple[str, ...] = ()
    looks_for_groups: bool = True
    looks_for_time: bool = True
    drawn: np.ndarray | None = None
    traps: list[Trap] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

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
        """A column of the table, whether or not it is one to choose."""
        return self.types[name].read(self.table[name])

    def members(self, name):
        """The columns of the file that a column of X is made from."""
        return self.categories.get(name, [name])

    def take_groups(self, name):
        """Take the values of a column as the groups of the rows; a row without one is a group of its own."""
        self.groups, self.group_name = pd.factorize(ColumnType("text").read(self.table[name]))[0], name
        alone = self.groups < 0
        self.groups[alone] = self.groups.max() + 1 + np.arange(alone.sum())

    def take_time(self, time, called, columns=()):
        """Take numbers as the time of the rows; a row without one counts as the earliest."""
        self.time = np.where(np.isnan(time), np.nanmin(time), time)
        self.time_name, self.time_columns = called, columns

    def take(self, rows):
        """Keep some of the rows."""
        self.table, self.X = (part.iloc[rows].reset_index(drop=True) for part in (self.table, self.X))
        self.y, self.rows = self.y[rows], self.rows[rows]
        self.groups, self.time = (part if part is None else part[rows] for part in (self.groups, self.time))


def pose(
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
        Columns to leave out; columns that look like a leak or an identifier, but are not.
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
    frame, types = table.frame, table.types
    _refuse_few(len(frame), "row")
    names = list(frame)
    target_name = find_column(target, names, "--target")
    drop, keep = [find_column(n, names, "--drop") for n in drop], [find_column(n, names, "--keep") for n in keep]
    given = {
        option: None if name in (None, "none") else find_column(name, names, f"--{option}")
        for option, name in (("groups", groups), ("time", time))
    }
    if target_name in [*drop, *given.values()]:
        raise ValueError(f"{target_name!r} is the target, so it can't be left out, nor give groups or time.")
    found = read_target(table, target_name, task)
    _refuse_few(len(found.rows), "usable row")
    frame = frame.iloc[found.rows].reset_index(drop=True)
    candidates = frame.drop(columns=list({target_name, *drop}))
    types = {name: types[name] for name in candidates}
    # Plain numbers are read once, for all rules.
    read = {n: c if (plain := types[n].plain(c)) is None else plain for n, c in candidates.items()}
    candidates = pd.DataFrame(read, frame.index)
    kinds = {name: type.kind for name, type in types.items()}
    X = pd.DataFrame({n: types[n].read(c) for n, c in candidates.items() if n not in given.values()}, frame.index)
    problem = Problem(candidates, X, found.values, found, found.rows, types, kinds, keep, traps=list(found.traps))
    problem.left_out = dict.fromkeys(drop, "--drop") | {name: f"--{option}" for option, name in given.items() if name}
    problem.looks_for_groups, problem.looks_for_time = groups is None, time is None
    if given["groups"] is not None:
        problem.take_groups(given["groups"])
    if (name := given["time"]) is not None:
        if kinds[name] not in ("number", "date"):
            raise ValueError(f"--time={name!r} holds {kinds[name]} values; give a column of dates or numbers.")
        problem.take_time(problem.typed(name).to_numpy(), f"“{name}”")
    for look in RULES:
        trap = look(problem) if problem.X.shape[1] else None
        if trap is not None:
            problem.traps.append(trap)
            problem.X = problem.X.drop(columns=list(trap.left_out))
            problem.left_out |= dict.fromkeys(trap.left_out, trap.kind)
    if problem.X.shape[1] == 0:
        said = listed(problem.left_out) or "the file has only the target"
        raise ValueError(f"no column is left to select from: {said}.")
    _refuse_few(len(problem.y), "usable row")
    problem.drawn = np.arange(len(problem.y)) if problem.drawn is None else problem.drawn
    return problem


def _refuse_few(n, what):
    if n < 10:
        raise ValueError(f"{counted(n, what)}: too few to validate anything; at least 10 are needed.")
