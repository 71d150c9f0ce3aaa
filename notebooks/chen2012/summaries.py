"""Readings of Chen 2012: how close each comes to print, and what the claims are judged by under it."""

import pandas as pd

from chen2012.auc import dominance
from chen2012.printed import EVALUATED, added, named_aucs
from chen2012.printed import dominance as compared_dominance
from chen2012.readings import READINGS
from compendium import readings

# Settings were chosen looking at these parts of print: the SVM by Table 4; validation loss, delete rate and the parts
# that train the evaluator by all four.
CHOSEN_ON = ("Table 3", "Table 4", "Table 5", "Table 6")
# Combinations of weight, loss, delete rate, start of Omega, patience and steps for Tables 5 and 6; of weight, loss and
# delete rate of the ranking with training, steps and delete rate of the evaluator for Tables 3 and 4.
DEFAULT_READING = "both_cost_05"
SCREENED = {"Tables 5 and 6": 200, "Tables 3 and 4": 120}


def _under(tables):
    """The tables of each reading under the names that they have in the other experiments."""
    measured = {name.removesuffix("_readings"): table for name, table in tables.items() if name != "readings"}
    return readings.by_reading(measured)


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
        As from `compendium.readings.agreement`, for Tables 3 to 6 and the AUCs in prose.
    """
    return readings.agreement(
        numbers.assign(reading=reading, table=table, chosen_on=table in CHOSEN_ON)
        for reading, tables_of_reading in _under(tables)
        for table, numbers in _compared(tables_of_reading).items()
    )


def one_reading(agreement):
    """Readings that set validation loss and delete rate for all tables at once, by one score over Tables 3 to 6.

    Parameters
    ----------
    agreement : DataFrame
        As from `agreement`.

    Returns
    -------
    DataFrame
        reading; for each table the mean distance from print, divided by the median of these readings; score: the mean
        of these ratios. The best first.
    """
    single = [name for name, changed in READINGS.items() if {"validation_loss", "delete_rate"} <= set(changed)]
    of_tables = agreement[agreement["reading"].isin(single) & agreement["table"].str.startswith("Table")]
    distances = of_tables.pivot_table(index="reading", columns="table", values="distance", sort=False)
    ratios = distances / distances.median()
    return ratios.assign(score=ratios.mean(axis=1)).sort_values("score", kind="stable").reset_index()


def _compared(tables):
    """Every printed number that a reading can change beside ours, by table."""
    compared = {
        **_compared_shares(tables["auc"]),
        "Table 5": added(5, tables["irrelevant"]),
        "Table 6": added(6, tables["redundant"]),
    }
    return compared | {f"AUC in prose, {name}": group for name, group in named_aucs(tables["auc"]).groupby("dataset")}


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
    compared = {reading: _compared_shares(by_table["auc"]) for reading, by_table in _under(tables)}
    rows = []
    for table in "Table 3", "Table 4":
        parts = [by_table[table].assign(reading=reading) for reading, by_table in compared.items()]
        numbers = pd.concat(parts).dropna(subset="difference")
        distances = numbers["difference"].abs().groupby([numbers["reading"], numbers["dataset"]], sort=False).mean()
        distances = distances.unstack("dataset", sort=False)
        for left_out in distances if distances.shape[1] > 1 else ():
            chosen = distances.drop(columns=left_out).mean(axis=1).idxmin()
            there = distances[left_out]
            closer = int((there < there[chosen] - 1e-9).sum())
            rows.append((table, left_out, chosen, there[chosen], there.median(), closer, len(there)))
    return pd.DataFrame(rows, columns=["table", "left_out", "chosen", "distance", "median", "closer", "of"])


def estimates(tables):
    """What the claims are judged by under every reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `chen2012.readings.Readings`.

    Returns
    -------
    DataFrame
        As from `compendium.readings.estimates_under`.
    """
    return readings.estimates_under("chen2012", _under(tables))
