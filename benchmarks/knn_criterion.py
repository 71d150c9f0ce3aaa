"""One step of the k-NN wrapper, which evaluates adding each feature, against scikit-learn's ``cross_val_score``."""

from common import Row, interleaved, jittered, ratio, waveform
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria import CVAccuracy


def rows(quick=False):
    """Rows of the table; scikit-learn evaluates a few candidates, and its time is extrapolated to all."""
    problems = [
        ("WDBC 569x30, |S|=5", *load_breast_cancer(return_X_y=True), (1, 3, 5, 7, 9), 150, 24, 20),
        (
            "2000x500, |S|=10",
            *make_classification(2000, 500, n_informative=20, random_state=0),
            tuple(range(0, 30, 3)),
            400,
            6,
            3,
        ),
        ("waveform 4500x40, |S|=5", *waveform(), (4, 5, 6, 7, 8), 30, 6, 3),
    ]
    for name, X, y, subset, goal, asked, often in problems[: 1 if quick else None]:
        X = jittered(X)
        knn = KNeighborsClassifier(3)
        J = CVAccuracy(knn, cv=10).bind(X, y)
        step = [tuple(sorted((*subset, f))) for f in range(X.shape[1]) if f not in subset]
        some = step[:: max(1, len(step) // asked)]

        def peer(X=X, y=y, some=some, knn=knn):
            return [cross_val_score(knn, X[:, s], y, cv=10).mean() for s in some]

        def ours(J=J, step=step):
            return J.score(step)

        scores = dict(zip(step, ours(), strict=True))
        equal = all(abs(scores[s] - v) < 1e-12 for s, v in zip(some, peer(), strict=True))
        theirs, own = interleaved(peer, (ours, often), repeats=3)
        theirs = [t * len(step) / len(some) for t in theirs]
        text, number = ratio(theirs, own)
        yield Row(
            f"k-NN step, add every feature: {name}",
            f"cross_val_score {len(step) / theirs[-1]:.0f}/s",
            f"{len(step) / own[-1]:.0f}/s" + ("" if equal else ", NOT EQUAL"),
            text,
            f">= {goal}x",
            equal and number >= goal,
        )
