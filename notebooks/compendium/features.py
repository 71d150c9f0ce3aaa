"""Names of features for display: tables hold the numbers of columns, from 1, as the papers print them."""

import numpy as np

from compendium.protocol import name_of
from fscore.datasets import load
from fscore.datasets.parsing import FORMATS
from fscore.datasets.registry import is_path, lookup


def feature_names(datasets, target=None, *, constant=True):
    """Names of the columns of data sets.

    Parameters
    ----------
    datasets : iterable of str
        Registry names, or paths of CSV files.
    target : str, optional
        Label column of the CSV files.
    constant : bool, default=True
        Whether the numbers in the tables count features with a single value. Those of public data sets aren't looked up
        for this: of those with names none is constant.

    Returns
    -------
    dict of str to list of str
        By `compendium.protocol.name_of`; without the data sets whose columns are only numbered.
    """
    found = {name_of(dataset): _columns(dataset, target, constant) for dataset in datasets}
    return {name: columns for name, columns in found.items() if not _only_numbered(columns)}


def _columns(dataset, target, constant):
    if is_path(dataset):
        bunch = load(dataset, target=target)
        varies = np.nanmin(bunch.data, axis=0) < np.nanmax(bunch.data, axis=0)
        return [name for name, kept in zip(bunch.feature_names, varies, strict=True) if constant or kept]
    names = []
    if dataset in FORMATS and FORMATS[dataset].names:  # known without the file
        names = FORMATS[dataset].names.split()
    elif lookup(dataset).kind == "bundled":
        names = load(dataset).feature_names
    return [name.replace("_", " ") for name in names]


def _only_numbered(names):
    """Whether the names are numbers, perhaps after a letter: ``f1``, ``f2`` ..."""
    return all(name.lstrip("fFvVxX_") == str(number) for number, name in enumerate(names, start=1))


def named(number, names=None):
    """A feature's name and number, ``"worst area (24)"``; only the number if it has no name.

    Parameters
    ----------
    number : int
        From 1.
    names : list of str, optional
    """
    return f"{names[number - 1]} ({number})" if names and number <= len(names) else f"{number}"


def named_list(numbers, names=None):
    """Features in ascending order as text: ``"mean area (4), worst area (24)"``."""
    return ", ".join(named(number, names) for number in sorted(numbers))


def numbers_in(text):
    """The features of a subset as tables hold it, columns from 0 with spaces between: ``"0 4"`` gives 1 and 5."""
    return [int(column) + 1 for column in text.split()]
