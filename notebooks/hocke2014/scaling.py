"""Claims M1 and M10 of Hocke and Martinetz 2014: the effect of scaling the data."""

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import StratifiedKFold

from compendium.units import crossed, name_of, run_units, seed_for, tidy
from hocke2014.methods import RECONSTRUCTED, SIMPLE, Transform, learn
from hocke2014.protocol import knn_predictions, samples_of

UNSCALED_RELIEF = "Relief, no ranges"
RESCALED = (
    *SIMPLE,
    "Relief, scores as weights",
    UNSCALED_RELIEF,
    "Simba",
    "I-Relief",
    RECONSTRUCTED,
    "diagonal LMNN",
)


def scaling_invariance(dataset, *, n_repeats, methods=RESCALED, nu=0.2, **shared):
    """Claims M1 and M10: the effect of multiplying columns by random positive factors.

    The weights are learned on one stratified half of the samples; k-NN classifies the other half, before and after.

    Parameters
    ----------
    dataset : sequence of str
    n_repeats : int
        Random halves, each with its own factors.
    methods : sequence of str
        From `RESCALED`. Relief compares differences divided by ranges. "Relief" divides its positive scores by the
        squared ranges; "Relief, scores as weights" uses the scores as w in eq. (1); "Relief, no ranges" uses
        undivided differences. Other methods have a middle value of their parameter.
    nu : float
        nu of soft MDM.
    **shared
        decades, n_neighbors, seed, target: as in `hocke2014.mdm.MethodClaims`. The factors are 10**u with u uniform in
        [-decades, decades].

    Returns
    -------
    DataFrame
        dataset, method, repeat, metric, value. Metrics: ``distance_change``, the largest relative change of a weighted
        distance after both sets of distances are scaled to mean one; ``prediction_change``, the share of predictions
        that differ; ``objective_change``, relative (MDM only).
    """
    units = crossed({"nu": nu, **shared}, dataset=dataset, method=methods, repeat=range(n_repeats))
    return run_units(_rescale, units, label="scaling")


def _rescale(dataset, method, repeat, decades, nu, n_neighbors, seed, target=None):
    X, y = samples_of(dataset, target)
    rng = np.random.default_rng(seed_for(seed, "scaling", name_of(dataset), repeat))
    factors = 10 ** rng.uniform(-decades, decades, X.shape[1])
    halves = StratifiedKFold(2, shuffle=True, random_state=int(rng.integers(2**31)))
    train, test = next(halves.split(X, y))
    distances, predictions, objectives = [], [], []
    for Z in X, X * factors:
        transform = _learned(method, Z[train], y[train], nu)
        d = pdist(transform(Z[train]))
        distances.append(d / d.mean())
        predicted = knn_predictions(transform(Z[train]), y[train], transform(Z[test]), [n_neighbors])[0]
        predictions.append(predicted)
        objectives.append(getattr(transform.fitted, "objective_", np.nan))
    before, after = distances
    larger = np.maximum(before, after)
    change = np.divide(np.abs(after - before), larger, out=np.zeros_like(larger), where=larger > 1e-8)
    measured = {"distance_change": change.max(), "prediction_change": np.mean(predictions[0] != predictions[1])}
    if method.endswith("MDM"):
        measured["objective_change"] = abs(objectives[1] - objectives[0]) / max(objectives[0], 1e-12)
    return tidy({"dataset": dataset, "method": method, "repeat": repeat}, measured)


def _learned(method, X, y, nu):
    if method == UNSCALED_RELIEF:
        return Transform.weighting(np.maximum(_relief_without_ranges(X, y), 0))
    return learn(method, X, y, [nu] if method == "soft MDM" else [None])[0]


def _relief_without_ranges(X, y):
    """Relief in the units of the data: nearest hit and miss in Euclidean distance, squared differences undivided."""
    d = squareform(pdist(X, "sqeuclidean"))
    np.fill_diagonal(d, np.inf)
    same_class = y[:, None] == y
    hits, misses = np.where(same_class, d, np.inf).argmin(axis=1), np.where(same_class, np.inf, d).argmin(axis=1)
    return np.mean((X - X[misses]) ** 2 - (X - X[hits]) ** 2, axis=0)
