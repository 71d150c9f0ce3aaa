"""The readings of Nel 1998: their agreement with print, and what the claims are judged by under them."""

import pandas as pd

from compendium import readings
from compendium.published import compare
from nel1998 import printed
from nel1998.published_settings import FULL_SEARCH_TABLES, PBIL_TABLES, rows_of, usable
from nel1998.readings import CHOSEN_ON, PAGES

DEFAULT_READING = "as on the pages"


def _under(tables):
    """Each reading with its tables by name."""
    return readings.by_reading({name: tables[f"{name}_by_reading"] for name in PAGES})


def estimates(tables):
    """What the claims are judged by under every reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `nel1998.readings.Readings`.

    Returns
    -------
    DataFrame
        As from `compendium.readings.estimates_under`.
    """
    return readings.estimates_under("nel1998", _under(tables))


def agreement(tables):
    """How many printed numbers agree with ours under each reading, by printed table.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `nel1998.readings.Readings`.

    Returns
    -------
    DataFrame
        As from `compendium.readings.agreement`.
    """
    return readings.agreement(
        found.assign(reading=reading, table=table, chosen_on=table in CHOSEN_ON)
        for reading, own in _under(tables)
        for table, found in printed.comparisons(own).items()
    )


def settings(tables):
    """Printed accuracies compared with ours under each setting of the network and of the splits.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `nel1998.readings.Readings`.

    Returns
    -------
    DataFrame
        A row for each number that was measured: setting, table, chosen_on, and the columns of
        `compendium.published.compare`.
    """
    rows = usable(rows_of([*FULL_SEARCH_TABLES, *PBIL_TABLES])).rename(columns={"std": "spread"})
    rows = rows[rows["metric"].isin(["train_acc_pct", "test_acc_pct"])].assign(runs="10")
    compared = [
        compare(part, measured, ["dataset", "subset", "classifier", "metric"]).assign(setting=setting, table=table)
        for setting, measured in tables["accuracies_by_setting"].groupby("setting", sort=False)
        for table, part in rows.groupby("Table " + rows["table"], sort=False)
    ]
    numbers = pd.concat(compared, ignore_index=True)
    return numbers[numbers["agrees"].notna()].assign(chosen_on=numbers["table"].isin(CHOSEN_ON))
