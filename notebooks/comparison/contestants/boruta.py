"""Boruta, if the package is installed: features whose importance in a forest beats that of permuted copies."""

from sklearn.ensemble import RandomForestClassifier

from comparison.contestant import selecting

REQUIRES = "boruta"


def support(X, y, seed):
    """The confirmed features after at most 25 forests of 30 trees."""
    from boruta import BorutaPy

    forest = RandomForestClassifier(30, max_depth=5, random_state=seed)
    return BorutaPy(forest, n_estimators=30, max_iter=25, random_state=seed).fit(X, y).support_


CONTESTANT = selecting("Boruta", "embedded", "boruta", support)
