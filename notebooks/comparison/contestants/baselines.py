"""What selecting must beat: every feature, and features drawn at random."""

import numpy as np

from comparison.contestant import ranking, selecting

CONTESTANTS = {
    "all_features": selecting("all features", "baseline", "none", lambda X, y, seed: np.ones(X.shape[1], dtype=bool)),
    "random_subset": ranking(
        "random subset",
        "baseline",
        "none",
        lambda X, y, n_features, seed: np.random.default_rng(seed).permutation(X.shape[1]),
    ),
}
