"""Logistic regression and linear support vector machines at the optimum of their loss.

scikit-learn's solvers stop near the optimum, at a place that depends on where they start; Newton's method reaches it in
a few steps from the weights of a similar subset. A test sample between the two decision boundaries is classified
differently, which is why it is used only with ``compiled="converged"``.
"""

from numbers import Real
from typing import ClassVar, NamedTuple

import numpy as np

from fscore.criteria._fast import FastAccuracy
from fscore.criteria._subsets import step_of

TOL = 1e-8  # of the gradient of the mean loss
MAX_ITER = 200
LOGISTIC_LOSS, MULTINOMIAL_LOSS, SQUARED_HINGE_LOSS = range(3)  # as `fscore.kernels.linear` numbers them


class LinearFold(NamedTuple):
    """Training and test samples, each with a row for every column of X and one for the intercept."""

    X: np.ndarray  # (n_features + 1, n_train)
    y: np.ndarray  # numbers of the training samples' classes, from 0 on
    classes: np.ndarray  # the class of each number
    X_test: np.ndarray
    y_test: np.ndarray


class BoundLinear(FastAccuracy):
    """Accuracies of linear classifiers. Subclasses implement `_intercept` and `_fit`.

    Attributes
    ----------
    intercept : float
        The value of the last column; 0 for none.
    penalizes_intercept : bool
    """

    penalizes_intercept = False

    def __init__(self, bound_cv, fold_data):
        super().__init__(bound_cv, fold_data)
        self.intercept = self._intercept(bound_cv.estimator)
        self.folds = [self._fold(*fold) for fold in self.rows_of_folds()]
        self._base, self._starts = None, []

    def _intercept(self, estimator):
        """The value of the last column."""
        raise NotImplementedError

    def _fold(self, X, train, test):
        classes, codes = np.unique(self.y[train], return_inverse=True)
        return LinearFold(self._rows(X[train]), codes, classes, self._rows(X[test]), self.y[test])

    def _rows(self, X):
        """The columns of X as rows, and one for the intercept."""
        return np.vstack([X.T, np.full(len(X), self.intercept)])

    def _hits(self, subsets):
        base = step_of(subsets).base
        if base != self._base and base:
            self._starts = [self._weights(fold, base, (), None) for fold in self.folds]
            self._base = base
        hits = np.empty((len(subsets), len(self.folds)), dtype=np.int64)
        for f, fold in enumerate(self.folds):
            start = self._starts[f] if base else None
            for q, subset in enumerate(subsets):
                W = self._weights(fold, subset, base, start)
                hits[q, f] = -1 if W is None else self._count_hits(fold, subset, W)
                self.raise_if_out_of_time()
        return hits

    def _design(self, X, columns):
        return X[[*columns, -1]] if self.intercept else X[list(columns)]

    def _weights(self, fold, columns, base, start):
        """Weights of shape (n_outputs, n_columns), started from those of ``base``; None if they cannot be found."""
        A = self._design(fold.X, columns)
        n_outputs = 1 if len(fold.classes) == 2 else len(fold.classes)
        W = np.zeros((n_outputs, len(A)))
        if start is not None:
            known = [k for k, c in enumerate(columns) if c in base]
            W[:, known] = start[:, [base.index(columns[k]) for k in known]]
            if self.intercept:
                W[:, -1] = start[:, -1]
        return W if self._fit(A, fold.y, W) else None

    def _fit(self, A, y, W):
        """Move W to the minimum of the loss; return whether it was found."""
        raise NotImplementedError

    def _minimize(self, A, y, loss, W):
        from fscore.kernels.linear import fit_linear

        n_penalized = len(A) - (self.intercept > 0 and not self.penalizes_intercept)
        return fit_linear(A, y, loss, 1 / self.bound_cv.estimator.C, n_penalized, W, TOL, MAX_ITER)

    def _count_hits(self, fold, columns, W):
        scores = W @ self._design(fold.X_test, columns)
        predicted = (scores[0] > 0).astype(np.int64) if len(W) == 1 else scores.argmax(axis=0)
        return (fold.classes[predicted] == fold.y_test).sum()


class BoundLogistic(BoundLinear):
    """Accuracies of logistic regression, which is multinomial for several classes."""

    supported: ClassVar[dict] = {
        "solver": ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"),
        "penalty": ("deprecated", "l2"),
        "l1_ratio": (None, 0),
        "C": lambda C: isinstance(C, Real) and 0 < float(C) < np.inf,
        "class_weight": None,
        "warm_start": False,
    }

    def _intercept(self, logistic):
        return float(logistic.fit_intercept)

    def _fit(self, A, y, W):
        if len(W) == 1:
            return self._minimize(A, 2 * y - 1, LOGISTIC_LOSS, W)
        return self._minimize(A, y, MULTINOMIAL_LOSS, W)


class BoundLinearSVC(BoundLinear):
    """Accuracies of linear support vector machines, one for each class if there are several."""

    supported: ClassVar[dict] = {
        "penalty": "l2",
        "loss": "squared_hinge",
        "multi_class": "ovr",
        "class_weight": None,
    }
    penalizes_intercept = True

    def _intercept(self, svc):
        return float(svc.intercept_scaling) if svc.fit_intercept else 0.0

    def _fit(self, A, y, W):
        if len(W) == 1:
            return self._minimize(A, 2 * y - 1, SQUARED_HINGE_LOSS, W)
        converged = [
            self._minimize(A, np.where(y == k, 1, -1), SQUARED_HINGE_LOSS, W[k : k + 1]) for k in range(len(W))
        ]
        return all(converged)
