"""Base classes of searches as scikit-learn selectors: parameters, validation, results."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from fscore._sklearn import (
    CallbackSupportMixin,
    HasMethods,
    Interval,
    RealNotInt,
    StrOptions,
    fit_context,
    num_samples,
    with_callbacks,
)
from fscore._typing import ArrayLike, Columns, Estimator, MatrixLike, Splits
from fscore._warnings import warn_user
from fscore.criteria._base import Criterion
from fscore.criteria._refit import inner_estimators
from fscore.search._columns import column_numbers, searchable_units, start_units
from fscore.search._evaluator import Evaluator, SearchStopped
from fscore.search._inputs import (
    check_metadata,
    checked_samples,
    estimator_scores,
    metadata_by_consumer,
    metadata_router,
)
from fscore.search._parameters import selector
from fscore.search._results import as_costs, cheapest_subset
from fscore.search._rules import ChoiceRule, as_rule

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter

__all__ = ["SizedSearch", "SubsetSearch"]


@dataclass(repr=False, eq=False)
class SubsetSearch(CallbackSupportMixin, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Base class of searches. Subclasses implement ``_search(evaluator, start, goal, rng) -> subset``.

    The page "Criteria, rules and searches of your own" has an example. Parameters and attributes are those of `SFS`.
    """

    _starts = True  # whether the search has a starting subset, so that warm_start_from makes sense

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
        "criterion": [Criterion, ChoiceRule, HasMethods(["fit", "predict"])],
        "tau": [Interval(Real, 0, 1, closed="both"), StrOptions({"1se"})],
        "secondary": [StrOptions({"size"}), "array-like"],
        "cv": ["cv_object"],
        "n_jobs": [None, Integral],
        "fixed": ["array-like"],
        "excluded": ["array-like"],
        "column_groups": [None, list, tuple],
        "warm_start_from": [None, "array-like"],
        "checkpoint": [None, str, os.PathLike],
        "error_score": [StrOptions({"raise"}), Interval(Real, None, None, closed="both")],
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
            one of pandas or polars. What a ColumnTransformer, ``categorical_features``, ``monotonic_cst`` or
            ``interaction_cst`` names, by name, number or mask, are columns of X in every subset.
        y : array-like of shape (n_samples,)
            Class labels; numbers, if the criterion is the score of a regressor.
        **params : dict
            Without metadata routing: ``groups`` for the splitter and ``sample_weight`` for the estimator's fit. With
            it (``sklearn.set_config(enable_metadata_routing=True)``): whatever was requested.

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
        members = estimator_scores(rule)
        routed = metadata_by_consumer(self, members, params)
        allow_nan, _, multi_output = _accepts(rule)
        X, y = checked_samples(
            self,
            X,
            y,
            needs_classes=rule.needs_classes,
            converts=len(members) < len(rule.members()),
            allow_nan=allow_nan,
            multi_output=multi_output,
        )
        check_metadata(params, num_samples(X))
        units, fixed, n_fixed = self._units()
        start = self._start(units, fixed)
        goal, sizes = self._goal(len(units), n_fixed, start)
        costs = self._costs()
        if self.checkpoint is not None:
            _warn_of_unrepeatable_folds(members)
        evaluator = Evaluator(
            rule,
            X,
            y,
            units=units,
            fixed=fixed,
            n_fixed=n_fixed,
            n_jobs=self.n_jobs,
            params=routed,
            checkpoint=self.checkpoint,
            error_score=self.error_score,
            max_evaluations=self.max_evaluations,
            max_seconds=self.max_seconds,
            on_step=_step_callback(self, X, y),
            verbose=self.verbose,
        )
        try:
            if self.tau == "1se":
                self._check_folds(evaluator)
            self._run(evaluator, start, goal, sizes, costs)
        finally:
            evaluator.close()
        return self

    def _run(self, evaluator, start, goal, sizes, costs):
        """Search, and describe the result."""
        self.stopped_ = None
        try:
            subset = self._found(evaluator, start, goal, sizes)
        except SearchStopped as stop:
            self.stopped_ = stop.args[0]
        except KeyboardInterrupt:
            self.stopped_ = "interrupt"
        if self.stopped_ is not None:
            subset = self._best_so_far(evaluator, sizes)
        evaluator.finish(subset)
        if self.tau != 0:
            subset = cheapest_subset(evaluator, subset, sizes, self.tau, costs)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[list(evaluator.columns(subset))] = True
        self.n_features_to_select_ = int(self.support_.sum())
        self.size_ = len(subset) + evaluator.n_fixed
        self.score_ = evaluator.known_value(subset)
        self.n_evaluations_ = evaluator.n_evaluations
        self.trace_ = evaluator.trace()
        self.path_ = evaluator.path()
        self.best_per_size_ = evaluator.best_per_size()
        self.computed_ = evaluator.computed()

    def _found(self, evaluator, start, goal, sizes):
        """The subset that the search finds."""
        if goal == 0 or evaluator.n == 0:
            evaluator.value(())
            return ()
        if goal is None and evaluator.fixed:
            evaluator.value(())  # the fixed columns alone are a subset, too; no search scores it
        subset = self._search(evaluator, start, goal, check_random_state(getattr(self, "random_state", None)))
        return evaluator.best(sizes) if isinstance(sizes, range) else subset

    def _best_so_far(self, evaluator, sizes):
        """The best subset of a search that was stopped, of the size asked for if there is one."""
        subset = evaluator.best(sizes)
        if subset is None:
            subset = evaluator.best()
            if subset is None:
                if self.stopped_ == "interrupt":
                    raise KeyboardInterrupt("interrupted before a single subset was scored")
                remedy = "let the callback go on" if self.stopped_ == "callback" else f"raise max_{self.stopped_}"
                raise ValueError(
                    f"the search was stopped ({self.stopped_}) before a single subset was scored; {remedy}."
                )
            least = sizes if isinstance(sizes, int) else sizes[0]
            warn_user(
                f"The search was stopped ({self.stopped_}) before it reached {least + evaluator.n_fixed} units; the "
                f"best subset so far has {len(subset) + evaluator.n_fixed}.",
                ConvergenceWarning,
            )
        if self.stopped_ == "interrupt":  # unlike a budget, it is not requested in advance
            warn_user(
                f"The search was interrupted and keeps the best of the {evaluator.n_evaluations} subsets scored so "
                "far; press Ctrl-C again to stop what comes after it, or fit again to resume from a checkpoint.",
                ConvergenceWarning,
            )
        return subset

    def _check_folds(self, evaluator):
        """Refuse the rule of one standard error without fold scores."""
        if evaluator.n_folds == 0:
            raise ValueError(
                f'tau="1se" needs the fold scores of one cross-validated criterion, which {self.criterion!r} does not '
                "have; give tau as a number, or name a main criterion."
            )
        if evaluator.n_folds == 1:
            raise ValueError('tau="1se" needs at least two folds, but cv makes one; give more, or tau as a number.')

    # parameters -------------------------------------------------------------------------------------------------

    @property
    def needs_classes(self) -> bool:
        """Whether a criterion of the search needs class labels."""
        return as_rule(self.criterion, self.cv).needs_classes

    def _costs(self):
        """The cost of each column; None if the size decides."""
        if isinstance(self.secondary, str):
            return None
        cost = as_costs(self.secondary)
        if cost.shape != (self.n_features_in_,):
            raise ValueError(
                f"secondary holds {cost.shape} costs, but X has {self.n_features_in_} features; give one per feature."
            )
        return cost

    def _numbers(self, columns, name):
        return column_numbers(columns, name, self.n_features_in_, getattr(self, "feature_names_in_", None))

    def _units(self):
        """``(searchable units, fixed columns, number of fixed units)``."""
        units, always, n_fixed = searchable_units(
            self.n_features_in_,
            [self._numbers(g, "column_groups") for g in self.column_groups or []],
            self._numbers(self.fixed, "fixed"),
            self._numbers(self.excluded, "excluded"),
        )
        c = getattr(self, "group_size", 1)
        if units and c > len(units):
            raise ValueError(
                f"group_size={c}, but there are only {len(units)} units to choose from; use a smaller one."
            )
        return units, always, n_fixed

    def _start(self, units, fixed):
        if self.warm_start_from is None:
            return None
        if not self._starts:
            raise ValueError(f"{type(self).__name__} has no starting subset; leave out warm_start_from.")
        return start_units(self._numbers(self.warm_start_from, "warm_start_from"), units, fixed)

    def _goal(self, n_units, n_fixed, start):
        """``(size to search for, sizes of the result)`` in units without the fixed ones; None is any size."""
        return None, None

    def _search(self, evaluator, start, goal, rng):
        raise NotImplementedError

    # scikit-learn -----------------------------------------------------------------------------------------------

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        with suppress(ValueError):  # not a criterion: `fit` raises the error, displaying the search must not
            allow_nan, sparse, multi_output = _accepts(as_rule(self.criterion, self.cv))
            tags.input_tags.allow_nan, tags.input_tags.sparse = allow_nan, sparse
            tags.target_tags.multi_output = multi_output
        return tags

    def get_metadata_routing(self) -> "MetadataRouter":
        """Route metadata to every estimator (fit), splitter (split) and scorer (score) of the criterion.

        Returns
        -------
        routing : MetadataRouter
        """
        return metadata_router(self, estimator_scores(as_rule(self.criterion, self.cv)))


@selector
class SizedSearch(SubsetSearch):
    """Searches that can be told how many features to select."""

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

    def _goal(self, n_units, n_fixed, start):
        size = self.n_features_to_select
        if size is None:
            size = self._default_size(n_units, start)
            return size, size
        if isinstance(size, tuple):
            return self._goal_of_range(n_units, n_fixed, start)
        if not isinstance(size, Integral):
            size = max(1, int(round(size * (n_units + n_fixed), 9)))  # 0.29 * 100 is 29, not 28.99...
        size = self._without_fixed(size, n_units, n_fixed)
        c = getattr(self, "group_size", 1)
        if size and self._steps_to(size, n_units, start) % c:
            raise ValueError(
                f"group_size={c} never leads to {size} of {n_units} units; choose a size that differs from the "
                "starting size by a multiple of it."
            )
        return size, size

    def _goal_of_range(self, n_units, n_fixed, start):
        """A search goes to the end of the range that it reaches last."""
        size = self.n_features_to_select
        if not (len(size) == 2 and all(isinstance(d, Integral) and d > 0 for d in size) and size[0] <= size[1]):
            raise ValueError(f"n_features_to_select={size!r} is not a range of sizes, as (2, 8).")
        if self._direction == 0:
            raise ValueError(
                f"{type(self).__name__} takes one size, not the range n_features_to_select={size!r}; use SFS, SBS, "
                "SFFS, SBFS or PlusLMinusR for a range."
            )
        low, high = (self._without_fixed(int(d), n_units, n_fixed) for d in size)
        c = getattr(self, "group_size", 1)
        reached = [d for d in range(low, high + 1) if d and self._steps_to(d, n_units, start) % c == 0]
        if not reached:
            raise ValueError(f"group_size={c} leads to no size in {size!r} of {n_units} units; widen the range.")
        return reached[-1 if self._direction > 0 else 0], range(low, high + 1)

    def _without_fixed(self, size, n_units, n_fixed):
        if size > n_units + n_fixed:
            raise ValueError(f"n_features_to_select={size}, but only {n_units + n_fixed} can be chosen; ask for fewer.")
        if size < n_fixed:
            raise ValueError(f"n_features_to_select={size}, but {n_fixed} are fixed; ask for more or fix fewer.")
        return size - n_fixed

    def _steps_to(self, size, n_units, start):
        """How many units a search adds or removes to reach a size."""
        if self._direction == 0:
            return 0
        begin = len(start) if start is not None else 0 if self._direction > 0 else n_units
        n_steps = self._direction * (size - begin)
        if n_steps < 0:
            raise ValueError(
                f"warm_start_from has {len(start)} units to search over, but {size} are asked for, and "
                f"{type(self).__name__} searches in the other direction; start from fewer (forward) or more (backward)."
            )
        return n_steps

    def _default_size(self, n_units, start):
        return None


def _step_callback(estimator, X, y):
    """A function to call after each step of a search, true if a callback asks to stop; None without callbacks."""
    if not hasattr(estimator, "_init_callback_context"):
        return None
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    if not getattr(estimator, "_skl_callbacks", None):
        return None

    def step(evaluator):
        task = context.subcontext(task_name="step")
        task.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
        support = np.zeros(X.shape[1], dtype=bool)
        support[list(evaluator.columns(evaluator.best()))] = True
        return task.call_on_fit_task_end(
            estimator=estimator, X=X, y=y, reconstruction_attributes=lambda: {"support_": support}
        )

    step.context = context
    return step


def _warn_of_unrepeatable_folds(members):
    for c in members:
        # splitters without the parameter `shuffle` always shuffle
        if getattr(c.cv, "random_state", 0) is None and getattr(c.cv, "shuffle", True):
            warn_user(
                f"{c.cv!r} shuffles without a seed, so every search draws other folds, and none can use the scores in "
                "a checkpoint; give it a random_state.",
                UserWarning,
            )
            return


def _accepts(rule):
    """Whether a rule takes missing values, sparse data and several targets, since all of its estimators do."""
    inner = [c.resolved_estimator() for c in estimator_scores(rule)]
    if len(inner) < len(rule.members()):
        return False, False, False
    tags = [get_tags(estimator) for estimator in inner]
    multi_output = not rule.needs_classes and all(t.target_tags.multi_output for t in tags)
    return all(map(_allows_nan, inner)), all(t.input_tags.sparse for t in tags), multi_output


def _allows_nan(estimator):
    """Whether an estimator takes missing values; the tags of those that pass their data on don't say."""
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
        return bool(steps) and _allows_nan(steps[0])
    if isinstance(estimator, ColumnTransformer) or get_tags(estimator).input_tags.allow_nan:
        return True
    inner = [part for part in inner_estimators(estimator) if hasattr(part, "__sklearn_tags__")]
    return bool(inner) and all(map(_allows_nan, inner))
