"""Chapters 2 to 6 of Nel's thesis: its examples with drawn data, and the Gamma Test against theory."""

from itertools import combinations

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import minmax_scale

from compendium.units import run_units, seed_for
from fscore.criteria import gamma_test
from fscore.datasets import load
from fscore.filters import MIFS, pairwise_mutual_information
from fscore.neural import RANNClassifier
from nel1998.samples import mask_of, samples_of, scaled

__all__ = [
    "example_data",
    "gamma_against_distance",
    "gamma_at_degrees",
    "gamma_of_data",
    "gamma_of_subsets",
    "gamma_theory",
    "linear_projections",
    "three_features",
]


def example_data(name, *, seed=0, **options):
    """One drawing of a generated example.

    Parameters
    ----------
    name : {"three_features", "gaussian_pair", "surrounded_class"}
    **options
        As in `fscore.datasets.generators`.

    Returns
    -------
    X, y : ndarrays
    """
    return load(name, return_X_y=True, random_state=seed_for(seed, name) % 2**32, **options)


def three_features(*, n_samples=400, p_max=20, n_hidden=20, alpha=0.5, n_repeats=10, seed=0, n_jobs=None):
    """Sections 4.4, 5.4.2 and 6.4: what the three criteria say of the three-feature example, over drawings of it.

    Returns
    -------
    DataFrame
        repeat, criterion, subset (mask), other (mask, of pairs), metric, value. Criteria: "mutual information" with
        metrics ``with_class``, ``with_feature`` and ``rank``; "Gamma Test" with ``gamma``; "RANN", on
        features scaled to [-1, 1], with ``train_acc_pct`` and ``test_acc_pct``.
    """
    shared = {"n_samples": n_samples, "p_max": p_max, "n_hidden": n_hidden, "alpha": alpha, "seed": seed}
    units = [{"repeat": repeat, **shared} for repeat in range(n_repeats)]
    return run_units(_three_features, units, n_jobs=n_jobs, label="three features")


def _three_features(repeat, n_samples, p_max, n_hidden, alpha, seed):
    root = seed_for(seed, "three features", repeat)
    X, y = load("three_features", return_X_y=True, random_state=root, n_samples=n_samples)
    X_scaled = minmax_scale(X, (-1, 1))
    rows = []

    def note(criterion, metric, value, subset, other=""):
        rows.append(
            dict(repeat=repeat, criterion=criterion, subset=subset, other=other, metric=metric, value=float(value))
        )

    single = ["100", "010", "001"]
    mifs = MIFS(3, alpha=alpha).fit(X, y)
    common = pairwise_mutual_information(X)
    for f in range(3):
        note("mutual information", "with_class", mifs.relevance_[f], single[f])
        note("mutual information", "rank", mifs.ranking_[f], single[f])
    for f, g in combinations(range(3), 2):
        note("mutual information", "with_feature", common[f, g], single[f], single[g])
    train, test = next(StratifiedShuffleSplit(1, test_size=1 / 3, random_state=root).split(X, y))
    for size in (1, 2, 3):
        for columns in combinations(range(3), size):
            mask = mask_of(columns, 3)
            Z = X_scaled[:, columns]
            note("Gamma Test", "gamma", gamma_test(X[:, columns], y, p_max).gamma, mask)
            rann = RANNClassifier(n_hidden, random_state=root).fit(Z[train], y[train])
            note("RANN", "train_acc_pct", 100 * rann.score(Z[train], y[train]), mask)
            note("RANN", "test_acc_pct", 100 * rann.score(Z[test], y[test]), mask)
    return rows


def gamma_of_subsets(X, y, p_max=20):
    """Points and line of the Gamma Test for every subset of a few features, as drawn in Figure 5.3.

    Returns
    -------
    dict of str to GammaTestResult
        By mask.
    """
    n_features = X.shape[1]
    subsets = [c for size in range(1, n_features + 1) for c in combinations(range(n_features), size)]
    return {mask_of(columns, n_features): gamma_test(X[:, columns], y, p_max) for columns in subsets}


def gamma_at_degrees(X, y, degrees):
    """Figure 5.4b: the Gamma Test with several numbers of neighbours.

    Returns
    -------
    dict of str to GammaTestResult
    """
    return {f"{p} neighbours": gamma_test(X, y, p) for p in dict.fromkeys(degrees)}


def linear_projections(*, n_samples=200, seed=0):
    """Figure 3.1: two long classes side by side, and the direction that each method projects them on.

    The thesis prints no parameters. Here the classes are normal, nine times as long as wide, and lie apart across
    their length.

    Returns
    -------
    X, y : ndarrays
    directions : dict of str to ndarray of shape (2,)
        Unit vectors of "principal component" and "linear discriminant".
    """
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(seed_for(seed, "projections"))
    y = np.arange(n_samples) % 2
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    X = (rng.normal(size=(n_samples, 2)) * [3, 1 / 3] + np.outer(2 * y - 1, [0, 1])) @ turn
    pca = PCA(1).fit(X).components_[0]
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, 0]
    return X, y, {"principal component": pca, "linear discriminant": lda / np.linalg.norm(lda)}


def gamma_theory(distance):
    """E[eta (1 - eta)] of two normal classes with unit covariance and equal frequency, ``distance`` apart.

    That is what the Gamma Test with labels 0 and 1 tends to: ``1/2 integral of p0 p1 / (p0 + p1)`` along the line
    through the means.

    Parameters
    ----------
    distance : float

    Returns
    -------
    float
    """

    def unsure(x):
        p0, p1 = norm.pdf(x), norm.pdf(x, distance)
        return p0 * p1 / (p0 + p1) / 2

    return quad(unsure, -8, distance + 8, points=[distance / 2], limit=200)[0]


def gamma_against_distance(distances, *, n_samples=500, p_max=20, n_repeats=30, cumulative=True, seed=0, n_jobs=None):
    """Table 5.1: Gamma of two normal classes against the distance of their means, over drawings.

    Parameters
    ----------
    distances : sequence of float
        The second class is shifted by ``distance / sqrt(2)`` in both features.

    Returns
    -------
    DataFrame
        distance, repeat, metric ("gamma_e-3"), value in thousandths.
    """
    shared = {"n_samples": n_samples, "p_max": p_max, "n_repeats": n_repeats, "cumulative": cumulative, "seed": seed}
    units = [{"distance": float(distance), **shared} for distance in distances]
    return run_units(_gamma_at, units, n_jobs=n_jobs, label="Table 5.1")


def _gamma_at(distance, n_samples, p_max, n_repeats, cumulative, seed):
    rows = []
    for repeat in range(n_repeats):
        # the same drawing at all distances: what differs is the shift alone
        options = {
            "n_samples": n_samples,
            "shift": distance / np.sqrt(2),
            "random_state": seed_for(seed, "5.1", repeat),
        }
        X, y = load("gaussian_pair", return_X_y=True, **options)
        gamma = gamma_test(X, y, p_max, cumulative=cumulative).gamma
        rows.append({"distance": distance, "repeat": repeat, "metric": "gamma_e-3", "value": 1000 * gamma})
    return rows


def gamma_of_data(dataset, *, p_max=20, cumulative=True, target=None):
    """Figure 5.1: the points and the line of the Gamma Test of a whole data set.

    Returns
    -------
    GammaTestResult
    """
    (sample,) = samples_of([dataset], wdbc=["WDBC"])
    return gamma_test(*scaled(sample, dataset, target), p_max, cumulative=cumulative)
