"""Linear and ridge regression, ridge classification and discriminant analysis from the scalar products of the columns.

The scalar products of each fold's training and test samples are computed once. A subset takes the solution of its
normal equations, and the squared error of the test samples follows without touching them. Each subset is solved on its
own, so that its score does not depend on the search that asks for it.

For discriminant analysis it takes the rows and columns of the scatter within classes. With W the covariance within
classes and m its mean, a class of probability P scores ``m' W^-1 x - m' W^-1 m / 2 + ln P``.
"""

from functools import cache
from numbers import Real
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression

from fscore.criteria._base import BoundCriterion
from fscore.criteria._fast import (
    CACHE_ENTRIES,
    EPS,
    MAX_ENTRIES,
    FastAccuracy,
    FastCriterion,
    blocks_of_rows,
    count_hits,
    float64_fold_data,
    means_in_order,
    scaled_inverses,
    transposed,
)
from fscore.criteria._folds import ERRORS
from fscore.criteria._subsets import by_length

MAX_BYTES = 10**9  # of scalar products, and of scatter matrices
MIN_SHARE = 1e-8  # of the squares of y that the squared errors must have; of smaller ones too few digits are correct
# If A has more than 8 times as many columns as a subset, its columns are copied; otherwise its weights are padded.
MAX_PADDING = 8
MIN_ROWS = 256  # test samples in a matrix product
N_DEVIATIONS = 16  # standard deviations of the error of a sum, which grows with the root of its terms
SOLVERS = ("auto", "cholesky", "svd")  # of ridge regression, those that reach the minimum
MAX_CONDITION = 1e6  # of columns scaled to unit length; scalar products lose twice as many digits as it has


class GramMatrices(NamedTuple):
    """Scalar products in each fold, about the means of its training samples."""

    gram: np.ndarray  # (n_folds, n_features, n_features)
    Xy: np.ndarray  # (n_folds, n_features)
    gram_test: np.ndarray  # (n_folds, n_features, n_features)
    Xy_test: np.ndarray  # (n_folds, n_features)
    yy_test: np.ndarray  # (n_folds,): of the test targets
    ss_total: np.ndarray  # (n_folds,): of the test targets about their own mean
    sizes: np.ndarray  # (n_folds,): test samples


def _data_of_products(bound_cv, n_each=1):
    """`float64_fold_data`; None also if n_each matrices of products of all columns would be too large for each fold."""
    fold_data = float64_fold_data(bound_cv)
    fits = fold_data is not None and 8 * n_each * len(bound_cv.splits) * fold_data[0].X.shape[1] ** 2 <= MAX_BYTES
    return fold_data if fits else None


def _products_of_fold(X, y, train, test, centered):
    mean, y_mean = (means_in_order(X, train), y[train].mean()) if centered else (np.zeros(X.shape[1]), 0.0)
    total, b = ((y[test] - y[test].mean()) ** 2).sum(), y[test] - y_mean
    return *_products(X, train, mean, y[train] - y_mean), *_products(X, test, mean, b), b @ b, total, len(test)


def ill_conditioned_error(columns):
    """The error raised when only sums of products, not the rows, are available."""
    return ValueError(
        f"the columns {tuple(map(int, columns))} explain one another, or y, so closely that sums of products lose the "
        "digits that tell by how much; leave one of them out"
    )


class BoundGram(BoundCriterion):
    """Scores by squared errors of linear models, from the scalar products of each fold.

    Parameters
    ----------
    gram_matrices : GramMatrices
    alpha : float
        Added to the diagonal of the normal equations.
    cond : float
        scikit-learn leaves out directions whose length is below this share of the longest.
    scoring : str
        A key of `ERRORS` whose errors are squared.
    """

    def __init__(self, gram_matrices, alpha, cond, scoring):
        self.gram_matrices, self.sizes = gram_matrices, gram_matrices.sizes
        self.alpha, self.cond = alpha, cond
        self.score_from_squares = ERRORS[scoring].from_sums

    def _score(self, subsets):
        return self._scores(subsets).mean(axis=1)

    def _fold_scores(self, columns):
        return self._scores([columns])[0]

    def _scores(self, subsets):
        """Scores of shape (n_subsets, n_folds)."""
        scores = np.empty((len(subsets), len(self.sizes)))
        for rows, columns in by_length(subsets, lambda length: MAX_ENTRIES // (len(self.sizes) * length**2)):
            squares = self._squares(columns)
            scores[rows] = self.score_from_squares(squares, self.gram_matrices.ss_total, self.gram_matrices.sizes)
            for q in rows[np.isnan(squares).any(axis=1)]:
                scores[q] = self._scores_of_ill_conditioned(subsets[q])
            self.raise_if_out_of_time()
        return scores

    def _scores_of_ill_conditioned(self, columns):
        """Scores of the folds for columns whose scalar products lose too many digits."""
        raise ill_conditioned_error(columns)

    def _squares(self, columns):
        """Squared errors of shape (n_subsets, n_folds); NaN where products lose too many digits."""
        p = self.gram_matrices
        rows, others = columns[:, :, None], columns[:, None, :]
        A = np.moveaxis(p.gram[:, rows, others], 0, 1).copy()  # (n_subsets, n_folds, length, length)
        diagonal = np.einsum("...ii->...i", A)
        diagonal += self.alpha
        if self.cond:  # a constant column is left out: its weight is 0
            diagonal[diagonal == 0] = 1.0
        inverse, scale, regular = scaled_inverses(A)
        spread = np.einsum("...ii->...i", inverse)
        ill_conditioned = ~regular | (spread.sum(axis=-1) > MAX_CONDITION)
        shortest = 1 / (spread * scale**2).sum(axis=-1)  # at most the smallest eigenvalue before scaling
        ill_conditioned |= shortest < 4 * self.cond**2 * diagonal.sum(axis=-1)
        inverse *= scale[..., :, None] * scale[..., None, :]
        w = np.einsum("...ij,...j->...i", inverse, np.moveaxis(p.Xy[:, columns], 0, 1))
        test = np.moveaxis(p.gram_test[:, rows, others], 0, 1)
        linear = np.einsum("...i,...i->...", w, np.moveaxis(p.Xy_test[:, columns], 0, 1))
        squares = p.yy_test - 2 * linear + (w * (test @ w[..., None])[..., 0]).sum(axis=-1)
        ill_conditioned |= ~(squares > MIN_SHARE * p.yy_test)
        return np.where(ill_conditioned, np.nan, squares)


class BoundLeastSquares(BoundGram, FastCriterion):
    """Cross-validated scores of linear models; those whose products lose too many digits are refitted."""

    scorings = tuple(name for name, error_score in ERRORS.items() if error_score.squared)
    supported: ClassVar[dict] = {
        "positive": False,
        "solver": SOLVERS,
        "alpha": lambda alpha: isinstance(alpha, Real),
    }

    @classmethod
    def from_cv(cls, bound_cv):
        """Of `LinearRegression` or `Ridge`; None with too many features, or targets that need refitting."""
        estimator, fold_data, y = bound_cv.estimator, _data_of_products(bound_cv, 2), np.asarray(bound_cv.y)
        if fold_data is None or y.ndim != 1 or y.dtype == np.float32:
            return None
        alpha = float(getattr(estimator, "alpha", 0.0))
        cond = getattr(estimator, "tol", 0.0) if type(estimator) is LinearRegression else 0.0
        bound = cls(bound_cv, fold_data, y.astype(np.float64), alpha, cond)
        undefined = bound_cv.sizes.min() < 2 or not (bound.gram_matrices.ss_total > 0).all()
        if (undefined and bound_cv.scoring == "r2") or not np.isfinite(bound.gram_matrices.gram).all():
            return None
        return bound

    def __init__(self, bound_cv, fold_data, y, alpha, cond):
        FastCriterion.__init__(self, bound_cv, fold_data)
        centered = bound_cv.estimator.fit_intercept
        products_of_folds = [_products_of_fold(X, y, train, test, centered) for X, train, test in self.rows_of_folds()]
        products = GramMatrices(*(np.array(p) for p in zip(*products_of_folds, strict=True)))
        BoundGram.__init__(self, products, alpha, cond, bound_cv.scoring)

    def _scores_of_ill_conditioned(self, columns):
        return self.bound_cv.fold_scores(columns)


class NormalEquations(NamedTuple):
    """Normal equations of the training samples of a fold, or of all folds with equally many classes."""

    matrix: np.ndarray  # (n_folds, n_features, n_features)
    targets: np.ndarray  # (n_folds, n_classes, n_features): the right-hand side of each class
    intercept: np.ndarray  # (n_folds, n_classes): added to the scores
    max_abs_z: np.ndarray  # (n_folds, n_features): largest absolute value in standard deviations
    n: np.ndarray  # (n_folds,): samples


class FoldSamples(NamedTuple):
    """The test samples of a fold about the mean of its training samples."""

    classes: np.ndarray  # of the training samples
    X: np.ndarray  # (n_samples, n_features): training and test samples
    center: np.ndarray  # (n_features,)
    test: np.ndarray  # rows of the test samples


class Directions(NamedTuple):
    """The linear scores of subsets of one length in each fold, and what bounds their errors."""

    weights: np.ndarray  # (n_folds, n_subsets, n_classes, length); of two classes their difference
    intercepts: np.ndarray  # (n_folds, n_subsets, n_classes), or their difference
    scale: np.ndarray  # (n_folds, n_subsets, length)
    error: np.ndarray  # (n_folds, n_subsets): of a score, for a sample at distance 1
    distance: np.ndarray  # (n_folds, n_subsets): added to that of the farthest sample
    reliable: np.ndarray  # (n_folds, n_subsets), bool: False if no sample is certain


def _n_roundings(n):
    """By how many roundings a sum over n samples may err; see `LinearHits`."""
    return np.minimum(n, N_DEVIATIONS * np.sqrt(n))


def _max_abs_z(X, deviations):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(X.max(axis=0), -X.min(axis=0)) / deviations


def _products(X, rows, center, targets):
    """Scalar products of the columns about a center with one another, and with the targets of the rows."""
    products, with_targets = 0.0, 0.0
    for block in blocks_of_rows(np.arange(len(rows)), X.shape[1]):
        A = X[rows[block]] - center
        products, with_targets = products + A.T @ A, with_targets + A.T @ targets[block]
    return products, with_targets


def _linear_combinations(weights, positions, A):
    """Weighted sums of rows of A of shape (n_subsets, n_sums, n_samples)."""
    n_subsets, n_sums, length = weights.shape
    if len(A) > MAX_PADDING * length:
        return weights @ A[positions]
    full = np.zeros((n_subsets, n_sums, len(A)))
    full[np.arange(n_subsets)[:, None, None], np.arange(n_sums)[:, None], positions[:, None, :]] = weights
    return (full.reshape(-1, len(A)) @ A).reshape(n_subsets, n_sums, -1)


class LinearHits(FastAccuracy):
    """Accuracies of classifiers with linear scores, whose directions solve its `NormalEquations`.

    scikit-learn's sums over n training samples are taken to err by ``min(n, 16 sqrt(n))`` roundings. Rounding errors of
    random sign exceed the latter with a probability below 1e-50 (Higham, Mary 2019, SIAM Journal on Scientific
    Computing 41). It is no worst case: errors of one sign, as of columns with few values, grow with n. Means, which
    have them, are added in scikit-learn's order, and matrix products are sums of many short ones.
    """

    prepare = staticmethod(_data_of_products)
    rounding = 0.0  # of the intercepts
    min_shared_columns = 0

    def __init__(self, bound_cv, fold_data):
        super().__init__(bound_cv, fold_data)
        equations, self.folds = zip(*(self._fold(*fold) for fold in self.rows_of_folds()), strict=True)
        n_classes = np.array([len(fold.classes) for fold in self.folds])
        self.equations = []  # with the numbers of their folds
        for n in np.unique(n_classes):
            folds = np.flatnonzero(n_classes == n)
            stacks = map(np.array, zip(*(equations[f] for f in folds), strict=True))
            self.equations.append((folds, NormalEquations(*stacks)))

    def _fold(self, X, train, test):
        """The entries of `NormalEquations` of a fold, and its `FoldSamples`."""
        raise NotImplementedError

    def _hits(self, subsets):
        columns = np.unique(np.concatenate(subsets))
        n_folds, n_classes = len(self.folds), max(len(fold.classes) for fold in self.folds)
        n_rows = min(self.sizes.max(), max(MIN_ROWS, CACHE_ENTRIES // (2 * len(columns))))

        def max_subsets(length):
            in_cache = CACHE_ENTRIES // ((length + n_classes) * (length + n_rows))
            return min(in_cache, MAX_ENTRIES // (n_folds * length**2))

        parts = list(by_length(subsets, max_subsets))
        positions = [np.searchsorted(columns, columns_of_part) for _, columns_of_part in parts]
        hits = np.empty((len(subsets), n_folds), dtype=np.int64)
        for folds, equations in self.equations:
            directions = [self._directions(equations, columns_of_part) for _, columns_of_part in parts]
            for k, f in enumerate(folds):
                fold_directions = [Directions(*(a[k] for a in d)) for d in directions]
                fold_parts = [(q, *each) for (q, _), *each in zip(parts, positions, fold_directions, strict=True)]
                hits[:, f] = self._fold_hits(self.folds[f], fold_parts, columns, n_rows, len(subsets))
        return hits

    def _fold_hits(self, fold, parts, columns, n_rows, n_subsets):
        """Hits in a fold for each subset; -1 if uncertain."""
        hits, certain = np.zeros(n_subsets, dtype=np.int64), np.ones(n_subsets, dtype=bool)
        for lo in range(0, len(fold.test), n_rows):
            rows = fold.test[lo : lo + n_rows]
            A = transposed(fold.X, rows, columns)
            A -= fold.center[columns, None]
            largest = np.maximum(A.max(axis=1), -A.min(axis=1))
            for subsets, positions, d in parts:
                scores = _linear_combinations(d.weights, positions, A)
                scores += d.intercepts[..., None]
                distance = np.sqrt(((d.scale * largest[positions]) ** 2).sum(axis=1)) + d.distance
                error = d.error * distance + self.rounding
                n_correct, are_certain = count_hits(scores, error[:, None], fold.classes, self.y[rows])
                hits[subsets] += n_correct
                certain[subsets] &= are_certain & d.reliable
            self.raise_if_out_of_time()
        return np.where(certain, hits, -1)

    def _directions(self, equations, columns):
        self.raise_if_out_of_time()
        length = columns.shape[1]
        matrix = np.ascontiguousarray(equations.matrix[:, columns[:, :, None], columns[:, None, :]])
        inverse, scale, regular = scaled_inverses(matrix)
        condition = np.einsum("...ii->...", inverse)
        targets = equations.targets[:, :, columns].swapaxes(1, 2) * scale[:, :, None, :]
        directions = targets @ inverse  # (n_folds, n_subsets, n_classes, length)
        intercepts, distance, is_kept = self._intercepts(equations, targets, directions, condition)
        longest = np.sqrt((directions**2).sum(axis=-1).max(axis=-1))
        n_errors = _n_roundings(equations.n)[:, None] + equations.max_abs_z[:, columns].max(axis=-1)
        error = 4 * EPS * length * n_errors * condition * longest
        weights = directions * scale[:, :, None, :]
        if weights.shape[2] == 2:
            weights, intercepts = weights[:, :, 1:] - weights[:, :, :1], intercepts[..., 1:] - intercepts[..., :1]
        return Directions(weights, intercepts, scale, error, distance, regular & is_kept)

    def _intercepts(self, equations, targets, directions, condition):
        """What is added to the scores of each class, the length of what enters it, and which subsets can be certain."""
        raise NotImplementedError


class BoundRidgeClassifier(LinearHits):
    """Accuracies of ridge regression of the classes, coded -1 and 1."""

    supported: ClassVar[dict] = {
        "positive": False,
        "solver": SOLVERS,
        "alpha": lambda alpha: isinstance(alpha, Real) and float(alpha) > 0,
        "class_weight": None,
    }

    rounding = 4 * EPS

    def _fold(self, X, train, test):
        y = self.y[train]
        classes = np.unique(y)
        Y = np.where(y[:, None] == classes, 1.0, -1.0)
        if len(classes) == 2:
            Y[:, 0] = 0.0  # one regression, whose sign decides
        mean, intercept = means_in_order(X, train), Y.mean(axis=0)
        if not self.bound_cv.estimator.fit_intercept:
            mean, intercept = np.zeros_like(mean), np.zeros_like(intercept)
        matrix, targets = _products(X, train, mean, Y - intercept)
        max_abs_z = _max_abs_z(X, np.sqrt(matrix.diagonal() / len(train)))
        np.einsum("ii->i", matrix)[:] += self.bound_cv.estimator.alpha
        return (matrix, targets.T, intercept, max_abs_z, len(train)), FoldSamples(classes, X, mean, test)

    def _intercepts(self, equations, targets, directions, condition):
        # a standard deviation for each rounding of a mean; numpy adds a single column in another order
        n_roundings = _n_roundings(equations.n) if directions.shape[-1] == 1 else 1
        return equations.intercept[:, None], (n_roundings / np.sqrt(equations.n))[:, None], True


@cache
def _divides_by_samples():
    """Whether scikit-learn's covariance within classes divides by n rather than by n - n_classes; versions differ."""
    probe = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    return abs(probe.coef_[0, 0] - 5.0) < 1e-6  # the difference of the means is 5, the scatter 4


class BoundDiscriminant(LinearHits):
    """Accuracies of linear discriminant analysis."""

    supported: ClassVar[dict] = {  # other solvers neither center nor scale, and round differently
        "solver": "svd",
        "shrinkage": None,
        "covariance_estimator": None,
        "priors": None,
        "n_components": None,
    }

    def _fold(self, X, train, test):
        classes, counts = np.unique(self.y[train], return_counts=True)
        groups = [train[self.y[train] == c] for c in classes]
        means = np.array([means_in_order(X, rows) for rows in groups])
        n, nothing = len(train), np.empty((len(train), 0))
        center = counts / n @ means
        scatter = sum(_products(X, rows, mean, nothing)[0] for rows, mean in zip(groups, means, strict=True))
        covariance = scatter / max(n if _divides_by_samples() else n - len(classes), 1)
        max_abs_z = _max_abs_z(X, np.sqrt(covariance.diagonal()))
        equations = covariance, means - center, np.log(counts / n), max_abs_z, n
        return equations, FoldSamples(classes, X, center, test)

    def _intercepts(self, equations, targets, directions, condition):
        tol = self.bound_cv.estimator.tol
        log_priors = equations.intercept[:, None]  # one for all subsets
        is_kept = (condition * 4 * tol**2 < 1) & _keeps_all(targets, directions, np.exp(log_priors), tol)
        farthest = np.sqrt((targets**2).sum(axis=-1).max(axis=-1))
        return log_priors - (directions * targets).sum(axis=-1) / 2, farthest, is_kept


def _keeps_all(means, directions, share, tol):
    """Whether scikit-learn keeps all directions; it drops those in which the class means hardly differ."""
    share = share[..., None]
    means = (means - (share * means).sum(axis=-2, keepdims=True)) * np.sqrt(share)
    directions = (directions - (share * directions).sum(axis=-2, keepdims=True)) * np.sqrt(share)
    rank = min(share.shape[-2] - 1, means.shape[-1])
    if rank == 1:
        largest = smallest = (means * directions).sum(axis=(-2, -1))  # of which all others are 0
    else:
        eigenvalues = np.linalg.eigvalsh(means @ directions.swapaxes(-2, -1))  # ascending; the first is 0
        smallest, largest = eigenvalues[..., -rank], eigenvalues[..., -1]
    return smallest > 4 * tol**2 * largest
