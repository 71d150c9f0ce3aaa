"""Tables of the pages: the printed numbers beside ours, and our numbers in the form of print."""

import pandas as pd

from compendium.published import compare, published, with_verdicts
from nel1998 import published_settings

__all__ = ["correlations", "laid_out", "outline", "over_draws", "subsets", "table_5_1"]

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
    """Table 5.1 beside our draws and theory, in thousandths.

    Parameters
    ----------
    distances, theory : DataFrame
        Tables of `nel1998.gamma_test.GammaAgainstTheory`.
    corrected : bool
        Whether the first row is read at half its printed distance.

    Returns
    -------
    DataFrame
        distance, published, reproduced, sd, n, difference, verdict, theory.
    """
    rows = published_settings.table_5_1()
    if corrected:
        rows = rows.assign(distance=rows["corrected"])
    beside = with_verdicts(compare(rows, distances, on=["distance"]))
    return beside.merge(theory.rename(columns={"value": "theory"}), on="distance")


def outline(measured):
    """Section 7.1 beside our files: numbers of samples and features, percentage of the largest class.

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
    """Tables 7.1 to 7.4 beside our correlations.

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


def laid_out(comparison):
    """A comparison with print in few narrow columns.

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
        "subset": comparison["subset"].map(_in_tens) if "subset" in comparison else None,
        "quantity": comparison["metric"].map(QUANTITIES),
        "published": comparison["published"],
        "reproduced": ours,
        "difference": [
            "–" if pd.isna(x) else f"{x:+.{d}f}" for x, d in zip(comparison["difference"], digits, strict=True)
        ],
        "verdict": comparison["verdict"],
    }
    return pd.DataFrame({name: column for name, column in shown.items() if column is not None})


def _in_tens(mask):
    """A long mask in groups of ten bits, so that it can be read and a narrow column can break it."""
    return " ".join(mask[start : start + 10] for start in range(0, len(mask), 10)) if len(mask) > 15 else mask
