"""The samples of Nel's thesis, their partitions, and what a subset of features is worth on the part left out."""

from functools import lru_cache

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import minmax_scale

from compendium.protocol import load_set, name_of
from compendium.units import run_units, seed_for
from fscore.datasets import DatasetUnavailableError
from fscore.datasets.registry import fingerprint
from fscore.neighbours import KNeighborsClassifierCV
from fscore.neural import RANNClassifierCV

__all__ = [
    "WDBC1",
    "WDBC2",
    "accuracies",
    "at_hand",
    "bits",
    "columns_of",
    "mask_of",
    "outline",
    "partition",
    "samples_of",
    "scaled",
]

# Section 7.1, footnote 2; numbers from 1. The other fifteen are the second half.
WDBC1 = (4, 5, 7, 8, 9, 10, 11, 14, 15, 21, 22, 25, 27, 28, 29)
WDBC2 = tuple(number for number in range(1, 31) if number not in WDBC1)
_THESIS_NAMES = {"bupa": "LIVER", "pima": "PIMA", "ionosphere": "ION"}


def samples_of(datasets, wdbc=("WDBC1", "WDBC2")):
    """The thesis' names of data sets; wdbc becomes those of its parts that are asked for.

    Parameters
    ----------
    datasets : sequence of str
        Names for :func:`fscore.datasets.load`, or CSV files.
    wdbc : sequence of {"WDBC1", "WDBC2", "WDBC"}

    Returns
    -------
    dict of str to str
        Name of the sample to the data set that it is taken from; a CSV file is called by its own name.

    Raises
    ------
    DatasetUnavailableError
        If none is left, as when every data set of a run is missing.
    """
    samples = {}
    for dataset in datasets:
        if dataset == "wdbc":
            samples.update(dict.fromkeys(wdbc, dataset))
        else:
            samples[_THESIS_NAMES.get(dataset, name_of(dataset))] = dataset
    return at_hand(samples)


def at_hand(samples):
    """The samples themselves, if there are any."""
    if not samples:
        raise DatasetUnavailableError(
            "No sample is left: none of the data sets is at hand, or no part of wdbc is asked for. Run `make data`, "
            "or give dataset=wdbc or a CSV file."
        )
    return samples


def scaled(sample, dataset, target=None):
    """The sample with every feature scaled to [-1, 1] over all its rows, as the thesis did before it split.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """
    return _scaled(sample, dataset, target, fingerprint(dataset))


@lru_cache(maxsize=8)
def _scaled(sample, dataset, target, digest):
    bunch = load_set(dataset, target)
    X, y = bunch.data, bunch.target
    if sample in ("WDBC1", "WDBC2"):
        X = X[:, np.array(WDBC1 if sample == "WDBC1" else WDBC2) - 1]
    return minmax_scale(X, (-1, 1)), y


def outline(samples, target=None):
    """Section 7.1: the size of each sample and the share of its largest class.

    Returns
    -------
    DataFrame
        dataset (the sample), metric ("n_samples", "n_features", "majority_class_pct"), value.
    """
    rows = []
    for sample, dataset in samples.items():
        X, y = scaled(sample, dataset, target)
        majority = 100 * np.unique(y, return_counts=True)[1].max() / len(y)
        sizes = {"n_samples": len(X), "n_features": X.shape[1], "majority_class_pct": majority}
        rows += [{"dataset": sample, "metric": metric, "value": float(value)} for metric, value in sizes.items()]
    return pd.DataFrame(rows)


def partition(sample, y, split, seed):
    """Rows of the training part (two thirds) and of the test part.

    The thesis says "a random 2/3 training, 1/3 testing partitioning"; ours keeps the share of the classes.
    """
    splitter = StratifiedShuffleSplit(1, test_size=1 / 3, random_state=seed_for(seed, "partition", sample, split))
    return next(splitter.split(np.zeros(len(y)), y))


def columns_of(mask):
    """Columns of a subset written as in the thesis, first feature leftmost: ``"0110"`` is ``[1, 2]``."""
    return [f for f, bit in enumerate(mask) if bit == "1"]


def mask_of(columns, n_features):
    """The other way round."""
    chosen = set(columns)
    return "".join("1" if f in chosen else "0" for f in range(n_features))


def bits(numbers, n_features):
    """Masks of the subset numbers of ``gamma_all_subsets``, in which feature f has the bit ``1 << f``."""
    return [f"{number:0{n_features}b}"[::-1] for number in numbers]


def accuracies(samples, subsets, *, n_splits=10, n_inner_splits=30, max_hidden=50, target=None, seed=0, n_jobs=None):
    """Accuracy of RANN and k-NN on subsets of features, on the same partitions for all subsets.

    The number of hidden neurons (5 to ``max_hidden``) is chosen by ``n_inner_splits`` partitions of the training part,
    the number of neighbours (odd, 1 to 11) by leaving out one.

    Parameters
    ----------
    samples : dict of str to str
        As from `samples_of`.
    subsets : dict of str to iterable of str
        Masks for each sample; repeated ones are measured once.
    n_splits : int
        Partitions of the sample into two thirds to train and one third to test.

    Returns
    -------
    DataFrame
        sample, subset, classifier ("RANN", "kNN"), metric, split, value. Metrics: ``train_acc_pct`` and
        ``test_acc_pct``, in percent; ``size``, of the network or the neighbourhood.
    """
    shared = {"n_splits": n_splits, "n_inner_splits": n_inner_splits, "max_hidden": max_hidden, "target": target}
    units = [
        {"sample": sample, "dataset": dataset, "subset": subset, **shared, "seed": seed}
        for sample, dataset in samples.items()
        for subset in sorted(set(subsets.get(sample, ())))
    ]
    return run_units(_classify_subset, units, n_jobs=n_jobs, label="classification")


def _classify_subset(sample, dataset, subset, n_splits, n_inner_splits, max_hidden, target, seed):
    X, y = scaled(sample, dataset, target)
    columns = columns_of(subset)
    if len(subset) != X.shape[1] or not columns:
        raise ValueError(f"mask {subset!r} has {len(subset)} bits, {len(columns)} set; {sample} needs {X.shape[1]}.")
    rows = []
    for split in range(n_splits):
        train, test = partition(sample, y, split, seed)
        for classifier, measured in classify(
            *(X[np.ix_(train, columns)], y[train], X[np.ix_(test, columns)], y[test]),
            n_inner_splits=n_inner_splits,
            max_hidden=max_hidden,
            seed=seed_for(seed, "network", sample, subset, split),
        ).items():
            what = {"sample": sample, "subset": subset, "classifier": classifier, "split": split}
            rows += [{**what, "metric": metric, "value": value} for metric, value in measured.items()]
    return rows


def classify(X, y, X_test, y_test, *, n_inner_splits, max_hidden, seed):
    """Train both classifiers with sizes chosen on the training part; percent of correct answers on both parts."""
    inner = StratifiedShuffleSplit(n_inner_splits, test_size=1 / 3, random_state=seed)
    fitted = {
        "RANN": RANNClassifierCV(min(5, max_hidden), max_hidden, cv=inner, random_state=seed).fit(X, y),
        "kNN": KNeighborsClassifierCV().fit(X, y),
    }
    sizes = {"RANN": fitted["RANN"].n_hidden_, "kNN": fitted["kNN"].n_neighbors_}
    # a training sample is its own nearest neighbour, so k-NN is judged by leaving it out, as in the thesis
    train = {"RANN": fitted["RANN"].score(X, y), "kNN": fitted["kNN"].scores_.max()}
    return {
        name: {
            "train_acc_pct": 100 * train[name],
            "test_acc_pct": 100 * model.score(X_test, y_test),
            "size": float(sizes[name]),
        }
        for name, model in fitted.items()
    }
