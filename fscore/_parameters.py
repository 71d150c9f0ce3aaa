"""Estimators that declare their parameters as the fields of their class."""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

__all__ = ["estimator"]

T = TypeVar("T")


@dataclass_transform()
def estimator(cls: type[T]) -> type[T]:
    """Make the fields of a class, with those it inherits, the parameters of its constructor, which only stores them.

    Its ``_parameter_constraints`` are completed by those of its base classes.
    """
    cls = dataclass(repr=False, eq=False)(cls)
    merged: dict[str, list[object]] = {}
    for base in reversed(cls.__mro__):
        merged |= vars(base).get("_parameter_constraints", {})
    cls._parameter_constraints = merged
    return cls
