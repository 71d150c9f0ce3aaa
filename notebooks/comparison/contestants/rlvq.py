"""RLVQ, updated after each sample."""

from comparison.contestant import scoring
from fscore.lvq import RLVQ

CONTESTANT = scoring(
    "RLVQ", "prototypes", "fscore", lambda X, y, seed: RLVQ(random_state=seed).fit(X, y).feature_importances_
)
