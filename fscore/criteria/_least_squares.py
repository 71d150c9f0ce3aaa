"""Linear and ridge regression from the scalar products of the columns.

The scalar products of each fold's training and test samples are computed once. A subset takes the solution of its
normal equations, and the squared error of the test samples follows without touching them. Each subset is solved on its
own, so that its value does not depend on the search that asks for it.
"""

from numbers import Real
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LinearRegression

from fscore.criteria._quick import QuickWay, as_double, inverses
from fscore.criteria._scorers import ERRORS
from fscore.criteria._subsets import flat

__all__ = ["bind_least_squares"]

MAX_BYTES = 10**9  # of scalar products
BLOCK = 2**20  # entries of the systems that are solved at a time
LEAST_SHARE = 1e-8  # of the squares of y that must be left as error; of less, too few digits are correct
MAX_CONDITION = 1e6  # of columns scaled to unit length: scalar products cost as many digits as it has, twice


class Products(NamedTuple):
    """Scalar products in each fold, about the means of its training samples."""

    train: np.ndarray  # (n_folds, n_features, n_features)
    train_y: np.ndarray  # (n_folds, n_features)
    test: np.ndarray  # (n_folds, n_features, n_features)
    test_y: np.ndarray  # (n_folds, n_features)
    y_y: np.ndarray  # (n_folds,): of the test targets
    total: np.ndarray  # (n_folds,): of the test targets about their own mean
    sizes: np.ndarray  # (n_folds,): test samples


SCORES = tuple(name for name, (squared, _) in ERRORS.items() if squared)


def bind_least_squares(refit):
    """Bind `LinearRegression` or `Ridge`; None with other solvers, constraints, or too many features."""
    estimator = refit.estimator
    X, y = as_double(refit.X), np.asarray(refit.y)
    if X is None or y.ndim != 1 or y.dtype == np.float32 or estimator.positive:
        return None
    if 16 * len(refit.splits) * X.shape[1] ** 2 > MAX_BYTES:
        return None
    if type(estimator) is LinearRegression:
        penalty, ratio = 0.0, getattr(estimator, "tol", 0.0)
    elif estimator.solver in ("auto", "cholesky", "svd") and isinstance(estimator.alpha, Real):
        penalty, ratio = float(estimator.alpha), 0.0
    else:
        return None
    estimator._validate_params()
    y = y.astype(np.float64)
    parts = [_products(X, y, train, test, estimator.fit_intercept) for train, test in refit.splits]
    products = Products(*(np.array(p) for p in zip(*parts, strict=True)))
    undefined = refit.sizes.min() < 2 or not (products.total > 0).all()
    if (undefined and refit.scoring in (None, "r2")) or not np.isfinite(products.train).all():
        return None
    return BoundLeastSquares(refit, X, products, penalty, ratio)


def _products(X, y, train, test, centred):
    A, B, a, b = X[train], X[test], y[train], y[test]
    total = ((b - b.mean()) ** 2).sum()
    if centred:
        mean, level = A.mean(axis=0), a.mean()
        A, B, a, b = A - mean, B - mean, a - level, b - level
    return A.T @ A, A.T @ a, B.T @ B, B.T @ b, b @ b, total, len(b)


class BoundLeastSquares(QuickWay):
    """Scores by squared errors of linear models.

    Parameters
    ----------
    penalty : float
        Added to the diagonal of the normal equations.
    ratio : float
        scikit-learn leaves out directions whose length is below this share of the longest.
    """

    def __init__(self, refit, X, products, penalty, ratio):
        super().__init__(refit, X)
        self.products, self.penalty, self.ratio = products, penalty, ratio
        self.score = ERRORS[refit.scoring][1]

    def values(self, subsets):
        return self._scores(subsets).mean(axis=1)

    def fold_scores(self, columns):
        """The score of each fold."""
        return self._scores([columns])[0]

    def _scores(self, subsets):
        """Scores of shape (n_subsets, n_folds)."""
        flat(subsets, self.n_features)  # refuses bad columns
        scores = np.empty((len(subsets), len(self.sizes)))
        lengths = np.array([len(s) for s in subsets])
        for length in np.unique(lengths):
            alike = np.flatnonzero(lengths == length)
            step = max(1, BLOCK // (len(self.sizes) * length**2))
            for lo in range(0, len(alike), step):
                part = alike[lo : lo + step]
                columns = np.array([sorted(subsets[q]) for q in part], dtype=np.int64)
                squares = self._squares(columns)
                scores[part] = self.score(squares, self.products.total, self.products.sizes)
                for q in part[np.isnan(squares).any(axis=1)]:
                    scores[q] = self.refit.fold_scores(tuple(sorted(subsets[q])))
                self._check()
        return scores

    def _squares(self, columns):
        """Squared errors of shape (n_subsets, n_folds); NaN where too many digits are lost."""
        p = self.products
        rows, others = columns[:, :, None], columns[:, None, :]
        A = np.moveaxis(p.train[:, rows, others], 0, 1).copy()  # (n_subsets, n_folds, length, length)
        np.einsum("...ii->...i", A)[:] += self.penalty
        diagonal = np.einsum("...ii->...i", A).copy()
        scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        A *= scale[..., :, None] * scale[..., None, :]
        inverse, regular = inverses(A)
        spread = np.einsum("...ii->...i", inverse)
        lost = ~regular | (spread.sum(axis=-1) > MAX_CONDITION)
        shortest = 1 / (spread * scale**2).sum(axis=-1)  # at most the smallest eigenvalue before scaling
        lost |= shortest < 4 * self.ratio**2 * diagonal.sum(axis=-1)
        inverse *= scale[..., :, None] * scale[..., None, :]
        w = np.einsum("...ij,...j->...i", inverse, np.moveaxis(p.train_y[:, columns], 0, 1))
        test = np.moveaxis(p.test[:, rows, others], 0, 1)
        linear = np.einsum("...i,...i->...", w, np.moveaxis(p.test_y[:, columns], 0, 1))
        squares = p.y_y - 2 * linear + (w * (test @ w[..., None])[..., 0]).sum(axis=-1)
        lost |= ~(squares > LEAST_SHARE * p.y_y)
        return np.where(lost, np.nan, squares)
