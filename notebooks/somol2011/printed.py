"""The printed tables of Somol et al. 2011, one number per row, and comparisons of our numbers with them."""

import re

import numpy as np
import pandas as pd

from compendium.published import compare, published
from compendium.verdicts import MARKS, claims_needing
from fscore.datasets.registry import read_registry

__all__ = [
    "absent",
    "as_measured",
    "comparison_table",
    "ensembles",
    "fragility",
    "hybrid",
    "hybrid_times",
    "seconds",
    "times",
    "verdicts_on_published",
]

NAMES = {
    **{"derm": "dermatology_358", "dermatology": "dermatology_358", "iono": "ionosphere", "mammo": "mammogram"},
    **{
        "house": "house_10_20_30_40",
        "musk": "musk2",
        "sati": "satimage",
        "segm": "segment",
        "specf": "spectf",
        "wave": "waveform_noise",
    },
    **{"wpbc": "wpbc_31", "xpxi": "xpxinsar"},
}
METHODS = {("3", "order"): "single", ("1,3,5,7", "order"): "order", ("1,3,5,7", "weighted"): "weighted"}


def fragility():
    """Tables 1 and 2: table, dataset, search, criterion, tau, metric, value (as printed), confidence."""
    rows = _named(published("somol2011_fragility"))
    rows["search"] = rows["search"].replace({"DOS(15)": "DOS"})
    rows["criterion"] = rows["criterion"].replace({"SVM_RBF": "SVM", "3NN": "3-NN"})
    rows["tau"] = rows["tau"].astype(float)
    metrics = {"subset_size": "size", "train_acc": "train", "test_acc": "test", "improved": "improved"}
    return _long(rows, ["table", "dataset", "search", "criterion", "tau", "confidence"], metrics)


def ensembles():
    """Tables 3 and 4: dataset, method, metric, value and spread (as printed; missing for the measures of stability).

    The single criterion is the same in both tables.
    """
    rows, keys = _voting_rows(), ["dataset", "method"]
    table = _long(rows, keys, {"rate_mean": "rate", "size_mean": "size", "cw_rel": "cw_rel", "ati": "ati"})
    spreads = _long(rows, keys, {"rate_std": "rate", "size_std": "size"}).rename(columns={"value": "spread"})
    table["spread"] = table.merge(spreads, on=[*keys, "metric"], how="left")["spread"].fillna("")
    return table


def hybrid():
    """Tables 5 to 7: table, dataset, search, lambda, metric, value (as printed), confidence."""
    metrics = {"train_acc": "train", "test_acc": "test", "n_features": "size"}
    return _long(_hybrid_rows(), ["table", "dataset", "search", "lambda", "confidence"], metrics)


def as_measured():
    """The printed tables in the form of our experiments' tables, so that the claims' rules apply to them.

    The paper counts no evaluations; printed durations, in seconds, replace them.

    Returns
    -------
    dict of str to DataFrame
        selected, ensembles, hybrid.
    """
    tables = {
        "selected": fragility(),
        "ensembles": pd.concat(
            [ensembles(), *(_durations(_voting_rows(), metric) for metric in ("evaluations", "seconds"))]
        ),
        "hybrid": pd.concat([hybrid(), _durations(_hybrid_rows(), "wrapper_evaluations")]),
    }
    return {
        name: table.astype({"value": float}).assign(scaling="not stated", repeat=0) for name, table in tables.items()
    }


def verdicts_on_published(claim_ids):
    """Apply our rules to the paper's own numbers.

    Parameters
    ----------
    claim_ids : sequence of str

    Returns
    -------
    DataFrame
        claim, verdict, evidence.
    """
    verdicts = claims_needing("somol2011", as_measured())
    rows = [(name, verdicts[name]) for name in claim_ids]
    return pd.DataFrame(
        [(name, f"{MARKS[verdict.answer]} {verdict.answer}", verdict.evidence) for name, verdict in rows],
        columns=["claim", "on the printed numbers", "evidence in print"],
    )


def _durations(rows, metric):
    return rows.assign(metric=metric, value=rows["time"].map(seconds))


def _voting_rows():
    rows = _named(published("somol2011_ensembles"))
    rows["method"] = [METHODS.get(key) for key in zip(rows["k"], rows["voting"], strict=True)]
    return rows.dropna(subset="method")


def _hybrid_rows():
    return _named(published("somol2011_hybrid")).astype({"lambda": float})


def _named(rows):
    return rows.assign(dataset=rows["dataset"].replace(NAMES))


def _long(rows, keys, metrics):
    long = rows.rename(columns=metrics).melt(
        keys, list(metrics.values()), var_name="metric", value_name="value", ignore_index=False
    )
    return long.sort_index(kind="stable").reset_index(drop=True)


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
    return _times(_voting_rows(), ensembles, ["dataset", "method"], "sum")


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
    rows = _hybrid_rows()
    on = ["dataset", "search", "lambda"]
    return _times(rows, hybrid, on, "mean").merge(rows[[*on, "time_confidence"]], on=on)


def _times(rows, measured, on, how):
    ours = measured[measured["metric"] == "seconds"].groupby(on, sort=False)["value"].agg(how)
    table = rows[[*on, "time"]].merge(ours.rename("ours, seconds").reset_index(), on=on)
    table["published, seconds"] = table.pop("time").map(seconds)
    table["ratio"] = table["published, seconds"] / table["ours, seconds"]
    return table[[*on, "published, seconds", "ours, seconds", "ratio"]]


def absent(printed, present):
    """The data sets of a printed table that are not in a run, and why.

    Parameters
    ----------
    printed : DataFrame
        One of the tables above.
    present : sequence of str
        Data sets of the run.

    Returns
    -------
    DataFrame
        data set, why.
    """
    registry = read_registry()
    rows = []
    for name in dict.fromkeys(printed["dataset"]):
        if name not in present:
            public = registry[name].kind != "not public"
            why = "not in this run; the paper profile has it if its file is available" if public else "not public"
            rows.append({"data set": name, "why": why})
    return pd.DataFrame(rows, columns=["data set", "why"])


def _with_spread(printed):
    """Printed numbers, with ± and the spread if one is printed."""
    if "spread" not in printed:
        return pd.to_numeric(printed["value"]).to_numpy()
    return [
        f"{value} ± {spread}" if spread else value
        for value, spread in zip(printed["value"], printed["spread"], strict=True)
    ]


def comparison_table(printed, measured, on, keep=()):
    """One row per case with all its metrics: published, reproduced, difference and verdict.

    Parameters
    ----------
    printed, measured : DataFrame
        Columns ``on``, metric and value; ``measured`` has one row per repetition, ``printed`` may have ``spread``, the
        printed standard deviation.
    on : list of str
    keep : list of str
        Further columns of ``printed`` to show.

    Returns
    -------
    DataFrame
        Only the cases that were measured. For each metric a column with the printed number, one with ours and
        its standard deviation over repetitions, and the difference with the verdict of
        :func:`compendium.published.compare`.
    """
    compared = compare(printed, measured, [*on, "metric"])
    compared[list(keep)] = printed[list(keep)].to_numpy()
    compared["published"] = _with_spread(printed)
    compared = compared[compared["reproduced"].notna()]
    lines = []
    for case, part in compared.groupby([*on, *keep], sort=False):
        line = dict(zip([*on, *keep], case, strict=True))
        for row in part.to_dict("records"):
            spread = "" if np.isnan(row["sd"]) else f" ± {row['sd']:.2g}"
            line[f"{row['metric']}, published"] = row["published"]
            line[f"{row['metric']}, reproduced"] = f"{row['reproduced']:.4g}{spread}"
            line[f"{row['metric']}, difference"] = (
                f"{row['difference']:+.3g} {'agrees' if row['agrees'] else 'differs'}"
            )
        lines.append(line)
    return pd.DataFrame(lines)
