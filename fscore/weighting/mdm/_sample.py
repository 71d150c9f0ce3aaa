"""Labeled samples sorted by class, in unit ranges, and the pairs of samples that constrain MDM's linear program."""

from typing import NamedTuple

import numpy as np

from fscore._magnitudes import WIDEST

BLOCK = 64  # samples whose distances to all others are computed at once: few enough to fit the processor's cache
DISTANT = 1e3  # ranges of the widest class: classes so far apart give no unit


class Rows(NamedTuple):
    """Constraints (rows of the linear program), each given by a pair of samples.

    Attributes
    ----------
    same : ndarray of shape (n_same, 2)
        Pairs (i, j) of one class: d_ij is at most r plus the slack of i.
    other : ndarray of shape (n_other, 2)
        Pairs of different classes: d_ij is at least the margin.
    """

    same: np.ndarray
    other: np.ndarray

    @classmethod
    def empty(cls):
        """No constraints."""
        return cls(*np.empty((2, 0, 2), dtype=np.intp))

    def joined(self, rows):
        """These constraints, followed by ``rows``."""
        return Rows(np.concatenate([self.same, rows.same]), np.concatenate([self.other, rows.other]))

    def count(self):
        """Number of constraints."""
        return len(self.same) + len(self.other)


class Extremes(NamedTuple):
    """For each sample, its farthest sample of the same class and its nearest sample of another class."""

    farthest: np.ndarray  # sample numbers; a sample that is alone in its class points to itself
    farthest_distance: np.ndarray
    nearest: np.ndarray
    nearest_distance: np.ndarray


class Sample:
    """Labeled points sorted by class, with the distances that the program needs.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        In unit range, sorted by class.
    codes : ndarray of shape (n_samples,)
        Class numbers, ascending.
    identical : ndarray of shape (n_samples,) or None
        Equal numbers for identical points. If given, pairs of identical points are not constrained.
    """

    def __init__(self, X, codes, identical=None):
        self.X = X
        self.codes = codes
        self.identical = identical
        self.n_samples, self.n_features = X.shape
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        self.classes = [slice(lo, hi) for lo, hi in zip(first, [*first[1:], len(X)], strict=True)]

    def differences(self, pairs):
        """Squared differences by feature, shape (n_pairs, n_features): the coefficients of the weights."""
        return (self.X[pairs[:, 0]] - self.X[pairs[:, 1]]) ** 2

    def distances(self, pairs, w):
        """Squared weighted distances of pairs, computed from explicit differences to avoid cancellation."""
        step = max(BLOCK, BLOCK * self.n_samples // max(1, self.n_features))
        return np.concatenate(
            [self.differences(pairs[k : k + step]) @ w for k in range(0, len(pairs), step)] or [np.empty(0)]
        )

    def all_pairs(self, ordered):
        """All constraints of the full program; same-class pairs in both orders if ``ordered``."""
        i, j = np.triu_indices(self.n_samples, 1)
        pairs, is_same = np.column_stack([i, j]), self.codes[i] == self.codes[j]
        same, other = pairs[is_same], pairs[~is_same]
        if self.identical is not None:
            other = other[self.identical[other[:, 0]] != self.identical[other[:, 1]]]
        return Rows(np.concatenate([same, same[:, ::-1]]) if ordered else same, other)

    def n_pairs(self):
        """Numbers of unordered same-class and different-class pairs."""
        sizes = np.bincount(self.codes)
        same = int(np.sum(sizes * (sizes - 1)) // 2)
        return same, self.n_samples * (self.n_samples - 1) // 2 - same

    def extremes(self, w):
        """The :class:`Extremes` under weights ``w``, in O(n_samples * BLOCK) memory.

        A matrix product finds the partners; their distances are then computed from explicit differences.
        """
        used = w > 0
        Z = (self.X - self.X.mean(axis=0))[:, used] * np.sqrt(w[used])
        # |b|^2 - 2 a.b in one product; |a|^2 is constant along a row and does not change its extremes
        left, right = np.column_stack([-2 * Z, np.ones(len(Z))]), np.column_stack([Z, np.einsum("ij,ij->i", Z, Z)])
        farthest, nearest = np.empty((2, self.n_samples), dtype=np.intp)
        for members in self.classes:
            for lo in range(members.start, members.stop, BLOCK):
                block = slice(lo, min(lo + BLOCK, members.stop))
                d = left[block] @ right.T
                farthest[block] = members.start + d[:, members].argmax(axis=1)
                d[:, members] = np.inf
                if self.identical is not None:
                    d[self.identical[block, None] == self.identical] = np.inf
                nearest[block] = d.argmin(axis=1)
        everyone = np.arange(self.n_samples)
        far, near = np.column_stack([everyone, farthest]), np.column_stack([everyone, nearest])
        near_distance = self.distances(near, w)
        if self.identical is not None:  # a point identical to all points of other classes has no constraint
            near_distance[self.identical[near[:, 0]] == self.identical[near[:, 1]]] = np.inf
        return Extremes(farthest, self.distances(far, w), nearest, near_distance)


def _units(X, codes):
    """Range of each feature, or of its widest class if that is far smaller; ``codes`` ascend."""
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    whole = np.ptp(X, axis=0)
    widest = (np.maximum.reduceat(X, starts) - np.minimum.reduceat(X, starts)).max(axis=0)
    return np.where((widest > 0) & (whole > DISTANT * widest), np.maximum(widest, whole / WIDEST), whole)


def _identical_pairs(point, codes):
    """Pairs i < j of equal points and different classes, in ascending order."""
    for i in range(len(point)):
        for j in np.flatnonzero((point[i + 1 :] == point[i]) & (codes[i + 1 :] != codes[i])):
            yield i, i + 1 + j


class PreparedData:
    """The user's data in unit ranges, sorted by class and without constant features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    codes : ndarray of shape (n_samples,)
        Class numbers.
    duplicates : {"error", "drop"}
        What to do with identical samples of different classes.

    Attributes
    ----------
    sample : Sample
    unweighted : Extremes
        Of the sample under equal weights.
    dropped_pairs : ndarray of shape (n_pairs, 2)
        Row numbers of ``X``: pairs of identical samples of different classes.
    """

    def __init__(self, X, codes, duplicates):
        self.n_features = X.shape[1]
        self.order = np.argsort(codes, kind="stable")
        low, high = X.min(axis=0), X.max(axis=0)
        self.varying = high > low
        U = (X[:, self.varying] - low[self.varying])[self.order]
        codes = codes[self.order]
        self.range = _units(U, codes)
        U /= self.range
        self.sample = Sample(U, codes)
        self.dropped_pairs = np.empty((0, 2), dtype=np.intp)
        equal_weights = np.ones(len(self.range))
        self.unweighted = self.sample.extremes(equal_weights)
        if self.unweighted.nearest_distance.min() < 1e-12:  # possibly identical
            self._treat_duplicates(U, codes, duplicates)
            self.unweighted = self.sample.extremes(equal_weights)
            if not np.isfinite(self.unweighted.nearest_distance).any():
                raise ValueError(f"All {len(X)} rows of X are identical, so nothing separates the classes. Check X.")
            if self.unweighted.nearest_distance.min() == 0:
                raise self.too_close()

    def _treat_duplicates(self, U, codes, duplicates):
        _, point = np.unique(U, axis=0, return_inverse=True)
        pairs = _identical_pairs(self.in_input_order(point), self.in_input_order(codes))
        if duplicates == "drop":
            self.dropped_pairs = np.array(list(pairs), dtype=np.intp).reshape(-1, 2)
            self.sample = Sample(U, codes, point)
        elif first := next(pairs, None):
            raise ValueError(
                f"Rows {first[0]} and {first[1]} are identical but carry different labels; no weights can keep them "
                "apart. Remove one of each such pair from the data, or leave out their constraints with "
                "duplicates='drop'."
            )

    def too_close(self):
        """The error to raise if the nearest samples of different classes are too close for the solver."""
        i = self.unweighted.nearest_distance.argmin()
        j = self.unweighted.nearest[i]
        difference = np.abs(self.sample.X[i] - self.sample.X[j]).max()
        first, second = np.sort(self.order[[i, j]])
        return ValueError(
            f"Rows {first} and {second} have different labels, but differ by at most {difference:.1e} in units of the "
            "features' ranges, which is below the solver's precision. Remove one of them, or outliers that widen the "
            "ranges."
        )

    def in_input_order(self, values):
        """Values of the sorted samples in the order of ``X``."""
        result = np.empty_like(values)
        result[self.order] = values
        return result

    def in_input_units(self, w):
        """Weights for the features of ``X``, zero for constant ones, from those of features in unit range."""
        result = np.zeros(self.n_features)
        result[self.varying] = w / self.range / self.range
        return result
