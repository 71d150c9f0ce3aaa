"""Model-X knockoffs, if hidimstat is installed: the features that beat an imitation of themselves in a lasso."""

import numpy as np
from sklearn.linear_model import LassoCV
from sklearn.model_selection import StratifiedKFold

from comparison.contestant import selecting

RATE = 0.2  # expected share of irrelevant features among those selected; a lower one needs more of them to select any


def support(X, y, seed):
    """The features selected at the false discovery rate `RATE`, by the differences of the lasso's coefficients.

    Every class is regressed against the rest, and a feature's coefficients are added up over the classes.
    """
    from hidimstat import ModelXKnockoff

    both = np.hstack([X, imitations(X, seed)])
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(both, y))
    classes = np.unique(y)[1:] if len(np.unique(y)) == 2 else np.unique(y)
    sizes = sum(np.abs(LassoCV(cv=folds).fit(both, y == c).coef_) for c in classes)
    own, imitated = np.split(sizes, 2)
    statistic = own - imitated
    return statistic >= ModelXKnockoff.knockoff_threshold(statistic, fdr=RATE)


def imitations(X, seed):
    """Gaussian knockoffs of the columns: same covariances, no relation to the classes.

    Version 0.4 of hidimstat multiplies by the Cholesky factor where its transpose is needed, so that its knockoffs have
    other covariances; the factor is transposed here.
    """
    from hidimstat.samplers import GaussianKnockoffs

    knockoffs = GaussianKnockoffs().fit(X)
    knockoffs.sigma_tilde_decompose_ = knockoffs.sigma_tilde_decompose_.T
    return knockoffs.sample(random_state=seed)[0]


CONTESTANTS = {
    "knockoffs": selecting("model-X knockoffs", "embedded", "hidimstat", support, requires="hidimstat"),
}
