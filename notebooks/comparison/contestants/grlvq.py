"""GRLVQ, one cost by batch gradient descent."""

from comparison.contestant import scoring
from fscore.lvq import GRLVQ

CONTESTANT = scoring(
    "GRLVQ", "prototypes", "fscore", lambda X, y, seed: GRLVQ(random_state=seed).fit(X, y).feature_importances_
)
