"""Sequential forward selection in which 1-, 3-, 5- and 7-NN vote by order."""

from comparison.contestant import searching
from fscore.search import SFS, OrderVoting

CONTESTANT = searching(
    "SFS, order voting",
    lambda size, seed: SFS(OrderVoting(), size, cv=3),
    way="up",
)
