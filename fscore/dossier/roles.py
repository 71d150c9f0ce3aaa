"""Columns that say when a row was taken and which rows belong together: given by the user, or found."""

import numpy as np
import pandas as pd

from fscore.dossier.rows import follows_time, group_column
from fscore.dossier.traps import Trap
from fscore.dossier.types import as_kind, kind_of

__all__ = ["groups_of", "time_of"]


def time_of(table, X, kinds, y, task, name, *, search):
    """The column of time, its values and the trap, if it was found and not given.

    Parameters
    ----------
    table, X : DataFrame
        All columns as text; typed features.
    kinds : dict of str to str
    y : ndarray of shape (n_samples,)
    task : {"classification", "regression"}
    name : str or None
        As given by the user.
    search : bool
        Look for a date that the target follows if no name is given.

    Returns
    -------
    name : str or None
    time : ndarray of shape (n_samples,) or None
        Missing values count as the earliest.
    traps : list of Trap
    """
    traps = []
    if name is not None:
        kind = kind_of(table[name])
        if kind not in ("number", "date"):
            raise ValueError(f"--time={name!r} holds {kind} values; give a column of dates or numbers.")
        time = as_kind(table[name], kind).to_numpy()
    elif search:
        dates = [column for column in X if kinds[column] == "date"]
        name = next((column for column in dates if follows_time(X[column].to_numpy(), y, task)), None)
        if name is not None:
            time = X[name].to_numpy()
            traps.append(
                Trap(
                    "time order",
                    (name,),
                    f"The target changes with “{name}”: folds drawn at random would look ahead.",
                    "Scored forwards in time: trained on earlier rows, tested on later; the column is not a feature "
                    "(--time none turns it off).",
                )
            )
    if name is None:
        return None, None, traps
    return name, np.where(np.isnan(time), np.nanmin(time), time), traps


def groups_of(table, X, kinds, y, outside, name, *, search):
    """The column of groups, their numbers and the trap, if it was found and not given.

    Parameters
    ----------
    table, X : DataFrame
        All columns as text; typed features.
    kinds : dict of str to str
    y : ndarray of shape (n_samples,)
    outside : DataFrame of text
        Columns that are no features, but may hold groups.
    name : str or None
        As given by the user.
    search : bool
        Look for such a column if no name is given.

    Returns
    -------
    name : str or None
    groups : ndarray of shape (n_samples,) or None
        A row without a value is a group of its own.
    traps : list of Trap
    """
    traps = []
    if name is None and search:
        outside = outside[[column for column in outside if outside[column].nunique() < len(outside)]]
        all_kinds = {column: kind_of(outside[column]) for column in outside} | kinds
        name = group_column(X, y.astype(float), all_kinds, outside)
        if name is not None:
            traps.append(
                Trap(
                    "groups",
                    (name,),
                    f"Rows of one “{name}” are alike ({table[name].nunique()} values in {len(table)} rows).",
                    "Rows of one value stay in one fold; the column is not a feature (--groups none turns it off).",
                )
            )
    if name is None:
        return None, None, traps
    groups = pd.factorize(as_kind(table[name], "text"))[0]
    alone = groups < 0
    groups[alone] = groups.max() + 1 + np.arange(alone.sum())
    return name, groups, traps
