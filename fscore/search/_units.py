"""Columns as users name them, and the units of a search: single columns, and groups that stay together."""

from numbers import Integral

import numpy as np
from sklearn.utils._dataframe import is_polars_df

from fscore.criteria._subsets import merged

__all__ = ["SearchSpace", "column_numbers", "frame_or_array", "searchable_units", "start_units"]


class SearchSpace:
    """The units that a search goes over, and the columns they stand for.

    Parameters
    ----------
    n_features : int
    units : list of tuples of int, optional
        The columns of each unit; default: each column is a unit.
    fixed : tuple of int, default=()
        Columns that belong to every subset.
    n_fixed : int, optional
        How many units the fixed columns count for; default: one each.

    Attributes
    ----------
    n : int
        Number of units.
    """

    def __init__(self, n_features, units=None, fixed=(), n_fixed=None):
        self.n_features = n_features
        self.units = [(c,) for c in range(n_features)] if units is None else [tuple(u) for u in units]
        self.n = len(self.units)
        self.fixed = tuple(sorted(fixed))
        self.n_fixed = len(self.fixed) if n_fixed is None else n_fixed
        self._single = all(u == (c,) for c, u in enumerate(self.units))

    def columns_of(self, units):
        """The columns of some units, ascending."""
        if self._single:
            return units
        return tuple(sorted(c for u in units for c in self.units[u]))

    def columns(self, subset):
        """The columns of a subset, the fixed ones included, ascending."""
        return merged(self.fixed, self.columns_of(subset)) if self.fixed else self.columns_of(subset)

    def all_columns(self, subsets):
        """The columns of each of several subsets."""
        return subsets if self._single and not self.fixed else [self.columns(s) for s in subsets]

    def support(self, subset):
        """A subset as a mask over the columns."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.columns(subset))] = True
        return mask


def frame_or_array(X, checked):
    """X if it is a data frame of pandas or polars, whose columns an estimator may call by name; else X as checked."""
    return X if hasattr(X, "iloc") or is_polars_df(X) else checked


def column_numbers(columns, name, n_features, feature_names=None):
    """Columns by number, name or mask as numbers; ``name`` is that of the parameter that holds them."""
    if isinstance(columns, str) or not np.iterable(columns):
        raise ValueError(f"{name}={columns!r} is not a list of columns; write [{columns!r}].")
    columns = list(columns)
    masked = [isinstance(c, (bool, np.bool_)) for c in columns]
    if len(columns) == n_features and all(masked):
        return np.flatnonzero(columns).tolist()
    if len(columns) == n_features > 2 and all(isinstance(c, Integral) and c in (0, 1) for c in columns):
        raise ValueError(
            f"{name} has one entry of 0 or 1 for each of the {n_features} columns of X; give booleans for a mask, or "
            "each column number once."
        )
    found = []
    for c, truth in zip(columns, masked, strict=True):
        if isinstance(c, str):
            found.append(_number_of(c, name, feature_names))
        elif truth:
            raise ValueError(
                f"{name} contains {c}, but is not a mask of the {n_features} columns of X; give one boolean per "
                "column, or column numbers."
            )
        elif not isinstance(c, Integral):
            raise ValueError(f"{name} contains {c!r}; columns are given by number, name or mask.")
        elif not -n_features <= c < n_features:
            raise ValueError(f"{name} contains column {c}, but X has {n_features} (0 to {n_features - 1}).")
        else:
            found.append(int(c) % n_features)
    return found


def _number_of(column, name, feature_names):
    if feature_names is None:
        raise ValueError(f"{name} names the column {column!r}, but X has no column names.")
    if column not in feature_names:
        some = ", ".join(map(str, feature_names[:8]))
        raise ValueError(f"{name} names the column {column!r}, but X has {some}, ...")
    return int(np.flatnonzero(feature_names == column)[0])


def searchable_units(n_features, groups, fixed, excluded):
    """The units to search over, and those that belong to every subset.

    Parameters
    ----------
    n_features : int
    groups : list of list of int
        Columns that stay together; every other column is a unit of its own.
    fixed, excluded : list of int

    Returns
    -------
    units : list of tuple of int
    always : tuple of int
        The columns of the fixed units.
    n_fixed : int
        The number of fixed units.
    """
    groups = [sorted(set(g)) for g in groups]
    grouped = [c for g in groups for c in g]
    if len(grouped) != len(set(grouped)):
        twice = next(c for c in grouped if grouped.count(c) > 1)
        raise ValueError(f"column {twice} is in two column_groups; every column may be in one.")
    groups += [[c] for c in range(n_features) if c not in set(grouped)]
    groups.sort()
    fixed, excluded = set(fixed), set(excluded)
    if fixed & excluded:
        raise ValueError(f"column {min(fixed & excluded)} is both fixed and excluded; remove it from one of them.")
    units, always, n_fixed = [], [], 0
    for g in groups:
        if fixed & set(g):
            always += g
            n_fixed += 1
            if excluded & set(g):
                raise ValueError(f"the column group {g} is both fixed and excluded; remove it from one of them.")
        elif not excluded & set(g):
            units.append(tuple(g))
    if not units and not always:
        raise ValueError("all columns are excluded; leave at least one.")
    return units, tuple(sorted(always)), n_fixed


def start_units(columns, units, fixed):
    """The units that make up ``columns``, without the ``fixed`` ones."""
    columns = set(columns) - set(fixed)
    start = tuple(u for u, unit in enumerate(units) if columns >= set(unit))
    lost = columns - {c for u in start for c in units[u]}
    if lost:
        raise ValueError(f"warm_start_from contains column {min(lost)}, which is excluded or only part of a group.")
    if not start:
        raise ValueError("warm_start_from is empty; give at least one column that is not fixed.")
    return start
