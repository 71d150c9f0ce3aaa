"""Classifiers whose scores are sums over the features: Gaussian naive Bayes and nearest centroids."""

from functools import cache
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.naive_bayes import GaussianNB

from fscore.criteria._fast import (
    CACHE_ENTRIES,
    EPS,
    FastAccuracy,
    count_hits,
    means_in_order,
    sums_in_order,
    transposed,
)
from fscore.criteria._subsets import by_length, step_of

MAX_TUPLES = 16  # of columns that are added up at a time


class NormalFold(NamedTuple):
    """Statistics of the training samples for each feature, and the test samples."""

    classes: np.ndarray
    log_priors: np.ndarray  # (n_classes,)
    means: np.ndarray  # (n_features, n_classes)
    variances: np.ndarray  # (n_features, n_classes)
    spread: np.ndarray  # (n_features,): variance over all classes
    largest: np.ndarray  # (n_features,): absolute value
    class_rows: list[np.ndarray]  # rows of the training samples of each class
    X: np.ndarray  # (n_samples, n_features): training and test samples
    test: np.ndarray  # rows of the test samples


@cache
def _adds_in_order():
    """Whether scikit-learn's means and variances of classes are those of `means_in_order` to the last bit.

    Those of a single column are numpy's, which adds it in another order.
    """
    X, y = np.random.default_rng(0).normal(3.0, size=(2000, 2)), np.arange(2000) % 2
    for layout in X, np.asfortranarray(X), X[:, :1]:
        model = GaussianNB(var_smoothing=0.0).fit(layout, y)
        for c in range(2):
            mean, variance = _moments(layout, np.flatnonzero(y == c))
            if (model.theta_[c] != mean).any() or (model.var_[c] != variance).any():
                return False
    return True


def _moments(X, rows):
    if X.shape[1] == 1:
        x = X[rows]
        return x.mean(axis=0), x.var(axis=0)
    mean = means_in_order(X, rows)
    return mean, sums_in_order(X, rows, lambda A: (A - mean) ** 2) / len(rows)


def _largest_spread(fold, subsets):
    return np.array([fold.spread[list(s)].max() for s in subsets])


class BoundNaiveBayes(FastAccuracy):
    """Gaussian naive Bayes: ``ln P(c) - sum over features of (ln(2 pi v) + (x - m)^2 / v) / 2``."""

    supported: ClassVar[dict] = {"priors": None}
    min_shared_columns = 0

    def __init__(self, bound_cv, fold_data):
        super().__init__(bound_cv, fold_data)
        self.adds_in_order = _adds_in_order()
        self.folds = [fold for data in fold_data for fold in self._folds(data)]

    def _folds(self, data):
        largest = np.maximum(data.X.max(axis=0), -data.X.min(axis=0))
        for f in data.folds:
            train, test = self.splits[f]
            y = self.y[train]
            classes = np.flatnonzero(np.bincount(y))
            yield self._statistics(data.X, largest, classes, [train[y == c] for c in classes], test)

    def _statistics(self, X, largest, classes, class_rows, test):
        means, variances = (np.array(m).T for m in zip(*(_moments(X, rows) for rows in class_rows), strict=True))
        share = np.array([len(rows) for rows in class_rows]) / sum(map(len, class_rows))
        spread = variances @ share + (means - (means @ share)[:, None]) ** 2 @ share
        return NormalFold(classes, np.log(share), means, variances, spread, largest, class_rows, X, test)

    def _floor(self, fold, subsets):
        """What is added to the variances: a share of the largest variance in each subset."""
        return self.bound_cv.estimator.var_smoothing * _largest_spread(fold, subsets)

    def _hits(self, subsets):
        hits = np.array([self._hits_in_fold(fold, subsets) for fold in self.folds]).T
        if self.adds_in_order:
            for q, f in np.argwhere(hits < 0):
                if len(subsets[q]) == 1:
                    hits[q, f] = self._hits_in_fold(self._only(self.folds[f], list(subsets[q])), [(0,)])[0]
        return hits

    def _only(self, fold, column):
        """The fold of a table that has no other column."""
        return self._statistics(fold.X[:, column], fold.largest[column], fold.classes, fold.class_rows, fold.test)

    def _hits_in_fold(self, fold, subsets):
        step = step_of(subsets)
        sign, base = 1 if step.adds else -1, np.array([step.base], dtype=np.int64)
        summed = subsets if step.adds else [step.base] * len(subsets)
        columns = np.unique(np.concatenate([base[0], *step.changes]).astype(np.int64))
        hits = np.zeros(len(subsets), dtype=np.int64)
        certain = np.ones(len(subsets), dtype=bool)
        floors = self._floor(fold, subsets)
        error_bounds = np.array([self._error_bound(fold, *each) for each in zip(subsets, summed, floors, strict=True)])
        groups = [np.flatnonzero(np.isclose(floors, floor, 0, 0, equal_nan=True)) for floor in np.unique(floors)]
        max_tuples = min(max(map(len, groups)), MAX_TUPLES)
        parts_by_floor = []
        for group in groups:
            parts = by_length([step.changes[q] for q in group], lambda length: max_tuples)
            parts_by_floor.append((floors[group[0]], [(group[positions], changed) for positions, changed in parts]))
        n_rows = max(1, CACHE_ENTRIES // max(len(fold.classes) * max_tuples, len(columns)))
        for lo in range(0, len(fold.test), n_rows):
            rows = fold.test[lo : lo + n_rows]
            A = dict(zip(columns.tolist(), transposed(fold.X, rows, columns), strict=True))
            for floor, parts in parts_by_floor:
                base_sums = self._sums(fold, A, base, floor, len(rows))
                for q, changed in parts:
                    change_sums = self._sums(fold, A, changed, floor, len(rows))
                    scores, size = self._scores(fold, base_sums, change_sums, sign, base.size + changed.shape[1])
                    error = error_bounds[q, None] * size
                    n_correct, are_certain = count_hits(scores, error, fold.classes, self.y[rows])
                    hits[q] += n_correct
                    certain[q] &= are_certain
            self.raise_if_out_of_time()
        return np.where(certain, hits, -1)

    def _is_exact(self, fold, subset):
        """Whether scikit-learn finds the same means and variances to the last bit."""
        return self.adds_in_order and (len(subset) > 1 or fold.X.shape[1] == 1)

    def _error_bound(self, fold, subset, summed, floor):
        """A bound on the relative errors of variances, and of squares divided by them, of the columns summed up."""
        smallest, n = fold.variances[list(summed)].min(axis=1) + floor, sum(map(len, fold.class_rows))
        with np.errstate(divide="ignore", invalid="ignore"):
            if not self._is_exact(fold, subset):
                return 8 * n * EPS * (1 + (fold.largest[list(summed)] / np.sqrt(smallest)).max())
            # only the floor may differ: by the error of a variance, which squares that of the mean
            smoothing = self.bound_cv.estimator.var_smoothing
            floor_error = smoothing * (4 * n * EPS * fold.spread + (n * EPS * fold.largest) ** 2)
            return 8 * ((8 + len(summed)) * EPS + floor_error[list(subset)].max() / smallest.min())

    def _sums(self, fold, A, columns, floor, n_rows):
        """Sums over columns: squares (n_tuples, n_classes, n_rows), and logarithms (n_tuples, n_classes)."""
        squares = np.zeros((len(columns), len(fold.classes), n_rows))
        logs = np.zeros((len(columns), len(fold.classes)))
        with np.errstate(divide="ignore", invalid="ignore"):
            for c in columns.T:
                variances = fold.variances[c] + floor
                deviations = np.array([A[k] for k in c.tolist()])[:, None, :] - fold.means[c][:, :, None]
                deviations *= deviations
                deviations *= (1 / variances)[:, :, None]
                squares += deviations
                logs += np.log(2 * np.pi * variances)
        return squares, logs

    def _scores(self, fold, base, change, sign, n_columns):
        """Scores of the classes, and the size of what was added up for them."""
        size = base[0] + change[0]
        scores = (size if sign > 0 else base[0] - change[0]) * -0.5
        scores += (fold.log_priors - (base[1] + sign * change[1]) / 2)[:, :, None]
        size += (np.abs(base[1]) + np.abs(change[1]) + 16 * n_columns)[:, :, None]
        return scores, size.max(axis=1)


class BoundCentroid(BoundNaiveBayes):
    """Nearest centroids: ``-sum over features of (x - m)^2 / 2``."""

    supported: ClassVar[dict] = {"metric": "euclidean", "shrink_threshold": (None, 0), "priors": "uniform"}

    def _statistics(self, X, largest, classes, class_rows, test):
        fold = super()._statistics(X, largest, classes, class_rows, test)
        spread = np.ptp(X[np.concatenate(class_rows)], axis=0)
        return fold._replace(log_priors=np.zeros(len(fold.classes)), spread=spread)

    def _floor(self, fold, subsets):
        """Zero; NaN where all features are constant, which leads to refitting."""
        return np.where(_largest_spread(fold, subsets) > 0, 0.0, np.nan)

    def _error_bound(self, fold, subset, summed, floor):
        """A bound on the error of a score; scikit-learn expands the square."""
        n = 0 if self._is_exact(fold, subset) else sum(map(len, fold.class_rows))
        return 4 * (n + 64) * EPS * (fold.largest[list(summed)] ** 2).sum() * len(summed)

    def _sums(self, fold, A, columns, floor, n_rows):
        squares = np.full((len(columns), len(fold.classes), n_rows), floor)
        for c in columns.T:
            deviations = np.array([A[k] for k in c.tolist()])[:, None, :] - fold.means[c][:, :, None]
            deviations *= deviations
            squares += deviations
        return (squares,)

    def _scores(self, fold, base, change, sign, n_columns):
        return -(base[0] + sign * change[0]), 1.0
