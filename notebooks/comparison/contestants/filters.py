"""Filters: scores of single features, and selections that need no classifier."""

import numpy as np
from sklearn.feature_selection import SelectKBest, f_classif, mutual_info_classif

from comparison.contestant import ranking, scoring, selecting
from fscore.filters import (
    MIFS,
    MRMR,
    bhattacharyya_score,
    fisher_score,
    information_gain,
    mutual_information,
    relief,
    relieff,
)
from fscore.search import StabilitySelection


def _selected(selector):
    """The columns in the order in which ``selector(n_features)`` selects them."""
    return lambda X, y, n_features, seed: np.argsort(selector(n_features).fit(X, y).ranking_, kind="stable")


def stable(X, y, seed):
    """The features that are among the first sqrt(2 D) or ten, whatever is more, on 60 % of fifty halves."""
    k = min(X.shape[1], max(10, round(np.sqrt(2 * X.shape[1]))))
    return StabilitySelection(SelectKBest(f_classif, k=k), n_resamples=50, random_state=seed).fit(X, y).support_


CONTESTANTS = {
    "bhattacharyya_filter": scoring(
        "Bhattacharyya score", "filter", "fscore", lambda X, y, seed: bhattacharyya_score(X, y)
    ),
    "f_classif": scoring("F test", "filter", "scikit-learn", lambda X, y, seed: f_classif(X, y)[0]),
    "fisher": scoring("Fisher score", "filter", "fscore", lambda X, y, seed: fisher_score(X, y)),
    "information_gain": scoring("information gain", "filter", "fscore", lambda X, y, seed: information_gain(X, y)),
    "mifs": ranking("MIFS", "filter", "fscore", _selected(MIFS)),
    "mrmr": ranking("mRMR", "filter", "fscore", _selected(MRMR)),
    "mutual_info_classif": scoring(
        "mutual information, k-NN",
        "filter",
        "scikit-learn",
        lambda X, y, seed: mutual_info_classif(X, y, random_state=seed),
    ),
    "mutual_information": scoring(
        "mutual information", "filter", "fscore", lambda X, y, seed: mutual_information(X, y)
    ),
    "relief": scoring("Relief", "filter", "fscore", lambda X, y, seed: relief(X, y)),
    "relieff": scoring("ReliefF", "filter", "fscore", lambda X, y, seed: relieff(X, y)),
    "stability_selection": selecting("stability selection, F test", "filter", "fscore", stable),
}
