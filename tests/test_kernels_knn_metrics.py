"""k-NN under other metrics and weights: against the obvious way on ties, and against scikit-learn without them."""

import numpy as np
import pytest
from criteria_steps import add, remove
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import ShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria import CVAccuracy
from fscore.criteria._cv import BoundCV
from fscore.criteria._folds import fold_mean
from fscore.criteria._knn import BoundKNN, Metric
from fscore.criteria._subsets import lexicographic
from fscore.search import SFFS, DynamicOscillatingSearch, OrderVoting

METRICS = [
    {"metric": "manhattan"},
    {"metric": "chebyshev"},
    {"p": 3},
    {"p": 1.5, "weights": "distance"},
    {"weights": "distance"},
    {"metric": "l1", "weights": "distance"},
    {"metric": "chebyshev", "weights": "distance"},
]


def plain_hits(X, y, splits, k, subset, metric):
    """Sort all training samples by distance and index, then vote."""
    hits = np.zeros(len(splits), dtype=int)
    for s, (train, test) in enumerate(splits):
        train = np.sort(train)
        for i in test:
            terms = np.abs(X[train][:, subset] - X[i, subset])
            d = terms.max(axis=1) if metric.p == np.inf else (terms**metric.p).sum(axis=1)
            near = np.argsort(d, kind="stable")[:k]
            weights = np.ones(k)
            if metric.weighted and d[near[0]] == 0:
                weights = (d[near] == 0).astype(float)
            elif metric.weighted:
                weights = 1 / (d[near] if metric.p == np.inf else d[near] ** (1 / metric.p))
            votes = np.bincount(y[train[near]], weights, minlength=y.max() + 1)
            hits[s] += np.flatnonzero(votes >= votes.max() * (1 - 1e-12))[0] == y[i]
    return hits


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 2.0, 3.0, np.inf]),
    st.booleans(),
    st.sampled_from([2, 4, 1000]),
    st.integers(1, 5),
    st.integers(1, 2),
)
def test_every_way_gives_the_plain_hits(seed, p, weighted, levels, k, n_jobs):
    rng = np.random.default_rng(seed)
    n, D = int(rng.integers(20, 50)), int(rng.integers(3, 6))
    X = rng.integers(0, levels, (n, D)).astype(float)  # whole numbers: sums are exact, and ties common
    y = np.r_[0, 1, rng.integers(0, 3, n - 2)]
    _, y = np.unique(y, return_inverse=True)
    fold = rng.permutation(np.arange(n) % 3)
    splits = [(np.flatnonzero(fold != s), np.flatnonzero(fold == s)) for s in range(3)]
    if rng.random() < 0.5:  # splits that leave samples out
        splits = [(train[::2], test) for train, test in splits]
    assume(np.ptp(X, axis=0).min() > 0)
    metric = Metric(p, weighted)
    knn = KNeighborsClassifier(k, p=p, weights="distance" if weighted else "uniform")
    bound = CVAccuracy(knn, cv=splits).bind(X, y, n_jobs=n_jobs)
    assert type(bound) is BoundKNN
    sizes = np.array([len(test) for _, test in splits])

    def check(got, subsets):
        want = [fold_mean(plain_hits(X, y, splits, k, list(s), metric), sizes) for s in subsets]
        np.testing.assert_array_equal(got, want)

    tree = list(lexicographic(D))
    check(bound.score(tree[::-1]), tree[::-1])
    subset = tuple(sorted(rng.choice(D, D - 2, replace=False).tolist()))
    others = tuple(c for c in range(D) if c not in subset)
    tuples = [others[:1], others[1:], others]
    check(add(bound, subset, tuples), [tuple(sorted((*subset, *t))) for t in tuples])
    check(add(bound, (), tuples), tuples)
    everything = tuple(range(D))
    check(remove(bound, everything, tuples), [tuple(c for c in everything if c not in t) for t in tuples])


@pytest.mark.parametrize("options", METRICS, ids=str)
def test_same_accuracies_as_scikit_learn_without_ties(options):
    X, y = load_wine(return_X_y=True)
    X = X + 1e-6 * X.std(axis=0) * np.random.default_rng(0).standard_normal(X.shape)
    for k in (1, 4, 7):
        knn = KNeighborsClassifier(k, **options)
        bound = CVAccuracy(knn, cv=5).bind(X, y)
        assert isinstance(bound, BoundKNN)
        assert isinstance(CVAccuracy(knn, cv=5, compiled=False).bind(X, y), BoundCV)
        subsets = [(0,), (1, 3), tuple(range(X.shape[1]))]
        want = [cross_val_score(knn, X[:, s], y, cv=5).mean() for s in subsets]
        np.testing.assert_allclose(bound.score(subsets), want, rtol=1e-14)


@pytest.mark.parametrize("options", [{"metric": "chebyshev"}, {"p": 1.5, "weights": "distance"}], ids=str)
def test_searches_take_the_same_path_compiled_or_not(options):
    X, y = load_wine(return_X_y=True)
    X = X[:, :6] + 1e-6 * X[:, :6].std(axis=0) * np.random.default_rng(0).standard_normal((178, 6))
    knn = KNeighborsClassifier(3, **options)
    for search in (SFFS, lambda J: DynamicOscillatingSearch(J, depth=2), lambda J: SFFS(J, group_size=2)):
        fast, slow = (search(CVAccuracy(knn, cv=3, compiled=way)).fit(X, y) for way in (True, False))
        assert fast.trace_.equals(slow.trace_)
        assert fast.path_.equals(slow.path_)


def test_panels_share_a_pass_per_metric():
    X, y = load_wine(return_X_y=True)
    voters = [KNeighborsClassifier(k, metric=m) for k in (1, 3) for m in ("manhattan", "euclidean")]
    search = SFFS(OrderVoting(voters), 3, cv=4).fit(X, y)
    assert len(set(search.computed_)) == 1  # a voter's scores come with those of the others
    mean = np.mean([CVAccuracy(v, cv=4).bind(X, y).score([tuple(np.flatnonzero(search.support_))]) for v in voters])
    assert search.score_ == pytest.approx(mean)


def test_what_the_loops_cannot_value_goes_to_scikit_learn():
    X, y = load_wine(return_X_y=True)
    for knn in (
        KNeighborsClassifier(3, weights=lambda d: np.exp(-d)),
        KNeighborsClassifier(3, metric="cosine"),
        KNeighborsClassifier(3, p=200),  # 1278 ** 200 overflows
    ):
        assert isinstance(CVAccuracy(knn, cv=3).bind(X, y), BoundCV)
    assert isinstance(CVAccuracy(KNeighborsClassifier(3, p=2)).bind(X, y), BoundKNN)


def test_a_large_power_that_scikit_learn_computes_is_not_refused():
    X, y = load_wine(return_X_y=True)
    knn = KNeighborsClassifier(3, p=90)  # 1278 ** 90 is a float, beyond what is safe for any data
    found = CVAccuracy(knn, cv=3).bind(X, y).score([(0, 12), (6,)])
    np.testing.assert_allclose(found, [cross_val_score(knn, X[:, c], y, cv=3).mean() for c in ([0, 12], [6])])


def test_any_splitter_and_threads():
    X, y = load_breast_cancer(return_X_y=True)
    knn = KNeighborsClassifier(5, metric="manhattan", weights="distance")
    cv = ShuffleSplit(3, test_size=0.3, random_state=0)
    one, two = (CVAccuracy(knn, cv=cv).bind(X[:200], y[:200], n_jobs=n) for n in (1, 2))
    subsets = [(0, 1), (4, 20), (2, 3, 7)]
    np.testing.assert_array_equal(one.score(subsets), two.score(subsets))
    np.testing.assert_array_equal(one.score(subsets[:1])[0], one.fold_scores((0, 1)).mean())
