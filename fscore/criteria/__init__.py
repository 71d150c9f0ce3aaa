"""Criteria: what a subset of features is worth."""

from fscore.criteria._base import Criterion
from fscore.criteria._block_folds import BlockFolds
from fscore.criteria._cv import CVAccuracy, CVScore
from fscore.criteria._gaussian import Bhattacharyya, Mahalanobis
from fscore.criteria.gamma import GammaTest, GammaTestResult, gamma_all_subsets, gamma_test
from fscore.criteria.rann import RANNAccuracy, rann_all_subsets

__all__ = [
    "Bhattacharyya",
    "BlockFolds",
    "CVAccuracy",
    "CVScore",
    "Criterion",
    "GammaTest",
    "GammaTestResult",
    "Mahalanobis",
    "RANNAccuracy",
    "gamma_all_subsets",
    "gamma_test",
    "rann_all_subsets",
]
