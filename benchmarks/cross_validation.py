"""CVScore of estimators without a quick way against ``cross_val_score``, and of those with one against refitting."""

import os
import sys

import numpy as np
from common import Row, against, format_seconds, interleaved, ratio, run_in_subprocess
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier

from fscore.criteria import CVScore


def rows(quick=False):
    """Rows of the table."""
    yield overhead(DecisionTreeClassifier(max_depth=4, random_state=0), *load_breast_cancer(return_X_y=True))
    for estimator in (GaussianNB(), NearestCentroid(), LinearDiscriminantAnalysis()):
        yield quick_way(estimator, "accuracy", "WDBC 569x30, |S|=8", *load_breast_cancer(return_X_y=True), 8)
    for estimator in (LinearRegression(), Ridge()):
        yield quick_way(estimator, "r2", "442x10, |S|=4", *load_diabetes(return_X_y=True), 4)
    if not quick:
        yield from (memory(n_jobs) for n_jobs in (2, 4))


def overhead(tree, X, y):
    """The time of the criterion in units of ``cross_val_score``."""
    J = CVScore(tree, scoring="accuracy", cv=10).bind(X, y)
    subsets = [(f, f + 1, f + 2) for f in range(0, 27, 3)]

    def peer():
        return [cross_val_score(tree, X[:, s], y, cv=10, scoring="accuracy").mean() for s in subsets]

    theirs, own = interleaved(peer, lambda: J.score(subsets), repeats=5)
    equal = np.allclose(peer(), J.score(subsets), rtol=1e-14)
    text, number = ratio(own, theirs)
    ours = f"{format_seconds(own)}, {'equal' if equal else 'NOT equal'}"
    holds = bool(equal) and number <= 1.05
    return Row("CVScore of a tree", f"cross_val_score, {format_seconds(theirs)}", ours, text, "<= 1.05x", holds)


def quick_way(estimator, scoring, name, X, y, size):
    """Adding each feature to a subset, without refitting and with."""
    fast, slow = (CVScore(estimator, scoring=scoring, cv=10, compiled=c).bind(X, y) for c in (True, False))
    step = [(*range(size), f) for f in range(size, X.shape[1])]
    equal = np.allclose(fast.score(step), slow.score(step), rtol=1e-9)
    theirs, own = interleaved(lambda: slow.score(step), (lambda: fast.score(step), 3))
    return against(f"step of {type(estimator).__name__}: {name}", "refitting", theirs, own, equal, goal=20)


def memory(n_jobs):
    """Memory of the data in all processes together, in copies of the data."""
    base, used, size = run_in_subprocess(__file__, "memory", str(n_jobs))
    copies = (used - base) / size
    ours = f"{copies:.2f} copies of {size:.0f} MB"
    return Row(f"CVScore, n_jobs={n_jobs}, 20000x500: data in memory", "-", ours, "-", "<= 2 copies", copies <= 2)


def megabytes(pid):
    """Memory of a process, pages that it shares counted by share."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024


def of_all_processes():
    """Memory of this process and its descendants."""
    found, left = 0.0, [os.getpid()]
    while left:
        pid = left.pop()
        found += megabytes(pid)
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            left += map(int, file.read().split())
    return found


if __name__ == "__main__" and sys.argv[1:2] == ["memory"]:
    n_jobs = int(sys.argv[2])
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20000, 500)), rng.integers(0, 2, 20000)
    tree = DecisionTreeClassifier(max_depth=1)
    start = CVScore(tree, cv=2).bind(X[:200], y[:200], n_jobs=n_jobs)
    start.score([(f,) for f in range(n_jobs)])  # the processes, with what they import
    before = of_all_processes() - X.nbytes / 2**20
    J = CVScore(tree, cv=2).bind(X, y, n_jobs=n_jobs)
    J.score([(f,) for f in range(2 * n_jobs)])
    print(before, of_all_processes(), X.nbytes / 2**20)
