"""Tables of the pages: comparisons with the printed numbers, and our numbers in the printed form."""

import pandas as pd

from compendium.published import compare, published, with_verdicts
from nel1998 import published_settings

__all__ = [
    "agreement",
    "compact_table",
    "correlations",
    "omitted",
    "outline",
    "over_draws",
    "pbil_runs",
    "proposals",
    "subsets",
    "table_5_1",
    "top_five",
]

QUANTITIES = {
    "train_acc_pct": "training",
    "test_acc_pct": "test",
    "avg_gamma_e-3": "Gamma",
    "gamma_rank_score": "score, eq. 7.1",
    "mean_of_per_split_correlation": "r per split",
    "correlation_of_means": "r of means",
    "n_samples": "samples",
    "n_features": "features",
    "majority_class_pct": "largest class",
}


def over_draws(criteria, criterion, by):
    """Values of one criterion on the three-feature example: mean, standard deviation and number of random draws.

    Parameters
    ----------
    criteria : DataFrame
        Table of `nel1998.three_features.ThreeFeatures`.
    criterion : str
    by : list of str
        Columns that identify a value.

    Returns
    -------
    DataFrame
        Columns ``by``, mean, std, count.
    """
    values = criteria[criteria["criterion"] == criterion].groupby(by, sort=False)["value"]
    return values.agg(["mean", "std", "count"]).reset_index()


def table_5_1(distances, theory, *, corrected):
    """Table 5.1 compared with our draws and theory, in thousandths.

    Parameters
    ----------
    distances, theory : DataFrame
        Tables of `nel1998.gamma_test.GammaAgainstTheory`.
    corrected : bool
        Whether to halve the printed distance of the first row.

    Returns
    -------
    DataFrame
        distance, published, reproduced, sd, n, difference, verdict, theory.
    """
    rows = published_settings.table_5_1()
    if corrected:
        rows = rows.assign(distance=rows["corrected"])
    comparison = with_verdicts(compare(rows, distances, on=["distance"]))
    return comparison.merge(theory.rename(columns={"value": "theory"}), on="distance")


def outline(measured):
    """Section 7.1 compared with our files: numbers of samples and features, percentage of the largest class.

    Parameters
    ----------
    measured : DataFrame
        Table ``outline`` of `nel1998.correlation.Correlation`.

    Returns
    -------
    DataFrame
        As from `compendium.published.with_verdicts`; without samples that are not in the run.
    """
    rows = published("nel1998")
    rows = rows[rows["metric"].isin(measured["metric"])]
    return with_verdicts(compare(rows, measured, ["dataset", "metric"]).dropna(subset="reproduced"))


def correlations(measured):
    """Tables 7.1 to 7.4 compared with our correlations.

    Parameters
    ----------
    measured : DataFrame
        Table ``correlations`` of `nel1998.correlation.Correlation`.

    Returns
    -------
    DataFrame
        As from `compendium.published.with_verdicts`, and ``table``.
    """
    on = ["dataset", "method", "classifier", "metric"]
    rows = published_settings.rows_of(["7.1", "7.2", "7.3", "7.4"])
    return with_verdicts(compare(rows, measured, on)).merge(rows[["table", *on]])


def subsets(measured):
    """The subsets of Table B.1 as this run used them: one row per number, one column per sample.

    Parameters
    ----------
    measured : DataFrame
        Table ``subsets`` of `nel1998.correlation.Correlation`.
    """
    masks = measured["mask"].where(measured["printed"], measured["mask"] + " (drawn here)")
    wide = measured.assign(mask=masks).pivot(index="number", columns="sample", values="mask")
    return wide[measured["sample"].unique()].reset_index()


def proposals(tables, accuracies, *more):
    """Printed tables of subsets and their accuracy, compared with ours on the same subsets.

    Parameters
    ----------
    tables : sequence of str
    accuracies : DataFrame
        As from `nel1998.accuracy.accuracies`.
    *more : DataFrame
        Other values of subsets: dataset (the sample), subset, metric, value.

    Returns
    -------
    dict of str to DataFrame
        By printed table, as from `compendium.published.with_verdicts`; without samples that are not in the run.
    """
    on = ["dataset", "subset", "classifier", "metric"]
    measured = [accuracies.rename(columns={"sample": "dataset"}), *(table.assign(classifier="none") for table in more)]
    measured = pd.concat(measured)
    rows = published_settings.usable(published_settings.rows_of(tables))
    rows = rows[rows["dataset"].isin(measured["dataset"])].drop_duplicates(["table", *on, "value"])
    return {number: with_verdicts(compare(rows[rows["table"] == number], measured, on)) for number in tables}


def agreement(comparisons):
    """Number of printed values that agree with ours: by table, classifier and metric, one column per verdict.

    Parameters
    ----------
    comparisons : dict of str to DataFrame
        As from `proposals`.
    """
    found = pd.concat(comparisons, names=["table"]).reset_index("table")
    by = ["table", "classifier", "metric", "verdict"]
    return found.groupby(by, sort=False).size().unstack(fill_value=0).reset_index()


def omitted(tables, accuracies):
    """Count the printed numbers that are omitted from a page, by table.

    Parameters
    ----------
    tables : sequence of str
    accuracies : DataFrame
        As from `nel1998.accuracy.accuracies`; says which samples are in the run.

    Returns
    -------
    DataFrame
        Printed numbers, those omitted because of a damaged mask, and the samples that are not in the run.
    """
    rows = published_settings.rows_of(tables)
    kept = published_settings.usable(rows).index
    shown = []
    for table, part in rows.groupby("table", sort=False):
        absent = [name for name in part["dataset"].unique() if name not in set(accuracies["sample"])]
        row = {"table": table, "numbers": len(part), "with a damaged mask": int((~part.index.isin(kept)).sum())}
        shown.append({**row, "samples not in this run": ", ".join(absent) or "none"})
    return pd.DataFrame(shown)


def compact_table(comparison):
    """Arrange a comparison with printed values in a few narrow columns.

    Parameters
    ----------
    comparison : DataFrame
        As from `compendium.published.with_verdicts`, with a column ``metric`` and perhaps ``subset``.

    Returns
    -------
    DataFrame
        sample, subset, quantity, published, reproduced ("mean ± sd"), difference, verdict.
    """
    decimals = {"n_samples": 0, "n_features": 0, "avg_gamma_e-3": 1}
    digits = comparison["metric"].map(lambda metric: decimals.get(metric, 2))
    ours = [
        "–" if pd.isna(mean) else f"{mean:.{d}f}" + ("" if pd.isna(sd) else f" ± {sd:.{d}f}")
        for mean, sd, d in zip(comparison["reproduced"], comparison["sd"], digits, strict=True)
    ]
    shown = {
        "sample": comparison["dataset"],
        "subset": comparison["subset"].map(_groups_of_ten) if "subset" in comparison else None,
        "quantity": comparison["metric"].map(QUANTITIES),
        "published": comparison["published"],
        "reproduced": ours,
        "difference": [
            "–" if pd.isna(x) else f"{x:+.{d}f}" for x, d in zip(comparison["difference"], digits, strict=True)
        ],
        "verdict": comparison["verdict"],
    }
    return pd.DataFrame({name: column for name, column in shown.items() if column is not None})


def _groups_of_ten(mask):
    """Split a long mask into groups of ten bits, for readability and line breaks."""
    return " ".join(mask[start : start + 10] for start in range(0, len(mask), 10)) if len(mask) > 15 else mask


def top_five(summary, method, n_top=5):
    """The best subsets of a method by the test accuracy of RANN, as the thesis chose them, and the full set.

    Parameters
    ----------
    summary : DataFrame
        As from `nel1998.accuracy.summary`.
    method : str
    n_top : int

    Returns
    -------
    DataFrame
        One row per subset: its rank by the criterion, and mean and standard deviation of the correct answers of both
        classifiers on training and test parts.
    """
    top = summary[(summary["method"] == method) & (summary["place"] <= n_top) | (summary["method"] == "full")]
    shown = []
    for (sample, full, _, subset), part in top.groupby(["sample", top["method"] == "full", "place", "subset"]):
        row = {
            "sample": sample,
            "subset": _groups_of_ten(subset),
            "rank": "full set" if full else f"{part['order'].iloc[0]}",
        }
        row["features"] = part["n_features"].iloc[0]
        for _, found in part.sort_values("classifier", ascending=False).iterrows():
            name = {"RANN": "RANN", "kNN": "k-NN"}[found["classifier"]]
            for what in "train", "test":
                row[f"{name} {what}"] = f"{found[what]:.2f} ± {found[f'{what}_sd']:.2f}"
        shown.append(row)
    columns = ["sample", "subset", "rank", "features", "RANN train", "RANN test", "k-NN train", "k-NN test"]
    return pd.DataFrame(shown, columns=columns)


def pbil_runs(runs):
    """Variation among the runs of PBIL, one row per sample and criterion.

    Parameters
    ----------
    runs : DataFrame
        Table of `nel1998.pbil.LargeSamples`.

    Returns
    -------
    DataFrame
        sample, method, means over runs of the metrics, number of different subsets found, and standard deviation of
        the value over the runs on one training part (mean over training parts).
    """
    by = ["sample", "method"]
    means = runs.groupby([*by, "metric"], sort=False)["value"].mean().unstack()
    means["subsets found"] = runs.drop_duplicates([*by, "split", "run"]).groupby(by)["subset"].nunique()
    spread = runs[runs["metric"] == "value"].groupby([*by, "split"])["value"].std()
    means["sd on one part"] = spread.groupby(by).mean()
    return means.reset_index()
