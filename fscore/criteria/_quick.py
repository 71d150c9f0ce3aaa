"""What the quick ways of valuing an estimator's subsets have in common.

A quick way is registered by the type of its estimator, in `fscore.criteria._cv`: a function that takes a `BoundCV` and
returns a bound criterion with the same values, or None if it knows no quick way for the parameters or the data. A
subset whose value rounding might decide is refitted.
"""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from fscore._validation import encode_labels
from fscore.criteria._base import BoundCriterion
from fscore.criteria._folds import fold_mean
from fscore.criteria._subsets import check_columns, check_removed, flat, merged, without

__all__ = ["EPS", "QuickHits", "QuickWay", "as_double", "correct", "has_classes", "inverses"]

EPS = np.finfo(float).eps


def as_double(X):
    """X as an array of doubles; None if it is sparse, no numbers, or in single precision, so that scikit-learn decides.

    Objects count as numbers, as scikit-learn has it.
    """
    if issparse(X):
        return None
    for dtype in X.dtypes if hasattr(X, "dtypes") else [np.asarray(X).dtype]:
        kind = getattr(dtype, "kind", "f")
        category = getattr(dtype, "name", "") == "category"
        if category or kind not in "biufO" or (kind == "f" and dtype != np.float64):
            return None
    return check_array(X, dtype=np.float64, order="C")


def has_classes(refit):
    """Whether every training set has two classes or more."""
    codes = encode_labels(refit.y)[1]
    return all(len(np.unique(codes[train])) > 1 for train, _ in refit.splits)


class QuickWay(BoundCriterion):
    """A criterion that values subsets without refitting, and refits where it must.

    Parameters
    ----------
    refit : BoundCV
    X : ndarray of shape (n_samples, n_features)
    """

    batch = 512

    def __init__(self, refit, X):
        self.refit, self.X = refit, X
        self.splits, self.sizes, self.context = refit.splits, refit.sizes, refit.context
        self.n_features = X.shape[1]

    def close(self):
        self.refit.close()

    def shares_work(self, n_columns):
        return True


class QuickHits(QuickWay):
    """Accuracy from the number of correct predictions in each fold. Subclasses implement `_hits`."""

    def __init__(self, refit, X):
        super().__init__(refit, X)
        self.y = encode_labels(refit.y)[1].astype(np.int64)

    def values(self, subsets):
        flat(subsets, self.n_features)  # refuses bad columns
        return self._accuracy((), [tuple(sorted(s)) for s in subsets], 1)

    def add_values(self, subset, tuples):
        check_columns(subset, self.n_features)
        flat(tuples, self.n_features)
        return self._accuracy(subset, tuples, 1)

    def remove_values(self, subset, tuples):
        check_columns(subset, self.n_features)
        check_removed(subset, tuples)
        return self._accuracy(subset, tuples, -1)

    def fold_scores(self, columns):
        """The accuracy of each fold."""
        flat([columns], self.n_features)  # refuses bad columns
        return self._checked((), [columns], 1)[0] / self.sizes

    def _accuracy(self, base, tuples, sign):
        return fold_mean(self._checked(base, tuples, sign), self.sizes)

    def _checked(self, base, tuples, sign):
        hits = self._hits(base, tuples, sign)
        for q in np.flatnonzero((hits < 0).any(axis=1)):
            columns = (merged if sign > 0 else without)(base, tuples[q])
            hits[q] = np.rint(self.refit.fold_scores(columns) * self.sizes)
        return hits

    def _hits(self, base, tuples, sign):
        """Hits of shape (n_tuples, n_folds) with each tuple added to the base, or removed from it; -1 if uncertain."""
        raise NotImplementedError


def correct(scores, error, classes, truth):
    """How many samples have the highest score in their own class; -1 if errors might decide.

    Parameters
    ----------
    scores : ndarray of shape (..., n_classes, n_samples)
    error : ndarray of shape (..., n_samples)
        Bounds on the error of a score.
    classes : int array of shape (n_classes,)
    truth : int array of shape (n_samples,)

    Returns
    -------
    int array of shape (...)
    """
    if len(classes) == 2:
        gap = scores[..., 1, :] - scores[..., 0, :]
        predicted = classes[(gap > 0).astype(np.int64)]
    else:
        predicted = classes[scores.argmax(axis=-2)]
        gap = np.diff(np.partition(scores, -2, axis=-2)[..., -2:, :], axis=-2)[..., 0, :]
    certain = (np.abs(gap) > 2 * error).all(axis=-1)  # false for NaN
    return np.where(certain, (predicted == truth).sum(axis=-1), -1)


def inverses(A):
    """Inverses of a stack of positive semidefinite matrices, and which of them exist.

    Rounding can hide that a matrix is singular. Its inverse then is far too large, and often not positive definite;
    the latter is found here, and the former by the trace, which the callers bound.
    """
    try:
        inverse, regular = np.linalg.inv(A), True
    except np.linalg.LinAlgError:
        regular = np.linalg.cond(A) < 1 / EPS
        inverse = np.linalg.inv(np.where(regular[..., None, None], A, np.eye(A.shape[-1])))
    return inverse, regular & (np.einsum("...ii->...i", inverse) > 0).all(axis=-1)
