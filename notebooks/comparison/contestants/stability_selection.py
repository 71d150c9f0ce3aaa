"""Stability selection: features that the F test ranks among the first on most halves of the sample."""

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif

from comparison.contestant import selecting
from fscore.search import StabilitySelection


def support(X, y, seed):
    """The features that are among the first sqrt(2 D) or ten, whatever is more, on 60 % of fifty halves."""
    k = min(X.shape[1], max(10, round(np.sqrt(2 * X.shape[1]))))
    return StabilitySelection(SelectKBest(f_classif, k=k), n_resamples=50, random_state=seed).fit(X, y).support_


CONTESTANT = selecting("stability selection, F test", "filter", "fscore", support)
