"""Parameters of an experiment: their notebook cell, help text and validation.

A parameters cell holds annotated literals, one per line; the comments give meaning and legal values::

    dataset: str = "wdbc"  # data set, or the path of a CSV file, in data sets
    n_splits: int = 10  # outer folds, in [2, 100]
    nu: float = 0.2  # share of samples that may be left out, in (0, 1]
    scaling: str = "raw"  # scaling of the inputs, in {raw, minmax, zscore}

The cell is generated from the experiment's declaration (`compendium.experiment`).
"""

import contextlib
import difflib
import json
import math
import os
from collections import Counter
from dataclasses import dataclass

from fscore.datasets.registry import is_path, read_registry


class ParameterError(ValueError):
    """A parameter is unknown, has the wrong type or is out of range; the message states the legal values."""


@dataclass(frozen=True)
class Parameter:
    """One annotated line of a parameters cell."""

    name: str
    type: str  # "int", "list[str]", "float | None"
    default: object
    help: str
    domain: str  # "", "[2, 100]", "{raw, minmax}", "data sets" or "paths"

    @property
    def optional(self):
        return self.type.endswith("| None")

    @property
    def is_list(self):
        return self.type.startswith("list[")

    @property
    def element_type(self):
        return self.type.removesuffix("| None").strip().removeprefix("list[").removesuffix("]")

    @property
    def meaning(self):
        """Meaning of the parameter, with its legal values in mathematical notation."""
        return f"{self.help}, in {self.domain}" if self.domain else self.help

    @property
    def legal(self):
        """The legal values in words."""
        kind = {"int": "an integer", "float": "a number", "str": "a string", "bool": "true or false"}[self.element_type]
        if self.is_list:
            kind = f"a list, each {kind}"
        if self.optional:
            kind += " or null"
        if self.domain in ("", "paths"):
            return kind
        if self.domain == "data sets":
            return f"{kind}: {', '.join(read_registry())}, or the path of a CSV file"
        return f"{kind} in {self.domain}"


def parameters_cell(parameters):
    """The code of a parameters cell, which lint compares with the notebook.

    Parameters
    ----------
    parameters : sequence of Parameter

    Returns
    -------
    str
    """
    return "\n".join(f"{p.name}: {p.type} = {_literal(p.default)}  # {p.meaning}" for p in parameters)


def _literal(value):
    """Python source of a literal, with double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value)


def coerce(parameters, values):
    """Convert values that YAML parsed to the annotated types where this loses no information.

    YAML reads ``1e-3`` as a string and ``1`` as an integer; a float parameter accepts both. A single value for a list
    parameter becomes a list with one element. A path becomes absolute: a kernel runs in another folder.
    """
    known = {parameter.name: parameter for parameter in parameters}
    return {name: _coerce(known[name], value) if name in known else value for name, value in values.items()}


def _coerce(parameter, value):
    if value is None:  # `check` decides whether None is legal
        return None
    if parameter.is_list:
        return [_coerce_item(parameter, item) for item in (value if isinstance(value, list) else [value])]
    return _coerce_item(parameter, value)


def _coerce_item(parameter, item):
    is_number = isinstance(item, int | float) and not isinstance(item, bool)
    if parameter.element_type == "float" and (is_number or isinstance(item, str)):
        with contextlib.suppress(ValueError, OverflowError):
            return float(item)
    if parameter.element_type == "str" and is_number:
        item = str(item)
    if isinstance(item, str) and (parameter.domain == "paths" or (parameter.domain == "data sets" and is_path(item))):
        with contextlib.suppress(ValueError):  # no path has such a character; `check` says that there is no such file
            return os.path.abspath(os.path.expanduser(item))
    return item


def check(parameters, values):
    """Reject unknown names, wrong types and illegal values.

    Parameters
    ----------
    parameters : list of Parameter
    values : dict
        The given values; parameters not named keep their defaults.

    Raises
    ------
    ParameterError
        One sentence with the offending value and the legal ones.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for name, value in values.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise ParameterError(f"unknown parameter {name!r}; this notebook takes {', '.join(known)}.{hint}")
        _check_value(known[name], value)


def _check_value(parameter, value):
    if value is None and parameter.optional:
        return
    items = value if parameter.is_list and isinstance(value, list | tuple) else [value]
    if parameter.domain == "data sets":
        for item in items:
            if isinstance(item, str) and is_path(item) and not os.path.isfile(item):
                raise ParameterError(f"{parameter.name} = {item!r:.500} is a path, but no such CSV file exists.")
    is_list = isinstance(value, list | tuple) and len(value) > 0
    if (parameter.is_list and not is_list) or not all(_is_legal(parameter, item) for item in items):
        raise ParameterError(f"{parameter.name} = {value!r:.500} is invalid; it takes {parameter.legal}.")
    # A run has each data set once, however often it is named.
    if parameter.domain != "data sets" and (repeated := [item for item, n in Counter(items).items() if n > 1]):
        raise ParameterError(
            f"{parameter.name} = {value!r:.500} is invalid; it has {repeated[0]!r:.100} more than once; "
            "name each value once."
        )


def _is_legal(parameter, value):
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= math.inf
    typed = {
        "int": is_number and isinstance(value, int),
        "float": is_number,
        "str": isinstance(value, str),
        "bool": isinstance(value, bool),
    }[parameter.element_type]
    if not typed or parameter.domain in ("", "paths"):
        return typed
    if parameter.domain == "data sets":
        return os.path.isfile(value) if is_path(value) else value in read_registry()
    inner = [part.strip() for part in parameter.domain[1:-1].split(",")]
    if parameter.domain[0] == "{":
        return str(value) in inner
    low, high = map(float, inner)
    inside = (value > low or "[" in parameter.domain) and (value < high or "]" in parameter.domain)
    return low <= value <= high and inside


def describe(parameters):
    """The parameters as a plain-text table: name, type, default, meaning, legal values."""
    rows = [("name", "type", "default", "meaning")]
    for parameter in parameters:
        rows.append((parameter.name, parameter.type, repr(parameter.default), parameter.meaning))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]) for row in rows
    )
