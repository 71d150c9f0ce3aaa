"""Claim M3 of Hocke and Martinetz 2014: how often noise columns get weight zero."""

import numpy as np
import pandas as pd

from compendium.units import crossed, name_of, run_units, seed_for, tidy
from fscore.datasets import load
from fscore.weighting import MDM
from hocke2014.protocol import GENERATED, samples_of


def noise_columns(
    dataset,
    *,
    n_noise,
    n_repeats,
    seed,
    target=None,
    shapes=((40, 400), (40, 2000)),
    settings=(None, 0.2),
    tiny=1e-9,
):
    """Claim M3: how often do noise columns get weight zero, and how often do other columns?

    Noise is appended to the data sets, where samples outnumber features. Generated data sets, where features
    outnumber samples, already contain noise.

    Parameters
    ----------
    dataset : sequence of str
    n_noise : int
        Standard normal columns that are appended.
    n_repeats, seed, target
        As in `hocke2014.mdm.MethodClaims`.
    shapes : sequence of (int, int)
        Samples and features of the sets generated as ``wide_gaussian``: all but 20 features are noise.
    settings : sequence of float or None
        nu of soft MDM; None is hard MDM.
    tiny : float
        A weight counts as zero if the feature's share of the weighted variance, which does not depend on units, is
        below this.

    Returns
    -------
    DataFrame
        dataset, wide (more features than samples), method, nu, column_kind ("noise", or "own" for the other columns
        that vary), repeat, metric, value. Metrics: ``zero_share``, the share of columns of that kind with weight zero;
        ``importance``, the sum of their shares of the weighted variance.
    """
    shared, cases = {"tiny": tiny, "seed": seed}, {"nu": settings, "repeat": range(n_repeats)}
    appended = crossed({"n_noise": n_noise, "target": target, **shared}, dataset=dataset, **cases)
    generated = crossed(shared, shape=shapes, **cases)
    return pd.concat(
        [
            run_units(_append_noise, appended, label="noise columns"),
            run_units(_generate_noise, generated, label="noise columns, generated sets"),
        ],
        ignore_index=True,
    )


def _append_noise(dataset, n_noise, target, nu, repeat, tiny, seed):
    X, y = samples_of(dataset, target)
    rng = np.random.default_rng(seed_for(seed, "noise", name_of(dataset), repeat))
    real = np.arange(X.shape[1] + n_noise) < X.shape[1]
    X = np.hstack([X, rng.normal(size=(len(X), n_noise))])
    return _weigh(X, y, real, dataset, nu, repeat, tiny)


def _generate_noise(shape, nu, repeat, tiny, seed):
    n_samples, n_features = shape
    random_state = seed_for(seed, "wide", *shape, repeat)
    drawn = load(GENERATED, n_samples=n_samples, n_features=n_features, random_state=random_state)
    real = np.isin(np.arange(n_features), drawn.relevant)
    return _weigh(drawn.data, drawn.target, real, f"{GENERATED}, {n_samples} x {n_features}", nu, repeat, tiny)


def _weigh(X, y, real, dataset, nu, repeat, tiny):
    share = MDM(nu=nu, duplicates="drop").fit(X, y).feature_importances_
    what = {"dataset": dataset, "wide": X.shape[1] > len(X), "method": "hard MDM" if nu is None else "soft MDM"}
    rows = []
    for kind, shares in ("own", share[real & (np.ptp(X, axis=0) > 0)]), ("noise", share[~real]):
        measured = {"zero_share": np.mean(shares < tiny), "importance": shares.sum()}
        rows += tidy({**what, "nu": nu, "column_kind": kind, "repeat": repeat}, measured)
    return rows
