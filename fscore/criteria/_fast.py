"""Base classes and helpers for scoring subsets without refitting.

Fast criteria are listed by the type of their estimator in `fscore.criteria._cv`. A fold in which rounding might decide
the class of a test sample is refitted.

Error bounds grow with the number of terms, and so does the number of samples too close to call. So statistics of the
training samples are those of scikit-learn to the last bit, where it adds the samples one after another.
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from fscore._sklearn import is_polars_df
from fscore.criteria._base import BoundCriterion
from fscore.criteria._folds import fold_mean

EPS = np.finfo(float).eps
MAX_ENTRIES = 2**20  # of the matrices in memory at a time
CACHE_ENTRIES = 2**17  # of rows, or scores of samples, at a time, so that they stay in the cache


def _is_allowed(value, allowed):
    if callable(allowed):
        return allowed(value)
    is_scalar = value is None or isinstance(value, str | Real | np.bool_)
    return is_scalar and value in (allowed if isinstance(allowed, tuple) else (allowed,))


def column_dtypes(X):
    """The dtypes of the columns of a data frame, or the one dtype of an array."""
    if is_polars_df(X):
        return [column.to_numpy().dtype for column in X[:0].get_columns()]
    return list(X.dtypes) if hasattr(X, "dtypes") else [np.asarray(X).dtype]


def is_single_precision(dtype):
    """Whether a type is one of floats that are not in double precision."""
    return dtype.kind == "f" and getattr(dtype, "itemsize", 0) != 8


def as_float64(X):
    """X in double precision; None if it is sparse, not numeric, or in single precision, which leads to refitting.

    Objects count as numbers, as scikit-learn has it.
    """
    if issparse(X):
        return None
    for dtype in column_dtypes(X):
        category = getattr(dtype, "name", "") == "category"
        if category or dtype.kind not in "biufO" or is_single_precision(dtype):
            return None
    return finite_numbers(X, dtype=np.float64, order="C")


def finite_numbers(X, **options):
    """X as `check_array` gives it; None if a column has other values: subsets without that one can be refitted."""
    try:
        X = check_array(X, force_writeable=True, **options)  # compiled loops have other code for read-only arrays
    except (TypeError, ValueError):
        if 0 in np.shape(X):
            raise
        return None
    return None if X.dtype.kind == "O" else X  # of polars: scikit-learn leaves its texts as they are


def float64_fold_data(bound_cv):
    """The `FoldData` of a `BoundCV` in double precision; None if `as_float64` is, or a training set has one class."""
    if bound_cv.codes is not None and not has_classes(bound_cv):
        return None
    return converted_fold_data(bound_cv, as_float64)


def converted_fold_data(bound_cv, convert):
    """The `FoldData` of a `BoundCV` with converted samples; None if the conversion of one is None."""
    samples = [convert(data.X) for data in bound_cv.fold_data]
    if any(X is None for X in samples):
        return None
    return [data._replace(X=X) for data, X in zip(bound_cv.fold_data, samples, strict=True)]


def has_classes(bound_cv):
    """Whether every training set has two classes or more."""
    return all(np.ptp(bound_cv.codes[train]) > 0 for train, _ in bound_cv.splits)


class FastCriterion(BoundCriterion):
    """A criterion that scores subsets without refitting where possible.

    Parameters
    ----------
    bound_cv : BoundCV
    fold_data : list of FoldData
        In double precision.

    Attributes
    ----------
    scorings : tuple of str
        The scores that it can compute.
    supported : dict
        For each parameter of an estimator the supported value, a tuple of them, or a function that tests it; others may
        have any value.
    prepare : callable
        Takes a `BoundCV`, returns its `FoldData` in double precision; None if they must be refitted.
    """

    scorings: ClassVar[tuple[str, ...]] = ("accuracy",)
    supported: ClassVar[dict[str, Any]] = {}
    prepare = staticmethod(float64_fold_data)
    splits: Sequence[tuple[np.ndarray, np.ndarray]]
    max_batch = 512
    min_shared_columns = 1

    @classmethod
    def supports(cls, estimator):
        """Whether the parameters of an estimator are supported; those that scikit-learn's version lacks are ignored."""
        params = estimator.get_params(deep=False)
        return all(_is_allowed(params[name], allowed) for name, allowed in cls.supported.items() if name in params)

    @classmethod
    def from_cv(cls, bound_cv):
        """The criterion with the same scores as a `BoundCV`; None if its data must be refitted."""
        fold_data = cls.prepare(bound_cv)
        return None if fold_data is None else cls(bound_cv, fold_data)

    def __init__(self, bound_cv, fold_data):
        self.bound_cv, self.fold_data = bound_cv, fold_data
        self.splits, self.sizes, self.context = bound_cv.splits, bound_cv.sizes, bound_cv.context
        self.n_features = fold_data[0].X.shape[1]

    def rows_of_folds(self):
        """The samples, and the numbers of the training and of the test samples among them, fold by fold."""
        for data in self.fold_data:
            for f in data.folds:
                yield data.X, *self.splits[f]

    def close(self):
        self.bound_cv.close()


class FastAccuracy(FastCriterion):
    """Accuracy from the number of correct predictions in each fold. Subclasses implement `_hits`."""

    def __init__(self, bound_cv, fold_data):
        super().__init__(bound_cv, fold_data)
        self.y = bound_cv.codes.astype(np.int64)

    def _score(self, subsets):
        return fold_mean(self._checked_hits(subsets), self.sizes)

    def _fold_scores(self, columns):
        return self._checked_hits([columns])[0] / self.sizes

    def _checked_hits(self, subsets):
        hits = self._hits(subsets)
        for q in np.flatnonzero((hits < 0).any(axis=1)):
            folds = np.flatnonzero(hits[q] < 0)
            hits[q, folds] = np.rint(self.bound_cv._fold_scores(subsets[q], folds) * self.sizes[folds])
        return hits

    def _hits(self, subsets):
        """Hits of shape (n_subsets, n_folds); -1 if uncertain."""
        raise NotImplementedError


def blocks_of_rows(rows, n_columns):
    """Row numbers in blocks, so that the rows of each block stay in the cache."""
    step = max(1, CACHE_ENTRIES // n_columns)
    return (rows[lo : lo + step] for lo in range(0, len(rows), step))


def transposed(X, rows, columns):
    """Columns of rows, of shape (n_columns, n_rows)."""
    if 4 * len(columns) < X.shape[1]:
        return X[rows, columns[:, None]]
    return X[rows].T[columns]  # whole rows are copied faster


def means_in_order(X, rows):
    """Means of rows that are added one after another; see `sums_in_order`."""
    return sums_in_order(X, rows, lambda A: A) / len(rows)


def sums_in_order(X, rows, function):
    """Sums of a function of rows that are added one after another, as numpy adds a whole table of several columns.

    It adds a single column in pairs, but scikit-learn's discriminant analysis doesn't.
    """
    total = 0.0
    for block in blocks_of_rows(rows, X.shape[1]):
        A = function(X[block])
        A[0] += total
        total = A.sum(axis=0) if A.shape[1] > 1 else A.cumsum(axis=0)[-1]
    return total


def count_hits(scores, error, classes, truth):
    """How many samples have the highest score in their own class, and whether rounding cannot change that.

    Parameters
    ----------
    scores : ndarray of shape (..., n_classes, n_samples)
        Of two classes also how much more the second scores, of shape (..., 1, n_samples).
    error : ndarray of shape (..., n_samples)
        Bounds on the error of a score.
    classes : int array of shape (n_classes,)
    truth : int array of shape (n_samples,)

    Returns
    -------
    hits : int array of shape (...)
    certain : bool array of shape (...)
    """
    if len(classes) == 2:
        gap = scores[..., 0, :] if scores.shape[-2] == 1 else scores[..., 1, :] - scores[..., 0, :]
        is_second = truth == classes[1]
        is_hit = ((gap > 0) == is_second) & (is_second | (truth == classes[0]))
    else:
        is_hit = classes[scores.argmax(axis=-2)] == truth
        gap = np.diff(np.partition(scores, -2, axis=-2)[..., -2:, :], axis=-2)[..., 0, :]
    certain = (np.abs(gap) > 2 * error).all(axis=-1)  # false for NaN
    return np.count_nonzero(is_hit, axis=-1), certain


def inverses(A):
    """Inverses of a stack of positive semidefinite matrices, and which of them exist; the identity for the others.

    Rounding can hide that a matrix is singular. Its inverse then is far too large, and often not positive definite;
    the latter is found here, and the former by the trace, which the callers bound. Columns of extreme magnitude have no
    finite matrix, or no finite inverse.
    """
    identity = np.eye(A.shape[-1])
    regular = _are_finite(A)
    A = np.where(regular[..., None, None], A, identity)
    try:
        inverse = np.linalg.inv(A)
    except np.linalg.LinAlgError:
        regular = regular & (np.linalg.cond(A) < 1 / EPS)
        inverse = np.linalg.inv(np.where(regular[..., None, None], A, identity))
    regular = regular & _are_finite(inverse) & (np.einsum("...ii->...i", inverse) > 0).all(axis=-1)
    return np.where(regular[..., None, None], inverse, identity), regular


def _are_finite(A):
    return np.isfinite(A).all(axis=(-2, -1))


def scaled_inverses(A):
    """`inverses` of a stack of matrices scaled to a diagonal of ones; the scale, and which inverses exist."""
    diagonal = np.einsum("...ii->...i", A)
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    inverse, regular = inverses(A * (scale[..., :, None] * scale[..., None, :]))
    return inverse, scale, regular
