"""Figures of Chen 2012, with one panel for each data set of the run."""

import matplotlib.pyplot as plt
import numpy as np

from chen2012.names import NAMES
from compendium.features import named
from compendium.style import COLOURS, plain, series_styles

__all__ = [
    "added_curves",
    "ambiguous_relevances",
    "auc_curves",
    "average_ranks",
    "delete_rates",
    "descent",
    "entropy_profiles",
    "entropy_sweep",
    "top_shares",
    "valley",
]

ORDER = ("GMLVQ", "IG", "Fisher", "Relieff", "GMLVQ_original_omega", "IG, equal scores at random")
STYLES = dict(zip(ORDER, series_styles(len(ORDER)), strict=True))  # a method looks the same in all figures
STOPPING = {"validation": "best on the validation part", "end": "last step"}


def _panels(datasets, names=()):
    """Two columns of axes, one per data set, titled with its name; higher where features are labelled by ``names``."""
    columns = min(2, len(datasets))
    rows = -(-len(datasets) // columns)
    starts = range(0, len(datasets), columns)
    heights = [2.4 if set(names) & set(datasets[start : start + columns]) else 1.4 for start in starts]
    heights = heights if names else [1.8] * rows
    size = max(4.2 * columns, 6.4), sum(heights) + 0.4
    fig, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for ax in axes.flat[len(datasets) :]:
        ax.remove()
    for ax, dataset in zip(axes.flat, datasets, strict=False):
        ax.set_title(plain(dataset), loc="left", fontsize=10)
    return fig, dict(zip(datasets, axes.flat, strict=False))


def _label(panels, x, y):
    """Label the outer axes."""
    for number, ax in enumerate(panels.values()):
        if number % 2 == 0:
            ax.set_ylabel(y)
        if number + 2 >= len(panels):
            ax.set_xlabel(x)


def _name_largest(ax, numbers, values, names, most=3):
    """Write the names of the ``most`` highest bars below the axis, as far as there is room; nothing without names."""
    largest = []
    for number in numbers[values.sort_values(ascending=False).index] if names else ():
        if len(largest) < most and all(abs(number - other) > len(names) / 15 for other in largest):
            largest.append(number)
    if largest:
        ax.set_xticks(largest, [plain(named(number, names)) for number in largest], fontsize=7, rotation=90)


def _legend(fig, ax, **given):
    handles, labels = ax.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=9, **given)


def average_ranks(ranks, names, most=30):
    """Figures 12, 18, 23, 28 and 33: mean rank of each feature by every method; at most ``most`` features.

    Parameters
    ----------
    ranks : DataFrame
        Table ``average_ranks`` of `chen2012.ranking.Ranking`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.
    most : int, default=30

    Returns
    -------
    matplotlib Figure
    """
    datasets = list(ranks["dataset"].unique())
    fig, axes = _panels(datasets, names)
    for dataset, ax in axes.items():
        table = ranks[ranks["dataset"] == dataset].pivot_table(
            index="feature", columns="method", values="mean_rank", sort=False
        )
        table = table.loc[table.mean(axis=1).sort_values().index[:most]]
        for method, means in table.items():
            look = {**STYLES[method], "linewidth": 1}
            ax.plot(np.arange(len(table)), means, label=NAMES.get(method, method), **look)
        ax.set_xticks(np.arange(len(table)))
        ax.set_xticklabels([plain(named(number, names.get(dataset))) for number in table.index], fontsize=7)
        ax.invert_yaxis()
    _label(axes, "feature, the best first", "mean rank")
    _legend(fig, ax)
    return fig


def top_shares(ranks, names, most=8):
    """Figure 13: how often each feature is among the first three; one row per data set, one column per method.

    Parameters
    ----------
    ranks : DataFrame
        Table ``average_ranks`` of `chen2012.ranking.Ranking`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.
    most : int, default=8

    Returns
    -------
    matplotlib Figure
    """
    datasets, methods = ranks["dataset"].unique(), ranks["method"].unique()
    shape = len(datasets), len(methods)
    heights = [1.6 if dataset in names else 1.0 for dataset in datasets]
    size = 8.4, 2.0 * sum(heights) + 0.6
    fig, axes = plt.subplots(*shape, figsize=size, height_ratios=heights, squeeze=False, sharey=True)
    for row, dataset in zip(axes, datasets, strict=True):
        for ax, method, colour in zip(row, methods, COLOURS, strict=False):
            part = ranks[(ranks["dataset"] == dataset) & (ranks["method"] == method)]
            part = part.sort_values("top_share", ascending=False).head(most)
            ax.bar(range(len(part)), part["top_share"], color=colour)
            labels = [plain(named(number, names.get(dataset))) for number in part["feature"]]
            ax.set_xticks(range(len(part)), labels, fontsize=7 if dataset in names else 8)
            ax.set_title(f"{plain(dataset)}: {NAMES.get(method, method)}", fontsize=9)
            ax.set_ylim(0, 1)
        row[0].set_ylabel("share of splits")
    for ax in axes[-1]:
        ax.set_xlabel("feature")
    return fig


def auc_curves(auc, evaluator):
    """Figures 14, 19, 24, 29, 34 (GMLVQ) and 15, 20, 25, 30, 35 (RBF-SVM): mean test AUC against the subset size.

    Parameters
    ----------
    auc : DataFrame
        Table of `chen2012.auc.Auc`.
    evaluator : {"GMLVQ", "RBFSVM"}

    Returns
    -------
    matplotlib Figure
    """
    table = auc[auc["evaluator"] == evaluator]
    datasets = list(table["dataset"].unique())
    fig, axes = _panels(datasets)
    for dataset, ax in axes.items():
        curves = table[table["dataset"] == dataset].pivot_table(
            index="n_features", columns="method", values="value", sort=False
        )
        for method, means in curves.sort_index().items():
            look = {**STYLES[method], "markersize": 4, "linewidth": 1.5}
            ax.plot(means.index, means, label=NAMES.get(method, method), **look)
        ax.grid(axis="y", alpha=0.3)
    _label(axes, "features", "AUC")
    _legend(fig, ax)
    return fig


def added_curves(curves, metric="added"):
    """Figures 16, 21, 26, 31, 36 (random features) and 17, 22, 27, 32, 37 (copies) against the subset size.

    Parameters
    ----------
    curves : DataFrame
        Table ``irrelevant_curves`` or ``redundant_curves`` of `chen2012.irrelevant_redundant.IrrelevantRedundant`.
    metric : {"added", "extra"}

    Returns
    -------
    matplotlib Figure
    """
    table = curves[curves["metric"] == metric]
    datasets = list(table["dataset"].unique())
    fig, axes = _panels(datasets)
    for dataset, ax in axes.items():
        part = table[table["dataset"] == dataset]
        n_own, n_added = part[["n_own", "n_added"]].iloc[0]
        lines = part.pivot_table(index="size", columns="method", values="value", sort=False).sort_index()
        for method, means in lines.items():
            ax.plot(means.index, means, label=NAMES.get(method, method), **{**STYLES[method], "marker": None})
        if metric == "added":
            ax.plot(lines.index, n_added * lines.index / (n_own + n_added), color="0.5", linewidth=1, label="by chance")
        ax.axvline(n_own, color="black", linewidth=0.8)
        ax.annotate("N", (n_own, ax.get_ylim()[1]), fontsize=9, ha="right", va="top")
    _label(axes, "features", "appended features" if metric == "added" else "superfluous members")
    _legend(fig, ax)
    return fig


def entropy_sweep(entropy):
    """Figure 8: test AUC, accuracy, entropy and largest relevance against the weight of the entropy.

    Parameters
    ----------
    entropy : DataFrame
        Table of `chen2012.training.Training`.

    Returns
    -------
    matplotlib Figure
    """
    shown = {
        "auc": "test AUC",
        "accuracy": "test accuracy",
        "entropy": "entropy (bits)",
        "largest": "largest relevance",
    }
    datasets = entropy["dataset"].unique()
    fig, axes = plt.subplots(2, 2, figsize=(8.4, 4.2), sharex=True)
    for ax, (metric, label) in zip(axes.flat, shown.items(), strict=True):
        table = entropy[entropy["metric"] == metric].groupby(["dataset", "stopping", "setting"], sort=False)
        table = table[["alpha", "value"]].mean().reset_index()
        for dataset, style in zip(datasets, series_styles(len(datasets)), strict=True):
            for stopping, line in (("validation", "-"), ("end", ":")):
                part = table[(table["dataset"] == dataset) & (table["stopping"] == stopping)].sort_values("alpha")
                name = f"{dataset}, {STOPPING[stopping]}"
                look = {**style, "linestyle": line, "linewidth": 1.5, "markersize": 4}
                ax.plot(part["alpha"], part["value"], label=name, **look)
                literal = part[part["setting"] == "N^2/10"]
                ax.plot(literal["alpha"], literal["value"], "o", markersize=11, fillstyle="none", color=style["color"])
        ax.set_xscale("symlog", linthresh=0.5, linscale=0.4)
        ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
        ax.set_ylabel(label)
    for ax in axes[-1]:
        ax.set_xlabel("weight of the entropy")
    _legend(fig, axes[0, 0])
    return fig


def entropy_profiles(profiles, stopping, names):
    """Figures 7 and 9: the relevances without entropy, with n / 4N and with N^2/10 as its weight.

    Parameters
    ----------
    profiles : DataFrame
        Table of `chen2012.training.Training`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.
    stopping : {"validation", "end"}

    Returns
    -------
    matplotlib Figure
    """
    table = profiles[profiles["stopping"] == stopping]
    datasets = table["dataset"].unique()
    settings = {"none": "no entropy", "auto": "n / 4N", "N^2/10": "$N^2/10$"}
    shape = len(datasets), len(settings)
    fig, axes = plt.subplots(*shape, figsize=(8.4, 2.0 * shape[0] + 0.6), squeeze=False, sharey="row")
    for row, dataset in zip(axes, datasets, strict=True):
        for ax, setting, colour in zip(row, settings, COLOURS, strict=False):
            part = table[(table["dataset"] == dataset) & (table["setting"] == setting)]
            ax.bar(part["feature"], part["mean"], color=colour)
            ax.set_title(f"{plain(dataset)}: {settings[setting]}", fontsize=9)
            _name_largest(ax, part["feature"], part["mean"], names.get(dataset))
        row[0].set_ylabel("relevance")
    for ax in axes[-1]:
        ax.set_xlabel("feature")
    return fig


def valley(paths):
    """Figure 10: the descents of two solvers in a narrow valley.

    Parameters
    ----------
    paths : DataFrame
        Table ``valley`` of `chen2012.training.Training`.

    Returns
    -------
    matplotlib Figure
    """
    fig, ax = plt.subplots(figsize=(6.4, 3.2))
    x, y = np.meshgrid(np.linspace(-4.5, 2.5, 200), np.linspace(-1.3, 1.3, 200))
    ax.contour(x, y, x**2 / 16 + y**2, levels=12, colors="0.8", linewidths=0.8)
    for (solver, path), style in zip(paths.groupby("solver", sort=False), series_styles(2), strict=True):
        ax.plot(path["x1"], path["x2"], label=solver, **{**style, "linewidth": 1.2, "markersize": 4})
    ax.plot(0, 0, "k+", markersize=10)
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    ax.legend(fontsize=9, loc="upper right")
    return fig


def descent(table):
    """Cost against evaluations of the cost, for every factor of the first steps.

    Parameters
    ----------
    table : DataFrame
        Table ``descent`` of `chen2012.training.Training`.

    Returns
    -------
    matplotlib Figure
    """
    datasets, factors = list(table["dataset"].unique()), table["factor"].unique()
    fig, axes = _panels(datasets)
    for dataset, ax in axes.items():
        for factor, colour in zip(factors, COLOURS, strict=False):
            for solver, line in (("waypoint averaging", "-"), ("plain steps", ":")):
                chosen = (table["dataset"] == dataset) & (table["factor"] == factor) & (table["solver"] == solver)
                name = f"{solver}, steps x {factor:g}"
                part = table[chosen]
                ax.plot(part["evaluations"], part["value"], color=colour, linestyle=line, linewidth=1.5, label=name)
    _label(axes, "evaluations of the cost", "cost per sample")
    handles, labels = ax.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    return fig


def ambiguous_relevances(table, names):
    """Range over which each relevance can be moved without changing a distance, and the relevance as trained.

    Parameters
    ----------
    table : DataFrame
        Table ``features`` of `chen2012.ambiguity.Ambiguity`.
    names : dict of str to list of str
        Names of the features by data set, where they have any.

    Returns
    -------
    matplotlib Figure
    """
    datasets = list(table["dataset"].unique())
    fig, axes = _panels(datasets, names)
    for dataset, ax in axes.items():
        part = table[table["dataset"] == dataset]
        if dataset in names:
            labels = [plain(named(number, names[dataset])) for number in part["feature"]]
            ax.set_xticks(part["feature"], labels, fontsize=7)
        ax.vlines(part["feature"], part["low"], part["high"], color="0.75", linewidth=4, label="can be moved to")
        ax.plot(part["feature"], part["relevance"], "o", color=COLOURS[0], markersize=4, label="as trained")
        ax.plot(part["feature"], part["minimal"], "x", color=COLOURS[1], markersize=6, label="after the projection")
    _label(axes, "feature", "relevance")
    _legend(fig, ax)
    return fig


def delete_rates(table):
    """Test AUC, and rank correlation with the relevances as trained, against the delete rate.

    Parameters
    ----------
    table : DataFrame
        Table ``delete_rates`` of `chen2012.ambiguity.Ambiguity`.

    Returns
    -------
    matplotlib Figure
    """
    fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.4))
    datasets = table["dataset"].unique()
    for ax, metric, label in zip(axes, ("auc", "rank_correlation"), ("test AUC", "rank correlation"), strict=True):
        means = table[table["metric"] == metric].groupby(["dataset", "delete_rate"])["value"].mean()
        for dataset, style in zip(datasets, series_styles(len(datasets)), strict=True):
            ax.plot(means[dataset].index, means[dataset], label=plain(dataset), **style)
        ax.set(xlabel="delete rate", ylabel=label)
    axes[0].legend(fontsize=9)
    return fig
