"""What we use of scikit-learn beyond its stable API, and how estimators declare and check their parameters.

Nothing else in this package imports a private module or name of scikit-learn: with a new release, this file is the one
to adapt.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from sklearn import base, feature_selection
from sklearn.preprocessing import TargetEncoder
from sklearn.utils import _param_validation
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._dataframe import is_polars_df
from sklearn.utils._indexing import _get_column_indices as column_indices
from sklearn.utils._param_validation import HasMethods, Options, RealNotInt, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import check_is_fitted, validate_data

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Does nothing: there are no callbacks to set."""

    def _with_callbacks(method):
        """Return the method unchanged: there are no callbacks to tear down."""
        return method


_SEED = signature(TargetEncoder).parameters.get("random_state")
TARGET_ENCODER_TAKES_SPLITTERS = _SEED is None or _SEED.default is not None  # scikit-learn >= 1.9; before, a seed

__all__ = [
    "TARGET_ENCODER_TAKES_SPLITTERS",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "Options",
    "RealNotInt",
    "SelectorMixin",
    "StrOptions",
    "check_method_params",
    "check_parameters",
    "column_indices",
    "estimator_dataclass",
    "fit_context",
    "input_columns",
    "is_polars_df",
    "safe_indexing",
    "set_random_states",
    "split_columns",
    "step_callback",
    "validate_params",
    "with_callbacks",
]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


@dataclass_transform()
def estimator_dataclass(cls: type[T]) -> type[T]:
    """Make the fields of a class, with those it inherits, the parameters of its constructor, which only stores them.

    Its ``_parameter_constraints`` are completed by those of its base classes.
    """
    cls = dataclass(repr=False, eq=False)(cls)
    merged: dict[str, list[object]] = {}
    for base_class in reversed(cls.__mro__):
        merged |= vars(base_class).get("_parameter_constraints", {})
    cls._parameter_constraints = merged  # type: ignore[attr-defined]
    return cls


class Interval(_param_validation.Interval):
    """An interval of numbers, to which True and False do not belong although Python counts them as integers."""

    def is_satisfied_by(self, val):
        return not isinstance(val, bool) and super().is_satisfied_by(val)


class SelectorMixin(feature_selection.SelectorMixin):
    """That of scikit-learn for selectors with a ``support_`` that need a target.

    It also transforms data frames whose columns have types for which scikit-learn finds no common one.
    """

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def transform(self, X: Any) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_selected_features)
            Of objects where the columns of a data frame have no common type: categories beside nullable integers, or
            dates beside numbers.
        """
        if is_polars_df(X) and _get_output_config("transform", self)["dense"] == "polars":
            # Keeps the types of the columns, as scikit-learn does for pandas.
            return self._transform(validate_data(self, X, reset=False, skip_check_array=True))
        try:
            return super().transform(X)
        except (TypeError, ValueError):
            if not hasattr(X, "iloc"):
                raise
        return super().transform(X.astype(object).where(X.notna(), np.nan))


def validate_params(constraints: Mapping[str, Any], *, prefer_skip_nested_validation: bool) -> Callable[[F], F]:
    """Decorate a function whose parameters meet scikit-learn's constraints."""
    return _param_validation.validate_params(constraints, prefer_skip_nested_validation=prefer_skip_nested_validation)


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator, as its ``fit`` does."""
    estimator._validate_params()


def input_columns(transformer: Any, name: str) -> list[int]:
    """The columns that a fitted ColumnTransformer gives to one of its transformers."""
    return transformer._transformer_to_input_indices[name]


def step_callback(estimator: Any, X: Any, y: Any) -> Callable[[Callable[[], Any]], bool] | None:
    """A function to call after each step of a fit, true if a callback asks to stop; None without callbacks.

    It takes a function that returns the support after the step.
    """
    if not hasattr(estimator, "_init_callback_context"):
        return None
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    if not getattr(estimator, "_skl_callbacks", None):
        return None

    def call(support: Callable[[], Any]) -> bool:
        task = context.subcontext(task_name="step")
        task.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
        return task.call_on_fit_task_end(
            estimator=estimator, X=X, y=y, reconstruction_attributes=lambda: {"support_": support()}
        )

    return call


def split_columns(model: Any) -> Any:
    """Numbers of the columns by which some tree of a histogram gradient boosting splits."""
    nodes = np.concatenate([tree.nodes for trees in model._predictors for tree in trees])
    used = np.unique(nodes["feature_idx"][nodes["is_leaf"] == 0])
    of_categories = model.is_categorical_
    if of_categories is None:
        return used
    return np.argsort(~of_categories, kind="stable")[used]  # inside, those of categories come first


def set_random_states(estimator: Any, random_state: Any) -> None:
    """Seed an estimator and those inside it."""
    from sklearn.ensemble._base import _set_random_states  # slow to import

    _set_random_states(estimator, random_state)


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[F], F]:
    """Decorate a ``fit`` that checks the estimator's parameters first."""
    return base._fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)


def with_callbacks(method: F) -> F:
    """Decorate a ``fit`` that calls back; unlike scikit-learn's decorator, this keeps its type."""
    return _with_callbacks(method)
