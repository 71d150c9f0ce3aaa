"""LMBA, a reconstruction from its description."""

from comparison.contestant import scoring
from fscore.weighting import LMBA

CONTESTANT = scoring("LMBA", "weighting", "fscore", lambda X, y, seed: LMBA(random_state=seed).fit(X, y).weights_)
