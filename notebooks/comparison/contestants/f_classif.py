"""F test of each feature."""

from sklearn.feature_selection import f_classif

from comparison.contestant import scoring

CONTESTANT = scoring("F test", "filter", "scikit-learn", lambda X, y, seed: f_classif(X, y)[0])
