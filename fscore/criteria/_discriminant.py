"""Linear discriminant analysis from class sums.

The scatter within classes and the class means of each fold's training samples are computed once; a subset takes the
rows and columns that belong to it. With W the covariance within classes and m its mean, a class of probability P scores
``m' W^-1 x - m' W^-1 m / 2 + ln P``.
"""

from typing import NamedTuple

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from fscore.criteria._quick import EPS, QuickHits, as_double, correct, has_classes, inverses
from fscore.criteria._subsets import merged, without

__all__ = ["bind_discriminant"]

MAX_BYTES = 10**9  # of scatter matrices
BLOCK = 2**20  # entries of the systems that are solved at a time


class Fold(NamedTuple):
    """What the training samples tell, and the test samples; all about the mean of the training samples."""

    classes: np.ndarray
    log_priors: np.ndarray  # (n_classes,)
    means: np.ndarray  # (n_classes, n_features)
    covariance: np.ndarray  # (n_features, n_features), within classes
    offset: np.ndarray  # (n_features,): largest absolute value in standard deviations
    X: np.ndarray  # (n_test, n_features)
    y: np.ndarray
    n: int  # training samples


def bind_discriminant(refit):
    """Bind `LinearDiscriminantAnalysis`; None with given priors or solvers other than ``"svd"``.

    The others neither center nor scale, and lose digits in their own way.
    """
    estimator, X = refit.estimator, as_double(refit.X)
    if (
        X is None
        or estimator.solver != "svd"
        or estimator.shrinkage is not None
        or estimator.covariance_estimator is not None
        or estimator.priors is not None
        or estimator.n_components is not None
        or not has_classes(refit)
        or 8 * len(refit.splits) * X.shape[1] ** 2 > MAX_BYTES
    ):
        return None
    estimator._validate_params()
    return BoundDiscriminant(refit, X)


def _divides_by_samples():
    """Whether scikit-learn's covariance within classes divides by n rather than by n - n_classes; versions differ."""
    probe = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    return abs(probe.coef_[0, 0] - 5.0) < 1e-6  # the difference of the means is 5, the scatter 4


class BoundDiscriminant(QuickHits):
    """Accuracies of linear discriminant analysis."""

    def __init__(self, refit, X):
        super().__init__(refit, X)
        self.by_n = _divides_by_samples()
        self.folds = [self._fold(train, test) for train, test in self.splits]

    def _fold(self, train, test):
        X, y = self.X[train], self.y[train]
        centre = X.mean(axis=0)
        largest = np.abs(X).max(axis=0)
        X = X - centre
        classes, index, counts = np.unique(y, return_inverse=True, return_counts=True)
        means = np.array([X[y == c].mean(axis=0) for c in classes])
        X -= means[index]
        n = len(X)
        covariance = X.T @ X / max(n if self.by_n else n - len(classes), 1)
        deviations = np.sqrt(covariance.diagonal())
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = largest / deviations
        return Fold(classes, np.log(counts / n), means, covariance, offset, self.X[test] - centre, self.y[test], n)

    def _hits(self, base, tuples, sign):
        subsets = [(merged if sign > 0 else without)(base, t) for t in tuples]
        hits = np.full((len(subsets), len(self.sizes)), -1)
        lengths = np.array([len(s) for s in subsets])
        for length in np.unique(lengths):
            alike = np.flatnonzero(lengths == length)
            for f, fold in enumerate(self.folds):
                step = max(1, BLOCK // ((length + len(fold.classes)) * (length + len(fold.y))))
                for lo in range(0, len(alike), step):
                    part = alike[lo : lo + step]
                    hits[part, f] = self._fold_hits(fold, np.array([subsets[q] for q in part], dtype=np.int64))
                self._check()
        return hits

    def _fold_hits(self, fold, columns):
        """Hits for each row of columns."""
        length = columns.shape[1]
        correlation = fold.covariance[columns[:, :, None], columns[:, None, :]]
        diagonal = np.einsum("...ii->...i", correlation)
        scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        correlation = correlation * scale[:, :, None] * scale[:, None, :]
        inverse, regular = inverses(correlation)
        condition = np.einsum("...ii->...", inverse)
        means = fold.means[:, columns].transpose(1, 0, 2) * scale[:, None, :]
        directions = means @ inverse  # (n_subsets, n_classes, length)
        tol = self.refit.estimator.tol
        regular &= (condition * 4 * tol**2 < 1) & _keeps_all(means, directions, np.exp(fold.log_priors), tol)
        X = fold.X.T[columns] * scale[:, :, None]
        scores = directions @ X + (fold.log_priors - (directions * means).sum(axis=-1) / 2)[..., None]
        longest = np.sqrt((directions**2).sum(axis=-1).max(axis=-1))
        reach = np.sqrt((X**2).sum(axis=1)) + np.sqrt((means**2).sum(axis=-1).max(axis=-1))[:, None]
        error = 4 * EPS * length * (fold.n + fold.offset[columns].max(axis=1)) * condition * longest
        hits = correct(scores, error[:, None] * reach, fold.classes, fold.y)
        return np.where(regular, hits, -1)


def _keeps_all(means, directions, share, tol):
    """Whether scikit-learn, which drops directions in which the class means hardly differ, keeps all there are."""
    root = np.sqrt(share)[:, None]
    means = (means - (share[:, None] * means).sum(axis=1, keepdims=True)) * root
    directions = (directions - (share[:, None] * directions).sum(axis=1, keepdims=True)) * root
    eigenvalues = np.linalg.eigvalsh(means @ directions.transpose(0, 2, 1))  # ascending; the first is 0
    rank = min(len(share) - 1, means.shape[2])
    return eigenvalues[:, -rank] > 4 * tol**2 * eigenvalues[:, -1]
