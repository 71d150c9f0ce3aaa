"""OWARLVQ, relevances by ordered weighted averages."""

from comparison.contestant import scoring
from fscore.lvq import OWARLVQ

CONTESTANT = scoring(
    "OWARLVQ", "prototypes", "fscore", lambda X, y, seed: OWARLVQ(random_state=seed).fit(X, y).feature_importances_
)
