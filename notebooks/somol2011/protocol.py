"""What the experiments of Somol et al. 2011 share: samples, splits, scaling, classifiers.

The paper doesn't say how its data were scaled, how the folds were drawn, nor which C and gamma the SVM had. Each is a
parameter here.
"""

import re

import numpy as np
from scipy.stats import ttest_1samp
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from compendium.units import seed_for
from fscore.datasets import load

TRAINING_FILE_ONLY = ("madelon", "satimage")  # the paper's sample sizes are those of the first file
SCALINGS = ("minmax", "raw")
FOLDS = ("contiguous", "shuffled")


def sample(dataset, target=None, max_samples=None, seed=0):
    """X and y in file order; a stratified part of them if there are more than ``max_samples``."""
    part = {"subset": "train"} if dataset in TRAINING_FILE_ONLY else {}
    X, y = load(dataset, return_X_y=True, target=target, **part)
    if max_samples is None or len(y) <= max_samples:
        return X, y
    draw = StratifiedShuffleSplit(1, train_size=max_samples, random_state=seed_for(seed, "part", dataset))
    rows = np.sort(next(draw.split(X, y))[0])
    return X[rows], y[rows]


def stratified_folds(n_splits, folds, *key):
    """Contiguous folds cut each class in file order, as the authors' toolbox does; shuffled ones depend on ``key``."""
    if folds not in FOLDS:
        raise ValueError(f"folds={folds!r} is unknown; they are {' or '.join(map(repr, FOLDS))}.")
    if folds == "contiguous":
        return StratifiedKFold(n_splits)
    return StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(*key))


def halves(X, y, folds, dataset, repeat, seed):
    """Rows for selection and rows for the test: the first half of each class and the second, then exchanged.

    Contiguous halves can be repeated once only, with the halves exchanged.
    """
    if folds == "contiguous" and repeat > 1:
        raise ValueError(f"there are two contiguous halves only, so repeat {repeat} has none; use folds='shuffled'.")
    second, first = next(stratified_folds(2, folds, seed, "halves", dataset, repeat // 2).split(X, y))
    return (first, second) if repeat % 2 == 0 else (second, first)


def scaled(scaling, train, test):
    """Both parts, in the units of the file or so that the training part lies in [0, 1]."""
    if scaling not in SCALINGS:
        raise ValueError(f"scaling={scaling!r} is unknown; it is {' or '.join(map(repr, SCALINGS))}.")
    if scaling == "raw":
        return train, test
    scaler = MinMaxScaler().fit(train)
    return scaler.transform(train), scaler.transform(test)


def classifier(name, svm_C=1.0, svm_gamma=1.0):
    """A classifier by its name in the paper: "3-NN" (any k) or "SVM" with radial basis functions."""
    if name == "SVM":
        return SVC(C=svm_C, gamma=svm_gamma)
    k = re.fullmatch(r"([1-9]\d*)-NN", name)
    if k is None:
        raise ValueError(f"criterion {name!r} is unknown; it is 'SVM' or, for some k, 'k-NN'.")
    return KNeighborsClassifier(int(k[1]))


def hits(estimator, train, y_train, test, y_test, features):
    """Which test samples the classifier gets right when it sees only these features."""
    features = list(features)
    return estimator.fit(train[:, features], y_train).predict(test[:, features]) == y_test


def joined(features):
    """A subset as a text for a table: column numbers with blanks between."""
    return " ".join(map(str, features))


def paired_p_value(first, second):
    """Two-sided p-value of the paired t-test; 1 where nothing differs."""
    difference = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    return float(ttest_1samp(difference, 0).pvalue) if difference.any() else 1.0
