"""The printed tables of Somol et al. 2011, one number per row, and comparisons of our numbers with them."""

import re

import numpy as np
import pandas as pd

from compendium.comparison import PublishedNumbers
from compendium.published import compare, compare_spreads, published

NAMES = {
    **{"derm": "dermatology_358", "dermatology": "dermatology_358", "iono": "ionosphere", "mammo": "mammogram"},
    **{
        "house": "house_10_20_30_40",
        "musk": "musk2",
        "sati": "satimage",
        "segm": "segment_image",
        "specf": "spectf",
        "wave": "waveform_noise",
    },
    **{"wpbc": "wpbc_31", "xpxi": "xpxinsar"},
}
PUBLISHED = PublishedNumbers(
    "somol2011",
    rates={r"^(Section 2\.1|Table).*, (train|test|rate|maximum|limit)$": 0.01},
    inputs=r"^Table [567]: \w+, OS, .*, size$",  # OS searches for subsets of the printed sizes
)
PLACE = ["dataset", "search", "criterion"]
METHODS = {("3", "order"): "single", ("1,3,5,7", "order"): "order", ("1,3,5,7", "weighted"): "weighted"}


def fragility():
    """Tables 1 and 2: table, dataset, search, criterion, tau, metric, value (as printed), confidence."""
    rows = _rows(["1", "2"], ["size", "train", "test", "improved"]).astype({"tau": float})
    return rows[["table", "dataset", "search", "criterion", "tau", "confidence", "metric", "value"]]


def ensembles():
    """Tables 3 and 4: dataset, method, metric, value, spread (as printed; empty for the measures of stability), runs.

    The single criterion is the same in both tables.
    """
    rows = _voting_rows(["rate", "size", "cw_rel", "ati"])
    return rows[["dataset", "method", "metric", "value", "spread", "runs"]]


def hybrid():
    """Tables 5 to 7: table, dataset, search, lambda, metric, value (as printed), confidence."""
    rows = _hybrid_rows(["train", "test", "size"])
    return rows[["table", "dataset", "search", "lambda", "confidence", "metric", "value"]]


def as_measured():
    """The printed tables in the form of our experiments' tables, so that the claims' rules apply to them.

    The paper counts no evaluations; printed durations, in seconds, replace them.

    Returns
    -------
    dict of str to DataFrame
        selected, near (the one search of Fig. 3), ensembles, hybrid.
    """
    tables = {
        "selected": fragility(),
        "ensembles": pd.concat(
            [ensembles(), *(_durations(_voting_rows(["time"]), metric) for metric in ("evaluations", "seconds"))]
        ),
        "hybrid": pd.concat([hybrid(), _durations(_hybrid_rows(["time"]), "wrapper_evaluations")]),
    }
    tables["near"] = _rows(["Section 2.1, Fig. 3"], ["smallest", "largest", "ati"])[[*PLACE, "metric", "value"]]
    return {
        name: table.astype({"value": float}).assign(scaling="not stated", repeat=0) for name, table in tables.items()
    }


def _durations(rows, metric):
    return rows.assign(metric=metric, value=rows["value"].map(seconds))


def _rows(tables, metrics):
    """Printed numbers of some tables, with our names of data sets, searches and criteria."""
    rows = published("somol2011")
    rows = rows[rows["table"].isin(tables) & rows["metric"].isin(metrics)].reset_index(drop=True)
    names = {"dataset": NAMES, "search": {"DOS(15)": "DOS"}, "criterion": {"SVM_RBF": "SVM", "3NN": "3-NN"}}
    return rows.replace(names)


def _voting_rows(metrics):
    rows = _rows(["3", "4"], metrics)
    rows["method"] = [METHODS.get(key) for key in zip(rows["k"], rows["voting"], strict=True)]
    return rows.dropna(subset="method").reset_index(drop=True)


def _hybrid_rows(metrics):
    return _rows(["5", "6", "7"], metrics).astype({"lambda": float})


def seconds(text):
    """A printed duration such as "3m", "08h" or "80s" in seconds."""
    number, unit = re.fullmatch(r"(\d+)([smh])", text).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def times(ensembles):
    """Printed durations of Tables 3 and 4 and ours: all folds together, in seconds.

    Parameters
    ----------
    ensembles : DataFrame
        Table of `somol2011.ensembles.Ensembles`.

    Returns
    -------
    DataFrame
        dataset, method; "published, seconds"; "ours, seconds"; ratio.
    """
    return _times(_voting_rows(["time"]), ensembles, ["dataset", "method"], "sum")


def hybrid_times(hybrid):
    """Printed durations of Tables 5 to 7 and ours, in seconds, with the confidence in the printed ones.

    Parameters
    ----------
    hybrid : DataFrame
        Table of `somol2011.hybrid.FilterWrapper`.

    Returns
    -------
    DataFrame
        dataset, search, lambda; "published, seconds"; "ours, seconds"; ratio; time_confidence.
    """
    rows = _hybrid_rows(["time"]).rename(columns={"confidence": "time_confidence"})
    on = ["dataset", "search", "lambda"]
    return _times(rows, hybrid, on, "mean").merge(rows[[*on, "time_confidence"]], on=on)


def _times(rows, measured, on, how):
    ours = measured[measured["metric"] == "seconds"].groupby(on, sort=False)["value"].agg(how)
    table = rows[[*on, "value"]].merge(ours.rename("ours, seconds").reset_index(), on=on)
    table["published, seconds"] = table.pop("value").map(seconds)
    table["ratio"] = table["published, seconds"] / table["ours, seconds"]
    return table[[*on, "published, seconds", "ours, seconds", "ratio"]]


def comparisons(tables):
    """Every printed number with ours, by printed table.

    The single criterion of Table 4 is that of Table 3 and is counted there. Durations depend on the machine (see
    `times`) and bullets follow from the numbers beside them; neither is compared. The numbers of Tables 1 to 6 are
    those of one division of the samples. If our division in the order of the file gives the printed digits, a number
    is identical. Otherwise print is compared with our mean over several divisions that start elsewhere, and the
    standard deviation between them is the error of a printed number. Table 7 comes back with our first half, so only
    rounding is allowed there.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of the paper's experiments; only those that are there are compared. Without those whose names begin with
        ``starts_of``, numbers of Tables 1 to 6 that are not identical have no known error.

    Returns
    -------
    dict of str to DataFrame
        As from `compendium.comparison.PublishedNumbers.graded`, with columns confidence, where the text leaves doubt
        about the place of a number; and cut for Tables 1 and 2, whether a budget ended our search.
    """
    compared = {}
    for name, compare_part in COMPARED_WITH.items():
        if name in tables:
            compared |= compare_part(tables)
    return {label: PUBLISHED.graded(label, table) for label, table in compared.items()}


def _of_fragility(tables, one_division=False):
    on, selected = [*PLACE, "tau", "metric"], tables["selected"]
    cut = selected.groupby(on[:3], sort=False)["cut"].any().rename("cut").reset_index()
    table = fragility().query("metric != 'improved'")
    starts = _pooled(tables.get("starts_of_fragility"), on, ["dataset", "criterion", "metric"], "search")
    compared = _compared_with_starts(table, selected, starts, on, one_division).merge(cut, on=on[:3], how="left")
    by_table = {number: compared[(table["table"] == number).to_numpy()] for number in ("1", "2")}
    return {f"Table {number}": rows.reset_index(drop=True) for number, rows in by_table.items()}


def _figure_3(tables):
    """Sizes, Tanimoto index, maximum and lower limit of the subsets near the maximum on spambase."""
    on, near = [*PLACE, "metric"], tables["near"]
    table = _rows(["Section 2.1, Fig. 3"], ["smallest", "largest", "ati", "maximum", "limit"])[[*on, "value"]]
    limit = near[near["metric"] == "maximum"].assign(metric="limit")
    limit["value"] = 0.99 * limit["value"]
    return {"Section 2.1, Fig. 3": _compared(table, pd.concat([near, limit]), on)}


def _of_ensembles(tables, one_division=False):
    on, table = ["dataset", "method", "metric"], ensembles()
    measured, divided = tables["ensembles"], tables.get("starts_of_ensembles")
    means = table.drop(columns=["spread", "runs"])  # print is one division into folds, not ten
    starts = _pooled(None if divided is None else by_division(divided, on), on, ["dataset", "metric"], "method")
    compared = _compared_with_starts(means, by_division(measured, on), starts, on, one_division)
    compared["spread"] = table["spread"]
    spreads = _spreads(table, measured if divided is None or one_division else divided, on)
    by_table = {}
    for number, methods in ("3", ["single", "order"]), ("4", ["weighted"]):
        parts = [rows[rows["method"].isin(methods)] for rows in (compared, spreads)]
        by_table[f"Table {number}"] = pd.concat(parts, ignore_index=True)
    return by_table


def _of_hybrid(tables, one_division=False):
    on, table = ["dataset", "search", "lambda", "metric"], hybrid()
    measured = tables["hybrid"]
    starts = _pooled(tables.get("starts_of_hybrid"), on, ["dataset", "search", "metric"], "lambda")
    by_table = {}
    for number in "5", "6", "7":
        rows = table[table["table"] == number].reset_index(drop=True)
        if number == "7":
            by_table["Table 7"] = _compared(rows, measured, on)
        else:
            by_table[f"Table {number}"] = _compared_with_starts(rows, measured, starts, on, one_division)
    by_table["Section 4.1"] = _best_lambda(measured)
    return by_table


# By table of ours: the comparisons with print that it enters, each a function of all tables. With ``one_division``, a
# number stays that of our division, with the error of one: then other readings can be compared in the same way.
COMPARED_WITH = {"near": _figure_3, "selected": _of_fragility, "ensembles": _of_ensembles, "hybrid": _of_hybrid}


def _compared(table, measured, on):
    # One division into halves is fixed, by the order of the samples, and repeats nothing.
    return _described(compare(table, measured.drop(columns="repeat", errors="ignore"), on), table, on)


def _compared_with_starts(table, measured, starts, on, one_division):
    """Identical where our division has the printed digits; else against the mean over the starts, if there are any."""
    if one_division and starts is not None:
        errors = starts.drop_duplicates(on).rename(columns={"sd": "error"})[[*on, "error"]]
        return _described(compare(table, measured.merge(errors, on=on, how="left"), on), table, on)
    first = compare(table, measured.assign(repeat=0), on)
    if starts is None:
        return _described(first, table, on)
    compared, same = compare(table, starts, on), first["same"]
    compared["errors_of_mean"] = compared["errors"]
    for name in "reproduced", "sd", "n", "difference", "p", "agrees", "same":
        compared[name] = compared[name].mask(same, first[name])
    compared["errors"] = compared["difference"] / compared["error"].where(compared["error"] > 0)
    return _described(compared, table, on)


def _described(compared, table, on):
    keep = [name for name in ("confidence", "spread") if name in table]
    compared[keep] = table[keep].to_numpy()
    return compared.assign(item=compared[on].astype(str).agg(", ".join, axis=1))


def by_division(ensembles, on):
    """Means over the folds of each division, and its measures of stability, with its number as ``repeat``.

    A table without folds, such as the printed one, is one division.
    """
    if "fold" not in ensembles:
        return ensembles.assign(repeat=0)
    whole = ensembles["fold"].str.startswith("all")
    n_divisions = max(1, ensembles.loc[whole, "fold"].nunique())
    n_folds = max(1, ensembles.loc[~whole, "fold"].nunique() // n_divisions)
    number = ensembles["fold"].str.removeprefix("all").replace("", "0").astype(int)
    repeat = number.where(whole, number // n_folds).rename("repeat")
    return ensembles.groupby([*(ensembles[name] for name in on), repeat], sort=False)["value"].mean().reset_index()


def _pooled(starts, on, pool, search):
    """Rows by start with ``sd`` and its ``freedom``, in which a search counts once.

    The variance between starts is in proportion to the mean of a size, and to m (1 - m) for a share m; the factor is
    that of all numbers of one kind.
    """
    if starts is None:
        return None
    starts = starts[starts["metric"].isin(["size", "train", "test", "rate", "cw_rel", "ati"])]
    cells = starts.groupby(on, sort=False)["value"].agg(["mean", "var", "count"]).reset_index()
    scale = cells["mean"].where(cells["metric"] == "size", cells["mean"] * (1 - cells["mean"]))
    kinds = cells.assign(factor=cells["var"] / scale.where(scale > 0)).groupby(pool, sort=False)
    cells["sd"] = np.sqrt(kinds["factor"].transform("mean") * scale)
    cells["freedom"] = kinds[search].transform("nunique") * (cells["count"] - 1.0)
    return starts.merge(cells[[*on, "sd", "freedom"]], on=on)


def _spreads(table, measured, on):
    """Printed standard deviations with ours over the outer folds, which, like the toolbox's, divide by n."""
    folds = measured[~measured["fold"].str.startswith("all")]
    groups = folds.groupby(on, sort=False)["value"]
    sd = groups.std(ddof=0).rename("sd").reset_index()
    sd["n"] = groups.count().to_numpy()
    compared = compare_spreads(table, sd.assign(value=sd["sd"]), on)
    compared["metric"] = "standard deviation of " + compared["metric"]
    return compared.assign(item=compared[on].astype(str).agg(", ".join, axis=1))


def _best_lambda(hybrid):
    """The lambda on madelon with the best criterion value and the best test accuracy, which Section 4.1 names."""
    on = ["dataset", "search", "metric"]
    names = {"lambda_of_best_train": "train", "lambda_of_best_test": "test"}
    table = _rows(["Section 4.1"], list(names)).replace({"metric": names})[[*on, "value"]]
    means = hybrid.groupby([*on, "lambda"], sort=False)["value"].mean().reset_index()
    best = means.loc[means.groupby(on, sort=False)["value"].idxmax()].drop(columns="value")
    return _compared(table, best.rename(columns={"lambda": "value"}), on)
