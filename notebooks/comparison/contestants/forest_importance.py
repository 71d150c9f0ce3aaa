"""Importances of a random forest by impurity."""

from sklearn.ensemble import RandomForestClassifier

from comparison.contestant import scoring

CONTESTANT = scoring(
    "forest importance",
    "embedded",
    "scikit-learn",
    lambda X, y, seed: RandomForestClassifier(100, random_state=seed).fit(X, y).feature_importances_,
)
