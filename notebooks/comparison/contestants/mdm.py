"""Soft maximum distance minimization; a fifth of the samples may take slack."""

from comparison.contestant import scoring
from fscore.weighting import MDM

CONTESTANT = scoring(
    "soft MDM", "weighting", "fscore", lambda X, y, seed: MDM(nu=0.2, duplicates="drop").fit(X, y).weights_
)
