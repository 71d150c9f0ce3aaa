"""Subsets of Somol et al. 2011 in words; its readings: their agreement with print, and the claims."""

import pandas as pd

from compendium import readings
from compendium.protocol import named_list, numbers_in
from somol2011 import printed

# The table that each table of the readings varies; below, the printed rows that the defaults were chosen on.
VARIED = {"readings_of_fragility": "selected", "readings_of_ensembles": "ensembles", "readings_of_hybrid": "hybrid"}
DEFAULT_READING = "default"
CHOSEN_ON = {
    "Table 1": "dataset in ['spectf', 'spambase']",
    "Table 3": "method == 'single' and (metric == 'size' or dataset in ['ionosphere', 'spectf'])",
    "Table 7": "metric in ['train', 'test']",
}


def named_subsets(table, names):
    """A table with its subsets in words, in the last column.

    Parameters
    ----------
    table : DataFrame
        With the columns dataset and features (columns, from 0).
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
    """
    listed = [
        named_list(numbers_in(text), names.get(dataset))
        for dataset, text in zip(table["dataset"], table["features"], strict=True)
    ]
    return table.drop(columns="features").assign(features=listed)


def chosen_by_lambda(hybrid, subsets, names):
    """The features that hybrids select at the smallest lambda, at the best criterion value, and at the largest lambda.

    Parameters
    ----------
    hybrid, subsets : DataFrame
        Tables of `somol2011.hybrid.FilterWrapper`; of several repeats the first is taken.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        dataset, search, lambda, train (value of the criterion), features. Of several lambda with the best value, the
        smallest.
    """
    keys = ["dataset", "search", "lambda"]
    train = hybrid.query("metric == 'train' and repeat == 0").set_index(keys)["value"].rename("train")
    cases = subsets.query("repeat == 0")[[*keys, "features"]].join(train, on=keys)
    cases = cases.sort_values("lambda", kind="stable", ignore_index=True)
    rows = []
    for _, group in cases.groupby(["dataset", "search"], sort=False):
        rows.append(group.loc[sorted({group.index[0], group["train"].idxmax(), group.index[-1]})])
    return named_subsets(pd.concat(rows), names)


def agreement(tables):
    """How many printed numbers agree under each reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `somol2011.readings.Readings`.

    Returns
    -------
    DataFrame
        As from `compendium.readings.agreement`.
    """
    return readings.agreement(
        compared.assign(
            reading=reading,
            table=table,
            chosen_on=compared.index.isin(compared.query(CHOSEN_ON.get(table, "index != index")).index),
        )
        for name, varied in VARIED.items()
        for reading, group in tables[name].groupby("reading", sort=False)
        for table, compared in printed.COMPARED_WITH[varied](
            {**tables, varied: _as_one(group.drop(columns="reading"))}, one_division=True
        ).items()
        if table != "Section 4.1"  # the best of all lambda, but the sets of Tables 5 and 6 have few here
    )


def _as_one(table):
    """A table in which the mean over both halves counts as one exact value: a reading selects on each of them once."""
    return table.assign(n=1) if "repeat" in table else table


def estimates(tables):
    """What the claims are judged by under each reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `somol2011.readings.Readings`.

    Returns
    -------
    DataFrame
        As from `compendium.readings.estimates_under`. Readings that were measured in part, such as the single criterion
        alone, are left out.
    """
    return readings.estimates_under("somol2011", _complete(tables))


def _complete(tables):
    """Each reading that was measured in full, with its table."""
    for name, varied in VARIED.items():
        for reading, group in tables[name].groupby("reading", sort=False):
            if varied == "ensembles" and group["method"].nunique() < 3:
                continue
            if varied == "hybrid":
                group = group[group.groupby("dataset")["lambda"].transform("nunique") > 1]
            if len(group):
                yield reading, {varied: group}
