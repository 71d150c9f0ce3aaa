"""Sections 7.3 and 7.4 of Nel's thesis: what the proposed subsets reached, and how alike they are."""

from itertools import combinations, product

import numpy as np
import pandas as pd

from nel1998.samples import columns_of

__all__ = ["overlaps", "summary", "to_measure"]


def to_measure(candidates, *more):
    """The subsets whose accuracy is needed: the candidates, the full set of each sample, and others.

    Parameters
    ----------
    candidates : DataFrame
    *more : DataFrame
        With columns dataset (the sample) and subset; samples without candidates are left out.

    Returns
    -------
    dict of str to list of str
    """
    subsets = {}
    for sample, part in candidates.groupby("sample", sort=False):
        others = [mask for table in more for mask in table.loc[table["dataset"] == sample, "subset"]]
        subsets[sample] = sorted({*part["subset"], *others, "1" * len(part["subset"].iloc[0])})
    return subsets


def summary(candidates, accuracies):
    """Candidates with what they reached on the test parts, and the full set of each sample.

    Parameters
    ----------
    candidates : DataFrame
    accuracies : DataFrame
        As from :func:`nel1998.accuracies`; holds every candidate and the full sets.

    Returns
    -------
    DataFrame
        sample, method ("full" for the full set), order, subset, score, n_features, classifier, and mean and standard
        deviation over splits: train, train_sd, test, test_sd, in percent. ``place`` numbers the subsets of a sample and
        method by the test accuracy of RANN: the thesis' "top five" have places 1 to 5.
    """
    by = ["sample", "subset", "classifier"]
    kept = accuracies[accuracies["metric"].str.endswith("acc_pct")]
    wide = kept.pivot_table(index=by, columns="metric", values="value", aggfunc=["mean", "std"]).reset_index()
    names = {("mean", "train_acc_pct"): "train", ("std", "train_acc_pct"): "train_sd"}
    names |= {("mean", "test_acc_pct"): "test", ("std", "test_acc_pct"): "test_sd"}
    wide.columns = [names.get(column, column[0]) for column in wide.columns]
    full = wide[~wide["subset"].str.contains("0")][["sample", "subset"]].drop_duplicates()
    table = pd.concat([candidates, full.assign(method="full", order=0, score=np.nan)], ignore_index=True)
    table = table.merge(wide, on=["sample", "subset"])
    table["n_features"] = table["subset"].str.count("1")
    network = table[table["classifier"] == "RANN"]
    place = network.groupby(["sample", "method"])["test"].rank(ascending=False, method="first").astype(int)
    return table.merge(network[["sample", "method", "subset"]].assign(place=place), on=["sample", "method", "subset"])


def overlaps(summarized, n_top=5):
    """How alike the top subsets of two methods are.

    Parameters
    ----------
    summarized : DataFrame
        As from `summary`.
    n_top : int
        How many subsets of a method: the first by its own criterion.

    Returns
    -------
    DataFrame
        sample, first, second (methods), metric, value. Metrics: ``jaccard``, features in both over features in either,
        mean over pairs of subsets; ``identical``, the share of pairs that are one subset; ``difference``, of the mean
        test accuracy of RANN, in points.
    """
    top = summarized[(summarized["order"] <= n_top) & (summarized["classifier"] == "RANN")]
    rows = []
    for sample, part in top[top["method"] != "full"].groupby("sample", sort=False):
        methods = {method: chosen for method, chosen in part.groupby("method", sort=False)}
        for first, second in combinations(methods, 2):
            pairs = list(product(*(map(set, map(columns_of, methods[m]["subset"])) for m in (first, second))))
            measured = {
                "jaccard": np.mean([len(a & b) / len(a | b) for a, b in pairs]),
                "identical": np.mean([a == b for a, b in pairs]),
                "difference": methods[first]["test"].mean() - methods[second]["test"].mean(),
            }
            what = {"sample": sample, "first": first, "second": second}
            rows += [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]
    return pd.DataFrame(rows)
