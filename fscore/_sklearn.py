"""What we use of scikit-learn beyond its documented API, and checks of parameters that refuse bools as numbers.

Nothing else in this package imports a private module or name of scikit-learn: with a new release, this file is the one
to adapt.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sklearn import base
from sklearn.utils import _param_validation
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._dataframe import is_polars_df
from sklearn.utils._param_validation import HasMethods, Options, RealNotInt, StrOptions
from sklearn.utils.validation import _num_samples as num_samples

__all__ = [
    "HasMethods",
    "Interval",
    "Options",
    "RealNotInt",
    "StrOptions",
    "fit_context",
    "is_polars_df",
    "num_samples",
    "safe_indexing",
    "set_random_states",
    "validate_params",
]

F = TypeVar("F", bound=Callable[..., Any])


class Interval(_param_validation.Interval):
    """An interval of numbers, to which True and False do not belong although Python counts them as integers."""

    def is_satisfied_by(self, val):
        return not isinstance(val, bool) and super().is_satisfied_by(val)


def validate_params(constraints: Mapping[str, Any], *, prefer_skip_nested_validation: bool) -> Callable[[F], F]:
    """Decorate a function whose parameters meet scikit-learn's constraints."""
    return _param_validation.validate_params(constraints, prefer_skip_nested_validation=prefer_skip_nested_validation)


def set_random_states(estimator: Any, random_state: Any) -> None:
    """Seed an estimator and those inside it."""
    from sklearn.ensemble._base import _set_random_states  # slow to import

    _set_random_states(estimator, random_state)


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[F], F]:
    """Decorate a ``fit`` that checks the estimator's parameters first."""
    return base._fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
