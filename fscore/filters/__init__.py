"""Score functions for single features, ``(X, y) -> scores``.

Each can be passed to :class:`~sklearn.feature_selection.SelectKBest`: ``SelectKBest(relieff, k=10)``.
"""

from fscore.filters.bhattacharyya import bhattacharyya_score
from fscore.filters.fisher import fisher_score
from fscore.filters.information_gain import information_gain, mdl_cuts
from fscore.filters.mifs import MIFS
from fscore.filters.mutual_information import mutual_information, pairwise_mutual_information
from fscore.filters.relief import relief, relieff

__all__ = [
    "MIFS",
    "bhattacharyya_score",
    "fisher_score",
    "information_gain",
    "mdl_cuts",
    "mutual_information",
    "pairwise_mutual_information",
    "relief",
    "relieff",
]
