"""What the arena's tables say about each method on each data set.

A method that gave no answer counts as all features: that is what its user is left with. Fields made from one data set
are not independent, so tests and intervals use blocks: a data set with everything that was planted in it, or a
generated field.
"""

import numpy as np
import pandas as pd

from comparison.protocol import CLASSIFIERS

BASELINE = "all features"


def methods_of(tables):
    """Names of the contestants that took part, in the order of the tables."""
    entered = tables.contestants["entered"].astype(bool)
    return tables.contestants.loc[entered, "contestant"].tolist()


def accuracy(tables):
    """Balanced accuracy of each method on each field, mean over splits, classifiers and sizes.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `comparison.arena.Arena`.

    Returns
    -------
    DataFrame
        One row a field, one column a method.
    """
    return _by_field(_with_fallback(_splits(tables)))


def answered(tables):
    """Share of the splits on which each method gave an answer: one row a field, one column a method."""
    return _by_field(_splits(tables).notna())


def _splits(tables):
    return tables.splits.set_index(["field", "split"])[methods_of(tables)]


def _by_field(table):
    return table.groupby(level="field", sort=False).mean()


def score_of(tables, *, size=None, metrics=CLASSIFIERS):
    """Scores of each method on each field, for one size or the mean over all, and the mean of some metrics.

    Parameters
    ----------
    tables : namespace of DataFrame
    size : str, optional
    metrics : sequence of str
        Classifiers (their balanced accuracy), or "auc".

    Returns
    -------
    DataFrame
        One row a field, one column a method.
    """
    scores = tables.scores[tables.scores["metric"].isin(metrics)]
    if size is not None:
        scores = scores[scores["size"] == size]
    return _by_field(_with_fallback(scores.set_index(["field", "size", "metric"])[methods_of(tables)]))


def _with_fallback(table):
    return table.apply(lambda column: column.fillna(table[BASELINE]))


def metric_of(tables, metric):
    """A metric of the selections: one row a field, one column a method; NaN where unknown or without an answer."""
    selections = tables.selections[tables.selections["metric"] == metric]
    return selections.set_index("field")[methods_of(tables)].astype(float)


def blocks_of(tables):
    """The block of each field: its data set, or itself if it is generated."""
    fields = tables.fields.set_index("field")
    return fields["dataset"].where(fields["dataset"] != "generated", fields.index.to_series())


def by_block(tables, values):
    """Means over the fields of each block.

    Parameters
    ----------
    tables : namespace of DataFrame
    values : DataFrame
        Indexed by field; not all fields need be there.

    Returns
    -------
    DataFrame
        Indexed by block.
    """
    blocks = blocks_of(tables).reindex(values.index)
    return values.groupby(np.asarray(blocks), sort=False).mean()


def over_all_features(values):
    """Gain of each method over all features; ``values`` has one column a method."""
    return values.sub(values[BASELINE], axis=0)


def ranking(tables):
    """The methods in the order of their mean gain over all features, in points of balanced accuracy.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    DataFrame
        method, family, rank (1 is the best; equal gains share the smallest rank), gain.
    """
    gain = 100 * by_block(tables, over_all_features(accuracy(tables))).mean().sort_values(ascending=False)
    family = tables.contestants.set_index("contestant")["family"].reindex(gain.index)
    rank = gain.rank(ascending=False, method="min").astype(int)
    return pd.DataFrame({"method": gain.index, "family": family, "rank": rank, "gain": gain}).reset_index(drop=True)
