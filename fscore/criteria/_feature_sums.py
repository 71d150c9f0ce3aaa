"""Classifiers whose scores are sums over the features: Gaussian naive Bayes and nearest centroids."""

from typing import NamedTuple

import numpy as np

from fscore.criteria._fast import BLOCK, EPS, FastAccuracy, FastScorer, as_doubles, correct
from fscore.criteria._subsets import by_length, changes

__all__ = ["CENTROID", "NAIVE_BAYES"]


class NormalFold(NamedTuple):
    """Statistics of the training samples for each feature, and the test samples."""

    classes: np.ndarray
    log_priors: np.ndarray  # (n_classes,)
    means: np.ndarray  # (n_features, n_classes)
    variances: np.ndarray  # (n_features, n_classes)
    spread: np.ndarray  # (n_features,): variance over all classes
    largest: np.ndarray  # (n_features,): absolute value
    n: int  # training samples
    X: np.ndarray  # (n_features, n_test)
    y: np.ndarray


class BoundNaiveBayes(FastAccuracy):
    """Gaussian naive Bayes: ``ln P(c) - sum over features of (ln(2 pi v) + (x - m)^2 / v) / 2``."""

    def __init__(self, bound_cv, fold_data, smoothing):
        super().__init__(bound_cv, fold_data)
        self.smoothing = smoothing
        self.folds = [self._fold(*samples) for samples in self.samples_of_folds(self.y)]

    def _fold(self, X, y, X_test, y_test):
        classes, counts = np.unique(y, return_counts=True)
        groups = [X[y == c] for c in classes]
        means = np.array([g.mean(axis=0) for g in groups]).T
        variances = np.array([g.var(axis=0) for g in groups]).T
        priors = np.log(counts / counts.sum())
        asked = np.ascontiguousarray(X_test.T)
        largest = np.abs(X).max(axis=0)
        return NormalFold(classes, priors, means, variances, X.var(axis=0), largest, len(X), asked, y_test)

    def _floor(self, fold, subsets):
        """What is added to the variances: a share of the largest variance in each subset."""
        return self.smoothing * np.array([fold.spread[list(s)].max() for s in subsets])

    def _hits(self, subsets, base, adding):
        tuples, sign = changes(subsets, base, adding), 1 if adding else -1
        base = np.array(base or (), dtype=np.int64)
        hits = np.empty((len(tuples), len(self.sizes)), dtype=np.int64)
        for f, fold in enumerate(self.folds):
            step = BLOCK // (len(fold.classes) * len(fold.y))
            floors = self._floor(fold, subsets)
            for floor in np.unique(floors):
                alike = np.flatnonzero(np.isclose(floors, floor, 0, 0, equal_nan=True))
                start = self._sums(fold, base[None], floor)
                for rows, columns in by_length([tuples[q] for q in alike], lambda length, step=step: step):
                    change = self._sums(fold, columns, floor)
                    hits[alike[rows], f] = self._decide(fold, start, change, sign, len(base) + columns.shape[1])
            self.raise_if_out_of_time()
        return hits

    def _sums(self, fold, columns, floor):
        """Sums over columns of shape (n_tuples, k): (x - m)^2 / v, ln(2 pi v), and a bound on relative errors."""
        squares = np.zeros((len(columns), len(fold.classes), len(fold.y)))
        logs = np.zeros((len(columns), len(fold.classes)))
        error = np.zeros(len(columns))
        with np.errstate(divide="ignore", invalid="ignore"):
            for c in columns.T:
                variances = fold.variances[c] + floor
                deviations = fold.X[c][:, None, :] - fold.means[c][:, :, None]
                deviations *= deviations
                deviations /= variances[:, :, None]
                squares += deviations
                logs += np.log(2 * np.pi * variances)
                error = np.maximum(error, fold.n * EPS * (1 + fold.largest[c] / np.sqrt(variances.min(axis=1))))
        return squares, logs, error

    def _decide(self, fold, start, change, sign, n_columns):
        squares, logs = start[0] + sign * change[0], start[1] + sign * change[1]
        scores = fold.log_priors[:, None] - (squares + logs[:, :, None]) / 2
        size = start[0] + change[0] + np.abs(start[1])[:, :, None] + np.abs(change[1])[:, :, None] + 16 * n_columns
        error = 8 * np.maximum(start[2], change[2])[:, None] * size.max(axis=1)
        return correct(scores, error, fold.classes, fold.y)


class BoundCentroid(BoundNaiveBayes):
    """Nearest centroids: ``-sum over features of (x - m)^2 / 2``."""

    def _fold(self, X, y, X_test, y_test):
        fold = super()._fold(X, y, X_test, y_test)
        largest = np.maximum(fold.largest, np.abs(fold.X).max(axis=1))
        return fold._replace(log_priors=np.zeros(len(fold.classes)), spread=np.ptp(X, axis=0), largest=largest)

    def _floor(self, fold, subsets):
        """Zero; NaN where all features are constant, which leads to refitting."""
        return np.where(super()._floor(fold, subsets) > 0, 0.0, np.nan)

    def _sums(self, fold, columns, floor):
        squares = np.full((len(columns), len(fold.classes), len(fold.y)), floor)
        error = np.zeros(len(columns))
        for c in columns.T:
            deviations = fold.X[c][:, None, :] - fold.means[c][:, :, None]
            deviations *= deviations
            squares += deviations
            error += 4 * (fold.n + 64) * EPS * fold.largest[c] ** 2  # scikit-learn expands the square
        return squares, error

    def _decide(self, fold, start, change, sign, n_columns):
        error = (start[1] + change[1]) * n_columns
        return correct(-(start[0] + sign * change[0]), error[:, None], fold.classes, fold.y)


def _bind_naive_bayes(bound_cv):
    fold_data = as_doubles(bound_cv)
    return None if fold_data is None else BoundNaiveBayes(bound_cv, fold_data, bound_cv.estimator.var_smoothing)


def _bind_centroid(bound_cv):
    fold_data = as_doubles(bound_cv)
    return None if fold_data is None else BoundCentroid(bound_cv, fold_data, 1.0)


NAIVE_BAYES = FastScorer(("accuracy",), {"priors": None}, _bind_naive_bayes)
CENTROID = FastScorer(
    ("accuracy",), {"metric": "euclidean", "shrink_threshold": (None, 0), "priors": "uniform"}, _bind_centroid
)
