"""Summary tables and sentences for the pages on Hocke and Martinetz 2014, computed from the stored tables."""

import pandas as pd

from compendium.features import named

__all__ = [
    "certificate",
    "cost",
    "error_table",
    "features_kept",
    "friedman",
    "hard_and_soft",
    "largest_shares",
    "mean_errors",
    "pivoted",
    "rank_table",
    "slack_and_weights",
    "test_table",
    "top_genes",
    "zero_weights",
]


def pivoted(table, by, how="mean"):
    """One row for each case, one column for each metric.

    Parameters
    ----------
    table : DataFrame
        Columns ``by``, metric and value.
    by : list of str
        Columns that identify a case; NaN counts as a value (nu of hard MDM).
    how : str
        Aggregation of several values of a case.

    Returns
    -------
    DataFrame
    """
    values = table.groupby([*by, "metric"], sort=False, dropna=False)["value"].agg(how)
    return values.unstack("metric", sort=False).rename_axis(columns=None).reset_index()


def rank_table(ranks, among):
    """Mean ranks among ``"weightings"`` or ``"all"`` methods: one row per method, one column per scaling and k.

    Parameters
    ----------
    ranks : DataFrame
        ``uci_ranks`` of `hocke2014.uci.Competitors`.
    among : {"weightings", "all"}

    Returns
    -------
    DataFrame
    """
    shown = ranks[ranks["among"] == among]
    shown = shown.pivot_table(index="method", columns=["inputs", "k"], values="mean_rank", sort=False)
    shown.columns = [f"{inputs}, {k}" for inputs, k in shown.columns]
    return shown.reset_index()


def friedman(ranks):
    """Friedman's p-value and the critical difference, for errors averaged over the k."""
    return ranks[ranks["k"] == "mean"].drop(columns=["method", "mean_rank"]).drop_duplicates()


def error_table(summary, inputs, k):
    """Test errors in percent, mean ± standard deviation: one row per method, one column per data set.

    Parameters
    ----------
    summary : DataFrame
        ``uci_summary`` of `hocke2014.uci.Competitors`.
    inputs : {"raw", "minmax", "zscore"}
    k : int

    Returns
    -------
    DataFrame
    """
    shown = summary[(summary["inputs"] == inputs) & (summary["metric"] == "error") & (summary["k"] == k)]
    spread = [f"{100 * mean:.1f} ± {100 * std:.1f}" for mean, std in zip(shown["mean"], shown["std"], strict=True)]
    return _by_dataset(shown.assign(shown=spread), summary)


def test_table(tests, inputs):
    """Differences from the reference in percentage points, starred where significant: as in `error_table`.

    Parameters
    ----------
    tests : DataFrame
        ``uci_tests`` of `hocke2014.uci.Competitors`.
    inputs : {"raw", "minmax", "zscore"}

    Returns
    -------
    DataFrame
    """
    shown = tests[tests["inputs"] == inputs]
    stars = ["*" if p < 0.05 else "" for p in shown["p_holm"]]
    points = [f"{100 * d:+.1f}{star}" for d, star in zip(shown["difference"], stars, strict=True)]
    return _by_dataset(shown.assign(shown=points), tests)


def _by_dataset(shown, table):
    """The strings in the column ``shown``, with methods and data sets in the order of ``table``."""
    shown = shown.pivot(index="method", columns="dataset", values="shown")
    return shown.reindex(table["method"].unique())[list(table["dataset"].unique())].reset_index()


def cost(summary):
    """Mean seconds to learn once and to search: one row per method, one column per data set and kind of time."""
    seconds = summary[summary["metric"].isin(["seconds", "search_seconds"])]
    seconds = seconds.pivot_table(index="method", columns=["metric", "dataset"], values="mean", sort=False)
    names = {"seconds": "fit", "search_seconds": "search"}
    seconds.columns = [f"{dataset}, {names[metric]}" for metric, dataset in seconds.columns]
    return seconds.reset_index()


def features_kept(summary, k):
    """Mean number of non-zero weights on z-scored inputs: one row per method, one column per data set."""
    kept = summary[(summary["metric"] == "n_nonzero") & (summary["k"] == k) & (summary["inputs"] == "zscore")]
    return kept.pivot_table(index="method", columns="dataset", values="mean", sort=False).reset_index()


def certificate(summary):
    """A sentence with the largest duality gap."""
    gap = summary.loc[summary["metric"] == "duality_gap", "max"].max()
    return (
        f"MDM is certified: no objective exceeds the optimum of its full program by more than a fraction of {gap:.0e}."
    )


def top_genes(genes, n):
    """The ``n`` genes of each data set with the largest importance under soft MDM."""
    shown = pivoted(genes[genes["method"] == "soft MDM"], ["dataset", "gene"])
    return shown.groupby("dataset", sort=False).head(n)


def largest_shares(shares, names):
    """The features with the largest shares of the weighted variance in words: one row per data set and method.

    Parameters
    ----------
    shares : DataFrame
        As from `hocke2014.shares.feature_shares`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    DataFrame
        dataset, method, features. Shares that round to zero are left out.
    """
    rows = []
    for (dataset, method), part in shares.groupby(["dataset", "method"], sort=False):
        shown = part[part["share"] >= 0.0005].itertuples()
        listed = ", ".join(f"{named(row.feature, names.get(dataset))}: {row.share:.1%}" for row in shown)
        rows.append({"dataset": dataset, "method": method, "features": listed or "none"})
    return pd.DataFrame(rows)


def zero_weights(noise):
    """Sentences: how many columns of noise, and how many others, got weight zero.

    Parameters
    ----------
    noise : DataFrame
        Table of `hocke2014.mdm.MethodClaims`.

    Returns
    -------
    list of str
    """
    shares = noise[noise["metric"] == "zero_share"].groupby(["wide", "column_kind"])["value"].mean().unstack()
    return [
        f"With {'more' if wide else 'fewer'} features than samples, {share['noise']:.0%} of the columns of noise got "
        f"weight zero, and {share['own']:.0%} of the others."
        for wide, share in shares.iterrows()
    ]


def mean_errors(gain):
    """Sentences: the mean error of each method over the data sets.

    Parameters
    ----------
    gain : DataFrame
        Table of `hocke2014.mdm.MethodClaims`.

    Returns
    -------
    list of str
    """
    error = gain[gain["metric"] == "error"].groupby(["inputs", "method"], sort=False)["value"].mean()
    return [
        f"Mean error over the data sets, {inputs} inputs: "
        + ", ".join(f"{method} {value:.1%}" for (_, method), value in part.items())
        + "."
        for inputs, part in error.groupby(level="inputs", sort=False)
    ]


def slack_and_weights(radii):
    """Sentences: the ratio of the two weights in each panel.

    Parameters
    ----------
    radii : DataFrame
        Table of `hocke2014.illustration.Illustration`.

    Returns
    -------
    list of str
    """
    return [
        f"Figure {row.figure}, {row.setting}: the weight of feature 1 is {row.w1 / row.w2:.1f} times that of feature 2."
        for row in radii.itertuples()
    ]


def hard_and_soft(measured):
    """A sentence: in how many folds hard and soft MDM keep equally many genes and make equally many errors.

    Parameters
    ----------
    measured : DataFrame
        ``gene_expression`` of `hocke2014.gene_expression.GeneExpression`.
    """
    both = measured[measured["method"].isin(["hard MDM", "soft MDM"]) & measured["metric"].isin(["n_kept", "error"])]
    wide = both.set_index(["dataset", "fold", "metric", "method"])["value"].unstack("method")
    same = (wide["hard MDM"] == wide["soft MDM"]).groupby(level=["dataset", "fold"]).all()
    return f"Hard and soft MDM keep equally many genes and have the same error in {same.sum()} of {len(same)} folds."
