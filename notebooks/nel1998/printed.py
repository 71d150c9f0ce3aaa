"""Tables of the pages: comparisons with the printed numbers, and our numbers in the printed form."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from compendium.comparison import PublishedNumbers, side_by_side
from compendium.published import compare, compare_spreads
from nel1998 import published_settings
from nel1998.accuracy import selection_bias, variance_of_network
from nel1998.full_search import overlaps
from nel1998.joint import joint_tests
from nel1998.masks import columns_of
from nel1998.protocol import HALVES, samples_of
from nel1998.published_settings import FULL_SEARCH_TABLES, PBIL_TABLES

PUBLISHED = PublishedNumbers("nel1998", rates={r"^Table(?!.*, sd, ).*, (training|test)$": 1.0, r"largest class$": 1.0})
CLASSIFIERS = {"RANN": "RANN", "kNN": "k-NN"}
ONE_NETWORK = {"networks": 1, "network_sd": np.nan}  # of each accuracy in print
QUANTITIES = {
    "train_acc_pct": "training",
    "test_acc_pct": "test",
    "avg_gamma_e-3": "Gamma",
    "gamma_rank_score": "score, eq. 7.1",
    "mean_of_per_split_correlation": "r per split",
    "correlation_of_means": "r of means",
    "n_samples": "samples",
    "n_features": "features",
    "majority_class_pct": "largest class",
    "train_spread": "sd, training",
    "test_spread": "sd, test",
    "feature_of_WDBC": "features (taken from print)",
    "n_subsets_evaluated": "subsets evaluated",
    "stated_error_reduction_pct": "error saved",
}


def comparisons(tables):
    """Every printed number with ours, by printed table.

    Means of accuracies are compared in units of the standard error of the difference: ten splits on both sides (twenty
    in Tables 7.1 to 7.4), with the printed standard deviation for the thesis.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of the paper's experiments; numbers that are not measured in them have no value of ours.

    Returns
    -------
    dict of str to DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`. The printed
        standard deviations are compared too, in rows with ``spread`` in ``metric``.
    """
    graded = {}
    if "distances" in tables:
        graded["Table 5.1"] = table_5_1(tables["distances"])
    if "correlations" in tables:
        graded |= correlations(tables["correlations"])
    if "accuracies" in tables:
        more = [tables[name] for name in ("gamma", "rank_scores") if name in tables]
        graded |= proposals(FULL_SEARCH_TABLES, tables["summary"], tables["accuracies"], *more)
    if "large_accuracies" in tables:
        graded |= proposals(PBIL_TABLES, tables["large"], tables["large_accuracies"])
    if "outline" in tables:
        graded["Section 7.1"] = outline(tables["outline"])
    if "rankings" in tables:
        graded["Section 7.4"] = prose(tables)
    return graded


def table_5_1(distances, halved=False):
    """Table 5.1 compared with our draws, in thousandths.

    Parameters
    ----------
    distances : DataFrame
        Table of `nel1998.gamma_test.GammaAgainstTheory`.
    halved : bool, default=False
        Whether the distance of the first row is half of the printed one.
    """
    rows = published_settings.table_5_1()
    rows = rows.assign(distance=rows["corrected"]) if halved else rows
    table = compare(rows, distances, on=["distance"])
    table["item"] = [f"distance {distance:g}" for distance in table["distance"]]
    return PUBLISHED.graded("Table 5.1, first distance halved" if halved else "Table 5.1", table)


def outline(measured):
    """Section 7.1 compared with our files: numbers of samples and features, percentage of the largest class.

    The features of WDBC1 are taken from print, not measured: their row has no value.
    """
    rows = published_settings.rows_of(["Section 7.1"])
    listed = rows["metric"] == "feature_of_WDBC"
    known = set(measured["dataset"]).isdisjoint(rows["dataset"])  # nothing is printed of WDBC's halves, either
    table = compare(rows[~listed], measured, ["dataset", "metric"], unprinted=known)
    taken = rows.loc[listed, ["dataset", "metric"]].drop_duplicates().assign(agrees=None)
    return PUBLISHED.graded("Section 7.1", _named(pd.concat([table, taken], ignore_index=True), "dataset"))


def correlations(measured):
    """Tables 7.1 to 7.4 compared with our correlations, by table.

    Parameters
    ----------
    measured : DataFrame
        Table ``correlations`` of `nel1998.correlation.Correlation`.
    """
    on = ["dataset", "method", "classifier", "metric"]
    graded = {}
    rows = published_settings.rows_of(["7.1", "7.2", "7.3", "7.4"])
    rows["runs"] = rows["runs"].mask(rows["metric"] == "correlation_of_means", 1)  # one correlation of twenty splits
    for number, in_table in rows.groupby("table", sort=False):
        ours = measured.merge(in_table[on[1:]].drop_duplicates())
        table = _named(compare(in_table, ours, on, unprinted=True), "dataset")
        graded[f"Table {number}"] = PUBLISHED.graded(f"Table {number}", table)
    return graded


def proposals(tables, summarized, accuracies, *more):
    """Printed tables of subsets and their accuracy, compared with ours on the same subsets.

    Print lists the subsets "in order of best results on the final test sets", so it is compared with our mean plus the
    `nel1998.accuracy.selection_bias` of the place in that order.

    Parameters
    ----------
    tables : sequence of str
    summarized : DataFrame
        As from `nel1998.accuracy.summary`.
    accuracies : DataFrame
        As from `nel1998.accuracy.accuracies`.
    *more : DataFrame
        Other values of subsets: dataset (the sample), subset, metric, value.

    Returns
    -------
    dict of str to DataFrame
        By printed table, as from `comparisons`; first the means, then the standard deviations. ``together`` is the p of
        all means of a sample and classifier, see `shared_splits`.
    """
    on = ["dataset", "subset", "classifier", "metric"]
    measured = accuracies.rename(columns={"sample": "dataset"})
    means = pd.concat([measured, *(table.assign(classifier="none") for table in more)], ignore_index=True)
    spreads = single_network_spreads(measured)
    rows = published_settings.resolved(published_settings.rows_of(tables))
    on = ["method", *on]
    bias = selection_bias(summarized, accuracies)
    joint = shared_splits(tables, accuracies, bias).set_index(["dataset", "classifier"])["p"].rename("together")
    graded = {}
    for number, in_table in rows.groupby("table", sort=False):
        methods = in_table[["dataset", "subset", "method"]].drop_duplicates()
        own, own_spreads = (table.merge(methods, on=["dataset", "subset"]) for table in (means, spreads))
        favored = own.merge(_favored(in_table, bias), how="left")
        table = compare(in_table, favored.assign(value=favored["value"] + favored["bias"].fillna(0.0)), on)
        table = table.merge(joint, on=["dataset", "classifier"], how="left")
        deviations = compare_spreads(in_table, own_spreads, on)
        deviations["metric"] = deviations["metric"].str.replace("acc_pct", "spread")
        table = _named(pd.concat([table, deviations], ignore_index=True), "dataset", "subset")
        graded[f"Table {number}"] = PUBLISHED.graded(f"Table {number}", table)
    return graded


def _favored(rows, bias):
    """What selection adds to the numbers of a printed table: by the place of each subset, except for the full set."""
    listed = rows[rows["subset"].str.contains("0")].drop_duplicates(["dataset", "method", "subset"])
    places = listed.groupby(["dataset", "method"], sort=False).cumcount() + 1
    listed = listed[["dataset", "method", "subset"]].assign(place=places)
    return listed.merge(bias.rename(columns={"sample": "dataset"}), on=["dataset", "method", "place"])


def shared_splits(tables, accuracies, bias):
    """All printed means of each sample and classifier at once, see `nel1998.joint.joint_tests`.

    Parameters
    ----------
    tables : sequence of str
        Whose subsets were judged on the same splits.
    accuracies : DataFrame
        As for `proposals`.
    bias : DataFrame
        As from `nel1998.accuracy.selection_bias`.
    """
    rows = published_settings.resolved(published_settings.rows_of(tables))
    rows = rows[rows["metric"].isin(["train_acc_pct", "test_acc_pct"]) & (rows["value"] != "")]
    favored = [table.merge(_favored(table, bias), how="left") for _, table in rows.groupby("table", sort=False)]
    return joint_tests(pd.concat(favored, ignore_index=True), accuracies)


def single_network_spreads(measured):
    """Standard deviation over splits of the accuracy of one network, as the thesis has it, from means over several.

    The variance between splits of a mean over n networks holds 1/n of their variance within a split.

    Parameters
    ----------
    measured : DataFrame
        As from `nel1998.accuracy.accuracies`, with ``dataset`` for the sample.

    Returns
    -------
    DataFrame
        dataset, subset, classifier, metric, value, sd, n.
    """
    groups = measured.assign(within=variance_of_network(measured)).groupby(
        ["dataset", "subset", "classifier", "metric"], sort=False
    )
    spreads = groups.agg(
        value=("value", "mean"), between=("value", "var"), within=("within", "mean"), n=("value", "count")
    )
    return spreads.assign(sd=np.sqrt(spreads["between"] + spreads["within"])).reset_index()


def prose(tables):
    """Numbers in the prose of section 7.4: subsets evaluated, and the error that the best subset saves on ION.

    Every ten splits repeat the experiment.

    Parameters
    ----------
    tables : dict of str to DataFrame
        ``rankings``, ``large`` and ``large_accuracies`` of `nel1998.pbil.LargeSamples`.

    Returns
    -------
    DataFrame
        As from `comparisons`.
    """
    rows = published_settings.rows_of(["Section 7.4.1", "Section 7.4.2"])
    ranked = tables["rankings"]
    counts = ranked.groupby(["sample", _tens(ranked["split"])])["subset"].nunique().rename("value").reset_index()
    counts = counts.rename(columns={"sample": "dataset"}).assign(metric="n_subsets_evaluated")
    saved = _error_saved(tables["large"], tables["large_accuracies"])
    measured = pd.concat([counts, saved], ignore_index=True)
    return PUBLISHED.graded("Section 7.4", _named(compare(rows, measured, ["dataset", "metric"]), "dataset"))


def _tens(split):
    """The tens to which numbers of splits belong; incomplete ones have none, unless there are no others."""
    tens = split // 10
    return tens.where((split.max() < 10) | (10 * tens + 9 <= split.max()))


def _error_saved(large, accuracies):
    """Percentage of RANN's test errors on ION that a subset of PBIL saves, the best on the same splits."""
    ours = large[(large["sample"] == "ION") & large["method"].str.startswith("PBIL") & (large["classifier"] == "RANN")]
    if ours.empty:
        return None
    test = accuracies.query("sample == 'ION' and classifier == 'RANN' and metric == 'test_acc_pct'")
    wrong = 100 - test.groupby(["subset", _tens(test["split"])])["value"].mean().unstack("split")
    full, best = wrong.loc["1" * len(ours["subset"].iloc[0])], wrong.loc[ours["subset"].unique()].min()
    saved = (100 * (full - best) / full).rename("value").reset_index()
    return saved.assign(dataset="ION", metric="stated_error_reduction_pct")


def as_measured():
    """The printed numbers in the form of the experiments' tables, so that the rules can judge the thesis by itself.

    Where the thesis prints a mean and a standard deviation over ten splits, ten values with these two stand for the
    splits, in random order: print doesn't say which split gave what. The correlations of Tables 7.1 and 7.2 have no
    printed spread and are one repetition each, as are the draws of Table 5.1 (with its first distance corrected).

    Returns
    -------
    dict of str to DataFrame
    """
    rows = published_settings.rows_of(["7.1", "7.2", "7.3", "7.4"])
    correlations = rows.assign(split=0, value=rows["value"].astype(float))
    gamma = published_settings.table_5_1()
    distances = pd.DataFrame({"distance": gamma["corrected"], "repeat": 0, "value": gamma["value"].astype(float)})
    masks = [
        {"sample": sample, "number": number, "mask": mask, "printed": True}
        for sample in ("WDBC1", "WDBC2", "LIVER", "PIMA")
        for number, mask in enumerate(published_settings.subsets_of_table_b_1(sample), start=1)
    ]
    summary, accuracies = _judged(FULL_SEARCH_TABLES)
    large, large_accuracies = _judged(PBIL_TABLES)
    return {
        "correlations": correlations,
        "subsets": pd.DataFrame(masks),
        "distances": distances,
        "summary": summary,
        "overlap": overlaps(summary),
        "accuracies": accuracies,
        "large": large,
        "large_accuracies": large_accuracies,
    }


def _judged(tables):
    """Printed subsets as the tables ``summary`` and ``accuracies`` of the experiments."""
    rows = published_settings.usable(published_settings.rows_of(tables)).rename(columns={"dataset": "sample"})
    rows = rows[(rows["metric"] == "test_acc_pct") & (rows["value"] != "")]
    rows = rows.assign(value=rows["value"].astype(float), spread=rows["spread"].astype(float))
    rows["method"] = rows["method"].where(rows["subset"].str.contains("0"), "full")
    means = rows.groupby(["sample", "subset", "classifier"], sort=False)[["value", "spread"]].mean().reset_index()
    scores = norm.ppf((np.arange(1, 11) - 0.5) / 10)
    scores /= scores.std(ddof=1)
    rng = np.random.default_rng(0)
    accuracies = pd.concat(
        [
            means.drop(columns="spread").assign(
                split=split, metric="test_acc_pct", value=means["value"] + means["spread"] * z, **ONE_NETWORK
            )
            for split, z in enumerate(rng.permuted(np.tile(scores, (len(means), 1)), axis=1).T)
        ],
        ignore_index=True,
    )
    listed = rows.drop_duplicates(["sample", "method", "subset"])[["sample", "method", "subset"]]
    listed["order"] = np.where(listed["method"] == "full", 0, listed.groupby(["sample", "method"]).cumcount() + 1)
    summary = listed.merge(means, on=["sample", "subset"]).rename(columns={"value": "test", "spread": "test_sd"})
    return summary.assign(n_features=summary["subset"].str.count("1")), accuracies


def _named(table, *names):
    """Add the column ``item``: the printed number in words."""
    what = table["metric"].map(lambda metric: QUANTITIES.get(metric, metric))
    classifier = [table["classifier"].map(CLASSIFIERS)] if "classifier" in table else []
    parts = [*(table[name] for name in names), *classifier, what]
    items = [", ".join(word for word in row if isinstance(word, str)) for row in zip(*parts, strict=True)]
    return table.assign(item=items)


def compact_table(comparison):
    """A comparison side by side, with masks in groups and quantities in words.

    Parameters
    ----------
    comparison : DataFrame
        As from `comparisons`.

    Returns
    -------
    DataFrame
        As from `compendium.comparison.side_by_side`; without samples that are not in the run.
    """
    shown = comparison.assign(metric=comparison["metric"].map(QUANTITIES))
    if "subset" in shown:
        shown["subset"] = shown["subset"].map(_groups_of_ten)
    on = [name for name in ("dataset", "subset", "classifier", "metric") if name in shown]
    names = {"dataset": "sample", "metric": "quantity"}
    return side_by_side(shown, on).rename(columns=names)


def _groups_of_ten(mask):
    """Split a long mask into groups of ten bits, for readability and line breaks."""
    return " ".join(mask[start : start + 10] for start in range(0, len(mask), 10)) if len(mask) > 15 else mask


def top_five(summary, method, names):
    """The five best subsets of a method by the test accuracy of RANN, as the thesis chose them, and the full set.

    Parameters
    ----------
    summary : DataFrame
        As from `nel1998.accuracy.summary`.
    method : str
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        One row per subset: its rank by the criterion, and mean and standard deviation of the correct answers of both
        classifiers on training and test parts; the names of its features if any sample has names.
    """
    columns = names_by_sample(names)
    top = summary[(summary["method"] == method) & (summary["place"] <= 5) | (summary["method"] == "full")]
    shown = []
    for (sample, full, _, subset), group in top.groupby(["sample", top["method"] == "full", "place", "subset"]):
        rank = "full set" if full else f"{group['order'].iloc[0]}"
        row = {"sample": sample, "subset": _groups_of_ten(subset), "rank": rank}
        row["features"] = group["n_features"].iloc[0]
        for _, accuracy in group.iterrows():
            for what in "train", "test":
                spelled = f"{accuracy[what]:.2f} ± {accuracy[f'{what}_sd']:.2f}"
                row[f"{CLASSIFIERS[accuracy['classifier']]} {what}"] = spelled
        if sample in columns:
            chosen = [columns[sample][k] for k in columns_of(subset)]
            row["names"] = "all" if full else ", ".join(chosen)
        shown.append(row)
    header = ["sample", "subset", "rank", "features", "RANN train", "RANN test", "k-NN train", "k-NN test"]
    return pd.DataFrame(shown, columns=[*header, *["names"] * any("names" in row for row in shown)])


def names_by_sample(names):
    """Names of the columns of the samples of section 7.1, and of those that a CSV file makes.

    Parameters
    ----------
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    dict of str to list of str
        By sample; WDBC1 and WDBC2 have those of their half.
    """
    samples = samples_of(names, (*HALVES, "WDBC")) if names else {}
    by_sample = {sample: names[dataset] for sample, dataset in samples.items()}
    halves = [sample for sample in HALVES if samples.get(sample) == "wdbc"]
    return by_sample | {sample: [by_sample[sample][k - 1] for k in HALVES[sample]] for sample in halves}
