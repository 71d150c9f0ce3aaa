"""Score functions for single features, ``(X, y) -> scores``, and greedy rankings by mutual information.

Each score function can be passed to :class:`~sklearn.feature_selection.SelectKBest`: ``SelectKBest(relieff, k=10)``.
It passes arrays on, not data frames, so say which columns hold categories:
``SelectKBest(partial(relieff, discrete_features=[0, 3]))``.
"""

from fscore.filters.greedy import MIFS, MRMR
from fscore.filters.information_gain import information_gain, mdl_cuts
from fscore.filters.moments import bhattacharyya_score, fisher_score
from fscore.filters.mutual_information import (
    mutual_information,
    mutual_information_regression,
    pairwise_mutual_information,
)
from fscore.filters.relief import multisurf, relief, relieff, rrelieff, surf

__all__ = [
    "MIFS",
    "MRMR",
    "bhattacharyya_score",
    "fisher_score",
    "information_gain",
    "mdl_cuts",
    "multisurf",
    "mutual_information",
    "mutual_information_regression",
    "pairwise_mutual_information",
    "relief",
    "relieff",
    "rrelieff",
    "surf",
]
