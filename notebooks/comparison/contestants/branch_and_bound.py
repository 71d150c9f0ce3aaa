"""The best subset by the Mahalanobis distance, by branch and bound."""

from comparison.contestant import searching
from fscore.criteria import Mahalanobis
from fscore.search import BranchAndBound

CONTESTANT = searching(
    "branch and bound, Mahalanobis",
    lambda size, seed: BranchAndBound(Mahalanobis(ridge=1e-3), size),
    way="each",
)
