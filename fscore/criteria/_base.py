"""What every criterion has in common.

A *criterion* is a small scikit-learn object of parameters. Bound to data once (`Criterion.bind`), it values subsets
of columns; higher is better. A bound criterion may know a faster way to value "S plus each of these" and "S minus each
of these"; it must then return what `values` returns.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _num_samples, check_array

from fscore._typing import Floats, Subset
from fscore._validation import validated
from fscore.criteria._subsets import check_removed, merged, without

__all__ = ["BoundCriterion", "Criterion"]


class BoundCriterion:
    """A criterion bound to its data. Subclasses implement `values` and may override the other methods.

    Attributes
    ----------
    batch : int or None
        Most subsets that one call should value. Between calls a search checks its budget, shows its progress and
        writes its checkpoint. None if every call is quick.
    least : int
        Fewest subsets that one call should value, to keep all workers busy.
    check : callable or None
        Set by a search. A long computation calls it several times a second; an exception from it (the time is up)
        abandons the computation.
    """

    batch: int | None = None
    least = 1
    check: Callable[[], None] | None = None

    def values(self, subsets: Sequence[Subset]) -> Floats:
        """J of each subset.

        Parameters
        ----------
        subsets : list of tuples of int
            Ascending columns, never empty.

        Returns
        -------
        ndarray of shape (n_subsets,)

        Raises
        ------
        ValueError
            If a subset is empty or has a column that is not in X.
        """
        raise NotImplementedError

    def add_values(self, subset: Subset, tuples: Sequence[Subset]) -> Floats:
        """J(subset + T) for each tuple T of further columns; `subset` may be empty."""
        return self.values([merged(subset, extra) for extra in tuples])

    def remove_values(self, subset: Subset, tuples: Sequence[Subset]) -> Floats:
        """J(subset - T) for each tuple T of its columns; at least one column remains.

        Raises
        ------
        ValueError
            If a tuple has a column that is not in the subset, or one twice, or all.
        """
        check_removed(subset, tuples)
        return self.values([without(subset, dropped) for dropped in tuples])

    def shares_work(self, n_columns: int) -> bool:
        """Whether the candidates of a step from so many columns share most of the work, so a call should value all."""
        return False

    def bounded_walk(self, columns: Subset, removable: Sequence[int], n_removed: int, bound: float) -> Any:
        """Compiled branch and bound for this criterion, or None if it has none.

        Parameters
        ----------
        columns : tuple of int
            The full set.
        removable : list of int
            The columns that may be removed.
        n_removed : int
            How many of them must be removed.
        bound : float
            The value to beat.

        Returns
        -------
        object or None
            ``run(limit)`` continues until about `limit` subsets are valued and returns how many were; ``batch`` is a
            limit that takes a fraction of a second; ``done`` says whether the walk is over, ``removed`` holds the best
            removals found, or None if nothing beats `bound`.
        """
        return None

    def close(self) -> None:
        """Shut down worker processes, if there are any."""

    def _check(self) -> None:
        """Let the search abandon a long computation."""
        if self.check is not None:
            self.check()


class Criterion(BaseEstimator):
    """Base class of criteria. Subclasses implement `_bind` and declare ``_parameter_constraints``.

    Attributes
    ----------
    monotone : bool
        Whether adding a feature can never lower the value; branch and bound needs that.
    needs_classes : bool
        Whether y must hold class labels.
    """

    monotone = False
    needs_classes = True
    _parameter_constraints: ClassVar[dict] = {}

    def bind(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        n_jobs: int | None = None,
        params: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> BoundCriterion:
        """Check the parameters and bind the criterion to data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        n_jobs : int, optional
        params : dict of dict, optional
            Metadata by consumer: ``{"fit": ..., "split": ..., "score": ...}``.

        Returns
        -------
        BoundCriterion

        Raises
        ------
        ValueError
            If a parameter, or the data, cannot be used; if X and y differ in length.
        """
        self._validate_params()
        n_samples, n_labels = _num_samples(X), _num_samples(y)
        if n_samples != n_labels:
            raise ValueError(f"X has {n_samples} samples, but y has {n_labels}; give one target value per sample.")
        if len(getattr(X, "shape", ())) != 2 or np.ma.is_masked(X):
            X = validated(check_array, X, dtype=None)
        return self._bind(X, y, n_jobs, params or {})

    def _bind(self, X, y, n_jobs, params):
        raise NotImplementedError

    def identity(self) -> tuple[str, dict[str, Any]]:
        """What determines the values apart from the data; its hash identifies remembered values."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.get_params()
