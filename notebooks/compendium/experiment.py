"""An experiment: its parameters, declared once, and the tables that it measures.

A module ``<paper>/<name>.py`` declares the experiment of the notebook ``<paper>_<name>``::

    class Gain(Experiment):
        "Table 3: the error of k-NN by method."

        schema = Schema(
            gain=table("dataset method", repetition="repeat fold"),
            tests=table("dataset method", values="difference p"),
        )

        dataset: list[str] = parameter(["wdbc"], "data sets, or paths of CSV files", "data sets")
        n_splits: int = parameter(10, "outer folds", "[2, 100]")
        seed: int = parameter(0, "root of all random numbers", "[0, 4294967295]")

        def measure(self):
            gain = run_units(_classify, [...])
            return {"gain": gain, "tests": tests(gain)}

The notebook's ``parameters`` cell (``make format`` writes it, ``make lint`` checks it), the help text of ``make run``
and the validation of values are derived from this declaration. The cell holds annotated literals, one per line; the
comments give meaning and legal values::

    n_splits: int = 10  # outer folds, in [2, 100]

``Gain(n_splits=5).tables()`` takes the tables from the store, or measures and keeps them (`compendium.store`).
"""

import contextlib
import difflib
import importlib
import inspect
import json
import math
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

from compendium.papers import paper_of
from compendium.units import of_version
from fscore.datasets.registry import is_path, read_registry

REST = "*"  # all columns that are not named
PLACES = {"dataset": 0, "target": 1, "seed": 3}  # sort keys of parameters; all others have 2


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
    """Convert values to the annotated types where this loses no information.

    ``make run`` gives texts: ``1e-3`` for a number, ``010`` for the integer ten, ``true`` for a truth value. A single
    value for a list parameter becomes a list of one. A path becomes absolute: a kernel runs in another folder.
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
    if parameter.element_type == "int" and isinstance(item, str) and re.fullmatch("[-+]?[0-9]+", item):
        with contextlib.suppress(ValueError):  # thousands of digits
            return int(item)
    if parameter.element_type == "bool" and isinstance(item, str):
        return {"true": True, "false": False}.get(item.lower(), item)
    if parameter.element_type == "str" and is_number:
        item = str(item)
    if isinstance(item, str) and (parameter.domain == "paths" or (parameter.domain == "data sets" and is_path(item))):
        with contextlib.suppress(ValueError):  # no path has such a character; `check` says that there is no such file
            return os.path.abspath(os.path.expanduser(item))
    return item


def as_list(value):
    """The elements of a value that may be one or several; none for None."""
    return value if isinstance(value, list) else [] if value is None else [value]


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


def parameter(default, meaning, domain=""):
    """Declare a parameter of an `Experiment`.

    Parameters
    ----------
    default : literal
    meaning : str
        Meaning, with the unit.
    domain : str, default=""
        Legal values: an interval such as ``"[2, 100]"`` or ``"(0, 1]"``, a set such as ``"{raw, minmax}"``,
        ``"data sets"`` or ``"paths"``. Every element of a list must be in it.
    """
    return Parameter("", "", default, meaning, domain)  # name and type follow from the annotation


@dataclass(frozen=True)
class Table:
    """The columns of a table.

    Attributes
    ----------
    keys : tuple of str
        Columns that say what was measured; empty if only the order of the rows does, as for points of a figure.
    repetition : tuple of str
        Columns that number the repetitions of a measurement.
    values : tuple of str
        Columns with what was measured; ``("*",)`` for all others.
    labels : dict of str to str
        Headers of columns, and of metrics, whose names are not plain English; `compendium.tables.LABELS` has those of
        many tables.
    """

    keys: tuple
    repetition: tuple = ()
    values: tuple = ("value",)
    labels: Mapping = field(default_factory=dict)

    @property
    def index(self):
        """Columns that identify a row."""
        return [*self.keys, *self.repetition]

    def measured(self, frame):
        """Names of the columns of ``frame`` with what was measured."""
        return [name for name in frame.columns if name not in self.index]

    def check(self, name, frame):
        """Refuse a table whose columns are not the declared ones, in one sentence."""
        wrong = set(self.index) - set(frame.columns)
        if self.values != (REST,):
            wrong = {*self.index, *self.values} ^ set(frame.columns)
        if wrong:
            raise ValueError(f"the table {name} and its declaration differ in the columns {', '.join(sorted(wrong))}.")


class Schema(dict):
    """The tables of an experiment: their declarations by name."""

    @property
    def labels(self):
        """Headers of the columns and metrics that the tables declare."""
        return {name: label for declared in self.values() for name, label in declared.labels.items()}


def table(keys="", *, repetition="", values="value", labels=None):
    """Declare a table of an experiment.

    Parameters
    ----------
    keys, repetition, values : str
        Names of columns with spaces between; see `Table`.
    labels : dict of str to str, optional

    Returns
    -------
    Table
    """
    return Table(tuple(keys.split()), tuple(repetition.split()), tuple(values.split()), labels or {})


class Experiment:
    """Base class of all experiments.

    Parameters
    ----------
    **values
        Values of declared parameters; the others take their defaults.

    Attributes
    ----------
    version : int
        Raised, in the same commit, by a change that moves the experiment's numbers: its stored tables are then stale,
        and none of its cached units is used.
    schema : Schema
        The tables that `measure` returns, by the names that claims use; see `table`.
    parameters : tuple of Parameter
        Data set and label column, then the other parameters of the class and those of its base classes; the seed last.
    allows_missing : bool
        Whether the experiment fills missing values; if not, users' files with missing values are rejected.
    reads_any_file : bool
        Whether the experiment reads and refuses users' files itself, in place of the page and the runner.
    fallback : str or None
        Generated data set to use if none of those of ``dataset`` is available.

    Raises
    ------
    ParameterError
        If a name is unknown, or a value has the wrong type or is out of range.
    """

    version = 1
    schema = Schema()
    parameters = ()
    allows_missing = False
    reads_any_file = False
    fallback = None

    seed: int = parameter(0, "root of all random numbers", "[0, 4294967295]")

    def __init_subclass__(cls):
        declared = {}
        for base in cls.__mro__:
            for name, annotation in inspect.get_annotations(base).items():
                given = base.__dict__.get(name)
                if isinstance(given, Parameter) and name not in declared:
                    kind = annotation.__name__ if type(annotation) is type else str(annotation)
                    declared[name] = replace(given, name=name, type=kind)
        cls.parameters = tuple(sorted(declared.values(), key=lambda p: PLACES.get(p.name, 2)))

    def __init__(self, **values):
        values = coerce(self.parameters, values)
        check(self.parameters, values)
        for declared in self.parameters:
            setattr(self, declared.name, values.get(declared.name, declared.default))

    @classmethod
    def taking(cls, values):
        """The experiment with those of the given values, by name, that it declares."""
        return cls(**{declared.name: values[declared.name] for declared in cls.parameters if declared.name in values})

    @property
    def values(self):
        """Every parameter with its value."""
        return {declared.name: getattr(self, declared.name) for declared in self.parameters}

    @property
    def is_as_declared(self):
        """Whether every parameter has the declared value."""
        return self.values == type(self)().values

    def pick(self, *names):
        """The named parameters with their values: arguments for a unit of work (lists become tuples)."""
        values = {name: getattr(self, name) for name in names}
        return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}

    def check_file(self, path):
        """Refuse a CSV file that this experiment cannot use, beyond what `check_classification` refuses for all.

        Parameters
        ----------
        path : str

        Raises
        ------
        ValueError
            One sentence with the remedy.
        """

    def can_reuse(self, tables):
        """Whether the tables of an earlier run are all that a new run would give, and leave.

        Parameters
        ----------
        tables : dict of str to DataFrame

        Returns
        -------
        bool
        """
        return True

    def measure(self):
        """Measure every table.

        Returns
        -------
        dict of str to DataFrame
            One for each name in ``tables``.
        """
        raise NotImplementedError

    def run(self):
        """Call `measure` and check that it returned the declared tables.

        Returns
        -------
        dict of str to DataFrame
        """
        with of_version(self.version):
            measured = self.measure()
        if set(measured) != set(self.schema):
            wrong = ", ".join(sorted(set(measured) ^ set(self.schema)))
            raise ValueError(
                f"{type(self).__name__} declares the tables {', '.join(self.schema)}; `measure` differs in {wrong}."
            )
        for name, declared in self.schema.items():
            declared.check(name, measured[name])
        return {name: measured[name] for name in self.schema}

    def entry(self, **options):
        """The entry of the store with these parameters; measured and kept if there is none that can be reused.

        Parameters
        ----------
        **options
            ``n_jobs`` and ``scheduler`` of `compendium.store.measure`.

        Returns
        -------
        compendium.store.Entry
        """
        from compendium import store

        found = store.find(self)
        return found if found and self.can_reuse(found.tables) else store.measure(self, **options)

    def tables(self):
        """The tables of `entry`.

        Returns
        -------
        SimpleNamespace
            One attribute per table, a DataFrame.
        """
        return SimpleNamespace(**self.entry().tables)


class DataExperiment(Experiment):
    """Base class of the experiments on data sets, each of which may be a user's CSV file."""

    target: str | None = parameter(None, "label column of the CSV files; by default the last")


def experiment_of(notebook):
    """The experiment that a notebook runs.

    Parameters
    ----------
    notebook : str
        ``"<paper>_<name>"``, whose experiment ``<paper>/<name>.py`` defines.

    Returns
    -------
    type
    """
    dotted = module_of(notebook)
    module = importlib.import_module(dotted)
    defined = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Experiment) and thing.__module__ == dotted
    ]
    if len(defined) != 1:
        raise ValueError(f"{dotted} must define one Experiment, that of its notebook; it defines {len(defined)}.")
    return defined[0]


def module_of(notebook):
    """Dotted name of the module that declares a notebook's experiment."""
    paper = paper_of(notebook)
    return f"{paper}.{notebook.removeprefix(f'{paper}_')}"
