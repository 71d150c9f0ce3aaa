"""Features drawn at random."""

import numpy as np

from comparison.contestant import ranking


def order(X, y, n_features, seed):
    """A permutation of the columns."""
    return np.random.default_rng(seed).permutation(X.shape[1])


CONTESTANT = ranking("random subset", "baseline", "none", order)
