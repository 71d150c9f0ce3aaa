"""Distances between classes under a normal model.

A list of subsets is scored in lexicographic order; the Cholesky factor of each is extended from that of the columns it
shares with the one before. All factors have their columns in ascending order, so a subset has the same value, to the
last bit, in every list: no error accumulates along a search, and rounding decides no tie differently when some values
were remembered. Candidates that share more than a hundred columns are scored from these, which may change the last
digits; of columns that depend on one another a resumed search may then take another one.

Branch and bound goes from each subset to the next by rank-one down-dates: to remove a column takes the corresponding
entry of the inverse, a Gram matrix of columns of L^-1, which loses no digits to cancellation. The loops are in
`fscore.kernels.gaussian`.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from itertools import combinations
from numbers import Integral, Real
from typing import ClassVar, Literal

import numpy as np
from scipy.linalg.lapack import dtrtri
from sklearn.utils import check_array

from fscore._magnitudes import rescale_extremes
from fscore._sklearn import Interval, Options, estimator_dataclass
from fscore._typing import Floats
from fscore._validation import encode_labels, validated
from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._subsets import flat, lexicographic_order, n_shared, step_of

MAX_BATCH = 2**17  # of subsets in a call of the compiled branch and bound
MAX_BYTES = 2**30  # of the stacks of all its levels


@estimator_dataclass
class _Gaussian(Criterion):
    monotone = True
    _: KW_ONLY
    ridge: float = 1e-8
    ddof: Literal[0, 1] = 1

    _parameter_constraints: ClassVar[dict] = {
        "ridge": [Interval(Real, 0, None, closed="left")],
        "ddof": [Options(Integral, {0, 1})],
    }

    def _bind(self, X, y, n_jobs, params):
        X = rescale_extremes(validated(check_array, X, dtype=np.float64, order="C"))
        classes, codes = encode_labels(y)
        scale = X.std(axis=0)
        Z = (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
        groups = [Z[codes == c] for c in range(len(classes))]
        for c, g in zip(classes.tolist(), groups, strict=True):
            if len(g) < 2:
                raise ValueError(
                    f"class {c!r} has a single sample, so it has no covariance; drop the class or collect more samples."
                )
        means = np.array([g.mean(axis=0) for g in groups])
        covariances = [np.cov(g, rowvar=False, ddof=self.ddof).reshape(g.shape[1], g.shape[1]) for g in groups]
        return self.bound_to_classes(means, covariances, [len(g) for g in groups])

    def bound_to_classes(self, means: Floats, covariances: Sequence[Floats], sizes: Sequence[int]) -> BoundCriterion:
        """Bind the criterion to the means, covariances and sizes of the classes, in standardized columns."""
        for covariance in covariances:
            covariance.flat[:: len(covariance) + 1] += self.ridge
        pairs = list(combinations(range(len(sizes)), 2))
        weights = np.array([sizes[a] * sizes[b] for a, b in pairs], dtype=np.float64)
        terms = self._terms(len(sizes), pairs, weights / weights.sum())
        return BoundGaussian(self._covariances(covariances, sizes), means, terms)

    def _covariances(self, covariances, sizes):
        """The covariances that the terms refer to, of shape (n_covariances, n_features, n_features)."""
        raise NotImplementedError

    def _terms(self, n_classes, pairs, weights):
        """List of ``(a, b, pairs, q, g)``, as `BoundGaussian` has them; weights sum to one over the pairs."""
        raise NotImplementedError


class Bhattacharyya(_Gaussian):
    """Bhattacharyya distance between normal classes.

    ``B = (m1 - m2)' S^-1 (m1 - m2) / 8 + ln(|S| / sqrt(|S1| |S2|)) / 2`` with ``S = (S1 + S2) / 2``; several classes:
    the sum over pairs, weighted by the product of the priors (weights sum to one). Adding a feature never lowers it.

    Parameters
    ----------
    ridge : float, default=1e-8
        Added to the variances of the standardized features, so that a class with fewer samples than features keeps
        an invertible covariance. The distance stays that of two normal models, hence monotone.
    ddof : {0, 1}, default=1
        The covariance of a class of n samples divides by ``n - ddof``: 1 is the unbiased estimate, which the authors'
        toolbox uses, 0 that of maximum likelihood.

    Notes
    -----
    Invariant to shift and scale of each feature, up to the ridge.

    Over collinear features the ridge alone keeps the covariance invertible, and rounding errors grow to about 1e-16
    over the ridge. Subsets that are equally good may then rank differently on different processors; a larger ridge,
    such as 1e-6, prevents that.

    References
    ----------
    Somol, Grim, Novovicova, Pudil (2011), Section 4: the pre-filter of Tables 5-7. The formula is not printed there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.criteria import Bhattacharyya
    >>> X, y = load_iris(return_X_y=True)
    >>> J = Bhattacharyya().bind(X, y)
    >>> float(J.score([(2,)])[0]) < float(J.score([(2, 3)])[0])
    True
    """

    def _covariances(self, covariances, sizes):
        return np.array(covariances)

    def _terms(self, n_classes, pairs, weights):
        share = np.zeros(n_classes)
        for (a, b), w in zip(pairs, weights, strict=True):
            share[[a, b]] += w
        class_terms: list[tuple] = [(c, c, [], [], -s / 4) for c, s in enumerate(share)]
        return class_terms + [(a, b, [(a, b)], [w / 8], w / 2) for (a, b), w in zip(pairs, weights, strict=True)]


class Mahalanobis(_Gaussian):
    """Squared Mahalanobis distance between class means under the pooled covariance.

    Several classes: the sum over pairs, weighted by the product of the priors (weights sum to one). Adding a feature
    never lowers it.

    Parameters
    ----------
    ridge : float, default=1e-8
        As in `Bhattacharyya`.
    ddof : {0, 1}, default=1
        As in `Bhattacharyya`. The pooled covariance is the mean of the class covariances, weighted by the priors.
    """

    def _covariances(self, covariances, sizes):
        return np.array([sum(n * C for n, C in zip(sizes, covariances, strict=True)) / sum(sizes)])

    def _terms(self, n_classes, pairs, weights):
        return [(0, 0, pairs, weights, 0.0)]


class BoundGaussian(BoundCriterion):
    """The sum over terms of ``q . (delta' C^-1 delta) + g ln|C|``.

    A term's covariance C is the mean of two of the given ones, and its deltas are differences of class means.

    Parameters
    ----------
    covariances : ndarray of shape (n_covariances, n_features, n_features)
    means : ndarray of shape (n_classes, n_features)
    terms : list of (a, b, pairs, q, g)
        C is the mean of covariances a and b; a delta, with its weight in q, for each pair of classes.

    Attributes
    ----------
    covariance_pairs : ndarray of shape (n_terms, 2)
        The covariances a and b.
    deltas : ndarray of shape (n_terms, n_deltas, n_features)
    q : ndarray of shape (n_terms, n_deltas)
        Padded with zeros for terms with fewer deltas.
    g : ndarray of shape (n_terms,)
    """

    max_batch = 4096
    min_shared_columns = 101  # of a base from which its candidates cost a down-date each, not a Cholesky factor

    def __init__(self, covariances, means, terms):
        self.covariances, self.n_features = covariances, covariances.shape[1]
        self.covariance_pairs = np.array([[a, b] for a, b, _, _, _ in terms], dtype=np.int64)
        self.q = np.zeros((len(terms), max(len(q) for _, _, _, q, _ in terms)))
        self.deltas = np.zeros((*self.q.shape, covariances.shape[1]))
        self.g = np.array([g for _, _, _, _, g in terms], dtype=np.float64)
        for t, (_, _, pairs, q, _) in enumerate(terms):
            self.q[t, : len(q)] = q
            for k, (a, b) in enumerate(pairs):
                np.subtract(means[a], means[b], out=self.deltas[t, k])

    def _score(self, subsets):
        if max(map(len, subsets)) < self.min_shared_columns - 1:
            return self._lexicographic_scores(subsets)
        step = step_of(subsets)
        if len(step.base) < self.min_shared_columns:
            return self._lexicographic_scores(subsets)
        if step.adds:
            return self._lexicographic_scores([step.base + added for added in step.changes])
        return self._downdated_scores(step.base, step.changes)

    def _lexicographic_scores(self, subsets):
        """Subsets that share leading columns share the rows of the Cholesky factor."""
        from fscore.kernels.gaussian import subset_values

        order = lexicographic_order(subsets)
        ordered = [subsets[a] for a in order]
        along = np.zeros(len(ordered))
        model = self.covariances, self.covariance_pairs, self.deltas, self.q, self.g
        failed = subset_values(*model, *flat(ordered), n_shared(ordered), along)
        if failed >= 0:
            raise _singular(len(ordered[failed]))
        scores = np.empty(len(ordered))
        scores[order] = along
        return scores

    def _downdated_scores(self, base, dropped):
        """One column after the other by down-dates of the inverse Cholesky factor, which all subsets share."""
        from fscore.kernels.gaussian import remove

        A, q, g = self._stack(list(base))
        D, position = len(base), {c: a for a, c in enumerate(base)}
        logs = -2 * np.log(A[:, range(D), range(D)]).sum(axis=1)
        value = float(((A[:, :, D:] ** 2).sum(axis=1) * q).sum() + g @ logs)
        first, scores = self._values_without_each(A, D, value), np.empty(len(dropped))
        for a, columns in enumerate(dropped):
            stack, values = A, first
            for m, c in enumerate(columns[:-1]):
                self.raise_if_out_of_time()
                smaller = np.empty_like(A)
                remove(stack, D - m, position[c], smaller)
                stack, values = smaller, self._values_without_each(smaller, D - m - 1, values[position[c]])
            scores[a] = values[position[columns[-1]]]
        return scores

    def _values_without_each(self, stack, n_rows, value):
        """The value without each column of a stack."""
        from fscore.kernels.gaussian import removal_values

        values = np.empty(stack.shape[2] - self.q.shape[1])
        removal_values(stack, n_rows, self.q, self.g, value, values)
        return values

    def branch_and_bound(self, columns, removable, n_removed, bound):
        if 8 * (n_removed + 1) * len(self.g) * len(columns) * (len(columns) + self.q.shape[1]) > MAX_BYTES:
            return None
        position = {c: a for a, c in enumerate(columns)}
        value = float(self.score([columns])[0])
        positions = np.array([position[c] for c in removable], dtype=np.int64)
        return PausedBranchAndBound(self._stack(list(columns)), value, list(columns), positions, n_removed, bound)

    def _stack(self, S):
        """Rows ``[W | W delta]`` of each term, its q and its g, as `fscore.kernels.gaussian` has them.

        W is the inverse of the Cholesky factor.
        """
        A = np.empty((len(self.g), len(S), len(S) + self.q.shape[1]))
        for t, (a, b) in enumerate(self.covariance_pairs):
            C = (self.covariances[a] + self.covariances[b]) / 2
            try:
                W, _ = dtrtri(np.linalg.cholesky(C[np.ix_(S, S)]), lower=1)
            except np.linalg.LinAlgError:
                raise _singular(len(S)) from None
            A[t, :, : len(S)] = W
            A[t, :, len(S) :] = W @ self.deltas[t][:, S].T
        return A, self.q, self.g


def _singular(n_features):
    return ValueError(
        f"the covariance over {n_features} features is singular; raise ridge, or drop constant and duplicate columns."
    )


class PausedBranchAndBound:
    """State of the compiled branch and bound, which can be paused; see `BoundCriterion.branch_and_bound`.

    Attributes
    ----------
    max_batch : int
        How many subsets take a fraction of a second.
    """

    def __init__(self, stack, value, columns, positions, n_removed, bound):
        first, self.q, self.g = stack
        D, levels = len(columns), n_removed + 1
        self.columns, self.bound = columns, bound
        self.stacks = np.zeros((levels, *first.shape))
        self.stacks[0] = first
        self.removable = np.zeros((levels, D), dtype=np.int64)
        self.removable[0, : len(positions)] = positions
        self.values, self.at = np.zeros((levels, D)), np.full(levels, value)
        self.order, self.counts = np.zeros((levels, D), dtype=np.int64), np.zeros((3, levels), dtype=np.int64)
        self.counts[0, 0] = len(positions)
        self.state = np.array([0, 1])
        self.best = np.full(n_removed, -1)
        self.max_batch = max(D, min(MAX_BATCH, 2**27 // (len(self.g) * D)))

    def run(self, limit):
        """Continue until the next node would exceed the limit; return the number of subsets scored."""
        from fscore.kernels.gaussian import branch_and_bound

        n_scored, self.bound = branch_and_bound(
            self.stacks,
            self.q,
            self.g,
            self.removable,
            self.state,
            self.values,
            self.at,
            self.order,
            *self.counts,
            self.best,
            self.bound,
            limit,
        )
        return n_scored

    @property
    def done(self):
        """Whether the search is finished."""
        return self.state[0] < 0

    @property
    def removed(self):
        """The columns whose removal is the best known, ascending."""
        return None if self.best[0] < 0 else tuple(sorted(self.columns[a] for a in self.best))
