"""Protocol steps shared by several papers: load a data set or CSV file, scale, split."""

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import resample

from compendium.units import name_of, seed_for
from fscore.datasets import load
from fscore.datasets.parsing import FORMATS
from fscore.datasets.registry import is_path, lookup, read_registry

SCALINGS = ("raw", "minmax", "zscore")


def check_name(path, shape):
    """Refuse a CSV file that is named like a registered data set and isn't a copy of it.

    Parameters
    ----------
    path : str
    shape : (int, int)
        Samples and features of the file.

    Raises
    ------
    ValueError
        The samples or the features of that data set are others.
    """
    known = read_registry().get(name_of(path))
    if known is not None and shape != (known.n_samples, known.n_features):
        raise ValueError(
            f"{path} has {shape[0]} samples of {shape[1]} features, but the data set {known.name!r} has "
            f"{known.n_samples} of {known.n_features}; rename the file, as its results would count as that data set's."
        )


def load_set(dataset, target=None, **options):
    """Load a data set with the options of `fscore.datasets.load`, by default as a bunch.

    ``target`` is the label column of a CSV file; registered data sets ignore it.
    """
    return load(dataset, target=target, **options) if is_path(dataset) else load(dataset, **options)


def scaled(scaling, train, *others):
    """Scale samples by the training part.

    Parameters
    ----------
    scaling : {"raw", "minmax", "zscore"}
        Unchanged, training part scaled to [0, 1], or training part with mean 0 and variance 1.
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


def stratified_rows(y, size, seed):
    """Indices of a stratified sample, in ascending order.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    size : int
        Less than ``n_samples``.
    seed : int

    Returns
    -------
    ndarray of shape (size,)
    """
    rows = np.arange(len(y))
    if len(y) - size < len(np.unique(y)):  # a split needs a row of each class in both parts
        return np.sort(resample(rows, replace=False, n_samples=size, stratify=y, random_state=seed))
    return np.sort(train_test_split(rows, train_size=size, stratify=y, random_state=seed)[0])


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
        By `compendium.units.name_of`; without the data sets whose columns are only numbered.
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


def masks_of(subsets, n_features):
    """Masks of subsets of columns, one in each row."""
    masks = np.zeros((len(subsets), n_features), dtype=bool)
    for mask, columns in zip(masks, subsets, strict=True):
        mask[list(columns)] = True
    return masks


def numbers_in(text):
    """The features of a subset as tables hold it, columns from 0 with spaces between: ``"0 4"`` gives 1 and 5."""
    return [int(column) + 1 for column in text.split()]
