"""Embedded methods: features by the model that is trained on them."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import LinearSVC

from comparison.contestant import ranking, scoring, selecting
from fscore.search import StabilitySelection


def _l1(seed, **settings):
    return LogisticRegression(l1_ratio=1, solver="saga", tol=1e-3, random_state=seed, **settings)


def l1_score(X, y, seed):
    """Largest absolute coefficient of a feature over the classes."""
    return np.abs(_l1(seed, C=1.0, max_iter=500).fit(X, y).coef_).max(axis=0)


def l1_support(X, y, seed):
    """The features with a coefficient for any class, with the penalty chosen by cross-validation."""
    grid = {"C": [0.03, 0.1, 0.3, 1.0]}
    best = GridSearchCV(_l1(seed, max_iter=300), grid, cv=3, scoring="balanced_accuracy").fit(X, y)
    return np.any(best.best_estimator_.coef_ != 0, axis=0)


def l1_stable(X, y, seed):
    """The features with a coefficient that is not zero on 60% of thirty halves."""
    selector = SelectFromModel(_l1(seed, C=0.3, max_iter=200), threshold=1e-8)
    return StabilitySelection(selector, n_resamples=30, random_state=seed).fit(X, y).support_


def forest_score(X, y, seed):
    """Importances of a random forest by impurity."""
    return RandomForestClassifier(100, random_state=seed).fit(X, y).feature_importances_


def permutation_score(X, y, seed):
    """Mean loss of accuracy when a feature is permuted, three times, on a third that the forest has not seen."""
    A, B, a, b = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
    forest = RandomForestClassifier(50, random_state=seed).fit(A, a)
    return permutation_importance(forest, B, b, n_repeats=3, random_state=seed).importances_mean


def eliminated(X, y, n_features, seed):
    """The columns from the last to be eliminated to the first; those eliminated together in the order of the data."""
    model = LinearSVC(random_state=seed, max_iter=2000)
    ranks = RFE(model, n_features_to_select=1, step=0.1 if X.shape[1] > 50 else 1).fit(X, y).ranking_
    return np.argsort(ranks, kind="stable")


def boruta_support(X, y, seed):
    """The confirmed features after at most 25 forests of 30 trees."""
    from boruta import BorutaPy

    forest = RandomForestClassifier(30, max_depth=5, random_state=seed)
    return BorutaPy(forest, n_estimators=30, max_iter=25, random_state=seed).fit(X, y).support_


CONTESTANTS = {
    "boruta": selecting("Boruta", "embedded", "boruta", boruta_support, requires="boruta"),
    "forest_importance": scoring("forest importance", "embedded", "scikit-learn", forest_score),
    "l1_logistic": scoring("L1 logistic regression", "embedded", "scikit-learn", l1_score),
    "l1_logistic_own": selecting("L1 logistic regression (cross-validated)", "embedded", "scikit-learn", l1_support),
    "permutation_importance": scoring("permutation importance", "embedded", "scikit-learn", permutation_score),
    "rfe": ranking("RFE, linear SVM", "embedded", "scikit-learn", eliminated),
    "stability_l1": selecting("stability selection, L1", "embedded", "fscore", l1_stable),
}
