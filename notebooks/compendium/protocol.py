"""A reader's CSV files among the data sets of a study: what they are called, and whose label `target` names."""

from pathlib import Path

from fscore.datasets import load
from fscore.datasets.registry import is_path
from compendium.units import run_units

__all__ = ["load_set", "name_of", "run"]


def name_of(dataset):
    """Name of a registered set; of a CSV file, its name without folder and ending.

    Tables and seeds go by it, so that ``adrenal_tumour.csv`` is that set, and the folder of a file changes no result.
    """
    return Path(dataset).stem


def load_set(dataset, target=None):
    """The bunch of a set. ``target`` is the label column of CSV files; registered sets know theirs."""
    return load(dataset, target=target) if is_path(dataset) else load(dataset)


def run(function, units, n_jobs, label):
    """`run_units`, with data sets by their `name_of`.

    Raises
    ------
    ValueError
        If two data sets have one name: their rows could not be told apart.
    """
    named = {}
    for dataset in (unit["dataset"] for unit in units):
        if named.setdefault(name_of(dataset), dataset) != dataset:
            raise ValueError(
                f"{named[name_of(dataset)]} and {dataset} are both named {name_of(dataset)!r}; rename one of them."
            )
    table = run_units(function, units, n_jobs=n_jobs, label=label)
    return table.assign(dataset=table["dataset"].map(name_of))
