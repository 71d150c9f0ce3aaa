"""Score functions for single features, ``(X, y) -> scores``: the higher, the better (``SelectKBest(relieff, k=10)``)."""

from .fisher import fisher_score
from .information_gain import information_gain, mdl_cuts
from .mifs import MIFS
from .mutual_information import mutual_information, pairwise_mutual_information
from .relief import relief, relieff

__all__ = [
    "MIFS",
    "fisher_score",
    "information_gain",
    "mdl_cuts",
    "mutual_information",
    "pairwise_mutual_information",
    "relief",
    "relieff",
]
