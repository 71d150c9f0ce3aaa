"""Every fast scorer against ``cross_val_score`` from 300 to 1,000,000 rows: one subset, and a step of 20 candidates.

Both sides are timed in processor seconds in one process with one thread, so that other work on the machine slows both.
scikit-learn scores one candidate of a step, and its time is multiplied.
"""

import time

import numpy as np
from common import against
from sklearn.base import is_classifier
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.svm import SVC

from fscore.criteria import CVScore

ROWS = (300, 1000, 3000, 10_000, 30_000, 100_000, 1_000_000)
COLUMNS = (1, 2, 4, 8, 16)
CANDIDATES = 20
ESTIMATORS = {  # and the most rows that take seconds rather than minutes
    KNeighborsClassifier(3): 100_000,
    KNeighborsRegressor(3): 100_000,
    GaussianNB(): 1_000_000,
    NearestCentroid(): 1_000_000,
    LinearDiscriminantAnalysis(): 1_000_000,
    RidgeClassifier(): 1_000_000,
    LinearRegression(): 1_000_000,
    Ridge(): 1_000_000,
    SVC(): 3000,
}


def rows(quick=False):
    """Rows of the table."""
    for estimator, most in ESTIMATORS.items():
        for n in [n for n in ROWS if n <= (1000 if quick else most)]:
            yield from of(estimator, n)


def of(estimator, n):
    """The rows of one estimator on so many samples."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, COLUMNS[-1] + CANDIDATES))
    y = X[:, :4].sum(axis=1) + 2 * rng.standard_normal(n)
    if is_classifier(estimator):
        y = (y > 0).astype(int)
    for size in COLUMNS:
        step = [(*range(size - 1), c) for c in range(size - 1, size - 1 + CANDIDATES)]
        J = CVScore(estimator, cv=5).bind(X, y)
        J.score(step)  # compiles, and sorts columns once
        repeats = 3 if n <= 3000 else 1
        theirs, scores = seconds(lambda s=step[0]: cross_val_score(estimator, X[:, s], y, cv=5).mean(), repeats)
        one, (alone,) = seconds(lambda J=J, s=step[0]: J.score([s]), repeats)
        many, together = seconds(lambda J=J, s=step: J.score(s), repeats)
        equal = np.allclose([alone, together[0]], scores, rtol=1e-9, atol=1e-12)
        work = f"{type(estimator).__name__}, {n} rows, {size} columns"
        yield against(f"{work}, one subset", "cross_val_score", theirs, one, equal, goal=1)
        times = [CANDIDATES * t for t in theirs]
        yield against(f"{work}, step of {CANDIDATES}", "cross_val_score", times, many, equal, goal=1)


def seconds(call, repeats):
    """Processor seconds of each repeat, and the last result."""
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        spent.append(time.process_time() - start)
    return spent, result
