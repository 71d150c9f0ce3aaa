"""mRMR on 1,000 rows and 2,000 columns: the F test over correlations against packages for it, and the two densities."""

import numpy as np
from common import absent, against, interleaved
from sklearn.datasets import make_classification

from fscore.filters import MRMR


def selections_of_peers(X, y, n):
    """Names of the packages that are installed, with a call that returns the selected columns."""
    try:
        import pandas as pd
        from mrmr import mrmr_classif

        frame, labels = pd.DataFrame(X), pd.Series(y)
        yield "mrmr_selection", lambda: mrmr_classif(frame, labels, K=n, show_progress=False, n_jobs=1)
    except ImportError:
        yield "mrmr_selection", None
    try:
        import mrmrs
        import polars as pl

        table, target = pl.DataFrame({str(k): x for k, x in enumerate(X.T)}), pl.Series(y)
        yield "mrmrs", lambda: [int(f.name) for f in mrmrs.mrmr(table, target, n, "classification")]
    except ImportError:
        yield "mrmrs", None


def rows(quick=False, repeats=3):
    """Equal sets of features; for the two densities, which are two estimators, half of the features in common.

    The densities of values are summed kernel by kernel, as they were for normal scores before they were smoothed.
    """
    n_features, n_selected = (200, 5) if quick else (2000, 20)
    X, y = make_classification(1000, n_features, n_informative=20, n_redundant=40, random_state=0)
    size = f"MRMR({n_selected}) of {n_features:,} columns, 1,000 rows"
    options = {"form": "quotient", "relevance": "f_classif", "redundancy": "correlation"}
    ours = MRMR(n_selected, **options)
    for name, select in selections_of_peers(X, y, n_selected):
        work, goal = f"{size}, F test and correlation", {"mrmr_selection": 10, "mrmrs": 0.5}[name]
        if select is None:
            yield absent(work, name)
            continue
        equal = set(select()) == set(ours.fit(X, y).order_)
        peer, own = interleaved(select, lambda: ours.fit(X, y), repeats=repeats)
        yield against(work, name, peer, own, equal, goal)
    scores, values = MRMR(n_selected), MRMR(n_selected, density="values")
    alike = np.intersect1d(scores.fit(X, y).order_, values.fit(X, y).order_).size >= n_selected / 2
    peer, own = interleaved(lambda: values.fit(X, y), lambda: scores.fit(X, y), repeats=1 if quick else 2)
    yield against(f"{size}, densities of normal scores", "densities of values", peer, own, alike, goal=5)
