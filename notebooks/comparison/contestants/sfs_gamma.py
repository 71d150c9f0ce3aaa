"""Sequential forward selection by the Gamma Test."""

from comparison.contestant import searching
from fscore.criteria import GammaTest
from fscore.search import SFS

CONTESTANT = searching(
    "SFS, Gamma Test",
    lambda size, seed: SFS(GammaTest(), size),
    way="up",
)
