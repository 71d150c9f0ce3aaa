"""Shared by the experiments of Somol et al. 2011: parameters, samples, divisions, classifiers.

The paper does not state how its inputs were scaled, how folds were drawn, in which order equal distances were ranked,
or which C and gamma the SVM had. Each is a parameter here; the defaults are the readings that come closest to print.
"""

import re

import numpy as np
from scipy.stats import ttest_1samp
from scipy.stats.qmc import Halton
from sklearn.model_selection import BaseCrossValidator, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils import gen_batches

from compendium.experiment import DataExperiment, parameter
from compendium.protocol import load_set, scaled, shuffled_folds, stratified_rows
from compendium.units import name_of, seed_for
from fscore.criteria import BlockFolds
from fscore.kernels.knn import TIE
from fscore.search import DynamicOscillatingSearch

TRAINING_FILE_ONLY = ("madelon", "satimage")  # the paper's sample sizes are those of the training files
FOLDS = ("blocks", "stratified", "shuffled", "interleaved")
ORDERS = ("appearance", "ascending", "descending", "file")
SCALINGS = ("raw", "minmax", "minmax_all")
_WARM = set()


class SearchExperiment(DataExperiment):
    """Parameters of all experiments: how the samples are prepared and how many features a step adds or removes.

    Folds are contiguous in the order of the samples, in "blocks" as in the authors' toolbox (`BlockFolds`) or
    "stratified" as in scikit-learn; "shuffled" shuffles halves and outer folds; "interleaved" deals the samples of a
    class to the inner folds in turn, so that neighbors in the file come to different folds. Samples come class by
    class, as in the toolbox, or as in the file: of equal distances the earlier training sample counts as nearer, and of
    classes with equal votes the first wins. The toolbox takes the classes as its files list them, so the default is
    the order in which they first appear in the file.
    """

    group_size: int = parameter(1, "c, number of features added or removed at once", "[1, 3]")
    scaling: str = parameter("raw", "by the range of the training part, or of all rows", "{raw, minmax, minmax_all}")
    order: str = parameter(
        "appearance", "of the classes, or the file's; breaks ties", "{appearance, ascending, descending, file}"
    )
    folds: str = parameter(
        "blocks", "blocks of each class, or StratifiedKFold", "{blocks, stratified, shuffled, interleaved}"
    )
    max_samples: int | None = parameter(
        None, "size of the stratified subsample drawn from larger sets", "[20, 1000000]"
    )


def sample(dataset, target=None, max_samples=None, seed=0, order=ORDERS[0]):
    """X and y, class by class with classes numbered in that order, or as in the file.

    Larger sets than ``max_samples`` are replaced by a stratified subsample.
    """
    return grouped_sample(dataset, target, max_samples, seed, order)[:2]


def grouped_sample(dataset, target=None, max_samples=None, seed=0, order=ORDERS[0]):
    """As `sample`, with the group of each row: rows of one group depend on each other, as those of a molecule in musk2.

    Each row is a group of its own if the data set names none.
    """
    which = {"subset": "train"} if dataset in TRAINING_FILE_ONLY else {}
    bunch = load_set(dataset, target, **which)
    X, y = bunch.data, bunch.target
    groups = np.arange(len(y)) if bunch.groups is None else bunch.groups
    if max_samples is not None and len(y) > max_samples:
        rows = stratified_rows(y, max_samples, seed_for(seed, "part", name_of(dataset)))
        X, y, groups = X[rows], y[rows], groups[rows]
    if order not in ORDERS:
        raise ValueError(f"order={order!r} is unknown; choose from {', '.join(map(repr, ORDERS))}.")
    if order != "file":
        labels, first, codes = np.unique(y, return_index=True, return_inverse=True)
        classes = {"appearance": np.argsort(first), "ascending": np.arange(len(labels))}
        classes["descending"] = classes["ascending"][::-1]
        y = np.argsort(classes[order])[codes]
        rows = np.argsort(y, kind="stable")
        X, y, groups = X[rows], y[rows], groups[rows]
    return X, y, groups


def prepared(scaling, X, first, second):
    """The rows ``first`` and ``second`` of X, scaled by the range of ``first`` (minmax) or of all rows (minmax_all)."""
    if scaling == "minmax_all":
        _, A, B = scaled("minmax", X, X[first], X[second])
        return A, B
    return scaled(scaling, X[first], X[second])


def divided(X, y, n_splits, folds, start, *key):
    """Train and test rows of a division into halves or outer folds.

    In the order of the samples, the first part begins with the first sample of each class if ``start`` is 0, and
    a part of a part later if it is 1, 2, ...: 1/2, 1/4, 3/4, 1/8 and so on. Shuffling depends on ``key`` alone.

    Returns
    -------
    list of (ndarray, ndarray)
    """
    if folds not in FOLDS:
        raise ValueError(f"folds={folds!r} is unknown; choose from {', '.join(map(repr, FOLDS))}.")
    if folds == "shuffled":
        return list(shuffled_folds(n_splits, *key).split(X, y))
    rows, share = np.arange(len(y)), Halton(1, scramble=False).random(start + 1)[-1, 0] / n_splits
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        rows[members] = np.roll(members, -round(share * len(members)))
    splits = inner_folds(n_splits, "blocks" if folds == "interleaved" else folds).split(X, y)
    return [tuple(np.sort(rows[indices]) for indices in parts) for parts in splits]


def inner_folds(n_splits, folds):
    """The splitter within a training part, which is never shuffled."""
    splitters = {"stratified": StratifiedKFold, "interleaved": InterleavedFolds}
    return splitters.get(folds, BlockFolds)(n_splits)


class InterleavedFolds(BaseCrossValidator):
    """Folds to which the samples of each class are dealt in turn.

    Parameters
    ----------
    n_splits : int
    """

    def __init__(self, n_splits):
        self.n_splits = n_splits

    def get_n_splits(self, X=None, y=None, groups=None):
        """Number of folds."""
        return self.n_splits

    def _iter_test_masks(self, X=None, y=None, groups=None):
        position = np.empty(len(y), dtype=int)
        for label in np.unique(y):
            position[y == label] = np.arange(np.sum(y == label))
        for fold in range(self.n_splits):
            yield position % self.n_splits == fold


def halves(X, y, folds, dataset, repeat, seed):
    """Rows for selection and rows for the test: two halves of each class, exchanged at odd repeats."""
    division = repeat // 2
    _, (first, second) = divided(X, y, 2, folds, division, seed, "halves", name_of(dataset), division)
    return (first, second) if repeat % 2 == 0 else (second, first)


def classifier(name, svm_C=1.0, svm_gamma=1.0):
    """A classifier by its name in the paper: "3-NN" (any k) or "SVM" with radial basis functions."""
    if name == "SVM":
        return SVC(C=svm_C, gamma=svm_gamma)
    k = re.fullmatch(r"([1-9]\d*)-NN", name)
    if k is None:
        raise ValueError(f"criterion {name!r} is unknown; choose 'SVM' or 'k-NN' with a number for k.")
    return KNeighborsClassifier(int(k[1]))


def warm_up(criterion):
    """Load compiled code before the first search by a criterion that is timed: search a few samples with it."""
    if repr(criterion) not in _WARM:
        y = np.arange(240) % 2  # any fold has more training samples than the largest k
        X = np.random.default_rng(0).standard_normal((240, 4)) + y[:, None]
        DynamicOscillatingSearch(criterion, depth=1).fit(X, y)
        _WARM.add(repr(criterion))


def hits(estimator, train, y_train, test, y_test, features):
    """Whether the classifier predicts each test sample correctly from these features.

    As in the searches, k-NN ranks equal distances by the order of the training samples; scikit-learn's choice among
    them depends on its algorithm.
    """
    A, B = train[:, list(features)], test[:, list(features)]
    if not isinstance(estimator, KNeighborsClassifier):
        return estimator.fit(A, y_train).predict(B) == y_test
    labels, codes = np.unique(y_train, return_inverse=True)
    predicted = np.empty(len(B), dtype=np.int64)
    for batch in gen_batches(len(B), max(1, 2**22 // len(A))):
        distances = np.zeros((batch.stop - batch.start, len(A)))
        for a, b in zip(A.T, B[batch].T, strict=True):
            distances += (b[:, None] - a) ** 2
        ranking = np.argsort(distances, axis=1)
        ranked = np.take_along_axis(distances, ranking, axis=1)
        farther = ranked[:, 1:] > ranked[:, :-1] * (1 + TIE)
        level = np.pad(farther.cumsum(axis=1), ((0, 0), (1, 0)))  # equal distances share a level
        nearest = np.take_along_axis(ranking, np.argsort(level * len(A) + ranking, axis=1), axis=1)
        nearest = nearest[:, : estimator.n_neighbors]
        votes = (codes[nearest][:, :, None] == np.arange(len(labels))).sum(axis=1)
        predicted[batch] = votes.argmax(axis=1)
    return labels[predicted] == y_test


def joined(features):
    """A list of numbers as a string separated by spaces, for tables."""
    return " ".join(map(str, features))


def paired_p_value(first, second):
    """Two-sided p-value of the paired t-test; 1 if all differences are zero."""
    difference = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    return float(ttest_1samp(difference, 0).pvalue) if difference.any() else 1.0
