"""One step of the SVM wrapper, which evaluates adding each feature, against refitting scikit-learn's ``SVC``.

Kernel values, checks and copies are saved, but every step of libsvm's solver is taken, and their share grows with the
samples: so the goal is that of all fast scorers, never to be slower.
"""

from common import against, interleaved
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from fscore.criteria import CVAccuracy


def rows(quick=False):
    """Rows of the table; scikit-learn evaluates a few candidates, and its time is extrapolated to all."""
    large = make_classification(2300, 57, n_informative=20, random_state=0)
    problems = [
        ("WDBC 569x30, |S|=8, rbf", *load_breast_cancer(return_X_y=True), SVC(gamma=1.0), 8, 22),
        ("2300x57, |S|=20, rbf", *large, SVC(gamma=1.0), 20, 4),
        ("WDBC 569x30, |S|=8, linear", *load_breast_cancer(return_X_y=True), SVC(kernel="linear"), 8, 22),
    ]
    for name, X, y, svc, size, asked in problems[: 1 if quick else None]:
        X = MinMaxScaler().fit_transform(X)
        fast, slow = (CVAccuracy(svc, cv=3, compiled=c).bind(X, y) for c in (True, False))
        step = [(*range(size), f) for f in range(size, X.shape[1])]
        some = step[:: -(-len(step) // asked)]

        def ours(J=fast, step=step):
            return J.score(step)

        def peer(J=slow, step=some):
            return J.score(step)

        scores = dict(zip(step, ours(), strict=True))
        equal = [scores[s] for s in some] == peer().tolist()
        theirs, own = interleaved(peer, ours, repeats=3)
        theirs = [t * len(step) / len(some) for t in theirs]
        yield against(f"SVM step, add every feature: {name}", "refitting SVC", theirs, own, equal, goal=1)
