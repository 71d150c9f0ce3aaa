"""LMNN with a diagonal metric, by linear program."""

from comparison.contestant import scoring
from fscore.weighting import LMNN

CONTESTANT = scoring("diagonal LMNN", "weighting", "fscore", lambda X, y, seed: LMNN(diagonal=True).fit(X, y).weights_)
