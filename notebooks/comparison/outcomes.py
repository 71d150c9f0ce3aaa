"""What the arena's tables say about each method on each data set.

A fit without an answer counts as all features: that is what its user is left with. Where most methods lose against all
features, this rewards silence; hence a method that answers less than `ANSWERED` of the fits is ranked and advised
nowhere (`ranking`, `too_slow`). Fields made from one data set are not independent, so tests and intervals use blocks: a
data set with everything that was planted in it, or a generated field.
"""

import numpy as np
import pandas as pd

from comparison.protocol import CLASSIFIERS

BASELINE = "all features"
ANSWERED = 0.9  # share of the fits, as a mean over the blocks, that a method must answer to be ranked or advised


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

    Every rank on the pages is this one. Methods that answer less than `ANSWERED` of the fits have none (`too_slow`).

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    DataFrame
        method, family, rank (1 is the best; equal gains share the smallest rank), gain, features (mean number of chosen
        features), own_size (whether the method ignores the number of features that is asked for).
    """
    share = share_answered(tables)
    gain = 100 * by_block(tables, over_all_features(accuracy(tables))).mean()
    gain = gain[share >= ANSWERED].sort_values(ascending=False, kind="stable")
    rank = gain.rank(ascending=False, method="min").astype(int)
    features = by_block(tables, metric_of(tables, "chosen")).mean()
    ranked = pd.DataFrame({"rank": rank, "gain": gain, "features": features[gain.index]})
    about = tables.contestants.set_index("contestant")[["family", "own_size"]].astype({"own_size": bool})
    ranked = ranked.join(about).rename_axis("method").reset_index()
    return ranked[["method", "family", "rank", "gain", "features", "own_size"]]


def too_slow(tables):
    """The methods without a rank, on the fields where they answered every fit, beside the ranked ones there.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    DataFrame
        method, family, answered (share of the fits, mean over the blocks), fields (where it answered every fit), gain
        (mean over the blocks of these fields), better and ranked (how many ranked methods gain more there, of how
        many). Ordered by ``answered``.
    """
    share, answers = share_answered(tables), answered(tables)
    ranked = [name for name in ranking(tables)["method"] if name != BASELINE]
    gains = 100 * over_all_features(accuracy(tables))
    family = tables.contestants.set_index("contestant")["family"]
    rows = []
    for name in share[share < ANSWERED].sort_values(ascending=False, kind="stable").index:
        there = gains[answers[name] == 1]
        mean = by_block(tables, there).mean()
        better = int((mean[ranked] > mean[name]).sum())
        rows.append((name, family[name], share[name], len(there), mean[name], better, len(ranked)))
    return pd.DataFrame(rows, columns=["method", "family", "answered", "fields", "gain", "better", "ranked"])


def share_answered(tables):
    """Share of the fits that each method answered, mean over the blocks."""
    return by_block(tables, answered(tables)).mean()
