"""Stability selection: features that the L1 logistic regression keeps on most halves of the sample."""

from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression

from comparison.contestant import selecting
from fscore.search import StabilitySelection


def support(X, y, seed):
    """The features with a coefficient that is not zero on 60 % of thirty halves."""
    model = LogisticRegression(l1_ratio=1, C=0.3, solver="saga", max_iter=200, tol=1e-3, random_state=seed)
    selector = SelectFromModel(model, threshold=1e-8)
    return StabilitySelection(selector, n_resamples=30, random_state=seed).fit(X, y).support_


CONTESTANT = selecting("stability selection, L1", "embedded", "fscore", support)
