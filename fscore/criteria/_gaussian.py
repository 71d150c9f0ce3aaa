"""Distances between classes under a normal model.

A list of subsets is walked in lexicographic order; the Cholesky factor of each is extended from that of the columns it
shares with the one before. All factors have their columns in ascending order, so a subset has the same value, to the
last bit, in every list: no error accumulates along a search, and rounding decides no tie differently when some values
were remembered.

From more than `SINGLE_WAY` features, where that costs too much, all successors are computed from one factor L of the
covariance over S: adding the tuple T changes the determinant and the quadratic form by its Schur complement (the
up-date); removing T takes the corresponding block of the inverse, a Gram matrix of columns of L^-1, which loses no
digits to cancellation (the down-date). Branch and bound goes from each subset to the next by rank-one down-dates. The
loops are in `fscore.kernels.gaussian`.
"""

from itertools import combinations
from numbers import Real
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dtrtri
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval

from fscore._validation import encode_labels
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._gaussian_walk import BoundedWalk
from fscore.criteria._subsets import check_columns, flat, n_shared
from fscore.kernels.gaussian import subset_values

__all__ = ["Bhattacharyya", "Mahalanobis"]

SINGLE_WAY = 64  # up to this many features a subset is always valued by its own factor


class _Gaussian(Criterion):
    monotone = True
    _parameter_constraints: ClassVar[dict] = {"ridge": [Interval(Real, 0, None, closed="left")]}

    def __init__(self, *, ridge=1e-8):
        self.ridge = ridge

    def _bind(self, X, y, n_jobs, params):
        X = check_array(X, dtype=np.float64)
        classes, codes = encode_labels(y)
        scale = X.std(axis=0)
        Z = (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
        groups = [Z[codes == c] for c in range(len(classes))]
        for c, g in zip(classes.tolist(), groups, strict=True):
            if len(g) < 2:
                raise ValueError(
                    f"class {c!r} has a single sample, so it has no covariance; drop the class or collect more samples."
                )
        return BoundGaussian(self._terms(groups))

    def _terms(self, groups):
        """List of ``(C, deltas, q, g)``: the criterion is the sum of ``q . (delta' C^-1 delta) + g ln|C|``."""
        raise NotImplementedError

    def _covariance(self, g):
        C = np.cov(g, rowvar=False, bias=True).reshape(g.shape[1], g.shape[1])
        C.flat[:: len(C) + 1] += self.ridge
        return C


def _pairs(groups):
    """All pairs of classes with weights proportional to the product of priors, summing to one."""
    pairs = list(combinations(range(len(groups)), 2))
    weights = np.array([len(groups[a]) * len(groups[b]) for a, b in pairs], dtype=np.float64)
    return pairs, weights / weights.sum(), [g.mean(axis=0) for g in groups]


class Bhattacharyya(_Gaussian):
    """Bhattacharyya distance between normal classes.

    ``B = (m1 - m2)' S^-1 (m1 - m2) / 8 + ln(|S| / sqrt(|S1| |S2|)) / 2`` with ``S = (S1 + S2) / 2``; several classes:
    the sum over pairs, weighted by the product of the priors (weights sum to one). Adding a feature never lowers it.

    Parameters
    ----------
    ridge : float, default=1e-8
        Added to the variances of the standardized features, so that a class with fewer samples than features keeps
        an invertible covariance. The distance stays that of two normal models, hence monotone.

    Notes
    -----
    Maximum-likelihood covariances (1/n). Invariant to shift and scale of each feature, up to the ridge.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 4: the pre-filter of Tables 5-7. The formula is not printed there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import Bhattacharyya
    >>> X, y = load_iris(return_X_y=True)
    >>> J = Bhattacharyya().bind(X, y)
    >>> float(J.values([(2,)])[0]) < float(J.values([(2, 3)])[0])
    True
    """

    def _terms(self, groups):
        pairs, weights, means = _pairs(groups)
        own = [self._covariance(g) for g in groups]
        share = np.zeros(len(groups))
        for (a, b), w in zip(pairs, weights, strict=True):
            share[[a, b]] += w
        nothing = np.empty((0, len(means[0]))), np.empty(0)
        terms = [(C, *nothing, -s / 4) for C, s in zip(own, share, strict=True)]
        for (a, b), w in zip(pairs, weights, strict=True):
            terms.append(((own[a] + own[b]) / 2, (means[a] - means[b])[None], np.array([w / 8]), w / 2))
        return terms


class Mahalanobis(_Gaussian):
    """Squared Mahalanobis distance between class means under the pooled covariance.

    Several classes: the sum over pairs, weighted by the product of the priors (weights sum to one). Adding a feature
    never lowers it.

    Parameters
    ----------
    ridge : float, default=1e-8
        As in `Bhattacharyya`.
    """

    def _terms(self, groups):
        pairs, weights, means = _pairs(groups)
        pooled = sum(len(g) * self._covariance(g) for g in groups) / sum(map(len, groups))
        return [(pooled, np.array([means[a] - means[b] for a, b in pairs]), weights, 0.0)]


class BoundGaussian(BoundCriterion):
    """The sum over the terms ``(C, deltas, q, g)`` of ``q . (delta' C^-1 delta) + g ln|C|``.

    Attributes
    ----------
    C : ndarray of shape (n_terms, n_features, n_features)
    deltas : ndarray of shape (n_terms, n_deltas, n_features)
    q : ndarray of shape (n_terms, n_deltas)
        Padded with zeros for terms with fewer deltas.
    g : ndarray of shape (n_terms,)
    """

    batch = 4096

    def __init__(self, terms):
        self.C = np.array([C for C, _, _, _ in terms])
        self.q = np.zeros((len(terms), max(len(q) for _, _, q, _ in terms)))
        self.deltas = np.zeros((*self.q.shape, self.C.shape[1]))
        self.g = np.array([g for _, _, _, g in terms], dtype=np.float64)
        for a, (_, deltas, q, _) in enumerate(terms):
            self.q[a, : len(q)] = q
            self.deltas[a, : len(q)] = deltas

    @property
    def terms(self):
        """The terms ``(C, deltas, q, g)`` one by one."""
        return zip(self.C, self.deltas, self.q, self.g, strict=True)

    def values(self, subsets):
        if not len(subsets):
            return np.empty(0)
        order = sorted(range(len(subsets)), key=lambda a: subsets[a])
        walk = [subsets[a] for a in order]
        along = np.zeros(len(walk))
        failed = subset_values(self.C, self.deltas, self.q, self.g, *flat(walk, len(self.C[0])), n_shared(walk), along)
        if failed >= 0:
            raise _singular(f"the covariance over {len(walk[failed])} features")
        values = np.empty(len(walk))
        values[order] = along
        return values

    def add_values(self, subset, tuples):
        if len(subset) + min(map(len, tuples)) <= SINGLE_WAY:
            return super().add_values(subset, tuples)
        S = check_columns(subset, self.C.shape[1]).tolist()
        return self._by_length(tuples, lambda T: self._add(S, check_columns(T, self.C.shape[1])))

    def remove_values(self, subset, tuples):
        if len(subset) - max(map(len, tuples)) <= SINGLE_WAY:
            return super().remove_values(subset, tuples)
        S = check_columns(subset, self.C.shape[1]).tolist()
        place = {c: a for a, c in enumerate(S)}
        places = [tuple(place[c] for c in t) for t in tuples]
        return self._by_length(places, lambda T: self._remove(S, T))

    @staticmethod
    def _by_length(tuples, value):
        """Value tuples of equal length together, as one array."""
        lengths = np.array([len(t) for t in tuples])
        values = np.empty(len(tuples))
        for c in np.unique(lengths):
            which = np.flatnonzero(lengths == c)
            values[which] = value(np.array([tuples[q] for q in which]))
        return values

    def _add(self, S, T):
        """T is (n_tuples, c) columns. |C_{S+T}| = |C_S| |schur|, the quadratic form gains r' schur^-1 r."""
        total = np.zeros(len(T))
        for C, delta, q, g in self.terms:
            L, W = _factor(C[np.ix_(S, S)])
            z = W @ delta[:, S].T  # (d, n_deltas)
            others = np.unique(T)
            V = W @ C[np.ix_(S, others)]
            at = np.searchsorted(others, T)  # (n_tuples, c)
            schur = C[T[:, :, None], T[:, None, :]] - np.einsum("dtc,dte->tce", V[:, at], V[:, at])
            rest = delta[:, T].transpose(1, 2, 0) - np.einsum("dtc,dk->tck", V[:, at], z)
            gain, logdet = _quadratic_and_logdet(schur, rest)
            total += ((z * z).sum(axis=0) + gain) @ q + g * (2 * np.log(L.diagonal()).sum() + logdet)
        return total

    def bounded_walk(self, columns, removable, n_removed, bound):
        place = {c: a for a, c in enumerate(columns)}
        S = list(columns)
        value = float(self.values([columns])[0])
        places = np.array([place[c] for c in removable], dtype=np.int64)
        return BoundedWalk(self._stack(S), value, S, places, n_removed, bound)

    def _stack(self, S):
        """Rows ``[W | W delta]`` of each term, its q and its g, as `fscore.kernels.gaussian` has them."""
        A = np.empty((len(self.C), len(S), len(S) + self.q.shape[1]))
        for a, (C, delta, _, _) in enumerate(self.terms):
            _, W = _factor(C[np.ix_(S, S)])
            A[a, :, : len(S)] = W
            A[a, :, len(S) :] = W @ delta[:, S].T
        return A, self.q, self.g

    def _remove(self, S, T):
        """T is (n_tuples, c) places in S. With P = C_S^-1: |C_{S-T}| = |C_S| |P_TT|, the form loses p' P_TT^-1 p."""
        total = np.zeros(len(T))
        for C, delta, q, g in self.terms:
            L, W = _factor(C[np.ix_(S, S)])
            z = W @ delta[:, S].T
            block = np.einsum("dtc,dte->tce", W[:, T], W[:, T])
            p = np.einsum("dtc,dk->tck", W[:, T], z)
            loss, logdet = _quadratic_and_logdet(block, p)
            total += ((z * z).sum(axis=0) - loss) @ q + g * (2 * np.log(L.diagonal()).sum() + logdet)
        return total


def _factor(C):
    """Cholesky factor and its inverse."""
    try:
        L = np.linalg.cholesky(C)
    except np.linalg.LinAlgError:
        raise _singular(f"the covariance over {len(C)} features") from None
    W, _ = dtrtri(L, lower=1)
    return L, W


def _quadratic_and_logdet(A, r):
    """``r' A^-1 r`` of shape (n, n_deltas) and ``ln|A|`` of shape (n,) for stacks A (n, c, c), r (n, c, n_deltas)."""
    if A.shape[1] == 1:
        pivot = A[:, 0, 0]
        if (pivot <= 0).any():
            raise _singular("a covariance")
        return r[:, 0, :] ** 2 / pivot[:, None], np.log(pivot)
    sign, logdet = np.linalg.slogdet(A)
    if (sign <= 0).any():
        raise _singular("a covariance")
    return np.einsum("nck,nck->nk", r, np.linalg.solve(A, r)), logdet


def _singular(what):
    return ValueError(f"{what} is singular; raise ridge, or drop constant and duplicate columns.")
