"""Mutual information by densities of the values, against scipy's densities, plain sums, exact values and its bounds."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import entropy, gaussian_kde, norm, spearmanr
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris

from fscore.filters import (
    MIFS,
    MRMR,
    bhattacharyya_score,
    fisher_score,
    information_gain,
    mutual_information,
    mutual_information_regression,
    pairwise_mutual_information,
)

BANDWIDTHS = ["normal_reference", "adaptive"]
information_of_values = partial(mutual_information, density="values")
pairs_of_values = partial(pairwise_mutual_information, density="values")


def plain_width(own):
    """Silverman's rule with the smaller of two spreads; the standard deviation if the quartiles coincide."""
    quartiles = np.subtract(*np.quantile(own, [0.75, 0.25])) / 1.349
    spread = min(own.std(ddof=1), quartiles) if quartiles > 0 else own.std(ddof=1)
    return spread * (4 / (3 * len(own))) ** 0.2


def plain_class_information(x, y, adaptive=False, n_grid=4001):
    """Frequencies of the values that a tenth of the samples share, and of the others densities of the classes by scipy.

    Silverman's factors are from the density of a sample's own class; the divergence of the classes from the mixture is
    found by quadrature.
    """
    values, counts = np.unique(x, return_counts=True)
    masses = values[counts >= max(len(x) / 10, 5)]
    rest = ~np.isin(x, masses)
    widths = {}
    for c in np.unique(y):
        own = x[rest & (y == c)]
        h = np.full(len(own), plain_width(own if np.ptp(own) > 0 else x[rest]) if len(own) else np.nan)
        if adaptive:
            pilot = norm.pdf(own[:, None], own, h).mean(axis=1)
            h *= np.sqrt(np.exp(np.log(pilot).mean()) / pilot)
        widths[c] = h
    margin = 6 * np.concatenate(list(widths.values())).max()
    t = np.linspace(x[rest].min() - margin, x[rest].max() + margin, n_grid)
    joint = np.array([norm.pdf(t[:, None], x[rest & (y == c)], h).sum(axis=1) / len(x) for c, h in widths.items()])
    table = np.array([[np.mean((x == value) & (y == c)) for value in masses] for c in widths])
    share = np.array([[np.mean(y == c)] for c in widths])
    density, frequency = (
        np.sum(p * np.log((p + 1e-300) / (p.sum(axis=0) * share + 1e-300)), axis=0) for p in (joint, table)
    )
    return np.trapezoid(density, t) + frequency.sum()


@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer])
def test_equal_to_scipy_densities(loader):
    X, y = loader(return_X_y=True)
    X = X[:, :10]
    expected = [plain_class_information(x, y) for x in X.T]
    assert_allclose(information_of_values(X, y), expected, rtol=1e-4, atol=1e-5)
    assert_allclose(information_of_values(X, y, n_grid=1000), expected, rtol=1e-5, atol=1e-5)
    adaptive = plain_class_information(X[:, 3], y, adaptive=True)
    assert information_of_values(X[:, 3:4], y, bandwidth="adaptive", n_grid=1000)[0] == pytest.approx(
        adaptive, rel=5e-4
    )
    assert expected[3] != pytest.approx(adaptive, rel=2e-3)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.linspace(0, 10, 4), np.linspace(9, 10, 6)),  # a narrow class does not cut the tails of a wide one
        ([0, 0, 0, 1, 1, 1], [0, 1, 2, 3, 40]),
        ([0, 0, 0, 0, 1], [2, 3, 3.5]),  # the quartiles coincide
        ([0, 1], [0.5, 2, 4]),
    ],
)
def test_classes_of_few_samples_equal_scipys_densities(first, second):
    x, y = np.r_[first, second].astype(float), np.repeat([0, 1], [len(first), len(second)])
    assert_allclose(information_of_values(x[:, None], y, n_grid=1000), plain_class_information(x, y), rtol=2e-3)


def integral_over_scipys_density(x, z):
    """I(x; z) by quadrature in the plane, with the sample's covariance as the shape of the kernels."""
    n, pair = len(x), np.array([x, z])
    h = pair.std(axis=1, ddof=1) * n ** (-1 / 6)
    axes = [np.linspace(v.min() - 7 * w, v.max() + 7 * w, 300) for v, w in zip(pair, h, strict=True)]
    joint = gaussian_kde(pair, n ** (-1 / 6))(np.array(np.meshgrid(*axes, indexing="ij")).reshape(2, -1))
    joint = joint.reshape(300, 300) / joint.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return np.sum(joint * np.log((joint + 1e-300) / (product + 1e-300)))


def columns_with_few_values():
    X = load_diabetes().data[:, [1, 9]]  # sex and glucose: two values, and 56
    rng = np.random.default_rng(0)
    few = np.column_stack([rng.integers(2, size=300), rng.integers(4, size=300), rng.normal(size=300)])
    few[:, 2] += few[:, 0] * few[:, 1]
    return [
        (X, 0.0255),
        (few, None),
        (load_iris().data[:, :3], None),
        (load_breast_cancer().data[::3, [0, 6, 3]], None),
    ]


@pytest.mark.parametrize(("X", "known"), columns_with_few_values())
def test_pairs_equal_the_integral_of_scipys_density(X, known):
    there, back = pairs_of_values(X), pairs_of_values(X[:, ::-1])[::-1, ::-1]
    for a, b in np.column_stack(np.triu_indices(X.shape[1], 1)):
        expected = integral_over_scipys_density(X[:, a], X[:, b])
        assert_allclose([there[a, b], back[a, b]], expected, atol=1e-5)
    if known:
        assert there[0, 1] == pytest.approx(known, abs=5e-5)
    assert_array_equal(there, there.T)


def samples_of_a_pair(kind, rng, n):
    z = rng.normal(size=n)
    x = {
        "few values": lambda: rng.integers(2, size=n) + 0.0,
        "outliers": lambda: np.exp(2 * rng.normal(size=n)),
        "related": lambda: np.exp(2 * z) + rng.normal(size=n),
        "one different": lambda: np.r_[5.0, np.zeros(n - 1)],
        "steps": lambda: np.floor(2 * z),
    }[kind]()
    return x, z


@given(
    st.integers(0, 10**6),
    st.sampled_from(["few values", "outliers", "related", "one different", "steps"]),
    st.integers(10, 1000),
    st.sampled_from(BANDWIDTHS),
)
@settings(max_examples=40, deadline=None)
def test_order_of_the_arguments(seed, kind, n, bandwidth):
    """I(x; z) = I(z; x), whichever of the two is regressed on the other, however far outliers are."""
    x, z = (v[:, None] for v in samples_of_a_pair(kind, np.random.default_rng(seed), n))
    if np.ptp(x) > 0:
        there = pairs_of_values(x, z, bandwidth=bandwidth)
        tolerance = 2e-5 if bandwidth == "normal_reference" else 1e-3
        assert_allclose(pairs_of_values(z, x, bandwidth=bandwidth).T, there, atol=tolerance)


def test_classes_on_a_coarse_grid_by_hand():
    """Kernels as narrow as the grid, which is 16 points from five widths below to five above."""
    x, y, h = np.linspace(0, 1, 16) ** 2, np.repeat([0, 1], 8), 1 / 5
    assert max(plain_width(x[y == c]) for c in (0, 1)) < h
    grid = np.linspace(-5 * h, 1 + 5 * h, 16)
    kernels = np.exp(-(((grid[:, None] - x) / h) ** 2) / 2)
    kernels /= 16 * kernels.sum(axis=0)
    joint = np.array([kernels[:, y == c].sum(axis=1) for c in (0, 1)])
    expected = np.sum(joint * np.log(joint / (joint.sum(axis=0) / 2)))
    assert_allclose(information_of_values(x[:, None], y, n_grid=16), expected, rtol=1e-12)


@pytest.mark.parametrize(("bandwidth", "rtol"), [("normal_reference", 1e-3), ("adaptive", 5e-3)])
def test_narrow_kernels_beside_wide_ones_and_values_far_out(bandwidth, rtol):
    """The range is 2000 widths of the narrow kernels; values a billion deviations away say no more than near ones.

    Silverman's factors come from a density that is interpolated from points a narrow kernel apart.
    """
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    x = np.r_[rng.normal(size=100), 0.02 * rng.normal(size=100)]
    x[:2] = 9, -9
    expected = plain_class_information(x, y, bandwidth == "adaptive", n_grid=20001)
    assert_allclose(information_of_values(x[:, None], y, bandwidth=bandwidth), expected, rtol=rtol)
    near, far = x.copy(), x.copy()
    near[:2], far[:2] = (90, -90), (1e9, -1e9)
    found = information_of_values(np.c_[near, far], y, bandwidth=bandwidth)
    assert_allclose(found, found[0], rtol=1e-6)
    assert found[0] > 0.5


def test_classes_whose_values_are_equal():
    """They are as wide as all classes together; if all are, the information is that of the frequencies."""
    rng = np.random.default_rng(0)
    x, y = np.r_[np.ones(4), rng.normal(size=96)], np.repeat([0, 1], [4, 96])
    assert_allclose(information_of_values(x[:, None], y), plain_class_information(x, y), rtol=1e-4)
    three = np.repeat([0, 1, 2], [60, 20, 20])
    constant = np.c_[three > 0, three].astype(float)
    assert_allclose(information_of_values(constant, three), [entropy([0.6, 0.4]), entropy([0.6, 0.2, 0.2])], rtol=1e-12)
    few = np.repeat([0.0, 1.0, 2.0, 3.0], 6)
    zero = np.r_[np.zeros(50), x[50:]]  # one class has no other values
    for bandwidth in BANDWIDTHS:
        found = information_of_values(zero[:, None], np.repeat([0, 1], 50), bandwidth=bandwidth)
        assert found[0] == pytest.approx(np.log(2))
    assert information_of_values(few[:, None], few < 2)[0] == pytest.approx(np.log(2))


def test_values_that_many_samples_share_count_by_their_frequencies():
    """Zeros beside numbers; and columns of few values, whose classes differ in spread alone."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 500)
    is_zero = rng.uniform(size=1000) < np.where(y == 0, 0.9, 0.5)
    x = np.where(is_zero, 0.0, rng.lognormal(size=1000))
    expected = np.sum([p * np.log(2 * p / (0.9 + 0.5)) / 2 for p in (0.9, 0.5)])
    expected += np.sum([p * np.log(2 * p / (0.1 + 0.5)) / 2 for p in (0.1, 0.5)])
    assert information_of_values(x[:, None], y)[0] == pytest.approx(expected, abs=0.02)
    X, y = load_digits(return_X_y=True)
    by_frequency = information_of_values(X, y, discrete_features=True)
    assert spearmanr(information_of_values(X, y), by_frequency).statistic > 0.95
    assert_allclose(information_of_values(X, y), by_frequency, atol=0.1)


def plain_pair_information(x, z, n_grid):
    """Kernels of the sample's covariance, no narrower than the grid, summed point by point; entropies of masses."""
    n, slope = len(x), np.polyfit(x, z, 1)[0]

    def masses(v, h):
        grid = np.linspace(v.min() - 5 * h, v.max() + 5 * h, n_grid)
        kernels = np.exp(-(((grid[:, None] - v) / h) ** 2) / 2)
        return kernels / kernels.sum(axis=0), grid[1] - grid[0]

    h = [max(v.std(ddof=1) * n ** (-1 / 6), np.ptp(v) / (n_grid - 11)) for v in (x, z - slope * x)]
    (along, step), (across, other), (own, cell) = (
        masses(x, h[0]),
        masses(z - slope * x, h[1]),
        masses(z, np.hypot(h[1], slope * h[0])),
    )
    joint = along @ across.T / n
    parts = [(along.mean(axis=1), step), (own.mean(axis=1), cell)]
    return sum(np.log(d) + entropy(p) for p, d in parts) - np.log(step * other) - entropy(joint.ravel())


@pytest.mark.parametrize("n_grid", [16, 64])
def test_few_samples_and_coarse_grids_equal_plain_sums(n_grid):
    rng = np.random.default_rng(0)
    x = rng.normal(size=12)
    pairs = [(x, x + rng.normal(size=12))]  # few samples: the unbiased variance matters
    x, z = np.zeros((2, 200))
    x[0], x[1], z[2] = 1.0, 0.3, 5.0  # the kernels are those of the grid
    pairs.append((x, z))
    for x, z in pairs:
        ours = pairs_of_values(x[:, None], z[:, None], n_grid=n_grid)[0, 0]
        assert_allclose(ours, plain_pair_information(x, z, n_grid), rtol=1e-9)


def plain_adaptive(samples, n_grid):
    """Silverman's adaptive kernel estimate in d dimensions: masses on a grid."""
    d, n = samples.shape
    root = np.linalg.cholesky(np.cov(samples).reshape(d, d)) * n ** (-1 / (d + 4))
    whitened = np.linalg.solve(root, samples)

    def density(points, factors):
        squares = ((points[:, :, None] - whitened[:, None, :]) ** 2).sum(axis=0)
        return (np.exp(-squares / factors**2 / 2) / factors**d).sum(axis=1)

    log_pilot = np.log(density(whitened, np.ones(n)))
    factors = np.exp((log_pilot.mean() - log_pilot) / 2)
    margin = 4 * factors.max() * np.sqrt((root**2).sum(axis=1))
    axes = [np.linspace(v.min() - m, v.max() + m, n_grid) for v, m in zip(samples, margin, strict=True)]
    points = np.array(np.meshgrid(*axes, indexing="ij")).reshape(d, -1)
    masses = density(np.linalg.solve(root, points), factors).reshape([n_grid] * d)
    return masses / masses.sum()


@pytest.mark.parametrize("seed", range(3))
def test_adaptive_pairs_equal_a_plain_estimate(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_t(4, size=150)
    pair = np.array([x, 0.5 * x**2 + 0.8 * x + rng.normal(size=150)])
    joint = plain_adaptive(pair, 200)
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    expected = np.sum(joint * np.log((joint + 1e-300) / (product + 1e-300)))
    fixed = pairs_of_values(pair[:1].T, pair[1:].T, n_grid=300)[0, 0]
    ours = pairs_of_values(pair[:1].T, pair[1:].T, bandwidth="adaptive", n_grid=300)[0, 0]
    assert ours == pytest.approx(expected, abs=0.002)
    assert abs(fixed - expected) > 0.03


@pytest.mark.parametrize("offset", [2.0**52, -(2.0**52)])
def test_a_column_far_from_zero_beside_a_wide_one(offset):
    """On either side of zero: its range is resolved, whatever the range of other columns."""
    X, y = load_iris(return_X_y=True)
    X = np.round(10 * X)  # exact in sums with the offset
    far = np.column_stack([X[:, 2] + offset, X[:, 3] * 2.0**55])
    assert_allclose(information_of_values(far, y), information_of_values(X[:, 2:], y), rtol=1e-9)


def test_exact_values():
    y = np.repeat([0, 1, 2], [10, 20, 30])
    entropy = -sum(p * np.log(p) for p in (1 / 6, 2 / 6, 3 / 6))
    X = np.column_stack([y * 10.0, np.ones(60), np.tile([0.0, 1.0], 30)])
    assert_allclose(mutual_information(X[:, :2], y), [entropy, 0], atol=1e-12)
    halves = np.repeat([0, 1], 30)  # of equal size, so with equal bandwidths and densities
    assert_allclose(mutual_information(X[:, 1:], halves), 0, atol=1e-12)
    assert pairwise_mutual_information(X)[1].max() < 1e-12
    assert_allclose(pairwise_mutual_information(X, bandwidth="adaptive")[1], 0)
    assert mutual_information(np.array([[0.0], [0], [0], [5]]), [0, 0, 0, 1])[0] == pytest.approx(0.5623, abs=1e-4)


def test_errors_name_the_bad_input():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="X has 150 samples and Z has 149"):
        pairwise_mutual_information(X, X[1:])
    with pytest.raises(ValueError, match="mode"):
        mutual_information(X, y, mode="histogram")


# --- a continuous target ------------------------------------------------------------------------------------------


def test_a_continuous_target_is_one_more_column():
    X, y = load_diabetes(return_X_y=True)
    for bandwidth in BANDWIDTHS:
        pairs = pairwise_mutual_information(X, y[:, None], bandwidth=bandwidth)[:, 0]
        assert_allclose(
            mutual_information_regression(X, y, bandwidth=bandwidth),
            pairs,
            atol=2e-5 if bandwidth == "normal_reference" else 1e-3,
        )
    X, y = load_iris(return_X_y=True)
    assert_array_equal(mutual_information_regression(X, y), mutual_information(X, y, mode="joint2d"))
    assert_array_equal(mutual_information_regression(np.column_stack([X, np.ones(150)]), X[:, 0])[-1], 0)


# --- categories -----------------------------------------------------------------------------------------------------


def sample_with_a_code(n=400):
    """The class is the parity of a code 0..15; a number is weakly related to it."""
    rng = np.random.default_rng(0)
    code = np.tile(np.arange(16), n // 16)
    return np.column_stack([code, code % 2 + 2 * rng.normal(size=n), rng.integers(3, size=n)]), code % 2


@pytest.mark.parametrize("mode", ["class_conditional", "joint2d"])
def test_a_category_has_the_information_of_its_frequencies(mode):
    X, y = sample_with_a_code()
    found = mutual_information(X, y, mode=mode, discrete_features=[0, 2])
    assert found[0] == pytest.approx(np.log(2))  # exact: the parity
    table = np.array([[np.mean((X[:, 2] == a) & (y == c)) for c in (0, 1)] for a in range(3)])
    product = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    assert found[2] == pytest.approx(np.sum(table * np.log(table / product)))
    assert found[1] == mutual_information(X[:, [1]], y, mode=mode)[0]
    assert mutual_information(X, y, mode=mode, density="values")[0] < 0.1  # as a number


@pytest.mark.parametrize("container", [np.asarray, np.ndarray.tolist, pd.DataFrame])
def test_codes_beyond_floats_are_categories_where_they_are_said_to_be(container):
    X, y = sample_with_a_code()
    small = X[:, [0, 2]].astype(np.int64)
    codes = container(small + 10**17)
    want = mutual_information(small, y, discrete_features=True)
    assert_array_equal(mutual_information(codes, y, discrete_features=True), want)
    assert information_gain(codes, y, discrete_features=True)[0] == pytest.approx(1.0)


def test_columns_of_category_type_are_discrete():
    X, y = sample_with_a_code()
    frame = pd.DataFrame(X, columns=["code", "number", "noise"])
    frame["code"] = pd.Categorical(np.array(list("klmnopqrstuvwxyz"))[X[:, 0].astype(int)])
    for score in (mutual_information, information_gain):
        named, numbered = score(frame, y), score(X, y, discrete_features=[True, False, False])
        assert_allclose(named, numbered, rtol=1e-12)
    assert information_gain(frame, y)[0] == pytest.approx(1.0)
    texts = MRMR(2, form="quotient", discrete_features=["code"]).fit(frame.astype({"code": str}), y)
    assert_array_equal(MRMR(2, form="quotient").fit(frame, y).order_, texts.order_)
    assert MIFS(1).fit(frame, y).get_feature_names_out().tolist() == ["code"]
    for score in (fisher_score, bhattacharyya_score):
        with pytest.raises(ValueError, match=r"Column 'code' of X holds categories, but .* compares means"):
            score(frame, y)
    frame.loc[3, "code"] = None
    with pytest.raises(ValueError, match="NaN"):
        mutual_information(frame, y)


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_pairs_of_categories_and_numbers(bandwidth):
    X, y = sample_with_a_code()
    both = pairwise_mutual_information(X, bandwidth=bandwidth, discrete_features=[0, 2])
    assert both[0, 0] == pytest.approx(np.log(16))  # the entropy
    assert both[0, 1] == mutual_information(X[:, [1]], X[:, 0], bandwidth=bandwidth)[0]
    assert_array_equal(both, both.T)
    found = mutual_information_regression(X[:, [0, 2]], X[:, 1], bandwidth=bandwidth, discrete_features=True)
    assert_array_equal(found, both[[0, 2], 1])
    redundancy = MRMR(3, bandwidth=bandwidth, discrete_features=[0, 2]).fit(X, y)
    assert redundancy.order_[0] == 0
    assert redundancy.scores_[1] == pytest.approx(np.max(redundancy.relevance_[1:] - both[0, 1:]))
