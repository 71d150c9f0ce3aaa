"""Sequential forward floating selection by the Mahalanobis distance."""

from comparison.contestant import searching
from fscore.criteria import Mahalanobis
from fscore.search import SFFS

CONTESTANT = searching(
    "SFFS, Mahalanobis",
    lambda size, seed: SFFS(Mahalanobis(ridge=1e-3), size),
    way="up",
)
