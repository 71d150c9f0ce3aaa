"""What a subset of features is worth."""

from fscore.criteria._base import Criterion
from fscore.criteria._cv import CVAccuracy
from fscore.criteria._ensembles import Hybrid, OrderVoting, WeightedVoting
from fscore.criteria._gaussian import Bhattacharyya, Mahalanobis

__all__ = ["Bhattacharyya", "CVAccuracy", "Criterion", "Hybrid", "Mahalanobis", "OrderVoting", "WeightedVoting"]
