"""Which features the weightings use: their shares of the weighted variance, on all samples of a data set."""

import numpy as np

from compendium.units import crossed, name_of, run_units, seed_for
from hocke2014.methods import learn
from hocke2014.protocol import samples_of, tuned, variance_shares, varying_scaled

N_TOP = 10  # features of each data set and method in the table


def feature_shares(dataset, methods, **shared):
    """The features with the largest shares of the weighted variance, learned on all samples.

    Inputs are z-scored, and inner cross-validation chooses the method's parameter (nu, sigma or c), as in
    `hocke2014.uci.Competitors`.

    Parameters
    ----------
    dataset : sequence of str
    methods : sequence of str
        From `hocke2014.methods.WEIGHTINGS`.
    **shared
        n_neighbors (of the inner cross-validation), nu, n_inner_splits, seed, target: as in
        `hocke2014.protocol.CrossValidation`.

    Returns
    -------
    DataFrame
        dataset, method, feature (number of the column, from 1), share; of each data set and method at most ten rows,
        the largest share first. Constant features are left out.
    """
    units = crossed(shared, dataset=dataset, method=methods)
    return run_units(_weigh, units, label="shares of features")


def _weigh(dataset, method, n_neighbors, nu, n_inner_splits, seed, target=None):
    X, y = samples_of(dataset, target)
    varying = np.flatnonzero(np.ptp(X, axis=0) > 0)
    (X,) = varying_scaled("zscore", X)
    random_state = seed_for(seed, "shares", name_of(dataset))
    value = tuned(method, X, y, nu, n_inner_splits, [n_neighbors], random_state)
    (transform,) = learn(method, X, y, value, random_state)
    shares = variance_shares(transform.weights, X)
    top = np.argsort(-shares, kind="stable")[:N_TOP]
    what = {"dataset": dataset, "method": method}
    return [{**what, "feature": int(varying[f]) + 1, "share": float(shares[f])} for f in top]
