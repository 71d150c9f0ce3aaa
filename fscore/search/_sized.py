"""Searches that can be told how many features to select."""

from numbers import Integral
from typing import ClassVar

from sklearn.utils._param_validation import RealNotInt

from fscore._parameters import Interval
from fscore.search._parameters import selector
from fscore.search._selector import SubsetSearch

__all__ = ["SizedSearch"]


@selector
class SizedSearch(SubsetSearch):
    """Searches that can be told how many features to select."""

    n_features_to_select: int | float | None = None

    _parameter_constraints: ClassVar[dict] = {
        "n_features_to_select": [
            None,
            Interval(RealNotInt, 0, 1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
        ]
    }

    def _size(self, n_units, n_fixed, start):
        size = self.n_features_to_select
        if size is None:
            return self._default_size(n_units, start)
        if not isinstance(size, Integral):
            size = max(1, int(round(size * (n_units + n_fixed), 9)))  # 0.29 * 100 is 29, not 28.99...
        if size > n_units + n_fixed:
            raise ValueError(
                f"n_features_to_select={size}, but there are {n_units + n_fixed} to choose from; ask for fewer."
            )
        if size < n_fixed:
            raise ValueError(f"n_features_to_select={size}, but {n_fixed} are fixed; ask for more or fix fewer.")
        size -= n_fixed
        c = getattr(self, "group_size", 1)
        step = self._size_step(n_units, size, start)
        if step < 0:
            raise ValueError(
                f"warm_start_from has {len(start)} units to search over, but {size} are asked for, and "
                f"{type(self).__name__} searches in the other direction; start from fewer (forward) or more (backward)."
            )
        if size and step % c:
            raise ValueError(
                f"group_size={c} never leads to {size} of {n_units} units; choose a size that differs from the "
                "starting size by a multiple of it."
            )
        return size

    def _default_size(self, n_units, start):
        return None

    def _size_step(self, n_units, size, start):
        """Number of units to add or remove; must be a multiple of group_size and not negative. 0: any start will do."""
        return 0
