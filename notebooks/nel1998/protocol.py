"""Shared by the experiments of Nel's thesis: parameters, samples, partitions, generated examples."""

from functools import lru_cache

import numpy as np
import pandas as pd
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.preprocessing import minmax_scale

from compendium.experiment import DataExperiment, parameter
from compendium.protocol import load_set
from compendium.units import by_names, name_of, seed_for
from fscore.datasets import DatasetUnavailableError, load
from fscore.datasets.registry import fingerprint

# Section 7.1, footnote 2; numbers from 1. The other fifteen are the second half.
WDBC1 = (4, 5, 7, 8, 9, 10, 11, 14, 15, 21, 22, 25, 27, 28, 29)
WDBC2 = tuple(number for number in range(1, 31) if number not in WDBC1)
HALVES = {"WDBC1": WDBC1, "WDBC2": WDBC2}
_THESIS_NAMES = {"bupa": "LIVER", "pima": "PIMA", "ionosphere": "ION"}


class SampleExperiment(DataExperiment):
    """An experiment on the samples of section 7.1; subclasses declare ``dataset`` and ``wdbc``."""

    @property
    def samples(self):
        """As from `samples_of`."""
        return samples_of(self.dataset, self.wdbc)


class ClassificationExperiment(SampleExperiment):
    """An experiment that estimates mutual information and evaluates subsets by RANN and k-NN."""

    n_inner_splits: int = parameter(
        30, "partitions of the training part to choose the size of the network", "[1, 1000]"
    )
    max_hidden: int = parameter(50, "largest number of hidden neurons", "[1, 500]")
    n_networks: int = parameter(5, "networks of this size, which differ in their random weights", "[1, 100]")
    scale: float = parameter(0.5, "first-layer weights are uniform on [-scale, scale]", "(0, 100]")
    output_bias: bool = parameter(True, "whether the output layer has a bias, which eq. (6.3) lacks")
    weights: str = parameter("sobol", "first-layer weights: quasi-random or independent", "{sobol, random}")
    mode: str = parameter("joint2d", "density of a feature and the class", "{class_conditional, joint2d}")
    bandwidth: str = parameter("adaptive", "kernel width", "{normal_reference, adaptive}")

    @property
    def network(self):
        """Settings of the RANN that the thesis leaves open: arguments of `fscore.neural.RANNClassifier` as a tuple."""
        return tuple(self.pick("scale", "output_bias", "weights").items())

    @property
    def classification(self):
        """Arguments of `nel1998.accuracy.by_network` but the data and the seed."""
        return {**self.pick("n_inner_splits", "max_hidden", "n_networks"), "network": self.network}


def samples_of(datasets, wdbc=("WDBC1", "WDBC2")):
    """Samples by their names in the thesis.

    Parameters
    ----------
    datasets : sequence of str
        Names for :func:`fscore.datasets.load`, or CSV files.
    wdbc : sequence of {"WDBC1", "WDBC2", "WDBC"}
        The samples to take from wdbc.

    Returns
    -------
    dict of str to str
        Name of the sample to the data set that it is taken from; a CSV file keeps its own name.

    Raises
    ------
    DatasetUnavailableError
        If there is no sample, for instance because all data sets of a run are missing.
    ValueError
        If two samples have the same name, or a file has that of a sample of wdbc.
    """
    pairs = []
    for dataset in datasets:
        names = (*wdbc, *HALVES, "WDBC") if dataset == "wdbc" else [_THESIS_NAMES.get(dataset, name_of(dataset))]
        pairs += [(sample, dataset) for sample in names]
    named = by_names(pairs)
    samples = {name: dataset for name, dataset in named.items() if dataset != "wdbc" or name in wdbc}
    if not samples:
        raise DatasetUnavailableError(
            "There is no sample: none of the data sets is available, or no part of wdbc is selected. Run `make data`, "
            "or give dataset=wdbc or a CSV file."
        )
    return samples


def scaled_sample(sample, dataset, target=None):
    """A sample with every feature scaled to [-1, 1].

    All rows are scaled together, as in the thesis, which splits afterwards; `compendium.protocol.scaled` would take the
    range of the training part.

    Parameters
    ----------
    sample : str
        Name in the thesis; of wdbc, "WDBC1" and "WDBC2" are columns.
    dataset : str
        Name or CSV file.
    target : str, optional
        Label column of a CSV file.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """
    return _scaled_sample(sample, dataset, target, fingerprint(dataset))


@lru_cache(maxsize=8)
def _scaled_sample(sample, dataset, target, digest):
    X, y = load_set(dataset, target, return_X_y=True)
    if dataset == "wdbc" and sample in HALVES:
        X = X[:, np.array(HALVES[sample]) - 1]
    return minmax_scale(X, (-1, 1)), y


def partition(sample, y, split, seed, splitting="stratified"):
    """Rows of the training part (two thirds) and of the test part.

    The thesis says "a random 2/3 training, 1/3 testing partitioning". The parts of "stratified" and "fixed" partitions
    have fixed sizes, and those of "stratified" ones the class frequencies of the sample; "independent" draws each row
    for training with probability 2/3.
    """
    drawn = seed_for(seed, "partition", sample, split)
    if splitting == "independent":
        train = np.random.default_rng(drawn).random(len(y)) < 2 / 3
        return np.flatnonzero(train), np.flatnonzero(~train)
    kind = {"stratified": StratifiedShuffleSplit, "fixed": ShuffleSplit}[splitting]
    splitter = kind(1, test_size=1 / 3, random_state=drawn)
    return next(splitter.split(np.zeros(len(y)), y))


def training_part(sample, dataset, split, target, seed):
    """The scaled training part of a split: X and y."""
    X, y = scaled_sample(sample, dataset, target)
    train, _ = partition(sample, y, split, seed)
    return X[train], y[train]


def generate(name, seed, **options):
    """One random draw of a generated data set.

    Parameters
    ----------
    name : {"three_features", "gaussian_pair", "surrounded_class"}
    seed : int
    **options
        As in `fscore.datasets.generators`.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    """
    return load(name, return_X_y=True, random_state=seed_for(seed, name), **options)


def as_table(X, y):
    """A generated sample as a table: columns ``feature_1``, ``feature_2``, ... and ``label``."""
    return pd.DataFrame({f"feature_{f + 1}": column for f, column in enumerate(X.T)} | {"label": y})


def points_and_lines(results):
    """The points of Gamma Tests and the lines fitted to them, for a figure.

    Parameters
    ----------
    results : dict of str to GammaTestResult

    Returns
    -------
    points : DataFrame
        name, p (number of neighbors), delta (mean squared distance), gamma (half the mean squared difference of the
        labels).
    lines : DataFrame
        name, gamma (intercept), slope.
    """
    points = [
        {"name": name, "p": p, "delta": delta, "gamma": gamma}
        for name, result in results.items()
        for p, (delta, gamma) in enumerate(result.points, start=1)
    ]
    lines = [{"name": name, "gamma": result.gamma, "slope": result.slope} for name, result in results.items()]
    return pd.DataFrame(points), pd.DataFrame(lines)
