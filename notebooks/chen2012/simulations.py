"""Data with a known answer for the rules of Chen 2012, with the numbers of sets and repetitions of the paper profile.

Where the thesis prints no size of an effect, the size is one that its figures would show. For a claim that little is
lost, no effect means that as much is lost as the rule allows.
"""

from itertools import product

import numpy as np
import pandas as pd

from chen2012.auc import ORIGINAL, subset_sizes
from chen2012.claims import LITTLE, PUBLIC, RIVALS
from chen2012.protocol import METHODS
from compendium.simulations import simulation

REPEATS = 25
N_FEATURES = {"wdbc": 30, "ionosphere": 33, "sonar": 60, "spectf": 44}


def auc_table(rng, dataset, evaluator, curves, spread=0.02):
    """Curves of AUC around given means: a spread that all methods share, and one of their own, half as large."""
    counted = subset_sizes(N_FEATURES[dataset])
    sizes = sorted({2, 6, *counted, N_FEATURES[dataset]})
    shared = rng.normal(scale=spread, size=(REPEATS, 1))
    parts = []
    for method, curve in curves.items():
        values = curve(np.array(sizes)) + shared + rng.normal(scale=spread / 2, size=(REPEATS, len(sizes)))
        part = pd.DataFrame(values, columns=pd.Index(sizes, name="n_features"))
        part = part.rename_axis("repeat").stack().rename("value").reset_index()
        parts.append(part.assign(method=method, counted=part["n_features"].isin(counted)))
    return pd.concat(parts).assign(dataset=dataset, evaluator=evaluator, metric="auc")


@simulation("chen2012", "C1")
def lead_on_ionosphere(rng, effect):
    """GMLVQ leads by a point at every size."""
    curves = {method: lambda sizes: 0.85 + 0.003 * sizes for method in RIVALS}
    return {
        "auc": auc_table(
            rng, "ionosphere", "GMLVQ", curves | {"GMLVQ": lambda sizes: curves["IG"](sizes) + 0.01 * effect}
        )
    }


@simulation("chen2012", "C2")
def growth_on_sonar(rng, effect):
    """From 0.82 to 0.95 for GMLVQ and ReliefF, which lead by two points; without the effect all stay at 0.82."""

    def curve(lead):
        start = 0.82 if effect >= 0 else 0.95
        return lambda sizes: start + effect * (0.13 * np.minimum((sizes - 2) / 34, 1) + lead)

    curves = {"GMLVQ": curve(0), "Relieff": curve(0), "IG": curve(-0.02), "Fisher": curve(-0.02)}
    return {"auc": auc_table(rng, "sonar", "RBFSVM", curves)}


@simulation("chen2012", "C3")
def six_on_spectf(rng, effect):
    """Six features are two and a half points better than the loss that the rule allows."""

    def curve(sizes):
        return 0.77 + np.where(sizes == 6, -0.005 + 0.025 * effect, 0.0)

    return {"auc": auc_table(rng, "spectf", "GMLVQ", dict.fromkeys(METHODS, curve))}


@simulation("chen2012", "C4")
def overlap(rng, effect):
    """GMLVQ's first features overlap by 0.15 more."""
    rows = []
    for dataset, method, size in product(PUBLIC, METHODS, (3, 10)):
        value = 0.6 + (0.15 * effect if method == "GMLVQ" else 0) + rng.normal(scale=0.05)
        rows.append({"dataset": dataset, "method": method, "size": size, "metric": "jaccard", "value": value})
    return {"stability": pd.DataFrame(rows)}


@simulation("chen2012", "C5")
def entropy(rng, effect):
    """The entropy falls by half a bit; the loss of AUC is two points less than the rule allows."""
    rows = []
    for dataset, repeat, setting in product(PUBLIC, range(REPEATS), ("none", "N^2/10")):
        weighted = setting == "N^2/10"
        measured = {
            "entropy": 4 - 0.5 * effect * weighted + rng.normal(scale=0.3),
            "auc": 0.9 + (-LITTLE + 0.02 * effect) * weighted + rng.normal(scale=0.01),
            "largest": 0.3 + 0.1 * effect * weighted,
        }
        for stopping, (metric, value) in product(("validation", "end"), measured.items()):
            what = {"dataset": dataset, "stopping": stopping, "setting": setting, "repeat": repeat}
            rows.append({**what, "metric": metric, "value": value})
    return {"entropy": pd.DataFrame(rows)}


@simulation("chen2012", "C6")
def projection(rng, effect):
    """The spread falls by 70 %; reversed, it grows, and the projection changes distances and predictions."""
    rows = []
    for dataset, repeat in product(PUBLIC, range(10)):
        measured = {
            "unseen": 10.0,
            "distance_change": 1e-15 if effect >= 0 else 0.1,
            "distance_change_printed": 0.1,
            "prediction_change_train": 0.0 if effect >= 0 else 0.05,
            "prediction_change_test": 0.0 if effect > 0 else 0.02,
            "spread_before": 0.4,
            "spread_after": 0.4 * (1 - 0.7 * effect) * rng.lognormal(sigma=0.2),
        }
        what = {"dataset": dataset, "n_samples": 10, "repeat": repeat}
        rows += [{**what, "metric": metric, "value": value} for metric, value in measured.items()]
    return {"ambiguity": pd.DataFrame(rows)}


def appended(rng, kind, means, spread):
    """Appended features among the first N, by set and repetition, around a mean for each method."""
    rows = []
    for dataset, repeat, (method, mean) in product(PUBLIC, range(REPEATS), means.items()):
        n_added = 20 if kind == "irrelevant" and dataset != "spectf" else 9
        value = min(max(mean + rng.normal(scale=spread), 0), n_added)
        what = {"dataset": dataset, "kind": kind, "method": method, "n_own": N_FEATURES[dataset], "n_added": n_added}
        rows.append({**what, "repeat": repeat, "metric": "added", "value": value})
    return {kind: pd.DataFrame(rows)}


@simulation("chen2012", "C7")
def random_features(rng, effect):
    """The steps of Table 5, totals over five sets: 2.2, 22.2, 24.6 and 27."""
    steps = {"IG": -19.0, "GMLVQ": 1.0, "Relieff": 3.4, "Fisher": 5.8}
    return appended(rng, "irrelevant", {method: 4.5 + effect * step / 5 for method, step in steps.items()}, 1.0)


@simulation("chen2012", "C8")
def copies(rng, effect):
    """The totals of Table 6: 28.8, 29.1, 34.0 and 34.6; reversed, the rankings keep out most copies."""
    steps = {"IG": -2.8, "GMLVQ": -2.5, "Fisher": 2.4, "Relieff": 3.0}
    level = 6.3 if effect >= 0 else 2.7
    return appended(rng, "redundant", {method: level + effect * step / 5 for method, step in steps.items()}, 0.6)


@simulation("chen2012", "C9")
def reuse(rng, effect):
    """The metric that is used again loses two points less than the rule allows."""
    tables = []
    for dataset in PUBLIC:
        curves = {method: lambda sizes: np.full(len(sizes), 0.9) for method in METHODS}
        curves[ORIGINAL] = lambda sizes: np.full(len(sizes), 0.9 - LITTLE + 0.02 * effect)
        tables.append(auc_table(rng, dataset, "GMLVQ", curves))
    return {"auc": pd.concat(tables)}


@simulation("chen2012", "C10")
def descents(rng, effect):
    """Waypoint averaging ends lower by 0.2 a sample."""
    rows = []
    for dataset, factor in product(PUBLIC, (0.25, 1.0, 4.0, 16.0)):
        gain = 0.2 * effect * (factor > 1) + rng.normal(scale=0.08)
        for solver, value in (("plain steps", -0.5), ("waypoint averaging", -0.5 - gain)):
            what = {"dataset": dataset, "solver": solver, "factor": factor, "evaluations": 150, "metric": "cost"}
            rows.append({**what, "value": value})
    return {"descent": pd.DataFrame(rows)}
