"""Compiles all inner loops at once: ``python -m fscore compile``.

Compiled code stays in numba's cache, so that no later call has to wait for it.
"""

import time
import warnings

from joblib import Parallel, delayed

from fscore._interrupts import ctrl_c_ignored


def workloads(X, y):
    """Calls that together reach every inner loop, by what they are part of.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        About forty samples and six features.
    y : ndarray of shape (n_samples,)
        Three classes.

    Returns
    -------
    dict of str to list of callables
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.svm import SVC, LinearSVC

    from fscore import criteria, filters, lvq, search, weighting

    def walks(criterion):
        return [
            lambda: search.SFFS(criterion, n_features_to_select=4).fit(X, y),
            lambda: search.SBS(criterion, n_features_to_select=1).fit(X, y),
            lambda: search.SFS(criterion, n_features_to_select=4, group_size=2).fit(X, y),
            lambda: search.SBS(criterion, n_features_to_select=2, group_size=2).fit(X, y),
            lambda: search.ExhaustiveSearch(criterion).fit(X, y),
        ]

    def knn(**options):
        return criteria.CVAccuracy(KNeighborsClassifier(3, **options), cv=4)

    def weigh_scores(estimator, scoring):
        weights = {"score": {"sample_weight": np.ones(len(y))}}
        J = criteria.CVScore(estimator, scoring=scoring, cv=4).bind(X, y.astype(float), params=weights)
        return J.score([(0,), (0, 1)])

    estimators = [
        *(lvq.RLVQ(), lvq.OWARLVQ(), lvq.ERLVQ(), weighting.Simba(), weighting.IRelief(max_iter=3)),
        *(weighting.IRelief(online=True, max_iter=3), weighting.LMBA(), weighting.LMNN()),
    ]
    return {  # what takes longest first, and parts that share functions apart
        "k-NN among many samples": [
            lambda: knn().bind(np.repeat(X, 60, axis=0), np.repeat(y, 60)).score([(0, 1, 2)]),
        ],
        "k-NN": [*walks(knn()), lambda: weigh_scores(KNeighborsClassifier(3), "accuracy")],
        "filters": [
            lambda: filters.relief(X, y),
            lambda: filters.relieff(X, y, n_neighbors=3),
            lambda: filters.relieff(X, y, n_neighbors=3, n_iterations=5, random_state=0),
            lambda: filters.rrelieff(X, X[:, 0]),
            lambda: filters.relieff(X, y, n_neighbors=3, n_jobs=2),
            lambda: filters.surf(X, y),
            lambda: filters.multisurf(X, y),
            *(
                lambda b=b: filters.pairwise_mutual_information(X, bandwidth=b)
                for b in ("normal_reference", "adaptive")
            ),
            *(
                lambda b=b: filters.MIFS(6, mode="joint2d", bandwidth=b).fit(X, y)
                for b in ("normal_reference", "adaptive")
            ),
        ],
        "weightings and LVQ": [lambda e=e: e.fit(X, y) for e in estimators],
        "support vector machines": [
            call
            for kernel in ("linear", "poly", "rbf", "sigmoid")
            for call in walks(criteria.CVAccuracy(SVC(kernel=kernel), cv=4))[:2]
        ],
        "linear classifiers": [
            lambda y=labels, e=estimator: search.SFS(
                criteria.CVAccuracy(e, cv=4, compiled="converged"), n_features_to_select=2
            ).fit(X, y)
            for estimator in (LogisticRegression(), LinearSVC())
            for labels in (y, y > y.min())
        ],
        "Gaussian criteria": [
            lambda: search.BranchAndBound(criteria.Bhattacharyya(), n_features_to_select=2).fit(X, y),
            lambda: search.SBFS(criteria.Mahalanobis(), n_features_to_select=2).fit(X, y),
        ],
        "Gamma Test": [
            lambda: search.ExhaustiveSearch(criteria.GammaTest()).fit(X, y),
            lambda: search.ExhaustiveSearch(criteria.GammaTest(continuous=True)).fit(X, X[:, 0]),
        ],
        "random-weight networks": [
            lambda: search.ExhaustiveSearch(criteria.RANNAccuracy(random_state=0)).fit(X, y),
        ],
        "k-NN with weights": walks(knn(weights="distance")),
        "k-NN regression": [
            *walks(criteria.CVScore(KNeighborsRegressor(3), cv=4)),
            lambda: weigh_scores(KNeighborsRegressor(3), "r2"),
        ],
    }


def compile_kernels():
    """Compile what is not yet in the cache, on all processors, and print a line for each part."""
    begin, n_compiled = time.perf_counter(), 0
    names = list(workloads(*_sample()))
    with ctrl_c_ignored():
        results = Parallel(n_jobs=-1, return_as="generator")(map(delayed(_compile), names))
    for number, (name, (n_new, seconds)) in enumerate(zip(names, results, strict=True), 1):
        outcome = f"{n_new} functions in {seconds:.0f} s" if n_new else "in the cache"
        print(f"{number} of {len(names)}  {name}: {outcome}", flush=True)
        n_compiled += n_new
    print(f"{n_compiled} functions compiled in {time.perf_counter() - begin:.0f} s.", flush=True)


def _compile(name):
    """Run one of the workloads; return how many functions were compiled, and the seconds."""
    from fscore.kernels._compiled import LISTENER

    LISTENER.quiet = True
    start, before = time.perf_counter(), LISTENER.n_compiled
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so few steps don't converge
        for call in workloads(*_sample())[name]:
            call()
    return LISTENER.n_compiled - before, time.perf_counter() - start


def _sample():
    """Samples with ties, and three classes."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(37, 6)), 1)
    y = np.concatenate([[0, 1, 2], rng.integers(3, size=34)])
    X[:, 1] += y
    return X, y
