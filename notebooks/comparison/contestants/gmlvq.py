"""GMLVQ, the diagonal of a full matrix of relevances."""

from comparison.contestant import scoring
from fscore.lvq import GMLVQ

CONTESTANT = scoring(
    "GMLVQ", "prototypes", "fscore", lambda X, y, seed: GMLVQ(random_state=seed).fit(X, y).feature_importances_
)
