"""Maximum distance minimization: what Hocke and Martinetz 2014 claim of it, measured.

The end of the paper with its data sets, protocol and tables is not at hand: the protocol is ours. k = 3 neighbours, 10
x stratified 5-fold cross-validation, soft MDM's nu by inner 3-fold cross-validation of the training part, the same
folds for all methods, inputs raw and standardized.

Every function returns a tidy table, one measured value per row: the columns that say what was measured, then ``metric``
and ``value``. ``dataset`` is a name for :func:`fscore.datasets.load` or a CSV file, whose label is in ``target``.
"""

import time

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import StratifiedKFold

from fscore.datasets import load
from fscore.studies._comparison import corrected_resampled_t, holm
from fscore.studies._hocke2014_gene_expression import GENERATED, GeneExpression, gene_expression
from fscore.studies._hocke2014_methods import (
    NUS,
    RECONSTRUCTED,
    Map,
    chosen,
    folds,
    knn_predictions,
    learn,
    nu_grid,
    rescaled,
    tidy,
)
from fscore.studies._hocke2014_program import (
    Illustration,
    equivalence,
    feasibility,
    illustration,
    program_size,
)
from fscore.studies._hocke2014_uci import uci, uci_ranks, uci_summary, uci_tests
from fscore.studies._units import run_units, seed_for
from fscore.weighting import MDM

__all__ = [
    "GENERATED",
    "METHODS",
    "NUS",
    "RESCALED",
    "GeneExpression",
    "Illustration",
    "equivalence",
    "feasibility",
    "gene_expression",
    "illustration",
    "knn_gain",
    "noise_columns",
    "outlier_tests",
    "outliers",
    "program_size",
    "scaling_invariance",
    "uci",
    "uci_ranks",
    "uci_summary",
    "uci_tests",
]

METHODS = ("none", "minmax", "zscore", "Relief", "hard MDM", "soft MDM")
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
        errors = [_error(Map.scaling(w), A, b, X[test], y[test], k) for w in learned]
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


def knn_gain(
    datasets,
    *,
    methods=METHODS,
    inputs=("raw", "zscore"),
    n_splits=5,
    n_repeats=10,
    k=3,
    nus=NUS,
    n_inner_splits=3,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Claim M5: test error of k-NN with learned weights and without, on the same folds.

    Everything is learned on the training part: means and ranges, weights, and soft MDM's nu by inner cross-validation
    over ``nus`` and 1/N (ties go to the larger nu, the smoother problem).

    Returns
    -------
    DataFrame
        dataset, inputs, method, repeat, fold, metric, value. Metrics: ``error``; ``n_nonzero``, features whose share of
        the weighted variance exceeds 1e-6; ``seconds`` to learn the weights; ``nu`` (soft MDM only); ``duality_gap``
        (MDM only), the fraction by which the objective exceeds the optimum at most.
    """
    shared = {"n_splits": n_splits, "k": k, "n_inner_splits": n_inner_splits, "target": target, "seed": seed}
    units = [
        {"dataset": dataset, "inputs": given, "method": method, "repeat": repeat, "nus": tuple(nus), **shared}
        for dataset in datasets
        for given in inputs
        for method in methods
        for repeat in range(n_repeats)
    ]
    return run_units(_classify, units, n_jobs=n_jobs, label="k-NN")


def _classify(dataset, inputs, method, repeat, nus, n_splits, k, n_inner_splits, target, seed):
    X, y = load(dataset, return_X_y=True, target=target)
    rows = []
    for fold, (train, test) in enumerate(folds(X, y, dataset, repeat, n_splits, seed)):
        A, B = rescaled(inputs, X[train], X[test])
        nu, start = None, time.perf_counter()
        if method == "soft MDM":
            inner_seed = seed_for(seed, "inner", dataset, repeat, fold)
            inner = StratifiedKFold(n_inner_splits, shuffle=True, random_state=inner_seed)
            nu = chosen(method, A, y[train], inner, nu_grid(nus, len(A)), [k])[0]
        into = _learned(method, A, y[train], nu)
        seconds = time.perf_counter() - start
        contribution = into.weights * A.var(axis=0)
        measured = {
            "error": _error(into, A, y[train], B, y[test], k),
            "n_nonzero": np.sum(contribution > 1e-6 * contribution.sum()),
            "seconds": seconds,
            **({} if nu is None else {"nu": nu}),
            **({"duality_gap": into.fitted.duality_gap_} if method.endswith("MDM") else {}),
        }
        rows += tidy({"dataset": dataset, "inputs": inputs, "method": method, "repeat": repeat, "fold": fold}, measured)
    return rows


def _learned(method, X, y, nu=None):
    if method == "Relief, no ranges":
        return Map.scaling(np.maximum(_relief_without_ranges(X, y), 0))
    return learn(method, X, y, [nu] if method == "soft MDM" else [None])[0]


def _error(into, A, a, B, b, k):
    return np.mean(knn_predictions(into(A), a, into(B), [k])[0] != b)


def _relief_without_ranges(X, y):
    """Relief in the units of the data: nearest hit and miss in Euclidean distance, squared differences undivided."""
    d = squareform(pdist(X, "sqeuclidean"))
    np.fill_diagonal(d, np.inf)
    friends = y[:, None] == y
    hits, misses = np.where(friends, d, np.inf).argmin(axis=1), np.where(friends, np.inf, d).argmin(axis=1)
    return np.mean((X - X[misses]) ** 2 - (X - X[hits]) ** 2, axis=0)
