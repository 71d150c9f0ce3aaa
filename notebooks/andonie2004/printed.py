"""Comparison of our numbers with the printed numbers of Andonie and Cataron 2004."""

import numpy as np
import pandas as pd

from compendium.features import named
from compendium.published import compare, printed_table, with_verdicts

__all__ = ["as_measured", "comparisons", "counts", "ranks", "rates"]

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
        As from :func:`compendium.published.compare`, with a column ``item`` that names the number.
    """
    recognition = tables["recognition"]
    measured = recognition[(recognition["metric"] == "rate") & (recognition["protocol"] != "cross-validation")]
    first = compare(printed_table("andonie2004", 1), measured, ["dataset", "method"])
    # one rank per feature from all repetitions together, hence no standard deviation
    relevances = tables["relevances"]
    place = "feature_at_rank_" + relevances["place"].astype(str)
    measured = relevances.assign(metric=place, value=relevances["feature"], sd=float("nan"), n=1)
    second = compare(printed_table("andonie2004", 2), measured, ["dataset", "method", "metric"])
    second["metric"] = second["metric"].str.removeprefix("feature_at_").str.replace("_", " ")
    return {
        "Table 1": first.assign(item=first["dataset"] + ", " + first["method"]),
        "Table 2": second.assign(item=second["dataset"] + ", " + second["method"] + ", " + second["metric"]),
    }


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
    place = ranks["metric"].str.removeprefix("feature_at_rank_").astype(int)
    relevances = ranks[["dataset", "method"]].assign(feature=ranks["value"].astype(int), mean=float("nan"), n=1)
    return {
        "recognition": pd.concat([rates, tested], ignore_index=True),
        "relevances": relevances.assign(first=(place == 1).astype(int), place=place),
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
        As from :func:`compendium.published.with_verdicts`, for the data sets that have this protocol.
    """
    measured = recognition[(recognition["protocol"] == protocol) & (recognition["metric"] == "rate")]
    printed = printed_table("andonie2004", 1)
    return with_verdicts(
        compare(printed[printed["dataset"].isin(measured["dataset"])], measured, ["dataset", "method"])
    )


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
        dataset, method, rank, published, reproduced, verdict.
    """
    table = with_verdicts(comparisons(tables)["Table 2"])
    table["rank"] = table["metric"].str.removeprefix("rank ").astype(int)
    for column in "published", "reproduced":
        table[column] = [
            None if np.isnan(number) else named(int(number), names.get(dataset))
            for dataset, number in zip(table["dataset"], table[column], strict=True)
        ]
    return table[["dataset", "method", "rank", "published", "reproduced", "verdict"]]
