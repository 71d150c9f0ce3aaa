"""Beyond Nel's thesis: the advice of its chapter 2 on search algorithms, compared with the true optimum."""

import time

import numpy as np
import pandas as pd

from compendium.experiment import Schema, parameter, table
from compendium.units import run_units, seed_for, tidy
from fscore.criteria import Bhattacharyya, GammaTest, RANNAccuracy
from fscore.search import (
    PBIL,
    SBS,
    SFFS,
    SFS,
    BranchAndBound,
    DynamicOscillatingSearch,
    ExhaustiveSearch,
    GeneticSearch,
    RandomSearch,
)
from nel1998.masks import mask_of
from nel1998.protocol import SampleExperiment, training_part

CRITERIA = ("gamma_test", "RANN_wrapper")
SEARCHES = {
    "exhaustive": ExhaustiveSearch,
    "random": RandomSearch,
    "SFS": SFS,
    "SBS": SBS,
    "SFFS": SFFS,
    "DOS": DynamicOscillatingSearch,
    "GA": GeneticSearch,
    "PBIL": PBIL,
}
LIMITS = {"random": "n_iter", "GA": "max_evaluations", "PBIL": "max_evaluations"}  # of the randomized searches
SIZED_SEARCHES = {
    "exhaustive": ExhaustiveSearch,
    "branch and bound": BranchAndBound,
    **{name: SEARCHES[name] for name in ("SFS", "SBS", "SFFS")},
}


class Searches(SampleExperiment):
    """The best subset found by several searches against the true optimum, and how many subsets each evaluated.

    Tables
    ------
    searches
        Subsets of any size, by minus Gamma and by the training accuracy of a small RANN, see `outcomes`.
    sized_searches
        Subsets of given sizes, by the Bhattacharyya distance, see `outcomes`; the size is in ``criterion``
        ("Bhattacharyya, 5 features").
    selected
        How often each feature is in the subsets of both tables above, see `shares`.
    """

    schema = Schema(
        searches=table("sample criterion search", values="optimal gap n_evaluations n_features"),
        sized_searches=table("sample criterion search", values="optimal gap n_evaluations n_features"),
        selected=table("sample criterion search feature", values="share"),
    )

    dataset: list[str] = parameter(["wdbc", "bupa", "pima"], "data sets, or paths of CSV files", "data sets")
    wdbc: list[str] = parameter(
        ["WDBC1", "WDBC2"], "columns of wdbc: the halves in the thesis, or all", "{WDBC1, WDBC2, WDBC}"
    )
    max_features: int = parameter(15, "largest number of features; the first ones are used", "[2, 20]")
    n_splits: int = parameter(5, "training parts", "[1, 1000]")
    n_runs: int = parameter(5, "runs of the randomized searches", "[1, 1000]")
    max_evaluations: int = parameter(2000, "largest number of different subsets that these evaluate", "[1, 1000000]")
    n_features_to_select: list[int] = parameter([3, 5, 8], "sizes of subsets for branch and bound", "[1, 20]")
    p_max: int = parameter(20, "neighbors of the Gamma Test", "[2, 200]")
    n_hidden: int = parameter(20, "hidden neurons of the wrapper", "[1, 200]")

    def measure(self):
        """See the class."""
        unsized, sized = self.any_size(self.samples), self.given_size(self.samples)
        return {
            "searches": outcomes(unsized),
            "sized_searches": outcomes(sized),
            "selected": shares(pd.concat([unsized, sized], ignore_index=True)),
        }

    def any_size(self, samples):
        """Every search for the best subset of any size.

        Random search draws ``max_evaluations`` subsets; the genetic algorithm and PBIL may evaluate the same number.

        Parameters
        ----------
        samples : dict of str to str

        Returns
        -------
        DataFrame
            sample, criterion, search, split, run, subset, metric, value. Metrics: ``value`` of the criterion (higher
            is better), ``n_evaluations``, different subsets evaluated, ``n_features`` and ``seconds``.
        """
        shared = self.pick("max_evaluations", "max_features", "p_max", "n_hidden", "target", "seed")
        units = [
            {"sample": sample, "dataset": dataset, "criterion": criterion, "search": search, "split": split, "run": run}
            | shared
            for sample, dataset in samples.items()
            for criterion in CRITERIA
            for search in SEARCHES
            for split in range(self.n_splits)
            for run in range(self.n_runs if search in LIMITS else 1)
        ]
        return run_units(_search, units, label="searches")

    def given_size(self, samples):
        """Branch and bound, which needs a monotone criterion and a given size, and other searches of that size.

        Sizes that are not smaller than the number of features are left out.

        Parameters
        ----------
        samples : dict of str to str

        Returns
        -------
        DataFrame
            As from `any_size`.

        Raises
        ------
        ValueError
            If no size is left.
        """
        units = [
            {"sample": sample, "dataset": dataset, "search": search, "n_features_to_select": size, "split": split}
            | self.pick("max_features", "target", "seed")
            for sample, dataset in samples.items()
            for size in self.n_features_to_select
            for search in SIZED_SEARCHES
            for split in range(self.n_splits)
        ]
        searched = run_units(_sized_search, units, label="searches of one size")
        if searched.empty:
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select} has no size below the number of features of "
                f"{', '.join(samples)}; add a smaller size."
            )
        return searched


def _search(
    sample, dataset, criterion, search, split, run, max_evaluations, max_features, p_max, n_hidden, target, seed
):
    X, y = training_part(sample, dataset, split, target, seed)
    if criterion == "gamma_test":
        J = GammaTest(p_max)
    else:
        J = RANNAccuracy(n_hidden, random_state=seed_for(seed, "wrapper", sample, split))
    chance = {}
    if search in LIMITS:
        start = seed_for(seed, "search", sample, criterion, search, split, run)
        chance = {LIMITS[search]: max_evaluations, "random_state": start}
    what = {"sample": sample, "criterion": criterion, "search": search, "split": split, "run": run}
    return _rows(what, SEARCHES[search](J, **chance), X[:, :max_features], y)


def _sized_search(sample, dataset, search, n_features_to_select, split, max_features, target, seed):
    X, y = training_part(sample, dataset, split, target, seed)
    X = X[:, :max_features]
    if n_features_to_select >= X.shape[1]:
        return []
    criterion = f"Bhattacharyya, {n_features_to_select} features"
    what = {"sample": sample, "criterion": criterion, "search": search, "split": split, "run": 0}
    return _rows(what, SIZED_SEARCHES[search](Bhattacharyya(), n_features_to_select=n_features_to_select), X, y)


def _rows(what, search, X, y):
    start = time.perf_counter()
    search.fit(X, y)
    seconds = time.perf_counter() - start
    what = {**what, "subset": mask_of(np.flatnonzero(search.support_), X.shape[1])}
    measured = {
        "value": search.score_,
        "n_evaluations": search.n_evaluations_,
        "n_features": search.n_features_to_select_,
        "seconds": seconds,
    }
    return tidy(what, measured)


def outcomes(searched):
    """Searches against the optimum that exhaustive search found on the same training part.

    Parameters
    ----------
    searched : DataFrame
        As from `Searches.any_size`.

    Returns
    -------
    DataFrame
        One row per sample, criterion and search: share of runs that found the optimal value (``optimal``), mean
        distance from it (``gap``, in units of the criterion), mean number of subsets evaluated, and mean size.
    """
    by = ["sample", "criterion", "search", "split", "run"]
    wide = searched.pivot_table(index=by, columns="metric", values="value", sort=False).reset_index()
    optimum = wide[wide["search"] == "exhaustive"].set_index(["sample", "criterion", "split"])["value"]
    wide["gap"] = wide.join(optimum.rename("best"), on=["sample", "criterion", "split"])["best"] - wide["value"]
    wide["gap"] = wide["gap"].where(wide["gap"] > 1e-9, 0.0)  # tolerance for rounding
    wide["optimal"] = (wide["gap"] == 0).astype(float)
    groups = wide.groupby(["sample", "criterion", "search"], sort=False)
    return groups[["optimal", "gap", "n_evaluations", "n_features"]].mean().reset_index()


def shares(searched):
    """How often each feature is in the subset that a search found.

    Parameters
    ----------
    searched : DataFrame
        As from `Searches.any_size`.

    Returns
    -------
    DataFrame
        sample, criterion, search, feature (its number in the sample, from 1), share (of the splits and runs, above 0).
    """
    groups = searched[searched["metric"] == "value"].groupby(["sample", "criterion", "search"], sort=False)
    rows = []
    for (sample, criterion, search), group in groups:
        share = np.mean([[bit == "1" for bit in subset] for subset in group["subset"]], axis=0)
        what = {"sample": sample, "criterion": criterion, "search": search}
        rows += [{**what, "feature": int(f) + 1, "share": float(share[f])} for f in np.flatnonzero(share)]
    return pd.DataFrame(rows)
