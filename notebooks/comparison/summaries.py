"""Tables and sentences of the page on the comparison, computed from the stored tables."""

import numpy as np
import pandas as pd

from comparison.advice import ANSWERED, candidates, recommended, regrets, simultaneous_intervals, situations, verdict
from comparison.bayes import signed_rank
from comparison.orders import agreement_by_size, cliques, front, knee, left_out, mean_ranks, needed, wilcoxon_holm
from comparison.outcomes import BASELINE, accuracy, answered, by_block, methods_of, metric_of, score_of
from comparison.protocol import CLASSIFIERS
from compendium.features import named
from compendium.tables import html_table

__all__ = [
    "ROPE",
    "advice_tested",
    "aims",
    "answer",
    "chosen",
    "decisions",
    "equivalence",
    "evidence",
    "factors",
    "firmness",
    "front_table",
    "known_truth",
    "methods_table",
    "outcome_counts",
    "robustness",
    "same_choices",
]

STABLE = 0.9  # correlation of two orders that counts as stable
ROPE = 0.01  # balanced accuracies that differ by less are practically equal
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


def _answering(tables):
    """The methods that answer often enough: the scores of others are mostly those of all features."""
    shares = by_block(tables, answered(tables)).mean()
    return list(shares.index[shares >= ANSWERED])


def _front_of(tables):
    """Accuracy, stability and speed of the methods on the front, larger is better."""
    table = aims(tables).loc[_answering(tables)]
    points = pd.DataFrame(
        {
            "gain": table[GAIN],
            "stability": table["stability (Nogueira)"],
            "speed": -np.log10(table["seconds"].clip(lower=1e-6)),
        }
    )
    return points.loc[front(points)]


def front_table(tables):
    """The Pareto front of accuracy, stability and cost; the knee is marked."""
    points = _front_of(tables)
    best = knee(points) if len(points) else None
    shown = aims(tables).loc[points.index].iloc[:, :3].sort_values(GAIN, ascending=False)
    shown = shown.rename_axis("method").reset_index()
    return shown.assign(knee=["knee" if name == best else "" for name in shown["method"]])


def answer(tables):
    """The answer in three lines.

    Returns
    -------
    list of str
    """
    lines = situations(tables)
    if not lines:
        return [TOO_FEW]
    overall = verdict(lines[0]) | {"name": lines[0].name}
    told = [(line.name, verdict(line)) for line in lines[1:]]
    paying = [f"{name} ({found['method']}, {POINTS * found['gain']:+.1f})" for name, found in told if found["pays"]]
    scores = by_block(tables, accuracy(tables))
    ranks = mean_ranks(scores)
    groups = cliques(ranks, wilcoxon_holm(scores))
    first = next((group for group in groups if ranks.index[0] in group), [ranks.index[0]])
    points = _front_of(tables)
    pays = "Selecting pays" if overall["pays"] else "It is not certain that selecting pays"
    best = "the advised method" if overall["pays"] else "the best method on average"
    compromise = f" Accuracy, stability and speed together favour {knee(points)}." if len(points) else ""
    return [
        f"{pays} when nothing is known about the data: {best}, {overall['method']}, changes "
        f"the balanced accuracy by {POINTS * overall['gain']:+.1f} points against all features (95 % interval "
        f"{_span(overall['low'], overall['high'])}, {overall['n']} data sets).",
        f"It pays in {len(paying)} of {len(told)} situations" + (f": {'; '.join(paying)}." if paying else "."),
        f"{ranks.index[0]} has the best mean rank ({ranks.iloc[0]:.1f} of {len(ranks)}); the tests cannot tell it from "
        f"{len(first) - 1} others{', all features among them' if BASELINE in first[1:] else ''}." + compromise,
    ]


def decisions(tables):
    """The decision table as HTML: each line links to its evidence.

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
                "advice": found["method"] if found["pays"] else f"don't select (best candidate: {found['method']})",
                "gain against all features, points": f"{POINTS * found['gain']:+.1f}",
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


def equivalence(tables, most=10):
    """Bayesian signed-rank test of the methods with the best mean ranks against all features."""
    scores = by_block(tables, accuracy(tables))
    often = set(_answering(tables)) - {BASELINE}
    rows = []
    for name in [name for name in mean_ranks(scores).index if name in often][:most]:
        found = signed_rank(scores[name] - scores[BASELINE], ROPE)
        rows.append({"method": name, **found._asdict()})
    return pd.DataFrame(rows)


def known_truth(tables):
    """What the methods find where the truth is known, and how stable they are."""
    table = aims(tables)
    columns = ["relevant features found", "share of probes", "share of repeated features", "stability (Nogueira)"]
    table = table[[column for column in columns if column in table]]
    for metric, name in (("cw_rel", "CW_rel"), ("ati", "ATI")):
        table = table.assign(**{name: by_block(tables, metric_of(tables, metric)).mean()})
    return table.sort_values(table.columns[0], ascending=False, kind="stable").rename_axis("method").reset_index()


def firmness(tables):
    """How well the orders by two disjoint sets of data sets, and by two splits, agree."""
    scores = by_block(tables, accuracy(tables))
    half = len(scores) // 2
    sizes = sorted({size for size in (1, 2, 3, 5, 8, 12, 16, half) if 1 <= size <= half})
    by_sets = agreement_by_size(scores, sizes).rename(columns={"size": "data sets in each half"})
    return by_sets.rename(columns={"same_best": "same best method"})


def robustness(tables):
    """Sentences: how many data sets and splits a stable order needs, and the order without each method."""
    splits = tables.splits.set_index(["field", "split"])[methods_of(tables)]
    splits = splits.apply(lambda column: column.fillna(splits[BASELINE]))
    by_split = pd.DataFrame(
        {
            split: mean_ranks(by_block(tables, part.groupby(level="field", sort=False).mean()))
            for split, part in splits.groupby(level="split")
        }
    ).T
    firm = [
        f"The orders by two {what} correlate by {correlation:.2f} on average (Spearman); {_enough(number, what)}, and "
        f"this run has {len(orders)}."
        for what, orders in (("data sets", by_block(tables, accuracy(tables))), ("splits", by_split))
        for correlation, number in [needed(orders, STABLE)]
    ]
    without = left_out(by_block(tables, accuracy(tables)))
    worst = without.sort_values("exchanged", ascending=False, kind="stable").iloc[0]
    best = mean_ranks(by_block(tables, accuracy(tables))).index[0]
    changed = without[(without["best"] != best) & (without["left_out"] != best)]
    return [
        *firm,
        f"Leaving out one method exchanges at most {worst['exchanged']} pairs of the others (without "
        f"{worst['left_out']}), and another method comes first after {len(changed)} of {len(without)} omissions.",
    ]


def _enough(number, what):
    if np.isinf(number):
        return f"no number of {what} would give a stable order"
    return f"mean ranks over {np.ceil(number):.0f} {what} would correlate by {STABLE:g} with those over as many others"


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


def same_choices(tables):
    """A sentence on methods that are equal on every field."""
    scores = tables.splits[methods_of(tables)].round(6)
    seen = {}
    for name in scores:
        seen.setdefault(tuple(scores[name].fillna(-1)), []).append(name)
    groups = [" = ".join(names) for names in seen.values() if len(names) > 1]
    scores = by_block(tables, accuracy(tables))
    best = mean_ranks(scores).index[0]
    equal = [
        name for name in scores if name != best and signed_rank(scores[best] - scores[name], ROPE).equivalent > 0.95
    ]
    first = f"Equal on every split: {'; '.join(groups)}." if groups else "No two methods are equal on every split."
    return [
        first,
        f"Practically equal to {best} (probability above 0.95 of a difference below {POINTS * ROPE:.0f} point): "
        f"{', '.join(equal) or 'no method'}.",
    ]


def chosen(tables, names, n_top=10):
    """The features of each data set that the methods choose most often.

    Parameters
    ----------
    tables : namespace of DataFrame
    names : dict of str to list of str
        Names of the features by data set, where they have any.
    n_top : int, default=10

    Returns
    -------
    DataFrame
        data set, features: name, number and share, the largest share first.
    """
    rows = []
    for field, part in tables.chosen.groupby("field", sort=False):
        first = part.head(n_top).itertuples()
        listed = ", ".join(f"{named(row.feature, names.get(field))}: {row.share:.0%}" for row in first)
        rows.append({"data set": field, "features": listed})
    return pd.DataFrame(rows, columns=["data set", "features"])


def outcome_counts(tables):
    """Fits without an answer, by method and reason, and the methods that did not take part."""
    answers = tables.answers[tables.answers["status"] != "done"]
    rows = [
        {
            "method": row.contestant,
            "outcome": row.status,
            "reason": row.reason,
            "fits": row.units,
            "fields": ", ".join(row.fields[:4]) + (f" and {len(row.fields) - 4} more" if len(row.fields) > 4 else ""),
        }
        for row in answers.itertuples()
    ]
    absent = tables.contestants[~tables.contestants["entered"].astype(bool)]
    rows += [
        {"method": row.contestant, "outcome": "not entered", "reason": row.reason, "fits": 0, "fields": ""}
        for row in absent.itertuples()
    ]
    return pd.DataFrame(rows, columns=["method", "outcome", "reason", "fits", "fields"])


def methods_table(tables):
    """Every method with its mean rank and aims: the values of the explorer."""
    families = tables.contestants.set_index("contestant")[["family", "library"]]
    table = families.join(aims(tables), how="right")
    table["mean rank"] = mean_ranks(by_block(tables, accuracy(tables)))
    return table.sort_values("mean rank").rename_axis("method").reset_index()
