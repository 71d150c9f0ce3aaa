"""The methods that Hocke and Martinetz 2014 name, each as a linear transformation learned from a sample."""

import warnings

import numpy as np
from sklearn.decomposition import PCA, FastICA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from fscore.weighting import (
    LMBA,
    LMNN,
    MDM,
    DiagonalLMNN,
    IRelief,
    Relief,
    ReliefF,
    Simba,
    mdm_path,
)
from fscore.weighting.irelief import mean_distance

RECONSTRUCTED = "LMBA (reconstructed)"  # from the paper's description; we do not have its update equations
WEIGHTINGS = ("none", "Relief", "ReliefF", "Simba", "I-Relief", RECONSTRUCTED, "diagonal LMNN", "hard MDM", "soft MDM")
PROJECTIONS = ("LMNN", "LDA", "PCA", "ICA", "NCA")
SIMPLE = ("none", "minmax", "zscore", "Relief", "hard MDM", "soft MDM")  # MDM and the simplest competitors
# Inner cross-validation chooses from these grids (ours): sigma in mean distances of the training part, and c. The
# smoothest problem comes first and wins ties. The grid of soft MDM is a parameter of the experiments.
GRIDS = {
    "I-Relief": (2.0, 1.0, 0.5, 0.25, 0.125, 0.0625),
    RECONSTRUCTED: (0.1, 1.0, 10.0),
}


class Transform:
    """A linear map of the samples; Euclidean distances after it are the distances that the method learned.

    Attributes
    ----------
    weights : ndarray of shape (n_features,) or None
        w of eq. (1); None for a projection, which mixes features.
    fitted : estimator or None
    """

    def __init__(self, transform, weights=None, fitted=None):
        self._transform = transform
        self.weights = weights
        self.fitted = fitted

    @classmethod
    def weighting(cls, weights, fitted=None):
        """The map to the distances of eq. (1), up to a common factor."""
        root = np.sqrt(weights / weights.max()) if weights.max() > 0 else weights
        return cls(lambda X: X * root, weights, fitted)

    def __call__(self, X):
        return self._transform(X)

    def certificate(self):
        """For MDM the metric ``duality_gap``: a bound on the relative excess of its objective over the optimum."""
        return {"duality_gap": self.fitted.duality_gap_} if isinstance(self.fitted, MDM) else {}


def learn(method, X, y, grid=(None,), seed=0):
    """Fit a method once for each value of its parameter.

    Warnings that an iteration has not converged or that a class is small are silenced: the test error shows the effect.
    A warning that MDM's optimum is not certified is shown.

    Parameters
    ----------
    method : str
        One of `WEIGHTINGS` or `PROJECTIONS`; "minmax" or "zscore" (weights from the spread of the features); or
        "Relief, scores as weights" (ignores that Relief's scores belong to features in unit range).
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    grid : sequence
        Values of nu for soft MDM, of sigma for I-Relief (in mean distances), of c for LMBA; None for a middle value.
    seed : int

    Returns
    -------
    list of Transform
    """
    if method == "soft MDM" and len(grid) > 1:
        return [Transform.weighting(w) for w in mdm_path(X, y, grid, duplicates="drop")]
    if method in ("none", "minmax", "zscore"):
        return [Transform.weighting(_spread_weights(method, X))]
    transforms = []
    for value in grid:
        estimator = _estimator(method, value, X, y, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # ConvergenceWarning is a subclass
            warnings.filterwarnings("always", "The objective")
            estimator.fit(X, y)
        if method in PROJECTIONS:
            transforms.append(Transform(estimator.transform, fitted=estimator))
        else:
            transforms.append(Transform.weighting(estimator.weights_, estimator))
    return transforms


def _spread_weights(method, X):
    if method == "none":
        return np.ones(X.shape[1])
    spread = X.std(axis=0) if method == "zscore" else np.ptp(X, axis=0)
    return np.divide(1.0, spread**2, out=np.zeros_like(spread), where=spread > 0)


def _estimator(method, value, X, y, seed):
    estimators = {
        "Relief": lambda: Relief(),
        "Relief, scores as weights": lambda: Relief(units="data"),
        "ReliefF": lambda: ReliefF(max(1, min(10, np.unique(y, return_counts=True)[1].min() - 1))),
        "Simba": lambda: Simba(random_state=seed),
        "I-Relief": lambda: IRelief((value or 0.5) * mean_distance(X)),
        RECONSTRUCTED: lambda: LMBA(c=value or 1.0, random_state=seed),
        "diagonal LMNN": DiagonalLMNN,
        "hard MDM": lambda: MDM(duplicates="drop"),
        "soft MDM": lambda: MDM(nu=value or 0.2, duplicates="drop"),
        "LMNN": lambda: LMNN(),
        "LDA": LinearDiscriminantAnalysis,
        "PCA": lambda: PCA(random_state=seed),
        "ICA": lambda: FastICA(whiten="unit-variance", max_iter=1000, random_state=seed),
        "NCA": lambda: NeighborhoodComponentsAnalysis(random_state=seed),
    }
    return estimators[method]()
