"""Fisher score."""

from comparison.contestant import scoring
from fscore.filters import fisher_score

CONTESTANT = scoring("Fisher score", "filter", "fscore", lambda X, y, seed: fisher_score(X, y))
