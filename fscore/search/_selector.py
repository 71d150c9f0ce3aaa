"""What all selectors share: validation, the evaluator's options, results."""

import os
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import ClassVar

from sklearn.base import BaseEstimator, MetaEstimatorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils._tags import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from fscore._validation import encode_labels
from fscore._warnings import warn_user
from fscore.criteria import CVAccuracy
from fscore.criteria._base import Criterion
from fscore.criteria._cv import as_criterion
from fscore.search._cache import SubsetCache
from fscore.search._callbacks import CallbackSupportMixin, step_callback, with_callbacks
from fscore.search._evaluator import Evaluator, SearchStopped
from fscore.search._metadata import metadata_by_consumer, metadata_router
from fscore.search._regularize import as_costs, regularize
from fscore.search._units import column_numbers, searchable_units, start_units

__all__ = ["SizedSearch", "SubsetSearch", "selector"]

DOCS = {
    "criterion": """criterion : classifier or Criterion
        What a subset is worth. A classifier stands for its `CVAccuracy(criterion, cv=cv)`.""",
    "size": """n_features_to_select : int, float or None, default=None
        How many units (columns, or groups of columns) to select, fixed ones included; a float is a proportion of
        all that are not excluded. None optimizes the size: the best subset of any size met on the way.""",
    "group_size": """group_size : int, default=1
        c, the number of units added or removed at once (the paper's c-tuples).""",
    "common": """tau : float in [0, 1], default=0.0
        Subsets within ``(1 - tau)`` of the best value are treated as equal, and `secondary` decides among them
        (Section 2 of the paper, off-line reading; see `regularize`). 0 keeps the search's own result.
    secondary : {"size"} or array-like of shape (n_features,), default="size"
        "size" prefers the smaller subset; an array holds the cost of each feature.
    cv : int, splitter or iterable, default=10
        Values the classifiers given as `criterion` or within it; a `CVAccuracy` has its own.
    n_jobs : int or None, default=None
        Threads for the compiled k-NN criterion, else processes that share the candidates of a step.
    fixed : sequence of int or str, or mask of shape (n_features,), default=()
        Columns that every subset contains.
    excluded : sequence of int or str, or mask of shape (n_features,), default=()
        Columns that no subset contains.
    column_groups : list of such sequences or masks, or None, default=None
        Columns that belong together and come and go as one unit; columns not named are units of their own.
    warm_start_from : sequence of int or str, or mask of shape (n_features,), or None, default=None
        A subset to start from, such as the ``support_`` of another search. Refused by searches that start nowhere
        (best individual, exhaustive, branch and bound, random).
    cache : bool or SubsetCache, default=True
        Remember values. A `SubsetCache` may be shared: searches on the same data with the same criterion reuse values.
    checkpoint : str, path-like or None, default=None
        File to which values are appended as they are computed. The same search asked again resumes from it, if its
        folds are the same again: a splitter that shuffles needs a ``random_state``.
    max_evaluations : int or None, default=None
        Stop after so many different subsets, with the best so far: those that J values, which are the rows of
        `trace_`. Votes about the other candidates of a step and a hybrid's filter are not counted; see `computed_`.
    max_seconds : float or None, default=None
        Stop after so much time, with the best so far. The clock is looked at after every batch of subsets.
    verbose : int, default=0
        Positive shows a progress bar.""",
    "attributes": """support_ : ndarray of shape (n_features_in_,), dtype=bool
        The selected columns.
    n_features_to_select_ : int
        How many they are.
    size_ : int
        How many units they are.
    score_ : float
        Value of the selected subset.
    n_evaluations_ : int
        How many different subsets were valued.
    trace_ : DataFrame
        Every subset valued, in order: ``features`` (tuple of columns), ``size`` (in units), ``value``, ``step``.
    path_ : DataFrame
        The course of the search, a row a step: ``move``, ``features``, ``size``, ``value``, ``n_evaluations``.
    best_per_size_ : DataFrame
        Indexed by size: ``value`` and ``support`` (tuple of columns) of the best subset of that size.
    computed_ : list of (str, int)
        For each criterion involved, how often it was really computed in this fit.
    stopped_ : {None, "evaluations", "seconds", "interrupt", "callback"}
        Why the search ended early, if it did.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if X has column names.""",
}


def selector(cls):
    """Make the fields of a search its constructor's parameters; fill in the common documentation."""
    cls = dataclass(repr=False, eq=False)(cls)
    cls._parameter_constraints = {
        **cls.__mro__[1]._parameter_constraints,
        **vars(cls).get("_parameter_constraints", {}),
    }
    if cls.__doc__:
        for key, text in DOCS.items():
            cls.__doc__ = cls.__doc__.replace(f"%({key})s", text)
    return cls


@dataclass(repr=False, eq=False)
class SubsetSearch(CallbackSupportMixin, SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of all searches. Subclasses walk: ``_search(evaluator, start, size, rng) -> subset``."""

    _starts = True  # somewhere, so that warm_start_from has a meaning

    criterion: object
    _: KW_ONLY
    tau: float = 0.0
    secondary: object = "size"
    cv: object = 10
    n_jobs: int | None = None
    fixed: object = ()
    excluded: object = ()
    column_groups: object = None
    warm_start_from: object = None
    cache: object = True
    checkpoint: object = None
    max_evaluations: int | None = None
    max_seconds: float | None = None
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "criterion": [Criterion, HasMethods(["fit", "predict"])],
        "tau": [Interval(Real, 0, 1, closed="both")],
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
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, **params):
        """Search.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A DataFrame is passed on as it is, so that pipelines may address columns by name.
        y : array-like of shape (n_samples,)
            Class labels.
        **params : dict
            Without metadata routing: ``groups`` for the splitter and ``sample_weight`` for the classifier's fit. With
            it (``sklearn.set_config(enable_metadata_routing=True)``): whatever was requested.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            NaN (unless the classifier accepts it), one class, unknown columns, a size that cannot be reached.
        """
        criterion = self._criterion()
        routed = metadata_by_consumer(self, self._cv_members(), params)
        original = X
        X, y = validate_data(
            self,
            X,
            y,
            dtype=None if self._tags_of_inner() is not None else "numeric",
            accept_sparse="csc",
            ensure_all_finite=not self.__sklearn_tags__().input_tags.allow_nan,
            ensure_min_samples=2,
        )
        encode_labels(y)
        frame = original if hasattr(original, "iloc") else X
        units, fixed, n_fixed = self._units()
        start = self._start(units, fixed)
        size = self._size(len(units), n_fixed, start)
        self._costs()  # refuses what could not be used after the search
        cache = self._cache()
        evaluator = Evaluator(
            criterion,
            frame,
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
        self._walk(evaluator, start, size)
        return self

    def _walk(self, evaluator, start, size):
        """Search, and keep the best so far if stopped."""
        self.stopped_ = None
        subset = None
        try:
            if size == 0 or evaluator.n == 0:
                subset = ()
                evaluator.value(subset)
            else:
                if size is None and evaluator.fixed:
                    evaluator.value(())  # the fixed columns alone are a subset, too, which no search comes to
                subset = self._search(evaluator, start, size, check_random_state(getattr(self, "random_state", None)))
        except SearchStopped as stop:
            self.stopped_ = stop.args[0]
        except KeyboardInterrupt:
            self.stopped_ = "interrupt"
        finally:
            evaluator.close()
        subset = self._result(evaluator, subset, size)
        self.support_ = evaluator.support(subset)
        self.n_features_to_select_ = int(self.support_.sum())
        self.size_ = len(subset) + evaluator.n_fixed
        self.score_ = evaluator.known_value(subset)
        self.n_evaluations_ = evaluator.n_evaluations
        self.trace_ = evaluator.trace()
        self.path_ = evaluator.course()
        self.best_per_size_ = evaluator.best_per_size()
        self.computed_ = evaluator.counts()

    def _result(self, evaluator, subset, size):
        """The search's own answer; the best so far if it was stopped; regularized if tau > 0."""
        if self.stopped_ is not None:
            subset = evaluator.best(size)
            if subset is None:
                subset = evaluator.best()
                if subset is None:  # nothing to keep; only an interruption or a callback comes that early
                    raise KeyboardInterrupt("interrupted before a single subset was valued")
                warn_user(
                    f"The search was stopped ({self.stopped_}) before it reached {size + evaluator.n_fixed} units; the "
                    f"best subset so far has {len(subset) + evaluator.n_fixed}.",
                    ConvergenceWarning,
                )
            if self.stopped_ == "interrupt":  # nobody asked for it beforehand, as for a budget
                warn_user(
                    f"The search was interrupted and keeps the best of the {evaluator.n_evaluations} subsets valued so "
                    "far; press Ctrl-C again to stop what comes after it, or fit again to go on from a checkpoint.",
                    ConvergenceWarning,
                )
        rows = evaluator.rows or [(s, v, 0) for s, v in evaluator.best_of_size.values()]  # all that a long walk keeps
        if self.tau == 0 or not rows:
            return subset
        rows = [row for row in rows if size is None or len(row[0]) == size] or rows
        costs = self._costs()
        total = [len(s) if costs is None else costs[list(evaluator.all_columns(s))].sum() for s, _, _ in rows]
        return rows[regularize([v for _, v, _ in rows], self.tau, total)][0]

    def _costs(self):
        """What each column costs; None where the size decides."""
        if isinstance(self.secondary, str):
            return None
        cost = as_costs(self.secondary)
        if cost.shape != (self.n_features_in_,):
            raise ValueError(
                f"secondary holds {cost.shape} costs, but X has {self.n_features_in_} features; give one each."
            )
        return cost

    # parameters -------------------------------------------------------------------------------------------------

    def _criterion(self):
        return as_criterion(self.criterion, self.cv)

    def _cache(self):
        if self.checkpoint is not None and self.cache is not True:
            raise ValueError("checkpoint keeps a cache of its own; give either checkpoint or cache, not both.")
        cache = self.cache if self.checkpoint is None else SubsetCache(self.checkpoint)
        unseeded = [c.cv for c in self._cv_members() if _shuffles_unseeded(c.cv)]
        if unseeded and isinstance(cache, SubsetCache):
            warn_user(
                f"{unseeded[0]!r} shuffles without a seed, so its folds never come again, and no later search can use "
                "the values in a cache or checkpoint; give it a random_state.",
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
                f"group_size={c}, but there are only {len(units)} units to choose from; take a smaller one."
            )
        return units, always, n_fixed

    def _start(self, units, fixed):
        if self.warm_start_from is None:
            return None
        if not self._starts:
            raise ValueError(f"{type(self).__name__} starts nowhere, so warm_start_from has no meaning; leave it out.")
        return start_units(self._numbers(self.warm_start_from, "warm_start_from"), units, fixed)

    def _size(self, n_units, n_fixed, start):
        """Number of units to search for, None if that is left to the search."""
        return None

    # scikit-learn -----------------------------------------------------------------------------------------------

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _cv_members(self):
        return [c for c in self._criterion().members() if isinstance(c, CVAccuracy)]

    def _tags_of_inner(self):
        """Tags of the classifiers, if the criterion is made of such only."""
        try:
            members = self._criterion().members()
            if all(isinstance(c, CVAccuracy) for c in members):
                return [get_tags(c.resolved_estimator()) for c in members]
        except ValueError:
            pass  # no criterion, as `fit` will say; a search that is only shown must not
        return None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        inner = self._tags_of_inner() or []
        tags.input_tags.allow_nan = bool(inner) and all(t.input_tags.allow_nan for t in inner)
        tags.input_tags.sparse = bool(inner) and all(t.input_tags.sparse for t in inner)
        return tags

    def get_metadata_routing(self):
        """Route metadata to every classifier (fit), splitter (split) and scorer (score) of the criterion.

        Returns
        -------
        routing : MetadataRouter
        """
        return metadata_router(self, self._cv_members())


def _shuffles_unseeded(cv):
    """Whether a splitter cuts other folds every time; those without the parameter ``shuffle`` always do shuffle."""
    return getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True)


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
            size = max(1, int(size * (n_units + n_fixed)))
        if size > n_units + n_fixed:
            raise ValueError(
                f"n_features_to_select={size}, but there are {n_units + n_fixed} to choose from; ask for fewer."
            )
        if size < n_fixed:
            raise ValueError(f"n_features_to_select={size}, but {n_fixed} are fixed; ask for more or fix fewer.")
        size -= n_fixed
        c = getattr(self, "group_size", 1)
        way = self._size_step(n_units, size, start)
        if way < 0:
            raise ValueError(
                f"warm_start_from has {len(start)} units to search over, but {size} are asked for: "
                f"{type(self).__name__} goes the other way; start from fewer (forward) or more (backward)."
            )
        if size and way % c:
            raise ValueError(
                f"group_size={c} never leads to {size} of {n_units} units; choose a size that is a multiple of it away "
                "from where the search starts."
            )
        return size

    def _default_size(self, n_units, start):
        return None

    def _size_step(self, n_units, size, start):
        """How far the search has to go; must be a multiple of group_size, and not be negative."""
        return size - len(start or ())
