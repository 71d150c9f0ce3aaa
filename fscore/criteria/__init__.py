"""Criteria: scores of subsets of features."""

from fscore.criteria._base import BoundCriterion, Criterion
from fscore.criteria._columnwise import register_columnwise
from fscore.criteria._cv import CVAccuracy, CVScore
from fscore.criteria._folds import BlockFolds
from fscore.criteria._gaussian import Bhattacharyya, Mahalanobis
from fscore.criteria.gamma import GammaTest, GammaTestResult, gamma_all_subsets, gamma_test
from fscore.criteria.linear_fit import LinearFit
from fscore.criteria.moments import Moments
from fscore.criteria.rann import RANNAccuracy, rann_all_subsets

__all__ = [
    "Bhattacharyya",
    "BlockFolds",
    "BoundCriterion",
    "CVAccuracy",
    "CVScore",
    "Criterion",
    "GammaTest",
    "GammaTestResult",
    "LinearFit",
    "Mahalanobis",
    "Moments",
    "RANNAccuracy",
    "gamma_all_subsets",
    "gamma_test",
    "rann_all_subsets",
    "register_columnwise",
]
