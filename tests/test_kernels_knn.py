"""The compiled k-NN loops against the obvious way, on data full of ties; every metric, weight and score."""

import tracemalloc

import joblib
import numpy as np
import pytest
import sklearn
from criteria_steps import add, assert_same_scores, both, is_fast, remove
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.metrics import accuracy_score, get_scorer, mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from fscore.criteria import CVAccuracy, CVScore, _knn
from fscore.criteria._subsets import flat
from fscore.kernels import knn, knn_tree
from fscore.kernels.knn import add_neighbors
from fscore.search import SFFS, OrderVoting

SCORES = {
    "accuracy": accuracy_score,
    "r2": r2_score,
    "neg_mean_squared_error": lambda *a, **w: -mean_squared_error(*a, **w),
    "neg_root_mean_squared_error": lambda *a, **w: -np.sqrt(mean_squared_error(*a, **w)),
    "neg_mean_absolute_error": lambda *a, **w: -mean_absolute_error(*a, **w),
}


@pytest.fixture(params=["scans", "trees"])
def search(request, monkeypatch):
    """How neighbors are found, whatever takes less work."""
    if request.param == "trees":
        force_trees(monkeypatch)


def force_trees(monkeypatch):
    """Find all neighbors by trees, also in small samples."""
    monkeypatch.setattr(_knn, "MIN_SAMPLES_OF_TREES", 0)
    monkeypatch.setattr(_knn.BoundKNN, "_trees_are_faster", lambda *_: True)
    monkeypatch.setattr(knn_tree, "SAMPLES", 8)


def plain_score(X, y, splits, subset, knn, scoring, worth):
    """Sort all training samples by distance and index; vote or average; score each fold by scikit-learn."""
    scores = []
    for train, test in splits:
        train, predicted = np.sort(train), []
        for i in test:
            gaps = np.abs(X[train][:, subset] - X[i, subset])
            d = (gaps**knn.p).sum(axis=1)
            near = np.argsort(d, kind="stable")[: knn.n_neighbors]
            weights = np.ones(len(near))
            if knn.weights == "distance" and d[near[0]] == 0:
                weights = (d[near] == 0).astype(float)
            elif knn.weights == "distance":
                weights = 1 / d[near] ** (1 / knn.p)
            if scoring == "accuracy":  # the lower class wins a draw
                votes = np.bincount(y[train[near]], weights)
                predicted.append(np.flatnonzero(votes >= votes.max() * (1 - 1e-12))[0])
            else:
                predicted.append(np.average(y[train[near]], weights=weights))
        scores.append(SCORES[scoring](y[test], predicted, sample_weight=None if worth is None else worth[test]))
    return np.mean(scores)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2]),
    st.sampled_from(["uniform", "distance"]),
    st.sampled_from([2, 4, 1000]),
    st.integers(1, 6),
    st.sampled_from(["accuracy", *SCORES]),
    st.booleans(),
)
def test_every_way_gives_the_plain_score(search, seed, p, weights, levels, k, scoring, by_worth):
    rng = np.random.default_rng(seed)
    n, D = int(rng.integers(20, 50)), int(rng.integers(3, 6))
    X = rng.integers(0, levels, (n, D)).astype(float)  # whole numbers: sums are exact, and ties common
    X[:, 2] = X[:, 1] if rng.random() < 0.3 else X[:, 2]  # a duplicate
    X[1:4] = X[0]  # samples at the query itself
    y = np.unique(rng.integers(0, 3, n), return_inverse=True)[1] if scoring == "accuracy" else rng.standard_normal(n)
    assume(len(set(y)) > 1)
    worth = rng.integers(0, 3, n) + 0.5 if by_worth else None
    fold = rng.permutation(np.arange(n) % 3)
    splits = [(np.flatnonzero(fold != s), np.flatnonzero(fold == s)) for s in range(3)]
    if rng.random() < 0.5:  # splits that leave samples out
        splits = [(train[::2], test) for train, test in splits]
    knn = (KNeighborsClassifier if scoring == "accuracy" else KNeighborsRegressor)(k, p=p, weights=weights)
    params = {"score": {"sample_weight": worth}}
    one, two = (CVScore(knn, scoring=scoring, cv=splits).bind(X, y, n_jobs=n, params=params) for n in (1, 2))
    assert is_fast(knn, X, y, cv=splits, scoring=scoring, params=params)
    subsets = [tuple(c for c in range(D) if mask >> c & 1) for mask in range(1, 2**D)]
    want = [plain_score(X, y, splits, s, knn, scoring, worth) for s in subsets]
    scores = one.score(subsets)
    np.testing.assert_allclose(scores, want, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(one.fold_scores(subsets[4]).mean(), scores[4], rtol=1e-12, atol=1e-15)
    assert_same_scores(two, one)
    # the way to a subset changes no digit
    found, everything = dict(zip(subsets, scores, strict=True)), tuple(range(D))
    base = tuple(sorted(rng.choice(D, D - 2, replace=False).tolist()))
    rest = tuple(c for c in everything if c not in base)
    for tuples in ([rest[:1], rest[1:]], [rest[:1], rest]):
        assert add(one, base, tuples).tolist() == [found[tuple(sorted((*base, *t)))] for t in tuples]
        assert remove(one, everything, tuples).tolist() == [
            found[tuple(c for c in everything if c not in t)] for t in tuples
        ]
    assert one.score(subsets[::-2]).tolist() == scores[::-2].tolist()


def assert_nearest(X, whole, fold, base, tuples, k, *, manhattan=False, n_listed=12):
    """The k nearest samples of other folds are found in X for the base with each tuple; `whole` tells the distances."""
    found = np.empty((len(X), len(tuples), k), np.int32)
    arguments = np.arange(len(X)), np.array(base), *flat(tuples), manhattan, np.ascontiguousarray(X), n_listed
    add_neighbors(np.ascontiguousarray(X.T), fold, *arguments, found)
    for q, t in enumerate(tuples):
        gaps = np.abs(whole[:, None, [*base, *t]] - whole[None, :, [*base, *t]]) ** (1 if manhattan else 2)
        distances = np.where(fold[:, None] == fold, np.inf, gaps.sum(axis=-1))
        np.testing.assert_array_equal(found[:, q], np.argsort(distances, axis=1, kind="stable")[:, :k])


@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize("n_candidates", [5, 40])
@pytest.mark.parametrize("levels", [2, 12, 10**6])
@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(8, 60), st.booleans(), st.booleans())
def test_neighbors_are_the_nearest_and_the_earliest(levels, n_candidates, unit, seed, k, n_listed, manhattan, pairs):
    """With many ties, some or none. Tenths have rounding errors, in spite of which equal distances count as equal."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, levels, (120, n_candidates + 2)).astype(float)
    tuples = [(f, 2) if pairs and f > 2 else (f,) for f in range(2, n_candidates + 2)]
    fold = rng.permutation(120) % 4
    assert_nearest(whole * unit, whole, fold, (0, 1), tuples, k, manhattan=manhattan, n_listed=n_listed)


@pytest.mark.parametrize("n_candidates", [5, 40])
@pytest.mark.parametrize("unit", [1e-162, 1e-160, 1e-158])
def test_neighbors_at_distances_whose_squares_have_few_digits(unit, n_candidates):
    """Three samples far away give the columns a range that is accepted."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.random((3, n_candidates + 1)) + 1, rng.random((117, n_candidates + 1)) * unit])
    assert_nearest(X, X, np.arange(120) % 4, (0,), [(f,) for f in range(1, n_candidates + 1)], 3)


def tree_nearest(X, fold, k, manhattan):
    """The neighbors that a tree finds."""
    tree = knn_tree.build_tree(np.ascontiguousarray(X.T), fold, manhattan, k)
    queries, nearest = np.arange(len(X)), np.empty((len(X), 1, k), np.int32)
    knn_tree.tree_neighbors(tree, queries, np.argsort(tree.place), manhattan, nearest)
    return nearest[:, 0]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 9),
    st.integers(1, 40),
    st.booleans(),
    st.sampled_from(
        ["two levels", "ten levels", "continuous", "copies", "near copies", "constant column", "outlier", "offset"]
    ),
)
@example(0, 2, 3, True, "near copies")
@example(0, 2, 3, False, "near copies")
@example(586, 7, 20, False, "near copies")
def test_a_tree_finds_the_nearest_and_the_earliest(seed, n_columns, k, manhattan, kind):
    """Multiples of 1/8 have exact distances, which tie as often as whole numbers do; those of near copies may tie."""
    rng = np.random.default_rng(seed)
    levels = {"two levels": 2, "ten levels": 10, "outlier": 10}.get(kind, 10**5)
    X = rng.integers(0, levels, (400, n_columns)) / 8
    if kind in ("copies", "near copies"):
        X = X[rng.integers(0, 20, 400)]
        X += rng.integers(0, 100, X.shape) * 2.0**-20 if kind == "near copies" else 0.0  # lost in single precision
    elif kind == "constant column":
        X[:, 0] = 3.0
    elif kind == "outlier":
        X[7, 0] = 2.0**16
    elif kind == "offset":
        X += 2.0**30
    fold = rng.integers(0, 4, 400) if seed % 2 else np.arange(400) // 100
    with pytest.MonkeyPatch.context() as patch:
        force_trees(patch)
        nearest = tree_nearest(X, fold, k, manhattan)
    gaps = np.abs(X[:, None] - X[None]) ** (1 if manhattan else 2)
    distances = np.where(fold[:, None] == fold, np.inf, gaps.sum(axis=-1))
    expected = np.argsort(distances, axis=1, kind="stable")[:, :k]
    if kind == "near copies":
        nearest, expected = (np.take_along_axis(distances, columns, axis=1) for columns in (nearest, expected))
        np.testing.assert_allclose(nearest, expected, rtol=2 * knn.TIE)
    else:
        np.testing.assert_array_equal(nearest, expected)


@pytest.mark.parametrize(
    ("n", "levels", "base", "n_candidates", "chosen"),
    [
        (1500, 0, (0, 1, 2), 1, "scan"),  # few samples
        (3000, 0, (0, 1, 2), 1, "tree"),  # one subset
        (3000, 0, (), 2, "scan"),  # a sorted column
        (6000, 3, (), 1, "tree"),  # a sorted column of which a third is equal
        (3000, 0, tuple(range(8)), 20, "scan"),  # a step shares the distances under eight columns
        (10000, 0, (0,), 4, "tree"),  # one column excludes few samples
    ],
)
def test_what_takes_less_work_is_chosen(n, levels, base, n_candidates, chosen, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, levels, (n, 30)).astype(float) if levels else rng.standard_normal((n, 30))
    J = CVAccuracy(KNeighborsClassifier(3), cv=5).bind(X, rng.integers(0, 2, n))
    subsets = [(*base, len(base) + c) for c in range(n_candidates)]
    kernels = {s.kernel.__name__ for s in J._searches(subsets)}
    assert kernels == {"tree_neighbors"} if chosen == "tree" else "tree_neighbors" not in kernels
    if chosen == "tree":
        scores = J.score(subsets)
        monkeypatch.setattr(_knn, "MIN_SAMPLES_OF_TREES", n + 1)
        np.testing.assert_array_equal(J.score(subsets), scores)


@pytest.mark.parametrize("options", [{}, {"metric": "manhattan"}, {"weights": "distance"}], ids=str)
def test_a_score_does_not_depend_on_the_way_to_its_subset(search, options):
    """Raw data with plenty of decimal near-ties; and with a column of scale 1e9, as if it had never been there."""
    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([X, 1e9 * np.random.default_rng(0).standard_normal(len(X))])
    J = CVAccuracy(KNeighborsClassifier(3, **options), cv=10).bind(X, y)
    subset = (1, 4, 8, 9, 24)
    direct = J.score([subset])[0]
    for f in subset:
        assert add(J, tuple(c for c in subset if c != f), [(f,), (2,), (3,)])[0] == direct
    for f in (0, 3, 23, 30):
        assert remove(J, tuple(sorted((*subset, f))), [(f,), (4,), (8,)])[0] == direct


def test_memory_is_linear_in_the_samples():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5000, 40)), rng.integers(0, 2, 5000)

    def take_steps(n):
        J = CVAccuracy(KNeighborsClassifier(3), cv=10).bind(X[:n], y[:n])
        add(J, (0, 1), [(2,), (3,)])
        remove(J, (0, 1, 2), [(0,), (1,), (2,)])

    take_steps(100)  # loads what is compiled, which takes a minute when memory is traced
    tracemalloc.start()
    take_steps(5000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # the N x N distances alone would be 200e6


def voters(kind, compiled):
    """Criteria that differ in the number of neighbors, with two metrics or two scores."""
    options = {"cv": 4, "compiled": compiled}
    if kind == "classifiers":
        metrics = ("manhattan", "euclidean")
        return [CVAccuracy(KNeighborsClassifier(k, metric=m), **options) for k in (5, 1) for m in metrics]
    scores = ("r2", "neg_mean_squared_error")
    return [CVScore(KNeighborsRegressor(k), scoring=s, **options) for k in (3, 7) for s in scores]


@pytest.mark.parametrize("kind", ["classifiers", "regressors"])
def test_voters_that_differ_in_k_share_a_pass(kind):
    X, y = (load_wine if kind == "classifiers" else load_diabetes)(return_X_y=True)
    X = (X + 1e-7 * X.std(axis=0) * np.random.default_rng(0).standard_normal(X.shape))[:, :6]  # without ties

    def fitted(X, compiled):
        panel = voters(kind, compiled)
        return SFFS(OrderVoting(panel, main=None if kind == "classifiers" else panel[0]), 2).fit(X, y)

    search, slow = (fitted(X, compiled) for compiled in (True, False))
    assert len({n for _, n in search.computed_[:4]}) == 1  # a voter's scores come with those of the others
    assert search.path_["features"].tolist() == slow.path_["features"].tolist()
    assert search.score_ == pytest.approx(slow.score_)
    if kind == "classifiers":
        assert fitted(csr_array(X), True).path_.equals(search.path_)


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        (KNeighborsClassifier(3), "accuracy"),
        (KNeighborsClassifier(4, weights="distance", p=1), "accuracy"),
        (KNeighborsRegressor(3), "r2"),
        (KNeighborsRegressor(3, weights="distance"), "neg_mean_absolute_error"),
    ],
    ids=str,
)
def test_sample_weights_in_the_score(estimator, scoring):
    X, y = load_wine(return_X_y=True)
    X = (X + 1e-7 * X.std(axis=0) * np.random.default_rng(0).standard_normal(X.shape))[:, :7]
    worth, folds = np.random.default_rng(1).integers(0, 4, len(y)).astype(float), KFold(4, shuffle=True, random_state=0)
    weighted = get_scorer(scoring).set_score_request
    with sklearn.config_context(enable_metadata_routing=True):
        quick, slow = (
            SFFS(CVScore(estimator, scoring=weighted(sample_weight=True), cv=folds, compiled=c), 3)
            .fit(X, y, sample_weight=worth)
            for c in (True, False)
        )  # fmt: skip
    assert quick.path_["features"].tolist() == slow.path_["features"].tolist()
    np.testing.assert_allclose(quick.trace_["value"], slow.trace_["value"], rtol=1e-12)
    known = []  # a cache tells folds and weights apart, but not the ways to score
    for options in ({}, {"params": {"score": {"sample_weight": np.full(len(y), 2)}}}):
        J = both(estimator, X, y, folds, scoring, **options)
        known.append([joblib.hash(j.context) for j in J])
        np.testing.assert_allclose(J[0].score([(0, 6)]), both(estimator, X, y, folds, scoring)[0].score([(0, 6)]))
    assert known[0][0] == known[0][1] != known[1][0] == known[1][1]
    assert joblib.hash(both(estimator, X, y, KFold(3), scoring)[0].context) != known[0][0]


def test_as_many_neighbors_as_training_samples():
    X, y = load_iris(return_X_y=True)
    all_neighbors = CVAccuracy(KNeighborsClassifier(75), cv=2).bind(X, y)
    np.testing.assert_allclose(all_neighbors.score([(0,), (2, 3)]), [1 / 3, 1 / 3])
    rows = np.arange(150)
    splits = [(rows[10:], rows[:10]), (rows[60:], rows[:60]), (rows[40:], rows[:40])]
    for estimator, target, scoring in (KNeighborsClassifier(95), y, None), (KNeighborsRegressor(95), X[:, 0], "r2"):
        with pytest.raises(ValueError, match=r"^n_neighbors=95 needs as many .* but split 1 trains on 90; use fewer"):
            CVScore(estimator, scoring=scoring, cv=splits).bind(X, target)
