"""MIFS, mutual information less redundancy."""

import numpy as np

from comparison.contestant import ranking
from fscore.filters import MIFS


def order(X, y, n_features, seed):
    """The columns in the order of their selection."""
    return np.argsort(MIFS(n_features).fit(X, y).ranking_, kind="stable")


CONTESTANT = ranking("MIFS", "filter", "fscore", order)
