"""ReliefF, k = 10, against scikit-rebate and fast-select (benchmark peers, not dependencies of the project).

From a sample of anchors among many rows it is compared with scikit-learn's distances.
"""

import numpy as np
from common import absent, against, interleaved
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.metrics import pairwise_distances

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
    yield from_anchors(10**5 if quick else 10**6)


def from_anchors(n_rows, n_anchors=200, k=10):
    """Scores from a sample of anchors; equal within rounding."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 50))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=n_rows) > 0).astype(int)

    def by_distances():
        low, scores = X.min(axis=0), np.zeros(50)
        scaled = (X - low) / (X.max(axis=0) - low)
        classes = [np.flatnonzero(y == c) for c in (0, 1)]
        for anchor in np.random.RandomState(0).permutation(n_rows)[:n_anchors]:
            for c, members in enumerate(classes):
                others = members[members != anchor]
                distances = pairwise_distances(scaled[[anchor]], scaled[others], "manhattan")[0]
                nearest = others[np.argpartition(distances, k)[:k]]
                scores += (1 if c != y[anchor] else -1) * np.abs(scaled[anchor] - scaled[nearest]).mean(axis=0)
        return scores / n_anchors

    def ours():
        return relieff(X, y, n_neighbors=k, n_iterations=n_anchors, random_state=0)

    equal = np.allclose(by_distances(), ours(), rtol=1e-9, atol=1e-12)
    theirs, own = interleaved(by_distances, ours, repeats=1)
    work = f"ReliefF k={k}, {n_anchors} anchors of {n_rows:,} rows, 50 columns"
    return against(work, "scikit-learn's distances", theirs, own, equal, goal=5)


def compared(work, name, peer, X, y, n_jobs, goal, n_calls=2):
    calls = (lambda: peer.fit(X, y), n_calls), (lambda: relieff(X, y, n_jobs=n_jobs), n_calls)
    theirs, own = interleaved(*calls, repeats=3)
    first = [np.argsort(-scores)[:10] for scores in (peer.feature_importances_, relieff(X, y))]
    return against(f"ReliefF k=10, {work}", name, theirs, own, np.array_equal(*first), goal=goal)
