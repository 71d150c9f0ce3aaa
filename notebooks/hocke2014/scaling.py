"""Claims M1 and M10 of Hocke and Martinetz 2014: what the scaling of the data changes."""

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import StratifiedKFold

from compendium.units import run_units, seed_for
from fscore.datasets import load
from hocke2014.gain import METHODS
from hocke2014.methods import RECONSTRUCTED, Map, knn_predictions, learn, tidy

__all__ = ["RESCALED", "scaling_invariance"]

RESCALED = (
    *METHODS,
    "Relief, scores as weights",
    "Relief, no ranges",
    "Simba",
    "I-Relief",
    RECONSTRUCTED,
    "diagonal LMNN",
)


def scaling_invariance(
    datasets, *, methods=RESCALED, n_repeats=5, decades=3.0, nu=0.2, k=3, target=None, seed=0, n_jobs=None
):
    """Claims M1 and M10: what changes when columns are multiplied by random positive factors.

    Half the sample, stratified, is weighted; the other half is classified by k-NN, before and after.

    Parameters
    ----------
    datasets : sequence of str
    methods : sequence of str
        Of `RESCALED`. "Relief" are its positive scores divided by squared ranges, for Relief compares differences
        divided by ranges; "Relief, scores as weights" takes them for w in eq. (1) as they are; "Relief, no ranges"
        is Relief without any division. The others have a middle value of their parameter.
    n_repeats : int
        Sets of factors, and halves.
    decades : float
        Factors are 10**u with u uniform in [-decades, decades].
    nu : float
        Of soft MDM.
    k : int
        Neighbours.

    Returns
    -------
    DataFrame
        dataset, method, repeat, metric, value. Metrics: ``distance_change``, the largest relative change of a weighted
        distance, both sets of distances having mean one; ``prediction_change``, the share of predictions that differ;
        ``objective_change``, relative (MDM only).
    """
    shared = {"decades": decades, "nu": nu, "k": k, "target": target, "seed": seed}
    units = [
        {"dataset": dataset, "method": method, "repeat": repeat, **shared}
        for dataset in datasets
        for method in methods
        for repeat in range(n_repeats)
    ]
    return run_units(_rescale, units, n_jobs=n_jobs, label="scaling")


def _rescale(dataset, method, repeat, decades, nu, k, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    rng = np.random.default_rng(seed_for(seed, "scaling", dataset, repeat))
    factors = 10 ** rng.uniform(-decades, decades, X.shape[1])
    folds = StratifiedKFold(2, shuffle=True, random_state=int(rng.integers(2**31)))
    train, test = next(folds.split(X, y))
    distances, predictions, objectives = [], [], []
    for Z in X, X * factors:
        into = _learned(method, Z[train], y[train], nu)
        d = pdist(into(Z[train]))
        distances.append(d / d.mean())
        predictions.append(knn_predictions(into(Z[train]), y[train], into(Z[test]), [k])[0])
        objectives.append(getattr(into.fitted, "objective_", np.nan))
    before, after = distances
    apart = np.maximum(before, after)
    change = np.divide(np.abs(after - before), apart, out=np.zeros_like(apart), where=apart > 1e-8)
    measured = {"distance_change": change.max(), "prediction_change": np.mean(predictions[0] != predictions[1])}
    if method.endswith("MDM"):
        measured["objective_change"] = abs(objectives[1] - objectives[0]) / max(objectives[0], 1e-12)
    return tidy({"dataset": dataset, "method": method, "repeat": repeat}, measured)


def _learned(method, X, y, nu):
    if method == "Relief, no ranges":
        return Map.scaling(np.maximum(_relief_without_ranges(X, y), 0))
    return learn(method, X, y, [nu] if method == "soft MDM" else [None])[0]


def _relief_without_ranges(X, y):
    """Relief in the units of the data: nearest hit and miss in Euclidean distance, squared differences undivided."""
    d = squareform(pdist(X, "sqeuclidean"))
    np.fill_diagonal(d, np.inf)
    friends = y[:, None] == y
    hits, misses = np.where(friends, d, np.inf).argmin(axis=1), np.where(friends, np.inf, d).argmin(axis=1)
    return np.mean((X - X[misses]) ** 2 - (X - X[hits]) ** 2, axis=0)
