"""Shared by the experiments of Hocke and Martinetz 2014: parameters, samples, folds, and the k-NN classifier.

We do not have the paper's data sets, protocol and tables, so the protocol is ours: stratified cross-validation with
the same folds for all methods, and soft MDM's nu chosen by inner cross-validation of the training part.
"""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from compendium.experiment import DataExperiment, parameter
from compendium.protocol import load_set, shuffled_folds
from compendium.units import name_of
from hocke2014.methods import GRIDS, learn

GENERATED = "wide_gaussian"  # replaces the gene expression sets if none is available
NONZERO = 1e-6  # a feature keeps its weight if its share of the weighted variance is larger


class CrossValidation(DataExperiment):
    """The parameters of the experiments that repeat a cross-validation on the UCI sets."""

    dataset: list[str] = parameter(
        ["iris", "wine", "wdbc", "pima", "parkinsons", "seeds", "ionosphere", "sonar"],
        "data sets, or paths of CSV files",
        "data sets",
    )
    n_splits: int = parameter(5, "folds of the outer cross-validation", "[2, 50]")
    n_repeats: int = parameter(10, "repetitions of it, each with its own folds", "[1, 100]")
    n_inner_splits: int = parameter(3, "folds of the inner cross-validation, which chooses the parameters", "[2, 50]")
    nu: list[float] = parameter([0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02], "grid for soft MDM; 1/N is added", "(0, 1]")


def samples_of(dataset, target=None):
    """X and y of a registered data set, or of a CSV file with its labels in the column ``target``."""
    return load_set(dataset, target, return_X_y=True)


def folds(X, y, dataset, repeat, n_splits, seed):
    """The (train, test) splits that all methods share; ``n_splits=0`` leaves out one sample at a time."""
    if n_splits == 0:
        return LeaveOneOut().split(X)
    return shuffled_folds(n_splits, seed, "split", name_of(dataset), repeat).split(X, y)


def varying_scaled(scaling, X, *others):
    """Scale ``X`` and other samples by ``X``, without the features that are constant in ``X``.

    Unlike `compendium.protocol.scaled`, it leaves those features out, and it divides by the range or standard deviation
    where scikit-learn's ``MinMaxScaler`` multiplies by the reciprocal: the last digits differ.

    Parameters
    ----------
    scaling : {"raw", "minmax", "zscore"}
        Unchanged, ``X`` scaled to [0, 1], or ``X`` with mean 0 and variance 1.
    X, *others : ndarray of shape (n_samples, n_features)

    Returns
    -------
    list of ndarray of shape (n_samples, n_varying)
    """
    varying = np.ptp(X, axis=0) > 0
    A = X[:, varying]
    shift, unit = {
        "raw": (0.0, 1.0),
        "minmax": (A.min(axis=0), np.ptp(A, axis=0)),
        "zscore": (A.mean(axis=0), A.std(axis=0)),
    }[scaling]
    return [(Z[:, varying] - shift) / unit for Z in (X, *others)]


def variance_shares(weights, X):
    """Share of each feature in the weighted variance of ``X``, independent of units; zeros if all weights are zero."""
    contribution = weights * X.var(axis=0)
    return contribution / (contribution.sum() or 1.0)


def knn_predictions(A, y, B, n_neighbors):
    """Predictions of k-NN for several k: the majority label, and the lowest label of a tie.

    Distances that agree to ten digits count as equal, so that rounding after a rotation or a change of units does not
    change the neighbors. Among equally near samples, the first in ``A`` are the neighbors.

    Parameters
    ----------
    A : ndarray of shape (n_train, n_features)
    y : ndarray of shape (n_train,)
    B : ndarray of shape (n_test, n_features)
    n_neighbors : sequence of int
        The k.

    Returns
    -------
    ndarray of shape (len(n_neighbors), n_test)

    Raises
    ------
    ValueError
        If a k is larger than the number of training samples.
    """
    most = max(n_neighbors)
    if most > len(A):
        raise ValueError(f"n_neighbors={most} is more than the {len(A)} samples of the training part; lower it.")
    classes, codes = np.unique(y, return_inverse=True)
    d = cdist(B, A, "sqeuclidean")
    d /= d.max() or 1.0
    nearest = np.argsort(d.round(10), axis=1, kind="stable")[:, :most]
    votes = np.eye(len(classes), dtype=int)[codes[nearest]].cumsum(axis=1)
    return np.array([classes[votes[:, k - 1].argmax(axis=1)] for k in n_neighbors])


def knn_error(transform, A, a, B, b, k):
    """Share of the samples ``B`` with labels ``b`` that k-NN among ``A`` with labels ``a`` gets wrong.

    ``transform`` is applied to both first.
    """
    return np.mean(knn_predictions(transform(A), a, transform(B), [k])[0] != b)


def tuned(method, X, y, nu, n_inner_splits, n_neighbors, seed):
    """The parameter value of a method with the fewest errors in inner cross-validation, for each k.

    Parameters
    ----------
    method, X, y, seed
        As in `hocke2014.methods.learn`.
    nu : sequence of float
        Grid of soft MDM, to which 1/N, which gives hard MDM, is added. Ties go to the smoother problem.
    n_inner_splits : int
    n_neighbors : sequence of int
        The k.

    Returns
    -------
    list
        A value of the method's grid for each k; None for a method without parameter.
    """
    grid = sorted({*nu, 1 / len(X)}, reverse=True) if method == "soft MDM" else GRIDS.get(method, (None,))
    if len(grid) == 1:
        return [grid[0]] * len(n_neighbors)
    wrong = np.zeros((len(grid), len(n_neighbors)), dtype=int)
    for train, test in StratifiedKFold(n_inner_splits, shuffle=True, random_state=seed).split(X, y):
        for row, transform in zip(wrong, learn(method, X[train], y[train], grid, seed), strict=True):
            predicted = knn_predictions(transform(X[train]), y[train], transform(X[test]), n_neighbors)
            row += (predicted != y[test]).sum(axis=1)
    return [grid[best] for best in wrong.argmin(axis=0)]
