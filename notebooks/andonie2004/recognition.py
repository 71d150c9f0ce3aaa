"""Recognition rates and relevances of the LVQ algorithms (Section 4 of Andonie and Cataron 2004, Tables 1 and 2)."""

import numpy as np

from andonie2004.protocol import METHODS, ablations, build, protocols
from compendium.protocol import scaled
from compendium.units import crossed, name_of, run_units, seed_for, tidy


def recognition(dataset, settings, *, methods=None, n_repeats, n_splits, target, seed):
    """Claims A1 to A3, Tables 1 and 2: recognition rates and relevances from shared initial codebooks.

    In each repetition the codebooks start at random samples of each class. All methods have the same start and the same
    order of samples.

    Parameters
    ----------
    dataset : sequence of str
    settings : Settings
    methods : sequence of str, optional
        By default `METHODS` and the `ablations` of ``settings``.
    n_repeats : int
    n_splits : int
        Folds of the cross-validation of data sets without a fixed split.
    target : str or None
        Label column of CSV files.
    seed : int

    Returns
    -------
    DataFrame
        dataset, protocol, method, repeat, metric, value. Metrics: ``correct`` and ``n_tested`` (samples), ``rate``
        (percent), and except in cross-validation ``relevance 1``, ... (the "overall rank": means over all steps). All
        but ``n_tested`` are NaN if the training diverged.
    """
    methods = (*METHODS, *ablations(settings)) if methods is None else tuple(methods)
    shared = {"methods": methods, "settings": settings, "n_splits": n_splits, "target": target, "seed": seed}
    units = crossed(shared, dataset=dataset, repeat=range(n_repeats))
    return run_units(_recognize, units, label="recognition")


def _recognize(dataset, repeat, methods, settings, n_splits, target, seed):
    rows = []
    for protocol, pairs in protocols(dataset, repeat, n_splits, target, seed):
        for method in methods:
            correct = tested = 0
            for number, (A, a, B, b) in enumerate(pairs):
                A, B = scaled(settings.scaling, A, B)
                start = seed_for(seed, "start", name_of(dataset), repeat, protocol, number)
                predicted, importances = _learn(build(method, settings, A, a, start), A, a, B)
                correct += np.nan if predicted is None else np.sum(predicted == b)
                tested += len(b)
            measured = {"correct": correct, "n_tested": tested, "rate": 100 * correct / tested}
            if len(pairs) == 1:
                measured |= {f"relevance {k + 1}": value for k, value in enumerate(importances)}
            what = {"dataset": dataset, "protocol": protocol, "method": method, "repeat": repeat}
            rows += tidy(what, measured)
    return rows


def _learn(model, A, a, B):
    """Predicted labels of B and the mean relevances; None and NaN if the training diverges."""
    try:
        model.fit(A, a)
    except ValueError as error:
        if "diverged" not in str(error):
            raise
        return None, np.full(A.shape[1], np.nan)
    return model.predict(B), model.feature_importances_


def relevances(table):
    """Table 2: mean relevance of each feature and its rank.

    Parameters
    ----------
    table : DataFrame
        As from `recognition`.

    Returns
    -------
    DataFrame
        dataset, method, feature, mean, std, n (repetitions), first (repetitions in which the feature had the largest
        relevance), place (1 is the largest mean).
    """
    measured = table[table["metric"].str.startswith("relevance ") & ~table["method"].str.startswith("LVQ")]
    measured = measured.assign(feature=measured["metric"].str.removeprefix("relevance ").astype(int)).dropna(
        subset=["value"]
    )
    runs = measured.groupby(["dataset", "protocol", "method", "repeat"])["value"]
    measured["first"] = runs.rank(ascending=False, method="first") == 1
    features = measured.groupby(["dataset", "method", "feature"], sort=False)
    means = features["value"].agg(["mean", "std", "count"]).rename(columns={"count": "n"})
    means = means.assign(first=features["first"].sum().astype(int)).reset_index()
    places = means.groupby(["dataset", "method"])["mean"].rank(ascending=False, method="first").astype(int)
    return means.assign(place=places)
