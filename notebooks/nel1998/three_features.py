"""The examples of chapters 2 to 6 of Nel's thesis: neighbors, projections, three criteria on three features."""

from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import minmax_scale

from compendium.experiment import Experiment, Schema, parameter, table
from compendium.units import crossed, run_units, seed_for
from fscore.criteria import gamma_test
from fscore.datasets import load
from fscore.filters import MIFS, pairwise_mutual_information
from fscore.neural import RANNClassifier
from nel1998.masks import mask_of
from nel1998.protocol import as_table, generate, points_and_lines


class ThreeFeatures(Experiment):
    """Sections 4.4, 5.4.2 and 6.4: three criteria on an example with three features; Figures 2.1 and 3.1.

    Tables
    ------
    criteria
        repeat (one random draw each), criterion, subset (mask), other (mask, for pairs), metric, value. Criteria:
        "mutual information" with metrics ``with_class`` and ``with_feature`` in nats, and ``rank``; "Gamma Test" with
        ``gamma``; "RANN", on features scaled to [-1, 1], with ``train_acc_pct`` and ``test_acc_pct``.
    example
        One draw of the example: feature_1, feature_2, feature_3, label.
    points, lines
        The Gamma Test on every subset of that draw, see `points_and_lines`; ``name`` is the mask.
    pair
        Two normal classes, for Figure 2.1: feature_1, feature_2, label.
    long_classes, directions
        See `linear_projections`.
    """

    schema = Schema(
        criteria=table("criterion subset other metric", repetition="repeat"),
        example=table(values="feature_1 feature_2 feature_3 label"),
        points=table(values="name p delta gamma"),
        lines=table("name", values="gamma slope"),
        pair=table(values="feature_1 feature_2 label"),
        long_classes=table(values="feature_1 feature_2 label"),
        directions=table("method", values="feature_1 feature_2"),
    )

    n_samples: int = parameter(400, "samples of the three-feature example", "[30, 5000]")
    p_max: int = parameter(20, "neighbors of the Gamma Test", "[2, 200]")
    n_hidden: int = parameter(20, "hidden neurons of the network", "[1, 200]")
    alpha: float = parameter(0.5, "penalty on shared information in the ranking", "[0, 10]")
    n_repeats: int = parameter(20, "random draws of the example", "[1, 1000]")

    def measure(self):
        """See the class."""
        X, y = generate("three_features", self.seed, n_samples=self.n_samples)
        tests = {mask: gamma_test(X[:, columns], y, self.p_max) for mask, columns in _subsets(X.shape[1]).items()}
        points, lines = points_and_lines(tests)  # as drawn in Figure 5.3
        long_classes, directions = linear_projections(self.seed)
        return {
            "criteria": self.criteria(),
            "example": as_table(X, y),
            "points": points,
            "lines": lines,
            "pair": as_table(*generate("gaussian_pair", self.seed, n_samples=40, shift=1.5)),
            "long_classes": long_classes,
            "directions": directions,
        }

    def criteria(self):
        """Table ``criteria``."""
        shared = self.pick("n_samples", "p_max", "n_hidden", "alpha", "seed")
        units = crossed(shared, repeat=range(self.n_repeats))
        return run_units(_three_features, units, label="three features")


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
    mifs = MIFS(3, alpha=alpha, density="values").fit(X, y)
    common = pairwise_mutual_information(X, density="values")
    for f in range(3):
        note("mutual information", "with_class", mifs.relevance_[f], single[f])
        note("mutual information", "rank", mifs.ranking_[f], single[f])
    for f, g in combinations(range(3), 2):
        note("mutual information", "with_feature", common[f, g], single[f], single[g])
    train, test = next(StratifiedShuffleSplit(1, test_size=1 / 3, random_state=root).split(X, y))
    for mask, columns in _subsets(3).items():
        Z = X_scaled[:, columns]
        note("Gamma Test", "gamma", gamma_test(X[:, columns], y, p_max).gamma, mask)
        rann = RANNClassifier(n_hidden, random_state=root).fit(Z[train], y[train])
        note("RANN", "train_acc_pct", 100 * rann.score(Z[train], y[train]), mask)
        note("RANN", "test_acc_pct", 100 * rann.score(Z[test], y[test]), mask)
    return rows


def _subsets(n_features):
    """Every subset but the empty one, by size: mask to columns."""
    subsets = [c for size in range(1, n_features + 1) for c in combinations(range(n_features), size)]
    return {mask_of(columns, n_features): columns for columns in subsets}


def linear_projections(seed):
    """Figure 3.1: two long classes side by side, and the directions onto which two methods project them.

    The thesis prints no parameters. Here the classes are normal, nine times as long as wide, and lie side by side.

    Parameters
    ----------
    seed : int

    Returns
    -------
    long_classes : DataFrame
        feature_1, feature_2, label.
    directions : DataFrame
        method ("principal component", "linear discriminant"), and feature_1, feature_2 of the unit vector.
    """
    rng = np.random.default_rng(seed_for(seed, "projections"))
    y = np.arange(200) % 2
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    X = (rng.normal(size=(len(y), 2)) * [3, 1 / 3] + np.outer(2 * y - 1, [0, 1])) @ turn
    pca = PCA(1).fit(X).components_[0]
    lda = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, 0]
    vectors = {"principal component": pca, "linear discriminant": lda / np.linalg.norm(lda)}
    directions = [{"method": name, "feature_1": v[0], "feature_2": v[1]} for name, v in vectors.items()]
    return as_table(X, y), pd.DataFrame(directions)
