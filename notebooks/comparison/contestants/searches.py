"""Searches for the subset with the best criterion, most often the accuracy of 3-NN in three folds."""

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.neighbors import KNeighborsClassifier

from comparison.contestant import Contestant, searching
from fscore.criteria import Bhattacharyya, CVAccuracy, GammaTest, Mahalanobis, RANNAccuracy
from fscore.search import (
    PBIL,
    SBFS,
    SBS,
    SFFS,
    SFS,
    BestIndividual,
    BranchAndBound,
    DynamicOscillatingSearch,
    GeneticSearch,
    Hybrid,
    OrderVoting,
    OscillatingSearch,
    PlusLMinusR,
    RandomSearch,
    WeightedVoting,
)


def knn():
    """Accuracy of 3-NN in three folds."""
    return CVAccuracy(KNeighborsClassifier(3), cv=3)


def of_scikit_learn(X, y, sizes, seed):
    """One run for each size: scikit-learn's selector does not tell the order of its choices."""
    model = KNeighborsClassifier(3)
    found = {size: SequentialFeatureSelector(model, n_features_to_select=size, cv=3).fit(X, y) for size in sizes}
    evaluations = sum(sum(X.shape[1] - k for k in range(size)) for size in sizes)
    return {size: np.flatnonzero(selector.support_) for size, selector in found.items()}, evaluations


CONTESTANTS = {
    "best_individual": searching("best individual, 3-NN", lambda size, seed: BestIndividual(knn(), size)),
    "branch_and_bound": searching(
        "branch and bound, Mahalanobis", lambda size, seed: BranchAndBound(Mahalanobis(ridge=1e-3), size)
    ),
    "dynamic_oscillating": searching(
        "dynamic oscillating search, 3-NN", lambda size, seed: DynamicOscillatingSearch(knn(), depth=2), way="own"
    ),
    "genetic": searching(
        "genetic search, 3-NN", lambda size, seed: GeneticSearch(knn(), generations=40, random_state=seed), way="own"
    ),
    "oscillating": searching(
        "oscillating search, 3-NN", lambda size, seed: OscillatingSearch(knn(), size, depth=2, random_state=seed)
    ),
    "pbil": searching(
        "PBIL, 3-NN",
        lambda size, seed: PBIL(knn(), population=40, max_generations=50, random_state=seed),
        way="own",
    ),
    "plus_l_minus_r": searching("plus 2 minus 1, 3-NN", lambda size, seed: PlusLMinusR(knn(), size)),
    "random_search": searching(
        "random search, 3-NN", lambda size, seed: RandomSearch(knn(), n_iter=500, random_state=seed), way="own"
    ),
    "sbfs": searching("SBFS, 3-NN", lambda size, seed: SBFS(knn(), size), way="down"),
    "sbs": searching("SBS, 3-NN", lambda size, seed: SBS(knn(), size), way="down"),
    "sequential_feature_selector": Contestant(
        "SequentialFeatureSelector, 3-NN", "search", "scikit-learn", of_scikit_learn
    ),
    "sffs": searching("SFFS, 3-NN", lambda size, seed: SFFS(knn(), size), way="up"),
    "sffs_bhattacharyya": searching(
        "SFFS, Bhattacharyya", lambda size, seed: SFFS(Bhattacharyya(ridge=1e-3), size), way="up"
    ),
    "sffs_mahalanobis": searching(
        "SFFS, Mahalanobis", lambda size, seed: SFFS(Mahalanobis(ridge=1e-3), size), way="up"
    ),
    "sfs": searching("SFS, 3-NN", lambda size, seed: SFS(knn(), size), way="up"),
    "sfs_gamma": searching("SFS, Gamma Test", lambda size, seed: SFS(GammaTest(), size), way="up"),
    "sfs_hybrid": searching(  # 3-NN sees the fourth of the candidates that the Bhattacharyya distance prefers
        "SFS, hybrid",
        lambda size, seed: SFS(Hybrid(Bhattacharyya(ridge=1e-3), KNeighborsClassifier(3), 0.25), size, cv=3),
        way="up",
    ),
    "sfs_order_voting": searching("SFS, order voting", lambda size, seed: SFS(OrderVoting(), size, cv=3), way="up"),
    "sfs_rann": searching("SFS, RANN", lambda size, seed: SFS(RANNAccuracy(random_state=seed), size), way="up"),
    "sfs_weighted_voting": searching(
        "SFS, weighted voting", lambda size, seed: SFS(WeightedVoting(), size, cv=3), way="up"
    ),
}
