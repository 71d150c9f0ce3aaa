"""Advice for a situation, what it is worth on data that it has not seen, and when it is to select nothing."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from comparison.outcomes import BASELINE, accuracy, answered, by_block, metric_of, over_all_features, score_of

FEW = 5  # samples per feature
ELIGIBLE = 0.25  # share of the methods that count as stable, or as fast
ANSWERED = 0.75  # share of the fits: the gain of a method that answers less often is mostly that of all features
LEAST = 3  # blocks: one that judges, and two that advise


@dataclass(frozen=True)
class Situation:
    """A kind of data, or something that a user needs.

    Attributes
    ----------
    name : str
    gains : DataFrame of shape (n_blocks, n_methods)
        Balanced accuracy minus that of all features.
    quality : DataFrame or None
        Same shape, larger is better: only the best quarter of the methods by their mean is eligible.
    answered : DataFrame or None
        Same shape: share of the fits with an answer, of which a method needs `ANSWERED` to be eligible.
    """

    name: str
    gains: pd.DataFrame
    quality: pd.DataFrame | None = None
    answered: pd.DataFrame | None = None


def situations(tables):
    """The lines of the decision table.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `comparison.arena.Arena`.

    Returns
    -------
    list of Situation
    """
    fields = tables.fields.set_index("field")
    gains = over_all_features(accuracy(tables))
    few = fields["samples"] < FEW * fields["features"]
    size = min((s for s in tables.scores["size"].unique() if s.isdigit()), key=int, default="sqrt")
    smallest = score_of(tables, size=size)
    own_size = tables.contestants.loc[tables.contestants["own_size"].astype(bool), "contestant"]
    smallest = smallest.drop(columns=list(set(smallest.columns) & set(own_size) - {BASELINE}))

    everywhere, answers = by_block(tables, gains), by_block(tables, answered(tables))

    def of(chosen):
        return by_block(tables, gains[chosen.reindex(gains.index)])

    stable = by_block(tables, metric_of(tables, "stability"))
    quick = -by_block(tables, np.log(metric_of(tables, "seconds")))
    readable = f"readable: {'the root of all' if size == 'sqrt' else size} features"
    found = [
        Situation("any data", everywhere),
        Situation(f"fewer than {FEW} samples per feature", of(few)),
        Situation(f"at least {FEW} samples per feature", of(~few)),
        Situation("half of the features irrelevant", of(fields["planted"] == "probes")),
        Situation("every feature nearly repeated", of(fields["planted"] == "copies")),
        Situation("the same features each time (most stable quarter)", everywhere, stable),
        Situation("an answer quickly (fastest quarter)", everywhere, quick),
        Situation(readable, by_block(tables, over_all_features(smallest))),
    ]
    return [replace(situation, answered=answers) for situation in found if len(situation.gains) >= LEAST]


def candidates(situation, blocks):
    """The gains of the eligible methods on some blocks."""
    gains = situation.gains.loc[blocks].drop(columns=BASELINE)
    if situation.answered is not None:
        often = situation.answered.reindex(index=blocks, columns=gains.columns).mean() >= ANSWERED
        gains = gains.loc[:, often] if often.any() else gains
    if situation.quality is None:
        return gains
    quality = situation.quality.reindex(index=blocks, columns=gains.columns).mean().dropna()
    eligible = quality.sort_values(ascending=False, kind="stable").index[: max(1, round(ELIGIBLE * len(quality)))]
    return gains[[name for name in gains.columns if name in set(eligible)]]


def advised(situation, blocks):
    """The eligible method with the largest mean gain over some blocks, among those that gain for certain if any do.

    A gain is certain if its interval lies above zero. The intervals hold for all methods at once, so this holds for the
    one that is chosen, too. Of equal methods the first is advised.

    Returns
    -------
    Series
        Named after the method: mean, low, high.
    """
    found = simultaneous_intervals(candidates(situation, blocks))
    certain = found[found["low"] > 0]
    return found.loc[(certain if len(certain) else found)["mean"].idxmax()]


def simultaneous_intervals(gains, level=0.95, n_draws=2000, seed=0):
    """Intervals of the mean gains that hold for all methods at once, hence also for the one with the largest mean.

    Parameters
    ----------
    gains : DataFrame of shape (n_blocks, n_methods)
    level : float, default=0.95
    n_draws, seed : int
        Of the wild bootstrap: the blocks' deviations from the mean get random signs, the same for all methods, and the
        largest absolute t statistic over the methods is recorded; its quantile replaces Student's.

    Returns
    -------
    DataFrame
        Indexed by method: mean, low, high.

    Notes
    -----
    An interval by Student's t for the method chosen because its mean is largest would be too high, even if each block
    is judged by the choice of the others: a method that leads by luck stays in the lead when one block is left out.
    """
    n = len(gains)
    mean, values = gains.mean(), gains.to_numpy()
    residuals = values - values.mean(axis=0)
    squares = (residuals**2).sum(axis=0)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (n_draws, n))
    drawn = signs @ residuals / n
    error = np.sqrt(np.maximum(squares - n * drawn**2, 1e-12 * squares) / (n * (n - 1)))
    largest = np.max(np.divide(np.abs(drawn), error, out=np.zeros_like(drawn), where=error > 0), axis=1)
    reach = np.quantile(largest, level) * np.sqrt(squares / (n * (n - 1)))
    return pd.DataFrame({"mean": mean, "low": mean - reach, "high": mean + reach})


def followed(situation):
    """What the advice of the other blocks gains on each block.

    Parameters
    ----------
    situation : Situation

    Returns
    -------
    Series
        Gain by block: the method is advised without the block that judges it. The blocks are not independent, because
        they share most of the data that advise them; don't make an interval from them.
    """
    blocks = situation.gains.index
    gain = {block: situation.gains.loc[block, advised(situation, blocks.drop(block)).name] for block in blocks}
    return pd.Series(gain, dtype=float)


def verdict(situation):
    """The advice for a situation: a method, or all features unless the method pays for certain.

    Parameters
    ----------
    situation : Situation

    Returns
    -------
    dict
        method (see `advised`), gain with low and high (see `simultaneous_intervals`), pays (whether the interval lies
        above zero), unseen (mean of `followed`) and n (blocks).
    """
    found = advised(situation, situation.gains.index)
    return {
        "method": found.name,
        **{"gain": found["mean"], "low": found["low"], "high": found["high"], "pays": bool(found["low"] > 0)},
        **{"unseen": followed(situation).mean(), "n": len(situation.gains)},
    }
