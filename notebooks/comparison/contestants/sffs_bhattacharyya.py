"""Sequential forward floating selection by the Bhattacharyya distance."""

from comparison.contestant import searching
from fscore.criteria import Bhattacharyya
from fscore.search import SFFS

CONTESTANT = searching(
    "SFFS, Bhattacharyya",
    lambda size, seed: SFFS(Bhattacharyya(ridge=1e-3), size),
    way="up",
)
