"""Recursive feature elimination by the coefficients of a linear SVM, a tenth of the features a step."""

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC

from comparison.contestant import ranking


def order(X, y, n_features, seed):
    """The columns from the last to be eliminated to the first; those eliminated together in the order of the data."""
    model = LinearSVC(random_state=seed, max_iter=2000)
    ranks = RFE(model, n_features_to_select=1, step=0.1 if X.shape[1] > 50 else 1).fit(X, y).ranking_
    return np.argsort(ranks, kind="stable")


CONTESTANT = ranking("RFE, linear SVM", "embedded", "scikit-learn", order)
