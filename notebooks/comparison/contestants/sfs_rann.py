"""Sequential forward selection by the accuracy of RANN."""

from comparison.contestant import searching
from fscore.criteria import RANNAccuracy
from fscore.search import SFS

CONTESTANT = searching(
    "SFS, RANN",
    lambda size, seed: SFS(RANNAccuracy(random_state=seed), size),
    way="up",
)
