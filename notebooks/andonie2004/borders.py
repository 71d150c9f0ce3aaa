"""Do features 1 and 2 of Iris delimit two classes better than features 3 and 4 (claim A4)?"""

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from compendium.units import seed_for, tidy
from fscore.datasets import load


def borders(*, seed, n_repeats=200):
    """Two classes of Iris on two features: how well they are separated, and how far apart their centers lie.

    Each repetition measures on a random half of the samples of each class. A statistic varies between halves about as
    it does between samples of full size (the jackknife that deletes half), so their spread shows the part of chance.

    Parameters
    ----------
    seed : int
    n_repeats : int, default=200
        Random halves, the same for all pairs of features.

    Returns
    -------
    DataFrame
        classes ("1 and 2", ...), features ("1 and 2", "3 and 4"), repeat, metric, value. Metrics: ``accuracy`` of 3-NN
        that learns from the half, on the other half; ``gap``, the smallest distance between the classes, and
        ``centres``, the distance of their means, both in units of each feature's standard deviation over all samples of
        the two classes.
    """
    X, y = load("iris", return_X_y=True)
    rows = []
    for first, second in ((0, 1), (1, 2), (0, 2)):
        members = (y == first) | (y == second)
        A, b = StandardScaler().fit_transform(X[members]), y[members]
        for repeat in range(n_repeats):
            seeded = seed_for(seed, "half", first, second, repeat)
            half, rest = train_test_split(np.arange(len(b)), test_size=0.5, stratify=b, random_state=seeded)
            for features in ((0, 1), (2, 3)):
                B = A[:, features]
                one, other = B[half][b[half] == first], B[half][b[half] == second]
                measured = {
                    "accuracy": KNeighborsClassifier(3).fit(B[half], b[half]).score(B[rest], b[rest]),
                    "gap": np.linalg.norm(one[:, None] - other, axis=2).min(),
                    "centres": np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)),
                }
                named = {
                    "classes": f"{first + 1} and {second + 1}",
                    "features": f"{features[0] + 1} and {features[1] + 1}",
                }
                rows += tidy({**named, "repeat": repeat}, measured)
    return pd.DataFrame(rows)
