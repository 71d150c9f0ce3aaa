"""Mutual information of each feature with the class, by nearest neighbours."""

from sklearn.feature_selection import mutual_info_classif

from comparison.contestant import scoring

CONTESTANT = scoring(
    "mutual information, k-NN",
    "filter",
    "scikit-learn",
    lambda X, y, seed: mutual_info_classif(X, y, random_state=seed),
)
