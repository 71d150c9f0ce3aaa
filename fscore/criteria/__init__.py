"""What a subset of features is worth."""

from fscore.criteria._base import Criterion
from fscore.criteria._cv import CVAccuracy

__all__ = ["CVAccuracy", "Criterion"]
