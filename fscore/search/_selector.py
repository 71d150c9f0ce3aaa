"""Base classes of searches as scikit-learn selectors: parameters, validation, results."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from fscore._columns import column_numbers, name_column
from fscore._sklearn import (
    CallbackSupportMixin,
    Interval,
    RealNotInt,
    SelectorMixin,
    StrOptions,
    estimator_dataclass,
    fit_context,
    step_callback,
    with_callbacks,
)
from fscore._typing import ArrayLike, Columns, Estimator, MatrixLike, Splits
from fscore._warnings import warn_user
from fscore.criteria._base import Criterion
from fscore.search._evaluator import Evaluator, SearchStopped
from fscore.search._inputs import (
    allows_nan,
    check_metadata,
    checked_samples,
    estimators_of,
    metadata_by_consumer,
    metadata_router,
    take_any_target,
    takes_several_outputs,
)
from fscore.search._results import as_costs, cheapest_subset
from fscore.search._rules import ChoiceRule, as_rule
from fscore.search._space import SearchSpace

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter


@dataclass(repr=False, eq=False)
class SubsetSearch(CallbackSupportMixin, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Base class of searches. Subclasses implement ``_search(evaluator, start, size) -> subset``.

    The page "Write your own criterion or search" has an example.

    Parameters
    ----------
    criterion : estimator, Criterion or selection rule
        The score of a subset. A classifier stands for its `CVAccuracy(criterion, cv=cv)`, another estimator for its
        `CVScore(criterion, cv=cv)` (R2 of a regressor). The rules `OrderVoting`, `WeightedVoting` and `Hybrid` pick the
        candidate of each step by several criteria, and `Race` on growing samples of the rows.
    tau : float in [0, 1] or "1se", default=0.0
        Subsets within ``(1 - tau)`` of the best value are treated as equal, and `secondary` decides among them
        (Section 2 of the paper, off-line reading; see `regularize`). 0 keeps the search's own result. "1se" treats
        subsets as equal whose value is at most one standard error (over the folds) below the best value; it needs a
        cross-validated criterion.
    secondary : {"size"} or array-like of shape (n_features,), default="size"
        "size" prefers the smaller subset; an array holds the cost of each feature.
    cv : int, splitter or iterable, default=10
        The folds of the estimators given as `criterion` or within it; a `CVScore` has its own.
    n_jobs : int or None, default=None
        Threads for k-NN, `SVC` and the Gamma Test, and processes for estimators that are refitted, share the candidates
        of a step; other criteria use one thread.
    fixed : sequence of int or str, or mask of shape (n_features,), default=()
        Columns that every subset contains.
    excluded : sequence of int or str, or mask of shape (n_features,), default=()
        Columns that no subset contains.
    column_groups : list of such sequences or masks, or None, default=None
        Columns that are added and removed together, as one unit; each column not named is a unit.
    warm_start_from : sequence of int or str, or mask of shape (n_features,), or None, default=None
        A subset to start from, such as the ``support_`` of another search. Refused by searches without a
        starting subset (best individual, exhaustive, branch and bound, random).
    checkpoint : str, path-like or None, default=None
        SQLite file in which scores are kept as they are computed, and from which they are read. A search that was
        killed and is run again resumes, and other searches on the same data with the same criterion reuse its scores.
        An entry belongs to a criterion's class and parameters, the folds, the data and the version of this package.
        After a change to the code of your own estimator or scorer take another file. A splitter that shuffles needs a
        ``random_state``; otherwise every search draws other folds and finds no scores.
    error_score : float or "raise", default=-inf
        The score of a subset that cannot be scored, because the estimator cannot be fitted to it or its score is NaN.
        One warning names the columns. "raise" raises the error.
    max_evaluations : int or None, default=None
        Stop after this many different subsets, with the best so far. Only subsets scored by the main criterion count,
        which are the rows of `trace_`; votes, a hybrid's filter and samples of the rows do not (see `computed_`).
    max_seconds : float or None, default=None
        Stop after this time, with the best so far. Time is checked after every batch of subsets.
    verbose : int, default=0
        Positive shows a progress bar.

    Attributes
    ----------
    support_ : ndarray of shape (n_features_in_,), dtype=bool
        The selected columns.
    n_features_to_select_ : int
        Number of selected columns.
    size_ : int
        Number of selected units.
    score_ : float
        Value of the selected subset.
    n_evaluations_ : int
        Number of different subsets scored.
    trace_ : DataFrame
        Every subset scored, in order: ``features`` (tuple of columns), ``size`` (in units), ``value``, ``step``; and
        the extra scores of a `CVScore` with several.
    path_ : DataFrame
        The course of the search, one row per step: ``move``, ``features``, ``size``, ``value``, ``n_evaluations``.
    best_per_size_ : DataFrame
        Indexed by size: ``value`` and ``support`` (tuple of columns) of the best subset of that size.
    computed_ : list of (str, int)
        For each criterion, and each sample of the rows, how many scores were computed in this fit, rather than
        remembered.
    stopped_ : {None, "evaluations", "seconds", "interrupt", "callback"}
        Why the search ended early, if it did.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X has column names.
    """

    _takes_warm_start = True  # whether the search has a starting subset
    group_size = 1  # units that a step adds or removes; a parameter of the searches that take steps

    criterion: Estimator | Criterion | ChoiceRule
    _: KW_ONLY
    tau: float | Literal["1se"] = 0.0
    secondary: Literal["size"] | ArrayLike = "size"
    cv: Splits = 10
    n_jobs: int | None = None
    fixed: Columns = ()
    excluded: Columns = ()
    column_groups: Sequence[Columns] | None = None
    warm_start_from: Columns | None = None
    checkpoint: str | os.PathLike[str] | None = None
    error_score: float | Literal["raise"] = -np.inf
    max_evaluations: int | None = None
    max_seconds: float | None = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "criterion": "no_validation",  # by `as_rule`
        "tau": [Interval(Real, 0, 1, closed="both"), StrOptions({"1se"})],
        "secondary": [StrOptions({"size"}), "array-like"],
        "cv": ["cv_object"],
        "n_jobs": [None, Integral],
        "fixed": ["array-like"],
        "excluded": ["array-like"],
        "column_groups": [None, list, tuple],
        "warm_start_from": [None, "array-like"],
        "checkpoint": [None, str, os.PathLike],
        "error_score": [StrOptions({"raise"}), Interval(Real, None, None, closed="left")],  # inf would be chosen
        "max_evaluations": [None, Interval(Integral, 1, None, closed="left")],
        "max_seconds": [None, Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
        "group_size": [Interval(Integral, 1, None, closed="left")],
    }

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: ArrayLike | None = None, **params: Any) -> Self:
        """Search.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Every estimator that is refitted, not only a pipeline, gets the columns of a subset as a data frame, if X is
            one of pandas or polars. Columns that a parameter gives by name, number or mask (of a ColumnTransformer, an
            encoder or a booster, also within a parameter grid) are columns of X in every subset, behind steps that keep
            the columns, too.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            Class labels; numbers, if the criterion is the score of a regressor. Several outputs, a structured array of
            survival times or None, if the estimators take it.
        **params : dict
            Without metadata routing: ``groups`` for the splitter and ``sample_weight`` for the estimator's fit. With
            it (``sklearn.set_config(enable_metadata_routing=True)``): whatever was requested. What names columns, as
            ``cat_features`` of CatBoost, refers to those of X in every subset.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            NaN (unless the estimator accepts it), one class, unknown columns, a size that cannot be reached, a
            parameter that refers to columns and cannot be transferred to a subset.
        """
        cv = list(self.cv) if isinstance(self.cv, Iterator) else self.cv  # all criteria share the splits of a generator
        rule = as_rule(self.criterion, cv)
        routed = metadata_by_consumer(self, rule, params)
        estimators = estimators_of(rule)
        X, y = checked_samples(
            self,
            X,
            y,
            needs_classes=rule.needs_classes,
            numeric=not estimators,
            any_target=take_any_target(estimators),
        )
        check_metadata(params, X)
        space = self._search_space(X)
        start = self._start(X, space)
        size, allowed = self._target_sizes(space, start)
        costs = None if isinstance(self.secondary, str) else as_costs(self.secondary, self.n_features_in_)
        evaluator = Evaluator(self, rule, X, y, space, routed, step_callback(self, X, y))
        try:
            if self.tau == "1se" and evaluator.n_folds < 2:
                raise ValueError(
                    f'tau="1se" needs the scores of two folds or more of one cross-validated criterion, which '
                    f"{self.criterion!r} does not have; give tau as a number, or pass main=... to a voting rule."
                )
            self._run(evaluator, start, size, allowed, costs)
        except ValueError as error:
            name_column(error, X)
            raise
        finally:
            evaluator.close()
        return self

    def _run(self, evaluator, start, size, allowed, costs):
        """Search, and describe the result."""
        self.stopped_ = None
        try:
            subset = self._select(evaluator, start, size, allowed)
        except SearchStopped as stop:
            self.stopped_ = stop.args[0]
        except KeyboardInterrupt:
            self.stopped_ = "interrupt"
        if self.stopped_ is not None:
            subset = self._best_so_far(evaluator, allowed)
        evaluator.deadline = None  # what follows describes the result
        if self.tau != 0:
            subset = cheapest_subset(evaluator, allowed, self.tau, costs)
        evaluator.report_failures(subset)
        self.support_ = evaluator.space.support(subset)
        self.n_features_to_select_ = int(self.support_.sum())
        self.size_ = evaluator.space.size(subset)
        self.score_ = evaluator.known_value(subset)
        self.n_evaluations_ = evaluator.n_evaluations
        self.trace_ = evaluator.trace()
        self.path_ = evaluator.path()
        self.best_per_size_ = evaluator.best_per_size()
        self.computed_ = evaluator.computed()

    def _select(self, evaluator, start, size, allowed):
        """The subset that the search selects."""
        if size == 0 or evaluator.n_units == 0:
            evaluator.value(())
            return ()
        may_be_empty = size is None or (isinstance(allowed, range) and 0 in allowed)
        if may_be_empty and evaluator.space.fixed_units:
            evaluator.value(())  # the fixed columns alone are a subset, too; no search scores it
        subset = self._search(evaluator, start, size)
        return evaluator.best(allowed) if isinstance(allowed, range) else subset

    def _best_so_far(self, evaluator, allowed):
        """The best subset of a search that was stopped, of the size asked for if there is one."""
        subset = evaluator.best(allowed)
        if subset is None:
            subset = evaluator.best()
            if subset is None:
                raise KeyboardInterrupt("interrupted before a single subset was scored")
            first = allowed if isinstance(allowed, int) else allowed[0 if self._direction > 0 else -1]
            requested = first + len(evaluator.space.fixed_units)
            warn_user(
                f"The search was stopped ({self.stopped_}) before it reached {requested} units; the best subset so "
                f"far has {evaluator.space.size(subset)}.",
                ConvergenceWarning,
            )
        if self.stopped_ == "interrupt":  # unlike a budget, it is not requested in advance
            warn_user(
                f"The search was interrupted and keeps the best of the {evaluator.n_evaluations} subsets scored so "
                "far; press Ctrl-C again to stop what comes after it, or fit again to resume from a checkpoint.",
                ConvergenceWarning,
            )
        return subset

    # parameters -------------------------------------------------------------------------------------------------

    @property
    def _rule(self):
        return as_rule(self.criterion, self.cv)

    @property
    def needs_classes(self) -> bool:
        """Whether a criterion of the search needs class labels."""
        return self._rule.needs_classes

    def _search_space(self, X):
        space = SearchSpace.of(X, self.n_features_in_, self.column_groups, self.fixed, self.excluded)
        n_units = len(space.units)
        if n_units and self.group_size > n_units:
            raise ValueError(
                f"group_size={self.group_size} exceeds the number of units to choose from, {n_units}; use a "
                "smaller one."
            )
        return space

    def _start(self, X, space):
        if self.warm_start_from is None:
            return None
        if not self._takes_warm_start:
            raise ValueError(f"{type(self).__name__} has no starting subset; leave out warm_start_from.")
        return space.subset(column_numbers(self.warm_start_from, "warm_start_from", X))

    def _target_sizes(self, space, start):
        """``(size to search for, sizes of the result)`` in units without the fixed ones; None is any size."""
        return None, None

    def _search(self, evaluator, start, size):
        raise NotImplementedError

    # scikit-learn -----------------------------------------------------------------------------------------------

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        with suppress(ValueError):  # not a criterion: `fit` raises the error, displaying the search must not
            estimators = estimators_of(self._rule)
            tags_of_estimators = list(map(get_tags, estimators))
            requires_target = any(t.target_tags.required for t in tags_of_estimators)
            tags.target_tags.required = requires_target or not take_any_target(estimators)
            if estimators:
                tags.input_tags.allow_nan = all(map(allows_nan, estimators))
                tags.input_tags.sparse = all(t.input_tags.sparse for t in tags_of_estimators)
                tags.target_tags.multi_output = all(map(takes_several_outputs, estimators))
        return tags

    def get_metadata_routing(self) -> "MetadataRouter":
        """Route metadata to every estimator (fit), splitter (split) and scorer (score) of the criterion.

        Returns
        -------
        routing : MetadataRouter
        """
        return metadata_router(self, self._rule)


@estimator_dataclass
class SizedSearch(SubsetSearch):
    """Searches that can be told how many features to select.

    Parameters
    ----------
    n_features_to_select : int, float, (int, int) or None, default=None
        How many units (columns, or groups of columns) to select, fixed ones included; a float is a proportion of
        all that are not excluded. Two numbers are a range of sizes, of which the best subset is selected; only
        searches that add or remove units step by step take them. None optimizes the size: the best subset of any size
        that the search scored.
    """

    n_features_to_select: int | float | tuple[int, int] | None = None

    _parameter_constraints: ClassVar[dict] = {
        "n_features_to_select": [
            None,
            Interval(RealNotInt, 0, 1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
            tuple,
        ]
    }

    _direction = 0  # 1 adds units, -1 removes them; 0 goes both ways

    def _target_sizes(self, space, start):
        """For a range of sizes, the search continues to the one that it reaches last."""
        requested = self.n_features_to_select
        if requested is None:
            size = self._default_size(len(space.units), start)
            return size, size
        low, high = (d - len(space.fixed_units) for d in self._limits(requested, space))
        if high == 0:
            return 0, 0
        size = self._last_size(low, high, len(space.units), start)
        return size, range(low, high + 1) if isinstance(requested, tuple) else size

    def _limits(self, requested, space):
        """The smallest and the largest size of an ``n_features_to_select``, fixed units included."""
        n_fixed = len(space.fixed_units)
        min_size, max_size = max(1, n_fixed), len(space.units) + n_fixed
        if isinstance(requested, tuple) and self._direction == 0:
            raise ValueError(
                f"{type(self).__name__} takes one size, not the range n_features_to_select={requested!r}; use SFS, "
                "SBS, SFFS, SBFS or PlusLMinusR for a range."
            )
        if isinstance(requested, tuple):
            limits = requested
        elif isinstance(requested, Integral):
            limits = requested, requested
        else:
            n_requested = max(1, int(round(requested * max_size, 9)))  # 0.29 * 100 is 29, not 28.99...
            limits = n_requested, n_requested
        are_numbers = all(isinstance(d, Integral) and not isinstance(d, bool) for d in limits)
        if not (len(limits) == 2 and are_numbers and min_size <= limits[0] <= limits[1] <= max_size):
            columns = "units (columns and column_groups)" if self.column_groups else "columns"
            fixed = f", {n_fixed} of them fixed" if n_fixed else ""
            also = f", or a range such as ({min_size}, {max_size})" if self._direction else ""
            raise ValueError(
                f"n_features_to_select={requested!r} is not possible with {max_size} {columns}{fixed}; give a number "
                f"from {min_size} to {max_size}{also}."
            )
        return int(limits[0]), int(limits[1])

    def _last_size(self, low, high, n_units, start):
        """Of the sizes from low to high, the one that steps from the starting subset reach last."""
        requested, c = self.n_features_to_select, self.group_size
        begin = len(start) if start is not None else 0 if self._direction > 0 else n_units
        n_steps = {d: self._direction * (d - begin) for d in range(low, high + 1)}
        if min(n_steps.values()) < 0:
            moves, bound = ("adds", "at most") if self._direction > 0 else ("removes", "at least")
            raise ValueError(
                f"warm_start_from has {begin} units, but {type(self).__name__} only {moves} units and "
                f"n_features_to_select is {requested}; start from {bound} {low if self._direction > 0 else high}."
            )
        reached = [d for d in n_steps if d and n_steps[d] % c == 0]
        if not reached:
            raise ValueError(
                f"group_size={c}: steps from {begin} units do not reach n_features_to_select={requested!r}; give "
                "another size, or group_size=1."
            )
        return reached[-1 if self._direction > 0 else 0]

    def _default_size(self, n_units, start):
        return None


T = TypeVar("T")


@dataclass_transform()
def fill_common_docs(cls: type[T]) -> type[T]:
    """Declare the parameters of a search, see `estimator_dataclass`; fill in the documentation that searches share."""
    cls = estimator_dataclass(cls)
    if cls.__doc__:
        parameters, attributes = _sections(SubsetSearch)
        criterion, common = re.split(r"\n *(?=tau : )", parameters)
        texts = {"criterion": criterion, "size": _sections(SizedSearch)[0], "common": common, "attributes": attributes}
        for key, text in texts.items():
            cls.__doc__ = cls.__doc__.replace(f"%({key})s", text)
    return cls


def _sections(cls):
    """What the documentation of a class says about its parameters and attributes."""
    return [text.strip() for text in re.split(r"\n *(?:Parameters|Attributes)\n *-+\n", cls.__doc__)[1:]]
