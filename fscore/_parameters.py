"""scikit-learn's checks of parameters, which here refuse bools as numbers and keep the types of what they decorate."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sklearn import base
from sklearn.utils import _param_validation

__all__ = ["Interval", "fit_context", "validate_params"]

F = TypeVar("F", bound=Callable[..., Any])


class Interval(_param_validation.Interval):
    """An interval of numbers, to which True and False do not belong although Python counts them as integers."""

    def is_satisfied_by(self, val):
        return not isinstance(val, bool) and super().is_satisfied_by(val)


def validate_params(constraints: Mapping[str, Any], *, prefer_skip_nested_validation: bool) -> Callable[[F], F]:
    """Decorate a function whose parameters meet scikit-learn's constraints."""
    return _param_validation.validate_params(constraints, prefer_skip_nested_validation=prefer_skip_nested_validation)


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[F], F]:
    """Decorate a ``fit`` that checks the estimator's parameters first."""
    return base._fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
