"""Filters: scores of single features, and selections that need no classifier."""

from functools import partial

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
    """The features that are among the first sqrt(2 D) or ten, whatever is more, on 60% of fifty halves."""
    k = min(X.shape[1], max(10, round(np.sqrt(2 * X.shape[1]))))
    return StabilitySelection(SelectKBest(f_classif, k=k), n_resamples=50, random_state=seed).fit(X, y).support_


def _scores(name, score, library="fscore"):
    """A contestant that ranks by ``score(X, y)``."""
    return scoring(name, "filter", library, lambda X, y, seed: score(X, y))


# Mutual information has the thesis' densities of the values, with which it was measured, not the library's default.
CONTESTANTS = {
    "bhattacharyya_filter": _scores("Bhattacharyya score", bhattacharyya_score),
    "f_classif": _scores("F test", lambda X, y: f_classif(X, y)[0], "scikit-learn"),
    "fisher": _scores("Fisher score", fisher_score),
    "information_gain": _scores("information gain", information_gain),
    "mifs": ranking("MIFS", "filter", "fscore", _selected(partial(MIFS, density="values"))),
    "mrmr": ranking("mRMR", "filter", "fscore", _selected(partial(MRMR, density="values"))),
    "mutual_info_classif": scoring(
        "mutual information, k-NN",
        "filter",
        "scikit-learn",
        lambda X, y, seed: mutual_info_classif(X, y, random_state=seed),
    ),
    "mutual_information": _scores("mutual information", partial(mutual_information, density="values")),
    "relief": _scores("Relief", relief),
    "relieff": _scores("ReliefF", relieff),
    "stability_selection": selecting("stability selection, F test", "filter", "fscore", stable),
}
