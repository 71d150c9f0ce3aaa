"""Base classes of criteria.

A *criterion* is a small scikit-learn object of parameters. Bound to data once (`Criterion.bind`), it scores subsets
of columns; higher is better. It may compute the candidates of a step together; a subset's score must not depend on
which others are scored with it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_consistent_length

from fscore._columns import refuse_sparse_columns
from fscore._sklearn import check_parameters
from fscore._typing import ArrayLike, Floats, Subset
from fscore._validation import check_label_types, refuse_masked, validated
from fscore.criteria._subsets import check_subsets


class BoundCriterion:
    """A criterion bound to its data. Subclasses implement `_score` and may override further abilities.

    Attributes
    ----------
    n_features : int
        Number of columns of the data; set by `Criterion.bind`.
    max_batch : int or None
        Most subsets that one call should score. Between calls a search checks its budget, shows its progress and
        writes its checkpoint. None if every call is fast.
    min_batch : int
        Fewest subsets that one call should score, to keep all workers busy.
    min_shared_columns : int or float
        The candidates of a step that starts from so many columns or more share most work, so that one call should
        score all; inf if they never do.
    splits : list of (train, test) or None
        The folds over whose scores J is the mean, as arrays of row numbers; None for other criteria.
    context : tuple
        What determines the scores apart from the criterion's parameters and the data: folds and metadata.
    """

    n_features: int
    max_batch: int | None = None
    min_batch: int = 1
    min_shared_columns: float = math.inf
    splits: Sequence[tuple[np.ndarray, np.ndarray]] | None = None
    context: tuple = ()
    _time_check: Callable[[], None] | None = None

    def score(self, subsets: Sequence[Subset]) -> Floats:
        """J of each subset, without refitting where possible.

        Parameters
        ----------
        subsets : list of tuples of int
            Columns in ascending order; no subset is empty. What subsets have in common is computed once.

        Returns
        -------
        ndarray of shape (n_subsets,)

        Raises
        ------
        ValueError
            If a subset is empty, is not in ascending order, or has a column that is not in X.
        TypeError
            If `subsets` is not a list of tuples.
        """
        if not len(subsets):
            return np.empty(0)
        check_subsets(subsets, self.n_features)
        return self._score(subsets)

    def _score(self, subsets: Sequence[Subset]) -> Floats:
        """`score` of valid subsets, as a search asks for."""
        raise NotImplementedError

    def fold_scores(self, columns: Subset) -> Floats | None:
        """The score of each fold on the given columns; None unless J is the mean over `splits`."""
        if self.splits is None:
            return None
        check_subsets([columns], self.n_features)
        return self._fold_scores(columns)

    def _fold_scores(self, columns: Subset) -> Floats:
        """`fold_scores` of valid columns."""
        raise NotImplementedError

    def extra_scores(self, subsets: Sequence[Subset]) -> dict[str, Floats]:
        """Scores that are recorded but not compared: for each name an array of shape (n_subsets,)."""
        return {}

    def branch_and_bound(self, columns: Subset, removable: Sequence[int], n_removed: int, bound: float) -> Any:
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
            The score to beat.

        Returns
        -------
        object or None
            ``run(limit)`` continues until about `limit` subsets are scored and returns how many were; ``max_batch`` is
            a limit that takes a fraction of a second. ``done`` says whether it is over, ``bound`` is the best score so
            far, ``removed`` holds the removals that give it, or None if nothing beats the given bound.
        """
        return None

    def close(self) -> None:
        """Shut down worker processes, if there are any."""

    def set_time_check(self, time_check: Callable[[], None] | None) -> None:
        """Let long computations call a function several times a second; an exception from it abandons them."""
        self._time_check = time_check

    def raise_if_out_of_time(self) -> None:
        """Let a search abandon a long computation, which calls this several times a second."""
        if self._time_check is not None:
            self._time_check()


class Criterion(BaseEstimator):
    """Base class of criteria. Subclasses implement `_bind` and declare ``_parameter_constraints``.

    Attributes
    ----------
    monotone : bool
        Whether adding a feature can never lower the score; branch and bound needs that.
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
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None if the criterion needs none
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
        check_parameters(self)
        if self.needs_classes:
            check_label_types(y)
        check_consistent_length(X, y)
        refuse_masked(y, "y")
        for metadata in (params or {}).values():
            for name, value in metadata.items():
                refuse_masked(value, name)
        refuse_sparse_columns(X)
        if len(getattr(X, "shape", ())) != 2 or np.ma.is_masked(X):
            X = validated(check_array, X, dtype=None)
        bound = self._bind(X, y, n_jobs, params or {})
        bound.n_features = np.shape(X)[1]
        return bound

    def _bind(self, X, y, n_jobs, params):
        raise NotImplementedError

    def identity(self) -> tuple[str, dict[str, Any]]:
        """What determines the scores apart from the data: part of the key of cached scores."""
        return f"{type(self).__module__}.{type(self).__qualname__}", self.get_params()
