"""Claim M4 of Hocke and Martinetz 2014: the effect of a few bad training samples on the weights."""

import numpy as np
import pandas as pd

from compendium.inference import corrected_resampled_t, holm
from compendium.units import crossed, name_of, run_units, seed_for, tidy
from fscore.weighting import MDM
from hocke2014.methods import Transform
from hocke2014.protocol import folds, knn_error, samples_of


def outliers(dataset, *, n_repeats, kinds=("moved", "flipped"), distance=5.0, settings=(None, 0.1, 0.3), **shared):
    """Claim M4: how do a few bad training samples change the weights of hard and soft MDM?

    The weights are learned on the clean and on the corrupted training part. k-NN uses both with the *clean* one, so
    the test errors differ only because of the weights.

    Parameters
    ----------
    dataset : sequence of str
    n_repeats : int
    kinds : sequence of {"moved", "flipped"}
        Moved up or down by ``distance`` standard deviations in every feature, or given another label.
    distance : float
    settings : sequence of float or None
        nu of soft MDM; None is hard MDM.
    **shared
        n_outliers, n_splits, n_neighbors, seed, target: as in `hocke2014.mdm.MethodClaims`.

    Returns
    -------
    DataFrame
        dataset, kind, method, nu, repeat, fold, metric, value. Metrics: ``weight_change``, total variation in [0, 1]
        between the features' shares of the weighted variance (of the clean sample); ``error_clean`` and
        ``error_spoilt``.

    Raises
    ------
    ValueError
        If a training part has fewer than ``n_outliers`` samples.
    """
    units = crossed({"distance": distance, **shared}, dataset=dataset, kind=kinds, nu=settings, repeat=range(n_repeats))
    return run_units(_spoil, units, label="outliers")


def _spoil(dataset, kind, nu, repeat, n_outliers, distance, n_splits, n_neighbors, seed, target=None):
    X, y = samples_of(dataset, target)
    what = {"dataset": dataset, "kind": kind, "method": "hard MDM" if nu is None else "soft MDM", "nu": nu}
    rows = []
    for fold, (train, test) in enumerate(folds(X, y, dataset, repeat, n_splits, seed)):
        rng = np.random.default_rng(seed_for(seed, "outliers", name_of(dataset), kind, repeat, fold))
        A, b = X[train], y[train]
        if n_outliers > len(A):
            raise ValueError(
                f"n_outliers={n_outliers} is more than the {len(A)} samples of a training part of {dataset}; lower it."
            )
        spoilt_A, spoilt_b = A.copy(), b.copy()
        bad = rng.choice(len(A), n_outliers, replace=False)
        if kind == "moved":
            spoilt_A[bad] += rng.choice([-1, 1], (n_outliers, A.shape[1])) * distance * A.std(axis=0)
        else:
            spoilt_b[bad] = [rng.choice(np.unique(b[b != b[i]])) for i in bad]
        learned = [MDM(nu=nu, duplicates="drop").fit(*sample).weights_ for sample in ((A, b), (spoilt_A, spoilt_b))]
        shares = [w * A.var(axis=0) / (w @ A.var(axis=0)) for w in learned]
        errors = [knn_error(Transform.weighting(w), A, b, X[test], y[test], n_neighbors) for w in learned]
        measured = {"weight_change": np.abs(shares[1] - shares[0]).sum() / 2}
        measured |= dict(zip(("error_clean", "error_spoilt"), errors, strict=True))
        rows += tidy({**what, "repeat": repeat, "fold": fold}, measured)
    return rows


def outlier_tests(table):
    """Does the test error rise less with soft than with hard weights? Corrected resampled t-tests.

    Holm's correction runs over all rows.

    Parameters
    ----------
    table : DataFrame
        As from `outliers`.

    Returns
    -------
    DataFrame
        dataset, kind, nu, difference (rise with soft weights minus rise with hard ones), p, p_holm.
    """
    by = ["dataset", "kind", "nu", "repeat", "fold"]
    error = table.set_index([*by, "metric"])["value"].unstack("metric")
    rise = (error["error_spoilt"] - error["error_clean"]).unstack("nu").round(12)
    hard = rise.columns.isna()
    differences = rise.loc[:, ~hard].sub(rise.loc[:, hard].iloc[:, 0], axis=0)
    n_splits = differences.index.get_level_values("fold").nunique()
    rows = [
        (dataset, kind, nu, d.mean(), corrected_resampled_t(d, 1 / (n_splits - 1)))
        for (dataset, kind), group in differences.groupby(["dataset", "kind"], sort=False)
        for nu, d in group.items()
    ]
    tests = pd.DataFrame(rows, columns=["dataset", "kind", "nu", "difference", "p"])
    return tests.assign(p_holm=holm(tests["p"]))
