"""Mutual information of each feature with the class, by kernel densities."""

from comparison.contestant import scoring
from fscore.filters import mutual_information

CONTESTANT = scoring("mutual information", "filter", "fscore", lambda X, y, seed: mutual_information(X, y))
