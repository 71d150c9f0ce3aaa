"""What the studies of Hocke and Martinetz 2014 share: the methods by their names, the folds, the classifier."""

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from compendium.units import seed_for, tidy
from fscore.weighting import LMBA, LMNN, MDM, IRelief, Relief, ReliefF, Simba, mdm_path, reference_projections
from fscore.weighting.irelief import mean_distance

__all__ = [
    "GRIDS",
    "INPUTS",
    "NUS",
    "PROJECTIONS",
    "RECONSTRUCTED",
    "WEIGHTINGS",
    "chosen",
    "folds",
    "knn_error",
    "knn_predictions",
    "learn",
    "nu_grid",
    "rescaled",
    "tidy",
]

NUS = (0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02)
RECONSTRUCTED = "LMBA (reconstructed)"  # from the paper's description; its update equations are not at hand
INPUTS = ("raw", "minmax", "zscore")
WEIGHTINGS = ("none", "Relief", "ReliefF", "Simba", "I-Relief", RECONSTRUCTED, "diagonal LMNN", "hard MDM", "soft MDM")
PROJECTIONS = ("LMNN", "LDA", "PCA", "ICA", "NCA")
# What inner cross-validation chooses from (ours): nu; sigma in mean distances of the training part; c. The smoothest
# problem comes first, and ties go to it.
GRIDS = {
    "soft MDM": NUS,
    "I-Relief": (2.0, 1.0, 0.5, 0.25, 0.125, 0.0625),
    RECONSTRUCTED: (0.1, 1.0, 10.0),
}


def nu_grid(nus, n_samples):
    """The grid of soft MDM on so many samples: ``nus`` and 1/N, its hard end; the largest, the smoothest, first."""
    return tuple(sorted({*nus, 1 / n_samples}, reverse=True))


class Map:
    """The way into a method's space, and its ``weights`` of eq. (1), None where it mixes the features."""

    def __init__(self, transform, weights=None, fitted=None):
        self._transform = transform
        self.weights = weights
        self.fitted = fitted

    @classmethod
    def scaling(cls, weights, fitted=None):
        """Distances of eq. (1), up to a common factor."""
        root = np.sqrt(weights / weights.max()) if weights.max() > 0 else weights
        return cls(lambda X: X * root, weights, fitted)

    def __call__(self, X):
        return self._transform(X)

    def certificate(self):
        """The metric ``duality_gap``, of MDM: the fraction by which its objective exceeds the optimum at most."""
        return {"duality_gap": self.fitted.duality_gap_} if isinstance(self.fitted, MDM) else {}


def learn(method, X, y, values=(None,), seed=0):
    """Fit a method, once for each of the ``values`` of its parameter in `GRIDS`.

    That an iteration has not settled, or a class is small, is no news here (the test error tells): no such warnings.
    That an optimum of MDM is not certified would be.

    Parameters
    ----------
    method : str
        Of `WEIGHTINGS` or `PROJECTIONS`, "minmax" or "zscore" (weights by the spread of the features), or "Relief,
        scores as weights" (which leaves out that Relief's scores belong to features in unit range).
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    values : sequence
        None takes a middle one.
    seed : int

    Returns
    -------
    list of Map
    """
    if method == "soft MDM" and len(values) > 1:
        return [Map.scaling(w) for w in mdm_path(X, y, values, duplicates="drop")]
    if method in ("none", "minmax", "zscore"):
        return [Map.scaling(_spread_weights(method, X))]
    maps = []
    for value in values:
        estimator = _estimator(method, value, X, y, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # and ConvergenceWarning, which is one
            warnings.filterwarnings("always", "The objective")
            estimator.fit(X, y)
        if method in PROJECTIONS:
            maps.append(Map(estimator.transform, fitted=estimator))
        else:
            maps.append(Map.scaling(estimator.weights_, estimator))
    return maps


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
        "diagonal LMNN": lambda: LMNN(diagonal=True),
        "hard MDM": lambda: MDM(duplicates="drop"),
        "soft MDM": lambda: MDM(nu=value or 0.2, duplicates="drop"),
        "LMNN": lambda: LMNN(),
        **{name: lambda name=name: reference_projections(random_state=seed)[name] for name in PROJECTIONS[1:]},
    }
    if method not in estimators:
        known = ", ".join(map(repr, ("none", "minmax", "zscore", *estimators)))
        raise ValueError(f"Unknown method {method!r}; choose from {known}.")
    return estimators[method]()


def rescaled(inputs, X, *others):
    """``X`` and other samples in units of ``X``: as they are, in unit range, or with unit variance.

    Features that are constant in ``X`` are left out.
    """
    if inputs not in INPUTS:
        raise ValueError(f"Unknown inputs {inputs!r}; choose from {', '.join(map(repr, INPUTS))}.")
    varying = np.ptp(X, axis=0) > 0
    shift, unit = np.zeros(varying.sum()), np.ones(varying.sum())
    if inputs == "minmax":
        shift, unit = X.min(axis=0)[varying], np.ptp(X, axis=0)[varying]
    if inputs == "zscore":
        shift, unit = X.mean(axis=0)[varying], X.std(axis=0)[varying]
    return [(Z[:, varying] - shift) / unit for Z in (X, *others)]


def folds(X, y, dataset, repeat, n_splits, seed):
    """The splits that all methods share; ``n_splits`` of 0 leaves out one sample at a time."""
    if n_splits == 0:
        return LeaveOneOut().split(X)
    return StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(seed, "split", dataset, repeat)).split(X, y)


def knn_predictions(A, y, B, ks):
    """Majority label among the k nearest of ``A`` for each row of ``B``, for several k; ties go to the lower label.

    Of equally near samples the first in ``A`` counts. Distances are equal that agree to ten digits: what a rotation or
    another unit leaves in the last ones moves no neighbour.

    Returns
    -------
    ndarray of shape (len(ks), len(B))
    """
    if max(ks) > len(A):
        raise ValueError(f"k={max(ks)} neighbours are more than the {len(A)} samples of the training part; lower k.")
    classes, codes = np.unique(y, return_inverse=True)
    d = cdist(B, A, "sqeuclidean")
    d /= d.max() or 1.0
    nearest = np.argsort(d.round(10), axis=1, kind="stable")[:, : max(ks)]
    votes = np.eye(len(classes), dtype=int)[codes[nearest]].cumsum(axis=1)
    return np.array([classes[votes[:, k - 1].argmax(axis=1)] for k in ks])


def knn_error(into, A, a, B, b, k):
    """Share of ``B`` that k-NN among ``A`` gets wrong after both went ``into`` the method's space."""
    return np.mean(knn_predictions(into(A), a, into(B), [k])[0] != b)


def chosen(method, X, y, inner, values, ks, seed=0):
    """The value with the fewest errors over inner folds, for each k; of equals, the first.

    Parameters
    ----------
    method, X, y, values, seed
        As in `learn`.
    inner : splitter
    ks : sequence of int

    Returns
    -------
    list
        One of ``values`` for each of ``ks``.
    """
    wrong = np.zeros((len(values), len(ks)), dtype=int)
    for train, test in inner.split(X, y):
        for row, into in zip(wrong, learn(method, X[train], y[train], values, seed), strict=True):
            row += (knn_predictions(into(X[train]), y[train], into(X[test]), ks) != y[test]).sum(axis=1)
    return [values[best] for best in wrong.argmin(axis=0)]
