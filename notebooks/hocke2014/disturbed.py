"""Claims M3 and M4 of Hocke and Martinetz 2014: what columns of noise and bad samples do to the weights."""

import numpy as np
import pandas as pd

from compendium.statistics import corrected_resampled_t, holm
from compendium.units import run_units, seed_for
from fscore.datasets import load
from fscore.weighting import MDM
from hocke2014.gene_expression import GENERATED
from hocke2014.methods import Map, folds, knn_error, tidy

__all__ = ["noise_columns", "outlier_tests", "outliers"]


def noise_columns(
    datasets,
    *,
    n_noise=10,
    wide=((40, 400), (40, 2000)),
    nus=(None, 0.2),
    n_repeats=5,
    tiny=1e-9,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim M3: how often does noise get weight zero, how often do columns that may matter?

    Noise is appended to data sets, and comes with generated ones where features outnumber samples.

    Parameters
    ----------
    n_noise : int
        Standard normal columns, appended.
    wide : sequence of (int, int)
        Samples and features of ``wide_gaussian``: all but 20 features are noise.
    nus : sequence of float or None
        None is hard MDM.
    tiny : float
        A feature's share of the weighted variance below this counts as zero (and does not depend on units).

    Returns
    -------
    DataFrame
        dataset, wide (are there more features than samples?), method, nu, column_kind ("own" without constant ones,
        "noise"), repeat, metric, value. Metrics: ``zero_share``, of the columns of that kind; ``importance``, their
        sum of shares of the weighted variance.
    """
    shared = {"tiny": tiny, "seed": seed}
    units = [
        {**case, "nu": nu, "repeat": repeat, **shared}
        for case in (
            *({"dataset": dataset, "n_noise": n_noise, "target": target} for dataset in datasets),
            *({"shape": tuple(shape)} for shape in wide),
        )
        for nu in nus
        for repeat in range(n_repeats)
    ]
    return run_units(_weigh_noise, units, n_jobs=n_jobs, label="noise columns")


def _weigh_noise(nu, repeat, tiny, seed, dataset=None, n_noise=0, target=None, shape=None):
    if dataset is None:
        n_samples, n_features = shape
        dataset = f"{GENERATED}, {n_samples} x {n_features}"
        drawn = load(
            GENERATED,
            n_samples=n_samples,
            n_features=n_features,
            random_state=seed_for(seed, "wide", *shape, repeat),
        )
        X, y, own = drawn.data, drawn.target, np.isin(np.arange(n_features), drawn.relevant)
    else:
        X, y = load(dataset, return_X_y=True, target=target)
        rng = np.random.default_rng(seed_for(seed, "noise", dataset, repeat))
        own = np.arange(X.shape[1] + n_noise) < X.shape[1]
        X = np.hstack([X, rng.normal(size=(len(X), n_noise))])
    share = MDM(nu=nu, duplicates="drop").fit(X, y).feature_importances_
    what = {"dataset": dataset, "wide": X.shape[1] > len(X), "method": "hard MDM" if nu is None else "soft MDM"}
    rows = []
    for kind, part in ("own", share[own & (np.ptp(X, axis=0) > 0)]), ("noise", share[~own]):
        measured = {"zero_share": np.mean(part < tiny), "importance": part.sum()}
        rows += tidy({**what, "nu": nu, "column_kind": kind, "repeat": repeat}, measured)
    return rows


def outliers(
    datasets,
    *,
    kinds=("moved", "flipped"),
    n_outliers=3,
    distance=5.0,
    nus=(None, 0.1, 0.3),
    n_splits=5,
    n_repeats=2,
    k=3,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim M4: what do a few bad training samples do to the weights, hard and soft?

    The weights are learned on the clean and on the spoilt training part; both then serve k-NN on the *clean* one, so
    that the test errors differ by the weights alone.

    Parameters
    ----------
    kinds : sequence of {"moved", "flipped"}
        Moved by ``distance`` standard deviations up or down in every feature, or given another label.
    n_outliers : int
        Samples spoilt.
    nus : sequence of float or None
        None is hard MDM.

    Returns
    -------
    DataFrame
        dataset, kind, method, nu, repeat, fold, metric, value. Metrics: ``weight_change``, total variation between the
        features' shares of the weighted variance (of the clean sample), 0 to 1; ``error_clean`` and ``error_spoilt``.
    """
    shared = {"n_outliers": n_outliers, "distance": distance, "n_splits": n_splits, "k": k}
    shared |= {"target": target, "seed": seed}
    units = [
        {"dataset": dataset, "kind": kind, "nu": nu, "repeat": repeat, **shared}
        for dataset in datasets
        for kind in kinds
        for nu in nus
        for repeat in range(n_repeats)
    ]
    return run_units(_spoil, units, n_jobs=n_jobs, label="outliers")


def _spoil(dataset, kind, nu, repeat, n_outliers, distance, n_splits, k, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    what = {"dataset": dataset, "kind": kind, "method": "hard MDM" if nu is None else "soft MDM", "nu": nu}
    rows = []
    for fold, (train, test) in enumerate(folds(X, y, dataset, repeat, n_splits, seed)):
        rng = np.random.default_rng(seed_for(seed, "outliers", dataset, kind, repeat, fold))
        A, b = X[train], y[train]
        if n_outliers > len(A):
            raise ValueError(
                f"n_outliers={n_outliers} is more than the {len(A)} samples of a training part of {dataset}."
            )
        spoilt_A, spoilt_b = A.copy(), b.copy()
        bad = rng.choice(len(A), n_outliers, replace=False)
        if kind == "moved":
            spoilt_A[bad] += rng.choice([-1, 1], (n_outliers, A.shape[1])) * distance * A.std(axis=0)
        else:
            spoilt_b[bad] = [rng.choice(np.unique(b[b != b[i]])) for i in bad]
        learned = [MDM(nu=nu, duplicates="drop").fit(*sample).weights_ for sample in ((A, b), (spoilt_A, spoilt_b))]
        shares = [w * A.var(axis=0) / (w @ A.var(axis=0)) for w in learned]
        errors = [knn_error(Map.scaling(w), A, b, X[test], y[test], k) for w in learned]
        measured = {
            "weight_change": np.abs(shares[1] - shares[0]).sum() / 2,
            "error_clean": errors[0],
            "error_spoilt": errors[1],
        }
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
        {
            "dataset": dataset,
            "kind": kind,
            "nu": nu,
            "difference": d.mean(),
            "p": corrected_resampled_t(d, 1 / (n_splits - 1)),
        }
        for (dataset, kind), part in differences.groupby(["dataset", "kind"], sort=False)
        for nu, d in part.items()
    ]
    tests = pd.DataFrame(rows)
    return tests.assign(p_holm=holm(tests["p"]))
