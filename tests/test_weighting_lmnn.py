"""LMNN and LMBA against hand computation, brute force, finite differences, and full (semidefinite) programs."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

from fscore.kernels.weighting import lmba_pass
from fscore.weighting import LMBA, LMNN, DiagonalLMNN
from fscore.weighting import lmnn as module
from fscore.weighting._targets import loss_and_gradient, target_neighbors


def overlapping(n=40, d=3, seed=0, n_classes=2):
    return make_classification(
        n, d, n_informative=d, n_redundant=0, n_classes=n_classes, n_clusters_per_class=1, class_sep=0.7,
        random_state=seed,
    )  # fmt: skip


def squares(X):
    """(x_i - x_j)^2 for all pairs, shape (n, n, d): for small samples only."""
    return (X[:, None] - X) ** 2


def plain_loss(Z, y, k, pull, push, only=None, space=None):
    """The loss as a triple sum, targets chosen in ``space``."""
    D = squares(Z).sum(axis=2)
    E = squares(Z if space is None else space).sum(axis=2)
    loss = 0.0
    for i in range(len(Z)) if only is None else only:
        neighbors = [j for j in np.argsort(E[i], kind="stable") if y[j] == y[i] and j != i][:k]
        for j in neighbors:
            loss += pull * D[i, j] + push * sum(max(0.0, 1 + D[i, j] - D[i, l]) for l in np.flatnonzero(y != y[i]))
    return loss


@pytest.mark.parametrize("rounding", [1.0, 0.01, 0.0])
@pytest.mark.parametrize("n", [40, 300])  # within one block, and over two
def test_gradient_by_finite_differences(n, rounding):
    X, y = overlapping(n, n_classes=3)
    pairs, h = (
        target_neighbors(X, y, 3),
        1e-6 if rounding else 1e-7,
    )  # hinges that bend within h make the difference inexact
    L = np.random.default_rng(2).normal(size=(3, 3))

    def loss(M):
        return loss_and_gradient(X @ M.T, y, pairs, 0.3, 0.7, rounding)[0]

    gradient = loss_and_gradient(X @ L.T, y, pairs, 0.3, 0.7, rounding)[1].T @ X
    difference = np.empty_like(L)
    for index in np.ndindex(L.shape):
        step = np.zeros_like(L)
        step[index] = h
        difference[index] = (loss(L + step) - loss(L - step)) / (2 * h)
    assert_allclose(difference, gradient, atol=1e-6 * np.linalg.norm(gradient), rtol=0)


@pytest.mark.parametrize("lmnn", [DiagonalLMNN(1), LMNN(n_neighbors=1)], ids=str)
def test_by_hand(lmnn):
    # c = 1 + 1 + 4 + 4; z = 8, 24 | 3, 15 | 5, 0 | 21, 12. The minimum of 10 w + sum [1 - z w]_+ is where the z of the
    # remaining hinges first sum to less than 10: at w = 1/8, where 3 and 5 remain.
    lmnn.fit([[0.0], [1.0], [3.0], [5.0]], [0, 0, 1, 1])
    of_weight, of_objective = (1e-12, 1e-12) if isinstance(lmnn, DiagonalLMNN) else (1e-4, 1e-6)
    assert lmnn.weights_[0] == pytest.approx(1 / 8, rel=of_weight)
    assert lmnn.objective_ == pytest.approx((10 / 8 + (1 - 3 / 8) + (1 - 5 / 8) + 1) / 2, rel=of_objective)


@pytest.mark.parametrize(("load", "mu"), [(load_iris, 0.2), (load_wine, 0.5), (load_iris, 0.9)])
def test_diagonal_against_the_full_program(load, mu, monkeypatch):
    cp = pytest.importorskip("cvxpy")  # not there for every Python

    X, y = load(return_X_y=True)
    X, y = ((X - X.mean(axis=0)) / X.std(axis=0))[::2], y[::2]
    pairs = target_neighbors(X, y, 2)
    S = (X[pairs.anchors] - X[pairs.targets]) ** 2
    Z = np.concatenate([(X[i] - X[y != y[i]]) ** 2 - s for i, s in zip(pairs.anchors, S, strict=True)])
    w = cp.Variable(X.shape[1], nonneg=True)
    program = cp.Problem(cp.Minimize((1 - mu) * S.sum(axis=0) @ w + mu * cp.sum(cp.pos(1 - Z @ w))))
    program.solve(solver=cp.HIGHS)
    for undecided in None, 1, 40:  # triples of a program that begins near its optimum
        if undecided is not None:
            monkeypatch.setattr(module, "MANY", 0)
            monkeypatch.setattr(module, "UNDECIDED", undecided)
        lmnn = DiagonalLMNN(2, mu=mu).fit(X, y)
        assert lmnn.objective_ == pytest.approx(plain_loss(lmnn.transform(X), y, 2, 1 - mu, mu, space=X), rel=1e-10)
        assert lmnn.duality_gap_ < 1e-9
        assert lmnn.n_triples_ < len(Z)
        assert lmnn.objective_ == pytest.approx(program.value, rel=1e-7)
        assert_allclose(lmnn.weights_, w.value, atol=1e-6 * w.value.max())


@pytest.mark.filterwarnings("ignore:Samples of the smallest class")
def test_a_feature_in_which_no_targets_differ_gets_the_weight_that_its_impostors_need():
    # The targets are samples 0 and 3; only the second feature tells sample 2 from sample 0, and it costs nothing.
    lmnn = DiagonalLMNN(1).fit([[2, 1], [1, 1], [1, 2], [0, 1]], [0, 1, 2, 0])
    assert lmnn.objective_ == 1
    assert lmnn.weights_[0] == 0
    assert lmnn.weights_[1] >= 1
    assert lmnn.duality_gap_ == 0


@pytest.mark.parametrize("seed", range(10))
def test_classes_that_a_feature_separates_without_cost_give_no_warning(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lmnn = DiagonalLMNN().fit(np.column_stack([rng.normal(size=(30, 2)), y]), y)
    assert lmnn.objective_ < 1e-10  # of several thousand triples
    assert lmnn.duality_gap_ < 1e-9


@pytest.mark.parametrize("factor", [0.0, 0.01, 100.0])
def test_weights_far_from_the_optimum_only_cost_rounds(factor, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    expected = DiagonalLMNN(2).fit(X, y)
    monkeypatch.setattr(module, "MANY", 0)
    monkeypatch.setattr(module, "UNDECIDED", 3)
    nearby = module.smoothed_optimum
    monkeypatch.setattr(module, "smoothed_optimum", lambda *arguments: factor * nearby(*arguments))
    fitted = DiagonalLMNN(2).fit(X, y)
    assert fitted.n_iter_ > 1
    assert_allclose(fitted.weights_, expected.weights_, rtol=1e-9)
    assert fitted.duality_gap_ < 1e-9


def test_where_classes_overlap_most_triples_stay_out_of_the_program():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(450, 5)), rng.integers(0, 2, 450)
    lmnn = DiagonalLMNN().fit(X, y)
    assert lmnn.n_triples_ < len(X) * 3 * len(X) / 2 / 50
    assert lmnn.duality_gap_ < 1e-9
    assert lmnn.objective_ == pytest.approx(plain_loss(lmnn.transform(X), y, 3, 0.5, 0.5, space=X), rel=1e-10)


@pytest.mark.parametrize("seed", [0, 1])
def test_full_metric_against_the_semidefinite_program(seed):
    cp = pytest.importorskip("cvxpy")  # not there for every Python

    X, y = overlapping(30, 3, seed)
    pairs = target_neighbors(X, y, 2)
    M = cp.Variable((3, 3), PSD=True)
    outer = np.einsum("pa,pb->pab", X[pairs.anchors] - X[pairs.targets], X[pairs.anchors] - X[pairs.targets])
    Z = []
    for p, i in enumerate(pairs.anchors):
        impostors = X[i] - X[y != y[i]]
        Z.append(np.einsum("pa,pb->pab", impostors, impostors) - outer[p])
    Z = np.concatenate(Z).reshape(-1, 9)
    m = cp.reshape(M, (9,), order="C")
    program = cp.Problem(cp.Minimize(0.5 * outer.sum(axis=0).ravel() @ m + 0.5 * cp.sum(cp.pos(1 - Z @ m))))
    program.solve(solver=cp.CLARABEL)
    lmnn = LMNN(n_neighbors=2).fit(X, y)
    assert lmnn.objective_ == pytest.approx(program.value, rel=1e-4)
    assert lmnn.objective_ > program.value * (1 - 1e-6)
    assert_allclose(lmnn.components_.T @ lmnn.components_, M.value, atol=0.02 * np.abs(M.value).max())


def test_more_features_than_samples():
    X, y = make_classification(40, 400, n_informative=10, class_sep=2.0, random_state=0)
    full = LMNN().fit(X, y)
    assert full.components_.shape == (39, 400)
    assert full.objective_ < loss_and_gradient(X / 20, y, target_neighbors(X, y, 3), 0.5, 0.5)[0]


def test_rows_for_a_subset_of_many_features_give_the_same_optimum(monkeypatch):
    from fscore.weighting import lmnn

    X, y = make_classification(40, 300, n_informative=10, class_sep=2.0, random_state=0)
    few = DiagonalLMNN().fit(X, y)
    monkeypatch.setattr(lmnn, "ALL_FEATURES", 300)
    all_at_once = DiagonalLMNN().fit(X, y)
    assert few.duality_gap_ < 1e-9
    assert few.objective_ == pytest.approx(all_at_once.objective_, rel=1e-9)
    assert_allclose(few.weights_, all_at_once.weights_, atol=1e-6 * few.weights_.max())
    assert 0 < np.count_nonzero(few.weights_) < 200


@pytest.mark.parametrize("far", [1e4, 1e12])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_gap_is_never_smaller_than_the_distance_to_the_optimum(with_a_distant_class, far):
    optimum = DiagonalLMNN().fit(*with_a_distant_class(20.0)).objective_
    X, y = with_a_distant_class(far)
    lmnn = DiagonalLMNN().fit(X, y)
    reached = plain_loss(X * np.sqrt(lmnn.weights_), y, 3, 0.5, 0.5, space=X)
    assert reached - optimum <= lmnn.duality_gap_ * reached * (1 + 1e-6)
    assert lmnn.objective_ == pytest.approx(reached, rel=lmnn.duality_gap_)


def test_fewer_components():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = ((X - X.mean(axis=0)) / X.std(axis=0))[::4], y[::4]
    lmnn = LMNN(n_components=2).fit(X, y)
    assert lmnn.transform(X).shape == (len(X), 2)
    assert list(lmnn.get_feature_names_out()) == ["lmnn0", "lmnn1"]
    names = [f"x{c}" for c in range(30)]
    assert DiagonalLMNN().fit(X, y).get_feature_names_out(names).tolist() == names
    assert KNeighborsClassifier(3).fit(lmnn.transform(X), y).score(lmnn.transform(X), y) > 0.95
    message = "n_components=31 exceeds the number of features, 30"
    with warnings.catch_warnings(action="error"), pytest.raises(ValueError, match=message):
        LMNN(len(X), n_components=31).fit(X, y)  # before it searches neighbors, and warns that there are too few


def test_coinciding_targets():
    X, y = np.repeat([[0.0, 0.0], [1.0, 0.3]], 10, axis=0), np.repeat([0, 1], 10)
    for lmnn in (LMNN(), DiagonalLMNN()):
        lmnn.fit(X, y)
        assert lmnn.objective_ == pytest.approx(0, abs=1e-9)
        assert ((lmnn.transform(X[:1]) - lmnn.transform(X[10:11])) ** 2).sum() > 1 - 1e-6


def test_lmba_does_not_depend_on_a_common_unit_if_targets_coincide():
    X, y = np.repeat(np.random.default_rng(0).normal(size=(4, 3)), 6, axis=0), np.repeat([0, 1, 0, 1], 6)
    first, second = (LMBA(random_state=0).fit(unit * X, y) for unit in (1.0, 1 / 1024))
    assert first.objective_ == second.objective_
    assert_allclose(first.feature_importances_, second.feature_importances_)


def test_lmba_steps_are_the_gradient_of_its_loss():
    X, y = overlapping(60, 4, n_classes=2)
    pairs, push, rate, h = target_neighbors(X, y, 3), 0.7, 1e-6, 1e-6
    v = np.random.default_rng(3).uniform(0.3, 1.5, 4)
    whole = np.zeros(4)
    for i in range(len(X)):
        stepped = v.copy()
        lmba_pass(
            X, np.ascontiguousarray(X.T), y, np.array([i]), pairs.starts, pairs.targets, stepped, push, rate, np.inf
        )
        gradient = (v - stepped) / rate
        whole += gradient
        if i % 10 == 0:
            for f, e in enumerate(np.eye(4)):
                up, down = (plain_loss(X * (v + s * h * e), y, 3, 1, push, [i], X) for s in (1, -1))
                assert gradient[f] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-5)
    _, gradient_of_sum = loss_and_gradient(X * v, y, pairs, 1.0, push)
    assert_allclose(whole, (gradient_of_sum * X).sum(axis=0), rtol=1e-6)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_lmba_approaches_the_optimum_of_its_objective(load):
    X, y = load(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    optimum = 2 * DiagonalLMNN(mu=0.5).fit(X, y).objective_  # pull and push are 1/2 each there
    lmba = LMBA(c=1.0, n_passes=50, random_state=0).fit(X, y)
    assert optimum * (1 - 1e-9) <= lmba.objective_ < 1.05 * optimum
    euclidean = loss_and_gradient(
        X / np.sqrt(target_neighbors(X, y, 3).squares(X).mean()), y, target_neighbors(X, y, 3), 1, 1
    )
    assert lmba.objective_ < euclidean[0]


def test_lmba_stays_finite_with_long_steps():
    X, y = load_wine(return_X_y=True)
    assert np.all(np.isfinite(LMBA(learning_rate=100.0, random_state=0).fit(X, y).weights_))


@pytest.mark.parametrize("seed", range(3))
def test_a_search_that_fails_keeps_its_best_point(seed):
    """On classes a thousand deviations apart, L-BFGS ended at points with a million times the objective."""
    X = np.random.default_rng(seed).normal(size=(30, 3))
    y = np.repeat([0, 1], 15)
    X += 1e3 * y[:, None]
    with pytest.warns(ConvergenceWarning, match="found no better point before it converged"):
        found = LMNN().fit(X, y)
    assert found.objective_ < 2 * DiagonalLMNN().fit(X, y).objective_
