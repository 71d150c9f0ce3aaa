"""k-NN beyond the Euclidean classifier: regression, Manhattan distances, two threads, and many samples."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from common import (
    Row,
    against,
    format_seconds,
    interleaved,
    jittered,
    peak_megabytes,
    ratio,
    run_in_subprocess,
    waveform,
)
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification, make_regression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from fscore.criteria import CVAccuracy, CVScore
from fscore.search import SFS


def rows(quick=False):
    """Rows of the table; scikit-learn evaluates a few candidates, and its time is extrapolated to all."""
    made = make_regression(2000, 100, n_informative=20, noise=10.0, random_state=0)
    problems = [("442x10, |S|=2", *load_diabetes(return_X_y=True), (2, 8), 8, 20)]
    problems += [] if quick else [("2000x100, |S|=10", *made, tuple(range(0, 30, 3)), 6, 3)]
    for name, X, y, subset, asked, often in problems:
        yield regression_step(name, jittered(X), y, subset, asked, often)
    yield manhattan_step("WDBC 569x30, |S|=5", *load_breast_cancer(return_X_y=True), (1, 3, 5, 7, 9), 20)
    if not quick:
        yield manhattan_step("2000x100, |S|=10", *make_classification(2000, 100, random_state=0), tuple(range(10)), 3)
        yield from two_threads()
        yield from growth()


def regression_step(name, X, y, subset, asked, often):
    """Adding each feature to a subset."""
    knn = KNeighborsRegressor(3)
    J = CVScore(knn, cv=10).bind(X, y)
    step = [tuple(sorted((*subset, f))) for f in range(X.shape[1]) if f not in subset]
    some = step[:: max(1, len(step) // asked)]

    def peer():
        return [cross_val_score(knn, X[:, s], y, cv=10).mean() for s in some]

    def ours():
        return J.score(step)

    scores = dict(zip(step, ours(), strict=True))
    equal = all(abs(scores[s] - v) < 1e-12 for s, v in zip(some, peer(), strict=True))
    theirs, own = interleaved(peer, (ours, often))
    theirs = [t * len(step) / len(some) for t in theirs]
    return against(f"k-NN regression step, R2: {name}", "cross_val_score", theirs, own, equal, goal=100)


def manhattan_step(name, X, y, subset, often):
    """The same step by Manhattan distances and by Euclidean ones."""
    step = [tuple(sorted((*subset, f))) for f in range(X.shape[1]) if f not in subset]
    bound = [CVAccuracy(KNeighborsClassifier(3, metric=m)).bind(jittered(X), y) for m in ("manhattan", "euclidean")]
    own, peer = interleaved(*((lambda J=J: J.score(step), often) for J in bound))
    text, number = ratio(own, peer)
    ours = f"Manhattan, {format_seconds(own)}"
    return Row(f"k-NN step: {name}", f"Euclid, {format_seconds(peer)}", ours, text, "<= 1.3x", number <= 1.3)


def two_threads():
    """One step by one thread and by two; and two steps at once, which share nothing: as fast as the cores allow."""
    X, y = waveform()
    candidates = [(4, 5, 6, 7, 8, f) for f in range(9, X.shape[1])]
    one, other, both = (CVAccuracy(KNeighborsClassifier(3)).bind(X, y, n_jobs=n) for n in (1, 1, 2))

    def step(J):
        return J.score(candidates)

    def two_steps():
        list(pool.map(step, (one, other)))

    equal = np.array_equal(step(one), step(both))
    with ThreadPoolExecutor(2) as pool:
        alone, threads, twice = interleaved((lambda: step(one), 9), (lambda: step(both), 9), (two_steps, 9))
    name = "k-NN step: waveform 4500x40"
    yield against(f"{name}, two threads", "one thread", alone, threads, equal, goal=1.85)
    yield against(f"{name}, two at once", "one by one", [2 * t for t in alone], twice, True)


def growth():
    """SFS to 10 of 50 features: the time of 100,000 samples from the growth with their number, and its memory."""
    sizes, seconds = (2500, 5000, 10000), []
    for n in sizes:
        time_of_search, _ = run_in_subprocess(__file__, "search", str(n))
        seconds.append(time_of_search)
        yield Row(
            f"SFS to 10 features, 3-NN, {n}x50, one thread", "-", format_seconds([time_of_search]), "-", "-", None
        )
    exponent = max(2.0, float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]))
    expected = seconds[-1] * (100_000 / sizes[-1]) ** exponent / 1.85
    _, peak = run_in_subprocess(__file__, "step", "100000")
    yield Row(
        "SFS to 10 features, 3-NN, 100000x50, two threads",
        "-",
        f"{expected:.0f} s expected, growth with N^{exponent:.2f}; {peak:.0f} MB",
        "-",
        "<= 600 s, 1000 MB",
        expected <= 600 and peak <= 1000,
    )


if __name__ == "__main__":
    task, n = sys.argv[1], int(sys.argv[2])
    X, y = make_classification(n, 50, n_informative=10, n_redundant=10, random_state=0)
    SFS(KNeighborsClassifier(3), 2).fit(X[:200], y[:200])  # compiles
    start = time.perf_counter()
    if task == "search":
        SFS(KNeighborsClassifier(3), 10).fit(X, y)
    else:  # what a search holds, without its time
        J = CVAccuracy(KNeighborsClassifier(3)).bind(X, y, n_jobs=2)
        J.score([(f,) for f in range(50)])
        J.folded_samples[:] = [s._replace(queries=s.queries[:200]) for s in J.folded_samples]
        J.score([(*range(9), f) for f in range(9, 50)])
    print(time.perf_counter() - start, peak_megabytes())
