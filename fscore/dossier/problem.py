"""From a table of text to a problem: features by units, target, folds, and every trap with what was done."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from fscore.dossier.leaks import duplicate_columns, target_leaks
from fscore.dossier.rankings import MOST_UNITS
from fscore.dossier.roles import groups_of, time_of
from fscore.dossier.rows import duplicate_rows
from fscore.dossier.target import FEWEST, find_column, read_target
from fscore.dossier.traps import Trap, column_traps, listed, one_hot_groups

__all__ = ["Problem", "Unit", "pose"]

MOST_ROWS = 4000  # rows that a selection looks at; more are drawn from

# Traps whose columns are no features, and traps that say how features are prepared.
_LEFT_OUT = (
    *("empty", "only huge numbers", "constant", "identifier", "free text"),
    *("duplicate columns", "target leak", "groups", "time order"),
)
_PREPARED = ("dates", "huge numbers", "mixed types", "missing codes", "missing values")


@dataclass(frozen=True)
class Unit:
    """Columns that are selected together: one column, or the columns of one category."""

    name: str
    columns: tuple


@dataclass
class Problem:
    """What is selected from, and how it may be validated.

    Attributes
    ----------
    X : DataFrame of shape (n_samples, n_columns)
        Typed features of the rows in use.
    y : ndarray of shape (n_samples,)
        Class numbers, or values.
    target : Target
    kinds : dict of str to str
    codes : dict of str to list of float
        Numbers that stand for a missing value, by column.
    units : list of Unit
    groups : ndarray of shape (n_samples,) or None
        Rows of one number stay in one fold.
    time : ndarray of shape (n_samples,) or None
        Folds go forwards in it.
    group_name, time_name : str or None
    drawn : ndarray of int
        The rows that selection and validation use: all, or a sample.
    cost : tuple of float, one for each unit, or None
    traps : list of Trap
    rows : ndarray of int
        Rows of the file in use.
    """

    X: pd.DataFrame
    y: np.ndarray
    target: object
    kinds: dict
    codes: dict
    units: list
    rows: np.ndarray
    groups: np.ndarray | None = None
    time: np.ndarray | None = None
    group_name: str | None = None
    time_name: str | None = None
    drawn: np.ndarray | None = None
    cost: tuple | None = None
    traps: list = field(default_factory=list)

    def labels(self):
        """The target of the rows in use, as the final model learns it."""
        return self.y if self.target.task == "regression" else np.array(self.target.classes)[self.y]


def pose(
    table: pd.DataFrame,
    target: str,
    *,
    task: Literal["classification", "regression"] | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    groups: str | None = None,
    time: str | None = None,
    seed: int = 0,
) -> Problem:
    """Turn a table into a problem.

    Parameters
    ----------
    table : DataFrame of text
    target : str
    task : {"classification", "regression"}, optional
    drop, keep : sequence of str
        Columns to leave out; columns that are no leak or identifier although they look like one.
    groups, time : str, optional
        Column that says which rows belong together, and column of time. None looks for them; "none" doesn't.
    seed : int

    Returns
    -------
    Problem

    Raises
    ------
    ValueError
        Unknown columns, or nothing is left to select from.
    """
    _refuse_few(len(table), "rows")
    names = list(table.columns)
    target_name = find_column(target, names, "--target")
    drop = [find_column(name, names, "--drop") for name in drop]
    keep = [find_column(name, names, "--keep") for name in keep]
    given = {
        option: None if name in (None, "none") else find_column(name, names, f"--{option}")
        for option, name in (("groups", groups), ("time", time))
    }
    if target_name in [*drop, *given.values()]:
        raise ValueError(f"{target_name!r} is the target, so it can't be left out, nor give groups or time.")
    found = read_target(table[target_name], task)
    table = table.iloc[found.rows].reset_index(drop=True)
    traps = list(found.traps)
    X, kinds, codes, more = column_traps(table.drop(columns=[target_name, *drop]), keep)
    traps += more
    y = found.values
    outside = table.drop(columns=[target_name, *X, *drop])
    time_name, when, more = time_of(table, X, kinds, y, found.task, given["time"], search=time is None)
    traps += more
    search = groups is None and when is None
    group_name, together, more = groups_of(table, X, kinds, y, outside, given["groups"], search=search)
    traps += more
    X = X.drop(columns=[name for name in (group_name, time_name) if name in X])
    X = _without_copies(X, traps)
    for trap in target_leaks(X, y, found.task, keep):
        traps.append(trap)
        X = X.drop(columns=list(trap.columns))
    gone = _left_out(traps, drop, given)
    if X.shape[1] == 0:
        why = _reasons(gone) or "the file has no other than the target"
        raise ValueError(f"no column is left to select from: {why}.")
    traps = [_of_features(trap, gone) for trap in traps]
    rows, links = _distinct_rows(X, y, found, together, traps)
    problem = Problem(
        X=X.iloc[rows].reset_index(drop=True),
        y=y[rows],
        target=found,
        kinds={name: kinds[name] for name in X},
        codes={name: codes[name] for name in X if name in codes},
        units=_units(X, traps),
        rows=found.rows[rows],
        groups=None if links is None else links[rows],
        time=None if when is None else when[rows],
        group_name=group_name,
        time_name=time_name,
        traps=traps,
    )
    _check_size(problem)
    _draw(problem, seed)
    return problem


def _left_out(traps, drop, given):
    """What left a column out: a trap or an option, by the names of these columns."""
    gone = {
        name: trap.kind
        for trap in traps
        if trap.kind in _LEFT_OUT or (trap.kind == "mixed notation" and trap.done.startswith("Left out"))
        for name in trap.columns
    }
    gone |= dict.fromkeys(drop, "--drop")
    return gone | {name: f"--{option}" for option, name in given.items() if name is not None}


def _of_features(trap, gone):
    """The trap; what was done with its columns is said only of those that are features."""
    others = {name: gone[name] for name in trap.columns if name in gone} if trap.kind in _PREPARED else {}
    if not others:
        return trap
    done = [trap.done] if len(others) < len(trap.columns) else []
    return replace(trap, done=" ".join([*done, f"Left out: {_reasons(others)}."]))


def _reasons(gone):
    names = {}
    for name, reason in gone.items():
        names.setdefault(reason, []).append(name)
    return "; ".join(f"{listed(some)} ({reason})" for reason, some in names.items())


def _without_copies(X, traps):
    copies = duplicate_columns(X)
    if copies:
        said = "; ".join(f"“{later}” = “{first}”" for later, first in list(copies.items())[:6])
        more = f" and {len(copies) - 6} more" if len(copies) > 6 else ""
        traps.append(
            Trap(
                "duplicate columns",
                tuple(copies),
                f"Columns that repeat another one, up to unit or names of categories: {said}{more}.",
                "The later one is left out.",
            )
        )
    return X.drop(columns=list(copies))


def _distinct_rows(X, y, target, links, traps):
    """Rows to use, and the number of the fold-mates of each row of the table (None if rows are independent)."""
    repeated, alike, natural = duplicate_rows(X, y)
    rows = np.arange(len(X))
    if repeated.any() and not natural:
        rows = np.flatnonzero(~repeated)
        traps.append(
            Trap(
                "duplicate rows",
                (),
                f"Rows that repeat an earlier one, so that copies would be trained on and tested: {repeated.sum()}.",
                "One of each is kept.",
            )
        )
        _refuse_lost_classes(y, rows, target)
    if not natural and len(np.unique(alike)) < (~repeated).sum():
        n_contradicting = int((np.bincount(alike[rows]) > 1).sum())
        traps.append(
            Trap(
                "contradicting rows",
                (),
                f"Sets of rows with the same features but different targets: {n_contradicting}.",
                "They stay in one fold." if links is None else "They are kept.",
            )
        )
        links = alike if links is None else links
    return rows, links


def _refuse_lost_classes(y, rows, target):
    """Raise a ValueError if repeated rows were all that some class had."""
    for number, label in enumerate(target.classes):
        n_before, n_left = int(np.sum(y == number)), int(np.sum(y[rows] == number))
        if n_left < min(FEWEST, n_before):
            raise ValueError(
                f"class {label!r} of the target {target.name!r} has {n_before} rows, but only {n_left} of the {FEWEST} "
                "different ones that validation needs; collect more, or merge it with another."
            )


def _units(X, traps):
    groups = one_hot_groups(X)
    if groups:
        said = "; ".join(f"“{prefix}” ({len(names)} columns)" for prefix, names in groups.items())
        traps.append(
            Trap(
                "one-hot columns",
                tuple(name for names in groups.values() for name in names),
                f"Columns of zeros and ones that are one category each: {said}.",
                "Each category is selected as one unit.",
            )
        )
    member = {name: prefix for prefix, names in groups.items() for name in names}
    units, seen = [], set()
    for name in X:
        prefix = member.get(name)
        if prefix is None:
            units.append(Unit(name, (name,)))
        elif prefix not in seen:
            seen.add(prefix)
            units.append(Unit(prefix, tuple(groups[prefix])))
    return units


def _refuse_few(n, what):
    if n < 10:
        raise ValueError(f"{n} {what} are too few to validate anything; at least 10 are needed.")


def _check_size(problem):
    n, p = problem.X.shape
    _refuse_few(n, "usable rows")
    if p >= n:
        problem.traps.append(
            Trap(
                "more columns than rows",
                (),
                f"{p} columns, but only {n} rows: some columns fit the target by chance.",
                "Selection is repeated inside every fold, so that the score doesn't profit from it.",
            )
        )
    if len(problem.units) > MOST_UNITS:
        problem.traps.append(
            Trap(
                "many columns",
                (),
                f"{len(problem.units):,} columns to choose from.",
                f"Methods rank the {MOST_UNITS} that tell most by themselves or by Relief, in each training part anew.",
            )
        )


def _draw(problem, seed):
    n = len(problem.y)
    problem.drawn = np.arange(n)
    if n <= MOST_ROWS:
        return
    rng = np.random.default_rng(seed)
    if problem.groups is not None:
        order = rng.permutation(problem.groups.max() + 1)
        place = np.argsort(order)[problem.groups]
        chosen = np.argsort(place, kind="stable")[:MOST_ROWS]
    elif problem.target.task == "classification":
        share = MOST_ROWS / n
        parts = [np.flatnonzero(problem.y == c) for c in range(problem.y.max() + 1)]
        chosen = np.concatenate([rng.permutation(rows)[: max(20, round(share * len(rows)))] for rows in parts])
    else:
        chosen = rng.permutation(n)[:MOST_ROWS]
    problem.drawn = np.sort(chosen)
    problem.traps.append(
        Trap(
            "many rows",
            (),
            f"{n:,} rows.",
            f"Selection and validation use {len(chosen):,} of them, drawn at random; the final model learns from all.",
        )
    )
