"""Information gain with cuts by minimum description length."""

from comparison.contestant import scoring
from fscore.filters import information_gain

CONTESTANT = scoring("information gain", "filter", "fscore", lambda X, y, seed: information_gain(X, y))
