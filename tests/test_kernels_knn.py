"""The compiled k-NN loops against the obvious way, on data full of ties, and against scikit-learn on data without."""

import numpy as np
import pytest
from criteria_steps import add, remove
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from fscore.criteria import CVAccuracy
from fscore.criteria._folds import fold_mean
from fscore.criteria._knn import BoundKNN, bind_knn
from fscore.criteria._subsets import flat, lexicographic
from fscore.kernels.knn import add_neighbors


def plain_hits(X, y, splits, ks, subset, p):
    """Hits per k and split: nearest first, among equal distances the earlier sample; lower class wins a draw."""
    hits = np.zeros((len(ks), len(splits)), dtype=int)
    for s, (train, test) in enumerate(splits):
        train = np.sort(train)
        for i in test:
            d = (np.abs(X[train][:, subset] - X[i, subset]) ** p).sum(axis=1)
            ranked = y[train[np.argsort(d, kind="stable")]]
            for m, k in enumerate(ks):
                hits[m, s] += np.bincount(ranked[:k]).argmax() == y[i]
    return hits


@st.composite
def problems(draw):
    n = draw(st.integers(14, 60))
    D = draw(st.integers(2, 6))
    seed = draw(st.integers(0, 2**32 - 1))
    levels = draw(st.sampled_from([2, 3, 5, 1000]))  # integers: sums are exact and ties abound
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, D)).astype(float)
    y = rng.integers(0, draw(st.integers(2, 4)), n)
    y[:2] = 0, 1
    _, y = np.unique(y, return_inverse=True)
    n_folds = draw(st.integers(2, 5))
    fold = rng.permutation(np.arange(n) % n_folds)
    splits = [(np.flatnonzero(fold != s), np.flatnonzero(fold == s)) for s in range(n_folds)]
    if draw(st.booleans()):  # splits that leave samples out
        splits = [(train[::2], test) for train, test in splits]
    ks = sorted(draw(st.sets(st.integers(1, 6), min_size=1, max_size=3)))
    size = draw(st.integers(1, D - 1))
    subset = tuple(sorted(rng.choice(D, size, replace=False).tolist()))
    return X, y, splits, ks, subset


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from([1, 2]), st.integers(1, 70), st.integers(1, 3))
def test_every_way_gives_the_plain_hits(problem, p, n_listed, n_jobs):
    X, y, splits, ks, subset = problem
    assume(ks[-1] <= min(len(train) for train, _ in splits))
    bound = bind_knn(CVAccuracy(KNeighborsClassifier(1, p=p), cv=splits).refitted(X, y, n_jobs, {}), ks)
    bound._n_listed = lambda n_candidates: n_listed  # any length must give the same hits
    sizes = np.array([len(test) for _, test in splits])
    D = X.shape[1]

    def check(got, subsets):
        want = np.array([fold_mean(plain_hits(X, y, splits, ks, list(s), p), sizes) for s in subsets])
        np.testing.assert_array_equal(got.reshape(want.shape), want)

    others = [f for f in range(D) if f not in subset]
    tuples = [(f,) for f in others]
    successors = [tuple(sorted((*subset, *t))) for t in tuples]
    check(add(bound, subset, tuples), successors)
    check(bound.score(successors), successors)
    check(add(bound, (), [(f,) for f in range(D)]), [(f,) for f in range(D)])
    tree = list(lexicographic(D))
    check(bound.score(tree), tree)
    check(bound.score(tree[::-2]), tree[::-2])  # any list will do
    mixed = [(others[0],), tuple(others)]
    check(add(bound, subset, mixed), [tuple(sorted((*subset, *t))) for t in mixed])
    everything = tuple(range(D))
    check(remove(bound, everything, tuples), [tuple(c for c in everything if c not in t) for t in tuples])
    drop = [tuple(others), (others[-1],)]
    check(remove(bound, everything, drop), [tuple(c for c in everything if c not in t) for t in drop])


@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize("n_candidates", [5, 40])
@pytest.mark.parametrize("levels", [2, 12, 10**6])
@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(8, 60), st.booleans(), st.booleans())
def test_neighbours_are_the_nearest_and_the_earliest(levels, n_candidates, unit, seed, k, n_listed, absolute, pairs):
    """With many ties, some or none. Tenths have rounding errors, in spite of which equal distances count as equal."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, levels, (120, n_candidates + 2)).astype(float)
    X = whole * unit
    fold = rng.permutation(120) % 4
    S, tuples = np.array([0, 1]), [(f, 2) if pairs and f > 2 else (f,) for f in range(2, n_candidates + 2)]
    indptr, columns = flat(tuples) if pairs else (None, np.arange(2, n_candidates + 2))
    found = np.empty((120, n_candidates, k), np.int32)
    samples = np.ascontiguousarray(X)
    arguments = indptr, columns, absolute, samples, n_listed
    add_neighbors(np.ascontiguousarray(X.T), fold, np.arange(120), S, *arguments, found)
    for q, t in enumerate(tuples):
        gaps = np.abs(whole[:, None, [0, 1, *t]] - whole[None, :, [0, 1, *t]]) ** (1 if absolute else 2)
        distances = np.where(fold[:, None] == fold, np.inf, gaps.sum(axis=-1))
        np.testing.assert_array_equal(found[:, q], np.argsort(distances, axis=1, kind="stable")[:, :k])


@pytest.mark.parametrize("n_candidates", [5, 40])
@pytest.mark.parametrize("unit", [1e-162, 1e-160, 1e-158])
def test_neighbours_at_distances_whose_squares_have_few_digits(unit, n_candidates):
    """Three samples far away give the columns a range that is accepted."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.random((3, n_candidates + 1)) + 1, rng.random((117, n_candidates + 1)) * unit])
    fold, found = np.arange(120) % 4, np.empty((120, n_candidates, 3), np.int32)
    arguments = np.arange(120), np.array([0]), None, np.arange(1, n_candidates + 1), False, X, 12
    add_neighbors(np.ascontiguousarray(X.T), fold, *arguments, found)
    for q in range(n_candidates):
        distances = ((X[:, None, [0, q + 1]] - X[None, :, [0, q + 1]]) ** 2).sum(axis=-1)
        distances[fold[:, None] == fold] = np.inf
        np.testing.assert_array_equal(found[:, q], np.argsort(distances, axis=1, kind="stable")[:, :3])


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("k", [1, 3, 4, 7])
def test_same_accuracies_as_scikit_learn_without_ties(load, k):
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + 1e-7 * X.std(axis=0) * rng.standard_normal(X.shape)
    bound = CVAccuracy(KNeighborsClassifier(k), cv=10).bind(X, y)
    assert isinstance(bound, BoundKNN)
    subset = (0, 2)
    tuples = [(f,) for f in range(X.shape[1]) if f not in subset][:6]
    subsets = [tuple(sorted((*subset, *t))) for t in tuples]
    want = [cross_val_score(KNeighborsClassifier(k), X[:, list(s)], y, cv=10).mean() for s in subsets]
    np.testing.assert_allclose(add(bound, subset, tuples), want, rtol=1e-14)
    want = [cross_val_score(KNeighborsClassifier(k), X[:, [f]], y, cv=10).mean() for f in range(4)]
    np.testing.assert_allclose(add(bound, (), [(f,) for f in range(4)]), want, rtol=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_removal_keeps_small_distances_beside_large_ones(metric):
    """Without the feature of scale 1e9, distances of scale 1 must come out as if it had never been there."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    small = rng.standard_normal((200, 3)) + y[:, None]
    X = np.column_stack([small[:, 0], 1e9 * rng.standard_normal(200), small[:, 1:]])
    bound = CVAccuracy(KNeighborsClassifier(3, metric=metric), cv=5).bind(X, y)
    np.testing.assert_array_equal(remove(bound, (0, 1, 2, 3), [(1,)]), bound.score([(0, 2, 3)]))


@pytest.mark.parametrize("options", [{}, {"metric": "manhattan"}, {"weights": "distance"}], ids=str)
def test_value_of_a_subset_does_not_depend_on_the_way_to_it(options):
    X, y = load_breast_cancer(return_X_y=True)  # raw: plenty of decimal near-ties
    bound = CVAccuracy(KNeighborsClassifier(3, **options), cv=10).bind(X, y)
    subset = (1, 4, 8, 9, 24)
    direct = bound.score([subset])[0]
    for f in subset:
        rest = tuple(c for c in subset if c != f)
        assert add(bound, rest, [(f,)])[0] == direct
    for f in (0, 3, 23):
        assert remove(bound, tuple(sorted((*subset, f))), [(f,)])[0] == direct


def test_memory_is_linear_in_the_samples():
    import tracemalloc

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5000, 40)), rng.integers(0, 2, 5000)
    tracemalloc.start()
    bound = CVAccuracy(KNeighborsClassifier(3), cv=10).bind(X, y)
    add(bound, (0, 1), [(2,), (3,)])
    remove(bound, (0, 1, 2), [(0,)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # the N x N distances alone would be 200e6
