"""Every feature weighting: conventions, the meaning of the weights, invariances, invalid input."""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import euclidean_distances
from sklearn.utils.parallel import Parallel, delayed

from fscore.weighting import LMBA, LMNN, MDM, DiagonalLMNN, IRelief, Relief, ReliefF, Simba, mdm_path

DIAGONAL = [
    Relief(),
    ReliefF(n_neighbors=3),
    Simba(random_state=0),
    Simba("sigmoid", random_state=0),
    IRelief(),
    IRelief(online=True, random_state=0),
    LMBA(random_state=0),
    DiagonalLMNN(),
]
ALL = [*DIAGONAL, LMNN()]
each = pytest.mark.parametrize("estimator", ALL, ids=str)
each_diagonal = pytest.mark.parametrize("estimator", DIAGONAL, ids=str)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X / np.ptp(X, axis=0), y


def one_relevant(seed=0, n=80):
    """Three features in [0, 1]; the middle one separates the classes, with a gap."""
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(n, 3)), np.arange(n) % 2
    X[:, 1] = 0.4 * X[:, 1] + 0.6 * y
    return X, y


@each_diagonal
def test_distances_after_transform_are_those_of_equation_one(estimator, iris):
    X, y = iris
    fitted = clone(estimator).fit(X, y)
    differences = X[:20, None] - X[:20]
    expected = np.sqrt(np.einsum("ijf,f->ij", differences**2, fitted.weights_))
    assert_allclose(euclidean_distances(fitted.transform(X[:20])), expected, atol=1e-7 * expected.max())


@each
def test_weights_and_importances_are_those_of_the_data(estimator, iris):
    """The relevant feature has most; repeated fits, names of classes, constant columns and twins change little."""
    X, y = one_relevant()
    with_constant = np.insert(X, 1, 7.0, axis=1)
    fitted = clone(estimator).fit(with_constant, y)
    assert fitted.weights_.argmax() == fitted.feature_importances_.argmax() == 2
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert np.all(fitted.weights_ >= 0)
    assert fitted.weights_[1] == fitted.feature_importances_[1] == 0
    assert np.all(np.isfinite(fitted.transform(with_constant)))
    X[1], X[3] = X[0], X[2]  # identical points of different classes
    fitted = clone(estimator).fit(X, y)
    assert np.all(np.isfinite(fitted.weights_))
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    X, y = iris
    plain = clone(estimator).fit(X, y)
    assert_array_equal(clone(estimator).fit(X, y).weights_, plain.weights_)
    assert_allclose(clone(estimator).fit(X, np.array(["c", "a", "b"])[y]).weights_, plain.weights_, rtol=1e-6)


def test_weights_do_not_depend_on_n_jobs():
    """Compiled loops and HiGHS release the interpreter's lock, so fits in threads overlap."""
    X, y = make_classification(60, 30, n_informative=5, random_state=0)
    estimators = [*ALL, MDM(), MDM(nu=0.2)] * 2
    expected = [clone(estimator).fit(X, y).weights_ for estimator in estimators]
    fits = (delayed(clone(estimator).fit)(X, y) for estimator in estimators)
    for fitted, weights in zip(Parallel(n_jobs=2, prefer="threads")(fits), expected, strict=True):
        assert_array_equal(fitted.weights_, weights)


def inseparable():
    X = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0)  # two samples of each class near each point ...
    X += np.tile([[0.0], [0.3], [0.1], [0.4]], (3, 1))  # ... that are nearer to the other class than to their own
    return X, np.tile([0, 0, 1, 1], 3)


INSEPARABLE = [Relief(), DiagonalLMNN(mu=0.01)]  # methods that find no weights for it


def with_a_single_sample():
    X, y = one_relevant()
    y[0] = 2
    return X, y


@pytest.mark.parametrize(
    ("fit", "sample", "match"),
    [
        *((model.fit, inseparable, "weight zero") for model in INSEPARABLE),
        (LMNN().fit, with_a_single_sample, "smallest class"),
        (DiagonalLMNN().fit, with_a_single_sample, "smallest class"),
        (LMBA().fit, with_a_single_sample, "smallest class"),
        (LMNN(max_iter=1).fit, one_relevant, "did not converge"),
        (LMNN(max_iter=20).fit, lambda: load_wine(return_X_y=True), "did not converge"),  # the last of five runs does
        (IRelief(max_iter=1, tol=0).fit, one_relevant, "still change"),
        (MDM(C=1e-6).fit, one_relevant, "below 1/n_samples"),
        (MDM(nu=0.5, tol=0.9).fit, lambda: load_breast_cancer(return_X_y=True), "may exceed the optimum"),
        (partial(mdm_path, nus=[0.5], tol=0.9), lambda: load_breast_cancer(return_X_y=True), "may exceed the optimum"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_warnings_point_to_the_line_of_the_caller(fit, sample, match):
    with pytest.warns(UserWarning, match=match) as caught:
        fit(*sample())
    assert {w.filename for w in caught if re.search(match, str(w.message))} == {__file__}
    if sample is inseparable:
        assert_array_equal(fit.__self__.weights_, [0])
        assert_array_equal(fit.__self__.feature_importances_, [0])


@each
def test_a_class_of_one_sample(estimator):
    X, y = one_relevant()
    y[0] = 2
    if isinstance(estimator, Relief | ReliefF):
        with pytest.raises(ValueError, match=r"class 2 has one sample, .*needs two.*merge it with another"):
            clone(estimator).fit(X, y)
    elif isinstance(estimator, LMNN | LMBA):
        with pytest.warns(UserWarning, match=r"Samples of the smallest class, of size 1, have 0 target neighbors"):
            assert clone(estimator).fit(X, y).weights_.argmax() == 1
    else:
        assert clone(estimator).fit(X, y).weights_.argmax() == 1


@st.composite
def samples(draw):
    X, y = make_classification(
        30, 4, n_informative=2, n_redundant=0, class_sep=2.0, flip_y=0.0, random_state=draw(st.integers(0, 10**6))
    )
    return X / np.ptp(X, axis=0), y


some = settings(max_examples=8, deadline=None)
scales = st.floats(0.01, 100)


def tolerance(estimator):
    """Bound on the effect of rounding errors: L-BFGS ends at a kink, where the last bit can change its path."""
    return 2e-2 if isinstance(estimator, LMNN) else 1e-6


@each
@some
@given(samples(), st.floats(-5, 5), st.permutations(range(4)), scales)
def test_weights_move_with_their_features_and_not_with_origin_or_unit(estimator, sample, shift, order, scale):
    """A common unit changes Simba and I-Relief, unless the width of the latter has the same unit."""
    X, y = sample
    plain = clone(estimator).fit(X, y).weights_
    moved = clone(estimator).fit(X[:, order] + shift, y).weights_
    assert_allclose(moved, plain[list(order)], atol=tolerance(estimator) * plain.max())
    if isinstance(estimator, LMBA | DiagonalLMNN | LMNN | Relief | ReliefF):
        scaled = clone(estimator).fit(X * scale, y).weights_
        assert_allclose(scaled * scale**2, plain, atol=tolerance(estimator) * plain.max())


@pytest.mark.parametrize("far", [1e3, 1e5, 1e7])
@pytest.mark.parametrize(
    ("estimator", "of_objective", "of_weights"),
    [(MDM(), 1e-6, 1e-6), (MDM(nu=0.2), 1e-6, 1e-6), (DiagonalLMNN(), 2e-4, 1e-3), (LMNN(), 2e-4, None)],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_distant_class_changes_nothing(with_a_distant_class, far, estimator, of_objective, of_weights):
    """Within the precision of a solver, which for the penalty of LMNN ends earlier."""
    if far == 1e7 and not isinstance(estimator, MDM):
        pytest.skip("beyond the precision of LMNN")
    near, distant = (clone(estimator).fit(*with_a_distant_class(distance)) for distance in (20.0, far))
    assert_allclose(distant.objective_, near.objective_, rtol=of_objective)
    if of_weights is not None:
        assert_allclose(distant.weights_, near.weights_, rtol=of_weights, atol=of_weights / 1000)


@pytest.mark.parametrize(
    ("fit", "before"),
    [
        (MDM().fit, "too close .* "),
        *((fit, "") for fit in (partial(mdm_path, nus=[0.2]), DiagonalLMNN().fit, LMNN().fit)),
    ],
)
def test_what_is_too_far_away_is_named(with_a_distant_class, fit, before):
    with pytest.warns(ConvergenceWarning, match=rf"{before}Column 0 of X has a range of \de\+\d\d times"):
        fit(*with_a_distant_class(1e12))


@each
def test_classes_of_one_sample_each_are_refused(estimator):
    with pytest.raises(ValueError, match="has one sample, so no sample has a neighbor"):
        clone(estimator).fit(np.eye(4), [0, 1, 2, 3])


def test_importances_are_shares_of_the_weighted_variance(iris):
    X, y = iris
    for estimator in (MDM(nu=0.2), DiagonalLMNN()):
        fitted = estimator.fit(X, y)
        share = fitted.weights_ * X.var(axis=0)
        assert_allclose(fitted.feature_importances_, share / share.sum(), rtol=1e-10)
