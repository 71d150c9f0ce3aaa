"""Every feature: what selecting must beat."""

import numpy as np

from comparison.contestant import selecting

CONTESTANT = selecting("all features", "baseline", "none", lambda X, y, seed: np.ones(X.shape[1], dtype=bool))
