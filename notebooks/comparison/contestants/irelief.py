"""I-Relief."""

from comparison.contestant import scoring
from fscore.weighting import IRelief

CONTESTANT = scoring(
    "I-Relief", "weighting", "fscore", lambda X, y, seed: IRelief(random_state=seed).fit(X, y).weights_
)
