"""Voting ensembles of criteria (Section 3 of Somol et al. 2011: Tables 3 and 4)."""

import time
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from compendium.experiment import Schema, parameter, table
from compendium.protocol import masks_of
from compendium.units import name_of, run_units, tidy
from fscore.criteria import CVAccuracy
from fscore.search import DynamicOscillatingSearch, OrderVoting, WeightedVoting
from fscore.stability import average_tanimoto_index, nogueira_stability, relative_weighted_consistency
from somol2011.protocol import (
    FOLDS,
    SCALINGS,
    SearchExperiment,
    classifier,
    divided,
    hits,
    inner_folds,
    joined,
    paired_p_value,
    prepared,
    sample,
    warm_up,
)

METHODS = ("single", "order", "weighted")
BLOCK = ("dataset", "method", "scaling", "folds")


class Ensembles(SearchExperiment):
    """Tables 3 and 4: DOS with one criterion and with several that vote, in two-tier cross-validation.

    The method "single" is k-NN alone; "order" and "weighted" are order and weighted voting of k-NN over ``voters``.
    Inner folds are never shuffled.

    Tables
    ------
    ensembles
        dataset, method, scaling, folds, fold, metric, value. Metrics for each outer fold: ``rate``, ``size``,
        ``seconds`` and ``evaluations`` (k-NN accuracies computed, one for each subset and k) of the search. Over all
        folds (fold "all"): ``cw_rel`` and ``ati``, and Nogueira's measure with its confidence interval as
        ``nogueira``, ``nogueira_low``, ``nogueira_high``.
    subsets
        dataset, method, scaling, folds, fold, features (columns, from 0).
    fold_tests
        Paired t-tests of the rates over the outer folds, each ensemble against the single criterion: dataset, method,
        gain (of the mean rate), p_value.
    scalings_and_folds
        As ``ensembles``: the single criterion with every scaling, and with every kind of folds.
    """

    schema = Schema(
        ensembles=table("dataset method scaling folds metric", repetition="fold"),
        subsets=table("dataset method scaling folds", repetition="fold", values="features"),
        fold_tests=table("dataset method", values="gain p_value"),
        scalings_and_folds=table("dataset method scaling folds metric", repetition="fold"),
    )

    dataset: list[str] = parameter(
        [
            "dermatology_358",
            "house_10_20_30_40",
            "ionosphere",
            "opt38",
            "segment_image",
            "sonar",
            "spectf",
            "wdbc",
            "wine",
            "wpbc_31",
        ],
        "data sets, or paths of CSV files",
        "data sets",
    )
    n_neighbors: int = parameter(3, "k of the single criterion and of the classifier on the outer folds", "[1, 99]")
    voters: list[int] = parameter([1, 3, 5, 7], "k of each k-NN voter", "[1, 99]")
    main: str = parameter(
        "single", "value that the search compares: mean of the voters, or single criterion", "{mean, single}"
    )
    depth: int = parameter(10, "Delta of DOS; not stated in the paper for these tables", "[1, 100]")
    n_splits: int = parameter(10, "outer folds, and inner ones", "[2, 50]")
    scaling: str = replace(SearchExperiment.scaling, default="minmax_all")
    sensitivity: list[str] = parameter(
        ["sonar", "wine", "ionosphere", "wdbc"],
        "data sets on which scaling and folds vary; else the first of the run",
        "data sets",
    )

    def measure(self):
        """See the class."""
        few = [name for name in self.dataset if name in self.sensitivity] or self.dataset[:1]
        ensembles, subsets = self.votes(product(self.dataset, METHODS, [self.scaling], [self.folds]))
        varied = dict.fromkeys([*product(SCALINGS, [self.folds]), *product([self.scaling], FOLDS)])
        varied, _ = self.votes((name, "single", *how) for name in few for how in varied)
        return {
            "ensembles": ensembles,
            "subsets": subsets,
            "fold_tests": fold_tests(ensembles),
            "scalings_and_folds": varied,
        }

    def votes(self, cases, n_divisions=1):
        """Tables ``ensembles`` and ``subsets`` of cases ``(dataset, method, scaling, folds)``.

        Further divisions into outer folds, which `somol2011.protocol.divided` starts elsewhere, number their folds on.
        """
        shared = self.pick("n_neighbors", "voters", "main", "depth", "group_size", "n_splits", "order", "max_samples")
        shared |= self.pick("target", "seed")
        units = [
            {**dict(zip(BLOCK, case, strict=True)), "fold": fold, **shared}
            for case in cases
            for fold in range(self.n_splits * n_divisions)
        ]
        runs = run_units(_outer_fold, units, label="ensembles")
        rows = []
        for names, group in runs.groupby(list(BLOCK), sort=False):
            what = dict(zip(BLOCK, names, strict=True))
            for run in group.to_dict("records"):
                measured = {metric: run[metric] for metric in ("rate", "size", "seconds", "evaluations")}
                rows += tidy({**what, "fold": str(run["fold"])}, measured)
            for division, folds in group.groupby(group["fold"] // self.n_splits):
                rows += tidy({**what, "fold": f"all {division}" if division else "all"}, _stability(folds))
        return pd.DataFrame(rows), runs[[*BLOCK, "fold", "features"]]


def fold_tests(ensembles):
    """Table ``fold_tests`` of `Ensembles` from its table ``ensembles``."""
    rate = ensembles[ensembles["metric"] == "rate"].pivot_table(
        index=["dataset", "fold"], columns="method", values="value", sort=False
    )
    rows = []
    for dataset, rates in rate.groupby("dataset", sort=False):
        for method in rates.columns.drop("single"):
            gain = round((rates[method] - rates["single"]).mean(), 12)
            p_value = paired_p_value(rates["single"], rates[method])
            rows.append({"dataset": dataset, "method": method, "gain": gain, "p_value": p_value})
    return pd.DataFrame(rows)


def _outer_fold(
    dataset, method, scaling, folds, fold, n_neighbors, voters, main, depth, group_size, n_splits, seed, **how
):
    X, y = sample(dataset, seed=seed, **how)
    start, number = divmod(fold, n_splits)
    key = (seed, "outer", name_of(dataset), *([start] if start else []))
    train, test = divided(X, y, n_splits, folds, start, *key)[number]
    A, B = prepared(scaling, X, train, test)
    criterion = _criterion(method, n_neighbors, voters, main, inner_folds(n_splits, folds))
    warm_up(criterion)
    start = time.perf_counter()
    search = DynamicOscillatingSearch(criterion, group_size=group_size, depth=depth)
    search.fit(A, y[train])
    seconds = time.perf_counter() - start
    features = np.flatnonzero(search.support_).tolist()
    what = {"dataset": dataset, "method": method, "scaling": scaling, "folds": folds, "fold": fold}
    measured = {
        "rate": hits(classifier(f"{n_neighbors}-NN"), A, y[train], B, y[test], features).mean(),
        "size": search.size_,
        "seconds": seconds,
        "evaluations": sum(count for _, count in search.computed_),
        "n_features": X.shape[1],
        "features": joined(features),
    }
    return [{**what, **measured}]


def _criterion(method, n_neighbors, voters, main, cv):
    single = CVAccuracy(classifier(f"{n_neighbors}-NN"), cv=cv)
    if method == "single":
        return single
    voting = {"order": OrderVoting, "weighted": WeightedVoting}[method]
    panel = [CVAccuracy(classifier(f"{k}-NN"), cv=cv) for k in voters]
    return voting(panel, main=single if main == "single" else None)


def _stability(runs):
    masks = masks_of([map(int, text.split()) for text in runs["features"]], runs["n_features"].iloc[0])
    nogueira = nogueira_stability(masks)
    interval = {"nogueira": nogueira.value, "nogueira_low": nogueira.lower, "nogueira_high": nogueira.upper}
    return {"cw_rel": relative_weighted_consistency(masks), "ati": average_tanimoto_index(masks), **interval}
