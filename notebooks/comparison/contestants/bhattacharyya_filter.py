"""Bhattacharyya distance of each feature by itself."""

from comparison.contestant import scoring
from fscore.filters import bhattacharyya_score

CONTESTANT = scoring("Bhattacharyya score", "filter", "fscore", lambda X, y, seed: bhattacharyya_score(X, y))
