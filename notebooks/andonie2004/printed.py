"""Comparison of our numbers with the printed numbers of Andonie and Cataron 2004."""

import numpy as np
import pandas as pd

from compendium.comparison import PublishedNumbers, in_words
from compendium.protocol import named
from compendium.published import compare, printed_table

PUBLISHED = PublishedNumbers("andonie2004", rates={r"^Table 1:": 1.0})
N_TESTED = {"iris": 150, "vowel": 462, "ionosphere": 151}  # all of Iris, the test parts of the other two


def counts(n_tested=N_TESTED):
    """The counts that give the printed percentages of Table 1.

    Parameters
    ----------
    n_tested : dict of str to int
        Number of tested samples by data set.

    Returns
    -------
    DataFrame
        dataset, method, published, n_tested, correct (the nearest whole number of samples), exact (whether it gives
        the printed digits, rounded or truncated), gain (in samples, over the preceding method).
    """
    printed = printed_table("andonie2004", 1)
    table = printed[printed["dataset"].isin(n_tested)][["dataset", "method", "value"]].copy()
    table["n_tested"] = table["dataset"].map(n_tested)
    percent = table["value"].astype(float)
    table["correct"] = (percent * table["n_tested"] / 100).round().astype(int)
    table["exact"] = (100 * table["correct"] / table["n_tested"] - percent).abs() < 0.01
    table["gain"] = table.groupby("dataset")["correct"].diff()
    return table.rename(columns={"value": "published"}).assign(published=percent)


def comparisons(tables):
    """Every printed number with ours, by printed table.

    The rates of Iris are those of resubstitution, since the paper mentions no split and no folds.

    Parameters
    ----------
    tables : dict of str to DataFrame
        All tables of the paper's experiments.

    Returns
    -------
    dict of str to DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`.
    """
    recognition = tables["recognition"]
    measured = recognition[(recognition["metric"] == "rate") & (recognition["protocol"] != "cross-validation")]
    first = compare(printed_table("andonie2004", 1), measured, ["dataset", "method"])
    return {"Table 1": PUBLISHED.graded("Table 1", first), "Table 2": _ranks(tables["relevances"])}


def _ranks(relevances):
    """Table 2; the first ten features of each data set of a run without Iris."""
    table = printed_ranks()
    measured = relevances[relevances["method"].isin(table["method"]) & (relevances["place"] <= 10)]
    measured = measured_ranks(measured.sort_values(["dataset", "method", "place"]))
    unprinted = set(measured["dataset"]).isdisjoint(table["dataset"])
    return PUBLISHED.graded("Table 2", compare(table, measured, ["dataset", "method", "metric"], unprinted=unprinted))


def printed_ranks():
    """Table 2: the feature at each rank, with the metric "rank 1" and so on."""
    table = printed_table("andonie2004", 2)
    return table.assign(metric="rank " + table["rank"])


def measured_ranks(relevances):
    """The feature at each place, as in `printed_ranks`; all repetitions together give one, hence no spread."""
    metric = "rank " + relevances["place"].astype(str)
    return relevances.assign(metric=metric, value=relevances["feature"], sd=np.nan, n=1)


def as_measured():
    """The printed numbers in the form of the experiment's tables, for the rules.

    Returns
    -------
    dict of str to DataFrame
        ``recognition`` and ``relevances`` of `andonie2004.erlvq.EnergyRelevance`, of one repetition.
    """
    rates = printed_table("andonie2004", 1)[["dataset", "method", "value"]].astype({"value": float})
    rates = rates.assign(metric="rate", protocol="as printed", repeat=0)
    tested = rates.assign(metric="n_tested", value=rates["dataset"].map(N_TESTED).astype(float))
    ranks = printed_table("andonie2004", 2)
    rank = ranks["rank"].astype(int)
    relevances = ranks[["dataset", "method"]].assign(feature=ranks["value"].astype(int), mean=float("nan"), n=1)
    return {
        "recognition": pd.concat([rates, tested], ignore_index=True),
        "relevances": relevances.assign(first=(rank == 1).astype(int), place=rank),
    }


def rates(recognition, protocol):
    """Table 1 and the recognition rates of one protocol.

    Parameters
    ----------
    recognition : DataFrame
        Table of `andonie2004.erlvq.EnergyRelevance`.
    protocol : str

    Returns
    -------
    DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`, for the data sets that have this protocol.
    """
    measured = recognition[(recognition["protocol"] == protocol) & (recognition["metric"] == "rate")]
    printed = printed_table("andonie2004", 1)
    tested = printed[printed["dataset"].isin(measured["dataset"])]
    return PUBLISHED.graded("Table 1", compare(tested, measured, ["dataset", "method"], unprinted=True))


def ranks(tables, names):
    """Table 2: the feature at each rank, published and reproduced.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As for `comparisons`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        dataset, method, rank, published, reproduced, grade.
    """
    table = _ranks(tables["relevances"]).dropna(subset="reproduced")
    table["grade"] = [in_words(row) for row in table.to_dict("records")]
    table["rank"] = table["metric"].str.removeprefix("rank ").astype(int)
    for column in "published", "reproduced":
        table[column] = [
            None if np.isnan(number) else named(int(number), names.get(dataset))
            for dataset, number in zip(table["dataset"], table[column], strict=True)
        ]
    return table[["dataset", "method", "rank", "published", "reproduced", "grade"]]
