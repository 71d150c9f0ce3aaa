"""What the columns of an experiment's tables mean, declared once beside its parameters."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd

# Columns and metrics that many tables have, in plain English; a table declares those that it alone has.
LABELS = {
    "alpha": "α",
    "ati": "ATI",
    "auc": "AUC",
    "cw": "CW",
    "cw_rel": "relative CW",
    "dataset": "data set",
    "lambda": "λ",
    "n": "repetitions",
    "n_evaluations": "evaluations",
    "n_features": "features",
    "n_samples": "samples",
    "nu": "ν",
    "p_holm": "p after Holm",
    "p_value": "p",
    "se": "standard error",
    "std": "sd",
    "tau": "τ",
}
# Columns whose texts come from the data.
VERBATIM = {"dataset", "data set", "sample", "feature", "features", "column", "columns", "name", "names"}
SIGNED = {"difference", "gain"}  # columns whose positive numbers get a plus sign
REST = "*"  # all columns that are not named
DIGITS = 9  # significant digits in which two measurements of the same thing must agree
TIMED = "seconds"  # columns and metrics whose name contains it are durations, which differ from run to run


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
        Headers of columns, and of metrics, whose names are not plain English; `LABELS` has those of many tables.
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


def untimed(frame):
    """A table without its durations."""
    frame = frame.loc[:, [TIMED not in str(name) for name in frame.columns]]
    return frame[~frame["metric"].astype(str).str.contains(TIMED)] if "metric" in frame else frame


def differing(measured, stored):
    """Compare two tables of the same rows in the same order, without their durations.

    Parameters
    ----------
    measured, stored : DataFrame

    Returns
    -------
    n_values : int
        Number of values compared.
    differences : list of (str, object, object)
        Place, measured and stored value of those that differ in `DIGITS` significant digits.
    """
    measured, stored = untimed(measured).reset_index(drop=True), untimed(stored).reset_index(drop=True)
    if list(measured.columns) != list(stored.columns) or len(measured) != len(stored):
        shapes = [f"{len(frame)} rows of {', '.join(map(str, frame.columns))}" for frame in (measured, stored)]
        return stored.size, [("table", *shapes)]
    found = [
        (f"{name}, row {row}", mine, theirs)
        for place, name in enumerate(stored.columns)
        for row, (mine, theirs) in enumerate(zip(measured.iloc[:, place], stored.iloc[:, place], strict=True))
        if not _equal(mine, theirs)
    ]
    return stored.size, found


def _equal(one, other):
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if is_missing(one) or is_missing(other):
        return is_missing(one) and is_missing(other)
    if isinstance(one, Real) and isinstance(other, Real):
        return one == other or math.isclose(one, other, rel_tol=10.0**-DIGITS, abs_tol=10.0 ** -(DIGITS + 3))
    return one == other


def is_missing(value):
    """Whether a single value, or a list, is missing."""
    return value is None or value is pd.NA or (isinstance(value, Real) and math.isnan(value))


def moved(declared, new, old):
    """Say in one sentence how the numbers of a table move.

    Parameters
    ----------
    declared : Table
    new, old : DataFrame

    Returns
    -------
    str
        Empty if all means over repetitions are equal, and all other entries, too. Durations are left out.
    """
    means = [_means(declared, untimed(frame)) for frame in (new, old)]
    both = pd.concat(means, axis=1, keys=["new", "old"])
    by = (both["new"] - both["old"]).abs()
    apart = [not _equal(*pair) for pair in zip(both["new"], both["old"], strict=True)]
    if any(apart):
        most = by[apart].idxmax() if by[apart].notna().any() else both.index[apart.index(True)]
        item = ", ".join(str(part) for part in np.atleast_1d(np.array(most, dtype=object)))
        before, after = both.loc[[most], "old"].iloc[0], both.loc[[most], "new"].iloc[0]
        return f"{sum(apart)} of {len(both)} means move, most {item}: {before:.6g} -> {after:.6g}"
    return "no mean moves, but other entries do" if differing(new, old)[1] else ""


def _means(declared, frame):
    """Means of the numbers over repetitions, by keys and column."""
    keys = [name for name in declared.keys if name in frame]
    numbers = [name for name in declared.measured(frame) if pd.api.types.is_numeric_dtype(frame[name])]
    if not keys:
        keys, frame = ["row"], frame.assign(row=range(len(frame)))
    long = frame.melt(id_vars=keys, value_vars=numbers, var_name="column of", value_name="mean of")
    long[keys] = long[keys].astype(object).where(long[keys].notna(), "")  # a missing key is a key
    return long.groupby([*keys, "column of"], sort=False)["mean of"].mean()
