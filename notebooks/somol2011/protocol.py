"""Shared by the experiments of Somol et al. 2011: parameters, samples, splits, classifiers.

The paper does not state how its data were scaled, how the folds were drawn, or which C and gamma the SVM had. Each is a
parameter here.
"""

import re

import numpy as np
from scipy.stats import ttest_1samp
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from compendium.experiment import Experiment, parameter
from compendium.protocol import name_of, shuffled_folds
from compendium.units import seed_for
from fscore.datasets import load

TRAINING_FILE_ONLY = ("madelon", "satimage")  # the paper's sample sizes are those of the training files
FOLDS = ("contiguous", "shuffled")


class SearchExperiment(Experiment):
    """Parameters of all experiments: how the samples are prepared and how many features a step adds or removes."""

    target: str | None = parameter(None, "label column of the CSV files; by default the last")
    group_size: int = parameter(1, "c, number of features added or removed at once", "[1, 3]")
    scaling: str = parameter("minmax", "scaling of the inputs", "{minmax, raw}")
    max_samples: int | None = parameter(600, "size of the stratified subsample drawn from larger sets", "[20, 1000000]")
    seed: int = parameter(0, "root of all random numbers", "[0, 4294967295]")


def sample(dataset, target=None, max_samples=None, seed=0):
    """X and y in file order; a stratified subsample if there are more than ``max_samples``."""
    part = {"subset": "train"} if dataset in TRAINING_FILE_ONLY else {}
    X, y = load(dataset, return_X_y=True, target=target, **part)
    if max_samples is None or len(y) <= max_samples:
        return X, y
    draw = StratifiedShuffleSplit(1, train_size=max_samples, random_state=seed_for(seed, "part", name_of(dataset)))
    rows = np.sort(next(draw.split(X, y))[0])
    return X[rows], y[rows]


def stratified_folds(n_splits, folds, *key):
    """Contiguous folds divide each class in file order, as the authors' toolbox does; shuffling depends on ``key``."""
    if folds not in FOLDS:
        raise ValueError(f"folds={folds!r} is unknown; choose {' or '.join(map(repr, FOLDS))}.")
    return StratifiedKFold(n_splits) if folds == "contiguous" else shuffled_folds(n_splits, *key)


def halves(X, y, folds, dataset, repeat, seed):
    """Rows for selection and rows for the test: the two halves of each class, exchanged at odd repeats.

    Raises
    ------
    ValueError
        If ``folds`` is "contiguous" and ``repeat`` is above 1: there is one division into contiguous halves.
    """
    if folds == "contiguous" and repeat > 1:
        raise ValueError(
            f"repeat={repeat} is impossible with folds='contiguous', which allows two repeats; use folds='shuffled'."
        )
    second, first = next(stratified_folds(2, folds, seed, "halves", name_of(dataset), repeat // 2).split(X, y))
    return (first, second) if repeat % 2 == 0 else (second, first)


def classifier(name, svm_C=1.0, svm_gamma=1.0):
    """A classifier by its name in the paper: "3-NN" (any k) or "SVM" with radial basis functions."""
    if name == "SVM":
        return SVC(C=svm_C, gamma=svm_gamma)
    k = re.fullmatch(r"([1-9]\d*)-NN", name)
    if k is None:
        raise ValueError(f"criterion {name!r} is unknown; choose 'SVM' or 'k-NN' with a number for k.")
    return KNeighborsClassifier(int(k[1]))


def hits(estimator, train, y_train, test, y_test, features):
    """Whether the classifier predicts each test sample correctly from these features."""
    features = list(features)
    return estimator.fit(train[:, features], y_train).predict(test[:, features]) == y_test


def joined(features):
    """A list of numbers as a string separated by spaces, for tables."""
    return " ".join(map(str, features))


def paired_p_value(first, second):
    """Two-sided p-value of the paired t-test; 1 if all differences are zero."""
    difference = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    return float(ttest_1samp(difference, 0).pvalue) if difference.any() else 1.0
