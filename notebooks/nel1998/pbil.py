"""Section 7.4 of Nel's thesis: samples with too many features to evaluate all subsets."""

import numpy as np
import pandas as pd

from compendium.experiment import Schema, parameter, table
from compendium.units import run_units, seed_for, tidy
from fscore.criteria import GammaTest, RANNAccuracy
from fscore.search import PBIL
from nel1998.accuracy import accuracies, subsets_to_measure, summary
from nel1998.candidates import information_prefixes, ordered, prefixes, units_of
from nel1998.masks import mask_of
from nel1998.protocol import ClassificationExperiment, training_part
from nel1998.published_settings import PBIL_TABLES, rows_of, usable


class LargeSamples(ClassificationExperiment):
    """Tables 7.11 to 7.14 and C.1: proposals of PBIL and of the rankings by mutual information, and their accuracy.

    Tables
    ------
    large
        Candidates with their accuracy, see `nel1998.accuracy.summary`.
    runs
        Every run of PBIL: sample, method (the criterion), split, run, subset, metric, value. Metrics: ``value`` of the
        criterion (minus Gamma, or a share of correct answers), ``n_evaluations``, ``generations``.
    rankings
        See `nel1998.candidates.prefixes`; candidates are those of the first ``n_splits`` partitions.
    large_accuracies
        Of the candidates, the full sets and the printed subsets, see `nel1998.accuracy.accuracies`.
    """

    schema = Schema(
        large=table(
            "sample method order subset classifier n_features", values="score test train test_sd train_sd place"
        ),
        runs=table("sample method subset metric", repetition="split run"),
        rankings=table("sample subset", repetition="split", values=""),
        large_accuracies=table(
            "sample subset classifier size metric networks", repetition="split", values="value network_sd"
        ),
    )

    dataset: list[str] = parameter(["ionosphere", "wdbc"], "data sets, or paths of CSV files", "data sets")
    wdbc: list[str] = parameter(["WDBC"], "columns of wdbc: all, or the halves in the thesis", "{WDBC1, WDBC2, WDBC}")
    n_splits: int = parameter(10, "partitions into two thirds to train and one third to test", "[2, 1000]")
    times: int = parameter(16, "as many partitions to test subsets as to find them; once in the thesis", "[1, 100]")
    max_neighbors: int = parameter(
        31, "largest odd number of neighbors; the thesis says 11, its numbers say about 31", "[1, 999]"
    )
    n_runs: int = parameter(10, "runs of PBIL on each training part", "[1, 1000]")
    population: int = parameter(100, "subsets of a generation", "[2, 10000]")
    learning_rate: float = parameter(0.1, "step towards the best of a generation", "[0, 1]")
    negative_learning_rate: float = parameter(0.075, "further step where best and worst differ", "[0, 1]")
    mutation_probability: float = parameter(0.02, "probability of mutating a probability", "[0, 1]")
    mutation_shift: float = parameter(0.05, "shift of a mutated probability", "[0, 1]")
    max_generations: int = parameter(200, "largest number of generations", "[1, 100000]")
    p_max: int = parameter(20, "neighbors of the Gamma Test", "[2, 200]")
    n_hidden: int = parameter(20, "hidden neurons of the wrapper", "[1, 200]")
    alpha: float = parameter(0.5, "penalty on shared information in the ranking", "[0, 10]")

    def measure(self):
        """See the class."""
        shared = self.pick("n_splits", "target", "seed")
        samples, printed = self.samples, usable(rows_of(PBIL_TABLES))
        runs = self.runs(samples)
        judging = {**shared, "n_splits": self.times * self.n_splits}
        ranked = prefixes(samples, **self.pick("alpha", "mode", "bandwidth"), **judging)
        candidates = pd.concat([best_runs(runs), information_prefixes(ranked[ranked["split"] < self.n_splits])])
        judging |= self.pick("max_neighbors")
        measured = accuracies(samples, subsets_to_measure(candidates, printed), **self.classification, **judging)
        return {
            "large": summary(candidates, measured),
            "runs": runs,
            "rankings": ranked,
            "large_accuracies": measured,
        }

    def runs(self, samples):
        """Table ``runs``: PBIL under the Gamma Test and the RANN's training accuracy.

        Parameters
        ----------
        samples : dict of str to str

        Returns
        -------
        DataFrame
        """
        constants = self.pick("population", "learning_rate", "max_generations", "negative_learning_rate")
        constants |= self.pick("mutation_probability", "mutation_shift")
        shared = {"constants": tuple(constants.items()), **self.pick("target", "seed")}
        criteria = {
            "gamma_test": self.pick("p_max"),
            "RANN_wrapper": {**self.pick("n_hidden"), "network": self.network},
        }
        units = [
            {**unit, "method": method, "settings": tuple(settings.items()), "run": run}
            for method, settings in criteria.items()
            for unit in units_of(samples, self.n_splits, **shared)
            for run in range(self.n_runs)
        ]
        return run_units(_pbil_run, units, label="PBIL")


def _pbil_run(sample, dataset, method, split, run, settings, constants, target, seed):
    X, y = training_part(sample, dataset, split, target, seed)
    settings = dict(settings)
    if method == "gamma_test":
        criterion = GammaTest(settings["p_max"])
    else:
        weights = seed_for(seed, "wrapper", sample, split)
        criterion = RANNAccuracy(settings["n_hidden"], random_state=weights, **dict(settings["network"]))
    start = seed_for(seed, "PBIL", sample, method, split, run)
    search = PBIL(criterion, random_state=start, **dict(constants)).fit(X, y)
    what = {"sample": sample, "method": method, "split": split, "run": run}
    what["subset"] = mask_of(np.flatnonzero(search.support_), X.shape[1])
    measured = {"value": search.score_, "n_evaluations": search.n_evaluations_, "generations": len(search.path_)}
    return tidy(what, measured)


def best_runs(runs):
    """Section 7.4.1: the best solution of all runs on each training part.

    Parameters
    ----------
    runs : DataFrame
        Table of `LargeSamples`.

    Returns
    -------
    DataFrame
        Candidates, ``method`` "PBIL+gamma_test" or "PBIL+RANN_wrapper"; ``score`` is the best value of the criterion
        among the splits that found the subset.
    """
    final = runs[runs["metric"] == "value"].sort_values("value", ascending=False, kind="stable")
    best = final.groupby(["sample", "method", "split"]).head(1)
    best = best.groupby(["sample", "method", "subset"])["value"].max().rename("score").reset_index()
    best["method"] = "PBIL+" + best["method"]
    return pd.concat([ordered(of_method) for _, of_method in best.groupby("method", sort=False)], ignore_index=True)
