"""Tables and sentences of the page on the comparison, computed from the stored tables."""

import numpy as np
import pandas as pd

from comparison.advice import ANSWERED, candidates, recommended, regrets, simultaneous_intervals, situations, verdict
from comparison.orders import front, knee, mean_ranks
from comparison.outcomes import BASELINE, accuracy, answered, by_block, methods_of, metric_of, score_of
from comparison.protocol import CLASSIFIERS
from compendium.tables import html_table

__all__ = [
    "advice_tested",
    "aims",
    "answer",
    "answering",
    "decisions",
    "evidence",
    "factors",
    "front_table",
    "ranks_by_split",
]

POINTS = 100
TOO_FEW = "This run has too few data sets for an answer."
GAIN = "gain over all features, points"


def _span(low, high, digits=1):
    return f"{POINTS * low:+.{digits}f} to {POINTS * high:+.{digits}f}"


def aims(tables):
    """Accuracy, stability, cost and what is known of each method: means over the blocks.

    Returns
    -------
    DataFrame
        One row a method.
    """
    values = accuracy(tables)
    columns = {
        GAIN: POINTS * by_block(tables, values.sub(values[BASELINE], axis=0)),
        "stability (Nogueira)": by_block(tables, metric_of(tables, "stability")),
        "seconds": by_block(tables, metric_of(tables, "seconds")),
        "share of fits with an answer": by_block(tables, answered(tables)),
        "criterion evaluations": by_block(tables, metric_of(tables, "evaluations")),
        "features chosen": by_block(tables, metric_of(tables, "chosen")),
        "area under the curve": by_block(tables, score_of(tables, metrics=["auc"])),
        "relevant features found": by_block(tables, metric_of(tables, "found")),
        "share of probes": by_block(tables, metric_of(tables, "probes")),
        "share of repeated features": by_block(tables, metric_of(tables, "redundant")),
    }
    means = {name: frame.mean() for name, frame in columns.items() if len(frame)}
    return pd.DataFrame(means).reindex(methods_of(tables))


def answering(tables):
    """The methods that answer often enough: the scores of others are mostly those of all features."""
    shares = by_block(tables, answered(tables)).mean()
    return list(shares.index[shares >= ANSWERED])


def front_table(tables):
    """The Pareto front of accuracy, stability and speed; the knee is marked."""
    table = aims(tables).loc[answering(tables)]
    speed = -np.log10(table["seconds"].clip(lower=1e-6))
    points = pd.DataFrame({"gain": table[GAIN], "stability": table["stability (Nogueira)"], "speed": speed})
    points = points.loc[front(points)]
    best = knee(points) if len(points) else None
    shown = table.loc[points.index].iloc[:, :3].sort_values(GAIN, ascending=False)
    shown = shown.rename_axis("method").reset_index()
    return shown.assign(knee=["knee" if name == best else "" for name in shown["method"]])


def answer(tables):
    """The answer in two sentences: what to do if all features may stay, and which method if some must go.

    Returns
    -------
    list of str
    """
    lines = situations(tables)
    if not lines:
        return [TOO_FEW]
    found = verdict(lines[0])
    change = f"{POINTS * found['gain']:+.1f} points ({_span(found['low'], found['high'])}) on {found['n']} data sets"
    if found["pays"]:
        told = [f"Select by {found['method']}: against all features, balanced accuracy changes by {change}."]
    else:
        told = [
            "Keep all features if you may: no method is shown to gain accuracy on all kinds of data.",
            f"If you must select, {found['method']} is best on average: {change}.",
        ]
    return told


def decisions(tables):
    """The decision table as HTML: each line answers two questions and links to its evidence.

    Returns
    -------
    str
    """
    rows = []
    for k, situation in enumerate(situations(tables)):
        found = verdict(situation)
        rows.append(
            {
                "your situation": situation.name,
                "if you must select": found["method"],
                "if all features may stay": "select" if found["pays"] else "keep all",
                "gain over all features, points": f"{POINTS * found['gain']:+.1f}",
                "95 % interval": _span(found["low"], found["high"]),
                "gain on data sets not seen": f"{POINTS * found['unseen']:+.1f}",
                "data sets": found["n"],
                "evidence": f"evidence-{k}",
            }
        )
    if not rows:
        return f"<p>{TOO_FEW}</p>"
    caption = "What to use: mean gains in points of balanced accuracy, with intervals that hold for all methods at once"
    page = html_table(pd.DataFrame(rows), caption)
    for k in range(len(rows)):
        page = page.replace(f"<td>evidence-{k}</td>", f'<td><a href="#evidence-{k}">methods</a></td>')
    return page


def evidence(tables, most=10):
    """The best methods in each situation as HTML, with the anchors that the decision table links to.

    Returns
    -------
    str
    """
    parts = []
    for k, situation in enumerate(situations(tables)):
        gains = candidates(situation, list(situation.gains.index))
        rows = []
        found = simultaneous_intervals(gains).sort_values("mean", ascending=False, kind="stable")
        for row in found[:most].itertuples():
            rows.append(
                {
                    "method": row.Index,
                    "mean gain, points": f"{POINTS * row.mean:+.1f}",
                    "95 % interval": _span(row.low, row.high),
                    "better on": f"{int((gains[row.Index] > 0).sum())} of {len(gains)}",
                }
            )
        caption = f"Evidence, {situation.name}: gain over all features by method"
        parts.append(f'<section id="evidence-{k}">{html_table(pd.DataFrame(rows), caption)}</section>')
    return "".join(parts)


def ranks_by_split(tables):
    """Mean ranks of the methods over the blocks: one row a split, one column a method."""
    splits = tables.splits.set_index(["field", "split"])[methods_of(tables)]
    splits = splits.apply(lambda column: column.fillna(splits[BASELINE]))
    parts = {split: part.groupby(level="field", sort=False).mean() for split, part in splits.groupby(level="split")}
    return pd.DataFrame({split: mean_ranks(by_block(tables, part)) for split, part in parts.items()}).T


def advice_tested(tables):
    """Regrets of the recommender, and its sentence; None without enough data sets.

    Returns
    -------
    (DataFrame, str) or (None, str)
    """
    tested = recommended(tables)
    if tested.empty:
        return None, "This run has too few data sets to test the advice."
    table, (share, low, high) = regrets(tested)
    table = table.assign(**{name: POINTS * table[name] for name in ("regret", "low", "high")})
    table.columns = ["who decides", "mean regret, points", "95 % interval from", "to"]
    abstained = tested["advice"] == BASELINE
    worth = tested.loc[abstained, "gain_of_method"]
    missed = (
        f", where the method not advised would have changed the score by {POINTS * worth.mean():+.1f} points"
        if len(worth)
        else ""
    )
    covered = f"{int(tested['covered'].sum())} of {len(tested)}"
    return table, (
        f"The recommender abstains in {int(abstained.sum())} of {len(tested)} cases{missed}. Its 95 % intervals for "
        f"the gain on a data set that it has not seen cover {covered} ({POINTS * share:.0f} %; interval of this "
        f"share {POINTS * low:.0f} to {POINTS * high:.0f} %)."
    )


def factors(tables):
    """How much each choice moves the accuracy, and the order of the methods."""
    rows = []
    sizes = [size for size in tables.scores["size"].unique() if tables.scores["size"].nunique() > 1]
    choices = {
        "final classifier": {name: by_block(tables, score_of(tables, metrics=[name])) for name in CLASSIFIERS},
        "number of features": {size: by_block(tables, score_of(tables, size=size)) for size in sizes},
    }
    for choice, levels in choices.items():
        if len(levels) < 2:
            continue
        common = sorted(set.intersection(*(set(frame.index) for frame in levels.values())))
        means = {name: frame.loc[common].mean() for name, frame in levels.items()}
        orders = pd.DataFrame({name: mean_ranks(frame.loc[common]) for name, frame in levels.items()})
        tau = orders.corr(method="kendall").to_numpy()
        rows.append(
            {
                "choice": choice,
                "levels": ", ".join(levels),
                "range of the mean accuracy, points": POINTS * np.ptp([mean.mean() for mean in means.values()]),
                "agreement of the methods' orders (Kendall)": tau[np.triu_indices(len(tau), 1)].mean(),
            }
        )
    scores = by_block(tables, accuracy(tables))
    for choice, values in (("method", scores.mean()), ("data set", scores.mean(axis=1))):
        span = POINTS * np.ptp(values)
        rows.append({"choice": choice, "levels": len(values), "range of the mean accuracy, points": span})
    return pd.DataFrame(rows)
