"""Figures of Hocke and Martinetz 2014, and of our measurements of maximum distance minimization."""

import matplotlib.pyplot as plt
import numpy as np

from compendium.rank_diagram import critical_difference_diagram
from compendium.style import COLOURS, MARKERS, plain, series_styles

__all__ = [
    "errors",
    "genes_kept",
    "illustration",
    "mean_ranks",
    "noise_weights",
    "overlap",
    "program_size",
    "spoilt_weights",
]


def illustration(points, pairs, radii, figure):
    """Figure 1 or 2 of the paper: two settings side by side, in coordinates of the weighted space.

    Parameters
    ----------
    points, pairs, radii : DataFrame
        Tables of `hocke2014.illustration.Illustration`.
    figure : {1, 2}

    Returns
    -------
    matplotlib Figure
    """
    settings = points.loc[points["figure"] == figure, "setting"].unique()
    fig, axes = plt.subplots(1, len(settings), figsize=(8.4, 4.4), sharex=True, sharey=True)
    for ax, setting in zip(axes, settings, strict=True):
        shown, lines, radius = (
            frame[(frame["figure"] == figure) & (frame["setting"] == setting)] for frame in (points, pairs, radii)
        )
        place = shown.set_index("sample")[["x1", "x2"]]
        for label, marker, name in ((0, "x", "class one"), (1, "o", "class two")):
            part = shown[shown["label"] == label]
            face = {} if marker == "x" else {"facecolors": "none", "edgecolors": COLOURS[1]}
            ax.scatter(part["x1"], part["x2"], marker=marker, color=COLOURS[label], label=name, s=36, zorder=3, **face)
        free = shown[shown["slack"] > 1e-9]
        if len(free):
            ax.scatter(
                free["x1"], free["x2"], s=150, facecolors="none", edgecolors="black", label="has slack", zorder=2
            )
        for name, style in (("d1", "-"), ("d2", "--"), ("d3", ":")):
            line = lines[lines["name"] == name].iloc[0]
            ends = place.loc[[line["i"], line["j"]]].to_numpy()
            length = np.sqrt(line["squared_distance"])
            ax.plot(
                *ends.T, linestyle=style, color="black", linewidth=1.5, label=f"${name[0]}_{name[1]}$ = {length:.2f}"
            )
        ax.set_xlabel(f"weighted feature 1\n{setting}, $r$ = {radius['r'].iloc[0]:.2f}")
        ax.set_aspect("equal")
        ax.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    axes[0].set_ylabel("weighted feature 2")
    return fig


def errors(gain):
    """Test error of every method on every data set, one panel for each scaling of the inputs; bars are standard errors.

    Parameters
    ----------
    gain : DataFrame
        As from `hocke2014.gain.knn_gain`.

    Returns
    -------
    matplotlib Figure
    """
    table = gain[gain["metric"] == "error"]
    datasets, methods = table["dataset"].unique(), table["method"].unique()
    inputs = table["inputs"].unique()
    height = 0.9 + 0.35 * len(datasets)
    fig, axes = plt.subplots(1, len(inputs), figsize=(8.4, height), sharey=True, sharex=True, squeeze=False)
    rows = np.arange(len(datasets))
    for ax, given in zip(axes[0], inputs, strict=True):
        for number, (method, style) in enumerate(zip(methods, series_styles(len(methods)), strict=True)):
            part = table[(table["inputs"] == given) & (table["method"] == method)]
            by_repeat = part.groupby(["dataset", "repeat"])["value"].mean().groupby("dataset").agg(["mean", "sem"])
            by_repeat = by_repeat.reindex(datasets)
            offset = 0.6 * (number - (len(methods) - 1) / 2) / len(methods)
            ax.errorbar(
                *(by_repeat["mean"], rows + offset),
                xerr=by_repeat["sem"].fillna(0),
                **{**style, "linestyle": "none"},
                linewidth=1,
                label=method,
            )
        ax.set(yticks=rows, yticklabels=[*map(plain, datasets)], xlabel=f"test error of k-NN, {given} inputs")
        ax.grid(axis="x", alpha=0.3)
    axes[0, 0].invert_yaxis()
    axes[0, -1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def noise_weights(noise):
    """Share of weights that are zero, among noise columns and among the others.

    Parameters
    ----------
    noise : DataFrame
        As from `hocke2014.noise.noise_columns`.

    Returns
    -------
    matplotlib Figure
    """
    table = noise[noise["metric"] == "zero_share"]
    shares = table.groupby(["dataset", "method", "column_kind"], sort=False)["value"].mean().unstack()
    fig, ax = plt.subplots(figsize=(6.4, 1.2 + 0.35 * len(shares)))
    rows = np.arange(len(shares))
    for offset, kind, hatch, colour in ((-0.2, "own", "", COLOURS[0]), (0.2, "noise", "//", COLOURS[1])):
        name = "other columns" if kind == "own" else "noise"
        ax.barh(rows + offset, shares[kind], 0.38, color=colour, hatch=hatch, edgecolor="white", label=name)
    ax.set(yticks=rows, yticklabels=[plain(", ".join(pair)) for pair in shares.index])
    ax.set_xlabel("share of zero weights")
    ax.set_xlim(0, 1)
    ax.invert_yaxis()
    ax.legend(fontsize=9)
    return fig


def spoilt_weights(outliers):
    """Change of the weights of hard and soft MDM by a few bad samples: one line per data set and kind.

    Parameters
    ----------
    outliers : DataFrame
        As from `hocke2014.outliers.outliers`.

    Returns
    -------
    matplotlib Figure
    """
    table = outliers[outliers["metric"] == "weight_change"].copy()
    table["nu"] = table["nu"].fillna(0.0)  # hard MDM: no sample has slack
    means = table.groupby(["dataset", "kind", "nu"], sort=False)["value"].mean().unstack("nu")
    fig, ax = plt.subplots()
    for (_, row), style in zip(means.iterrows(), series_styles(len(means)), strict=True):
        ax.plot(range(len(row)), row, label=plain(", ".join(row.name)), **style)
    labels = ["hard" if nu == 0 else f"soft, $\\nu$ = {nu:g}" for nu in means.columns]
    ax.set(xticks=range(len(labels)), xticklabels=labels, ylabel="change of the weights (total variation)")
    ax.set_ylim(0, None)
    ax.legend(fontsize=8, title="data set, kind of outlier", loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def program_size(sizes):
    """Rows of the program and seconds to its optimum against the number of samples and of features.

    Parameters
    ----------
    sizes : DataFrame
        As from `hocke2014.program.program_size`.

    Returns
    -------
    matplotlib Figure
    """
    fig, axes = plt.subplots(2, 2, figsize=(8.4, 6.0), sharex="col", sharey="row")
    means = sizes.groupby(["varied", "metric", "solver", "n_samples", "n_features"])["value"].mean()
    for column, (varied, size) in enumerate((("N", "n_samples"), ("D", "n_features"))):
        rows, seconds = {"full": "rows", "constraints": "rows_used"}, dict.fromkeys(("full", "constraints"), "seconds")
        for ax, lines in zip(axes[:, column], (rows, seconds), strict=True):
            for (solver, metric), style in zip(lines.items(), series_styles(2), strict=True):
                values = means[varied, metric, solver]
                name = "full program" if solver == "full" else "constraint generation"
                ax.plot(values.index.get_level_values(size), values, label=name, **style)
            ax.set(xscale="log", yscale="log")
        number = sorted(sizes.loc[sizes["varied"] == varied, size].unique())
        axes[1, column].set_xticks(number, number)
        axes[1, column].minorticks_off()
        axes[1, column].set_xlabel("samples $N$" if varied == "N" else "features $D$")
    axes[0, 0].set_ylabel("rows")
    axes[1, 0].set_ylabel("seconds")
    axes[0, 0].legend(fontsize=9)
    return fig


def mean_ranks(ranks, among="weightings"):
    """Critical-difference diagrams of the errors averaged over the k, one for each scaling of the inputs.

    Parameters
    ----------
    ranks : DataFrame
        As from `hocke2014.uci.mean_ranks`.
    among : {"weightings", "all"}

    Returns
    -------
    matplotlib Figure
    """
    shown = ranks[(ranks["among"] == among) & (ranks["k"] == "mean")]
    panels = [
        (part.set_index("method")["mean_rank"], part["critical_difference"].iloc[0])
        for _, part in shown.groupby("inputs", sort=False)
    ]
    labels = [f"{inputs} inputs" for inputs in shown["inputs"].unique()]
    return critical_difference_diagram(panels, labels, emphasized=("hard MDM", "soft MDM"))


def genes_kept(measured):
    """Number of genes kept, and k-NN error with the weights: one row for each method, one marker for each data set.

    Parameters
    ----------
    measured : DataFrame
        ``gene_expression`` of `hocke2014.gene_expression.GeneExpression`.

    Returns
    -------
    matplotlib Figure
    """
    return _by_method(measured, {"n_kept": "genes kept (log scale)", "error": "test error of k-NN"}, log="n_kept")


def overlap(agreement):
    """Average Tanimoto index of the genes kept, and of the top genes, between folds.

    Parameters
    ----------
    agreement : DataFrame
        ``gene_overlap`` of `hocke2014.gene_expression.GeneExpression`.

    Returns
    -------
    matplotlib Figure
    """
    return _by_method(agreement, {"ati_kept": "overlap of the genes kept", "ati_top": "overlap of the top genes"})


def _by_method(table, axes_of, log=None):
    """Dot plots side by side: one row for each method, one marker for each data set, means over folds."""
    means = table.groupby(["metric", "method", "dataset"], sort=False)["value"].mean()
    methods, datasets = table["method"].unique(), table["dataset"].unique()
    fig, axes = plt.subplots(1, len(axes_of), figsize=(8.4, 0.95 + 0.25 * len(methods)), sharey=True)
    rows = np.arange(len(methods))
    for ax, (metric, label) in zip(axes, axes_of.items(), strict=True):
        for number, dataset in enumerate(datasets):
            offset = 0.5 * (number - (len(datasets) - 1) / 2) / len(datasets)
            style = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
            values = means[metric].xs(dataset, level="dataset").reindex(methods)
            ax.plot(values, rows + offset, linestyle="none", label=plain(dataset), **style)
        ax.set(yticks=rows, yticklabels=methods, xlabel=label, xscale="log" if metric == log else "linear")
        if metric != log:
            ax.set_xlim(-0.02, None)
        ax.grid(axis="x", alpha=0.3)
    axes[0].invert_yaxis()
    axes[-1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig
