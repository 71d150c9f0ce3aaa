"""Logistic regression and linear support vector machines at the optimum of their loss.

scikit-learn's solvers stop near the optimum, at a place that depends on where they start; Newton's method reaches it in
a few steps from the weights of a similar subset. A test sample between the two borders is classified otherwise, which
is why it is used only with ``compiled="converged"``.
"""

from numbers import Real
from typing import NamedTuple

import numpy as np

from fscore.criteria._fast import FastAccuracy, FastScorer, as_doubles
from fscore.criteria._subsets import step_of

__all__ = ["LINEAR_SVC", "LOGISTIC"]

TOL = 1e-8  # of the gradient of the mean loss
MAX_ITER = 200


class LinearFold(NamedTuple):
    """Training and test samples, each with a row for every column of X and one for the intercept."""

    X: np.ndarray  # (n_features + 1, n_train)
    y: np.ndarray  # numbers of the training samples' classes, from 0 on
    classes: np.ndarray  # the class of each number
    X_test: np.ndarray
    y_test: np.ndarray


class BoundLinear(FastAccuracy):
    """Accuracies of linear classifiers.

    Parameters
    ----------
    kind : int or None
        Of `fit_linear`; None is logistic, binary or multinomial.
    penalty : float
        On the squares of the weights, with the losses summed.
    intercept : float
        The value of the last column; 0 for none.
    free : bool
        Whether the intercept bears no penalty.
    """

    def __init__(self, bound_cv, fold_data, kind, penalty, intercept, free):
        super().__init__(bound_cv, fold_data)
        self.kind, self.penalty, self.intercept, self.free = kind, penalty, intercept, free
        self.folds = [self._fold(*fold) for fold in self.rows_of_folds()]
        self._base, self._starts = None, []

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
                hits[q, f] = -1 if W is None else self._correct(fold, subset, W)
                self.raise_if_out_of_time()
        return hits

    def _design(self, X, columns):
        return X[[*columns, -1]] if self.intercept else X[list(columns)]

    def _weights(self, fold, columns, base, start):
        """Weights of shape (n_outputs, n_columns), started from those of ``base``; None if they cannot be found."""
        from fscore.kernels.linear import fit_linear

        A = self._design(fold.X, columns)
        n_classes = len(fold.classes)
        n_outputs = 1 if n_classes == 2 else n_classes
        W = np.zeros((n_outputs, len(A)))
        if start is not None:
            known = [k for k, c in enumerate(columns) if c in base]
            W[:, known] = start[:, [base.index(columns[k]) for k in known]]
            if self.intercept:
                W[:, -1] = start[:, -1]
        n_penalized = len(A) - (self.free and self.intercept > 0)
        if n_classes == 2:
            kind = 0 if self.kind is None else self.kind
            converged = fit_linear(A, 2 * fold.y - 1, kind, self.penalty, n_penalized, W, TOL, MAX_ITER)
        elif self.kind is None:
            converged = fit_linear(A, fold.y, 1, self.penalty, n_penalized, W, TOL, MAX_ITER)
        else:
            converged = True
            for k in range(n_classes):
                y = np.where(fold.y == k, 1, -1)
                converged &= fit_linear(A, y, self.kind, self.penalty, n_penalized, W[k : k + 1], TOL, MAX_ITER)
        return W if converged else None

    def _correct(self, fold, columns, W):
        scores = W @ self._design(fold.X_test, columns)
        predicted = (scores[0] > 0).astype(np.int64) if len(W) == 1 else scores.argmax(axis=0)
        return (fold.classes[predicted] == fold.y_test).sum()


def _bind_logistic(bound_cv):
    estimator, fold_data = bound_cv.estimator, as_doubles(bound_cv)
    if fold_data is None:
        return None
    return BoundLinear(bound_cv, fold_data, None, 1 / estimator.C, float(estimator.fit_intercept), free=True)


def _bind_linear_svc(bound_cv):
    estimator, fold_data = bound_cv.estimator, as_doubles(bound_cv)
    if fold_data is None:
        return None
    intercept = float(estimator.intercept_scaling) if estimator.fit_intercept else 0.0
    return BoundLinear(bound_cv, fold_data, 2, 1 / estimator.C, intercept, free=False)


LOGISTIC = FastScorer(
    ("accuracy",),
    {
        "solver": ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"),
        "penalty": ("deprecated", "l2"),
        "l1_ratio": (None, 0),
        "C": lambda C: isinstance(C, Real) and 0 < float(C) < np.inf,
        "class_weight": None,
        "warm_start": False,
    },
    _bind_logistic,
)
LINEAR_SVC = FastScorer(
    ("accuracy",),
    {"penalty": "l2", "loss": "squared_hinge", "multi_class": "ovr", "class_weight": None},
    _bind_linear_svc,
)
