"""Mutual information of frequencies and normal scores: bounds, invariances, closed forms and other estimators."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import entropy, gaussian_kde, norm, rankdata
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.metrics import mutual_info_score

from fscore.filters import MIFS, MRMR, mutual_information, mutual_information_regression, pairwise_mutual_information

BANDWIDTHS = ["normal_reference", "adaptive"]


def entropy_of(x):
    return entropy(np.unique(x, return_counts=True)[1])


def columns_of_every_kind(rng, n):
    """Numbers, codes, zeros beside numbers, rounded numbers and weeks; some depend on each other."""
    z, code, binary = rng.normal(size=n), rng.integers(0, 12, n), rng.integers(0, 2, n)
    return np.column_stack(
        [
            z,
            z**3 + rng.normal(size=n),
            np.exp(3 * rng.normal(size=n)),
            code,
            code % 2 + 0.3 * rng.normal(size=n),
            binary,
            np.where(rng.random(n) < 0.1, 1 - binary, binary),
            np.where(binary, 0.0, rng.exponential(size=n)),
            np.round(2 * z),
            np.arange(n) // 7,
        ]
    )


MAPS = {
    "cube": lambda x: x**3,
    "arc tangent": np.arctan,
    "logarithm": lambda x: np.log(x - x.min() + 1),
    "sign and root": lambda x: np.sign(x) * np.sqrt(np.abs(x)),
    "another unit": lambda x: 1e6 * x - 3,
    "downwards": lambda x: -x,
}


@given(
    st.integers(0, 10**6),
    st.integers(8, 200),
    st.sampled_from(BANDWIDTHS),
    st.lists(st.sampled_from(sorted(MAPS)), min_size=10, max_size=10),
)
@settings(max_examples=12, deadline=None)
def test_information_is_bounded_symmetric_and_of_ranks_only(seed, n, bandwidth, maps):
    rng = np.random.default_rng(seed)
    X = columns_of_every_kind(rng, n)
    mapped = np.column_stack([MAPS[name](x) for name, x in zip(maps, X.T, strict=True)])
    kept = [k for k in range(10) if len(np.unique(mapped[:, k])) == len(np.unique(X[:, k]))]  # no values fell together
    order, tolerance = rng.permutation(n), 1e-8 if bandwidth == "normal_reference" else 1e-3
    y = rng.integers(0, 3, n)
    y[:3] = 0, 1, 2
    target = X[:, 1] + rng.standard_t(2, size=n)
    for score in (
        lambda X: pairwise_mutual_information(X, bandwidth=bandwidth),
        lambda X: mutual_information(X, y, bandwidth=bandwidth),
        lambda X: mutual_information(X, y, mode="joint2d", bandwidth=bandwidth),
        lambda X: mutual_information_regression(X, target, bandwidth=bandwidth),
    ):
        assert_allclose(score(mapped[:, kept]), score(X[:, kept]), atol=tolerance)
    shared = pairwise_mutual_information(X, bandwidth=bandwidth)
    entropies = np.array([entropy_of(x) for x in X.T])
    assert shared.min() >= 0
    assert np.all(shared <= np.minimum(entropies, entropies[:, None]) + 1e-12)
    assert_allclose(pairwise_mutual_information(X, X[:, ::-1], bandwidth=bandwidth)[:, ::-1], shared.T, atol=tolerance)
    assert_allclose(pairwise_mutual_information(X[order], bandwidth=bandwidth), shared, atol=tolerance)
    for mode in ("class_conditional", "joint2d"):
        values = mutual_information(X, y, mode=mode, bandwidth=bandwidth)
        renamed = np.array(list("cab" if mode == "class_conditional" else "abc"))[y[order]]  # the plane has an order
        assert_allclose(mutual_information(X[order], renamed, mode=mode, bandwidth=bandwidth), values, atol=tolerance)
        assert_array_equal(mutual_information(X[:, ::-1], y, mode=mode, bandwidth=bandwidth)[::-1], values)
        assert values.min() >= 0
        assert np.all(values <= np.minimum(entropies, entropy_of(y)) + 1e-12)
    values = mutual_information_regression(X, target, bandwidth=bandwidth)
    assert np.all((values >= 0) & (values <= entropies + 1e-12))
    moved = mutual_information_regression(X[order], 3 - 2 * target[order], bandwidth=bandwidth)
    assert_allclose(moved, values, atol=tolerance)


@given(st.integers(0, 10**6), st.integers(2, 15), st.integers(2, 15), st.integers(300, 600))
@settings(max_examples=40, deadline=None)
def test_what_repeats_has_the_information_of_its_frequencies(seed, n_values, n_others, n):
    """Whatever the values are, beside a class, as a pair and as a target of regression."""
    rng, n = np.random.default_rng(seed), max(n, 6 * n_values * n_others)
    code = rng.integers(0, n_values, n)
    other = np.where(rng.random(n) < 0.5, code % n_others, rng.integers(0, n_others, n))
    assume(np.median(np.bincount(other)) >= n**0.4)  # else the values of z may not repeat often enough
    x = np.sort(rng.lognormal(sigma=3, size=n_values))[rng.permutation(n_values)[code]]
    z = rng.normal(size=n_others)[other]
    expected = mutual_info_score(code, other)
    for found in (
        mutual_information(x[:, None], other),
        mutual_information(x[:, None], other, mode="joint2d"),
        mutual_information_regression(x[:, None], z),
        pairwise_mutual_information(x[:, None], z[:, None])[0],
    ):
        assert found[0] == pytest.approx(expected, abs=1e-12)
    assert_allclose(pairwise_mutual_information(x[:, None])[0, 0], entropy_of(x), rtol=1e-12)


@pytest.mark.parametrize(("n_codes", "n"), [(12, 730), (24, 700), (40, 1200)])
def test_a_code_of_many_values_counts_by_its_frequencies(n_codes, n):
    """The class is the parity of a month, an hour or a number of a store, which no density over the codes can tell."""
    code = np.random.default_rng(0).integers(0, n_codes, n)
    y = code % 2
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=len(y)) + 1.2 * y, code])
    assert mutual_information(X, y)[1] == pytest.approx(mutual_info_score(code, y), abs=0.005)
    for selector in (MRMR(1), MIFS(1), MRMR(1, mode="joint2d")):
        assert selector.fit(X, y).order_.tolist() == [1]


def test_zeros_beside_numbers_by_the_chain_rule():
    """Half of the samples are zero, more often in one class; the others are log-normal, shifted by the class."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 2000)
    is_zero = rng.random(4000) < np.where(y == 0, 0.7, 0.3)
    x = np.where(is_zero, 0.0, np.exp(2 * rng.normal(size=4000) + 2 * y))
    t = np.linspace(-10, 15, 20001)
    joint = np.array([0.3 * norm.pdf(t, 0, 2), 0.7 * norm.pdf(t, 2, 2)])
    density = np.trapezoid(np.sum(joint * np.log(joint / (joint.sum(axis=0) * [[0.3], [0.7]])), axis=0), t)
    expected = mutual_info_score(is_zero, y) + np.mean(~is_zero) * density
    assert mutual_information(x[:, None], y)[0] == pytest.approx(expected, abs=0.01)


def class_information(shift):
    """Of two normal classes of variance 1 and equal size, by quadrature."""
    t = np.linspace(-12, 12 + shift, 40001)
    p, q = norm.pdf(t), norm.pdf(t, shift)
    return np.trapezoid(0.5 * (p * np.log(2 * p / (p + q)) + q * np.log(2 * q / (p + q))), t)


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 1.5, 3.0, 6.0])
def test_normal_classes(shift):
    """The mean over ten samples of 600 is within the documented bias: blurring lowers it, fluctuations raise it."""
    rng, y = np.random.default_rng(0), np.tile([0, 1], 300)
    X = rng.normal(size=(600, 10)) + shift * y[:, None]
    found = mutual_information(X, y).mean()
    assert -0.03 < found - class_information(shift) < 0.01
    assert_allclose(mutual_information(np.exp(3 * X), y), mutual_information(X, y), atol=1e-9)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, -0.9, 0.99])
def test_a_bivariate_normal_pair(correlation):
    """-ln(1 - rho^2) / 2; also of log-normal columns, of which values show little."""
    rng = np.random.default_rng(0)
    x, z = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], 2000).T
    expected = -np.log(1 - correlation**2) / 2
    for pair in ([x, z], [np.exp(3 * x), z], [np.exp(2 * x), np.exp(3 * z)]):
        found = pairwise_mutual_information(np.transpose(pair))[0, 1]
        assert found == pytest.approx(expected, abs=0.03)
        assert mutual_information_regression(pair[0][:, None], pair[1])[0] == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("n", [20, 300])
def test_pairs_equal_the_integral_of_scipys_density_of_their_normal_scores(n):
    """Smoothing of samples that are divided between grid points is within 1e-4 of summing their kernels."""
    rng = np.random.default_rng(n)
    x = rng.standard_t(2, size=n)
    for z in (rng.normal(size=n), x + rng.normal(size=n), -x + 0.5 * rng.normal(size=n), x**2 + rng.normal(size=n)):
        scores = norm.ppf((rankdata(np.array([x, z]), axis=1) - 0.5) / n)
        h = scores.std(axis=1, ddof=1) * n ** (-1 / 6)
        axes = [np.linspace(v.min() - 7 * w, v.max() + 7 * w, 300) for v, w in zip(scores, h, strict=True)]
        joint = gaussian_kde(scores, n ** (-1 / 6))(np.array(np.meshgrid(*axes, indexing="ij")).reshape(2, -1))
        joint = joint.reshape(300, 300) / joint.sum()
        product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        expected = np.sum(joint * np.log((joint + 1e-300) / (product + 1e-300)))
        found = pairwise_mutual_information(x[:, None], z[:, None])[0, 0]
        assert found == pytest.approx(expected, abs=1e-4)
        assert pairwise_mutual_information(x[:, None], z[:, None], n_grid=300)[0, 0] == pytest.approx(
            expected, abs=1e-5
        )


def test_scikit_learns_estimator_agrees():
    """By nearest neighbors, on numbers, codes and both; its standard deviation is about 0.02 here."""
    rng = np.random.default_rng(0)
    n, y = 2000, np.arange(2000) % 3
    X = np.column_stack([rng.normal(size=n) + y, np.exp(rng.normal(size=n) + y), rng.normal(size=n), (y + 1) ** 2])
    X[:200, 3] = 4.0
    found = mutual_information(X, y)
    assert_allclose(found[:3], mutual_info_classif(X[:, :3], y, random_state=0), atol=0.05)
    assert found[3] == pytest.approx(mutual_info_score(X[:, 3], y))
    target = X[:, 0] + rng.normal(size=n)
    found = mutual_information_regression(X, target)
    theirs = mutual_info_regression(X, target, discrete_features=[3], random_state=0)
    assert_allclose(found, theirs, atol=0.05)


def test_heavy_tails_are_not_informative():
    """An informative column comes first among log-normal noise, in twenty samples of 200."""
    rng, noise = np.random.default_rng(0), []
    for _ in range(20):
        y = rng.integers(0, 2, 200)
        X = np.column_stack([rng.normal(size=200) + y, np.exp(3 * rng.normal(size=(200, 9)))])
        found = mutual_information(X, y)
        assert found.argmax() == 0
        noise.append(found[1:])
    assert np.mean(noise) < 0.015
    assert mutual_information(X, y, density="values")[1:].mean() > 0.05


def test_a_number_that_tells_a_binary_column():
    """10 b + noise determines b: at most ln 2, and no less than by scikit-learn's estimator but for the blur."""
    rng = np.random.default_rng(0)
    b = rng.integers(0, 2, 600)
    number = 10.0 * b + rng.normal(size=600)
    for found in (
        mutual_information_regression(b[:, None], number)[0],
        pairwise_mutual_information(np.column_stack([b, number]))[0, 1],
        mutual_information(number[:, None], b)[0],
    ):
        assert entropy_of(b) - 0.03 < found <= entropy_of(b)


def test_a_table_of_too_many_cells_is_not_counted():
    """Independent columns of a hundred values each: their frequencies share two nats."""
    X = np.random.default_rng(0).integers(0, 100, size=(1500, 2))
    assert mutual_info_score(X[:, 0], X[:, 1]) > 1.5
    assert pairwise_mutual_information(X)[0, 1] < 0.1  # the documented bias
    as_categories = pairwise_mutual_information(X, discrete_features=True)[0, 1]
    assert as_categories == pytest.approx(mutual_info_score(X[:, 0], X[:, 1]))


def test_few_samples():
    """Two, and fewer others than classes."""
    assert_allclose(mutual_information([[0.0], [1.0]], [0, 1]), np.log(2))
    x = np.r_[np.zeros(8), 1.5, 2.5]
    found = mutual_information(np.column_stack([x, x]), np.r_[np.zeros(8, int), 1, 2])
    assert_allclose(found, entropy([0.8, 0.1, 0.1]), rtol=1e-12)
    assert pairwise_mutual_information(np.column_stack([x, np.ones(10)]))[0, 1] == 0
