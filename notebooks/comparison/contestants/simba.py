"""Simba, the margin maximized by stochastic ascent."""

from comparison.contestant import scoring
from fscore.weighting import Simba

CONTESTANT = scoring("Simba", "weighting", "fscore", lambda X, y, seed: Simba(random_state=seed).fit(X, y).weights_)
