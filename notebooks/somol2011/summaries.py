"""Summaries for Somol et al. 2011: costs, and sentences with numbers computed from the tables."""

from collections import Counter

import pandas as pd

from compendium.features import named_list, numbers_in
from compendium.readings import verdicts_under
from compendium.tables import means
from somol2011 import printed
from somol2011.claims import gains

__all__ = [
    "agreement",
    "agreement_by_table",
    "best_subsets",
    "budget",
    "choice",
    "chosen",
    "chosen_by_lambda",
    "column_orders",
    "costs",
    "course",
    "directions",
    "ensembles",
    "fragility",
    "hybrid",
    "named_subsets",
    "verdicts",
    "with_significance",
]

# The table that each table of the readings varies; below, the printed rows that the defaults were chosen on.
VARIED = {"readings_of_fragility": "selected", "readings_of_ensembles": "ensembles", "readings_of_hybrid": "hybrid"}
CHOSEN_ON = {
    "Table 1": "dataset in ['spectf', 'spambase']",
    "Table 3": "method == 'single' and (metric == 'size' or dataset in ['ionosphere', 'spectf'])",
    "Table 7": "metric in ['train', 'test']",
}


def with_significance(cases):
    """Cases with a column ``significant``: ``*`` where ``p_value`` is below 0.05."""
    return cases.assign(significant=["*" if p < 0.05 else "" for p in cases["p_value"]])


def costs(ensembles):
    """Evaluations and seconds of all outer folds together.

    Parameters
    ----------
    ensembles : DataFrame
        Table of `somol2011.ensembles.Ensembles`.

    Returns
    -------
    DataFrame
        dataset, method, evaluations, seconds.
    """
    cost = ensembles[ensembles["metric"].isin(["seconds", "evaluations"])]
    index = ["dataset", "method"]
    return cost.pivot_table(index=index, columns="metric", values="value", aggfunc="sum", sort=False).reset_index()


def course(best):
    """Sentences on the courses.

    Parameters
    ----------
    best : DataFrame
        Table of `somol2011.course.Course`.

    Returns
    -------
    list of str
    """
    return [
        f"On {row.dataset} {row.method} found {row.size} features with a value of {row.value:.3f} after evaluating "
        f"{row.evaluations} subsets."
        for row in best.itertuples(index=False)
    ]


def fragility(selected, near):
    """Sentences on fragile preference and tau.

    Parameters
    ----------
    selected, near : DataFrame
        Tables of `somol2011.fragility.Fragility`.

    Returns
    -------
    list of str
    """
    blocks = near.pivot_table(index=["dataset", "search", "criterion", "repeat"], columns="metric", values="value")
    means = selected.pivot_table(index="tau", columns="metric", values="value")
    first, last = means.index[[0, -1]]
    size, test = means["size"], 100 * means["test"]
    best = test.idxmax()
    moved = "gained" if test[last] > test[first] else "lost"
    return [
        f"A search typically evaluated {blocks['n_near'].median():.0f} different subsets near the best value; two "
        f"of them had {blocks['ati'].median():.0%} of their features in common on average.",
        f"Taking the smallest subset within {last:.0%} of the maximum shrank the selection from {size[first]:.1f} to "
        f"{size[last]:.1f} features on average and {moved} {abs(test[last] - test[first]):.1f} points of test "
        "accuracy.",
        f"The best mean test accuracy was {test[best]:.1f} %, at tau = {best:g}; at tau = {first:g} it was "
        f"{test[first]:.1f} %.",
    ]


def ensembles(ensembles):
    """Sentences on voting.

    Parameters
    ----------
    ensembles : DataFrame
        Table of `somol2011.ensembles.Ensembles`.

    Returns
    -------
    list of str
    """
    sentences = []
    for method in "order", "weighted":
        gain = gains(ensembles, method)
        up = (gain > 0).sum()
        sentences.append(
            f"{method.capitalize()} voting selected more stably (CW_rel) on {up['cw_rel']} of {len(gain)} data sets "
            f"and classified unseen samples better on {up['rate']}; the mean change of the rate was "
            f"{100 * gain['rate'].mean():+.2f} points, and the largest loss {100 * min(0, gain['rate'].min()):.1f}."
        )
    rates = ensembles[ensembles["metric"] == "rate"]
    spread = rates.groupby(["dataset", "method"])["value"].std().mean()
    sentences.append(f"From fold to fold the rates vary by {100 * spread:.1f} points (standard deviation).")
    return sentences


def hybrid(hybrid):
    """Sentences on hybrids.

    Parameters
    ----------
    hybrid : DataFrame
        Table of `somol2011.hybrid.FilterWrapper`.

    Returns
    -------
    list of str
    """
    keys = ["dataset", "search", "lambda"]
    found = means(hybrid, keys)
    errors = found.groupby("dataset", sort=False)["test_error"].mean()
    listed = [f"{100 * error:.1f} points on {name}" for name, error in errors.items()]
    cases = found.set_index(keys)[["wrapper_evaluations", "test"]].sort_index()
    pure = cases.groupby(["dataset", "search"]).transform("last")
    work = (cases / pure)["wrapper_evaluations"].groupby("lambda").median()
    test = (cases - pure)["test"].groupby("lambda").mean()
    low = work.index[work.index > 0][0] if (work.index > 0).any() else work.index[0]
    best = test.idxmax()
    return [
        f"At lambda = {low:g} a search made {work[low]:.0%} of the wrapper evaluations that it makes at the largest "
        f"lambda (median), and the test accuracy changed by {100 * test[low]:+.1f} points on average.",
        f"The mean test accuracy was best at lambda = {best:g}: {100 * test[best]:+.1f} points relative to the largest "
        "lambda.",
        f"The standard error of a test accuracy is {', '.join(listed)}.",
    ]


def directions(compared):
    """How often our accuracies of Tables 5 and 6 lie below the printed ones.

    Parameters
    ----------
    compared : dict of str to DataFrame
        As from `somol2011.printed.comparisons`.

    Returns
    -------
    list of str
        Sentences; none if no table was measured.
    """
    said = []
    for table in "Table 5", "Table 6":
        measured = compared[table].dropna(subset="reproduced")
        below = (measured["difference"] < 0).groupby(measured["metric"]).agg(["sum", "count"])
        if len(below):
            train, test = (f"{below.loc[part, 'sum']} of {below.loc[part, 'count']}" for part in ("train", "test"))
            said.append(f"In {table}, {train} of our criterion values lie below print, and {test} test accuracies.")
    if said:
        said.append("The cells of a table share their halves, so a deviation that they have in common counts once.")
    return said


def chosen(subsets, names):
    """The features that a method selects in at least half of the outer folds.

    Parameters
    ----------
    subsets : DataFrame
        Table of `somol2011.ensembles.Ensembles`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        dataset, method, folds, features.
    """
    rows = []
    for (dataset, method), part in subsets.groupby(["dataset", "method"], sort=False):
        counts = Counter(number for text in part["features"] for number in numbers_in(text))
        often = [number for number, count in counts.items() if 2 * count >= len(part)]
        listed = named_list(often, names.get(dataset)) or "none"
        rows.append({"dataset": dataset, "method": method, "folds": len(part), "features": listed})
    return pd.DataFrame(rows)


def best_subsets(course, names):
    """The best subset that each run of SFFS met, the smallest of them if several are best.

    Parameters
    ----------
    course : DataFrame
        Table of `somol2011.fragility.Fragility`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        dataset, criterion, value, size, features.
    """
    best = course[course["repeat"] == 0].sort_values(["value", "size"], ascending=[False, True], kind="stable")
    best = best.groupby(["dataset", "criterion"]).head(1).sort_index()
    return named_subsets(best, names)[["dataset", "criterion", "value", "size", "features"]]


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
    for _, part in cases.groupby(["dataset", "search"], sort=False):
        rows.append(part.loc[sorted({part.index[0], part["train"].idxmax(), part.index[-1]})])
    return named_subsets(pd.concat(rows), names)


def budget(near):
    """Sentences on searches that a budget of evaluations ended.

    Parameters
    ----------
    near : DataFrame
        Table of `somol2011.fragility.Fragility`.

    Returns
    -------
    list of str
    """
    stopped = near[(near["metric"] == "stopped") & (near["value"] == 1)]
    names = [f"{row.search} with {row.criterion} on {row.dataset}" for row in stopped.itertuples(index=False)]
    if not names:
        return ["Every search ran to its end."]
    ended = "one search" if len(names) == 1 else f"{len(names)} searches"
    return [f"The budget ended {ended}; the rows are marked as cut: {', '.join(dict.fromkeys(names))}."]


def agreement(readings):
    """How many printed numbers agree under each reading.

    Parameters
    ----------
    readings : dict of str to DataFrame
        Tables of `somol2011.readings.Readings`.

    Returns
    -------
    DataFrame
        reading, table, comparable, agree, chosen_on (whether the defaults were chosen looking at these rows).
    """
    rows = []
    for name, own in VARIED.items():
        for reading, part in readings[name].groupby("reading", sort=False):
            for table, compared in printed.COMPARED_WITH[own]({own: part.drop(columns="reading")}).items():
                if table == "Section 4.1":  # the best of all lambda, but the sets of Tables 5 and 6 have few here
                    continue
                compared = compared[compared["agrees"].notna()]
                looked_at = compared.index.isin(compared.query(CHOSEN_ON.get(table, "index != index")).index)
                for chosen_on, rows_of in compared.groupby(looked_at):
                    agree = int(rows_of["agrees"].eq(True).sum())
                    place = {"reading": reading, "table": table, "comparable": len(rows_of), "agree": agree}
                    rows.append({**place, "chosen_on": bool(chosen_on)})
    return pd.DataFrame(rows, columns=["reading", "table", "comparable", "agree", "chosen_on"])


def agreement_by_table(agreement):
    """One row for each table and reading, those that agree most first.

    Parameters
    ----------
    agreement : DataFrame
        As from `agreement`.

    Returns
    -------
    DataFrame
        table, reading, "chosen on" and "others" (numbers that agree, such as "12 of 14").
    """
    agreement = agreement.assign(
        shown=agreement["agree"].astype(str) + " of " + agreement["comparable"].astype(str),
        rows=agreement["chosen_on"].map({True: "chosen on", False: "others"}),
    )
    total = agreement.groupby(["table", "reading"], sort=False)["agree"].sum().rename("total")
    shown = agreement.pivot_table(
        index=["table", "reading"], columns="rows", values="shown", aggfunc="first", sort=False
    ).reindex(columns=["chosen on", "others"])
    ordered = shown.join(total).sort_values(["table", "total"], ascending=[True, False], kind="stable")
    return ordered.drop(columns="total").fillna("").reset_index()


def choice(agreement):
    """Sentences: how many readings were tried for each table, and how the default does where it was not chosen.

    Parameters
    ----------
    agreement : DataFrame
        As from `agreement`.

    Returns
    -------
    list of str
    """
    said = []
    for table, part in agreement.groupby("table", sort=True):
        n = part["reading"].nunique()
        said.append(f"{table}: readings compared with print, after the fact: {n}.")
        for chosen_on, rows in part.groupby("chosen_on", sort=False):
            default = rows[rows["reading"] == "default"]
            if len(default):
                what = "rows that it was chosen on" if chosen_on else "rows that it was not chosen on"
                share = rows["agree"] / rows["comparable"]
                own = int(default["agree"].iloc[0])
                ahead = int((share > own / default["comparable"].iloc[0]).sum())
                said.append(
                    f"Under the default, {own} of {default['comparable'].iloc[0]} {what} agree; readings with a larger "
                    f"share: {ahead}."
                )
    return said


def verdicts(readings):
    """Verdicts of the claims' rules under each reading.

    Parameters
    ----------
    readings : dict of str to DataFrame
        Tables of `somol2011.readings.Readings`.

    Returns
    -------
    DataFrame
        reading, claim, answer, evidence. Readings that were measured in part, such as the single criterion alone, are
        left out.
    """
    return verdicts_under("somol2011", _complete(readings))


def _complete(readings):
    """Each reading that was measured in full, with its table."""
    for name, own in VARIED.items():
        for reading, part in readings[name].groupby("reading", sort=False):
            if own == "ensembles" and part["method"].nunique() < 3:
                continue
            if own == "hybrid":
                part = part[part.groupby("dataset")["lambda"].transform("nunique") > 1]
            if len(part):
                yield reading, {own: part}


def column_orders(column_orders):
    """Mean and standard deviation of size and accuracies over random orders of the features.

    Parameters
    ----------
    column_orders : DataFrame
        Table of `somol2011.readings.Readings`.

    Returns
    -------
    DataFrame
        dataset, criterion, tau, metric; draws, mean, sd, smallest, largest.
    """
    groups = column_orders.groupby(["dataset", "criterion", "tau", "metric"], sort=False)["value"]
    names = {"count": "draws", "mean": "mean", "std": "sd", "min": "smallest", "max": "largest"}
    return groups.agg(list(names)).rename(columns=names).reset_index()
