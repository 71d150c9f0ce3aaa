"""Relief."""

from comparison.contestant import scoring
from fscore.filters import relief

CONTESTANT = scoring("Relief", "filter", "fscore", lambda X, y, seed: relief(X, y))
