"""Do features 1 and 2 of Iris delimit two classes better than features 3 and 4 (claim A4)?"""

import numpy as np
import pandas as pd
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from compendium.protocol import shuffled_folds
from fscore.datasets import load

__all__ = ["borders"]


def borders(*, n_splits, seed, n_repeats=10, k=3):
    """Two classes of Iris on two features: how well they are separated, and how far apart their centres lie.

    Parameters
    ----------
    n_splits : int
        Folds of the cross-validation.
    seed : int
    n_repeats : int, default=10
        Repetitions of the cross-validation, each with different folds.
    k : int, default=3
        Neighbours of the classifier.

    Returns
    -------
    DataFrame
        classes ("1 and 2", ...), features ("1 and 2", "3 and 4"), repeat, metric, value. Metrics: ``accuracy`` of k-NN,
        cross-validated; ``gap``, the smallest distance between the classes, and ``centres``, the distance of their
        means, both in units of each feature's standard deviation over the two classes.
    """
    X, y = load("iris", return_X_y=True)
    rows = []
    for first, second in ((0, 1), (1, 2), (0, 2)):
        members = (y == first) | (y == second)
        A, b = StandardScaler().fit_transform(X[members]), y[members]
        for features in ((0, 1), (2, 3)):
            B = A[:, features]
            between = np.linalg.norm(B[b == first][:, None] - B[b == second], axis=2)
            centres = np.linalg.norm(B[b == first].mean(axis=0) - B[b == second].mean(axis=0))
            measured = [(0, "gap", between.min()), (0, "centres", centres)]
            for repeat in range(n_repeats):
                folds = shuffled_folds(n_splits, seed, "borders", repeat)
                right = [
                    KNeighborsClassifier(k).fit(B[train], b[train]).predict(B[test]) == b[test]
                    for train, test in folds.split(B, b)
                ]
                measured.append((repeat, "accuracy", np.concatenate(right).mean()))
            what = {"classes": f"{first + 1} and {second + 1}", "features": f"{features[0] + 1} and {features[1] + 1}"}
            rows += [{**what, "repeat": r, "metric": metric, "value": float(value)} for r, metric, value in measured]
    return pd.DataFrame(rows)
