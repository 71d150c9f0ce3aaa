"""What to believe about feature selection: each lesson is a sentence whose numbers come from the stored tables.

A lesson is registered by the decorator with the notebook whose tables it reads, which is its evidence::

    @lesson("comparison_arena", "Keep all features if you can", words=["best method"])
    def keep_all(tables):
        return Finding(sentence, holds, numbers, limits, draw, caption, alt)

``holds`` is decided by the tables, too: a test fails, and the page says so, if a sentence is no longer true of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd

from comparison.advice import candidates, points, simultaneous_intervals, situations
from compendium.inference import mean_interval, share_interval
from compendium.store import stored_tables
from compendium.style import COLOURS

_REGISTRY = {}  # by key, in the order of the page


@dataclass(frozen=True)
class Finding:
    """What the tables say.

    Attributes
    ----------
    sentence : str
        At most 35 words, to be quoted after the lesson's title.
    holds : bool
        Whether the tables still say so.
    numbers : list of str
        Two or more numbers with their intervals, as sentences.
    limits : str
        Where it does not hold.
    draw : callable
        Draws the picture into the axes that it is given.
    caption, alt : str
        Of the picture.
    """

    sentence: str
    holds: bool
    numbers: list
    limits: str
    draw: Callable
    caption: str
    alt: str


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes
    ----------
    key : str
        Its anchor.
    title : str
    notebook : str
        Whose tables it reads, and which is its evidence.
    words : tuple of str
        What people search for when they need it.
    finding : Finding
    """

    key: str
    title: str
    notebook: str
    words: tuple
    finding: Finding


def lesson(notebook, title, words=()):
    """Register a function of a notebook's tables, which returns the `Finding`."""

    def register(function):
        _REGISTRY[function.__name__.replace("_", "-")] = (title, notebook, tuple(words), function)
        return function

    return register


@cache
def stored_lessons():
    """The lessons by the store's tables."""
    return lessons(stored_tables())


def lessons(tables):
    """The lessons whose tables are there.

    Parameters
    ----------
    tables : dict of str to (dict of str to DataFrame)
        By notebook, as from `compendium.store.stored_tables`.

    Returns
    -------
    list of Lesson
    """
    return [
        Lesson(key, title, notebook, words, function(SimpleNamespace(**tables[notebook])))
        for key, (title, notebook, words, function) in _REGISTRY.items()
        if notebook in tables
    ]


def _gains(tables, name):
    """The simultaneous intervals of a situation's methods, in points, best first, and its number of data sets."""
    line = next(line for line in situations(tables) if line.name == name)
    gains = 100 * simultaneous_intervals(candidates(line, line.gains.index))
    return gains.sort_values("mean", ascending=False, kind="stable"), len(line.gains)


def _with_interval(row):
    """A gain in points with its interval: "+0.4 points (-1.2 to +2.0)"."""
    return f"{points(row['mean'] / 100)} points ({points(row['low'] / 100, row['high'] / 100)})"


def _draw_gains(ax, rows):
    """Gains with intervals, one row a method, and a line at zero."""
    for y, (_, row) in enumerate(rows.iterrows()):
        color = COLOURS[2] if row["low"] > 0 else COLOURS[1] if row["high"] < 0 else COLOURS[0]
        ax.plot([row["low"], row["high"]], [y] * 2, color=color, linestyle="-")
        ax.plot(row["mean"], y, "o", color=color)
    ax.axvline(0, color="0.4", linewidth=1, linestyle="--")
    ax.set(yticks=range(len(rows)), yticklabels=rows.index, xlabel="gain over all features, points")
    ax.invert_yaxis()


@lesson(
    "comparison_arena",
    "Keep all features if you can",
    ["does feature selection improve accuracy", "best feature selection method", "should I select features"],
)
def keep_all(tables):
    gains, n = _gains(tables, "any data")
    best, last = gains.iloc[0], gains.iloc[-1]
    chance = gains.loc["random subset"]
    enough, m = _gains(tables, "at least 5 samples per feature")
    gained = enough[enough["low"] > 0]
    drawn = pd.concat([gains.head(6), gains.loc[["random subset"]], gains.tail(1)])
    return Finding(
        f"Of {len(gains)} methods, none reliably improved accuracy over {n} data sets; the best changed it by "
        f"{_with_interval(best)}.",
        bool((gains["low"] <= 0).all()),
        [
            f"The best of {len(gains)}, {best.name}: {_with_interval(best)} of balanced accuracy.",
            f"A random subset of the same size: {_with_interval(chance)}; the worst method, {last.name}: "
            f"{_with_interval(last)}.",
        ],
        (
            f"With at least five samples per feature ({m} data sets), {_listed(gained.index)} gained for certain: "
            f"{_with_interval(gained.iloc[0])}."
            if len(gained)
            else f"We know no exception; with at least five samples per feature ({m} data sets) it is the same."
        ),
        lambda ax: _draw_gains(ax, drawn),
        "The best methods gain nothing for certain, a bad one loses much: 95% intervals for all methods at once.",
        "Interval plot: the first six methods lie at the dashed line of zero, a random subset and the worst far below.",
    )


def _listed(names):
    """Names in a sentence; some contain commas or "and"."""
    return "; ".join(name.replace(", ", " with ") for name in names)


@lesson(
    "comparison_arena",
    "Select when many columns are junk",
    ["irrelevant features", "noise columns", "boruta"],
)
def junk_columns(tables):
    gains, n = _gains(tables, "half of the features irrelevant")
    copied, _ = _gains(tables, "every feature nearly repeated")
    best, certain = gains.iloc[0], gains[gains["low"] > 0]
    return Finding(
        f"With as many junk columns as real ones, {best.name} gained {_with_interval(best)} over keeping all.",
        bool(best["low"] > 0),
        [
            f"On {n} data sets to which a shuffled copy of every column was added, {len(certain)} of {len(gains)} "
            f"methods gained for certain: {_listed(certain.index)}.",
            f"On the same data sets with a noisy copy of every column instead, the best of {len(copied)} gained "
            f"{_with_interval(copied.iloc[0])}.",
        ],
        "Nearly repeated columns are not junk: where each has a copy, no method gained for certain."
        if (copied["low"] <= 0).all()
        else f"Nearly repeated columns are another case: there {copied.index[0]} is best.",
        lambda ax: _draw_gains(ax, gains.head(8)),
        "Where half of the columns are junk, selection pays: gains with 95% intervals for all methods at once.",
        "Interval plot of the first eight methods; the intervals of the first lie to the right of zero.",
    )


@lesson(
    "your_data_bench",
    "Select inside the cross-validation",
    [
        *("leak", "leaks", "leakage", "data leakage", "overfitting", "selection bias", "nested cross validation"),
        *("optimistic score", "train test contamination"),
    ],
)
def select_inside(tables):
    files = tables.scores[tables.scores["task"] == "classification"]
    above = files[["reported", "honest"]].gt(files["holdout"], axis=0)
    shares, n = above.mean(), len(files)
    low, high = zip(*(share_interval(int(above[name].sum()), n) for name in ("reported", "honest")), strict=True)
    few, many = files["samples"].min(), files["samples"].max()
    excess = (files["reported"] - files["holdout"]).groupby(files["samples"]).mean()

    def draw(ax):
        bins = np.linspace(-0.2, 0.2, 41)
        for name, label, color in (
            ("reported", "the search's own score", COLOURS[1]),
            ("honest", "nested score", COLOURS[0]),
        ):
            ax.hist(
                (files[name] - files["holdout"]).clip(-0.2, 0.2),
                bins,
                histtype="step",
                color=color,
                label=label,
                linewidth=2,
            )
        ax.axvline(0, color="0.4", linewidth=1, linestyle="--")
        ax.set(xlabel="score minus that on new samples", ylabel="files", ylim=(0, 45))
        ax.legend(fontsize=9, loc="upper left")

    return Finding(
        f"A search's own score was too high in {shares['reported']:.0%} of {n} files, that of a nested "
        f"cross-validation in {shares['honest']:.0%}: about half, as it should be.",
        low[0] > 0.5 and low[1] <= 0.5 <= high[1],
        [
            f"Too high: {shares['reported']:.0%} of the search's own scores ({low[0]:.0%} to {high[0]:.0%}), "
            f"{shares['honest']:.0%} of the nested ones ({low[1]:.0%} to {high[1]:.0%}).",
            f"The search's own score exceeded that on new samples by {100 * excess[few]:.1f} points in files of {few} "
            f"rows, by {100 * excess[many]:.1f} in files of {many}.",
        ],
        "With many rows the excess is small; the selection belongs inside the folds all the same.",
        draw,
        "The search's own score is mostly too high, the nested one is not: each minus the score on new samples.",
        "Two histograms: the search's own scores lie mostly to the right of zero, the nested scores around it.",
    )


@lesson(
    "somol2011_fragility",
    "The winning subset is one of many",
    ["stability", "near ties", "feature importance", "which features are important", "different subsets same accuracy"],
)
def one_of_many(tables):
    near = tables.near[tables.near["metric"].isin(["n_near", "ati"])]
    by = ["dataset", "search", "criterion", "scaling", "repeat"]
    near = near.pivot_table(index=by, columns="metric", values="value")
    several = near[near["n_near"] > 1]
    middle, quarters = near.median(), near["n_near"].quantile([0.25, 0.75])
    alone = near.shape[0] - several.shape[0]

    def draw(ax):
        for (name, rows), marker in zip(several.groupby("dataset"), "os^Dv", strict=False):
            ax.plot(rows["n_near"], 100 * rows["ati"], marker, label=name)
        ax.set(xscale="log", ylim=(0, 100), xlabel="subsets within 1% of the best", ylabel="features that two share, %")
        ax.legend(fontsize=8)

    return Finding(
        f"A search typically met {middle['n_near']:.0f} subsets within 1% of the best; two of them shared "
        f"{middle['ati']:.0%} of their features.",
        middle["n_near"] > 10 and middle["ati"] < 0.9,
        [
            f"Near-best subsets: {middle['n_near']:,.0f} in the median search, {quarters[0.25]:,.0f} to "
            f"{quarters[0.75]:,.0f} in the middle half of the searches.",
            f"Features that two of them share: {middle['ati']:.0%} in the median, {several['ati'].min():.0%} to "
            f"{several['ati'].max():.0%} over the searches with several such subsets.",
        ],
        f"In {alone} of {len(near)} searches the best subset had no rival within 1%."
        if alone
        else "We know no exception: every search had rivals within 1% of its best subset.",
        draw,
        "Many different subsets score nearly the same: each mark is one search.",
        "Scatter plot: from a few to thousands of subsets near the best, which differ in many features.",
    )


@lesson(
    "somol2011_fragility",
    "Take fewer features than the best score wants",
    ["how many features", "how many features should I keep", "number of features", "one standard error rule"],
)
def fewer(tables):
    by_tau = tables.selected.pivot_table(index=["dataset", "tau"], columns="metric", values="value")[["size", "test"]]
    best, near = (by_tau.xs(tau, level="tau") for tau in (0.0, 0.01))
    change = 100 * (near["test"] - best["test"])
    low, high = mean_interval(change)
    smaller = 1 - near["size"].mean() / best["size"].mean()
    steps = tables.selected.pivot_table(index="tau", columns="metric", values="value")[["size", "test"]]
    widest = steps.index[-1]

    def draw(ax):
        ax.plot(steps["size"], 100 * steps["test"], "o-", color=COLOURS[0])
        for tau in (0.0, 0.01, widest):
            where = (steps.loc[tau, "size"], 100 * steps.loc[tau, "test"])
            ax.annotate(
                f"within {tau:.0%}" if tau else "the best", where, xytext=(0, 8), textcoords="offset points", fontsize=9
            )
        ax.set(xlabel="features, mean", ylabel="correct on new samples, %")
        ax.margins(x=0.15)
        ax.set_ylim(75, 95)

    loss = 100 * (steps.loc[widest, "test"] - steps.loc[0.0, "test"])
    return Finding(
        f"The smallest subset within 1% of the best had {smaller:.0%} fewer features; on new samples, accuracy "
        f"changed by {change.mean():+.1f} points ({low:+.1f} to {high:+.1f}).",
        smaller > 0.1 and low <= 0 <= high,
        [
            f"Mean size: {best['size'].mean():.1f} features for the best score, {near['size'].mean():.1f} within 1% "
            f"of it, on {len(change)} data sets.",
            f"Within {widest:.0%} of the best: {steps.loc[widest, 'size']:.1f} features, and accuracy on new samples "
            f"changed by {loss:+.1f} points.",
        ],
        "A wide margin gives up accuracy that the search had found; try margins of 0.5 to 2% first.",
        draw,
        "Smaller subsets that score nearly as well do as well on new samples: each point is a margin below the best.",
        "Line: accuracy on new samples against the mean number of features, nearly level.",
    )


@lesson("hocke2014_mdm", "Scale first", ["scaling", "standardization", "standardize", "normalize", "units"])
def scale_first(tables):
    errors = tables.gain.query("metric == 'error' and method in ('none', 'minmax')")
    errors = 100 * errors.pivot_table(index="dataset", columns=["inputs", "method"], values="value", sort=False)
    raw, scaled, unit = errors["raw", "none"], errors["zscore", "none"], errors["raw", "minmax"]
    low, high = mean_interval(raw - scaled)
    worse = raw.index[scaled > raw]

    def draw(ax):
        for y, name in enumerate(raw.index):
            ax.plot([raw[name], scaled[name]], [y] * 2, color="0.6", linestyle="-", linewidth=1)
        ax.plot(raw, range(len(raw)), "s", color=COLOURS[1], label="raw columns")
        ax.plot(scaled, range(len(raw)), "o", color=COLOURS[0], label="z-scores")
        ax.set(yticks=range(len(raw)), yticklabels=raw.index, xlabel="error of k-NN, %", xlim=(0, None))
        ax.legend(fontsize=9)

    return Finding(
        f"Scaling the columns lowered the error of k-nearest neighbors on {(scaled < raw).sum()} of {len(raw)} data "
        f"sets; the mean went from {raw.mean():.1f}% to {scaled.mean():.1f}%.",
        bool((scaled < raw).mean() > 0.5 and raw.mean() - scaled.mean() > 1),
        [
            f"Raw columns {raw.mean():.1f}%, z-scores {scaled.mean():.1f}%: {(raw - scaled).mean():.1f} points less "
            f"({low:+.1f} to {high:+.1f}: the {len(raw)} data sets differ so much that others may gain nothing).",
            f"Columns scaled to the unit range: {unit.mean():.1f}%.",
        ],
        f"The error rose on {' and '.join(worse)}. Trees don't need scaling."
        if len(worse)
        else "Trees don't need scaling.",
        draw,
        "Scaling helps most where columns have different units, as in wine.",
        "Dot plot with a row for each data set: z-scores have a lower error than raw columns on most.",
    )


@lesson("chen2012_irrelevant_redundant", "Look at ties", ["ties", "equal scores", "tie-breaking", "information gain"])
def look_at_ties(tables):
    added = tables.irrelevant.query("metric == 'added'")
    totals = added.groupby(["method", "repeat", "dataset"])["value"].mean().groupby(["method", "repeat"]).sum()
    ordered, random = (totals[name] for name in ("IG", "IG, equal scores at random"))
    first = added.groupby("dataset")[["n_own", "n_added"]].first()
    chance = (first["n_own"] * first["n_added"] / (first["n_own"] + first["n_added"])).sum()
    other = totals["GMLVQ"]
    (low, high), (others_low, others_high) = mean_interval(random), mean_interval(other)

    def draw(ax):
        values = {
            "ties in the\norder of columns": ordered.mean(),
            "ties at random": random.mean(),
            "GMLVQ (no ties)": other.mean(),
        }
        ax.barh(range(3), list(values.values()), color=[COLOURS[1], COLOURS[0], "0.6"], height=0.6)
        ax.axvline(chance, color="0.4", linewidth=1, linestyle="--")
        ax.annotate("guessing", (chance, 0), ha="right", fontsize=9, xytext=(-4, 0), textcoords="offset points")
        ax.set(yticks=range(3), yticklabels=values, xlabel="random features let in")
        ax.invert_yaxis()

    return Finding(
        f"Information gain let in {ordered.mean():.1f} random features while ties kept the column order, "
        f"{random.mean():.1f} with ties broken at random: the order of the file had done the work.",
        bool(ordered.mean() < 1 and low > 10 * ordered.mean()),
        [
            f"Ties in the order of the columns: {ordered.mean():.1f}; at random: {random.mean():.1f} ({low:.1f} to "
            f"{high:.1f}); guessing: {chance:.1f}.",
            f"GMLVQ, whose scores hardly ever tie: {other.mean():.1f} ({others_low:.1f} to {others_high:.1f}).",
        ],
        "Scores that are real numbers for every column hardly tie: then there is nothing to break.",
        draw,
        "The random columns stood last in the file, so a stable sort kept them out.",
        "Bars: almost no random feature if ties keep the order of the columns, many otherwise.",
    )
