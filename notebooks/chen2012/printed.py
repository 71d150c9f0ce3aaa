"""Comparison of our numbers with the printed numbers of Chen 2012."""

import pandas as pd

from chen2012.claims import chance
from compendium.published import compare, compare_lists, printed_table, with_verdicts

__all__ = [
    "added",
    "added_at_random",
    "aucs",
    "dominance",
    "first_features",
    "named_aucs",
    "named_features",
    "outline",
]


def outline(measured):
    """Table 2: the data sets as printed and as measured.

    Parameters
    ----------
    measured : DataFrame
        Table ``outline`` of `chen2012.ranking.Ranking`.

    Returns
    -------
    DataFrame
    """
    printed = printed_table("chen2012", 2).query("metric != 'attribute_type'")
    return with_verdicts(compare(printed, measured, ["dataset", "metric"])).drop(columns=["sd", "n"])


def named_features(average_ranks):
    """The features that Section 5.3 names, and ours: see `first_features`.

    Parameters
    ----------
    average_ranks : DataFrame
        Table of `chen2012.ranking.Ranking`.

    Returns
    -------
    DataFrame
        As from `compendium.published.compare_lists`.
    """
    printed = printed_table("chen2012", "text")
    printed = printed[printed["metric"].str.match("top3_average|common_in_top")]
    return compare_lists(printed, first_features(average_ranks), ["dataset", "method", "metric"])


def first_features(average_ranks, tops=(8, 10, 12)):
    """The first three features of every method, and those that all methods have in common.

    Parameters
    ----------
    average_ranks : DataFrame
        Table of `chen2012.ranking.Ranking`.
    tops : sequence of int
        How many of the first features must have a feature in common ("the top 12").

    Returns
    -------
    DataFrame
        dataset, method (or "all"), metric ("top3_average_ranking", "common_in_top8", ...), value (list of features).
    """
    rows = []
    for dataset, part in average_ranks.groupby("dataset", sort=False):
        orders = {
            name: own.sort_values("place")["feature"].tolist() for name, own in part.groupby("method", sort=False)
        }
        rows += [
            {"dataset": dataset, "method": method, "metric": "top3_average_ranking", "value": order[:3]}
            for method, order in orders.items()
        ]
        for top in tops:
            common = set.intersection(*(set(order[:top]) for order in orders.values()))
            what = {"dataset": dataset, "method": "all", "metric": f"common_in_top{top}"}
            rows.append({**what, "value": sorted(common)})
    return pd.DataFrame(rows)


def aucs(auc):
    """AUCs printed in the prose of Section 5.3, and ours: see `named_aucs`.

    Parameters
    ----------
    auc : DataFrame
        Table of `chen2012.auc.Auc`.

    Returns
    -------
    DataFrame
        As from `compendium.published.compare`.
    """
    printed = printed_table("chen2012", "text")
    printed = printed[printed["metric"].str.startswith("AUC_eval")]
    return compare(printed, named_aucs(auc), ["dataset", "method", "metric"])


def named_aucs(auc):
    """AUCs under the names used in our file of printed numbers.

    Parameters
    ----------
    auc : DataFrame
        Table of `chen2012.auc.Auc`.

    Returns
    -------
    DataFrame
        dataset, method (also "all" for the complete set), metric ("AUC_eval_GMLVQ_6_features",
        "AUC_eval_GMLVQ_all_features", ...), repeat, value.
    """
    n_features = auc.groupby("dataset")["n_features"].transform("max")
    size = auc["n_features"].astype(str)
    prefix = "AUC_eval_" + auc["evaluator"] + "_"
    named = auc.assign(metric=prefix + size + "_features")
    full = auc[auc["n_features"] == n_features].assign(metric=prefix + "all_features")
    rows = pd.concat([named, full, full[full["method"] == "GMLVQ"].assign(method="all")])
    return rows[["dataset", "method", "metric", "repeat", "value"]].reset_index(drop=True)


def dominance(shares, evaluator):
    """Table 3 (GMLVQ) or 4 (RBF-SVM): percentage of subset sizes at which a ranking has the best mean AUC.

    Parameters
    ----------
    shares : DataFrame
        Table ``dominance`` of `chen2012.auc.Auc`.
    evaluator : {"GMLVQ", "RBFSVM"}

    Returns
    -------
    DataFrame
        As from `compendium.published.compare`.
    """
    printed = printed_table("chen2012", {"GMLVQ": 3, "RBFSVM": 4}[evaluator])
    return compare(printed, shares[shares["evaluator"] == evaluator], ["dataset", "method"])


def added(number, measured):
    """Table 5 (random features) or 6 (noisy copies): appended features among the first N of each ranking.

    Parameters
    ----------
    number : {5, 6}
    measured : DataFrame
        Table ``irrelevant`` or ``redundant`` of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    DataFrame
        As from `compendium.published.compare`, and ``chance``: the expected number for a random ranking.
    """
    measured = measured[measured["metric"] == "added"]
    table = compare(printed_table("chen2012", number), measured, ["dataset", "method"])
    return table.assign(chance=table["dataset"].map(chance(measured)))


def added_at_random(measured):
    """Table 5 for information gain, with features of equal score in random order.

    Parameters
    ----------
    measured : DataFrame
        Table ``irrelevant`` of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    DataFrame
        As from `compendium.published.compare`.
    """
    printed = printed_table("chen2012", 5)
    printed = printed[printed["method"] == "IG"].assign(method="IG, equal scores at random")
    return compare(printed, measured, ["dataset", "method"])
