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
and the validation of values are derived from this declaration. ``Gain(n_splits=5).tables()`` takes the tables from the
store, or measures and keeps them (`compendium.store`).
"""

import importlib
import inspect
from dataclasses import replace
from types import SimpleNamespace

from compendium.papers import paper_of
from compendium.parameters import Parameter, check, coerce
from compendium.schema import Schema, table
from compendium.units import of_version

__all__ = ["Experiment", "Schema", "experiment_of", "module_of", "parameter", "table"]

PLACES = {"dataset": 0, "target": 1, "seed": 3}  # sort keys of parameters; all others have 2


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
        The tables that `measure` returns, by the names that claims use; see `compendium.schema.table`.
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

    @property
    def values(self):
        """Every parameter with its value."""
        return {declared.name: getattr(self, declared.name) for declared in self.parameters}

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
