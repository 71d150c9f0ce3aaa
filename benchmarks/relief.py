"""ReliefF, k = 10, against scikit-rebate (only a benchmark peer, not a dependency of the project)."""

from time import perf_counter

import numpy as np
from common import absent, against
from sklearn.datasets import load_breast_cancer, make_classification

from fscore.filters import relieff


def rows(quick=False, repeats=3):
    """One row per data set: interleaved medians; equal: both rank the features in the same order."""
    try:
        from skrebate import ReliefF
    except ImportError:
        yield absent("ReliefF k=10", "skrebate")
        return
    data = {
        "ReliefF k=10, wdbc 569x30": load_breast_cancer(return_X_y=True),
        "ReliefF k=10, 2000x500": make_classification(2000, 500, n_informative=20, random_state=0),
    }
    for work, (X, y) in data.items():
        relieff(X, y)  # compile
        peer_seconds, ours_seconds = [], []
        for _ in range(repeats):
            start = perf_counter()
            peer = ReliefF(n_neighbors=10, n_features_to_select=5, n_jobs=1).fit(X, y).feature_importances_
            middle = perf_counter()
            ours = relieff(X, y)
            peer_seconds.append(middle - start)
            ours_seconds.append(perf_counter() - middle)
        equal = np.array_equal(np.argsort(peer), np.argsort(ours))
        yield against(work, "skrebate", peer_seconds, ours_seconds, equal, goal=90)
