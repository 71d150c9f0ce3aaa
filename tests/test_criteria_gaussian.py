"""Bhattacharyya and Mahalanobis distances: the direct formula, closed forms, branch and bound, extreme data."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from criteria_steps import add, remove
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from fscore.criteria import Bhattacharyya, Mahalanobis
from fscore.search import SBFS, SFFS, BranchAndBound, ExhaustiveSearch

CRITERIA = [Bhattacharyya, Mahalanobis]


def direct(criterion, X, y, subset, ridge=1e-8, ddof=1):
    """The mean of the pairs of classes, weighted by the product of their sizes."""
    Z = ((X - X.mean(axis=0)) / X.std(axis=0))[:, list(subset)]
    classes, counts = np.unique(y, return_counts=True)
    unit = np.eye(len(subset))
    own = [np.cov(Z[y == c].T, ddof=ddof).reshape(unit.shape) for c in classes]
    pooled = np.average(own, axis=0, weights=counts) + ridge * unit
    values, weights = [], []
    for a, b in combinations(range(len(classes)), 2):
        A, B = own[a] + ridge * unit, own[b] + ridge * unit
        m = Z[y == classes[a]].mean(axis=0) - Z[y == classes[b]].mean(axis=0)
        if criterion is Mahalanobis:
            values.append(m @ np.linalg.solve(pooled, m))
        else:
            logs = [np.linalg.slogdet(M)[1] for M in ((A + B) / 2, A, B)]
            values.append(m @ np.linalg.solve((A + B) / 2, m) / 8 + (logs[0] - (logs[1] + logs[2]) / 2) / 2)
        weights.append(counts[a] * counts[b])
    return np.average(values, weights=weights)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("load", "n_steps"), [(load_iris, 20), (load_wine, 60), (load_breast_cancer, 200)])
def test_random_walk_of_additions_and_removals_stays_exact(criterion, load, n_steps):
    """Of one or two columns; and a list of subsets has the same values, to the last bit, in any order and company."""
    X, y = load(return_X_y=True)
    J = criterion().bind(X, y)
    rng = np.random.default_rng(0)
    subset, met = (0,), {}
    for _ in range(n_steps):
        others = [f for f in range(X.shape[1]) if f not in subset]
        adding = len(subset) < 3 or (len(others) > 1 and rng.random() < 0.5)
        tuples = [(f,) for f in (others if adding else subset)]
        tuples += [tuple(sorted(c for t in tuples[:2] for c in t))]
        values = add(J, subset, tuples) if adding else remove(J, subset, tuples)
        chosen = int(rng.integers(len(tuples)))
        subset = tuple(sorted({*subset} ^ {*tuples[chosen]}))
        met[subset] = values[chosen]
        np.testing.assert_allclose(values[chosen], direct(criterion, X, y, subset), rtol=1e-9)
    plain = criterion(ridge=0, ddof=0).bind(X, y).score([(0, 2, 3)])
    np.testing.assert_allclose(plain, direct(criterion, X, y, (0, 2, 3), 0, ddof=0), rtol=1e-9)
    walk = list(met)
    np.testing.assert_array_equal(J.score(walk), list(met.values()))
    np.testing.assert_array_equal(J.score(walk), [J.score([s])[0] for s in walk])
    np.testing.assert_array_equal(J.score(walk[::-1]), J.score(walk)[::-1])


@pytest.mark.parametrize("criterion", CRITERIA)
def test_steps_of_a_large_set(criterion):
    """From more than 100 columns, one column or a group of them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 100)
    X = rng.normal(size=(300, 120)) @ rng.normal(size=(120, 120)) + y[:, None] * rng.normal(size=120)
    J = criterion(ridge=1e-3).bind(X, y)
    base = tuple(rng.permutation(120)[:105].tolist())
    others = [c for c in range(120) if c not in base]
    for change, tuples, left in (
        (add, [(others[0],), (others[3],), tuple(others[4:9])], {*base}.union),
        (remove, [(base[0],), (base[50],), base[4:9]], {*base}.difference),
    ):
        subsets = [tuple(sorted(left(t))) for t in tuples]
        want = [direct(criterion, X, y, subset, 1e-3) for subset in subsets]
        np.testing.assert_allclose(change(J, tuple(sorted(base)), tuples), want, rtol=1e-9)


def test_branch_and_bound_of_very_many_columns_keeps_no_stack_of_all_levels():
    X, y = np.random.default_rng(0).normal(size=(60, 800)), np.arange(60) % 2
    J = Mahalanobis(ridge=1e-3).bind(X, y)
    assert J.branch_and_bound(tuple(range(800)), list(range(800)), 700, 0.0) is None
    walk = J.branch_and_bound((0, 1, 2, 3), [0, 1, 2, 3], 2, np.inf)
    walk.run(100)
    assert walk.done
    assert walk.removed is None, "nothing is better than infinity"


@pytest.mark.parametrize("criterion", CRITERIA)
def test_branch_and_bound_finds_the_best_removals(criterion):
    """Down-dates from the full set of raw WDBC, whose covariances are ill-conditioned."""
    X, y = load_breast_cancer(return_X_y=True)
    fixed = [c for c in range(30) if c not in (7, 29, 0, 20, 13, 4)]
    found, best = (search(criterion(), 27, fixed=fixed).fit(X, y) for search in (BranchAndBound, ExhaustiveSearch))
    np.testing.assert_array_equal(found.support_, best.support_)


@pytest.mark.parametrize("criterion", CRITERIA)
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


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("exponent", [-900, 500, 1000])
def test_neither_scale_nor_type_nor_layout_changes_a_digit(criterion, exponent):
    X, y = load_wine(return_X_y=True)
    X = X.astype(np.float32).astype(np.float64)
    subsets = [(0,), (0, 6), (0, 6, 9)]
    want = criterion().bind(X, y).score(subsets)
    one = X.copy()
    one[:, 6] = np.ldexp(X[:, 6], exponent)
    for data in (X.astype(np.float32), np.asfortranarray(X), X.tolist(), np.ldexp(X, exponent), one):
        np.testing.assert_array_equal(criterion().bind(data, y).score(subsets), want)


def test_constant_and_duplicate_columns():
    """A constant is worth nothing, a copy is survived; without a ridge both are refused in every step."""
    X, y = load_iris(return_X_y=True)
    Z = np.column_stack([X, np.ones(150), X[:, 2]])
    J = Bhattacharyya().bind(Z, y)
    values = add(J, (0, 2), [(4,), (5,)])
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values[0], J.score([(0, 2)])[0], rtol=1e-9)
    J = Bhattacharyya(ridge=0).bind(Z, y)
    for step, subset, tuples in (
        (add, (0,), [(4,)]),
        (add, (0,), [(1, 4)]),
        (add, (4,), [(0,)]),
        (remove, (0, 4), [(0,)]),
    ):
        with pytest.raises(ValueError, match=r"^the covariance over \d features is singular; raise ridge, or drop"):
            step(J, subset, tuples)


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
    with pytest.raises(ValueError, match="class 2 has a single sample, so it has no covariance"):
        Bhattacharyya().bind(X[:5], [0, 0, 1, 1, 2])
