"""The Relief family against hand computation, plain implementations, theory, and its invariances."""

import importlib

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification

from fscore.filters import multisurf, relief, relieff, rrelieff, surf
from fscore.kernels.relief import near_sums

# Plain implementations, from the differences of all pairs of samples in every feature, an array of three dimensions.


def differences(X, power=1):
    """Of numbers without missing values."""
    Z = X / np.ptp(X, axis=0)
    return np.abs(Z[:, None] - Z) ** power


def by_distance(pairs, i, among):
    """Samples in the order of their distance to sample i, the earlier of equal ones first."""
    others = np.flatnonzero(among & (np.arange(len(pairs)) != i))
    return others[np.argsort(pairs[i, others].sum(axis=1).round(12), kind="stable")]


def plain_relief(pairs, y):
    """Algorithm 1, one instance at a time."""
    w = 0
    for i in range(len(y)):
        hit, miss = (by_distance(pairs, i, among)[0] for among in (y == y[i], y != y[i]))
        w = w + (pairs[i, miss] - pairs[i, hit]) / len(y)
    return w


def plain_relieff(pairs, y, k):
    """Algorithm 2 with n = k, one instance at a time."""
    w = 0
    for i in range(len(y)):
        for c in np.unique(y):
            factor = -1 if c == y[i] else np.mean(y == c) / (1 - np.mean(y == y[i]))
            w = w + factor * pairs[i, by_distance(pairs, i, y == c)[:k]].sum(axis=0) / (len(y) * k)
    return w


def plain_rrelieff(pairs, y, k, sigma=None):
    """Figure 3 of Robnik-Sikonja & Kononenko (2003), one instance at a time."""
    t = (y - y.min()) / np.ptp(y)
    N_y, N_f, N_yf = 0.0, 0.0, 0.0
    influence = np.ones(k) if sigma is None else np.exp(-((np.arange(1, k + 1) / sigma) ** 2))
    for i in range(len(y)):
        for d, j in zip(influence / influence.sum(), by_distance(pairs, i, True)[:k], strict=True):
            N_y = N_y + abs(t[i] - t[j]) * d
            N_f = N_f + pairs[i, j] * d
            N_yf = N_yf + abs(t[i] - t[j]) * pairs[i, j] * d
    return N_yf / N_y - (N_f - N_yf) / (len(y) - N_y)


def plain_surf(pairs, y, multi):
    """Mean differences to near misses less those to near hits, one sample at a time."""
    distances, n = pairs.sum(axis=2), len(y)
    others = ~np.eye(n, dtype=bool)
    total = 0
    for i in range(n):
        own = distances[i, others[i]]
        threshold = own.mean() - own.std() / 2 if multi else distances[others].mean()
        near = others[i] & (distances[i] < threshold)
        for group, sign in (near & (y != y[i]), 1), (near & (y == y[i]), -1):
            if group.any():
                total = total + sign * pairs[i, group].mean(axis=0)
    return total / n


@pytest.mark.parametrize("name", ["iris", "breast cancer", "unequal classes", "many features"])
def test_equal_to_the_plain_algorithm(name):
    X, y = {
        "iris": lambda: load_iris(return_X_y=True),
        "breast cancer": lambda: load_breast_cancer(return_X_y=True),
        "unequal classes": lambda: make_classification(
            300, 6, n_informative=4, n_classes=3, weights=[0.6, 0.3, 0.1], random_state=0
        ),
        "many features": lambda: make_classification(80, 700, random_state=0),
    }[name]()
    X = X + np.random.default_rng(0).normal(scale=1e-6, size=X.shape)  # no ties of distances
    pairs = differences(X)
    assert_allclose(relief(X, y), plain_relief(pairs**2, y), atol=1e-13)
    assert_allclose(relief(X, y, difference="absolute"), plain_relief(pairs, y), atol=1e-13)
    assert_allclose(relieff(X, y), plain_relieff(pairs, y, 10), atol=1e-13)
    assert_allclose(relieff(X, y, n_neighbors=3), plain_relieff(pairs, y, 3), atol=1e-13)


def test_ties_go_to_the_earlier_sample():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    assert_array_equal(relief(X, [0, 0, 1, 1]), [1, -1])
    X, y = load_iris(return_X_y=True)  # full of equal distances
    X = np.round(X)  # with all neighbors, their order doesn't matter
    assert_allclose(relieff(X, y, n_neighbors=49).sum(), plain_relieff(differences(X), y, 49).sum())


@given(st.integers(0, 10**6), st.integers(2, 35), st.booleans())
@settings(max_examples=60, deadline=None)
def test_close_distances_are_in_the_order_of_double_precision(seed, digits, categories):
    """Differences are multiples of 2^-digits, with many that differ in the last ones; their sums are exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 4, size=(60, 6)) + rng.integers(-3, 4, size=(60, 6)) * 2.0**-digits
    X[rng.random(60) < 0.3] = X[2]
    X[0], X[1], y = 0, 4, rng.permutation(60) % 3
    nominal = np.arange(6) % 3 == 0 if categories else np.zeros(6, bool)
    pairs = np.where(nominal, X[:, None] != X, differences(X))
    options = {"discrete_features": nominal}
    assert_allclose(relieff(X, y, n_neighbors=5, **options), plain_relieff(pairs, y, 5), atol=1e-13)
    assert_allclose(relief(X, y, difference="absolute", **options), plain_relief(pairs, y), atol=1e-13)
    if digits < 18:  # squares have twice as many
        assert_allclose(relief(X, y, **options), plain_relief(pairs**2, y), atol=1e-13)


def scores_of_all(X, y, **options):
    """Scores of the whole family; those with a number of neighbors take three."""
    return {
        "relief": relief(X, y, **options),
        "relieff": relieff(X, y, n_neighbors=3, **options),
        "squared": relieff(X, y, n_neighbors=3, difference="squared", **options),
        "sampled": relieff(X, y, n_neighbors=3, n_iterations=20, random_state=0, **options),
        "rrelieff": rrelieff(X, y, n_neighbors=3, **options),
        "surf": surf(X, y, **options),
        "multisurf": multisurf(X, y, **options),
    }


@pytest.mark.parametrize("n_jobs", [2, 8])
@pytest.mark.parametrize("kind", ["numbers", "ties", "mixed"])
def test_threads_and_parts_change_no_bit(kind, n_jobs, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(75, 7)), np.arange(75) % 3
    if kind != "numbers":
        X = np.round(X)
    if kind == "mixed":
        X[rng.random(X.shape) < 0.1] = np.nan
    options = {"discrete_features": [1, 3] if kind == "mixed" else False}
    alone = scores_of_all(X, y, **options)
    for name, small in ("MIN_WORK_PER_THREAD", 100), ("MAX_DISTANCES", 40 * 75):
        monkeypatch.setattr(importlib.import_module("fscore.filters.relief"), name, small)
    shared = scores_of_all(X, y, n_jobs=n_jobs, **options)
    for name, scores in alone.items():
        assert_array_equal(scores, shared[name], err_msg=name)


# --- categories and missing values ----------------------------------------------------------------------------------


def plain_difference(x, z, class_x, class_z, values, classes, nominal, power):
    """Difference in one feature. A missing value stands for the known values of its sample's class, equally likely."""

    def possible(v, c):
        return values[(classes == c) & ~np.isnan(values)] if np.isnan(v) else np.array([v])

    a, b = possible(x, class_x)[:, None], possible(z, class_z)
    return np.mean(a != b) if nominal else np.mean(np.abs(a - b) ** power)


def plain_differences(X, classes, nominal, power=1):
    """Differences of all pairs in every feature, shape (n_samples, n_samples, n_features)."""
    span = np.nanmax(X, axis=0) - np.nanmin(X, axis=0)
    Z = np.where(nominal, X, X / span)
    n, d = X.shape
    return np.array([
        [[plain_difference(Z[i, f], Z[j, f], classes[i], classes[j], Z[:, f], classes, nominal[f], power)
          for f in range(d)] for j in range(n)]
        for i in range(n)
    ])  # fmt: skip


def sample_of_mixed_columns(seed, share_missing):
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 5)) + y[:, None] * [1, 0, 0, 0.5, 0]
    X[:, 2], X[:, 4] = rng.integers(5, size=40), (y + rng.integers(2, size=40)) % 4
    X[rng.random(X.shape) < share_missing] = np.nan
    return X, y, np.array([False, False, True, False, True])


@pytest.mark.parametrize("share_missing", [0.0, 0.15])
@pytest.mark.parametrize("seed", [0, 1])
def test_categories_and_missing_values_as_kononenko_defined_them(seed, share_missing):
    X, y, nominal = sample_of_mixed_columns(seed, share_missing)
    for power, difference in (1, "absolute"), (2, "squared"):
        expected = plain_relieff(plain_differences(X, y, nominal, power), y, 4)
        found = relieff(X, y, n_neighbors=4, difference=difference, discrete_features=nominal)
        assert_allclose(found, expected, atol=1e-12)


def test_missing_values_of_a_regression():
    """All values of the feature stand for a missing one."""
    X, _, nominal = sample_of_mixed_columns(0, 0.15)
    target = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 4])
    expected = plain_rrelieff(plain_differences(X, np.zeros(40), nominal), target, 5)
    found = rrelieff(X, target, n_neighbors=5, sigma=None, discrete_features=nominal)
    assert_allclose(found, expected, atol=1e-12)


def test_names_of_categories_do_not_matter():
    X, y, nominal = sample_of_mixed_columns(3, 0.1)
    expected = scores_of_all(X, y, discrete_features=nominal)
    frame = pd.DataFrame(X, columns=list("abcde"))
    words = {"c": np.array(["x", "B", "rot", "2", "-"]), "e": np.array(["N", "E", "S", "W"])}
    for name, names in words.items():
        known = frame[name].notna()
        frame[name] = pd.Series(np.where(known, names[frame[name].fillna(0).astype(int)], None), dtype="category")
    texts = frame.astype({"c": object, "e": object})
    for sample, options in (
        (frame, {}),
        (texts, {"discrete_features": ["c", "e"]}),
        (texts.to_numpy(), {"discrete_features": [2, -1]}),
        (np.where(nominal, X * 2.0**-100, X), {"discrete_features": nominal}),
    ):
        for name, scores in scores_of_all(sample, y, **options).items():
            assert_allclose(scores, expected[name], atol=1e-12, err_msg=name)


def test_categories_of_polars():
    X, y, nominal = sample_of_mixed_columns(3, 0.0)
    texts = pd.DataFrame(X, columns=list("abcde")).astype({"c": str, "e": str})
    expected = relieff(X, y, n_neighbors=3, discrete_features=nominal)
    other = pl.DataFrame(texts.to_dict("list")).with_columns(pl.col("c", "e").cast(pl.Categorical))
    assert_allclose(relieff(other, y, n_neighbors=3), expected, atol=1e-12)


# --- SURF and MultiSURF ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("score", [surf, multisurf])
def test_all_pairs_of_many_samples_take_several_short_calls(score, monkeypatch):
    """Ctrl-C acts between them; they change no score."""
    X, y = load_iris(return_X_y=True)
    expected, kernel, n_calls = score(X, y), near_sums, []
    monkeypatch.setattr("fscore.kernels.relief.near_sums", lambda *given: n_calls.append(1) or kernel(*given))
    monkeypatch.setattr(importlib.import_module("fscore.filters.relief"), "WORK_PER_CALL", 150**2)
    assert_array_equal(score(X, y), expected)
    assert len(n_calls) == 4


@pytest.mark.parametrize(("multi", "score"), [(False, surf), (True, multisurf)])
@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_surf_equals_the_plain_algorithm(multi, score, share_missing):
    """Checked once against fast-select 0.3 (equal to its single precision) and skrebate 0.8.4 (equal for two classes,
    but for SURF on numbers, where skrebate's mean distance counts pairs of a sample with itself)."""
    X, y, nominal = sample_of_mixed_columns(5, share_missing)
    assert_allclose(
        score(X, y, discrete_features=nominal), plain_surf(plain_differences(X, y, nominal), y, multi), atol=1e-12
    )
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[100:160, :6], y[100:160]
    assert_allclose(score(X, y), plain_surf(differences(X), y, multi), atol=1e-12)


def test_samples_at_equal_distances_are_not_near():
    X, y = np.eye(6) * 0.1, np.arange(6) % 2
    assert_array_equal(surf(X, y), np.zeros(6))
    assert_array_equal(multisurf(X, y), np.zeros(6))


def test_sampling_is_seeded_and_may_take_all_samples():
    X, y = load_breast_cancer(return_X_y=True)
    once = relief(X, y, n_iterations=50, random_state=1)
    assert_array_equal(once, relief(X, y, n_iterations=50, random_state=1))
    assert not np.array_equal(once, relief(X, y, n_iterations=50, random_state=2))
    assert_allclose(relief(X, y, n_iterations=len(X), random_state=0), relief(X, y))


# --- RReliefF -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "sigma"), [(10, 20.0), (30, 5.0), (1, 1.0), (3, 0.5)])
def test_rrelieff_equals_the_plain_algorithm(k, sigma):
    X, y = load_diabetes(return_X_y=True)
    X = X + np.random.default_rng(0).normal(scale=1e-7, size=X.shape)  # no ties of distances
    assert_allclose(rrelieff(X, y, n_neighbors=k, sigma=sigma), plain_rrelieff(differences(X), y, k, sigma), atol=1e-13)


@given(st.integers(0, 10**6), st.floats(0.1, 1e3), st.floats(-1e3, 1e3))
@settings(max_examples=20, deadline=None)
def test_rrelieff_invariances_and_bounds(seed, scale, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 4))
    y = X[:, 0] + rng.normal(size=40)
    w = rrelieff(X, y)
    assert np.all(np.abs(w) <= 1)
    assert_allclose(rrelieff(X * scale + shift, shift - scale * y), w, atol=1e-9)
    assert_allclose(rrelieff(X[:, ::-1], y)[::-1], w, atol=1e-12)
    order = rng.permutation(40)
    assert_allclose(rrelieff(X[order], y[order]), w, atol=1e-12)
    assert_allclose(rrelieff(X, y, n_iterations=40, random_state=0), w, atol=1e-12)
    for sigma in (1e-310, 1e-5, 1e-3):
        assert_allclose(rrelieff(X, y, sigma=sigma), rrelieff(X, y, n_neighbors=1), atol=1e-12)
    assert_allclose(rrelieff(X, y, sigma=1e300), rrelieff(X, y, sigma=None))


def test_rrelieff_of_degenerate_samples():
    X, y = np.repeat([[0.0, 0], [1, 1]], 6, axis=0), np.repeat([0.0, 1], 6)
    assert_array_equal(rrelieff(X, y, n_neighbors=5), [0, 0])  # no neighbors differ in the target, nor in a feature
    X, y = np.array([[0.0], [0.1], [1], [1.1]]), np.array([0.0, 1, 0, 1])
    assert_allclose(rrelieff(X, y, n_neighbors=1), 0.1 / 1.1)  # all neighbors differ by the range of the target
    X, y = load_diabetes(return_X_y=True)
    assert rrelieff(np.column_stack([X, np.ones(len(X))]), y)[-1] == 0
    for unit in (1e-300, 1e160):
        assert_allclose(rrelieff(X * unit, y / unit), rrelieff(X, y), atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: relieff(X, y, n_neighbors=50), "^class 0 has 50 samples, but n_neighbors=50 needs 51 in each"),
        (lambda X, y: relief(X[:51], y[:51]), "^class 1 has one sample, but each class needs two"),
        (lambda X, y: relieff(X[:51], y[:51], n_neighbors=1), "class 1 has one sample, .*needs two"),
        (lambda X, y: relief(X, y, n_iterations=200), "^n_iterations=200 exceeds the 150 samples, which are drawn"),
        (lambda X, y: relieff(X, y, difference="cubed"), "'difference' parameter"),
        (lambda X, y: relieff(X, y, discrete_features=[4]), r"discrete_features=\[4\] must be numbers or names"),
        (lambda X, y: relieff(X, y, discrete_features=[True, False]), r"^discrete_features is a mask of 2 entries"),
        (lambda X, y: relieff(csr_array(X), y, discrete_features=True), "^Sparse data was passed for X"),
        (lambda X, y: relieff(X, y, discrete_features="some"), "'discrete_features' parameter"),
        (lambda X, y: rrelieff(X, y, n_neighbors=150), "n_neighbors=150 needs at least 151 samples, but X has 150"),
        (lambda X, y: rrelieff(X, y, n_iterations=151), "n_iterations=151 exceeds the 150 samples"),
        (lambda X, y: rrelieff(X, y, sigma=0), "'sigma' parameter"),
        (lambda X, y: rrelieff(X, np.array(["a", "b"], dtype=object)[y % 2]), "^y holds 'a', which is not a number"),
        (lambda X, y: rrelieff(X, np.where(y > 1, np.inf, y).astype(object)), "^Input y contains infinity"),
    ],
)
def test_errors_name_the_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call(*load_iris(return_X_y=True))


def test_standard_errors_over_the_sampled_anchors():
    """They are the deviations of the scores over draws, and those of the mean over anchors by hand."""
    X, y = make_classification(400, 6, n_informative=3, n_redundant=0, random_state=0)
    everyone, none = relieff(X, y, return_errors=True)
    assert_array_equal(none, 0)
    draws = [relieff(X, y, n_iterations=80, random_state=seed, return_errors=True) for seed in range(60)]
    scores, errors = (np.array(values) for values in zip(*draws, strict=True))
    assert_array_equal(scores[3], relieff(X, y, n_iterations=80, random_state=3))
    assert_allclose(scores.std(axis=0), errors.mean(axis=0), rtol=0.3)
    z = (scores - everyone) / errors
    assert np.mean(np.abs(z) < 2) > 0.9
    alone = np.array([relieff(X, y, n_iterations=1, random_state=seed) for seed in range(400)])
    one, unknown = relieff(X, y, n_iterations=1, random_state=0, return_errors=True)
    assert_array_equal(one, alone[0])
    assert np.isnan(unknown).all()
    expected = alone.std(axis=0, ddof=1) / np.sqrt(80) * np.sqrt(0.8)
    assert_allclose(errors.mean(axis=0), expected, rtol=0.15)


def test_standard_errors_hold_among_samples_at_equal_distances():
    """Which of them count as nearest doesn't depend on which are drawn."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(200, 5))
    y = (X[:, 0] + 0.5 * rng.normal(size=200) > 0.5).astype(int)
    draws = [relieff(X, y, n_iterations=190, random_state=seed, return_errors=True) for seed in range(60)]
    scores, errors = (np.array(values) for values in zip(*draws, strict=True))
    assert_allclose(np.sqrt(((scores - relieff(X, y)) ** 2).mean(axis=0)), errors.mean(axis=0), rtol=0.3)


def test_nan_beside_words_in_a_list_is_missing():
    rows = [["ab"[i % 2], float(i)] for i in range(12)]
    rows[3][0] = rows[8][0] = float("nan")
    y = [0, 0, 1, 1] * 3
    frame = pd.DataFrame(rows).astype({0: "category"})
    options = {"n_neighbors": 2, "discrete_features": [0]}
    assert_array_equal(relieff(rows, y, **options), relieff(frame, y, **options))


def test_standard_errors_of_categories_and_missing_values():
    X, y = make_classification(200, 4, random_state=0)
    X[:, 1] = np.round(X[:, 1])
    options = {"n_iterations": 50, "random_state": 0, "discrete_features": [1], "return_errors": True}
    known = relieff(X, y, **options)
    X[7, 2] = np.nan
    scores, errors = relieff(X, y, **options)
    assert np.all(errors > 0)
    assert_allclose(errors, known[1], rtol=0.2)
    for threads in (1, 2):
        assert_array_equal(relieff(X, y, n_jobs=threads, **options), [scores, errors])
