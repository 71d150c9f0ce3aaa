"""Comparison of our numbers with the printed numbers of Chen 2012."""

from functools import cache

import numpy as np
import pandas as pd

from chen2012.auc import ORIGINAL
from chen2012.claims import RIVALS, chance
from chen2012.protocol import METHODS
from compendium.comparison import PublishedNumbers
from compendium.protocol import named_list
from compendium.published import ROUNDING, compare, compare_lists, printed_table
from compendium.units import name_of

PUBLISHED = PublishedNumbers(
    "chen2012",
    rates={r"^Table [34]:": 1.0, r"AUC by": 0.01},
    inputs=r"n (train|validation|test|irrelevant added|redundant added|features with \w+|folds)$",  # settings of ours
)
# The thesis averages over 125 "epochs" on two data sets and 100 on the others: with five folds, 25 or 20 repetitions.
REPETITIONS = {"adrenal_tumour": "25", "ionosphere": "25", "sonar": "20", "wdbc": "20", "spectf": "20"}
SIZES = {"adrenal_tumour": (32, 9), "ionosphere": (33, 20), "sonar": (60, 20), "wdbc": (30, 20), "spectf": (44, 9)}
N_COPIES = 9
EVALUATED = {3: "GMLVQ", 4: "RBFSVM"}  # table and evaluator


def comparisons(tables):
    """Every printed number with ours.

    Parameters
    ----------
    tables : dict of str to DataFrame
        All tables of the thesis' experiments by name.

    Returns
    -------
    dict of str to DataFrame
        By table, or section of the prose: as from `compendium.comparison.PublishedNumbers.graded`.
    """
    numbers = {"Table 2": outline(tables["outline"])}
    numbers |= {f"Table {number}": dominance(tables["dominance"], name) for number, name in EVALUATED.items()}
    numbers |= {"Table 5": added(5, tables["irrelevant"]), "Table 6": added(6, tables["redundant"])}
    text = prose(tables)
    for section, in_section in text.groupby("section", sort=False):
        label = f"Prose, Section {section}"
        numbers[label] = PUBLISHED.graded(label, in_section)
    return numbers


def _items(table):
    """What each number is."""
    columns = [column for column in ON if column in table]
    items = [", ".join(word for word in row if word) for row in table[columns].itertuples(index=False)]
    return pd.Series(items, table.index, dtype=object)


def as_measured():
    """The printed numbers of Tables 3 to 6 in the form of our tables; one repetition, which gives no interval.

    Returns
    -------
    dict of str to DataFrame
        ``irrelevant``, ``redundant`` and ``dominance``.
    """
    tables = {}
    for kind, number in (("irrelevant", 5), ("redundant", 6)):
        table = printed_table("chen2012", number)
        n_own, n_added = zip(*(SIZES[name] for name in table["dataset"]), strict=True)
        tables[kind] = pd.DataFrame(
            {
                **table[["dataset", "method"]],
                "metric": "added",
                "repeat": 0,
                "n_own": n_own,
                "n_added": n_added if kind == "irrelevant" else N_COPIES,
                "value": table["value"].astype(float),
            }
        )
    shares = [printed_table("chen2012", number).assign(evaluator=name) for number, name in EVALUATED.items()]
    shares = pd.concat(shares)[["dataset", "evaluator", "method", "value"]]
    return {**tables, "dominance": shares.astype({"value": float}).reset_index(drop=True)}


def outline(measured):
    """Table 2: the data sets as printed and as measured.

    Parameters
    ----------
    measured : DataFrame
        Table ``outline`` of `chen2012.ranking.Ranking`.

    Returns
    -------
    DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`.
    """
    printed = printed_table("chen2012", 2).query("metric != 'attribute_type'")
    return PUBLISHED.graded("Table 2", compare(printed, measured, ["dataset", "metric"], unprinted=True))


def dominance(shares, evaluator):
    """Table 3 (GMLVQ) or 4 (RBF-SVM): percentage of subset sizes at which a ranking has the best AUC.

    The thesis averages its curves over 100 or 125 runs, but Tables 5 and 6 rest on five, and Table 3 contradicts what
    the prose tells of the curves. So a printed share counts as that of five runs, which is one of our repetitions.

    Parameters
    ----------
    shares : DataFrame
        Table ``dominance`` of `chen2012.auc.Auc`; or as from `chen2012.auc.dominance_of_means`, where it counts as that
        of as many runs as ours.
    evaluator : {"GMLVQ", "RBFSVM"}

    Returns
    -------
    DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`.
    """
    (number,) = (number for number, name in EVALUATED.items() if name == evaluator)
    ours = shares[shares["evaluator"] == evaluator]
    if "error" in ours:  # equal shares of all resamples have no spread, but for rounding
        ours = ours.assign(error=ours["error"].where(ours["error"] > ROUNDING))
    table = compare(printed_table("chen2012", number), ours, ["dataset", "method"], unprinted=True)
    if "error" in ours:
        table["same"] = False  # these are shares of means over repetitions
    return PUBLISHED.graded(f"Table {number}", table)


def added(number, measured):
    """Table 5 (random features) or 6 (noisy copies): appended features among the first N of each ranking.

    All but a few of the printed numbers are multiples of 0.2: means of five runs, which is one of our repetitions of
    five folds, so the standard deviation over our repetitions is the error of a printed number.

    Parameters
    ----------
    number : {5, 6}
    measured : DataFrame
        Table ``irrelevant`` or ``redundant`` of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`, and ``chance``: the expected number for a random
        ranking.
    """
    measured = measured[measured["metric"] == "added"]
    table = compare(printed_table("chen2012", number), measured, ["dataset", "method"], unprinted=True)
    table = PUBLISHED.graded(f"Table {number}", table)
    table.insert(2, "chance", table["dataset"].map(chance(measured)))
    return table


# Prose ----------------------------------------------------------------------------------------------------------------

# The names of the prose's numbers; those that are not here are named by their metric alone.
PHRASES = {
    "AUC": "AUC_eval_{evaluator}_{size}_features",
    "irrelevant_in_top": "irrelevant_in_top_{size}",
    "redundant_in_top": "redundant_in_top_{size}",
    "common_in_top": "common_in_top{size}",
    "first_by_average_rank": "top{size}_average_ranking",
    "other_features_sometimes_in_top": "other_features_sometimes_in_top{size}",
    "copies_ranked_within_top": "copies_of_feature_{feature}_ranked_within_top",
    "n_datasets_dominance_over_50pct": "n_datasets_dominance_over_50pct_eval_{evaluator}",
    "best_up_to_size": "best_eval_{evaluator}_up_to_size",
    "best_above_size": "best_eval_{evaluator}_above_size",
    "best_when_subset_smaller_than": "best_eval_{evaluator}_when_subset_smaller_than",
    "size_of_max_AUC": "size_of_max_AUC_eval_{evaluator}",
    "slightly_better_size_range": "slightly_better_eval_{evaluator}_size_range, {bound}",
    "better_than_GMLVQ_size_range": "better_than_GMLVQ_eval_{evaluator}_size_ranges {number}, {bound}",
}
SECTIONS = ["Section 5.2", "Section 4.1", "Section 4.2", *(f"Section 5.3.{k}" for k in range(1, 6)), "Section 5.4"]
LISTS = r"top3_average|common_in_top|other_features"
SETTINGS = r"n_folds|entropy_weight|waypoint|n_epochs"  # printed in prose, but chosen by the author, not found
ON = ["dataset", "method", "metric"]


def prose(tables):
    """Every number that the thesis prints in its prose and captions, with ours.

    Lists of features and ranges of sizes give one row for each of their numbers. Ours for a listed feature is the same
    feature if our list has it, else one that the printed list lacks. Settings of the author are not measured.

    Parameters
    ----------
    tables : dict of str to DataFrame
        All tables of the thesis' experiments by name.

    Returns
    -------
    DataFrame
        As from `compendium.published.compare`, with the columns dataset, method, metric, section and item.
    """
    printed = in_text()
    listed, chosen = (printed["metric"].str.match(pattern) for pattern in (LISTS, SETTINGS))
    numbers = printed[~listed & ~chosen]
    repeated = numbers["metric"].str.startswith("AUC")
    numbers = numbers.assign(runs=numbers["dataset"].map(REPETITIONS).where(repeated).fillna(""))
    settings = printed[chosen].assign(published=pd.to_numeric(printed[chosen]["value"], errors="coerce"), agrees=None)
    parts = [
        compare(numbers, _named_numbers(tables), ON).assign(section=numbers["section"].to_numpy()),
        _compare_features(printed[listed], tables["average_ranks"]),
        settings[[*ON, "published", "agrees", "section"]].assign(reproduced=np.nan),
    ]
    table = pd.concat([table.astype({"agrees": object}) for table in parts], ignore_index=True)
    order = {section: position for position, section in enumerate(dict.fromkeys(printed["section"]))}
    table = table.sort_values("section", key=lambda sections: sections.map(order), kind="stable")
    table["item"] = _items(table.assign(metric=_in_words(table["metric"]))) + table.pop("detail").fillna("")
    numbers = ["published", "reproduced", "sd", "n", "error", "difference", "errors"]
    table[numbers] = table[numbers].astype(float)
    return table.reset_index(drop=True)


def _in_words(metrics):
    return metrics.str.replace("_eval_", " by ").str.replace("_", " ")


@cache
def in_text():
    """The numbers of the prose and captions: dataset, method, metric (see `PHRASES`), value, section.

    A list of features is one row, its numbers joined by semicolons.
    """
    rows = pd.concat([printed_table("chen2012", section) for section in SECTIONS], ignore_index=True)
    rows["metric"] = [PHRASES.get(row["metric"], row["metric"]).format(**row) for row in rows.to_dict("records")]
    rows["section"] = rows["table"].str.removeprefix("Section ")
    return rows.groupby(["section", *ON], sort=False)["value"].agg(";".join).reset_index()


def _compare_features(printed, average_ranks):
    ours = first_features(average_ranks).set_index(ON)["value"]
    rows = []
    for row in printed.itertuples():
        numbers = dict.fromkeys(int(number) for number in row.value.split(";"))
        measured = ours.get((row.dataset, row.method, row.metric))
        others = [] if measured is None else [other for other in measured if other not in numbers]
        for number in numbers:
            agrees = None if measured is None else number in measured
            feature = number if agrees else others.pop(0) if others else np.nan
            what = {name: getattr(row, name) for name in (*ON, "section")}
            rows.append({**what, "published": number, "reproduced": feature, "agrees": agrees, "detail": f": {number}"})
    return pd.DataFrame(rows)


def _named_numbers(tables):
    """Our numbers under the names of our file of printed numbers: `ON`, value, and sd and n, or error."""
    parts = [
        _aucs(tables["auc"]),
        _counts("irrelevant", tables),
        _counts("redundant", tables),
        _set_sizes(tables),
        _sizes_of_leads(tables["auc"]),
        _sizes_of_fewest(tables["redundant_curves"]),
        _over_all_sets(tables),
    ]
    return pd.concat(parts, ignore_index=True)


def named_aucs(auc):
    """The AUCs that the prose prints, and ours.

    Parameters
    ----------
    auc : DataFrame
        Table of `chen2012.auc.Auc`.

    Returns
    -------
    DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`.
    """
    printed = in_text()
    printed = printed[printed["metric"].str.startswith("AUC_eval")]
    table = compare(printed.assign(runs=printed["dataset"].map(REPETITIONS)), _aucs(auc), ON)
    return PUBLISHED.graded("Prose", table.assign(item=_items(table.assign(metric=_in_words(table["metric"])))))


def _aucs(auc):
    """``AUC_eval_GMLVQ_6_features``, ``AUC_eval_GMLVQ_all_features`` (also with the method "all"), and so on."""
    n_features = auc.groupby("dataset")["n_features"].transform("max")
    prefix = "AUC_eval_" + auc["evaluator"] + "_"
    named = auc.assign(metric=prefix + auc["n_features"].astype(str) + "_features")
    full = auc[auc["n_features"] == n_features].assign(metric=prefix + "all_features")
    rows = pd.concat([named, full, full[full["method"] == "GMLVQ"].assign(method="all")])
    return rows.groupby(ON, sort=False)["value"].agg(value="mean", sd="std", n="count").reset_index()


def _counts(kind, tables):
    """``irrelevant_in_top_32``, ``irrelevant_filtered_out``, and so on; "best" is the ranking with the fewest.

    The spread at other sizes is taken from that at the original number of features.
    """
    curves = tables[f"{kind}_curves"].query("metric == 'added' and method in @METHODS")
    whole = tables[kind].query("metric == 'added'").groupby(["dataset", "method"])["value"]
    rows = curves.join(whole.agg(sd="std", n="count"), on=["dataset", "method"])
    best = rows.loc[rows.groupby(["dataset", "size"])["value"].idxmin()].assign(method="best")
    rows = pd.concat([rows, best])
    complete = rows[rows["size"] == rows["n_own"]]
    kept_out = complete.assign(metric=f"{kind}_filtered_out", value=complete["n_added"] - complete["value"])
    rows = rows.assign(metric=f"{kind}_in_top_" + rows["size"].astype(str))
    copies = tables[kind].query("metric.str.startswith('copies')").groupby(["dataset", "metric", "method"])["value"]
    last = copies.agg(value="mean", sd="std", n="count").sort_values("value").groupby(level=[0, 1]).last().reset_index()
    last["metric"] = "copies_of_feature_" + last["metric"].str.removeprefix("copies ") + "_ranked_within_top"
    return pd.concat([rows, kept_out, last.assign(method="all")])[[*ON, "value", "sd", "n"]]


def _set_sizes(tables):
    """Numbers of features and of samples in each part."""
    rows = []
    for kind in ("irrelevant", "redundant"):
        for dataset, (n_own, n_added) in tables[kind].groupby("dataset")[["n_own", "n_added"]].first().iterrows():
            named = {"n_features_used": n_own, f"n_{kind}_added": n_added, f"n_features_with_{kind}": n_own + n_added}
            rows += [{"dataset": dataset, "metric": metric, "value": value} for metric, value in named.items()]
    instances = tables["outline"].query("metric == 'n_instances'").set_index("dataset")["value"]
    for dataset, n in instances.items():
        parts = np.array([len(fold) for fold in np.array_split(np.arange(int(n)), 5)])
        for metric, sizes in (("n_train", n - 2 * parts), ("n_validation", parts), ("n_test", parts)):
            measured = {"value": sizes.mean(), "sd": sizes.std(ddof=1), "n": len(sizes)}
            rows.append({"dataset": dataset, "metric": metric, **measured})
    return pd.DataFrame(rows).assign(method="").drop_duplicates(ON)


def _sizes_of_leads(auc, n_bootstrap=200):
    """Up to which size, above which, and over which range a ranking has the best mean AUC, and the size of its maximum.

    ``error`` is that of a bootstrap over the repetitions; ``theirs`` that of one over as many as the thesis has, and of
    the grid of sizes in its figures.
    """
    rows = []
    for (dataset, evaluator), group in auc.groupby(["dataset", "evaluator"], sort=False):
        cube = group.pivot_table(index="repeat", columns=["method", "n_features"], values="value")
        sizes = cube.columns.unique("n_features").sort_values()[:-1]  # with all features the rankings are the same
        for method in cube.columns.unique("method"):
            rivals = [name for name in METHODS if name != method]
            values = np.stack([cube[name][sizes].to_numpy() for name in (method, *rivals)], axis=1)
            leads = _where_best(values.mean(axis=0), sizes)
            drawn = np.random.default_rng(0).integers(len(values), size=(n_bootstrap, len(values)))
            ours, theirs = (
                pd.DataFrame([_where_best(values[rows[:n]].mean(axis=0), sizes) for rows in drawn]).std(ddof=0)
                for n in (len(values), int(REPETITIONS.get(dataset, len(values))))
            )
            theirs = np.hypot(theirs, np.diff(sizes).max() / np.sqrt(12))
            what = {"dataset": dataset, "method": method}
            rows += [
                {**what, "metric": name.format(evaluator), "value": value, "error": ours[name], "theirs": theirs[name]}
                for name, value in leads.items()
            ]
    named = pd.DataFrame(rows)
    original = named["method"] == ORIGINAL
    named.loc[original, "metric"] = named["metric"].str.replace("best_eval_GMLVQ", "better_than_other_rankings")
    return named


def _where_best(curves, sizes):
    """Sizes at which the first of several curves is the best."""
    ahead = curves[0] > curves[1:].max(axis=0)
    first = len(ahead) if ahead.all() else np.argmin(ahead)
    last = len(ahead) - (len(ahead) if ahead.all() else np.argmin(ahead[::-1]))
    grid = np.array([0, *sizes])
    ends = np.flatnonzero(np.diff(np.concatenate([[0], ahead, [0]])))
    starts, stops = ends[::2], ends[1::2]
    longest = np.argmax(stops - starts) if len(starts) else None
    return {
        "best_eval_{}_up_to_size": grid[first],
        "best_eval_{}_when_subset_smaller_than": sizes[min(first, len(sizes) - 1)],
        "best_eval_{}_above_size": grid[last],
        "slightly_better_eval_{}_size_range, from": np.nan if longest is None else sizes[starts[longest]],
        "slightly_better_eval_{}_size_range, to": np.nan if longest is None else sizes[stops[longest] - 1],
        "size_of_max_AUC_eval_{}": sizes[curves[0].argmax()],
    }


def _sizes_of_fewest(curves):
    """Up to which size GMLVQ ranks the fewest copies first, and above which information gain ranks fewer first."""
    rows = []
    for dataset, group in curves.query("metric == 'added'").groupby("dataset", sort=False):
        counts = group.pivot_table(index="size", columns="method", values="value")
        rivals = counts[RIVALS].min(axis=1)
        more = counts.index[counts["GMLVQ"] > rivals]
        until = more.min() - 1 if len(more) else counts.index.max()
        not_fewer = counts.index[(counts["IG"] >= counts["GMLVQ"]) & (counts.index < counts.index.max())]
        named = {
            ("GMLVQ", "fewest_redundant_up_to_size"): until,
            ("GMLVQ", "fewest_redundant_below_size"): until + 1,
            ("IG", "fewer_redundant_than_GMLVQ_above_size"): max(not_fewer, default=0),
        }
        rows += [{"dataset": dataset, "method": m, "metric": name, "value": v} for (m, name), v in named.items()]
    return pd.DataFrame(rows)


def _over_all_sets(tables):
    """Totals of Table 6 and the count from Table 4, which need the Adrenal tumor data, too."""
    redundant = tables["redundant"].query("metric == 'added'")
    shares = tables["dominance"].groupby(["dataset", "evaluator", "method"])["value"].mean().reset_index()
    if set(SIZES) - set(redundant["dataset"]) or set(SIZES) - set(shares["dataset"]):
        return pd.DataFrame(columns=[*ON, "value"])
    totals = redundant.pivot_table(index="repeat", columns="method", values="value", aggfunc="sum")
    rows = [
        {"dataset": "sum_of_5", "method": method, "metric": "total_redundant_over_datasets", **measured}
        for method, measured in totals.agg(["mean", "std", "count"]).set_axis(["value", "sd", "n"]).items()
    ]
    more = ((shares["evaluator"] == "RBFSVM") & (shares["method"] == "GMLVQ") & (shares["value"] > 50)).sum()
    what = {"dataset": "all", "method": "GMLVQ", "metric": "n_datasets_dominance_over_50pct_eval_RBFSVM"}
    return pd.DataFrame([*rows, {**what, "value": float(more)}])


def named_features(average_ranks, datasets, names):
    """The features that Section 5.3 names, and ours: see `first_features`.

    Parameters
    ----------
    average_ranks : DataFrame
        Table of `chen2012.ranking.Ranking`.
    datasets : list of str
        The data sets of the run.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        As from `compendium.published.compare_lists`.
    """
    printed = in_text()
    named = printed["metric"].str.match("top3_average|common_in_top")
    printed = printed[named & printed["dataset"].isin(map(name_of, datasets))]
    compared = compare_lists(printed, first_features(average_ranks), ON, unprinted=True)
    for column in "published", "reproduced":
        compared[column] = [
            named_list(map(int, text.split(", ")), names.get(dataset)) if isinstance(text, str) and text else text
            for dataset, text in zip(compared["dataset"], compared[column], strict=True)
        ]
    return compared


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
    for dataset, group in average_ranks.groupby("dataset", sort=False):
        orders = {
            name: ranks.sort_values("place")["feature"].tolist() for name, ranks in group.groupby("method", sort=False)
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
