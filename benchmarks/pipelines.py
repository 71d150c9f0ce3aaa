"""What a scaler inside the folds costs: a step of candidates against ``cross_val_score``, scaled and not."""

import numpy as np
from common import Row, format_seconds, interleaved, ratio, waveform
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fscore.criteria import CVScore

EXACT = (KNeighborsClassifier(5), SVC(), LinearDiscriminantAnalysis(), GaussianNB(), RidgeClassifier(), Ridge())
CONVERGED = (LogisticRegression(), LinearSVC())  # a sample at the border may be classified otherwise


def rows(quick=False):
    """Rows of the table; the peer evaluates a few candidates, and its time is extrapolated to all."""
    wdbc = load_breast_cancer(return_X_y=True)
    yield from of("WDBC 569x30, |S|=8", *wdbc, 8, 8)
    if not quick:
        yield from of("waveform 4500x40, |S|=8", *waveform(), 8, 4)
    yield row(DecisionTreeClassifier(max_depth=4, random_state=0), "WDBC 569x30, |S|=8", *wdbc, 8, 8, None, 0)


def of(name, X, y, size, asked):
    """Each estimator behind a scaler: at least 0.8 of the ratio that it has alone."""
    for estimator in EXACT:
        bare = measured(estimator, X, y, size, asked)
        yield row(estimator, name, X, y, size, asked, 0.8 * ratio(*bare[:2])[1], 0)
    for estimator in CONVERGED:
        yield row(estimator, name, X, y, size, asked, 5, 1)


def row(estimator, name, X, y, size, asked, goal, tolerance):
    """One row; ``tolerance`` is the number of samples by which an accuracy may differ."""
    theirs, own, difference = measured(make_pipeline(StandardScaler(), estimator), X, y, size, asked)
    equal = difference <= tolerance + 1e-6
    text, number = ratio(theirs, own)
    said = "equal" if difference < 1e-6 else f"differs by {difference:.0f} of {len(y)} samples"
    return Row(
        f"step of scaler + {type(estimator).__name__}: {name}",
        f"cross_val_score, {format_seconds(theirs)}",
        f"{format_seconds(own)}, {said}",
        text,
        f">= {goal:.3g}x" if goal else "-",
        equal and number >= goal if goal else None,
    )


def measured(estimator, X, y, size, asked):
    """Seconds of the peer and ours for a step, and the largest difference of a score, in samples for accuracies."""
    step = [(*range(size), f) for f in range(size, X.shape[1])]
    some = step[:: -(-len(step) // asked)]
    J = CVScore(estimator, cv=5, compiled="converged").bind(X, y)

    def peer():
        return [cross_val_score(estimator, X[:, s], y, cv=5).mean() for s in some]

    scores = dict(zip(step, J.score(step), strict=True))
    difference = len(y) * np.abs(np.subtract([scores[s] for s in some], peer())).max()
    theirs, own = interleaved(peer, (lambda: J.score(step), 2), repeats=3)
    return [t * len(step) / len(some) for t in theirs], own, difference
