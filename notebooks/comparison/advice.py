"""Advice for a situation, what it is worth on data that it has not seen, and when it is to select nothing."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from comparison.outcomes import (
    ANSWERED,
    BASELINE,
    accuracy,
    answered,
    blocks_of,
    by_block,
    metric_of,
    over_all_features,
    ranking,
    score_of,
    share_answered,
    too_slow,
)

FEW = 5  # samples per feature
ELIGIBLE = 0.25  # share of the methods that count as stable, or as fast
LEAST = 3  # blocks: one that judges, and two that advise
TIED = 0.01  # methods whose mean gains differ by less, a point of balanced accuracy, are advised together
DRAWS, LEVEL = 2000, 0.95  # of the bootstrap; of intervals that hold together
RECONSTRUCTED = ("LMBA", "OWARLVQ")  # their update equations are ours, because we do not have the papers'


@dataclass(frozen=True)
class Situation:
    """A kind of data, or something that a user needs.

    Attributes
    ----------
    name : str
    gains : DataFrame of shape (n_blocks, n_methods)
        Balanced accuracy minus that of all features, of the methods that answered `ANSWERED` of the fits, of all fields
        and of those of the situation.
    quality : DataFrame or None
        Same shape, larger is better: only the best quarter of the methods by their mean is eligible.
    own_size : frozenset of str
        Methods that choose the number of features themselves, whatever is asked for.
    """

    name: str
    gains: pd.DataFrame
    quality: pd.DataFrame | None = None
    own_size: frozenset = frozenset()

    def keeping_to_the_size(self):
        """The same situation, for a user who wants a certain number of features."""
        names = [name for name in self.gains if name == BASELINE or name not in self.own_size]
        return replace(self, gains=self.gains[names])


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
    few = fields["samples"] < FEW * fields["features"]
    size = min((s for s in tables.scores["size"].unique() if s.isdigit()), key=int, default="sqrt")
    own_size = frozenset(tables.contestants.loc[tables.contestants["own_size"].astype(bool), "contestant"])
    stable = by_block(tables, metric_of(tables, "stability"))
    quick = -by_block(tables, np.log(metric_of(tables, "seconds")))
    everywhere = share_answered(tables)

    def situation(name, scores, chosen=None, quality=None):
        gains = over_all_features(scores)
        if chosen is not None:
            gains = gains[chosen.reindex(gains.index)]
        here = by_block(tables, answered(tables).loc[gains.index]).mean()
        gains = gains[[name for name in gains if min(here[name], everywhere[name]) >= ANSWERED]]
        return Situation(name, by_block(tables, gains), quality, own_size)

    scores = accuracy(tables)
    readable = situation(
        f"readable: {'the root of all' if size == 'sqrt' else size} features", score_of(tables, size=size)
    )
    lines = [
        situation("any data", scores),
        situation(f"fewer than {FEW} samples per feature", scores, few),
        situation(f"at least {FEW} samples per feature", scores, ~few),
        situation("half of the features irrelevant", scores, fields["planted"] == "probes"),
        situation("every feature nearly repeated", scores, fields["planted"] == "copies"),
        situation("you need the same features every time (most stable quarter)", scores, quality=stable),
        situation("you need an answer quickly (fastest quarter)", scores, quality=quick),
        readable.keeping_to_the_size(),
    ]
    return [line for line in lines if len(line.gains) >= LEAST]


def candidates(situation, blocks):
    """The gains of the eligible methods on some blocks."""
    gains = situation.gains.loc[blocks].drop(columns=BASELINE)
    if situation.quality is not None:
        quality = situation.quality.reindex(index=blocks, columns=gains.columns).mean().dropna()
        eligible = quality.sort_values(ascending=False, kind="stable").index[: max(1, round(ELIGIBLE * len(quality)))]
        gains = gains[[name for name in gains.columns if name in set(eligible)]]
    return gains[[name for name in gains if name not in RECONSTRUCTED]]


def advised(situation, blocks):
    """The eligible methods with the largest mean gain over some blocks, among those that gain for certain if any do.

    A gain is certain if its interval lies above zero. The intervals hold for all methods at once, so this holds for
    those that are chosen, too. Methods whose mean lies within `TIED` of the largest are advised together.

    Returns
    -------
    DataFrame
        Indexed by method, best first: mean, low, high.
    """
    intervals = simultaneous_intervals(candidates(situation, blocks))
    certain = intervals[intervals["low"] > 0]
    intervals = (certain if len(certain) else intervals).sort_values("mean", ascending=False, kind="stable")
    return intervals[intervals["mean"] > intervals["mean"].iloc[0] - TIED]


def simultaneous_intervals(gains):
    """Intervals of the mean gains that hold for all methods at once, hence also for the one with the largest mean.

    Parameters
    ----------
    gains : DataFrame of shape (n_blocks, n_methods)

    Returns
    -------
    DataFrame
        Indexed by method: mean, low, high (95%).

    Notes
    -----
    By the wild bootstrap: the blocks' deviations from the mean get random signs, the same for all methods, and the
    largest absolute t statistic over the methods is recorded; its quantile replaces Student's.

    An interval by Student's t for the method chosen because its mean is largest would be too high, even if each block
    is judged by the choice of the others: a method that leads by luck stays in the lead when one block is left out.
    """
    n = len(gains)
    mean, values = gains.mean(), gains.to_numpy()
    residuals = values - values.mean(axis=0)
    squares = (residuals**2).sum(axis=0)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (DRAWS, n))
    drawn = signs @ residuals / n
    error = np.sqrt(np.maximum(squares - n * drawn**2, 1e-12 * squares) / (n * (n - 1)))
    largest = np.max(np.divide(np.abs(drawn), error, out=np.zeros_like(drawn), where=error > 0), axis=1)
    reach = np.quantile(largest, LEVEL) * np.sqrt(squares / (n * (n - 1)))
    return pd.DataFrame({"mean": mean, "low": mean - reach, "high": mean + reach})


def followed(situation):
    """What the advice of the other blocks gains on each block.

    Parameters
    ----------
    situation : Situation

    Returns
    -------
    Series
        Gain by block, mean over the methods that are advised without the block that judges them. The blocks are not
        independent, because they share most of the data that advise them; don't make an interval from them.
    """
    blocks = situation.gains.index
    gain = {block: situation.gains.loc[block, advised(situation, blocks.drop(block)).index].mean() for block in blocks}
    return pd.Series(gain, dtype=float)


def verdict(situation):
    """The advice for a situation: methods, or all features unless the methods pay for certain.

    Parameters
    ----------
    situation : Situation

    Returns
    -------
    dict
        methods (see `advised`: any of these), best and worst (their largest and smallest mean gain), low and high (that
        hold all their intervals, see `simultaneous_intervals`), pays (whether all intervals lie above zero), unseen
        (mean of `followed`) and n (blocks).
    """
    best = advised(situation, situation.gains.index)
    low, high = best["low"].min(), best["high"].max()
    return {
        "methods": list(best.index),
        **{"best": best["mean"].max(), "worst": best["mean"].min(), "low": low, "high": high, "pays": bool(low > 0)},
        **{"unseen": followed(situation).mean(), "n": len(situation.gains)},
    }


def answer(tables):
    """What to conclude from the comparison, in sentences.

    Parameters
    ----------
    tables : namespace of DataFrame

    Returns
    -------
    list of str
        Whether to select at all, which methods are advised, which of those that keep to the number of features asked
        for, and on what data this was measured. With too few data sets, one sentence says so.
    """
    lines = situations(tables)
    if not lines:
        return ["This run has too few data sets for an answer."]
    free, sized = verdict(lines[0]), verdict(lines[0].keeping_to_the_size())
    features = by_block(tables, metric_of(tables, "chosen")).mean()
    pays = (
        "Selecting pays: these methods reliably improve balanced accuracy."
        if free["pays"]
        else "If you can keep all features, do: no method reliably improved accuracy."
    )
    best = f"If you must select, use {any_of(free['methods'])}."
    gains = f"Against all features, balanced accuracy changes by {in_points(free)}."
    if set(free["methods"]) <= lines[0].own_size:
        gains += f" They choose how many features to keep, {_range(features[free['methods']])} on average."
    sentences = [pays, f"{best} {gains}"]
    if free["methods"] != sized["methods"]:
        sentences.append(
            f"If you want a certain number of features, use {any_of(sized['methods'])}. They keep "
            f"{features[sized['methods']].max():.1f} features on average, and accuracy changes by {in_points(sized)}."
        )
    return [*sentences, f"Measured on {_data(tables)}: larger data may give other answers."]


def _range(values):
    low, high = f"{values.min():.0f}", f"{values.max():.0f}"
    return low if low == high else f"{low} to {high}"


def _data(tables):
    """The data sets in words, with their largest number of rows."""
    fields, blocks = tables.fields, blocks_of(tables)
    generated = (fields["dataset"] == "generated").to_numpy()
    parts = []
    if not generated.all():
        rows = fields["samples"][~generated].max()
        parts.append(f"{blocks[~generated].nunique()} real data sets (at most {rows} rows of each)")
    if generated.any():
        parts.append(f"{generated.sum()} generated ones (at most {fields['samples'][generated].max()})")
    return " and ".join(parts)


def in_points(advice):
    """The gains of a `verdict`: "-0.4 to +0.4 points (95% intervals: -3.2 to +2.4)"."""
    ends = [advice["worst"]] * (len(advice["methods"]) > 1) + [advice["best"]]
    several = "intervals" if len(advice["methods"]) > 1 else "interval"
    return f"{points(*ends)} points (95% {several}: {points(advice['low'], advice['high'])})"


def points(*shares):
    """Differences of shares in points: "-0.4 to +0.4"."""
    return " to ".join(f"{100 * share:+.1f}" for share in shares)


def any_of(names, most=8):
    """Methods that are advised together: "any of these: A; B; 2 more"; their names can contain commas."""
    names = [name.replace(", ", " with ") for name in names]
    if len(names) == 1:
        return names[0]
    more = [f"{len(names) - most} more"] * (len(names) > most)
    return "any of these: " + "; ".join([*names[:most], *more])


def of_methods(tables, names):
    """What the comparison says of some methods, in sentences: the best of them, those worse than chance, the slow.

    Parameters
    ----------
    tables : namespace of DataFrame
    names : collection of str
        Names of methods, and of families, which stand for all of their methods.

    Returns
    -------
    list of str
        Empty if none of the methods took part.
    """
    ranked, slow = ranking(tables), too_slow(tables)
    chance = ranked.loc[ranked["method"] == "random subset", "gain"].max()  # NaN if it took no part

    def chosen(table):
        return table[table["method"].isin(names) | table["family"].isin(names)]

    sentences, mine = [], chosen(ranked)
    bad = mine[mine["gain"] < chance]
    usable = mine[~mine["method"].isin([*RECONSTRUCTED, *bad["method"]])]
    for own_size, who in ((False, "you set"), (True, "the method sets")):
        group = usable[usable["own_size"] == own_size]
        if len(group):
            best = group[group["gain"] > group["gain"].max() - 100 * TIED]
            gains = points(*sorted({best["gain"].min() / 100, best["gain"].max() / 100}))
            sentences.append(
                f"Where {who} the number of features, use {any_of(best['method'])} "
                f"(rank {_range(best['rank'])} of {len(ranked)}, {gains} points against all features)."
            )
    if len(bad):
        each = [f"{row.method} ({row.gain:+.1f} points)" for row in bad.itertuples()]
        sentences.append(
            f"{' and '.join(each)} did worse than a random subset ({chance:+.1f} points against all features)."
        )
    if len(unranked := chosen(slow)):
        each = [
            f"{row.method.replace(', ', ' with ')} ({row.answered:.0%} of the fits in time)"
            for row in unranked.itertuples()
        ]
        sentences.append(f"Too slow to judge: {', '.join(each)}.")
    return sentences
