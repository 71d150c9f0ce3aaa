"""What all searches share as scikit-learn selectors: validation, the evaluator's options, results."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from fscore._parameters import Interval, fit_context
from fscore._pickling import VersionedPickleMixin
from fscore._typing import Columns, Estimator, MatrixLike, Splits
from fscore._validation import check_label_types, encode_labels, validated
from fscore._warnings import warn_user
from fscore.criteria import CVScore
from fscore.criteria._base import Criterion
from fscore.search._cache import SubsetCache
from fscore.search._callbacks import CallbackSupportMixin, step_callback, with_callbacks
from fscore.search._choice import ChoiceRule, as_rule
from fscore.search._evaluator import Evaluator
from fscore.search._metadata import check_metadata, metadata_by_consumer, metadata_router
from fscore.search._recorder import SearchStopped
from fscore.search._regularize import as_costs
from fscore.search._result import best_so_far, cheapest_subset
from fscore.search._units import column_numbers, frame_or_array, searchable_units, start_units

if TYPE_CHECKING:
    from sklearn.utils.metadata_routing import MetadataRouter

__all__ = ["SubsetSearch"]

_INNER = ("estimator", "regressor")  # what scikit-learn's meta-estimators call the estimator that they pass data on to


@dataclass(repr=False, eq=False)
class SubsetSearch(VersionedPickleMixin, CallbackSupportMixin, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of all searches. Subclasses implement ``_search(evaluator, start, size, rng) -> subset``."""

    _starts = True  # from some subset, so that warm_start_from is meaningful

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
    cache: bool | SubsetCache = True
    checkpoint: str | os.PathLike[str] | None = None
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
        "cache": ["boolean", SubsetCache],
        "checkpoint": [None, str, os.PathLike],
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
            Pipelines get the columns of each subset in a DataFrame of pandas or polars if X is one. A ColumnTransformer
            inside chooses among them by ``make_column_selector``; a list of names holds columns that a subset lacks.
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
            ColumnTransformer that lists columns which a subset lacks.
        """
        cv = list(self.cv) if isinstance(self.cv, Iterator) else self.cv  # a generator serves all criteria
        rule = as_rule(self.criterion, cv)
        needs_classes = self.needs_classes()
        if y is not None and needs_classes:
            check_label_types(y)
        routed = metadata_by_consumer(self, self._cv_members(), params)
        original = X
        X, y = validated(
            partial(validate_data, self),
            X,
            y,
            dtype=None if self._tags_of_inner() is not None else "numeric",
            accept_sparse="csc",
            ensure_all_finite=not self.__sklearn_tags__().input_tags.allow_nan,
            ensure_min_samples=2,
            y_numeric=not needs_classes,
        )
        if needs_classes:
            encode_labels(y)
        check_metadata(params, _num_samples(X))
        units, fixed, n_fixed = self._units()
        start = self._start(units, fixed)
        size = self._size(len(units), n_fixed, start)
        self._costs()  # refuses bad costs before the search
        cache = self._cache()
        evaluator = Evaluator(
            rule,
            frame_or_array(original, X),
            y,
            units=units,
            fixed=fixed,
            n_fixed=n_fixed,
            n_jobs=self.n_jobs,
            params=routed,
            cache=cache,
            max_evaluations=self.max_evaluations,
            max_seconds=self.max_seconds,
            on_step=step_callback(self, X, y),
            verbose=self.verbose,
        )
        if self.tau == "1se" and not evaluator.has_standard_error:
            evaluator.close()
            raise ValueError(
                f'tau="1se" needs the fold scores of one cross-validated criterion, which {self.criterion!r} does not '
                "have; give tau as a number, or name a main criterion."
            )
        if self.tau == "1se" and evaluator.n_folds < 2:
            evaluator.close()
            raise ValueError('tau="1se" needs at least two folds, but cv makes one; give more, or tau as a number.')
        try:
            self._walk(evaluator, start, size)
        except ValueError as error:
            if "are not columns of the dataframe" not in str(error):  # scikit-learn's words
                raise
            raise ValueError(
                f"a ColumnTransformer lists columns that a subset lacks ({error}); choose its columns by "
                "make_column_selector, or make the listed ones fixed."
            ) from error
        return self

    def _walk(self, evaluator, start, size):
        """Search, and describe the result."""
        try:
            subset = self._found(evaluator, start, size)
            evaluator.stop_checking()
            if self.tau != 0:
                subset = cheapest_subset(evaluator, subset, size, self.tau, self._costs())
            space, recorder = evaluator.space, evaluator.recorder
            self.support_ = space.support(subset)
            self.n_features_to_select_ = int(self.support_.sum())
            self.size_ = len(subset) + space.n_fixed
            self.score_ = recorder.known_value(subset)
            self.n_evaluations_ = recorder.n_evaluations
            self.trace_ = evaluator.trace()
            self.path_ = recorder.course()
            self.best_per_size_ = recorder.best_per_size()
            self.computed_ = evaluator.data.counts()
        finally:
            evaluator.close()

    def _found(self, evaluator, start, size):
        """The subset that the search finds; the best so far if it is stopped."""
        self.stopped_ = None
        subset = None
        try:
            if size == 0 or evaluator.n == 0:
                subset = ()
                evaluator.value(subset)
            else:
                if size is None and evaluator.space.fixed:
                    evaluator.value(())  # the fixed columns alone are a subset, too, which no search would value
                subset = self._search(evaluator, start, size, check_random_state(getattr(self, "random_state", None)))
        except SearchStopped as stop:
            self.stopped_ = stop.args[0]
        except KeyboardInterrupt:
            self.stopped_ = "interrupt"
        if self.stopped_ is not None:
            subset = best_so_far(evaluator.recorder, evaluator.space, size, self.stopped_)
        return subset

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

    # parameters -------------------------------------------------------------------------------------------------

    def _rule(self):
        return as_rule(self.criterion, self.cv)

    def needs_classes(self) -> bool:
        """Whether a criterion of the search needs class labels.

        Returns
        -------
        bool
        """
        return any(c.needs_classes for c in self._rule().members())

    def main_criterion(self) -> Criterion | None:
        """The criterion that the search compares, with estimators resolved; None if it is the mean of several.

        Returns
        -------
        Criterion or None
        """
        return self._rule().main_criterion()

    def _cache(self):
        if self.checkpoint is not None and self.cache is not True:
            raise ValueError("checkpoint keeps its own cache; give either checkpoint or cache, not both.")
        cache = self.cache if self.checkpoint is None else SubsetCache(self.checkpoint)
        unseeded = [c.cv for c in self._cv_members() if _shuffles_unseeded(c.cv)]
        if unseeded and isinstance(cache, SubsetCache):
            warn_user(
                f"{unseeded[0]!r} shuffles without a seed, so every search draws other folds, and none can use the "
                "values in a cache or checkpoint; give it a random_state.",
                UserWarning,
            )
        return cache

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

    def _size(self, n_units, n_fixed, start):
        """Number of units to search for; None if the search optimizes it."""
        return None

    # scikit-learn -----------------------------------------------------------------------------------------------

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _cv_members(self):
        return [c for c in self._rule().members() if isinstance(c, CVScore)]

    def _tags_of_inner(self):
        """Tags of the estimators, if all criteria are cross-validated estimators."""
        try:
            members = self._rule().members()
            if all(isinstance(c, CVScore) for c in members):
                return [get_tags(c.resolved_estimator()) for c in members]
        except ValueError:
            pass  # not a criterion: `fit` raises the error, displaying the search must not
        return None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        inner = self._tags_of_inner() or []
        tags.input_tags.allow_nan = bool(inner) and all(
            _allows_nan(c.resolved_estimator()) for c in self._rule().members()
        )
        tags.input_tags.sparse = bool(inner) and all(t.input_tags.sparse for t in inner)
        return tags

    def get_metadata_routing(self) -> "MetadataRouter":
        """Route metadata to every estimator (fit), splitter (split) and scorer (score) of the criterion.

        Returns
        -------
        routing : MetadataRouter
        """
        return metadata_router(self, self._cv_members())


def _shuffles_unseeded(cv):
    """Whether a splitter draws other folds every time; those without the parameter ``shuffle`` always shuffle."""
    return getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True)


def _allows_nan(estimator):
    """Whether an estimator takes missing values; the tags of those that pass their data on don't say."""
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
        return bool(steps) and _allows_nan(steps[0])
    if isinstance(estimator, ColumnTransformer) or get_tags(estimator).input_tags.allow_nan:
        return True
    # of unions; of voting and stacking
    inner = getattr(estimator, "transformer_list", getattr(estimator, "estimators", None))
    if isinstance(inner, list | tuple):
        inner = [part[-1] if isinstance(part, tuple) else part for part in inner]
    else:
        inner = [getattr(estimator, name, None) for name in _INNER]
    inner = [part for part in inner if hasattr(part, "__sklearn_tags__")]
    return bool(inner) and all(map(_allows_nan, inner))
