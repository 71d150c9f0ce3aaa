"""What the experiments of several papers do alike: load a set or a reader's CSV file, scale, divide."""

from pathlib import Path

from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from compendium.units import run_units, seed_for
from fscore.datasets import load
from fscore.datasets.registry import is_path

__all__ = ["SCALINGS", "load_set", "name_of", "run_named_units", "scaled", "shuffled_folds"]

SCALINGS = ("raw", "minmax", "zscore")


def name_of(dataset):
    """Name of a registered set; of a CSV file, its name without folder and ending.

    Tables and seeds use this name: ``adrenal_tumour.csv`` is that set, and the folder of a file changes no result.
    """
    return Path(dataset).stem


def load_set(dataset, target=None):
    """The bunch of a set. ``target`` is the label column of CSV files; registered sets know theirs."""
    return load(dataset, target=target) if is_path(dataset) else load(dataset)


def run_named_units(function, units, *, n_jobs=None, label=""):
    """`run_units`, with the data sets of the table called by their `name_of`.

    Raises
    ------
    ValueError
        If two data sets have the same name: their rows could not be told apart.
    """
    named = {}
    for dataset in (unit["dataset"] for unit in units):
        if named.setdefault(name_of(dataset), dataset) != dataset:
            raise ValueError(
                f"{named[name_of(dataset)]} and {dataset} are both named {name_of(dataset)!r}; rename one of them."
            )
    table = run_units(function, units, n_jobs=n_jobs, label=label)
    return table.assign(dataset=table["dataset"].map(name_of))


def scaled(scaling, train, *others):
    """Samples in units of the training part.

    Parameters
    ----------
    scaling : {"raw", "minmax", "zscore"}
        As they are, with the training part in [0, 1], or with mean 0 and variance 1 in the training part.
    train, *others : ndarray of shape (n_samples, n_features)

    Returns
    -------
    list of ndarray
        ``train`` and the others, scaled.
    """
    if scaling not in SCALINGS:
        raise ValueError(f"scaling={scaling!r} is unknown; choose from {', '.join(map(repr, SCALINGS))}.")
    if scaling == "raw":
        return [train, *others]
    scaler = (MinMaxScaler() if scaling == "minmax" else StandardScaler()).fit(train)
    return [scaler.transform(part) for part in (train, *others)]


def shuffled_folds(n_splits, *key):
    """Stratified folds whose shuffling depends on ``key`` alone."""
    return StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(*key))
