"""GLVQ, GRLVQ and GMLVQ: cost, gradients, solvers, ambiguity, restriction."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fscore.lvq import GLVQ, GMLVQ, GRLVQ, LBFGS, NormalizedGradient, WaypointAveraging
from fscore.lvq._cost import Diagonal, Euclidean, Matrix, RelativeDistanceCost

MODELS = [GLVQ(), GRLVQ(), GMLVQ()]


def scaled(loader):
    X, y = loader(return_X_y=True)
    return StandardScaler().fit_transform(X), y


# Cost and gradient ---------------------------------------------------------------------------------------------------


def plain_cost(X, y, W, labels, Lambda, alpha=0.0):
    F = 0.0
    for x, c in zip(X, y, strict=True):
        d = np.array([(x - w) @ Lambda @ (x - w) for w in W])
        d_hit, d_miss = d[labels == c].min(), d[labels != c].min()
        F += (d_hit - d_miss) / (d_hit + d_miss)
    if alpha:
        p = np.diag(Lambda) / np.trace(Lambda)
        F -= alpha * np.sum(p * np.log2(p))
    return F


def problem(metric, seed=0, alpha=0.0, n=40, d=5):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 3
    labels = np.array([0, 0, 1, 2])
    metric = {"euclidean": Euclidean, "diagonal": lambda: Diagonal(d), "square": lambda: Matrix(d, d)}.get(
        metric, lambda: Matrix(d, 2)
    )()
    cost = RelativeDistanceCost(X, y, labels, metric, alpha)
    theta = rng.normal(size=cost.n_prototype_parameters + metric.size)
    return cost, cost.project(theta) if not isinstance(metric, Diagonal) else cost.project(np.abs(theta)), y, labels


def lambda_of(cost, theta):
    params = cost.split(theta)[1]
    if isinstance(cost.metric, Matrix):
        Omega = params.reshape(cost.metric.shape)
        return Omega.T @ Omega
    return np.diag(params) if params.size else np.eye(cost.X.shape[1])


def test_sample_on_both_prototypes_contributes_zero():
    cost = RelativeDistanceCost(np.zeros((1, 2)), np.array([0]), np.array([0, 1]), Euclidean())
    F, gradient = cost.value_and_gradient(np.zeros(4))
    assert F == 0
    assert_array_equal(gradient, 0)


@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("metric", ["euclidean", "diagonal", "square", "rectangular"])
def test_cost_equals_the_sum_written_out(metric, alpha):
    if alpha and metric in ("euclidean", "diagonal"):
        pytest.skip("only the matrix has an entropy term")
    cost, theta, y, labels = problem(metric, alpha=alpha)
    W, _ = cost.split(theta)
    assert_allclose(cost.value(theta), plain_cost(cost.X, y, W, labels, lambda_of(cost, theta), alpha), rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("metric", "alpha"),
    [("euclidean", 0), ("diagonal", 0), ("square", 0), ("square", 0.7), ("rectangular", 0), ("rectangular", 3.0)],
)
def test_gradient_by_finite_differences(metric, alpha, seed):
    cost, theta, *_ = problem(metric, seed, alpha)
    h = 1e-5  # fourth-order differences; small enough that no sample changes its closest prototypes, where F has a kink
    numeric = []
    for e in h * np.eye(len(theta)):
        near, far = (cost.value(theta + k * e) - cost.value(theta - k * e) for k in (1, 2))
        numeric.append((8 * near - far) / (12 * h))
    value, gradient = cost.value_and_gradient(theta)
    assert value == cost.value(theta)
    assert np.abs(gradient).max() > 0.1
    assert_allclose(gradient, numeric, atol=1e-7)


def test_memory_is_linear_in_samples_plus_matrix():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 200)), np.arange(1500) % 2
    tracemalloc.start()
    GMLVQ(max_iter=5).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 8 * (1500 * 200 + 200**2)  # n d^2 would be 180 such units


# Solvers -------------------------------------------------------------------------------------------------------------


def test_waypoint_averaging_follows_the_equations():
    cost, x, *_ = problem("euclidean")
    a, path, expected = 0.4, [x], []
    for t in range(40):
        g = cost.value_and_gradient(x)[1]
        ahead = x - a * g / np.linalg.norm(g)  # equation 64
        mean = np.mean(path[-3:], axis=0)  # equation 65
        if t < 3 or cost.value(ahead) <= cost.value(mean):  # equation 66
            x = ahead
        else:
            x, a = mean, a * 2 / 3
        path.append(x)
        expected.append(x)
    seen, lengths = [], []
    solver = WaypointAveraging(step_prototypes=0.4, tol=0)
    solver.minimize(cost, path[0], lambda x, _, a: (seen.append(x), lengths.append(a[0])), 40)
    assert_allclose(seen, expected)
    assert_allclose(lengths[-1], a)
    assert a < 0.4 / 2


def test_normalized_by_prototype_each_moves_by_the_step_length():
    cost, theta, *_ = problem("diagonal")
    before = theta[cost.blocks()[0]].reshape(cost.prototype_shape)
    seen = []
    solver = NormalizedGradient(step_prototypes=0.4, normalize="prototype")
    solver.minimize(cost, theta, lambda x, *_: seen.append(x), 1)
    after = seen[0][cost.blocks()[0]].reshape(cost.prototype_shape)
    assert_allclose(np.linalg.norm(after - before, axis=1), 0.4)
    gradient = cost.value_and_gradient(theta)[1][cost.blocks()[0]].reshape(cost.prototype_shape)
    assert_allclose(after - before, -0.4 * gradient / np.linalg.norm(gradient, axis=1, keepdims=True))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_two_solvers_reach_the_same_minimum(model):
    X, y = scaled(load_iris)
    waypoint = clone(model).set_params(max_iter=3000, solver=WaypointAveraging(gain=1.1, tol=1e-9)).fit(X, y)
    lbfgs = clone(model).set_params(max_iter=500, solver=LBFGS(tol=1e-9)).fit(X, y)
    assert_allclose(waypoint.history_["cost"][-1], lbfgs.history_["cost"][-1], rtol=1e-4)
    assert_allclose(waypoint.feature_importances_, lbfgs.feature_importances_, atol=0.02)


@pytest.mark.parametrize(("factor", "offset"), [(1e7, 0), (1e-7, 0), (1, 1e7)])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_lbfgs_does_not_depend_on_the_unit(model, factor, offset):
    X, y = scaled(load_wine)
    model = clone(model).set_params(solver="lbfgs")
    first, second = clone(model).fit(X, y), clone(model).fit(factor * X + offset, y)
    assert second.n_iter_ == first.n_iter_ > 10
    assert_allclose(second.history_["cost"], first.history_["cost"], rtol=1e-6)
    assert_allclose(second.feature_importances_, first.feature_importances_, atol=1e-6)
    assert_allclose((second.prototypes_ - offset) / factor, first.prototypes_, atol=1e-6)


@pytest.mark.parametrize("solver", ["waypoint", "gradient", "lbfgs"])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_history_and_constraints(model, solver):
    X, y = scaled(load_wine)
    model = clone(model).set_params(solver=solver, max_iter=25).fit(X, y)
    assert model.n_iter_ == len(model.history_["cost"]) <= 25
    assert model.history_["cost"][-1] < model.history_["cost"][0]
    assert_allclose(model.relevance_history_.sum(axis=1), 1)
    assert np.all(model.relevance_history_ >= 0)
    assert_array_equal(model.relevance_history_[-1], model.feature_importances_)
    assert_allclose(np.diag(model.Lambda_), model.feature_importances_)
    final = plain_cost(X, y, model.prototypes_, model.prototype_labels_, model.Lambda_)
    assert_allclose(final, model.history_["cost"][-1], rtol=1e-9)


# Models --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loader", "least"), [(load_iris, 0.94), (load_wine, 0.95)])
def test_relevance_models_classify(loader, least):
    X, y = loader(return_X_y=True)
    for model in (GMLVQ(), GRLVQ(2, random_state=0)):
        assert cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=3).mean() >= least


def test_initial_prototypes_can_be_given():
    X, y = scaled(load_iris)
    start = X[[0, 60, 120]]
    tiny_steps = WaypointAveraging(step_prototypes=1e-12, step_metric=1e-12)
    for model in MODELS:
        fitted = clone(model).set_params(prototypes_init=start, solver=tiny_steps).fit(X, y)
        assert_allclose(fitted.prototypes_, start, atol=1e-9)


def test_decision_function():
    X, y = scaled(load_breast_cancer)
    model = GMLVQ().fit(X, y)
    d0, d1 = (np.einsum("ij,jk,ik->i", X - w, model.Lambda_, X - w) for w in model.prototypes_)
    assert_allclose(model.decision_function(X), (d0 - d1) / (d0 + d1))
    assert_array_equal(model.decision_function(X) > 0, model.predict(X) == 1)
    assert roc_auc_score(y, model.decision_function(X)) > 0.98
    X, y = scaled(load_iris)
    model = GLVQ().fit(X, np.array(["a", "b", "c"])[y])
    scores = model.decision_function(X)
    D = model.distances(X)
    other = np.stack([np.delete(D, c, axis=1).min(axis=1) for c in range(3)], axis=1)
    assert_allclose(scores, (other - D) / (other + D))
    assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))


def test_distances_are_euclidean_after_transform():
    X, y = scaled(load_wine)
    for model in (*MODELS, GMLVQ(2, n_components=3, random_state=5)):
        model = clone(model).fit(X, y)
        differences = model.transform(X)[:, None] - model.transform(model.prototypes_)
        assert_allclose((differences**2).sum(-1), model.distances(X), atol=1e-10)


def test_early_stopping_keeps_the_best_step():
    X, y = scaled(load_wine)
    model = GMLVQ(early_stopping=True, n_iter_no_change=5, max_iter=400, random_state=0)
    model.fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    validation = model.history_["validation"]
    best = int(np.argmin(validation))
    assert len(validation) == best + 6
    assert_array_equal(model.relevance_history_[best], model.feature_importances_)
    mean_cost = plain_cost(X[1::2], y[1::2], model.prototypes_, model.prototype_labels_, model.Lambda_) / len(X[1::2])
    assert_allclose(mean_cost, min(validation))
    assert GMLVQ(early_stopping=True, random_state=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("loader", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("loss", ["error", "auc"])
def test_early_stopping_keeps_the_step_of_least_error_or_greatest_auc(loader, loss):
    X, y = scaled(loader)
    X, y, X_val, y_val = X[::2], y[::2], X[1::2], y[1::2]
    model = GMLVQ(early_stopping=True, validation_loss=loss, alpha=90.0, n_iter_no_change=8)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    scores = model.decision_function(X_val)
    if scores.ndim == 1:
        scores = np.stack([-scores, scores], axis=1)
    area = np.mean([roc_auc_score(y_val == c, scores[:, c]) for c in set(y_val)])
    measured = {"error": 1 - model.score(X_val, y_val), "auc": 1 - area}
    validation = model.history_["validation"]
    assert_allclose(min(validation), measured[loss], atol=1e-12)
    assert_array_equal(model.relevance_history_[np.argmin(validation)], model.feature_importances_)  # the first of them


# Entropy -------------------------------------------------------------------------------------------------------------


def entropy_of(model):
    p = model.feature_importances_
    return -np.sum(p * np.log2(np.maximum(p, 1e-300)))


def test_entropy_term_concentrates_relevances():
    X, y = scaled(load_breast_cancer)
    models = {alpha: GMLVQ(alpha=alpha).fit(X, y) for alpha in (0.0, "auto", "N^2/10")}
    assert models["auto"].alpha_ == 569 / (4 * 30)
    assert models["N^2/10"].alpha_ == 90
    assert entropy_of(models[0.0]) > entropy_of(models["auto"]) > entropy_of(models["N^2/10"])
    assert models["N^2/10"].feature_importances_.max() > 0.9
    assert models["auto"].score(X, y) > 0.95


# Ambiguity -----------------------------------------------------------------------------------------------------------


def ambiguous_data():
    """Iris with two linear combinations of its features added: a null space of two dimensions."""
    X, y = scaled(load_iris)
    return np.column_stack([X, X[:, 0] + X[:, 1], X[:, 2] - X[:, 3]]), y


def test_removing_ambiguity_changes_relevances_but_not_distances():
    X, y = ambiguous_data()
    model = GMLVQ(omega_init="random", random_state=0).fit(X, y)
    minimal = model.remove_ambiguity()
    scale = np.linalg.norm(minimal.Omega_ @ X.T) ** 2 / np.linalg.norm(model.Omega_ @ X.T) ** 2
    rank = np.linalg.matrix_rank(np.vstack([X, model.prototypes_]) - X.mean(0))
    assert rank < 6
    assert_allclose(minimal.distances(X), scale * model.distances(X), atol=1e-9)
    assert_array_equal(minimal.predict(X), model.predict(X))
    assert np.abs(minimal.feature_importances_ - model.feature_importances_).max() > 0.02
    null = np.linalg.svd(np.vstack([X, model.prototypes_]) - X.mean(0))[2][rank:]
    assert_allclose(minimal.Omega_ @ null.T, 0, atol=1e-9)
    # Equation 92 as printed projects the other side of Omega, which changes distances.
    wrong = (np.eye(6) - null.T @ null) @ model.Omega_
    assert np.abs(np.square((X - model.prototypes_[0]) @ wrong.T).sum(1) - model.distances(X)[:, 0]).max() > 0.05
    during = clone(model).set_params(delete_rate=0.0).fit(X, y)
    assert_allclose(during.Omega_, minimal.Omega_)
    assert_allclose(during.ambiguity(), model.ambiguity())


def test_delete_rate_truncates():
    X, y = scaled(load_wine)
    model = GMLVQ().fit(X, y)
    assert_allclose(model.remove_ambiguity(0.0).Omega_, model.Omega_, atol=1e-10)
    less = model.remove_ambiguity(6 / 13)
    assert np.linalg.matrix_rank(less.Omega_) == 7
    assert_allclose(less.feature_importances_.sum(), 1)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 60)), np.arange(20) % 2  # more features than samples leave a null space
    wide = GMLVQ(max_iter=20).fit(X, y)
    assert_allclose(wide.remove_ambiguity().decision_function(X), wide.decision_function(X), atol=1e-9)
    assert np.linalg.matrix_rank(wide.remove_ambiguity().Omega_) <= 21
    with pytest.raises(ValueError, match=r"delete_rate=0.99 keeps none of 13 directions"):
        model.remove_ambiguity(0.99)
    for rate in (-0.1, 1.0, np.nan, "a", None):
        for method in (model.remove_ambiguity, model.ambiguity):
            with pytest.raises(ValueError, match=r"delete_rate=.* must be a number in \[0, 1\)"):
                method(rate)
    # Omega sees the second column only, which is constant, so that training cannot move it
    blind = GMLVQ(n_components=1, omega_init=[[0.0, 1.0]], max_iter=1)
    blind.fit(np.column_stack([np.arange(6.0), np.zeros(6)]), [0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match=r"^delete_rate=0\.0 removes all of Omega; lower it\.$"):
        blind.remove_ambiguity()
    for value, n in ((1.0, 1), (0.1, 2)):  # the mean of five times 0.1 differs from it
        with pytest.raises(ValueError, match="All 3 columns of X are constant, so no direction can be kept"):
            GMLVQ(delete_rate=0.0, n_prototypes=n).fit(np.full((5, 3), value), [0, 1, 0, 1, 0])


def test_ambiguity_bounds_hold_and_are_attained():
    X, y = ambiguous_data()
    model = GMLVQ(omega_init="random", random_state=1).fit(X, y)
    report = model.ambiguity()
    kept = model._kept_directions(0.0)
    null = np.linalg.svd(kept)[2][len(kept) :]
    minimal = model.Omega_ - model.Omega_ @ null.T @ null
    norm = np.linalg.norm(model.Omega_ @ null.T)
    rng = np.random.default_rng(0)
    for _ in range(200):
        B = rng.normal(size=(6, len(null)))
        other = minimal + norm * B / np.linalg.norm(B) @ null
        assert_allclose(
            np.square((X - X[0]) @ other.T).sum(1), np.square((X - X[0]) @ model.Omega_.T).sum(1), atol=1e-8
        )
        assert np.all(np.square(other).sum(0) <= report["high"] + 1e-9)
        assert np.all(np.square(other).sum(0) >= report["low"] - 1e-9)
    for k in range(6):
        a, share = minimal[:, k], null[:, k]
        B = norm * np.outer(a, share) / np.linalg.norm(a) / np.linalg.norm(share)
        assert_allclose(np.square(minimal + B @ null).sum(0)[k], report["high"][k])
    assert_allclose(report["null_share"], np.square(null).sum(0), atol=1e-12)
    assert GMLVQ().fit(*scaled(load_wine)).ambiguity()["spread"].max() < 1e-9


# Restriction ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_restriction_keeps_the_columns_unchanged(model):
    X, y = scaled(load_wine)
    model = clone(model).fit(X, y)
    features = [6, 0, 9]
    small = model.restrict(features)
    Lambda = model.Lambda_[np.ix_(features, features)]
    expected = [[(x - w) @ Lambda @ (x - w) for w in model.prototypes_[:, features]] for x in X[:, features]]
    assert_allclose(small.distances(X[:, features]), expected, atol=1e-12)
    assert_allclose(small.feature_importances_, model.feature_importances_[features])
    assert_array_equal(small.relevance_history_, model.relevance_history_[:, features])
    assert_array_equal(model.restrict(np.arange(13)).predict(X), model.predict(X))
    mask = np.isin(np.arange(13), features)
    assert_array_equal(model.restrict(mask).prototypes_, model.prototypes_[:, mask])
    assert model.n_features_in_ == 13
    with pytest.raises(ValueError, match=r"has 13 features, but .* is expecting 3"):
        small.predict(X)
    for wrong, message in [
        ([], "features selects none of the features"),
        ([13], r"features=\[13\] must be numbers or names of columns of X, or a mask: all features must be in"),
        (mask[:5], "^features is a mask of 5 entries, but X has 13 columns; give one for each"),
        ([False] * 13, "features selects none of the features"),
        (["ash"], r"features=\['ash'\] must be numbers or names of columns of X"),
        ([3, 3], r"features=\[3, 3\] has a column twice"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.restrict(wrong)


def test_restriction_by_name():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = GMLVQ().fit(X, y)
    names = ["petal width (cm)", "sepal length (cm)"]
    small = model.restrict(names)
    assert list(small.feature_names_in_) == names
    assert_array_equal(small.predict(X[names]), model.restrict([3, 0]).predict(X[names]))
    assert list(model.ambiguity().index) == list(X.columns)
    with pytest.raises(ValueError, match="call this method before restrict"):
        small.ambiguity()


def test_prototypes_may_start_at_different_samples_of_their_class():
    X, y = load_iris(return_X_y=True)
    still = WaypointAveraging(step_prototypes=1e-13, step_metric=1e-13)
    model = GLVQ([1, 2, 3], prototypes_init="sample", solver=still, max_iter=1, random_state=0).fit(X, y)
    assert model.prototype_labels_.tolist() == [0, 1, 1, 2, 2, 2]
    near = np.abs(X[:, None] - model.prototypes_).max(axis=2) < 1e-9
    assert near.any(axis=0).all()
    assert np.all(y[near.argmax(axis=0)] == model.prototype_labels_)
    assert len({tuple(w) for w in model.prototypes_.round(6)}) == 6


def test_a_given_omega_is_where_training_starts():
    X, y = scaled(load_iris)
    given = GMLVQ(omega_init=np.eye(4).tolist(), max_iter=5, random_state=0).fit(X, y)
    identity = GMLVQ(omega_init="identity", max_iter=5, random_state=0).fit(X, y)
    assert_array_equal(given.Omega_, identity.Omega_)
    other = GMLVQ(omega_init=np.diag([1.0, 2, 3, 4]), max_iter=5, random_state=0).fit(X, y)
    assert not np.allclose(other.Omega_, identity.Omega_)


def test_any_object_with_minimize_is_a_solver():
    class Still:
        def minimize(self, cost, theta, report, max_iter):
            for _ in range(max_iter):
                report(theta, cost.value(theta), [])

    X, y = scaled(load_iris)
    model = GLVQ(solver=Still(), max_iter=3).fit(X, y)
    assert_allclose(model.prototypes_, [X[y == c].mean(axis=0) for c in range(3)])
    assert model.n_iter_ == 3
    with pytest.raises(TypeError, match="instance of scikit-learn estimator instead of a class"):
        GLVQ(solver=LBFGS).fit(X, y)


def test_validation_samples_are_checked_as_those_of_training():
    X, y = scaled(load_iris)
    with pytest.raises(ValueError, match="X has masked values"):
        GLVQ().fit(X, y, X_val=np.ma.array(X, mask=X > 1), y_val=y)
    with pytest.raises(ValueError, match=r"X_val and y_val cannot be used: Column \d of X holds NaN"):
        GLVQ().fit(X, y, X_val=np.where(X > 1, np.nan, X), y_val=y)
    codes = pd.Series(10**17 + y, dtype="Int64")
    histories = [GLVQ(max_iter=5).fit(X, c, X_val=X, y_val=c).history_ for c in (y, codes)]
    assert histories[0] == histories[1]
