"""RANN against lstsq, all sizes from one factorization against separate fits, its criterion; k-NN with chosen k."""

import tracemalloc

import numpy as np
import pytest
from criteria_steps import add
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import qmc
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import LeaveOneOut, ShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import minmax_scale

from fscore.criteria.rann import RANNAccuracy, rann_all_subsets
from fscore.neighbors import KNeighborsClassifierCV
from fscore.neural import RANNClassifier, RANNClassifierCV
from fscore.neural._layers import hidden_outputs, scrambled_sobol, triangular_system


def scaled(loader):
    X, y = loader(return_X_y=True)
    return minmax_scale(X, (-1, 1)), y


WEIGHTS = [{"weights": "sobol"}, {"weights": "random"}, {"output_bias": True}, {"scale": 2.0}]


@pytest.mark.parametrize("options", WEIGHTS, ids=str)
@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer])
def test_output_layer_is_least_squares(loader, options):
    X, y = scaled(loader)
    X = X + np.random.default_rng(0).normal(scale=0.05, size=X.shape)  # well-conditioned: the solution is unique
    rann = RANNClassifier(15, random_state=1, **options).fit(X, y)
    O = np.tanh(np.column_stack([X, np.ones(len(X))]) @ rann.hidden_weights_)
    if "output_bias" in options:
        O = np.column_stack([np.ones(len(X)), O])
    targets = np.where(y[:, None] == np.unique(y), 1.0, -1.0)
    expected = np.linalg.lstsq(O, targets, rcond=None)[0]
    if rann.output_weights_.shape[1] == 1:
        expected = expected[:, 1:]
    assert_allclose(rann.output_weights_, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    assert_array_equal(rann.predict(X), np.unique(y)[(O @ np.linalg.lstsq(O, targets, rcond=None)[0]).argmax(axis=1)])
    assert rann.n_dependent_ == 0


def test_by_hand():
    # One neuron of weight w and bias b on the points -1, 1: O = tanh(-w + b), tanh(w + b); V = O'Y / O'O.
    rann = RANNClassifier(1, random_state=0).fit([[-1.0], [1.0]], [0, 1])
    (w,), (b,) = rann.hidden_weights_
    o = np.tanh([b - w, b + w])
    assert_allclose(rann.output_weights_, [[(o[1] - o[0]) / (o @ o)]])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_equal_outputs_give_the_lowest_class(n_classes):
    """Every class has the same samples, so that rounding alone tells their outputs apart."""
    points = np.random.default_rng(0).uniform(-1, 1, size=(10, 2))
    X, y = np.repeat(points, n_classes, axis=0), np.tile(np.arange(n_classes), 10)
    for seed in range(10):
        for rann in (
            RANNClassifier(8, random_state=seed),
            RANNClassifierCV(3, 8, cv=[(y >= 0, y >= 0)], random_state=seed),
        ):
            assert_array_equal(rann.fit(X, y).predict(X), 0)
        assert_array_equal(RANNAccuracy(8, random_state=seed).bind(X, y).score([(0,), (1,), (0, 1)]), 1 / n_classes)


def test_dependent_neurons_have_weight_zero():
    X, y = scaled(load_breast_cancer)
    rann = RANNClassifier(50, random_state=0).fit(X[:, :1], y)  # 50 functions of one variable
    assert rann.n_dependent_ > 20
    all_neurons = RANNClassifier(50, tol=0, random_state=0).fit(X[:, :1], y)
    assert np.abs(all_neurons.output_weights_).max() > 100 * np.abs(rann.output_weights_).max()
    assert np.sum(rann.output_weights_ == 0) == rann.n_dependent_
    O = hidden_outputs(X[:, :1], rann.hidden_weights_, False)
    kept = rann.output_weights_[:, 0] != 0
    expected = O[:, kept] @ np.linalg.lstsq(O[:, kept], np.where(y, 1.0, -1.0), rcond=1e-14)[0]
    assert_allclose(rann.decision_function(X[:, :1]), expected, atol=1e-5)


def test_weights_are_nested_and_in_range():
    X, y = scaled(load_iris)
    for weights in ("sobol", "random"):
        few, many = (RANNClassifier(n, weights=weights, scale=2.0, random_state=3).fit(X, y) for n in (17, 64))
        W = many.hidden_weights_
        assert W.shape == (5, 64)
        assert np.abs(W).max() <= 2
        assert_array_equal(few.hidden_weights_, W[:, :17])
        assert abs(W.mean()) < 4 * 2 / np.sqrt(3 * W.size)


def test_more_features_than_a_sobol_sequence_has_dimensions():
    X, y = np.random.default_rng(0).normal(size=(20, 21_201)), np.arange(20) % 2
    with pytest.raises(
        ValueError, match=r"^weights='sobol' takes at most 21200 features, but X has 21201; use 'random'"
    ):
        RANNClassifier(random_state=0).fit(X, y)
    assert RANNClassifier(weights="random", random_state=0).fit(X, y).score(X, y) == 1


@given(st.integers(0, 10**6), st.integers(1, 300), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_weights_are_those_of_scipys_scrambled_sequence(seed, n_points, n_dimensions):
    expected = qmc.Sobol(n_dimensions, rng=np.random.default_rng(seed)).random_base2((n_points - 1).bit_length())
    found = scrambled_sobol(n_points, n_dimensions, np.random.default_rng(seed))
    assert_array_equal(found, expected[:n_points])


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 12), st.floats(0, 14), st.booleans())
@settings(max_examples=100, deadline=None)
def test_triangular_system_agrees_with_householder(seed, n, m, digits, output_bias):
    # the last column agrees with the first in its leading digits, so that both ways to orthogonalize are tested
    rng = np.random.default_rng(seed)
    O = rng.normal(size=(n, m)) * 10.0 ** rng.integers(-3, 4, m)
    if output_bias:
        O[:, 0] = 1
    Y = rng.normal(size=(n, 2))
    O[:, -1] = O[:, 0] + 10**-digits * O[:, -1]
    R, share, kept = triangular_system(O, Y, 1e-6)
    assert_array_equal(np.tril(R, -1), 0)
    assert_array_equal(share[~kept], 0)
    Q_kept, R_kept = np.linalg.qr(O[:, kept])
    sign = np.sign(np.diagonal(R_kept))[:, None]
    scale = np.linalg.norm(O[:, kept], axis=0)
    condition = np.linalg.cond(O[:, kept] / scale)
    assert np.all(np.diagonal(R)[kept] > 1e-6 * scale)
    assert_allclose(R[np.ix_(kept, kept)] / scale, sign * R_kept / scale, atol=1e-14 * condition)
    assert_allclose(share[kept], sign * (Q_kept.T @ Y), atol=1e-13 * condition)
    for h in np.flatnonzero(~kept):  # an omitted column is dependent
        before = O[:, :h][:, kept[:h]]
        rest = O[:, h] - before @ np.linalg.lstsq(before, O[:, h], rcond=None)[0]
        assert np.linalg.norm(rest) < 1.01e-6 * np.linalg.norm(O[:, h])


@pytest.mark.parametrize("options", WEIGHTS, ids=str)
@pytest.mark.parametrize("columns", [slice(0, 30), slice(0, 2), slice(0, 1)], ids=["30", "2", "1"])
def test_all_sizes_equal_separate_fits(columns, options):
    X, y = scaled(load_breast_cancer)
    X = X[:, columns]
    train, test = np.arange(0, 569, 2), np.arange(1, 569, 2)
    search = RANNClassifierCV(1, 30, cv=[(train, test)], random_state=5, **options).fit(X, y)
    for h, score in zip(search.sizes_, search.scores_[0], strict=True):
        rann = RANNClassifier(h, random_state=np.random.RandomState(5), **options)
        assert rann.fit(X[train], y[train]).score(X[test], y[test]) == score


def test_chosen_size_is_the_smallest_of_the_best():
    X, y = scaled(load_iris)
    rann = RANNClassifierCV(1, 20, random_state=0).fit(X, y)
    mean = rann.scores_.mean(axis=0)
    assert rann.scores_.shape == (30, 20)
    assert rann.n_hidden_ == 1 + np.flatnonzero(np.isclose(mean, mean.max()))[0]
    assert rann.hidden_weights_.shape == (5, rann.n_hidden_)
    again = RANNClassifierCV(1, 20, random_state=0).fit(X, y)
    assert_array_equal(again.scores_, rann.scores_)
    unstratified = RANNClassifierCV(1, 20, cv=ShuffleSplit(4, test_size=1 / 3, random_state=0), random_state=0)
    assert unstratified.fit(X, y).scores_.shape == (4, 20)
    few = np.array(["a"] * 75 + ["b"] * 74 + ["c"])
    assert RANNClassifierCV(cv=unstratified.cv).fit(X, few).scores_.shape == (4, 46)


@pytest.mark.parametrize("options", [*WEIGHTS, {"tol": 0.03}, {"tol": 0.3}], ids=str)
@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer])
def test_criterion_is_the_training_accuracy(loader, options):
    X, y = scaled(loader)
    X = X[:, :6]
    d = X.shape[1]
    values = rann_all_subsets(X, y, random_state=4, **options)
    J = RANNAccuracy(random_state=4, **options).bind(X, y)
    assert np.isnan(values[0])
    differ = 0
    for mask in range(1, 2**d):
        used = mask >> np.arange(d) & 1
        rann = RANNClassifier(random_state=4, **options).fit(X * used, y)  # a column of zeros has no effect on a neuron
        differ += abs(rann.score(X * used, y) - values[mask]) * len(y)
        assert J.score([tuple(np.flatnonzero(used))])[0] == values[mask]
    assert differ == 0
    assert_array_equal(add(J, (0, 2), [(1,), (3,)]), values[[7, 13]])


@pytest.mark.parametrize(("factor", "scale"), [(2e307, 1.0), (1e300, 1e10)])
def test_criterion_refuses_values_whose_weighted_sums_overflow(factor, scale):
    """Their sums would be infinite or NaN, and the accuracy that of chance."""
    X, y = scaled(load_iris)
    with pytest.raises(
        ValueError, match=r"^Column \d of X contains .*, but RANNAccuracy requires absolute values up to"
    ):
        RANNAccuracy(scale=scale).bind(X * factor, y)


def test_every_subset_of_more_columns_than_a_block_has_a_value(monkeypatch):
    """In blocks of any size."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 13)), np.arange(6) % 2
    values = rann_all_subsets(X, y, n_hidden=2)
    assert values.shape == (2**13,)
    assert not np.isnan(values[1:]).any()
    J = RANNAccuracy(n_hidden=2).bind(X, y)
    masks = np.append(rng.integers(1, 2**13, 200), [4096, 4097, 8191])
    subsets = [tuple(np.flatnonzero(m >> np.arange(13) & 1).tolist()) for m in masks]
    assert_array_equal(J.score(subsets), values[masks])
    for numbers in (1, 7 * 12):
        monkeypatch.setattr("fscore.criteria.rann.MAX_ENTRIES", numbers)
        assert_array_equal(J.score(subsets[:20]), values[masks[:20]])


def test_small_subsets_of_many_columns_take_the_memory_of_their_own():
    X, y = np.random.default_rng(0).normal(size=(20, 4000)), np.arange(20) % 2
    J = RANNAccuracy().bind(X, y)
    tracemalloc.start()
    scores = J.score([(c,) for c in range(64)])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6, "weights of all columns for each of the subsets take 41 MB"
    assert_array_equal(scores, np.concatenate([J.score([(c,)]) for c in range(64)]))


@pytest.mark.parametrize(("loader", "step"), [(load_iris, 3), (load_breast_cancer, 8)])
def test_leave_one_out_accuracy_equals_scikit_learn(loader, step):
    X, y = loader(return_X_y=True)
    X, y = (X + np.random.default_rng(0).normal(scale=1e-6, size=X.shape))[::step], y[::step]  # no equal distances
    knn = KNeighborsClassifierCV().fit(X, y)
    scores = [cross_val_score(KNeighborsClassifier(k), X, y, cv=LeaveOneOut()).mean() for k in knn.n_neighbors]
    assert_allclose(knn.scores_, scores)
    assert knn.n_neighbors_ == knn.n_neighbors[int(np.argmax(np.round(scores, 9)))]
    assert_array_equal(knn.predict(X), KNeighborsClassifier(knn.n_neighbors_).fit(X, y).predict(X))
