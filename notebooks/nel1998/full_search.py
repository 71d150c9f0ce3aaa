"""Section 7.3 of Nel's thesis: all subsets of four samples."""

from itertools import combinations, product

import numpy as np
import pandas as pd

from compendium.experiment import Schema, parameter, table
from compendium.units import tidy
from nel1998.accuracy import accuracies, subsets_to_measure, summary
from nel1998.all_subsets import gamma_estimates, gamma_rank_scores, gamma_ranking, gamma_terms, rann_ranking
from nel1998.candidates import information_prefixes, prefixes
from nel1998.masks import columns_of
from nel1998.protocol import ClassificationExperiment
from nel1998.published_settings import FULL_SEARCH_TABLES, rows_of, usable


class FullSearch(ClassificationExperiment):
    """Tables 7.5 to 7.10: proposals of the Gamma Test, mutual information and the RANN wrapper, and their accuracy.

    Tables
    ------
    summary
        Candidates of the three methods with their accuracy, see `nel1998.accuracy.summary`.
    overlap
        See `overlaps`.
    accuracies
        Of the candidates, the full sets and the printed subsets, see `nel1998.accuracy.accuracies`.
    gamma
        Average Gamma of the top five by the Gamma Test, the full sets and the subsets of Table 7.5, see
        `nel1998.all_subsets.gamma_estimates`.
    rank_scores
        Equation (7.1) of the subsets of Table 7.5, see `nel1998.all_subsets.gamma_rank_scores`.
    """

    schema = Schema(
        summary=table(
            "sample method order subset classifier n_features", values="score test train test_sd train_sd place"
        ),
        overlap=table("sample first second metric"),
        accuracies=table(
            "sample subset classifier size metric networks", repetition="split", values="value network_sd"
        ),
        gamma=table("dataset subset metric", repetition="split"),
        rank_scores=table("dataset subset metric", repetition="split"),
    )

    dataset: list[str] = parameter(
        ["wdbc", "bupa", "pima"], "data sets, or paths of CSV files, of up to 20 features", "data sets"
    )
    wdbc: list[str] = parameter(["WDBC1", "WDBC2"], "halves of wdbc to use", "{WDBC1, WDBC2}")
    n_splits: int = parameter(10, "partitions into two thirds to train and one third to test", "[2, 1000]")
    times: int = parameter(16, "as many partitions to test subsets as to find them; once in the thesis", "[1, 100]")
    max_neighbors: int = parameter(
        31, "largest odd number of neighbors; the thesis says 11, its numbers say about 31", "[1, 999]"
    )
    gamma_times: int = parameter(4, "the same for Gamma and the score by eq. (7.1)", "[1, 100]")
    p_max: list[int] = parameter([20, 25, 30, 35, 40, 45, 50], "neighbors of the Gamma Test", "[2, 200]")
    floor: float = parameter(0.01, "smallest denominator in eq. (7.1)", "(0, 0.1]")
    n_hidden: int = parameter(20, "hidden neurons of the wrapper", "[1, 200]")
    alpha: float = parameter(0.5, "penalty on shared information in the ranking", "[0, 10]")

    def measure(self):
        """See the class."""
        shared = self.pick("n_splits", "target", "seed")
        judging = {**shared, "n_splits": self.times * self.n_splits, **self.pick("max_neighbors")}
        judging_gamma = {**shared, "n_splits": self.gamma_times * self.n_splits}
        samples, printed = self.samples, usable(rows_of(FULL_SEARCH_TABLES))
        gamma = self.pick("p_max", "floor")
        candidates = pd.concat(
            [
                gamma_ranking(gamma_terms(samples, **gamma, **shared)),
                information_prefixes(prefixes(samples, **self.pick("alpha", "mode", "bandwidth"), **shared)),
                rann_ranking(samples, **self.pick("n_hidden"), network=self.network, **shared),
            ]
        )
        measured = accuracies(samples, subsets_to_measure(candidates, printed), **self.classification, **judging)
        judged = summary(candidates, measured)
        top = judged[judged["method"].isin(["gamma_test", "full"]) & (judged["place"] <= 5)]
        listed = pd.concat([top.rename(columns={"sample": "dataset"}), printed[printed["table"] == "7.5"]])
        ranked = printed[printed["metric"] == "gamma_rank_score"]
        return {
            "summary": judged,
            "overlap": overlaps(judged),
            "accuracies": measured,
            "gamma": gamma_estimates(samples, _by_sample(listed), **self.pick("p_max"), **judging_gamma),
            "rank_scores": gamma_rank_scores(gamma_terms(samples, **gamma, **judging_gamma), _by_sample(ranked)),
        }


def _by_sample(rows):
    """The masks of each sample."""
    return {sample: list(of_sample["subset"]) for sample, of_sample in rows.groupby("dataset")}


def overlaps(summarized, n_top=5):
    """Similarity of the top subsets of two methods.

    Parameters
    ----------
    summarized : DataFrame
        As from `nel1998.accuracy.summary`.
    n_top : int
        Number of subsets of each method: the first by its own criterion.

    Returns
    -------
    DataFrame
        sample, first, second (methods), metric, value. Metrics: ``jaccard``, features in both over features in either,
        mean over pairs of subsets; ``identical``, the share of pairs that are one subset; ``difference``, of the mean
        test accuracy of RANN, in points.
    """
    top = summarized[(summarized["order"] <= n_top) & (summarized["classifier"] == "RANN")]
    rows = []
    for sample, of_sample in top[top["method"] != "full"].groupby("sample", sort=False):
        methods = {method: chosen for method, chosen in of_sample.groupby("method", sort=False)}
        for first, second in combinations(methods, 2):
            pairs = list(product(*(map(set, map(columns_of, methods[m]["subset"])) for m in (first, second))))
            measured = {
                "jaccard": np.mean([len(a & b) / len(a | b) for a, b in pairs]),
                "identical": np.mean([a == b for a, b in pairs]),
                "difference": methods[first]["test"].mean() - methods[second]["test"].mean(),
            }
            rows += tidy({"sample": sample, "first": first, "second": second}, measured)
    return pd.DataFrame(rows)
