"""The search space: the units that a search may choose, and the columns that every subset contains."""

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from fscore._columns import column_numbers
from fscore._typing import Mask, Subset


@dataclass(frozen=True)
class SearchSpace:
    """What can be chosen: units, each a column or a group of columns, beside the fixed ones of every subset.

    A subset is an ascending tuple of numbers of units. The fixed ones have no number.

    Attributes
    ----------
    units : tuple of tuple of int
        The columns of each unit that can be chosen.
    fixed_units : tuple of tuple of int
        The columns of each unit that every subset contains.
    n_features : int
        Number of all columns.
    """

    units: tuple[Subset, ...]
    fixed_units: tuple[Subset, ...]
    n_features: int

    @classmethod
    def of(cls, X, n_features, column_groups, fixed, excluded):
        """The search space of a search's parameters, which refer to columns of X.

        Raises
        ------
        ValueError
            If there is no such column, groups overlap or are empty, a unit is fixed and excluded, or nothing is left.
        """
        groups = _group_numbers(column_groups, X)
        fixed = set(column_numbers(fixed, "fixed", X))
        excluded = set(column_numbers(excluded, "excluded", X))
        grouped = set(chain.from_iterable(groups))
        if len(grouped) < sum(map(len, groups)):
            raise ValueError(f"column_groups={groups} have a column in common; a column may be in one only.")
        units, fixed_units = [], []
        for unit in sorted([*map(sorted, groups), *([c] for c in range(n_features) if c not in grouped)]):
            if fixed.isdisjoint(unit):
                if excluded.isdisjoint(unit):
                    units.append(tuple(unit))
            elif excluded.isdisjoint(unit):
                fixed_units.append(tuple(unit))
            else:
                raise ValueError(
                    f"the unit of the columns {unit} is both fixed and excluded; remove it from one of them."
                )
        if not units and not fixed_units:
            raise ValueError("all columns are excluded; leave at least one.")
        return cls(tuple(units), tuple(fixed_units), n_features)

    @cached_property
    def fixed_columns(self) -> Subset:
        """The columns that every subset contains, ascending."""
        return tuple(sorted(chain.from_iterable(self.fixed_units)))

    @cached_property
    def is_of_columns(self) -> bool:
        """Whether the units are the columns themselves, so that a subset needs no translation."""
        return not self.fixed_units and all(unit == (c,) for c, unit in enumerate(self.units))

    def columns(self, subset: Subset) -> Subset:
        """The columns of a subset, the fixed ones included, ascending."""
        if self.is_of_columns:
            return subset
        return tuple(sorted(chain(self.fixed_columns, *(self.units[u] for u in subset))))

    def support(self, subset: Subset) -> Mask:
        """The columns of a subset as a mask."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.columns(subset))] = True
        return mask

    def size(self, subset: Subset) -> int:
        """The number of units of a subset, the fixed ones included."""
        return len(subset) + len(self.fixed_units)

    def subset(self, columns: Subset) -> Subset:
        """The units that make up the columns of a ``warm_start_from``, without the fixed ones."""
        free = set(columns).difference(self.fixed_columns)
        subset = tuple(u for u, unit in enumerate(self.units) if free.issuperset(unit))
        lost = free.difference(self.columns(subset))
        if lost:
            raise ValueError(f"warm_start_from contains column {min(lost)}, which is excluded or only part of a group.")
        if not subset:
            raise ValueError("warm_start_from is empty; give at least one column that is not fixed.")
        return subset


def _group_numbers(groups, X):
    """The numbers of the columns of each of a search's ``column_groups``."""
    numbers = []
    for i, group in enumerate(groups or ()):
        if isinstance(group, str) or not np.iterable(group):
            raise ValueError(f"column_groups must be a list of lists of columns; its element {i} is {group!r:.200}.")
        numbers.append(column_numbers(group, f"column_groups[{i}]", X))
        if not numbers[-1]:
            raise ValueError(f"column_groups[{i}]={group!r:.200} is empty; give columns, or leave it out.")
    return numbers
