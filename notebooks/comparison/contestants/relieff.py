"""ReliefF with ten neighbours."""

from comparison.contestant import scoring
from fscore.filters import relieff

CONTESTANT = scoring("ReliefF", "filter", "fscore", lambda X, y, seed: relieff(X, y))
