"""Labelled samples sorted by class, and the pairs of samples that constrain MDM's linear program."""

from typing import NamedTuple

import numpy as np

BLOCK = 64  # samples whose distances to all others are computed at once: few enough to fit the processor's cache


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
    """Labelled points sorted by class, with the distances that the program needs.

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
        label = np.repeat(np.arange(len(self.classes)), [c.stop - c.start for c in self.classes])
        pairs, is_same = np.column_stack([i, j]), label[i] == label[j]
        same, other = pairs[is_same], pairs[~is_same]
        if self.identical is not None:
            other = other[self.identical[other[:, 0]] != self.identical[other[:, 1]]]
        return Rows(np.concatenate([same, same[:, ::-1]]) if ordered else same, other)

    def n_pairs(self):
        """Numbers of unordered same-class and different-class pairs."""
        sizes = np.array([c.stop - c.start for c in self.classes])
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
