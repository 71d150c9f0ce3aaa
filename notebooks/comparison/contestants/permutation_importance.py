"""Permutation importances of a random forest on a third of the training samples that it has not seen."""

from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

from comparison.contestant import scoring


def score(X, y, seed):
    """Mean loss of accuracy when a feature is permuted, three times."""
    A, B, a, b = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
    forest = RandomForestClassifier(50, random_state=seed).fit(A, a)
    return permutation_importance(forest, B, b, n_repeats=3, random_state=seed).importances_mean


CONTESTANT = scoring("permutation importance", "embedded", "scikit-learn", score)
