"""Tables with a known answer for the claims of Chen 2012.

They have the numbers of sets and repetitions of the measured ones. Where the thesis prints no size of an effect, the
size is one that its figures would show; for a claim that little is lost, no effect means that as much is lost as the
rule allows.
"""

from itertools import product

import numpy as np
import pandas as pd

from chen2012.auc import ORIGINAL, Auc, subset_sizes
from chen2012.claims import PUBLIC, RIVALS
from chen2012.protocol import METHODS, RankingExperiment
from compendium.statements import POINT
from compendium.units import tidy

REPEATS, AUC_REPEATS = RankingExperiment().n_repeats, Auc().n_repeats
N_FEATURES = {"wdbc": 30, "ionosphere": 33, "sonar": 60, "spectf": 44}
# Standard deviations over repetitions, as in our tables: of an AUC, of the entropy in bits and the AUC at the chosen
# step, and of the appended features by ranking.
SPREAD = {"wdbc": 0.0015, "ionosphere": 0.011, "sonar": 0.0135, "spectf": 0.024}
STEP_SPREAD = {"wdbc": (0.13, 0.0008), "ionosphere": (0.24, 0.008), "sonar": (0.36, 0.013), "spectf": (0.14, 0.011)}
APPENDED_SPREAD = {
    "irrelevant": {"IG": 0.15, "GMLVQ": 1.5, "Relieff": 0.5, "Fisher": 0.6},
    "redundant": {"IG": 0.38, "GMLVQ": 0.30, "Relieff": 0.38, "Fisher": 0.22},
}


def C1(rng, effect):
    """An assumed lead of GMLVQ by one point (standard deviation between sizes 0.5); none; a lag of its size."""
    curves = {method: lambda sizes: 0.85 + 0.003 * sizes for method in RIVALS}

    def leading(sizes):
        return curves["IG"](sizes) + rng.normal(0.01 * effect, 0.005, len(sizes))  # between sizes, as in our table

    return {"auc": _auc_table(rng, "ionosphere", "GMLVQ", curves | {"GMLVQ": leading})}


def _auc_table(rng, dataset, evaluator, curves):
    """Curves of AUC around given means.

    As in our tables, a quarter of the variance is common to a repetition, a tenth to a repetition and method, and the
    rest is of each subset, larger for the smallest.
    """
    counted = subset_sizes(N_FEATURES[dataset])
    sizes = np.array(sorted({2, 6, *counted, N_FEATURES[dataset]}))
    spread = SPREAD[dataset]
    shared = rng.normal(scale=0.5 * spread, size=(AUC_REPEATS, 1))
    parts = []
    for method, curve in curves.items():
        common = shared + rng.normal(scale=0.3 * spread, size=(AUC_REPEATS, 1))
        own = rng.normal(scale=0.8 * spread, size=(AUC_REPEATS, len(sizes))) * np.where(sizes == 2, 1.6, 1)
        values = curve(sizes) + common + own
        part = pd.DataFrame(values, columns=pd.Index(sizes, name="n_features"))
        part = part.rename_axis("repeat").stack().rename("value").reset_index()
        parts.append(part.assign(method=method, counted=part["n_features"].isin(counted)))
    return pd.concat(parts).assign(dataset=dataset, evaluator=evaluator, metric="auc")


def C2(rng, effect):
    """The printed growth from 0.82 to 0.95 and an assumed lead by two points; neither; a fall as large and a lag.

    Of GMLVQ and ReliefF; without the effect all stay at 0.82.
    """

    def curve(lead):
        start = 0.82 if effect >= 0 else 0.95
        return lambda sizes: start + effect * (0.13 * np.minimum((sizes - 2) / 34, 1) + lead)

    curves = {"GMLVQ": curve(0), "Relieff": curve(0), "IG": curve(-0.02), "Fisher": curve(-0.02)}
    return {"auc": _auc_table(rng, "sonar", "RBFSVM", curves)}


def C3(rng, effect):
    """An assumed gain of one point by six features; a loss of one point, the margin; a loss of three points."""

    def curve(sizes):
        return 0.77 + np.where(sizes == 6, -0.01 + 0.02 * effect, 0.0)

    return {"auc": _auc_table(rng, "spectf", "GMLVQ", dict.fromkeys(METHODS, curve))}


def C4(rng, effect):
    """An assumed lead of GMLVQ by 0.15 in overlap (standard deviation of an overlap 0.11); none; a lag of 0.45."""
    spread = 0.11  # of an overlap between data sets, as in our table
    more = {1: 0.15, 0: 0.0, -1: -0.45}[effect]  # reversed so far that four data sets tell
    rows = []
    for dataset, method in product(PUBLIC, METHODS):
        value = 0.6 + (more if method == "GMLVQ" else 0) + rng.normal(scale=spread)
        what = {"dataset": dataset, "method": method, "metric": "jaccard"}
        rows += [{**what, "size": size, "value": value} for size in (3, 10)]
    return {"stability": pd.DataFrame(rows)}


def C5(rng, effect):
    """An assumed fall of the entropy by half a bit and a gain of one point of AUC; no fall and a loss of one point.

    The loss is the margin. Reversed, the entropy rises by half a bit, and three points are lost.
    """
    rows = []
    for dataset, repeat, setting in product(PUBLIC, range(REPEATS), ("none", "N^2/10")):
        weighted = setting == "N^2/10"
        of_entropy, of_auc = STEP_SPREAD[dataset]
        measured = {
            "entropy": 4 - 0.5 * effect * weighted + rng.normal(scale=of_entropy),
            "auc": 0.9 + (-POINT / 100 + 0.02 * effect) * weighted + rng.normal(scale=of_auc),
            "largest": 0.3 + 0.1 * effect * weighted,
        }
        for stopping in "validation", "end":
            rows += tidy({"dataset": dataset, "stopping": stopping, "setting": setting, "repeat": repeat}, measured)
    return {"entropy": pd.DataFrame(rows)}


def C6(rng, effect):
    """An assumed fall of the spread by 70%; none; a rise by 70%.

    Unless it falls, the projection changes distances and predictions.
    """
    spread = 0.17  # of the share that is left between runs, as in our table
    rows = []
    for dataset, n_samples, repeat in product(PUBLIC, (10, 20), range(10)):
        measured = {
            "unseen": 10.0,
            "distance_change": 1e-15 if effect > 0 else 0.1,
            "distance_change_printed": 0.1,
            "prediction_change_train": 0.0 if effect > 0 else 0.05,
            "prediction_change_test": 0.0 if effect > 0 else 0.02,
            "spread_before": 0.4,
            "spread_after": 0.4 * max(rng.normal(1 - 0.7 * effect, spread), 0),
        }
        rows += tidy({"dataset": dataset, "n_samples": n_samples, "repeat": repeat}, measured)
    return {"ambiguity": pd.DataFrame(rows)}


def C7(rng, effect):
    """The steps between the printed totals of Table 5, a fifth on each data set; none; those of the opposite order.

    The totals over five sets are 2.2, 22.2, 24.6 and 27.
    """
    steps = {"IG": -19.0, "GMLVQ": 1.0, "Relieff": 3.4, "Fisher": 5.8}
    return _appended(rng, "irrelevant", {method: 4.5 + effect * step / 5 for method, step in steps.items()})


def _appended(rng, kind, means):
    """Appended features among the first N, by set and repetition, around a mean for each method."""
    rows = []
    for dataset, repeat, (method, mean) in product(PUBLIC, range(REPEATS), means.items()):
        n_added = 20 if kind == "irrelevant" and dataset != "spectf" else 9
        value = min(max(rng.normal(mean, APPENDED_SPREAD[kind][method]), 0), n_added)
        what = {"dataset": dataset, "kind": kind, "method": method, "n_own": N_FEATURES[dataset], "n_added": n_added}
        rows.append({**what, "repeat": repeat, "metric": "added", "value": value})
    return {kind: pd.DataFrame(rows)}


def C8(rng, effect):
    """The printed totals of Table 6, a fifth on each data set; a quarter of the copies by all; a tenth.

    The totals over five sets are 28.8, 29.1, 34.0 and 34.6; reversed, so is their order.
    """
    steps = {"IG": -2.8, "GMLVQ": -2.5, "Fisher": 2.4, "Relieff": 3.0}
    level = {1: 6.3, 0: 2.25, -1: 0.9}[effect]
    return _appended(rng, "redundant", {method: level + effect * step / 5 for method, step in steps.items()})


def C9(rng, effect):
    """An assumed gain of one point of AUC by the reused metric; a loss of one, the margin; a loss of three."""
    tables = []
    for dataset in PUBLIC:
        curves = {"GMLVQ": lambda sizes: np.full(len(sizes), 0.9)}
        curves[ORIGINAL] = lambda sizes: np.full(len(sizes), 0.9 - POINT / 100 + 0.02 * effect)
        tables.append(_auc_table(rng, dataset, "GMLVQ", curves))
    return {"auc": pd.concat(tables)}


def C10(rng, effect):
    """An assumed gain of 0.2 per sample (standard deviation between data sets 0.18); none; a loss of 0.6."""
    spread = 0.18  # of the gain between data sets, as in our table
    mean = {1: 0.2, 0: 0.0, -1: -0.6}[effect]  # reversed so far that four data sets tell
    drawn = rng.normal(mean, spread, len(PUBLIC)) * (effect != 0)  # chance has no part in a fact
    gains = dict(zip(PUBLIC, drawn, strict=True))
    rows = []
    for dataset, factor in product(PUBLIC, (0.25, 1.0, 4.0, 16.0)):
        gain = gains[dataset] * (factor > 1)
        for solver, value in (("plain steps", -0.5), ("waypoint averaging", -0.5 - gain)):
            what = {"dataset": dataset, "solver": solver, "factor": factor, "evaluations": 150, "metric": "cost"}
            rows.append({**what, "value": value})
    return {"descent": pd.DataFrame(rows)}
