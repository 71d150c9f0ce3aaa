"""Fisher score, Bhattacharyya distance and information gain against closed forms and independent implementations."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.metrics import mutual_info_score
from sklearn.preprocessing import KBinsDiscretizer

from fscore.criteria import Bhattacharyya
from fscore.filters import bhattacharyya_score, fisher_score, information_gain, mdl_cuts


@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer, load_wine])
def test_fisher_is_the_f_statistic_rescaled(loader):
    X, y = loader(return_X_y=True)
    n_classes = len(np.unique(y))
    F, _ = f_classif(X, y)
    assert_allclose(fisher_score(X, y), F * (n_classes - 1) / (len(X) - n_classes), rtol=1e-10)


@pytest.mark.parametrize("n_samples", [10, 100_000])
def test_fisher_of_constant_columns_does_not_hang_on_rounding(n_samples):
    y = np.random.default_rng(0).permutation(np.arange(n_samples) % 3)
    constants = np.tile([0.1, 9.81, 1e6 + 0.3, -7.7, 0], (n_samples, 1))
    within = np.column_stack([np.array([0.3, 0.4, 0.7])[y], np.array([1e6 + 0.3, 1e6 + 0.4, 1e6 + 0.7])[y]])
    X = np.column_stack([constants, within])
    with np.errstate(divide="raise", invalid="raise"):
        assert_array_equal(fisher_score(X, y), [0, 0, 0, 0, 0, np.inf, np.inf])
    assert_array_equal(SelectKBest(fisher_score, k=1).fit(X[:, :6], y).get_support(), np.arange(6) == 5)


@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer, load_wine])
@pytest.mark.parametrize("options", [{}, {"ridge": 0.1}, {"ddof": 0}], ids=str)
def test_bhattacharyya_is_the_criterion_of_single_features(loader, options):
    X, y = loader(return_X_y=True)
    X = np.column_stack([X, np.full(len(X), 0.1), y == 0])  # constant; constant within each class
    expected = Bhattacharyya(**options).bind(X, y).score([(c,) for c in range(X.shape[1])])
    assert_allclose(bhattacharyya_score(X, y, **options), expected, rtol=1e-10, atol=1e-14)


def test_bhattacharyya_of_degenerate_features():
    y = np.repeat([0, 1], 10)
    X = np.column_stack([np.full(20, 0.1), y + 0.1, np.tile([0.0, 1.0], 10), np.tile([0.0, 1.0], 10) * (1 + y)])
    scores = bhattacharyya_score(X, y)
    assert_array_equal(scores == 0, [True, False, True, False])  # the last differs in its variances only
    assert np.all(np.isfinite(scores))
    assert_array_equal(SelectKBest(bhattacharyya_score, k=1).fit(X, y).get_support(), [False, True, False, False])
    with pytest.raises(ValueError, match="class 'b' has a single sample"):
        bhattacharyya_score(X[:11], np.array(["a", "b"])[y[:11]])
    with pytest.raises(ValueError, match="'ridge' parameter"):
        bhattacharyya_score(X, y, ridge=0)
    with pytest.raises(ValueError, match="'ddof' parameter"):
        bhattacharyya_score(X, y, ddof=2)


def plain_mdl(x, y):
    """Fayyad and Irani's recursion, one cut at a time."""

    def bits(part):
        shares = np.unique(part, return_counts=True)[1] / len(part)
        return -(shares * np.log2(shares)).sum()

    values = np.unique(x)
    if len(values) < 2:
        return []
    cuts = (values[1:] + values[:-1]) / 2
    n = len(y)
    means = [(np.sum(x <= c) * bits(y[x <= c]) + np.sum(x > c) * bits(y[x > c])) / n for c in cuts]
    c = cuts[int(np.argmin(np.round(means, 12)))]
    left, right = x <= c, x > c
    k, k1, k2 = (len(np.unique(part)) for part in (y, y[left], y[right]))
    delta = np.log2(3**k - 2) - (k * bits(y) - k1 * bits(y[left]) - k2 * bits(y[right]))
    if bits(y) - min(means) <= (np.log2(n - 1) + delta) / n:
        return []
    return [*plain_mdl(x[left], y[left]), c, *plain_mdl(x[right], y[right])]


def test_a_single_cut_is_accepted_exactly_where_it_pays():
    """Tables of two values and two classes, up to four samples a cell and three close ones, by the plain recursion."""
    accepted = 0
    for counts in [*product(range(5), repeat=4), (0, 1, 6, 0), (0, 1, 7, 0), (3, 0, 1, 5)]:
        table = np.array(counts).reshape(2, 2)  # feature values, classes
        if (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
            continue
        x, y = (np.repeat(index, counts) for index in ([0.0, 0, 1, 1], [0, 1, 0, 1]))
        cuts = mdl_cuts(x, y)
        assert_array_equal(cuts, plain_mdl(x, y))
        accepted += len(cuts)
    assert accepted > 20


def test_intervals_of_one_value_or_one_class_are_left_alone():
    x, y = np.repeat([0.0, 1, 2], [20, 20, 60]), np.repeat([0, 1, 0], [20, 20, 60])
    with np.errstate(all="raise"):
        assert_array_equal(mdl_cuts(x, y), [0.5, 1.5])  # 1.5 comes first, and nothing above it can be cut
        assert_array_equal(mdl_cuts(np.arange(20.0), np.arange(20) > 9), [9.5])


def test_mdl_cuts_of_more_classes_than_powers_of_three_are_floats():
    """One sample in each of k = 700 classes: a cut below m of them gains k log2 k - m log2 m - (k - m) log2(k - m) bits
    in all, and is accepted if twice the gain exceeds log2(k - 1) + k log2 3 = 1119."""
    y = np.arange(700)
    for m, n_cuts in ((350, 1), (240, 1), (150, 0)):  # gains 700, 650 and 525
        assert len(mdl_cuts(y >= m, y)) == n_cuts


def test_neighboring_floats_are_separated():
    """Half of their sum rounds to the upper one."""
    low = np.nextafter(1.0, 2.0)
    high = np.nextafter(low, 2.0)
    assert low / 2 + high / 2 == high
    y = np.repeat([0, 1], 10)
    assert_array_equal(information_gain(np.where(y, high, low)[:, None], y), [1])


@pytest.mark.parametrize("loader", [load_iris, load_breast_cancer, load_wine])
def test_mdl_cuts_equal_those_of_the_plain_recursion(loader):
    X, y = loader(return_X_y=True)
    X = X[:, :13]
    cuts = [plain_mdl(x, y) for x in X.T]
    for x, expected in zip(X.T, cuts, strict=True):
        assert_allclose(mdl_cuts(x, y), expected)
    binned = [mutual_info_score(np.digitize(x, c, right=True), y) / np.log(2) for x, c in zip(X.T, cuts, strict=True)]
    assert_allclose(information_gain(X, y), binned, atol=1e-12)


@pytest.mark.parametrize(("discretizer", "strategy"), [("width", "uniform"), ("frequency", "quantile")])
def test_equal_bins_against_scikit_learn(discretizer, strategy):
    X, y = load_breast_cancer(return_X_y=True)
    X = X + np.random.default_rng(0).uniform(-1e-9, 1e-9, X.shape)  # no value on an edge, where conventions differ
    options = {"quantile_method": "linear"} if strategy == "quantile" else {}
    binned = KBinsDiscretizer(7, encode="ordinal", strategy=strategy, **options).fit_transform(X)
    ours = information_gain(X, y, discretizer=discretizer, n_bins=7)
    assert_allclose(ours, [mutual_info_score(b, y) / np.log(2) for b in binned.T], atol=1e-3)


@pytest.mark.parametrize("n_bins", [2, 50, 2**20])
def test_equal_bins_from_few_to_more_than_samples(n_bins):
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X[:, :3], np.ones(len(X))])
    places = n_bins * ((X - X.min(axis=0)) / np.where(np.ptp(X, axis=0) > 0, np.ptp(X, axis=0), 1))
    bins = np.minimum(places.astype(int), n_bins - 1)
    expected = [mutual_info_score(b, y) / np.log(2) for b in bins.T]
    assert_allclose(information_gain(X, y, discretizer="width", n_bins=n_bins), expected, atol=1e-12)
    with pytest.raises(ValueError, match="'n_bins' parameter"):
        information_gain(X, y, discretizer="width", n_bins=2**20 + 1)


def test_noise_scores_exactly_zero_and_ties_are_broken_by_seed():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = np.column_stack([rng.normal(size=(200, 20)), y])
    plain = information_gain(X, y)
    assert np.count_nonzero(plain[:20] == 0) >= 18
    seeded = information_gain(X, y, random_state=3)
    assert len(np.unique(seeded)) == len(seeded)
    assert_array_equal(seeded[plain > 0], plain[plain > 0])
    assert np.all(seeded[plain == 0] < 0)
    assert_array_equal(seeded, information_gain(X, y, random_state=3))
    orders = {tuple(np.argsort(-information_gain(X, y, random_state=s))) for s in range(5)}
    assert len(orders) == 5


def test_mdl_cuts_validates_its_input():
    x, y = [1, 2, 3, 4, 5, 6, 7, 8], list("aaaabbbb")
    assert_allclose(mdl_cuts(x, y), [4.5])
    with pytest.raises(ValueError, match="NaN"):
        mdl_cuts([np.nan, *x[1:]], y)
    with pytest.raises(ValueError, match="inconsistent"):
        mdl_cuts(x, y[1:])
    with pytest.raises(ValueError, match="not one feature; pass a single column"):
        mdl_cuts(np.ones((8, 2)), y)
    with pytest.raises(ValueError, match="x has masked values"):
        mdl_cuts(np.ma.masked_greater(x, 6), y)
