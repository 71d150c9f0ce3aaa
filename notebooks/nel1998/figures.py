"""Figures of chapters 2 to 6 of Nel 1998: its examples, drawn anew."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

from compendium.style import COLOURS, series_styles

__all__ = [
    "accuracy_by_subset",
    "feature_planes",
    "gamma_lines",
    "gamma_table",
    "information",
    "nearest_neighbours",
    "projections",
    "two_classes",
]


def _scatter(ax, X, y, **kwargs):
    """Two classes told apart by marker and colour."""
    for label, marker, size in ((0, "x", 16), (1, "o", 12)):
        part = X[y == label]
        face = {} if marker == "x" else {"facecolors": "none"}
        ax.scatter(*part.T, marker=marker, s=size, color=COLOURS[label], label=f"class {label + 1}", **face, **kwargs)


def nearest_neighbours(X, y, ks=(1, 5), point=(0.75, 0.8)):
    """Figure 2.1: an unknown sample and the circles that hold its nearest neighbours.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
    ks : sequence of int
    point : pair of float
        The unknown sample.
    """
    fig, ax = plt.subplots(figsize=(5.2, 4.6))
    _scatter(ax, X, y, linewidths=1.3)
    ax.plot(*point, marker="*", color="black", markersize=13, linestyle="none", label="unknown")
    distance = np.sort(np.linalg.norm(X - np.array(point), axis=1))
    order = np.argsort(np.linalg.norm(X - np.array(point), axis=1))
    for k, style in zip(ks, ("-", "--", ":"), strict=False):
        votes = np.bincount(y[order[:k]], minlength=2)
        name = f"k = {k}: class {votes.argmax() + 1} ({votes.max()} of {k})"
        ax.add_patch(plt.Circle(point, distance[k - 1], fill=False, linestyle=style, linewidth=1.5, label=name))
    ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    ax.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def projections(X, y, directions):
    """Figure 3.1: the classes with both directions, and what is left of them along each.

    Parameters
    ----------
    X, y : ndarrays
    directions : dict of str to ndarray of shape (2,)
    """
    fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), width_ratios=(1.2, 1, 1))
    _scatter(axes[0], X, y)
    reach = 0.8 * np.abs(X).max()
    for (name, vector), style in zip(directions.items(), ("-", "--"), strict=True):
        ends = np.outer([-reach, reach], vector)
        axes[0].plot(*ends.T, color="black", linestyle=style, linewidth=1.5, label=name)
    axes[0].set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    axes[0].legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 1.3), ncols=2)
    for ax, (name, vector) in zip(axes[1:], directions.items(), strict=True):
        along = X @ vector
        edges = np.linspace(along.min(), along.max(), 25)
        for label, hatch in ((0, ""), (1, "//")):
            ax.hist(along[y == label], edges, color=COLOURS[label], hatch=hatch, alpha=0.6, label=f"class {label + 1}")
        ax.set(xlabel=f"along the {name}", ylabel="samples")
    return fig


def feature_planes(X, y):
    """Figure 4.1: the three-feature example on its three planes."""
    fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.3))
    for ax, (f, g) in zip(axes, combinations(range(3), 2), strict=True):
        _scatter(ax, X[:, [f, g]], y)
        ax.set(xlabel=f"feature {f + 1}", ylabel=f"feature {g + 1}")
    axes[0].legend(fontsize=8)
    return fig


def information(table):
    """Figure 4.2: mutual information of the features with the class and with each other, mean and standard deviation.

    Parameters
    ----------
    table : DataFrame
        As from :func:`nel1998.three_features`.
    """
    ours = table[table["metric"].isin(["with_class", "with_feature"])]
    values = ours.groupby(["metric", "subset", "other"], sort=False)["value"].agg(["mean", "std"]).fillna(0)
    names = [
        f"I(C; {s.index('1') + 1})" if not o else f"I({s.index('1') + 1}; {o.index('1') + 1})"
        for _, s, o in values.index
    ]
    fig, ax = plt.subplots(figsize=(6.4, 3.2))
    with_class = values.index.get_level_values("metric") == "with_class"
    for part, colour, hatch, label in (
        (with_class, COLOURS[0], "", "with the class"),
        (~with_class, COLOURS[1], "//", "with another feature"),
    ):
        place = np.flatnonzero(part)
        mean, sd = values["mean"][part], values["std"][part]
        ax.bar(place, mean, yerr=sd, color=colour, hatch=hatch, edgecolor="white", capsize=3, label=label)
    ax.set(xticks=range(len(names)), xticklabels=names, ylabel="mutual information in nats")
    ax.legend(fontsize=9)
    return fig


def gamma_lines(results, labels=None):
    """Figures 5.1, 5.3 and 5.4b: the points of the Gamma Test and the lines fitted to them.

    Parameters
    ----------
    results : dict of str to GammaTestResult
    labels : dict of str to str, optional
        Other names for the legend.
    """
    fig, ax = plt.subplots()
    for (name, result), style in zip(results.items(), series_styles(len(results)), strict=True):
        x, y = result.points.T
        line = np.array([0, x.max()])
        label = f"{(labels or {}).get(name, name)}: {result.gamma:.4f}"
        ax.plot(x, y, **{**style, "linestyle": "none"}, markersize=3.5)
        ax.plot(line, result.gamma + result.slope * line, **{**style, "marker": ""}, linewidth=1.2, label=label)
    ax.set(xlabel=r"mean squared distance of neighbours $\Delta(p)$", ylabel=r"$\Gamma(p)$")
    ax.set_xlim(0, None)
    ax.legend(fontsize=8, title=r"intercept $\Gamma$")
    return fig


def two_classes(X, y):
    """Figures 5.2 and 5.4a: two classes in a plane."""
    fig, ax = plt.subplots(figsize=(4.8, 4.0))
    _scatter(ax, X, y)
    ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    ax.legend(fontsize=9)
    return fig


def gamma_table(measured, printed, theory):
    """Table 5.1 as a picture: print, our mean and spread, and the curve that theory gives.

    Parameters
    ----------
    measured : DataFrame
        Columns distance and value, in thousandths.
    printed : DataFrame
        The same columns, as numbers.
    theory : DataFrame
        The same columns, for a fine grid of distances.
    """
    ours = measured.groupby("distance")["value"].agg(["mean", "std"]).fillna(0)
    fig, ax = plt.subplots()
    ax.plot(theory["distance"], theory["value"], color="black", linewidth=1.3, label=r"theory, $E[\eta(1-\eta)]$")
    ax.errorbar(
        *(ours.index, ours["mean"], ours["std"]),
        **{"fmt": "o", "color": COLOURS[0], "capsize": 3, "linewidth": 1.3, "label": "ours, mean and sd"},
    )
    ax.plot(printed["distance"], printed["value"], "s", color=COLOURS[1], mfc="none", markersize=9, label="Table 5.1")
    ax.set_yscale("symlog", linthresh=1)
    ax.axhline(0, color="grey", linewidth=0.8)
    ax.set(xlabel="distance of the means", ylabel=r"$\Gamma \times 10^{3}$ (linear below 1)")
    ax.legend(fontsize=9)
    return fig


def accuracy_by_subset(table):
    """Figure 6.2: accuracy of the random-weight network on every subset of the three features.

    Parameters
    ----------
    table : DataFrame
        As from :func:`nel1998.three_features`.
    """
    ours = table[table["criterion"] == "RANN"]
    values = ours.groupby(["subset", "metric"], sort=False)["value"].agg(["mean", "std"]).fillna(0).unstack()
    fig, ax = plt.subplots(figsize=(6.4, 3.4))
    place = np.arange(len(values))
    for offset, metric, name, hatch, colour in (
        (-0.2, "train_acc_pct", "training part", "", COLOURS[0]),
        (0.2, "test_acc_pct", "test part", "//", COLOURS[1]),
    ):
        bars = {"color": colour, "hatch": hatch, "edgecolor": "white", "label": name, "capsize": 3}
        ax.bar(place + offset, values["mean"][metric], 0.38, yerr=values["std"][metric], **bars)
    names = ["{" + ", ".join(str(f + 1) for f, bit in enumerate(mask) if bit == "1") + "}" for mask in values.index]
    ax.set(xticks=place, xticklabels=names, xlabel="features", ylabel="correct, percent", ylim=(40, 100))
    ax.legend(fontsize=9, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))
    return fig
