"""L1 logistic regression: the largest coefficients."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from comparison.contestant import scoring


def score(X, y, seed):
    """Largest absolute coefficient of a feature over the classes."""
    model = LogisticRegression(l1_ratio=1, C=1.0, solver="saga", max_iter=500, tol=1e-3, random_state=seed)
    return np.abs(model.fit(X, y).coef_).max(axis=0)


CONTESTANT = scoring("L1 logistic regression", "embedded", "scikit-learn", score)
