"""mRMR, minimum redundancy and maximum relevance, by kernel densities."""

import numpy as np

from comparison.contestant import ranking
from fscore.filters import MRMR


def order(X, y, n_features, seed):
    """The columns in the order of their selection."""
    return np.argsort(MRMR(n_features).fit(X, y).ranking_, kind="stable")


CONTESTANT = ranking("mRMR", "filter", "fscore", order)
