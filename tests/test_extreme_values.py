"""Weightings, LVQ, RANN and k-NN on extreme values, labels and parameters: a right result or one sentence."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from fscore.lvq import ERLVQ, GLVQ, GMLVQ, GRLVQ, LVQ1, OWARLVQ, RLVQ
from fscore.neighbors import KNeighborsClassifierCV
from fscore.neural import RANNClassifier, RANNClassifierCV
from fscore.weighting import LMBA, LMNN, MDM, DiagonalLMNN, IRelief, Relief, ReliefF, Simba

FEATURE_SCALED = [MDM(), MDM(nu=0.2), MDM(nu=0.2, solver="full"), Relief(), ReliefF(n_neighbors=3)]
COMMONLY_SCALED = [LMBA(random_state=0), DiagonalLMNN(), LMNN()]  # invariant to a common factor of all features
WEIGHTINGS = [
    *FEATURE_SCALED,
    *COMMONLY_SCALED,
    Simba(random_state=0),
    Simba("sigmoid", random_state=0),
    IRelief(),
    IRelief("cv", cv=2),
    IRelief(online=True, random_state=0),
]
CLASSIFIERS = [
    GLVQ(),
    GRLVQ(),
    GRLVQ(solver="lbfgs"),
    GMLVQ(alpha="auto", delete_rate=0.1),
    LVQ1(random_state=0),
    RLVQ(random_state=0),
    RLVQ(difference="squared", random_state=0),
    OWARLVQ(random_state=0),
    ERLVQ(random_state=0),
    RANNClassifier(random_state=0),
    RANNClassifierCV(2, 5, cv=3, random_state=0),
    KNeighborsClassifierCV(),
]
ALL = [*WEIGHTINGS, *CLASSIFIERS]
each = pytest.mark.parametrize("estimator", ALL, ids=str)
SCALES = [1e-320, 1e-160, 1e-30, 1e30, 1e155, 1e308]
REFUSED = re.compile(
    r"Column [0-2] of X (contains \S+, but \w+ requires absolute values up to \S+ to avoid overflow\. Divide the"
    r" column by|has the range \S+, but \w+ requires at least \S+( in some column)? to avoid underflow\. Divide"
    r" (the column|all columns) by)"
)


def sample(n=57):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(n, 3)), np.arange(n) % 2
    X[:, 1] = 0.4 * X[:, 1] + 0.6 * y
    return X, y


def fitted_numbers(model):
    values = [value for name, value in vars(model).items() if name.endswith("_")]
    return [np.asarray(value) for value in values if isinstance(value, float | np.ndarray)]


def fit_or_refuse(estimator, X, y):
    """The fitted estimator, or the message of its ValueError."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)  # no convergence
        try:
            return clone(estimator).fit(X, y)
        except ValueError as error:
            return str(error)


@each
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("columns", [slice(None), slice(1, 2)], ids=["all columns", "one column"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_values_of_any_scale_are_used_or_refused(estimator, scale, columns):
    X, y = sample()
    scaled = X.copy()
    scaled[:, columns] *= scale
    model = fit_or_refuse(estimator, scaled, y)
    if isinstance(model, str):
        assert REFUSED.match(model), model
        assert not 1e-71 < scale < 1e71
        return
    assert all(np.isfinite(numbers).all() for numbers in fitted_numbers(model) if numbers.dtype.kind == "f")
    for method in "transform", "decision_function":
        if hasattr(model, method):
            assert np.isfinite(getattr(model, method)(scaled)).all()
    invariant = FEATURE_SCALED if columns == slice(1, 2) else [*FEATURE_SCALED, *COMMONLY_SCALED]
    if estimator in invariant:
        expected = clone(estimator).fit(X, y).feature_importances_
        assert_allclose(model.feature_importances_, expected, atol=0.02 if isinstance(estimator, LMNN) else 1e-6)
    if isinstance(estimator, KNeighborsClassifierCV) and columns == slice(None):
        assert_array_equal(model.predict(scaled), clone(estimator).fit(X, y).predict(X))


@pytest.mark.parametrize("estimator", [KNeighborsClassifierCV(), LMBA(random_state=0), DiagonalLMNN()], ids=str)
@pytest.mark.parametrize("offset", [2.0**30, -(2.0**40)])
def test_large_offsets_do_not_change_the_neighbors(estimator, offset):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-512, 512, size=(80, 17)) / 1024, np.arange(80) % 2  # adding the offset is exact
    X[:, 0] += y
    X[:, 1] = 0
    plain, far = (clone(estimator).fit(X + shift, y) for shift in (0.0, np.r_[0.0, offset, offset, np.zeros(14)]))
    for before, after in zip(fitted_numbers(plain), fitted_numbers(far), strict=True):
        assert_allclose(after, before, rtol=1e-6, atol=1e-9)
    if hasattr(plain, "predict"):
        Z = rng.integers(-512, 512, size=(80, 17)) / 1024
        assert_array_equal(far.predict(Z + np.r_[0.0, offset, offset, np.zeros(14)]), plain.predict(Z))


EXTREME_NUMBERS = st.one_of(
    st.floats(-1, 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 1.0, 5e-324, 1e-300, 1e-146, 1e-60, 1e60, 1e71, 1e144, -1e144, 1e300]),
)
REASONS = re.compile(
    "Column |Rows |class |All .* (identical|constant)|.*(too small|n_samples|n_splits|one sample|overflow)"
)


@each
@given(X=st.integers(4, 12).flatmap(lambda n: arrays(float, (n, 2), elements=EXTREME_NUMBERS)))
@settings(max_examples=10, deadline=None)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_any_finite_values_are_used_or_refused(estimator, X):
    model = fit_or_refuse(estimator, X, np.arange(len(X)) % 2)
    if isinstance(model, str):
        assert REASONS.match(model), model
        return
    assert all(np.isfinite(numbers).all() for numbers in fitted_numbers(model) if numbers.dtype.kind == "f")
    if hasattr(model, "decision_function"):
        assert np.isfinite(model.decision_function(X)).all()


@each
def test_a_refused_column_is_named(estimator):
    X, y = sample()
    frame = pd.DataFrame(X * [1, 1, 1e301], columns=["age", "height", "no data"])
    with pytest.raises(ValueError, match=r"Column no data of X contains 9\.\d+e\+300"):
        clone(estimator).fit(frame, y)
    frame["no data"] = np.where(np.arange(len(y)) == 5, -1.797e308, X[:, 2])
    with pytest.raises(ValueError, match=r"Column no data of X contains -1.8e\+308.*remove the value if it marks"):
        clone(estimator).fit(frame, y)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
def test_new_samples_of_extreme_scale_are_refused(estimator):
    X, y = sample()
    model = clone(estimator).fit(X, y)
    with pytest.raises(ValueError, match=r"Column [0-2] of X contains \S+e\+30\d, but"):
        model.predict(X * 1e302)


def test_smallest_penalties_of_mdm():
    X, y = sample()
    mean = MDM(nu=1.0).fit(X, y)
    for C in 5e-324, 1e-300:
        with pytest.warns(UserWarning, match="below 1/n_samples"):
            least = MDM(C=C).fit(X, y)
        assert least.r_ == 0
        assert_allclose(least.weights_, mean.weights_, rtol=1e-6, atol=1e-6 * mean.weights_.max())


@pytest.mark.parametrize("sigma", [1e-100, 1e100])
def test_erlvq_with_the_extreme_widths_changes_no_relevance(sigma):
    model = ERLVQ(sigma=sigma, norm="l1", random_state=0).fit(*sample())
    assert_allclose(model.relevances_, 1 / 3)
