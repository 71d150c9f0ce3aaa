"""Figures for Andonie and Cataron 2004, which has none: distributions of its results, and its learning rule."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from andonie2004.summaries import default_reading
from compendium.features import named
from compendium.published import printed_table
from compendium.style import COLOURS, plain, series_styles

__all__ = ["cost", "distances", "flattening", "rates", "relevances"]


def rates(recognition):
    """Recognition rates of all repetitions by method, with the published value.

    Parameters
    ----------
    recognition : DataFrame
        Table of `andonie2004.erlvq.EnergyRelevance`.

    Returns
    -------
    matplotlib Figure
    """
    printed = printed_table("andonie2004", 1)
    table = recognition[recognition["metric"] == "rate"]
    cases = list(table.groupby(["dataset", "protocol"], sort=False).groups)
    methods = list(table["method"].unique())
    rows = -(-len(cases) // 2)
    fig, axes = plt.subplots(rows, 2, figsize=(8.4, (0.45 + 0.19 * len(methods)) * rows), squeeze=False, sharey=True)
    for ax in axes.flat[len(cases) :]:
        ax.remove()
    for ax, (dataset, protocol) in zip(axes.flat, cases, strict=False):
        part = table[(table["dataset"] == dataset) & (table["protocol"] == protocol)]
        values = [part.loc[part["method"] == method, "value"] for method in methods]
        look = {"medianprops": {"color": COLOURS[0], "linewidth": 2}, "flierprops": {"marker": ".", "markersize": 4}}
        ax.boxplot(values, orientation="horizontal", positions=range(len(methods)), widths=0.6, **look)
        known = printed[printed["dataset"] == dataset].set_index("method")["value"].astype(float)
        for row, method in enumerate(methods):
            if method in known.index:
                ax.plot(known[method], row, marker="D", color=COLOURS[1], linestyle="none", markersize=6)
        ax.set_yticks(range(len(methods)), methods)
        ax.tick_params(labelsize=8)
        ax.set_title(f"{plain(dataset)}, {protocol}", loc="left", fontsize=10)
    axes[0, 0].invert_yaxis()
    fig.supxlabel("recognition rate (%); diamonds: published", fontsize=10)
    return fig


def relevances(table, names):
    """Mean relevance of each feature by method, with its standard deviation over the repetitions.

    Parameters
    ----------
    table : DataFrame
        Table ``relevances`` of `andonie2004.erlvq.EnergyRelevance`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    matplotlib Figure
    """
    datasets = table["dataset"].unique()
    fig, axes = plt.subplots(len(datasets), 1, figsize=(7.2, 2.6 * len(datasets) + 0.4), squeeze=False)
    for ax, dataset in zip(axes[:, 0], datasets, strict=True):
        part = table[table["dataset"] == dataset]
        methods = part["method"].unique()
        n = part["feature"].max()
        for number, (method, style) in enumerate(zip(methods, series_styles(len(methods)), strict=True)):
            line = part[part["method"] == method]
            place = line["feature"] + 0.1 * (number - (len(methods) - 1) / 2)
            look = {**style, "linestyle": "none", "markersize": 4, "elinewidth": 1}
            ax.errorbar(place, line["mean"], yerr=line["std"].fillna(0), label=method, **look)
        ax.axhline(1 / n, color="0.6", linewidth=0.8)
        ax.set_title(plain(dataset), loc="left", fontsize=10)
        ax.set_ylabel("relevance")
        if dataset in names:
            labels = [plain(named(number, names[dataset])) for number in range(1, n + 1)]
            ax.set_xticks(range(1, n + 1), labels, fontsize=8)
        else:
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[-1, 0].set_xlabel("feature")
    axes[0, 0].legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def flattening(table):
    """Deviation of relevances from 1/n under repeated application of the softmax alone.

    Parameters
    ----------
    table : DataFrame
        Table ``flattening`` of `andonie2004.erlvq.EnergyRelevance`.

    Returns
    -------
    matplotlib Figure
    """
    fig, ax = plt.subplots(figsize=(6.4, 3.4))
    for (n, part), style in zip(table.groupby("n_features"), series_styles(7), strict=False):
        ax.plot(part["step"], part["value"], label=f"n = {n}", **style)
    ax.set(yscale="log", xlabel="normalizations", ylabel="largest deviation, times n")
    ax.set_xticks(np.arange(table["step"].max() + 1))
    ax.legend(fontsize=9)
    return fig


def cost(table):
    """Operations of a step against the numbers of features and of codebook vectors.

    Parameters
    ----------
    table : DataFrame
        Table ``cost`` of `andonie2004.erlvq.EnergyRelevance`.

    Returns
    -------
    matplotlib Figure
    """
    fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True)
    sides = ("features", "n_features", "features"), ("codebooks", "n_codebooks", "codebook vectors")
    for ax, (varied, column, label) in zip(axes, sides, strict=True):
        part = table[table["varied"] == varied]
        for (method, line), style in zip(part.groupby("method", sort=False), series_styles(2), strict=True):
            ax.plot(line[column], line["value"], label=method, **style)
        ax.set(xlabel=label, xlim=(0, None))
    axes[0].set(ylabel="operations per step", ylim=(0, None))
    axes[0].legend(fontsize=9)
    return fig


def distances(agreement):
    """Distance of every reading from the printed recognition rates, sorted within each part of Table 1.

    Parameters
    ----------
    agreement : DataFrame
        As from `andonie2004.summaries.agreement`.

    Returns
    -------
    matplotlib Figure
    """
    shown = agreement.dropna(subset=["distance"])
    fig, axes = plt.subplots(1, shown["table"].nunique(), figsize=(8.4, 3.2), sharey=True, squeeze=False)
    for ax, (table, part) in zip(axes[0], shown.groupby("table", sort=False), strict=True):
        part = part.sort_values("distance").reset_index(drop=True)
        ax.plot(part.index + 1, part["distance"], color=COLOURS[0])
        default = part[part["reading"] == default_reading()]
        ax.plot(default.index + 1, default["distance"], linestyle="none", marker="D", color=COLOURS[1])
        ax.set_title(table.removeprefix("Table 1, "), fontsize=9)
        ax.set_xlabel("place")
    axes[0, 0].set(ylabel="distance from print (points)", ylim=(0, None))
    return fig
