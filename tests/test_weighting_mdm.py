"""MDM against hand-computed cases, other solvers, and the properties stated in the paper."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning

from fscore.weighting import MDM, mdm_path
from fscore.weighting.mdm import _sample

LOADERS = {"iris": load_iris, "wine": load_wine, "wdbc": load_breast_cancer}


def load(name, n_samples=None):
    X, y = LOADERS[name](return_X_y=True)
    if n_samples is not None:
        chosen = np.random.default_rng(0).permutation(len(X))[:n_samples]
        X, y = X[chosen], y[chosen]
    return X, y


def squared_distances(X, weights):
    return squareform(pdist(X * np.sqrt(weights), "sqeuclidean"))


def extreme_distances(X, y, weights):
    """Each sample's distances to the farthest sample of its class and the nearest of another class."""
    d, same = squared_distances(X, weights), y[:, None] == y
    return np.where(same, d, 0).max(axis=1), np.where(same, np.inf, d).min(axis=1)


def mean_of_worst(farthest, C):
    """Eq. (14) with the best radius, for given distances to the farthest sample of the same class."""
    farthest = np.sort(farthest)[::-1]
    r = farthest[int(np.ceil(1 / C - 1e-9)) - 1]
    return r + C * np.maximum(farthest - r, 0).sum()


# --- by hand ---------------------------------------------------------------------------------------------------------


def as_printed(X, y, C=None):
    """f, A, b of eqs. (9)-(11), and of the soft program, with a loop over all ordered pairs."""
    n, d = X.shape
    X = X / np.ptp(X, axis=0)
    rows, b = [], []
    for i in range(n):
        for j in range(n):
            z, unit = (X[i] - X[j]) ** 2, np.eye(n)[i]
            rows.append(np.r_[-z, 0, 0 * unit] if y[i] != y[j] else np.r_[z, -1, -unit])
            b.append(-1 if y[i] != y[j] else 0)
    f = np.r_[np.zeros(d), 1, np.full(n, 0 if C is None else C)]
    A = np.array(rows)
    return (f[: d + 1], A[:, : d + 1], np.array(b)) if C is None else (f, A, np.array(b))


def test_two_features_by_hand():
    # Squared differences by feature: same class (4, 0) and (0, 1); other class (1, 9), (9, 9), (1, 4), (9, 4).
    # min max(4a, b) with a + 4b >= 1: at 4a = b, a = 1/17, b = 4/17, r = 4/17.
    X = np.array([[0.0, 0], [2, 0], [3, 3], [3, 2]])
    mdm = MDM().fit(X, [0, 0, 1, 1])
    d = squared_distances(X, mdm.weights_)
    a, b = mdm.weights_
    assert_allclose(a, 1 / 17, rtol=1e-9)
    assert_allclose(b, 4 / 17, rtol=1e-9)
    assert_allclose(mdm.r_, 4 / 17, rtol=1e-9)
    assert_allclose(d[:2, 2:].min(), 1)


# --- against other solvers -------------------------------------------------------------------------------------------


def test_soft_radius_by_hand():
    # One feature: the nearest samples of different classes give w = 1; f are the largest same-class distances.
    X, y = np.array([[0.0], [1], [10], [11], [12]]), [0, 0, 0, 1, 1]
    f = np.array([100.0, 81, 100, 1, 1])
    for nu, rank in [(0.2, 1), (0.4, 2), (0.6, 3), (0.8, 4), (1.0, 5)]:
        mdm = MDM(nu=nu).fit(X, y)
        worst = np.sort(f)[::-1][:rank]
        assert_allclose(mdm.r_, worst[-1])
        assert_allclose(mdm.slacks_, np.maximum(f - worst[-1], 0))
        assert_allclose(mdm.objective_, worst.mean())


@pytest.mark.parametrize(
    ("name", "C"),
    [
        *(("iris", C) for C in (None, 0.3, 0.05, 1 / 40)),
        *(("wine", None), ("wine", 0.05), ("wdbc", None), ("wdbc", 0.3)),
        *(("more features than samples", None), ("more features than samples", 0.3)),
        *(("many features", None), ("many features", 0.05)),
    ],
)
def test_against_linprog_on_the_printed_rows(name, C):
    X, y = PATHS[name]() if name in PATHS else load(name)
    X, y = X[:: max(1, len(X) // 40)], y[:: max(1, len(X) // 40)]
    f, A, b = as_printed(X, y, C)
    peer = linprog(f, A, b, method="highs-ds")
    assert peer.status == 0
    for solver, used in ("constraints", "constraint generation"), ("full", "full program"):
        mdm = MDM(C=C, solver=solver).fit(X, y)
        assert_allclose(mdm.objective_, peer.fun, rtol=1e-7)
        assert mdm.duality_gap_ < 1e-7
        assert (mdm.n_constraints_.used == mdm.n_constraints_.full) == (solver == "full")
        assert mdm.solver_ == used


def test_simplex_recovers_from_a_bad_starting_basis():
    """From the warm-start basis HiGHS ends here without an optimum: it cannot remove its perturbation of the costs."""
    rng = np.random.default_rng(85)
    X, y = np.round(rng.normal(size=(28, 400))), rng.integers(0, 3, size=28)
    nus = [0.15, 0.35, 0.5, 0.7, 1.0]
    for weights, nu in list(zip(mdm_path(X, y, nus), nus, strict=True))[1::2]:
        single = MDM(nu=nu).fit(X, y)
        farthest, nearest = extreme_distances(X, y, weights)
        assert nearest.min() == pytest.approx(1, rel=1e-9)
        assert mean_of_worst(farthest, single.C_) == pytest.approx(single.objective_, rel=2e-9)


@pytest.mark.parametrize("C", [None, 1.0])
def test_classes_of_one_sample_have_no_pairs_to_keep_together(C):
    X, y = [[0.0, 0.0], [1.0, 2.0]], [0, 1]
    full, rows = (MDM(C, solver=solver).fit(X, y) for solver in ("full", "constraints"))
    assert (full.r_, rows.r_, full.n_constraints_.full) == (0, 0, 1)
    assert_array_equal(full.weights_, rows.weights_)


# --- what holds at an optimum ----------------------------------------------------------------------------------------


@st.composite
def labelled_samples(draw):
    n, d = draw(st.integers(4, 25)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    y = rng.integers(draw(st.integers(2, 3)), size=n)
    y[:2] = 0, 1
    return rng.normal(size=(n, d)) + 0.5 * y[:, None] * (rng.random(d) < 0.5), y


@given(labelled_samples(), st.sampled_from([None, 1.0, 0.5, 0.2]))
@settings(max_examples=40, deadline=None)
def test_all_pairs_are_feasible_and_the_objective_is_certify(sample, nu):
    X, y = sample
    mdm = MDM(nu=nu).fit(X, y)
    d, same = squared_distances(X, mdm.weights_), y[:, None] == y
    assert d[~same].min() == pytest.approx(1, rel=1e-9)
    allowed = mdm.r_ + mdm.slacks_[:, None]
    assert np.all((d <= allowed * (1 + 1e-9) + 1e-12) | ~same)
    assert np.all(mdm.weights_ >= 0)
    assert np.all(mdm.slacks_ >= 0)
    assert_allclose(mdm.objective_, mdm.r_ + (mdm.slacks_.sum() * mdm.C_ if nu else 0))
    assert mdm.duality_gap_ < 1e-7
    assert np.mean(mdm.slacks_ > 1e-9) <= (nu or 0) + 1e-12  # nu bounds the share of samples with slack


@pytest.mark.parametrize("data", ["iris", "more features than samples", "many features"])
def test_C_over_one_half_is_hard_and_certified(data):
    X, y = PATHS[data]()
    hard = MDM().fit(X, y)
    for estimator in MDM(C=0.51), MDM(C=1e6), MDM(C=5e8), MDM(C=1e12), MDM(nu=1e-12):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            soft = estimator.fit(X, y)
        assert_allclose(soft.C_, estimator.C or 1e12 / len(X))
        assert soft.objective_ == soft.r_ == hard.r_
        assert_array_equal(soft.weights_, hard.weights_)
        assert_array_equal(soft.slacks_, 0)
        assert soft.duality_gap_ == hard.duality_gap_ < 1e-7
        assert soft.n_constraints_ == hard.n_constraints_
    path = mdm_path(X, y, [1e-10, 1e-3, 0.5])
    for weights, single in zip(path, (hard, hard, MDM(nu=0.5).fit(X, y)), strict=True):
        assert_allclose(weights, single.weights_, atol=1e-6 * single.weights_.max())


def test_C_of_one_half_allows_slack_but_has_the_hard_objective():
    X, y = load("iris")  # a pair that is too far apart takes slack from both its samples, at half of the cost of r each
    half, hard = MDM(C=0.5).fit(X, y), MDM().fit(X, y)
    assert half.objective_ == pytest.approx(hard.objective_, rel=1e-9)
    assert half.n_constraints_.full > hard.n_constraints_.full


PATHS = {
    "iris": lambda: load("iris"),
    "wdbc": lambda: load("wdbc"),
    "more features than samples": lambda: make_classification(40, 70, n_informative=6, class_sep=0.5, random_state=0),
    "many features": lambda: make_classification(24, 301, n_informative=5, random_state=1),
}


@pytest.mark.parametrize("data", PATHS)
def test_path_has_the_weights_of_single_fits(data):
    X, y = PATHS[data]()
    nus = [0.9, 0.05, 0.3, 0.9, 0.5]
    path = mdm_path(X, y, nus)
    for weights, nu in zip(path, nus, strict=True):
        mdm = MDM(nu=nu).fit(X, y)
        farthest, nearest = extreme_distances(X, y, weights)
        assert mdm.duality_gap_ < 1e-9
        assert_allclose(mean_of_worst(farthest, mdm.C_), mdm.objective_, rtol=2e-9)
        assert nearest.min() == pytest.approx(1, rel=1e-9)
        assert_allclose(weights, mdm.weights_, atol=1e-6 * mdm.weights_.max())


def test_blocks_of_distances_do_not_matter(monkeypatch):
    X, y = load("wine")
    whole = MDM(nu=0.2).fit(X, y)
    monkeypatch.setattr(_sample, "BLOCK", 7)
    assert_array_equal(MDM(nu=0.2).fit(X, y).weights_, whole.weights_)


# --- corners ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nu", [None, 0.3])
@pytest.mark.parametrize(("n", "d"), [(2, 2), (20, 2), (20, 400)])
def test_a_class_constant_feature_needs_no_radius(n, d, nu):
    X, y = np.random.default_rng(0).random((n, d)), np.repeat([0, 1], n // 2)
    X[:, 1] = 2 * y
    X[:, 0] = 5 if n == 2 else X[:, 0]
    mdm = MDM(nu=nu).fit(X, y)
    assert_allclose(mdm.weights_, 0.25 * (np.arange(d) == 1), atol=0)
    assert mdm.r_ == mdm.objective_ == 0
    assert mdm.duality_gap_ == 0


def test_an_unreachable_tolerance_ends_where_precision_ends():
    X, y = load("iris")
    best = MDM(nu=0.2, tol=1e-300).fit(X, y)
    assert_allclose(best.objective_, MDM(nu=0.2).fit(X, y).objective_, rtol=1e-8)


def test_constant_features_and_repeated_points_are_harmless():
    X, y = load("iris")
    _, first = np.unique(np.column_stack([X, y]), axis=0, return_index=True)
    base = MDM().fit(X[first], y[first])
    padded = np.column_stack([np.full(len(X), 7.0), X])
    mdm = MDM().fit(np.vstack([padded, padded]), np.r_[y, y])
    assert mdm.weights_[0] == mdm.feature_importances_[0] == 0
    assert_allclose(mdm.weights_[1:], base.weights_, rtol=1e-7)


@pytest.mark.parametrize("solver", ["constraints", "full"])
def test_identical_samples_of_two_classes(solver):
    assert MDM(duplicates="drop").fit([[0], [0], [1], [2]], [0, 1, 0, 1]).dropped_pairs_.tolist() == [[0, 1]]
    for duplicates, message in (("drop", "All 4 rows of X are identical"), ("error", "Rows 0 and 1 are identical")):
        with pytest.raises(ValueError, match=message):
            MDM(duplicates=duplicates, solver=solver).fit(np.ones((4, 2)), [0, 1, 0, 1])
    X, y = load("iris")
    X, y = np.vstack([X, X[[3, 70]], X[[3]]]), np.r_[y, 1, 2, 0]
    with pytest.raises(ValueError, match="Rows 3 and 150 are identical but carry different labels; no weights"):
        MDM(solver=solver).fit(X, y)
    for nu in None, 0.2:
        mdm = MDM(nu=nu, solver=solver, duplicates="drop").fit(X, y)
        assert mdm.dropped_pairs_.tolist() == [[3, 150], [70, 151], [150, 152]]
        assert mdm.duality_gap_ < 1e-7
        apart = squared_distances(X, mdm.weights_)[(y[:, None] != y) & (squareform(pdist(X)) > 0)]
        assert apart.min() == pytest.approx(1)


def test_samples_close_to_each_other():
    """Near duplicates are no duplicates; those too close for the solver are refused."""
    X = np.array([[0.0, 0], [1, 1], [1e-7, 1e-7], [3, 1]])
    mdm = MDM().fit(X, [0, 0, 1, 1])
    assert squared_distances(X, mdm.weights_)[0, 2] == pytest.approx(1)
    assert mdm.duality_gap_ < 1e-6
    X = np.array([[0.0, 1e-12], [0, 0], [1e-70, 0], [1e-12, 0]])
    with pytest.raises(
        ValueError, match=r"Rows 1 and 2 have different labels, but differ by at most 1.0e-58 in units of"
    ):
        MDM(nu=0.2, solver="full").fit(X, [0, 1, 0, 1])
    X = np.array([[1.0, 0], [0, 1], [1e-308, 0], [0, 0]])  # the square of the difference is zero
    for fit in MDM().fit, MDM(nu=0.2).fit, lambda X, y: mdm_path(X, y, [0.2]):
        with pytest.raises(ValueError, match=r"Rows 2 and 3 have different labels, but differ by at most 1.0e-308"):
            fit(X, [0, 1, 0, 1])


def test_a_small_C():
    X, y = load("iris")
    with pytest.warns(UserWarning, match=r"below 1/n_samples=0.00667: r is zero.*Choose nu"):
        low = MDM(C=0.001).fit(X, y)
    assert low.r_ == 0
    assert_allclose(low.objective_ / 0.001, MDM(nu=1).fit(X, y).objective_ * 150, rtol=1e-7)


def test_a_loose_tolerance_gives_a_warning():
    X, y = load("wdbc", 200)
    with pytest.warns(ConvergenceWarning, match="may exceed the optimum by a fraction of .*: tol=0.5 allows it"):
        loose = MDM(nu=0.5, tol=0.5).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="may exceed the optimum by a fraction of"):
        assert_array_equal(mdm_path(X, y, [0.5], tol=0.5)[0], loose.weights_)
    exact = MDM(nu=0.5).fit(X, y)
    assert exact.objective_ < loose.objective_
    assert (loose.objective_ - exact.objective_) / loose.objective_ <= loose.duality_gap_
