"""ReliefF, k = 10, against scikit-rebate and fast-select (benchmark peers, not dependencies of the project)."""

import numpy as np
from common import absent, against, interleaved
from sklearn.datasets import load_breast_cancer, make_classification

from fscore.filters import relieff


def rows(quick=False):
    """One row per data set and peer; equal: both rank the first features in the same order."""
    wdbc = load_breast_cancer(return_X_y=True)
    problems = [("wdbc 569x30", *wdbc), ("2000x500", *make_classification(2000, 500, n_informative=20, random_state=0))]
    wide = ("200x7000", *make_classification(200, 7000, n_informative=20, random_state=0))
    try:
        from skrebate import ReliefF
    except ImportError:
        yield absent("ReliefF k=10", "skrebate")
    else:
        for work, X, y in problems[: 1 if quick else None]:
            peer = ReliefF(n_neighbors=10, n_features_to_select=5, n_jobs=1)
            yield compared(work, "skrebate", peer, X, y, 1, 90)
    try:
        from fast_select import ReliefF
    except ImportError:
        yield absent("ReliefF k=10", "fast-select")
    else:
        for n_jobs, goal in ((1, 1.5), (2, 1.2)):
            for work, X, y in [*problems, wide][: 1 if quick else None]:
                peer = ReliefF(n_neighbors=10, n_features_to_select=5, n_jobs=n_jobs, backend="cpu", discrete_limit=0)
                wanted = 2 if (n_jobs, work) == (2, wide[0]) else goal
                threads = f"{n_jobs} thread{'s' * (n_jobs > 1)}"
                yield compared(f"{work}, {threads}", "fast-select", peer, X, y, n_jobs, wanted, n_calls=20)


def compared(work, name, peer, X, y, n_jobs, goal, n_calls=2):
    calls = (lambda: peer.fit(X, y), n_calls), (lambda: relieff(X, y, n_jobs=n_jobs), n_calls)
    theirs, own = interleaved(*calls, repeats=3)
    first = [np.argsort(-scores)[:10] for scores in (peer.feature_importances_, relieff(X, y))]
    return against(f"ReliefF k=10, {work}", name, theirs, own, np.array_equal(*first), goal=goal)
