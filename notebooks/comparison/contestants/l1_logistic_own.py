"""L1 logistic regression: the coefficients that are not zero, with the penalty chosen by cross-validation."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from comparison.contestant import selecting


def support(X, y, seed):
    """The features with a coefficient for any class."""
    model = LogisticRegression(l1_ratio=1, solver="saga", max_iter=300, tol=1e-3, random_state=seed)
    best = GridSearchCV(model, {"C": [0.03, 0.1, 0.3, 1.0]}, cv=3, scoring="balanced_accuracy").fit(X, y)
    return np.any(best.best_estimator_.coef_ != 0, axis=0)


CONTESTANT = selecting("L1 logistic regression, own size", "embedded", "scikit-learn", support)
