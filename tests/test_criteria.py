"""Criteria: closed forms, direct formulas, scikit-learn as the other implementation, and what is refused."""

import re
import tracemalloc
import warnings
from fractions import Fraction
from itertools import combinations

import joblib
import numpy as np
import pytest
from criteria_steps import add, remove
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from fscore._jobs import n_workers
from fscore.criteria import (
    Bhattacharyya,
    CVAccuracy,
    CVScore,
    GammaTest,
    Mahalanobis,
    RANNAccuracy,
)
from fscore.criteria._cv import BoundCV, as_criterion
from fscore.criteria._folds import fold_mean, list_splits
from fscore.criteria._gaussian import _check_memory
from fscore.criteria._knn import BoundKNN, bind_panel
from fscore.criteria._subsets import check_enumerable, lexicographic, n_shared
from fscore.search import SBFS, SFFS, SFS, ExhaustiveSearch, Hybrid, OrderVoting


def direct_bhattacharyya(X, y, subset, ridge, ddof=1):
    Z = ((X - X.mean(axis=0)) / X.std(axis=0))[:, list(subset)]
    classes, counts = np.unique(y, return_counts=True)
    total = weight = 0.0
    for a in range(len(classes)):
        for b in range(a):
            A, B = Z[y == classes[a]], Z[y == classes[b]]
            SA = np.cov(A.T, ddof=ddof).reshape(len(subset), -1) + ridge * np.eye(len(subset))
            SB = np.cov(B.T, ddof=ddof).reshape(len(subset), -1) + ridge * np.eye(len(subset))
            S = (SA + SB) / 2
            m = A.mean(axis=0) - B.mean(axis=0)
            logdet = [np.linalg.slogdet(M)[1] for M in (S, SA, SB)]
            B_ab = m @ np.linalg.solve(S, m) / 8 + (logdet[0] - (logdet[1] + logdet[2]) / 2) / 2
            total += counts[a] * counts[b] * B_ab
            weight += counts[a] * counts[b]
    return total / weight


def direct_mahalanobis(X, y, subset, ridge, ddof=1):
    Z = ((X - X.mean(axis=0)) / X.std(axis=0))[:, list(subset)]
    classes, counts = np.unique(y, return_counts=True)
    groups = [Z[y == c] for c in classes]
    S = sum(len(g) * np.cov(g.T, ddof=ddof).reshape(len(subset), -1) for g in groups) / len(Z)
    S = S + ridge * np.eye(len(subset))
    total = weight = 0.0
    for a in range(len(classes)):
        for b in range(a):
            m = groups[a].mean(axis=0) - groups[b].mean(axis=0)
            total += counts[a] * counts[b] * (m @ np.linalg.solve(S, m))
            weight += counts[a] * counts[b]
    return total / weight


GAUSSIAN = [(Bhattacharyya, direct_bhattacharyya), (Mahalanobis, direct_mahalanobis)]


@pytest.mark.parametrize(("criterion", "direct"), GAUSSIAN)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("one_way", [0, 64])
def test_gaussian_distances_equal_the_direct_formula(criterion, direct, load, one_way, monkeypatch):
    monkeypatch.setattr("fscore.criteria._gaussian.SINGLE_WAY", one_way)
    X, y = load(return_X_y=True)
    D = X.shape[1]
    J = criterion().bind(X, y)
    rng = np.random.default_rng(0)
    for size in sorted({1, 2, 3, min(8, D - 2), D - 2}):
        subset = tuple(sorted(rng.choice(D, size, replace=False).tolist()))
        others = [f for f in range(D) if f not in subset]
        adds = [(f,) for f in others] + [tuple(others[:2])]
        want = [direct(X, y, sorted((*subset, *t)), 1e-8) for t in adds]
        np.testing.assert_allclose(add(J, subset, adds), want, rtol=1e-9)
        np.testing.assert_allclose(J.score([tuple(sorted((*subset, *t))) for t in adds]), want, rtol=1e-9)
        if size > 2:
            drops = [(f,) for f in subset] + [subset[:2]]
            want = [direct(X, y, [c for c in subset if c not in t], 1e-8) for t in drops]
            np.testing.assert_allclose(remove(J, subset, drops), want, rtol=1e-9)


@pytest.mark.parametrize(("criterion", "direct"), GAUSSIAN)
def test_down_dates_equal_the_direct_formula_to_the_last_feature(criterion, direct):
    """Raw WDBC, whose covariances are ill-conditioned. Features go in random order."""
    from fscore.kernels.gaussian import removal_values, remove

    X, y = load_breast_cancer(return_X_y=True)
    J = criterion().bind(X, y)
    D = X.shape[1]
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(D)
        A, q, g = J._stack(list(range(D)))
        value = J.score([tuple(range(D))])[0]
        for m in range(D, 1, -1):
            left = np.empty(D)
            removal_values(A, m, q, g, value, left)
            u = order[m - 1]
            B = np.zeros_like(A)
            remove(A, m, u, B)
            A, value = B, left[u]
            np.testing.assert_allclose(value, direct(X, y, sorted(order[: m - 1]), 1e-8), rtol=1e-9)


@pytest.mark.parametrize(("criterion", "direct"), GAUSSIAN)
@pytest.mark.parametrize("one_way", [0, 64])
def test_random_walk_of_additions_and_removals_stays_exact(criterion, direct, one_way, monkeypatch):
    """Raw WDBC; and a list of subsets has the same values, to the last bit, in any order and in any company."""
    monkeypatch.setattr("fscore.criteria._gaussian.SINGLE_WAY", one_way)
    X, y = load_breast_cancer(return_X_y=True)
    J = criterion().bind(X, y)
    rng = np.random.default_rng(0)
    subset, met = (0,), {}
    for _ in range(300):
        others = [f for f in range(X.shape[1]) if f not in subset]
        adding = len(subset) < 2 or (len(others) > 1 and rng.random() < 0.5)
        tuples = [(f,) for f in (others if adding else subset)]
        values = add(J, subset, tuples) if adding else remove(J, subset, tuples)
        chosen = int(rng.integers(len(tuples)))
        subset = tuple(sorted({*subset} ^ {*tuples[chosen]}))
        met[subset] = values[chosen]
        np.testing.assert_allclose(values[chosen], direct(X, y, subset, 1e-8), rtol=1e-9)
    walk = list(met)
    np.testing.assert_allclose(J.score(walk), list(met.values()), rtol=1e-9 if one_way == 0 else 0)
    np.testing.assert_array_equal(J.score(walk), [J.score([s])[0] for s in walk])
    np.testing.assert_array_equal(J.score(walk[::-1]), J.score(walk)[::-1])


@pytest.mark.parametrize("criterion", [Bhattacharyya, Mahalanobis])
def test_rounding_is_not_an_improvement(criterion, tmp_path):
    """With copies of columns ties abound; what is remembered, and from which question, must not decide them."""
    X, y = load_wine(return_X_y=True)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        Z = np.column_stack([X, X[:, rng.choice(13, 3, replace=False)] * rng.uniform(0.1, 10, 3) + rng.normal(size=3)])
        Z = Z[:, rng.permutation(16)]
        known = tmp_path / f"checkpoint {seed}"
        ExhaustiveSearch(criterion(), 4, checkpoint=known).fit(Z, y)
        for search in (SFFS, SBFS):
            found = [search(criterion(), 5, checkpoint=c).fit(Z, y) for c in (None, known)]
            assert len({tuple(f.get_support(indices=True)) for f in found}) == 1
            assert len({tuple(f.path_["features"]) for f in found}) == 1


def test_bhattacharyya_of_two_normals_in_closed_form():
    """One feature, moments set exactly: B = d^2 / (4 (s1 + s2)) + ln((s1 + s2) / (2 sqrt(s1 s2))) / 2."""
    z = np.linspace(-1, 1, 101)
    z /= z.std(ddof=1)
    X = np.concatenate([z, 3 + 2 * z])[:, None]
    y = np.repeat([0, 1], 101)
    s1, s2, d = 1.0, 4.0, 3.0
    want = d**2 / (4 * (s1 + s2)) + np.log((s1 + s2) / (2 * np.sqrt(s1 * s2))) / 2
    np.testing.assert_allclose(Bhattacharyya(ridge=0).bind(X, y).score([(0,)]), [want], rtol=1e-12)
    pooled = (s1 + s2) / 2
    np.testing.assert_allclose(Mahalanobis(ridge=0).bind(X, y).score([(0,)]), [d**2 / pooled], rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3))
def test_gaussian_distances_are_monotone_and_scale_invariant(seed, n_classes):
    rng = np.random.default_rng(seed)
    y = np.arange(60) % n_classes
    X = rng.standard_normal((60, 6)) @ rng.standard_normal((6, 6)) + rng.standard_normal((n_classes, 6))[y]
    for criterion in (Bhattacharyya(), Mahalanobis()):
        J = criterion.bind(X, y)
        order = rng.permutation(6)
        values = J.score([tuple(sorted(order[: d + 1].tolist())) for d in range(6)])
        assert (np.diff(values) >= -1e-9 * values[-1]).all()
        scaled = criterion.bind(X * np.exp(3 * rng.standard_normal(6)) + rng.standard_normal(6), y)
        np.testing.assert_allclose(scaled.score([(0, 2, 5)]), J.score([(0, 2, 5)]), rtol=1e-6)


def test_constant_column_is_worth_nothing_and_duplicates_are_survived():
    X, y = load_iris(return_X_y=True)
    Z = np.column_stack([X, np.ones(150), X[:, 2]])
    J = Bhattacharyya().bind(Z, y)
    values = add(J, (0, 2), [(4,), (5,)])
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values[0], J.score([(0, 2)])[0], rtol=1e-9)


@pytest.mark.parametrize(
    ("step", "subset", "tuples"),
    [
        (add, (0,), [(4,)]),
        (add, (0,), [(1, 4)]),
        (add, (4,), [(0,)]),
        (remove, (0, 4), [(0,)]),
    ],
)
def test_a_singular_covariance_is_refused_in_every_step(step, subset, tuples):
    X, y = load_iris(return_X_y=True)
    J = Bhattacharyya(ridge=0).bind(np.column_stack([X, np.ones(150)]), y)
    with pytest.raises(ValueError, match="singular; raise ridge"):
        step(J, subset, tuples)


def test_nested_lists_are_data_too():
    X, y = load_iris(return_X_y=True)
    J, of_lists = CVScore(KNeighborsClassifier(3), cv=3).bind(X, y), CVScore(KNeighborsClassifier(3), cv=3)
    assert of_lists.bind(X.tolist(), y.tolist()).score([(2, 3)]) == J.score([(2, 3)])


@pytest.mark.parametrize(
    "cv",
    [
        3,
        StratifiedKFold(4, shuffle=True, random_state=0),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(3, test_size=0.3, train_size=0.4, random_state=0),
        LeaveOneOut(),
    ],
)
def test_any_splitter_compiled_or_not(cv):
    X, y = load_iris(return_X_y=True)
    X = X[::2] + 1e-6 * np.random.default_rng(0).standard_normal(X[::2].shape)
    y = y[::2]
    knn = KNeighborsClassifier(3)
    subsets = [(0,), (1, 3), (0, 1, 2, 3)]
    quick = CVAccuracy(knn, cv=cv).bind(X, y)
    slow = CVAccuracy(knn, cv=cv, compiled=False).bind(X, y)
    assert isinstance(quick, BoundKNN)
    assert isinstance(slow, BoundCV)
    np.testing.assert_array_equal(quick.score(subsets), slow.score(subsets))
    want = [cross_val_score(knn, X[:, list(s)], y, cv=cv).mean() for s in subsets]
    np.testing.assert_allclose(quick.score(subsets), want, rtol=1e-14)


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        (KNeighborsClassifier(3, p=1), "accuracy"),
        (KNeighborsClassifier(5, weights="distance"), "accuracy"),
        (KNeighborsClassifier(4, p=3, weights="distance"), "accuracy"),
        (KNeighborsClassifier(np.int64(1), metric="chebyshev"), get_scorer("accuracy")),
        (KNeighborsRegressor(4), None),
        (KNeighborsRegressor(4, metric="l1", weights="distance"), "neg_mean_absolute_error"),
        (KNeighborsRegressor(4, p=3), "neg_root_mean_squared_error"),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("cv", "worth"),
    [
        (KFold(3, shuffle=True, random_state=0), None),
        (ShuffleSplit(2, test_size=0.3, train_size=0.4, random_state=0), np.arange(1.0, 71)),
    ],
    ids=["folds", "splits with weights"],
)
def test_every_way_of_nearest_neighbours_is_that_of_scikit_learn(estimator, scoring, worth, cv):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 6))
    y = X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=70)
    y = np.digitize(y, [0.3, 1.2]) if isinstance(estimator, KNeighborsClassifier) else y
    params = {"score": {"sample_weight": worth}}
    quick, threads, slow = (
        CVScore(estimator, scoring=scoring, cv=cv, compiled=c).bind(X, y, n_jobs=n, params=params)
        for c, n in ((True, 1), (True, 2), (False, 1))
    )
    assert isinstance(quick, BoundKNN)
    assert isinstance(slow, BoundCV)
    called = []
    quick.check = lambda: called.append(1)
    for way in (
        lambda J: J.score([(0,), (5,), (0, 3), (0, 1, 2), (1, 2, 4, 5)]),
        lambda J: add(J, (), [(0,), (2, 4)]),
        lambda J: add(J, (1, 4), [(0,), (5,)]),
        lambda J: add(J, (1, 4), [(0,), (2, 5)]),
        lambda J: remove(J, (0, 1, 2, 4), [(0,), (2,)]),
        lambda J: remove(J, (0, 1, 2, 4), [(1,), (2, 4)]),
        lambda J: J.fold_scores((0, 1, 3)),
    ):
        want, called[:] = way(slow), []
        np.testing.assert_allclose(way(quick), want, rtol=1e-12)
        assert called  # time is checked in every way
        np.testing.assert_array_equal(way(threads), way(quick))


def test_nearest_neighbours_with_odd_parameters_are_left_to_scikit_learn():
    X, y = load_iris(return_X_y=True)
    for options in (
        {"n_neighbors": 0},
        {"n_neighbors": 2.5},
        {"n_neighbors": "3"},
        {"weights": "far"},
        {"p": 0.5},
        {"p": "2"},
        {"metric": "far"},
        {"metric_params": {"p": 2}},
    ):
        assert type(CVAccuracy(KNeighborsClassifier(**options), cv=3).bind(X, y)) is BoundCV


def test_weights_and_folds_of_which_only_scikit_learn_knows_the_score():
    X, y = load_iris(return_X_y=True)
    X = X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape)  # without ties
    target, rows = X[:, 3] + X[:, 0] / 100, np.arange(150)
    flat = np.where(rows < 50, 2.0, target)
    halves = [(rows[75:], rows[:75]), (rows[:75], rows[75:])]
    none_in_one, few = np.where(rows < 75, 0.0, 1.0), [(rows[1:], rows[:1]), (rows[:-9], rows[-9:])]
    two = [(rows[2:], rows[:2]), (rows[:-9], rows[-9:])]
    knn, one = KNeighborsRegressor(3), np.ones(150)
    threes, rounded = 3 * one, np.where(rows == 0, 1.9, target)
    assert 3 * 1.9 / 3 != 1.9  # so that a single sample is not its own mean

    def quick(estimator, values, cv=halves, worth=None, scoring=None):
        with np.errstate(all="raise"):
            bound = CVScore(estimator, cv=cv, scoring=scoring).bind(
                X[:, :3], values, params={"score": {"sample_weight": worth}}
            )
        return type(bound) is not BoundCV

    for worth, usable in (
        (one, True),
        (one / 1000, True),
        (one.astype(int), True),
        (one.tolist(), True),
        (one > 0, False),
        (none_in_one, False),
        (np.where(rows == 3, np.nan, 1.0), False),
        (one[:, None], False),
        (one.astype(object), False),
    ):
        assert quick(knn, target, worth=worth) == usable
        assert quick(KNeighborsClassifier(3), y, KFold(3, shuffle=True, random_state=0), worth, "accuracy") == (
            usable or worth is none_in_one
        )
    assert not quick(KNeighborsClassifier(3), y, halves, none_in_one, "accuracy")
    assert not quick(knn, target, halves, none_in_one, "neg_mean_squared_error")
    assert not quick(knn, rounded, few, threes)
    for values, cv, scoring, usable in (
        (target, two, None, True),
        (target / 1000, halves, None, True),
        (target, few, None, False),
        (target, few, "r2", False),
        (target, few, "neg_mean_squared_error", True),
        (flat, KFold(3), "r2", False),
        (flat, KFold(3), "neg_mean_absolute_error", True),
        (np.round(10 * target).astype(int), halves, None, True),
        (target > 1, halves, "neg_mean_squared_error", True),
        (np.column_stack([target, target]), halves, None, False),
        (target.astype(np.float32), halves, None, False),
    ):
        assert quick(knn, values, cv, scoring=scoring) == usable
        slow, fast = (CVScore(knn, cv=cv, scoring=scoring, compiled=c).bind(X[:, :3], values) for c in (False, True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # R2 of a single sample
            np.testing.assert_allclose(fast.score([(0, 1)]), slow.score([(0, 1)]), rtol=1e-9)


@pytest.mark.parametrize("p", [1, 2])
def test_nearest_neighbours_of_small_sparse_and_of_single_precision_data_are_those_of_dense_doubles(p, monkeypatch):
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    J, subsets = CVAccuracy(KNeighborsClassifier(3, p=p), cv=3), [(0,), (1, 2, 3)]
    want = J.bind(X.astype(np.float64), y).score(subsets)
    monkeypatch.setattr("fscore.criteria._knn._DENSE", X.size)
    for data in (X, csr_array(X)):
        bound = J.bind(data, y)
        assert isinstance(bound, BoundKNN)
        assert bound.views[0].X.dtype == np.float64
        np.testing.assert_array_equal(bound.score(subsets), want)
    monkeypatch.setattr("fscore.criteria._knn._DENSE", X.size - 1)
    assert isinstance(J.bind(csr_array(X), y), BoundCV)


def test_as_many_neighbours_as_training_samples_and_whole_numbers():
    X, y = load_iris(return_X_y=True)
    all_neighbours = CVAccuracy(KNeighborsClassifier(75), cv=2).bind(X, y)
    np.testing.assert_allclose(all_neighbours.score([(0,), (2, 3)]), [1 / 3, 1 / 3])
    whole = CVAccuracy(cv=3).bind(np.round(10 * X), y).score([(0,), (1, 2)])
    np.testing.assert_array_equal(CVAccuracy(cv=3).bind(np.round(10 * X).astype(int), y).score([(0,), (1, 2)]), whole)
    rows = np.arange(150)
    splits = [(rows[10:], rows[:10]), (rows[60:], rows[:60]), (rows[40:], rows[:40])]
    with pytest.raises(ValueError, match=r"^n_neighbors=95 needs as many .* but split 1 trains on 90; use fewer"):
        CVAccuracy(KNeighborsClassifier(95), cv=splits).bind(X, y)


def test_criteria_that_differ_in_k_share_a_pass():
    X, y = load_wine(return_X_y=True)
    voters = [CVAccuracy(KNeighborsClassifier(k), cv=4) for k in (5, 1, 3)]
    subsets = [(0,), (6, 9), (0, 6, 12)]
    want = np.column_stack([v.bind(X, y).score(subsets) for v in voters])
    bound = bind_panel(voters, X, y)
    np.testing.assert_array_equal(bound.score(subsets), want)
    np.testing.assert_array_equal(bound.fold_scores((6, 9)), voters[1].bind(X, y).fold_scores((6, 9)))
    weights = {"sample_weight": np.ones(len(y))}
    for part in ("fit", "score"):
        assert bind_panel(voters, X, y, params={part: weights}) is None
    groups = np.arange(len(y)) % 7
    by_group = [CVAccuracy(KNeighborsClassifier(k), cv=GroupKFold(3)) for k in (1, 3)]
    found = bind_panel(by_group, X, y, n_jobs=2, params={"split": {"groups": groups}})
    assert found.n_jobs == n_workers(2)
    for (_, test), (_, other) in zip(found.context[0], GroupKFold(3).split(X, y, groups), strict=True):
        np.testing.assert_array_equal(test, other)
    np.testing.assert_array_equal(bind_panel(voters, csr_array(X), y).score(subsets), want)
    cubic = [CVAccuracy(KNeighborsClassifier(k, p=3), cv=4) for k in (1, 3)]
    assert bind_panel(cubic, csr_array(X), y) is None
    assert bind_panel(voters, csr_array((8, 2**62)), [0, 1] * 4) is None, "too large to be made dense"
    with pytest.raises(ValueError, match="'compiled' parameter of CVAccuracy"):
        bind_panel([voters[0], CVAccuracy(compiled="no")], X, y)


@pytest.mark.parametrize("criterion", [Bhattacharyya(), Mahalanobis()], ids=repr)
@pytest.mark.parametrize("limit", [8, 10**6])
def test_compiled_branch_and_bound_finds_the_best_removals(criterion, limit):
    X, y = load_wine(return_X_y=True)
    bound = criterion.bind(X, y)
    columns, removable = (0, 2, 3, 5, 6, 9, 11, 12), [12, 2, 5, 3, 9, 0]
    ways = list(combinations(removable, 3))
    values = bound.score([tuple(c for c in columns if c not in way) for way in ways])
    best = tuple(sorted(ways[int(np.argmax(values))]))
    for beat, found in ((-np.inf, best), (np.sort(values)[-2], best), (values.max() * 1.001, None)):
        walk, n_valued = bound.bounded_walk(columns, removable, 3, beat), 0
        assert walk.batch >= len(columns)
        while not walk.done:
            n_valued += walk.run(limit)
        assert walk.removed == found
        assert 0 < n_valued <= 6 + 15 + 20  # every set of one, two and three removals at most


def test_a_singular_covariance_of_many_features_is_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 70)), np.arange(300) % 2
    X[:, 69] = X[:, 68]
    J = Mahalanobis(ridge=0).bind(X, y)
    everything = tuple(range(70))
    with pytest.raises(ValueError, match=r"^the covariance over 70 features is singular; raise ridge, or drop"):
        remove(J, everything, [(0,)])
    with pytest.raises(ValueError, match=r"^a covariance is singular; raise ridge"):
        add(J, everything[:69], [(69,)])
    with pytest.raises(ValueError, match=r"^a covariance is singular; raise ridge"):
        add(J, everything[:68], [(68, 69)])


def test_splits_may_overlap_or_hold_samples_twice():
    X, y = load_iris(return_X_y=True)
    X = X + 1e-6 * np.random.default_rng(0).standard_normal(X.shape)
    everything, rng = np.arange(150), np.random.default_rng(1)
    J = CVAccuracy(KNeighborsClassifier(1), cv=[(everything, everything)]).bind(X, y)
    assert isinstance(J, BoundKNN)
    assert J.score([(0, 1, 2, 3)])[0] == 1.0  # every sample is its own neighbour
    bootstrap = [(rng.integers(0, 150, 150), rng.integers(0, 150, 60)) for _ in range(3)]
    quick, slow = (CVAccuracy(cv=bootstrap, compiled=c).bind(X, y) for c in (True, False))
    np.testing.assert_array_equal(quick.score([(0, 2), (1, 2, 3)]), slow.score([(0, 2), (1, 2, 3)]))


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(3, metric="cosine"),
        KNeighborsClassifier(3, weights=lambda d: np.exp(-d)),
        make_pipeline(Normalizer(), KNeighborsClassifier(3)),
        LogisticRegression(max_iter=500),
    ],
)
def test_other_classifiers_are_left_to_scikit_learn(estimator):
    X, y = load_iris(return_X_y=True)
    J = CVAccuracy(estimator, cv=3).bind(X, y)
    assert isinstance(J, BoundCV)
    np.testing.assert_allclose(J.score([(2, 3)])[0], cross_val_score(estimator, X[:, 2:], y, cv=3).mean(), rtol=1e-14)


def test_knn_refuses_values_whose_squares_overflow():
    X, y = load_wine(return_X_y=True)
    for scale in (1e160, 1e304):
        with pytest.raises(ValueError, match=r"k-NN requires absolute values up to .* to avoid overflow"):
            CVAccuracy(cv=5).bind(X * scale, y)
    far = CVAccuracy(cv=5).bind(X * 2.0**400, y)  # a power of two: the same distances
    assert far.score([(0, 6)]) == CVAccuracy(cv=5).bind(X, y).score([(0, 6)])


def test_boolean_folds_are_masks():
    X, y = load_wine(return_X_y=True)
    splits = list(StratifiedKFold(3).split(X, y))
    masks = [tuple(np.isin(np.arange(len(y)), part) for part in split) for split in splits]
    for estimator in (KNeighborsClassifier(3), DecisionTreeClassifier(random_state=0)):
        want = CVAccuracy(estimator, cv=splits).bind(X, y).score([(0, 6), (2,)])
        np.testing.assert_array_equal(CVAccuracy(estimator, cv=masks).bind(X, y).score([(0, 6), (2,)]), want)


@pytest.mark.parametrize("cv", [[], iter([])])
def test_no_splits_are_refused(cv):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=r"cv holds no splits"):
        CVAccuracy(cv=cv).bind(X, y)


def test_scoring_groups_and_weights_are_passed_on():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    groups, w = rng.integers(0, 5, 150), rng.random(150)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    J = CVScore(tree, cv=GroupKFold(5), scoring="f1_macro")
    got = J.bind(X, y, params={"split": {"groups": groups}, "fit": {"sample_weight": w}}).score([(0, 2)])[0]
    scores = cross_val_score(
        tree, X[:, [0, 2]], y, groups=groups, cv=GroupKFold(5), scoring="f1_macro", params={"sample_weight": w}
    )
    assert got == pytest.approx(scores.mean(), rel=1e-14)
    assert got != pytest.approx(J.bind(X, y, params={"split": {"groups": groups}}).score([(0, 2)])[0], rel=1e-6)


def test_equal_means_are_equal_numbers():
    sizes = np.array([57, 57, 57, 56])
    a, b = np.array([[50, 41, 33, 20]]), np.array([[33, 50, 41, 20]])
    assert fold_mean(a, sizes)[0] == fold_mean(b, sizes)[0]
    np.testing.assert_allclose(fold_mean(a, sizes), (a / sizes).mean(axis=1), rtol=1e-15)


def test_processes_give_the_same():
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(random_state=0)
    subsets = [(0,), (1, 2), (3, 4, 5)]
    one, two = (CVAccuracy(tree, cv=3).bind(X, y, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.score(subsets), two.score(subsets))
    two.close()


@pytest.mark.parametrize(
    ("criterion", "params"),
    [
        (lambda: CVScore("line"), {"estimator": "line", "scoring": None, "cv": 10, "compiled": True}),
        (CVAccuracy, {"estimator": None, "cv": 10, "compiled": True}),
        (Bhattacharyya, {"ridge": 1e-8, "ddof": 1}),
        (Mahalanobis, {"ridge": 1e-8, "ddof": 1}),
        (GammaTest, {"p_max": 20, "cumulative": True, "continuous": False}),
        (
            RANNAccuracy,
            {"n_hidden": 20, "weights": "sobol", "scale": 1.0, "output_bias": False, "tol": 1e-8, "random_state": 0},
        ),
    ],
)
def test_defaults_and_identity(criterion, params):
    """The identity tells criteria apart, also those of equal parameters."""
    criterion = criterion()
    assert criterion.get_params() == params
    name, by = criterion.identity()
    assert name.startswith("fscore.criteria.")
    assert name.endswith(f".{type(criterion).__name__}")
    assert by == params


def test_an_estimator_stands_for_its_criterion():
    ready, forest = Mahalanobis(), as_criterion(DecisionTreeClassifier(max_depth=2), 4)
    assert as_criterion(ready) is ready
    assert (type(forest), forest.estimator.max_depth, forest.cv) == (CVAccuracy, 2, 4)
    line = as_criterion(LinearRegression(positive=True), 4)
    assert (type(line), line.estimator.positive, line.cv, line.scoring) == (CVScore, True, 4, None)
    assert as_criterion(LinearRegression()).cv == as_criterion(DecisionTreeClassifier()).cv == 10
    with pytest.raises(
        ValueError, match=r"^'knn' is not a classifier or regressor; pass one, or a criterion from fscore\.criteria\.$"
    ):
        as_criterion("knn")


def test_metadata_of_the_fit_and_the_score():
    """One value for each sample is cut into folds; anything else is passed on as it is."""
    X, y = load_iris(return_X_y=True)
    X, y, rows = X[::2], y[::2], StratifiedKFold(3)
    worth = np.random.default_rng(0).random(75)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    J = CVAccuracy(tree, cv=rows)
    params = {"fit": {"sample_weight": worth, "check_input": True, "extra": None}, "score": {"sample_weight": worth}}
    bound = J.bind(X, y, params=params)
    want = []
    for train, test in rows.split(X, y):
        model = tree.fit(X[train], y[train], sample_weight=worth[train])
        want.append(model.score(X[test], y[test], sample_weight=worth[test]))
    np.testing.assert_allclose(bound.score([(0, 1, 2, 3)]), [np.mean(want)], rtol=1e-14)
    np.testing.assert_allclose(bound.fold_scores((0, 1, 2, 3)), want, rtol=1e-14)
    plain = J.bind(X, y)
    assert joblib.hash(bound.context) != joblib.hash(plain.context)  # a cache keeps them apart
    assert joblib.hash(plain.context) != joblib.hash(CVAccuracy(tree, cv=4).bind(X, y).context)
    assert (plain.batch, plain.least) == (8, 1)


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [(KNeighborsClassifier(3), "accuracy"), (KNeighborsRegressor(3), "neg_mean_absolute_error")],
    ids=["classifier", "regressor"],
)
def test_a_cache_knows_the_values_of_nearest_neighbours_by_their_folds_and_weights(estimator, scoring):
    """Valued by compiled loops or by refitting."""
    X, y = load_iris(return_X_y=True)
    found = []
    for params in ({}, {"score": {"sample_weight": np.arange(1.0, 151)}}, {"score": {"sample_weight": np.ones(150)}}):
        quick, slow = (
            CVScore(estimator, scoring=scoring, cv=3, compiled=c).bind(X, y, params=params) for c in (True, False)
        )
        assert isinstance(quick, BoundKNN)
        assert isinstance(slow, BoundCV)
        quick, slow = joblib.hash(quick.context), joblib.hash(slow.context)
        assert quick == slow
        found.append(quick)
    assert len(set(found)) == 3


def test_data_reach_the_estimator_as_they_are():
    """Frames by column name, lists of strings; masked values are refused."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    frame = X.assign(kind=np.where(y == 0, "a", "b"))
    by_name = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
    J = CVAccuracy(make_pipeline(by_name, DecisionTreeClassifier(max_depth=1)), cv=3).bind(frame, y)
    assert J.score([(0, 4)]) > 0.6
    one_hot = CVAccuracy(make_pipeline(OneHotEncoder(), DecisionTreeClassifier(max_depth=1)), cv=3)
    strings = frame[["kind", "kind"]].to_numpy().tolist()
    want = cross_val_score(one_hot.estimator, np.array(strings), y, cv=3).mean()
    np.testing.assert_allclose(one_hot.bind(strings, y).score([(0,), (0, 1)]), [want, want], rtol=1e-14)
    masked = np.ma.masked_greater(X.to_numpy(), 7)
    for criterion in (one_hot, CVAccuracy()):
        with pytest.raises(ValueError, match="X has masked values, which would be used as if they were valid"):
            criterion.bind(masked, y)


def test_a_target_is_checked():
    X, _ = load_iris(return_X_y=True)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^Input y contains (NaN|infinity)"):
            CVScore(LinearRegression(), cv=3).bind(X, np.where(np.arange(150) == 3, bad, X[:, 0]))
    two = X[:, :2]
    want = cross_val_score(LinearRegression(), X[:, 2:], two, cv=3).mean()
    assert CVScore(LinearRegression(), cv=3).bind(X, two).score([(2, 3)])[0] == pytest.approx(want, rel=1e-12)


def test_three_neighbours_by_default_and_as_many_folds_as_the_largest_class():
    X, y = load_wine(return_X_y=True)
    assert CVAccuracy().resolved_estimator().n_neighbors == 3
    largest = CVAccuracy(cv=71)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of scikit-learn: other classes have fewer samples
        assert largest.bind(X, y).score([(0, 6)]) > 0.8


def test_subsets_in_lexicographic_order():
    assert list(lexicographic(0)) == []
    assert list(lexicographic(1)) == [(0,)]
    assert list(lexicographic(3)) == [(0,), (0, 1), (0, 1, 2), (0, 2), (1,), (1, 2), (2,)]
    assert n_shared([(0, 1, 2), (0, 1, 3), (0, 1), (2,), (2, 5, 6, 7), (2, 5, 6, 7, 8)]).tolist() == [0, 2, 2, 0, 1, 4]
    check_enumerable(25)
    with pytest.raises(ValueError, match=r"^26 features have"):
        check_enumerable(26)


def few_of(n_rows, n_columns=4):
    """Iris, of which only some rows and columns are taken."""
    X, y = load_iris(return_X_y=True)
    return X[:n_rows, :n_columns], y[:n_rows]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: CVAccuracy(KNeighborsClassifier(101), cv=2).bind(*few_of(150)),
            "n_neighbors=101 needs as many training samples, but split 0 trains on 75",
        ),
        (lambda: CVAccuracy(cv=51).bind(*few_of(150)), "cv=51 folds need a class with at least 51 samples"),
        (lambda: list_splits(b"ab", None, *few_of(150)), "cv=b'ab' holds bytes; give a number of folds"),
        (lambda: Bhattacharyya().bind(*few_of(101)), "class 2 has a single sample, so it has no covariance"),
        (lambda: _check_memory(1000, 499_500, 400), "1000 classes and 400 features need 4.5 GB for covariances and"),
        (lambda: CVScore("knn").bind(*few_of(150)), "'knn' is not a classifier or regressor; CVScore takes one"),
        (lambda: CVScore(LinearRegression(), scoring=[]).bind(*few_of(150)), "scoring=[] must list names"),
        (
            lambda: CVScore(LinearRegression(), scoring={2: "r2"}).bind(*few_of(150)),
            "scoring={2: 'r2'} must hold scorers by name.",
        ),
    ],
)
def test_refusals_are_one_sentence_with_the_remedy(call, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        call()


@pytest.mark.parametrize(
    ("criterion", "most"),
    [
        (GammaTest(2), 1e72),
        (CVAccuracy(KNeighborsClassifier(1), cv=2), 1e145),
    ],
    ids=str,
)
def test_squares_of_ranges_must_be_numbers(criterion, most):
    ready, column = np.array([-1.0, 0, 1, 2]), np.array([-0.5, -0.25, 0, 0.5])

    def bind(*columns):
        return criterion.bind(np.column_stack(columns), [0, 1, 0, 1])

    with np.errstate(all="raise", under="ignore"):
        bind(ready, column * most, column * 0).score([(0, 1), (1, 2)])
        bind(ready, column / most * 1.01).score([(1,)])
        with pytest.raises(
            ValueError, match=r"^Column 1 of X contains 1\.5e\+\d+, but .* requires .* Divide the column"
        ):
            bind(ready, column * most * 3)
        with pytest.raises(ValueError, match=r"^Column 1 of X has the range 5e-\d+, but .* Divide the column by 5e-"):
            bind(ready, column / most / 2)


@pytest.mark.parametrize("scale", [1e60, 1e-60])
def test_powers_beyond_the_limit_are_left_to_scikit_learn(scale):
    X, y = load_iris(return_X_y=True)
    X = X * [1, scale, 1, 1]
    quick, refitted = (CVAccuracy(KNeighborsClassifier(3, p=5), cv=3, compiled=c).bind(X, y) for c in (True, False))
    assert quick.score([(1, 2)]) == refitted.score([(1, 2)]) > 0.5


def test_unusable_data_get_one_sentence():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="only one class"):
        CVAccuracy().bind(X, np.zeros(150))
    with pytest.raises(ValueError, match="y holds no labels"):
        CVAccuracy().bind(X[:0], [])
    with pytest.raises(ValueError, match="NaN"):
        CVAccuracy().bind(np.where(X > 7, np.nan, X), y)
    with pytest.raises(ValueError, match=r"'ridge' parameter of Mahalanobis must be .* \[0\.0, inf\)\. Got -1 instead"):
        Mahalanobis(ridge=-1).bind(X, y)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (CVAccuracy(LinearRegression(), cv=3), r"^LinearRegression\(\) is not a classifier"),
        (CVAccuracy("knn"), "^'knn' is not a classifier; CVAccuracy takes one"),
        (CVAccuracy(cv="3"), r"^The 'cv' parameter of CVAccuracy must be .* Got '3' instead\."),
        (
            CVScore(KNeighborsClassifier(), scoring=3),
            r"^The 'scoring' parameter of CVScore .* Got 3 instead\.",
        ),
        (CVAccuracy(compiled="no"), r"^The 'compiled' parameter of CVAccuracy must be .* Got 'no' instead\."),
        (Bhattacharyya(ridge="a"), r"^The 'ridge' parameter of Bhattacharyya must be a float .* Got 'a' instead\."),
        (Mahalanobis(ridge=np.nan), r"^The 'ridge' parameter of Mahalanobis must be a float .* Got nan instead\."),
        (GammaTest(cumulative="no"), r"^The 'cumulative' parameter of GammaTest must be .* Got 'no' instead\."),
        (RANNAccuracy(n_hidden=0), r"^The 'n_hidden' parameter of RANNAccuracy must be an int .* Got 0 instead\."),
    ],
)
def test_parameters_are_checked_when_data_come(criterion, message):
    X, y = load_wine(return_X_y=True)
    for use in (
        criterion.bind,
        SFS(criterion, 1).fit,
        SFS(OrderVoting([criterion, criterion]), 1).fit,
        SFS(OrderVoting(main=criterion), 1).fit,
        SFS(Hybrid(criterion), 1).fit,
    ):
        with pytest.raises(ValueError, match=message):
            use(X, y)


EVERY_CRITERION = [
    GammaTest(p_max=5),
    RANNAccuracy(),
    CVAccuracy(),
    CVAccuracy(LogisticRegression()),
    Bhattacharyya(),
    Mahalanobis(),
]


@pytest.mark.parametrize("criterion", EVERY_CRITERION, ids=repr)
def test_columns_outside_the_data_are_refused(criterion):
    J = criterion.bind(*load_iris(return_X_y=True))
    for column in (4, -1, 10**9):
        message = rf"^column {column} is not in X, which has columns 0 to 3\.$"
        for subset in ((column,), tuple(sorted((0, column)))):
            with pytest.raises(ValueError, match=message):
                J.score([(0, 1), subset])
        for subset, tuples in (((), [(column,)]), ((1,), [(0,), (column,)]), ((column,), [(0,)])):
            with pytest.raises(ValueError, match=message):
                add(J, subset, tuples)
        with pytest.raises(ValueError, match=message):
            remove(J, tuple(sorted((0, 1, column))), [(0,)])
    with pytest.raises(ValueError, match=r"^one of the subsets is empty; give each at least one column\.$"):
        J.score([(0,), ()])


@pytest.mark.parametrize("criterion", EVERY_CRITERION, ids=repr)
def test_subsets_that_hold_no_column_numbers_are_refused(criterion):
    J = criterion.bind(*load_iris(return_X_y=True))
    for subsets in ([(0.7, 1)], [("a",)], [(np.nan,)], [np.array([True, False, True, False])]):
        with pytest.raises(ValueError, match="subsets must hold column numbers, not masks, names or fractions; got "):
            J.score(subsets)
    for subsets in ((0, 1), [(0,), 1]):
        with pytest.raises(TypeError, match=r"must be a list of tuples of columns, as \[\(0, 2\), \(1,\)\]\.$"):
            J.score(subsets)


@pytest.mark.parametrize(
    "criterion",
    [
        *EVERY_CRITERION,
        CVAccuracy(KNeighborsClassifier(metric="chebyshev")),
        CVAccuracy(SVC()),
        CVAccuracy(GaussianNB()),
    ],
    ids=repr,
)
def test_subsets_are_in_order_and_come_from_the_base(criterion):
    J = criterion.bind(*load_iris(return_X_y=True))
    for subset in ((1, 0), (1, 1)):
        message = r"^the columns of \(1, .\) are not in ascending order; write \((0, )?1,?\)\.$"
        with pytest.raises(ValueError, match=message):
            J.score([(0, 2), subset])
    for subset, adding, how in (((0, 1), True, "adding columns to"), ((0, 1, 3), False, "removing columns from")):
        for unrelated in (subset, (0, 2)):
            message = rf"^\({re.escape(str(unrelated)[1:])} does not come from {how} the base \(0, 1(, 3)?\); leave out"
            with pytest.raises(ValueError, match=message):
                J.score([unrelated], subset, adding)


@pytest.mark.parametrize("criterion", EVERY_CRITERION, ids=repr)
@pytest.mark.filterwarnings("error")
def test_no_subsets_have_no_values(criterion):
    J = criterion.bind(*load_iris(return_X_y=True))
    for values in (J.score([]), add(J, (0, 1), []), remove(J, (0, 1), [])):
        assert values.shape == (0,)


def test_many_classes_do_not_fill_the_memory():
    """4,950 pairs of classes, whose covariances alone would take 3.6 GB."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 4)
    X = rng.standard_normal((400, 300)) + 0.01 * y[:, None]
    tracemalloc.start()
    bound = Bhattacharyya().bind(X, y)
    values = bound.score([(3,), (3, 7)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * X.nbytes + 200e6
    few = X[:, [3, 7]]
    np.testing.assert_allclose(values, Bhattacharyya().bind(few, y).score([(0,), (0, 1)]), rtol=1e-12)
    with pytest.raises(ValueError, match=r"1000 classes and 400 features need 4\.\d GB .* merge classes or select"):
        Mahalanobis().bind(rng.standard_normal((2000, 400)), np.repeat(np.arange(1000), 2))


@pytest.mark.parametrize("criterion", [Bhattacharyya(), Mahalanobis()], ids=repr)
def test_neither_the_type_nor_the_layout_of_the_data_changes_a_digit(criterion):
    X, y = load_wine(return_X_y=True)
    single, subsets = X.astype(np.float32), [(0,), (1, 3), tuple(range(13))]
    want = criterion.bind(single.astype(np.float64), y).score(subsets)
    for data in (single, np.asfortranarray(single, dtype=np.float64), single.tolist()):
        np.testing.assert_array_equal(criterion.bind(data, y).score(subsets), want)


@pytest.mark.parametrize("n_jobs", [0, "2", 1.5])
@pytest.mark.parametrize("criterion", [CVAccuracy(), CVAccuracy(DecisionTreeClassifier()), GammaTest()])
def test_jobs_that_are_no_number_of_workers_are_refused(criterion, n_jobs):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=f"^n_jobs={n_jobs!r} must be a positive integer, -1 for all processors, or"):
        criterion.bind(X, y, n_jobs=n_jobs).score([(0,)])


@pytest.mark.parametrize("n_jobs", [10**6, -1, 2])
@pytest.mark.parametrize("criterion", [CVAccuracy(), CVAccuracy(compiled=False), GammaTest(5)], ids=repr)
def test_more_jobs_than_processors_are_not_started(criterion, n_jobs):
    X, y = load_wine(return_X_y=True)
    subsets = [(0,), (1, 2), (3, 4, 5)]
    bound = criterion.bind(X, y, n_jobs=n_jobs)
    values = bound.score(subsets)
    bound.close()
    np.testing.assert_array_equal(values, criterion.bind(X, y).score(subsets))


@pytest.mark.parametrize("criterion", [CVAccuracy(), Bhattacharyya(), Mahalanobis(), GammaTest(), RANNAccuracy()])
@pytest.mark.parametrize("n", [176, 180])
def test_bind_refuses_samples_and_labels_of_different_number(criterion, n):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=f"^X has 178 samples, but y has {n}; give one target value per sample"):
        criterion.bind(X, np.resize(y, n))
    with pytest.raises(ValueError, match="X has 0 samples, but y has 178;"):
        criterion.bind([], y)


@pytest.mark.parametrize("criterion", [CVAccuracy(), Bhattacharyya(), GammaTest(), RANNAccuracy()])
def test_labels_of_mixed_type_are_refused(criterion):
    X, y = load_wine(return_X_y=True)
    mixed = np.array([*y[:-1], "two"], dtype=object)
    mixed[:-1] = y[:-1]
    for labels in (mixed, mixed.tolist()):
        with pytest.raises((ValueError, TypeError), match=r"labels of different types \(int, str\)"):
            criterion.bind(X, labels)
        with pytest.raises((ValueError, TypeError), match=r"labels of different types \(int, str\)"):
            SFS(criterion, 2).fit(X, labels)


HALVES = np.array_split(np.arange(178), 2)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ("5", "'cv' parameter of CVAccuracy must be .* Got '5'"),
        (1, r"'cv' parameter of CVAccuracy must be an int in the range \[2, inf\), .* Got 1"),
        (True, "'cv' parameter of CVAccuracy must be .* Got True"),
        ([1, 2], r"cv holds 1; .* pairs \(train, test\)"),
        ([(HALVES[0],)], r"cv holds .* pairs \(train, test\)"),
        ([(HALVES[0], HALVES[1] + 100)], "split 0 .* row 189, but X has 178"),
        ([(HALVES[0], HALVES[1]), (HALVES[0] - 1, HALVES[1])], "split 1 .* row -1, but X has 178"),
        ([(HALVES[0], [])], "split 0 .* no test samples"),
        ([([], HALVES[1])], "split 0 .* no training samples"),
        ([(HALVES[0] + 0.5, HALVES[1])], "split 0 .* row numbers or masks"),
        ([(np.ones(5, bool), HALVES[1])], "split 0 .* mask of 5 rows, but X has 178"),
    ],
)
@pytest.mark.parametrize("compiled", [True, False])
def test_malformed_cv_gets_one_sentence(cv, message, compiled):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        CVAccuracy(cv=cv, compiled=compiled).bind(X, y)


@pytest.mark.parametrize(("criterion", "direct"), GAUSSIAN)
def test_ddof_against_the_formula(criterion, direct):
    X, y = load_wine(return_X_y=True)
    value = criterion(ridge=0, ddof=0).bind(X, y).score([(0, 2, 3)])
    np.testing.assert_allclose(value, direct(X, y, (0, 2, 3), 0, ddof=0), rtol=1e-9)


def test_ddof_is_one_by_default_and_zero_or_one():
    X, y = load_wine(return_X_y=True)
    default, zero, one = (
        Bhattacharyya(**options).bind(X, y).score([(0, 1, 2)]) for options in ({}, {"ddof": 0}, {"ddof": 1})
    )
    assert default == one != zero
    with pytest.raises(ValueError, match=r"'ddof' parameter of Mahalanobis must be .* among \{0, 1\}"):
        Mahalanobis(ddof=2).bind(X, y)


@pytest.mark.parametrize("criterion", [Bhattacharyya(), Mahalanobis()], ids=repr)
@pytest.mark.parametrize("exponent", [-600, -900, 500, 1000])
def test_gaussian_criteria_do_not_depend_on_an_extreme_scale(criterion, exponent):
    X, y = load_wine(return_X_y=True)
    subsets = [(0,), (0, 6), (0, 6, 9)]
    want = criterion.bind(X, y).score(subsets)
    np.testing.assert_array_equal(criterion.bind(np.ldexp(X, exponent), y).score(subsets), want)
    X[:, 6] = np.ldexp(X[:, 6], exponent)
    np.testing.assert_array_equal(criterion.bind(X, y).score(subsets), want)


@pytest.mark.parametrize("criterion", [CVAccuracy(), OrderVoting(), GammaTest()], ids=repr)
def test_criteria_by_distances_refuse_an_extreme_scale(criterion):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=r"requires absolute values up to .* to avoid overflow"):
        SFS(criterion, 1).fit(X * 1e160, y)
    X[:, 6] *= 1e-165
    with pytest.raises(ValueError, match=r"Column 6 of X has the range .*e-165, but .* to avoid underflow"):
        SFS(criterion, 1).fit(X, y)


def test_a_fold_that_lacks_a_class_is_named():
    X, y = load_iris(return_X_y=True)
    tests = [np.arange(0, 150, 5), np.arange(51, 150, 5)]
    splits = [(np.setdiff1d(np.arange(150), test), test) for test in tests]
    J = CVScore(GaussianNB(), scoring="neg_log_loss", cv=splits).bind(X, y)
    with pytest.raises(ValueError, match=r"^the test samples of split 1 hold no sample of the class 0, without which"):
        J.score([(0, 1)])
    turned = CVScore(GaussianNB(), scoring="neg_log_loss", cv=[(tests[1], tests[0])]).bind(X, y)
    with pytest.raises(ValueError, match=r"^the training samples of split 0 hold no sample of the class 0, without"):
        turned.score([(0, 1)])


def test_scores_may_be_any_numbers():
    X, y = load_iris(return_X_y=True)
    J = CVScore(GaussianNB(), scoring=lambda model, X, y: Fraction(1, 4), cv=3).bind(X, y)
    assert J.score([(0,), (1, 2)]).tolist() == [0.25, 0.25]


def test_a_class_in_place_of_a_splitter_is_refused():
    with pytest.raises(ValueError, match=r"^cv=LeaveOneOut is a class; give an object of it, as LeaveOneOut\(\)\.$"):
        CVAccuracy(cv=LeaveOneOut).bind(*load_iris(return_X_y=True))


def test_accuracy_needs_no_name():
    X, y = load_wine(return_X_y=True)
    for estimator in (GaussianNB(), KNeighborsClassifier(3), SVC(), make_pipeline(StandardScaler(), GaussianNB())):
        unnamed, named = (CVScore(estimator, scoring=s, cv=3).bind(X, y) for s in (None, "accuracy"))
        assert type(unnamed) is type(named) is not BoundCV
        np.testing.assert_array_equal(unnamed.score([(0,), (1, 5)]), named.score([(0,), (1, 5)]))

    class Own(GaussianNB):
        def score(self, X, y):
            return 0.5

    for own in (Own(), make_pipeline(Own())):
        assert CVScore(own, cv=3).bind(X, y).score([(0,)]) == 0.5
