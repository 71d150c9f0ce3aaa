"""Sequential forward selection in which 1-, 3-, 5- and 7-NN vote by weight."""

from comparison.contestant import searching
from fscore.search import SFS, WeightedVoting

CONTESTANT = searching(
    "SFS, weighted voting",
    lambda size, seed: SFS(WeightedVoting(), size, cv=3),
    way="up",
)
