"""ERLVQ, relevances by informational energy."""

from comparison.contestant import scoring
from fscore.lvq import ERLVQ

CONTESTANT = scoring(
    "ERLVQ", "prototypes", "fscore", lambda X, y, seed: ERLVQ(random_state=seed).fit(X, y).feature_importances_
)
