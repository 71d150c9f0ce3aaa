"""scikit-learn's SequentialFeatureSelector with 3-NN, forward."""

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import Contestant


def choose(X, y, sizes, seed):
    """One run for each size: the selector does not tell the order of its choices."""
    knn = KNeighborsClassifier(3)
    found = {size: SequentialFeatureSelector(knn, n_features_to_select=size, cv=3).fit(X, y) for size in sizes}
    evaluations = sum(sum(X.shape[1] - k for k in range(size)) for size in sizes)
    return {size: np.flatnonzero(selector.support_) for size, selector in found.items()}, evaluations


CONTESTANT = Contestant("SequentialFeatureSelector, 3-NN", "search", "scikit-learn", choose)
