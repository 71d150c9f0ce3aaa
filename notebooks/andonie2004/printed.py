"""Comparison of our numbers with the printed numbers of Andonie and Cataron 2004."""

from compendium.published import compare, printed_table

__all__ = ["counts", "ranks", "rates"]

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


def rates(recognition, protocol):
    """Table 1 and the recognition rates of one protocol: published, reproduced, difference.

    Parameters
    ----------
    recognition : DataFrame
        Table of `andonie2004.erlvq.EnergyRelevance`.
    protocol : str

    Returns
    -------
    DataFrame
        As from :func:`compendium.published.compare`, for the data sets that have this protocol.
    """
    measured = recognition[(recognition["protocol"] == protocol) & (recognition["metric"] == "rate")]
    printed = printed_table("andonie2004", 1)
    return compare(printed[printed["dataset"].isin(measured["dataset"])], measured, ["dataset", "method"])


def ranks(relevances):
    """Table 2: the feature at each rank, published and reproduced.

    Parameters
    ----------
    relevances : DataFrame
        Table of `andonie2004.erlvq.EnergyRelevance`.

    Returns
    -------
    DataFrame
        dataset, method, metric, published, reproduced, agrees.
    """
    rank = "feature_at_rank_" + relevances["place"].astype(str)
    # one rank per feature from all repetitions together, hence no standard deviation
    measured = relevances.assign(metric=rank, value=relevances["feature"], sd=float("nan"), n=1)
    table = compare(printed_table("andonie2004", 2), measured, ["dataset", "method", "metric"])
    return table.drop(columns=["sd", "n", "difference"])
