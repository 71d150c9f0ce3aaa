"""Effect of the entropy weight on the relevances of GMLVQ (Section 4.1 of Chen 2012)."""

from itertools import product

import numpy as np

from chen2012.protocol import gmlvq, learn, read, split
from compendium.units import tidy
from fscore.lvq.generalized import area

SETTINGS = ("none", "auto", "N^2/10")  # no entropy, our weight (n / 4N with n training samples), and that of the thesis
STOPPING = ("validation", "end")


def weigh_entropy(dataset, repeat, fold, alpha, settings, n_splits, target, seed):
    """Train GMLVQ with every weight, and with early stopping or to the last step.

    Parameters
    ----------
    dataset : str
    repeat, fold : int
        Of the split.
    alpha : sequence of float or str
        Weights; strings are among `SETTINGS`.
    settings : dict
        As for `chen2012.protocol.gmlvq`.
    n_splits : int
    target : str or None
    seed : int

    Returns
    -------
    list of dict
        Rows: dataset, stopping, setting, repeat, fold, alpha, metric, value.
    """
    parts = split(*read(dataset, target), dataset, repeat, fold, n_splits, seed)
    (A, a), _, (T, t) = parts
    rows = []
    for stopping, weight in product(STOPPING, alpha):
        changed = {"alpha": 0.0 if weight == "none" else weight, "delete_rate": None}
        model = gmlvq(settings, **changed).fit(A, a) if stopping == "end" else learn(parts, settings, **changed)
        p = model.feature_importances_
        measured = {
            "entropy": -(p @ np.log2(np.maximum(p, np.finfo(float).tiny))),
            "largest": p.max(),
            "auc": area(model.decision_function(T), t, model.classes_),
            "accuracy": np.mean(model.predict(T) == t),
        }
        if weight in SETTINGS:
            measured |= {f"relevance {k + 1}": value for k, value in enumerate(p)}
        setting = weight if weight in SETTINGS else f"{weight:g}"
        what = {"dataset": dataset, "stopping": stopping, "setting": setting, "repeat": repeat, "fold": fold}
        rows += tidy({**what, "alpha": model.alpha_}, measured)
    return rows


def entropy_profiles(table):
    """Mean relevance of each feature (Figures 7 and 9).

    Parameters
    ----------
    table : DataFrame
        As from `chen2012.training.Training.entropy`.

    Returns
    -------
    DataFrame
        dataset, stopping, setting, feature, mean, std (over repetitions).
    """
    relevances = table[table["metric"].str.startswith("relevance ")]
    relevances = relevances.assign(feature=relevances["metric"].str.removeprefix("relevance ").astype(int))
    by = ["dataset", "stopping", "setting", "feature"]
    return relevances.groupby(by, sort=False)["value"].agg(["mean", "std"]).reset_index()


def without_profiles(table):
    """The other rows of the table that `entropy_profiles` takes."""
    return table[~table["metric"].str.startswith("relevance ")].reset_index(drop=True)
