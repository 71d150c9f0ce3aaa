"""Summary tables and computed sentences of our results for Chen 2012."""

import numpy as np
import pandas as pd

from chen2012.auc import dominance, dominance_of_means
from chen2012.claims import RIVALS, chance
from chen2012.names import NAMES
from chen2012.printed import EVALUATED, added, named_aucs
from chen2012.printed import dominance as compared_dominance
from compendium.readings import verdicts_under

__all__ = [
    "CHOSEN_ON",
    "agreement",
    "by_reading",
    "chosen_elsewhere",
    "close_calls",
    "collapse",
    "entropy",
    "lead_by_order",
    "places_of_copies",
    "runs_of_shares",
    "superfluous",
    "the_choice",
    "verdicts",
]

# The defaults were chosen looking at these parts of print: the SVM by Table 4, validation loss and delete rate of the
# appended features by Table 5, the validation loss of the other pages by the AUC of SPECTF. Table 5 left several small
# delete rates open; the choice among them was made with Table 6 in view.
CHOSEN_ON = ("Table 4", "Table 5", "Table 6", "AUC in prose, spectf")
# Combinations of weight, loss, delete rate, start of Omega, patience and steps for Tables 5 and 6; of weight, loss and
# delete rate of the ranking with training, steps and delete rate of the evaluator for Tables 3 and 4.
SCREENED = {"Tables 5 and 6": 200, "Tables 3 and 4": 120}


def entropy(table):
    """One row per weight of the entropy, with the means over the splits and one column per metric.

    Parameters
    ----------
    table : DataFrame
        Table ``entropy`` of `chen2012.training.Training`.

    Returns
    -------
    DataFrame
        dataset, stopping, alpha, setting, and one column per metric.
    """
    means = table.groupby(["dataset", "stopping", "setting", "metric"], sort=False)[["alpha", "value"]].mean()
    means = means.reset_index()
    means["alpha"] = means.groupby(["dataset", "setting"])["alpha"].transform("mean")
    by = ["dataset", "stopping", "alpha", "setting"]
    return means.pivot_table(index=by, columns="metric", values="value").reset_index()


def collapse(table):
    """The largest relevance where the weight of the thesis is unlimited and where the validation part limits it.

    Parameters
    ----------
    table : DataFrame
        Table ``entropy`` of `chen2012.training.Training`.

    Returns
    -------
    list of str
        Sentences.
    """
    part = table[(table["setting"] == "N^2/10") & (table["metric"] == "largest")]
    means = part.groupby(["stopping", "dataset"], sort=False)["value"].mean()
    return [
        "With the weight of the thesis, the largest of the relevances, whose sum is one, is on average "
        f"{_listed(means['end'])} at the last step, and {_listed(means['validation'])} at the step that the validation "
        "part chooses."
    ]


def places_of_copies(redundant):
    """Figure 17, bottom: mean rank of every copied feature, and of the last of its copies.

    Parameters
    ----------
    redundant : DataFrame
        Table of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    DataFrame
        dataset, feature (from 1), what ("original", "copies"), and one column per method.
    """
    part = redundant[redundant["metric"].str.match(r"(original|copies) \d+")]
    what = part["metric"].str.split(" ", expand=True)
    part = part.assign(what=what[0], feature=what[1].astype(int))
    by = ["dataset", "feature", "what"]
    return part.pivot_table(index=by, columns="method", values="value", sort=False).reset_index()


def lead_by_order(irrelevant):
    """What information gain owes to the order in which it leaves features of equal score.

    Parameters
    ----------
    irrelevant : DataFrame
        Table of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    list of str
        Sentences.
    """
    part = irrelevant[irrelevant["metric"] == "added"]
    totals = part.groupby(["method", "dataset"])["value"].mean().groupby("method").sum()
    left, random = totals["IG"], totals["IG, equal scores at random"]
    return [
        f"In all, information gain lets in {left:.1f} random features if it leaves equal scores in the order of the "
        f"columns, {random:.1f} if it puts them in random order; chance lets in {chance(part).sum():.1f}."
    ]


def superfluous(redundant):
    """Superfluous members of the groups among the first N, in all.

    Parameters
    ----------
    redundant : DataFrame
        Table of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    list of str
        Sentences.
    """
    part = redundant[(redundant["metric"] == "extra") & redundant["method"].isin(["GMLVQ", *RIVALS])]
    totals = part.groupby(["method", "dataset"])["value"].mean().groupby("method").sum().sort_values()
    return [f"Among the first N of all data sets of the run, there are {_listed(totals, '.1f')} superfluous members."]


def close_calls(auc):
    """By how much the best ranking leads at the sizes that Tables 3 and 4 count.

    Parameters
    ----------
    auc : DataFrame
        Table of `chen2012.auc.Auc`.

    Returns
    -------
    list of str
        Sentences.
    """
    part = auc[auc["counted"]]
    means = part.groupby(["dataset", "evaluator", "n_features", "method"])["value"].mean()
    means = means.unstack("method").drop(columns="GMLVQ_original_omega")
    first, second = np.sort(means.to_numpy(), axis=1)[:, ::-1][:, :2].T
    lead = pd.Series(first - second, means.index)[lambda lead: lead > 0]
    lead = 100 * lead.groupby("evaluator").median()
    return [f"Half of the winners among the four rankings lead by less than {_listed(lead, '.2f')} points of AUC."]


def _listed(values, form=".2f"):
    *first, last = (f"{value:{form}} ({name})" for name, value in values.items())
    return f"{', '.join(first)} and {last}" if first else last


def runs_of_shares(auc):
    """How many shares of Tables 3 and 4 agree with print if they rest on five runs, and if on as many as ours.

    Parameters
    ----------
    auc : DataFrame
        Table of `chen2012.auc.Auc`.

    Returns
    -------
    list of str
        Sentences; none with a single repetition.
    """
    if auc["repeat"].nunique() < 2:
        return []
    five, all_of_them = (
        pd.concat([compared_dominance(shares, evaluator) for evaluator in EVALUATED.values()])["agrees"].dropna()
        for shares in (dominance(auc), dominance_of_means(auc))
    )
    return [
        f"Of {len(five)} printed shares {five.eq(True).sum()} agree if each repetition of five runs counts by itself, "
        f"and {all_of_them.eq(True).sum()} if the means of all {auc['repeat'].nunique()} repetitions count."
    ]


# Readings -------------------------------------------------------------------------------------------------------------


def _under(tables):
    """The tables of each reading under the names that they have in the other experiments."""
    for reading in tables["readings"]["reading"]:
        found = {name: table[table["reading"] == reading] for name, table in tables.items() if name != "readings"}
        yield reading, {name.removesuffix("_readings"): table for name, table in found.items()}


def _compared_shares(auc):
    """Tables 3 and 4 beside those of a table ``auc``."""
    shares = dominance(auc)
    return {f"Table {number}": compared_dominance(shares, evaluator) for number, evaluator in EVALUATED.items()}


def agreement(tables):
    """How close each reading comes to print.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `chen2012.readings.Readings`.

    Returns
    -------
    DataFrame
        reading, table (Tables 3 to 6 and the AUCs in prose), comparable, agree, distance (mean absolute difference),
        chosen_on (whether a default was chosen looking at this table).
    """
    rows = []
    for reading, own in _under(tables):
        compared = {
            **_compared_shares(own["auc"]),
            "Table 5": added(5, own["irrelevant"]),
            "Table 6": added(6, own["redundant"]),
        }
        compared |= {f"AUC in prose, {name}": part for name, part in named_aucs(own["auc"]).groupby("dataset")}
        for table, numbers in compared.items():
            ours = numbers[numbers["agrees"].notna()]
            counts = {"comparable": len(ours), "agree": int(ours["agrees"].eq(True).sum())}
            distance = ours["difference"].abs().mean()
            what = {"reading": reading, "table": table, **counts, "distance": distance}
            rows.append({**what, "chosen_on": table in CHOSEN_ON})
    table = pd.DataFrame(rows)
    return table[table["comparable"] > 0].reset_index(drop=True)


def chosen_elsewhere(tables):
    """Does the reading that fits Tables 3 and 4 on the other data sets also fit on the one left out?

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `chen2012.readings.Readings`.

    Returns
    -------
    DataFrame
        table, left_out (data set), chosen (the reading with the least mean distance from print on the other sets),
        distance (its mean distance on the one left out, in points), median (of all readings there), closer (number of
        readings that come closer there), of (readings).
    """
    compared = {reading: _compared_shares(own["auc"]) for reading, own in _under(tables)}
    rows = []
    for table in "Table 3", "Table 4":
        parts = [own[table].assign(reading=reading) for reading, own in compared.items()]
        numbers = pd.concat(parts).dropna(subset="difference")
        distances = numbers["difference"].abs().groupby([numbers["reading"], numbers["dataset"]], sort=False).mean()
        distances = distances.unstack("dataset", sort=False)
        for left_out in distances if distances.shape[1] > 1 else ():
            chosen = distances.drop(columns=left_out).mean(axis=1).idxmin()
            there = distances[left_out]
            rows.append(
                {
                    "table": table,
                    "left_out": left_out,
                    "chosen": chosen,
                    "distance": there[chosen],
                    "median": there.median(),
                    "closer": int((there < there[chosen] - 1e-9).sum()),
                    "of": len(there),
                }
            )
    return pd.DataFrame(rows, columns=["table", "left_out", "chosen", "distance", "median", "closer", "of"])


def by_reading(agreement):
    """Agreement of every reading (rows) with every part of print (columns), as text."""
    shown = agreement.assign(
        text=[f"{row.agree} of {row.comparable}, {row.distance:.3g}" for row in agreement.itertuples()],
        part=agreement["table"] + np.where(agreement["chosen_on"], " *", ""),
    )
    return shown.pivot_table(index="reading", columns="part", values="text", aggfunc="first", sort=False).reset_index()


def the_choice(agreement):
    """How many readings were tried, and where the defaults stand on the parts that they were not chosen on.

    Parameters
    ----------
    agreement : DataFrame
        As from `agreement`.

    Returns
    -------
    list of str
        Sentences.
    """
    n = agreement["reading"].nunique()
    said = [
        f"{n} readings are compared here, after some "
        f"{' and '.join(f'{count} combinations for {tables}' for tables, count in SCREENED.items())} were screened "
        "with few repetitions; the defaults were chosen after the fact, because they fit print."
    ]
    for table, part in agreement[~agreement["chosen_on"]].groupby("table", sort=False):
        distance = part.set_index("reading")["distance"]
        if "default" in distance and n > 1:
            closer = (distance < distance["default"] - 1e-12).sum()
            closest = NAMES.get(distance.idxmin(), distance.idxmin())
            said.append(
                f"On {table}, which they were not chosen on, {closer} of the {n - 1} other readings come closer to "
                f"print than the defaults (mean difference {distance['default']:.3g}; closest: {closest}, "
                f"{distance.min():.3g})."
            )
    return said


def verdicts(tables):
    """The verdicts on the claims under every reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `chen2012.readings.Readings`.

    Returns
    -------
    DataFrame
        reading, claim, answer, evidence.
    """
    return verdicts_under("chen2012", _under(tables))
