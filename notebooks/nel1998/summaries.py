"""Sentences and tables for the pages, computed from the tables of the experiments."""

import numpy as np
import pandas as pd

from compendium.features import named_list
from compendium.published import compare
from compendium.readings import verdicts_under
from compendium.verdicts import MARKS
from nel1998 import printed
from nel1998.correlation import correlations
from nel1998.published_settings import FULL_SEARCH_TABLES, PBIL_TABLES, rows_of, usable
from nel1998.readings import CHOSEN_ON, PAGES

__all__ = [
    "agreement",
    "agreement_by_reading",
    "choice_of_readings",
    "gamma_of_three",
    "information_of_three",
    "is_000111_a_misprint",
    "network_of_three",
    "network_settings",
    "often_selected",
    "partition_luck",
    "poor_subset",
    "searches",
    "settings",
    "sizes_by_gamma",
    "subsets_proposed",
    "table_5_1",
    "variation",
    "verdicts",
    "verdicts_by_reading",
]


def _plus(values, digits):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def _of(criteria, metric, **where):
    """Values of one metric of the three-feature example by random draw."""
    chosen = criteria[criteria["metric"] == metric]
    for column, value in where.items():
        chosen = chosen[chosen[column] == value]
    return chosen.set_index("repeat")["value"]


def information_of_three(criteria):
    """Figure 4.2 in words: mutual information of the features with the class and with each other, and their ranks.

    Parameters
    ----------
    criteria : DataFrame
        Table of `nel1998.three_features.ThreeFeatures`.

    Returns
    -------
    list of str
    """
    masks = ["100", "010", "001"]
    with_class = [_of(criteria, "with_class", subset=mask) for mask in masks]
    ranks = pd.concat([_of(criteria, "rank", subset=mask) for mask in masks], axis=1)
    as_printed = (ranks.to_numpy() == [1, 2, 3]).all(axis=1)
    pair = _of(criteria, "with_feature", subset="100", other="010")
    noise = np.concatenate([_of(criteria, "with_feature", subset=mask, other="001") for mask in masks[:2]])
    named = ", ".join(f"feature {f} {_plus(values, 3)}" for f, values in enumerate(with_class, start=1))
    return [
        f"Information about the class, in nats (mean ± standard deviation over {len(ranks)} draws): {named}.",
        f"Features 1 and 2 share {_plus(pair, 3)}; each shares {_plus(noise, 3)} with feature 3.",
        f"The thesis ranks them 1, 2, 3; so do {as_printed.sum()} of {len(ranks)} draws.",
    ]


def gamma_of_three(criteria):
    """Figure 5.3 in words: what feature 3 does to Gamma, alone with another feature and with both.

    Parameters
    ----------
    criteria : DataFrame
        Table of `nel1998.three_features.ThreeFeatures`.

    Returns
    -------
    list of str
    """
    gamma = {mask: _of(criteria, "gamma", subset=mask) for mask in ("100", "101", "010", "011", "110", "111")}
    added = {
        name: 1000 * (gamma[more] - gamma[less])
        for name, less, more in (("feature 1", "100", "101"), ("feature 2", "010", "011"), ("both", "110", "111"))
    }
    said = ", ".join(f"to {name} {_plus(values, 1)}" for name, values in added.items())
    n = len(gamma["100"])
    return [f"Added feature 3 changes Gamma, in thousandths (mean ± standard deviation over {n} draws): {said}."]


def network_of_three(criteria):
    """Figure 6.2 in words: the network on feature 3 alone, and on features 1 and 2 with and without it.

    Parameters
    ----------
    criteria : DataFrame
        Table of `nel1998.three_features.ThreeFeatures`.

    Returns
    -------
    list of str
    """
    test = {mask: _of(criteria, "test_acc_pct", subset=mask) for mask in ("001", "110", "111")}
    return [
        f"The network classifies {_plus(test['001'], 1)} percent of the test parts correctly by feature 3 alone, "
        f"{_plus(test['110'], 1)} by features 1 and 2, and {_plus(test['111'], 1)} by all three (mean ± standard "
        f"deviation over {len(test['001'])} draws)."
    ]


def table_5_1(as_printed, corrected):
    """How many values of Table 5.1 agree with ours, with the printed distances and with the first one halved.

    Parameters
    ----------
    as_printed, corrected : DataFrame
        As from `nel1998.printed.table_5_1` and `nel1998.printed.table_5_1_corrected`.

    Returns
    -------
    list of str
    """
    first, halved = as_printed.iloc[0], corrected.iloc[0]
    said = [
        f"With the printed distances {as_printed['agrees'].eq(True).sum()} of {len(as_printed)} values agree with "
        f"ours, with the first distance halved {corrected['agrees'].eq(True).sum()}."
    ]
    if not np.isfinite([first["errors"], halved["errors"]]).all():  # too few draws for a standard error
        return said
    conclusion = {
        (False, True): ": the classes were shifted by one in both features, not by two",
        (True, True): "; our error is too large to tell the two apart",
    }.get((first["agrees"], halved["agrees"]), "")
    return [
        *said,
        f"The first printed value, {first['published']:g}, is {abs(first['errors']):.1f} standard errors from ours at "
        f"the printed distance of {first['distance']:g}, and {abs(halved['errors']):.1f} at {halved['distance']:g}, "
        f"where theory gives {halved['theory']:.1f}{conclusion}.",
    ]


def variation(values):
    """How much mutual information and accuracy of single features vary from split to split.

    Parameters
    ----------
    values : DataFrame
        Table of `nel1998.correlation.Correlation`.

    Returns
    -------
    list of str
    """
    ours = values[(values["kind"] == "feature") & (values["network"] == 0)]
    groups = ours.groupby(["sample", "metric", "number"], sort=False)["value"]
    within, means = groups.std(), groups.mean()
    between = means.groupby(["sample", "metric"], sort=False).std()
    ratio = (within.groupby(["sample", "metric"], sort=False).mean() / between).unstack("metric")
    lower = (ratio["mutual_information"] < ratio["RANN"]).sum()
    said = "; ".join(
        f"{sample} {row['mutual_information']:.2f}, {row['RANN']:.2f}, {row['kNN']:.2f}"
        for sample, row in ratio.iterrows()
    )
    return [
        "The thesis remarks that mutual information varies less from split to split than accuracy does. Standard "
        "deviation of a feature over splits, as a share of that between features, for mutual information, RANN and "
        f"k-NN: {said}. It is lower for mutual information than for RANN on {lower} of {len(ratio)} samples.",
        "Mutual information is estimated on the larger part of the sample and accuracy on the smaller, which by itself "
        "makes accuracy vary more.",
    ]


def poor_subset(values):
    """The correlation of Gamma and accuracy on WDBC2 with and without its worst subset.

    Parameters
    ----------
    values : DataFrame
        Table of `nel1998.correlation.Correlation`.

    Returns
    -------
    list of str
        Empty without WDBC2.
    """
    ours = values[(values["sample"] == "WDBC2") & (values["kind"] == "subset")]
    if ours.empty:
        return []
    worst = ours[ours["metric"] == "gamma_test"].groupby("number")["value"].mean().idxmax()
    mask = ours.loc[ours["number"] == worst, "mask"].iloc[0]

    def of_means(part):
        found = correlations(part).query("metric == 'correlation_of_means'").set_index("classifier")["value"]
        return f"{found['RANN']:.2f} (RANN) and {found['kNN']:.2f} (k-NN)"

    return [
        f"On WDBC2 subset {worst}, with {mask.count('1')} features, has the largest mean Gamma. The correlation of the "
        f"means is {of_means(ours)} with it and {of_means(ours[ours['number'] != worst])} without it. The thesis "
        "remarks that one subset of three poor features makes this correlation high."
    ]


def sizes_by_gamma(summary):
    """How large the subsets are that each method itself ranks first.

    Parameters
    ----------
    summary : DataFrame
        As from `nel1998.accuracy.summary`.

    Returns
    -------
    list of str
    """
    first = summary[(summary["classifier"] == "RANN") & summary["order"].between(1, 5)]
    share = first.assign(share=first["n_features"] / first["subset"].str.len())
    means = share.groupby(["sample", "method"], sort=False)["share"].mean().unstack("method")
    said = "; ".join(
        f"{sample} {row['gamma_test']:.0%} by the Gamma Test, {row['RANN_wrapper']:.0%} by the wrapper"
        for sample, row in means.iterrows()
    )
    return [f"Share of all features in the five subsets that each method itself ranks first: {said}."]


def is_000111_a_misprint(tables):
    """Table 7.5 prints LIVER's subset 000111; how well its numbers fit this subset and 001110.

    Parameters
    ----------
    tables : dict of str to DataFrame
        ``accuracies``, ``gamma``, ``rank_scores`` and ``summary`` of `nel1998.full_search.FullSearch`.

    Returns
    -------
    list of str
        Empty without LIVER.
    """
    found = {}
    ours = tables["summary"].query("sample == 'LIVER' and method == 'gamma_test' and subset == '001110'")
    for mask in "000111", "001110":
        of_mask = tables["accuracies"].query("sample == 'LIVER' and subset == @mask")
        for classifier, part in of_mask.groupby("classifier"):
            for metric, values in part.groupby("metric")["value"]:
                found[mask, classifier, metric] = values.mean()
    if not found:
        return []
    rows = rows_of(["7.5", "7.6"]).query("dataset == 'LIVER' and subset == '000111'")
    accuracies = rows[rows["classifier"] != "none"]
    said = "; ".join(
        f"{'RANN' if row.classifier == 'RANN' else 'k-NN'}, {printed.QUANTITIES[row.metric]}: {row.value} in print, "
        f"{found['000111', row.classifier, row.metric]:.2f} on 000111, "
        f"{found['001110', row.classifier, row.metric]:.2f} on 001110"
        for row in accuracies.itertuples()
    )
    score = tables["rank_scores"].query("dataset == 'LIVER' and subset == '000111'")["value"].mean()
    in_print = rows.loc[rows["metric"] == "gamma_rank_score", "value"].item()
    other = f"{ours['score'].iloc[0]:.0f}" if len(ours) else "that of no candidate"
    return [
        f"The score of eq. (7.1) that Table 7.5 prints for LIVER's subset 000111 is {in_print}; ours is {score:.0f} "
        f"for this subset and {other} for 001110.",
        f"Accuracies in percent: {said}.",
    ]


def _under(tables):
    """Each reading with its tables by name."""
    for reading in tables["accuracies_by_reading"]["reading"].unique():
        yield (
            reading,
            {
                name: table[table["reading"] == reading]
                for name, table in ((n, tables[f"{n}_by_reading"]) for n in PAGES)
            },
        )


def agreement(tables):
    """How many printed numbers agree with ours under each reading, by printed table.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `nel1998.readings.Readings`.

    Returns
    -------
    DataFrame
        reading, table, comparable, agree, chosen_on (whether the defaults were chosen on this table).
    """
    rows = []
    for reading, own in _under(tables):
        for table, found in printed.comparisons(own).items():
            comparable = found["agrees"].notna()
            agree = int(found.loc[comparable, "agrees"].astype(bool).sum())
            what = {"reading": reading, "table": table, "comparable": int(comparable.sum()), "agree": agree}
            rows.append({**what, "chosen_on": table in CHOSEN_ON})
    return pd.DataFrame(rows)


def verdicts(tables):
    """The verdicts on the claims under every reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `nel1998.readings.Readings`.

    Returns
    -------
    DataFrame
        reading, claim, answer, evidence.
    """
    return verdicts_under("nel1998", _under(tables))


def settings(tables):
    """Printed accuracies compared with ours under each setting of the network and of the splits.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `nel1998.readings.Readings`.

    Returns
    -------
    DataFrame
        setting, table, dataset (the sample), classifier, metric, chosen_on, comparable, agree, difference (mean over
        the printed subsets, in points), errors (root mean square of the differences in standard errors).
    """
    rows = usable(rows_of([*FULL_SEARCH_TABLES, *PBIL_TABLES])).rename(columns={"std": "spread"})
    rows = rows[rows["metric"].isin(["train_acc_pct", "test_acc_pct"])].assign(runs="10")
    compared = []
    for setting, measured in tables["accuracies_by_setting"].groupby("setting", sort=False):
        for table, part in rows.groupby("table", sort=False):
            found = compare(part, measured, ["dataset", "subset", "classifier", "metric"])
            found = found[found["agrees"].notna()]
            compared.append(found.assign(setting=setting, table=f"Table {table}"))
    found = pd.concat(compared, ignore_index=True)
    found["chosen_on"] = found["table"].isin(CHOSEN_ON)
    by = ["setting", "table", "dataset", "classifier", "metric", "chosen_on"]
    return (
        found.assign(agrees=found["agrees"].astype(bool))
        .groupby(by, sort=False)
        .agg(
            comparable=("agrees", "size"),
            agree=("agrees", "sum"),
            difference=("difference", "mean"),
            errors=("errors", lambda errors: np.sqrt(np.mean(errors**2))),
        )
        .reset_index()
    )


def choice_of_readings(settings):
    """Which setting of the network is nearest to print on the tables that it was chosen on, and on the others.

    Parameters
    ----------
    settings : DataFrame
        As from `settings`.

    Returns
    -------
    list of str
    """
    wide = network_settings(settings).set_index("setting")
    said = [f"{len(wide)} settings of the network and of the splits were tried, after the fact."]
    for where in ("chosen on", "others"):
        column = wide[f"rms errors, {where}"].dropna()
        if column.empty:
            continue
        place = int(column.rank()[DEFAULT])
        said.append(
            f"On the {'tables that it was chosen on' if where == 'chosen on' else 'other tables'} the pages' setting "
            f"({DEFAULT}) is number {place} of {len(column)} with a root mean square difference of "
            f"{column[DEFAULT]:.2f} standard errors; the nearest is {column.idxmin()} with {column.min():.2f}, the "
            f"farthest {column.idxmax()} with {column.max():.2f}."
        )
    return said


DEFAULT = "scale 0.5, output bias"


def network_settings(settings):
    """Agreement of RANN's printed accuracies with ours under each setting.

    Parameters
    ----------
    settings : DataFrame
        As from `settings`.

    Returns
    -------
    DataFrame
        setting; for the tables that the default was chosen on and for the others: agreeing of comparable numbers, root
        mean square difference in standard errors; and the mean difference of test accuracy by sample, in points.
    """
    ours = settings[settings["classifier"] == "RANN"]
    rows = []
    for setting, part in ours.groupby("setting", sort=False):
        row = {"setting": setting}
        for name, chosen in part.groupby(part["chosen_on"].map({True: "chosen on", False: "others"}), sort=False):
            n = chosen["comparable"].sum()
            row[f"agree, {name}"] = f"{chosen['agree'].sum()} of {n}"
            row[f"rms errors, {name}"] = np.sqrt((chosen["comparable"] * chosen["errors"] ** 2).sum() / n)
        test = part[part["metric"] == "test_acc_pct"]
        for sample, own in test.groupby("dataset", sort=False):
            row[f"{sample}, test"] = np.average(own["difference"], weights=own["comparable"])
        rows.append(row)
    names = [f"{what}, {name}" for name in ("chosen on", "others") for what in ("agree", "rms errors")]
    table = pd.DataFrame(rows)
    return table[["setting", *[name for name in names if name in table], *[c for c in table if c.endswith(", test")]]]


def agreement_by_reading(agreement):
    """Printed numbers that agree with ours, by table and reading.

    Parameters
    ----------
    agreement : DataFrame
        As from `agreement`.

    Returns
    -------
    DataFrame
        table, comparable, chosen on ("yes" or "no"), then one column for each reading; the last row holds the sums over
        the tables that the defaults were not chosen on.
    """
    wide = agreement.pivot(index="table", columns="reading", values="agree")
    wide = wide.loc[agreement["table"].unique(), agreement["reading"].unique()]
    facts = agreement.drop_duplicates("table").set_index("table")
    table = pd.concat([facts["comparable"], facts["chosen_on"].map({True: "yes", False: "no"}), wide], axis=1)
    others = table[table["chosen_on"] == "no"].drop(columns="chosen_on").sum().rename("all not chosen on")
    table = pd.concat([table, others.to_frame().T.assign(chosen_on="no")])
    return table.rename(columns={"chosen_on": "chosen on"}).rename_axis("table").reset_index()


def verdicts_by_reading(verdicts):
    """The multiverse: the verdict on each claim under each reading, and whether the claim's verdict hangs on it.

    Parameters
    ----------
    verdicts : DataFrame
        As from `verdicts`.

    Returns
    -------
    DataFrame
    """
    marked = verdicts.assign(answer=verdicts["answer"].map(lambda answer: f"{MARKS[answer]} {answer}"))
    wide = marked.pivot(index="claim", columns="reading", values="answer")
    wide = wide.loc[verdicts["claim"].unique(), verdicts["reading"].unique()]
    return wide.assign(same=["yes" if row.nunique() == 1 else "no" for _, row in wide.iterrows()]).reset_index()


def subsets_proposed(support):
    """Do the rankings propose the subsets that the thesis prints, and as many different ones?

    Parameters
    ----------
    support : DataFrame
        Table of `nel1998.readings.Readings`.

    Returns
    -------
    DataFrame
        reading; by sample the mean share of splits that propose a printed subset; by sample the number of different
        subsets of all splits.
    """
    found = support.assign(printed=support["subset"] != "")
    shares = found[found["printed"]].pivot_table(index="reading", columns="sample", values="share", sort=False)
    counts = found[~found["printed"]].pivot_table(index="reading", columns="sample", values="count", sort=False)
    table = pd.concat([shares.add_suffix(", share"), counts.add_suffix(", subsets")], axis=1)
    return table.rename_axis(columns=None).reset_index()


def partition_luck(tables):
    """Printed test accuracies against the mean over many more splits: is LIVER's partition easier in print?

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `nel1998.readings.Readings`.

    Returns
    -------
    list of str
    """
    rows = rows_of(printed.FULL_SEARCH_TABLES)
    rows = rows[rows["metric"] == "test_acc_pct"].assign(value=lambda table: table["value"].astype(float))
    by = ["dataset", "subset", "classifier", "metric"]
    expected = tables["expected_accuracies"]
    if expected.empty:
        return []
    expected = printed.single_network_spreads(expected)
    both = expected.merge(rows.groupby(by)["value"].mean().rename("print").reset_index(), on=by)
    both["lead"] = both["print"] - both["value"]
    said = []
    for sample, part in both.groupby("dataset", sort=False):
        lead = part.groupby("classifier")["lead"].mean()
        error = part.groupby("classifier")["sd"].mean() / np.sqrt(10)
        said.append(
            f"On the printed subsets of {sample} print is {lead['kNN']:+.1f} points from the mean over "
            f"{part['n'].iloc[0]:.0f} splits for k-NN, whose every setting is stated (a mean over ten splits has a "
            f"standard error of {error['kNN']:.1f}), and {lead['RANN']:+.1f} for RANN ({error['RANN']:.1f}). All "
            f"subsets share the thesis' ten splits, so k-NN shows how easy these were; "
            f"{lead['RANN'] - lead['kNN']:+.1f} points remain for the network."
        )
    return said


def searches(outcomes):
    """Whether greedy searches miss the optimum, as chapter 2 warns, and whether PBIL finds it.

    Parameters
    ----------
    outcomes : DataFrame
        Table ``searches`` of `nel1998.searches.Searches`.

    Returns
    -------
    list of str
    """
    means = outcomes.groupby("search", sort=False)[["optimal", "n_evaluations"]].mean()

    def of(name):
        share, evaluated = means.loc[name, ["optimal", "n_evaluations"]]
        return f"{name} found the optimum in {share:.0%} of its runs and evaluated {evaluated:.0f}"

    greedy = ["SFS", "SBS", "SFFS"]
    missed = int((means.optimal[greedy] < 1).sum())
    return [
        f"Exhaustive search evaluates {means.n_evaluations['exhaustive']:.0f} subsets on average over the samples.",
        f"{'; '.join(map(of, greedy))}.",
        f"So {missed} of {len(greedy)} greedy searches missed it at least once.",
        f"{of('PBIL')}.",
    ]


def often_selected(selected, names):
    """The features that searches select in at least half of the splits and runs; searches that agree share a row.

    Parameters
    ----------
    selected : DataFrame
        Table of `nel1998.searches.Searches`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        sample, criterion, searches, features (with their number in the sample).
    """
    by_sample = printed.names_by_sample(names)
    rows = []
    for (sample, criterion), part in selected.groupby(["sample", "criterion"], sort=False):
        agreeing = {}
        for search, found in part.groupby("search", sort=False):
            often = found.loc[found["share"] >= 0.5, "feature"]
            agreeing.setdefault(named_list(often, by_sample.get(sample)) or "none", []).append(search)
        what = {"sample": sample, "criterion": criterion}
        rows += [{**what, "searches": ", ".join(searches), "features": listed} for listed, searches in agreeing.items()]
    return pd.DataFrame(rows)
