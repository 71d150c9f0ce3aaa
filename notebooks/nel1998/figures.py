"""Figures of Nel 1998, drawn from the tables of the experiments: the examples first, then chapter 7 and beyond."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np

from compendium.style import COLOURS, plain, series_styles
from nel1998.masks import columns_of

__all__ = [
    "accuracy_by_size",
    "accuracy_by_subset",
    "feature_planes",
    "gamma_against_distance",
    "gamma_lines",
    "information",
    "nearest_neighbours",
    "projections",
    "search_outcomes",
    "tracking",
    "two_classes",
]

CRITERION_NAMES = {"mutual_information": "mutual\ninformation", "gamma_test": r"$\Gamma$"}
CLASSIFIER_NAMES = {"RANN": "RANN", "kNN": "k-NN"}


def _arrays(sample):
    """Features and labels of a generated sample."""
    return sample.filter(like="feature").to_numpy(), sample["label"].to_numpy()


def _scatter(ax, X, y, **kwargs):
    """Two classes, distinguished by marker and colour."""
    for label, marker, size in ((0, "x", 16), (1, "o", 12)):
        part = X[y == label]
        face = {} if marker == "x" else {"facecolors": "none"}
        ax.scatter(*part.T, marker=marker, s=size, color=COLOURS[label], label=f"class {label + 1}", **face, **kwargs)


def nearest_neighbours(pair, ks=(1, 5), point=(0.75, 0.8)):
    """Figure 2.1: an unknown sample and the circles that hold its nearest neighbours.

    Parameters
    ----------
    pair : DataFrame
        Two classes: feature_1, feature_2, label.
    ks : sequence of int
    point : pair of float
        The unknown sample.
    """
    X, y = _arrays(pair)
    fig, ax = plt.subplots(figsize=(5.2, 4.6))
    _scatter(ax, X, y, linewidths=1.3)
    ax.plot(*point, marker="*", color="black", markersize=13, linestyle="none", label="unknown")
    distance = np.linalg.norm(X - np.array(point), axis=1)
    order = np.argsort(distance)
    for k, style in zip(ks, ("-", "--", ":"), strict=False):
        votes = np.bincount(y[order[:k]], minlength=2)
        name = f"k = {k}: class {votes.argmax() + 1} ({votes.max()} of {k})"
        radius = distance[order[k - 1]]
        ax.add_patch(plt.Circle(point, radius, fill=False, linestyle=style, linewidth=1.5, label=name))
    ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    ax.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig


def projections(long_classes, directions):
    """Figure 3.1: the classes with both directions, and their histograms along each.

    Parameters
    ----------
    long_classes, directions : DataFrame
        Tables of `nel1998.three_features.ThreeFeatures`.
    """
    X, y = _arrays(long_classes)
    vectors = dict(zip(directions["method"], directions[["feature_1", "feature_2"]].to_numpy(), strict=True))
    fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), width_ratios=(1.2, 1, 1))
    _scatter(axes[0], X, y)
    reach = 0.8 * np.abs(X).max()
    for (name, vector), style in zip(vectors.items(), ("-", "--"), strict=True):
        ends = np.outer([-reach, reach], vector)
        axes[0].plot(*ends.T, color="black", linestyle=style, linewidth=1.5, label=name)
    axes[0].set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    axes[0].legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, 1.3), ncols=2)
    for ax, (name, vector) in zip(axes[1:], vectors.items(), strict=True):
        along = X @ vector
        edges = np.linspace(along.min(), along.max(), 25)
        for label, hatch in ((0, ""), (1, "//")):
            ax.hist(along[y == label], edges, color=COLOURS[label], hatch=hatch, alpha=0.6, label=f"class {label + 1}")
        ax.set(xlabel=f"along the {name}", ylabel="samples")
    return fig


def feature_planes(example):
    """Figure 4.1: the three-feature example on its three planes."""
    X, y = _arrays(example)
    fig, axes = plt.subplots(1, 3, figsize=(9.6, 3.3))
    for ax, (f, g) in zip(axes, combinations(range(3), 2), strict=True):
        _scatter(ax, X[:, [f, g]], y)
        ax.set(xlabel=f"feature {f + 1}", ylabel=f"feature {g + 1}")
    axes[0].legend(fontsize=8)
    return fig


def two_classes(sample):
    """Figures 5.2 and 5.4a: two classes in a plane."""
    fig, ax = plt.subplots(figsize=(4.8, 4.0))
    _scatter(ax, *_arrays(sample))
    ax.set(xlabel="feature 1", ylabel="feature 2", aspect="equal")
    ax.legend(fontsize=9)
    return fig


def information(criteria):
    """Figure 4.2: mutual information of the features with the class and with each other, mean and standard deviation.

    Parameters
    ----------
    criteria : DataFrame
        Table of `nel1998.three_features.ThreeFeatures`.
    """
    ours = criteria[criteria["metric"].isin(["with_class", "with_feature"])]
    values = ours.groupby(["metric", "subset", "other"], sort=False)["value"].agg(["mean", "std"]).fillna(0)
    names = [
        f"I({_numbers(subset)}; {_numbers(other)})" if other else f"I(C; {_numbers(subset)})"
        for _, subset, other in values.index
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


def _numbers(mask):
    """Numbers of a mask's features, from 1."""
    return ", ".join(str(f + 1) for f in columns_of(mask))


def accuracy_by_subset(criteria):
    """Figure 6.2: accuracy of the random-weight network on every subset of the three features.

    Parameters
    ----------
    criteria : DataFrame
        Table of `nel1998.three_features.ThreeFeatures`.
    """
    ours = criteria[criteria["criterion"] == "RANN"]
    values = ours.groupby(["subset", "metric"], sort=False)["value"].agg(["mean", "std"]).fillna(0).unstack()
    fig, ax = plt.subplots(figsize=(6.4, 3.4))
    place = np.arange(len(values))
    for offset, metric, name, hatch, colour in (
        (-0.2, "train_acc_pct", "training part", "", COLOURS[0]),
        (0.2, "test_acc_pct", "test part", "//", COLOURS[1]),
    ):
        bars = {"color": colour, "hatch": hatch, "edgecolor": "white", "label": name, "capsize": 3}
        ax.bar(place + offset, values["mean"][metric], 0.38, yerr=values["std"][metric], **bars)
    names = [f"{{{_numbers(mask)}}}" for mask in values.index]
    ax.set(xticks=place, xticklabels=names, xlabel="features", ylabel="correct, percent", ylim=(0, 100))
    ax.legend(fontsize=9, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))
    return fig


def gamma_lines(points, lines):
    """Figures 5.1, 5.3 and 5.4b: the points of Gamma Tests and the lines fitted to them.

    Parameters
    ----------
    points, lines : DataFrame
        As from `nel1998.protocol.points_and_lines`.
    """
    fig, ax = plt.subplots()
    for line, style in zip(lines.itertuples(), series_styles(len(lines)), strict=True):
        x, y = points.loc[points["name"] == line.name, ["delta", "gamma"]].to_numpy().T
        ends = np.array([0, x.max()])
        ax.plot(x, y, **{**style, "linestyle": "none"}, markersize=3.5)
        label = f"{line.name}: {line.gamma:.4f}"
        ax.plot(ends, line.gamma + line.slope * ends, **{**style, "marker": ""}, linewidth=1.2, label=label)
    ax.set(xlabel=r"mean squared distance of neighbours $\Delta(p)$", ylabel=r"$\Gamma(p)$")
    ax.set_xlim(0, None)
    ax.legend(fontsize=8, title=r"intercept $\Gamma$")
    return fig


def gamma_against_distance(distances, printed, theory):
    """Table 5.1 as a figure: printed values, our means and standard deviations, and the theoretical curve.

    Parameters
    ----------
    distances, theory : DataFrame
        Tables of `nel1998.gamma_test.GammaAgainstTheory`: columns distance and value, in thousandths.
    printed : DataFrame
        The same columns, as `nel1998.printed.table_5_1` gives them.
    """
    ours = distances.groupby("distance")["value"].agg(["mean", "std"]).fillna(0)
    fig, ax = plt.subplots(figsize=(7.2, 3.2))
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


def tracking(values, criterion, classifier):
    """Figures 7.1 to 7.8: accuracy and criterion side by side, dotted for each split, solid for their mean.

    Parameters
    ----------
    values : DataFrame
        Table of `nel1998.correlation.Correlation`.
    criterion : {"mutual_information", "gamma_test"}
    classifier : {"RANN", "kNN"}

    Returns
    -------
    matplotlib Figure
        One row per sample.
    """
    kind = "feature" if criterion == "mutual_information" else "subset"
    ours = values[values["kind"] == kind]
    samples = ours["sample"].unique()
    fig, axes = plt.subplots(len(samples), 2, figsize=(8.4, 0.95 * len(samples) + 0.4), squeeze=False)
    for row, sample in zip(axes, samples, strict=True):
        part = ours[ours["sample"] == sample]
        for ax, metric, colour in ((row[0], classifier, COLOURS[0]), (row[1], criterion, COLOURS[1])):
            by_split = part[part["metric"] == metric].pivot_table(index="number", columns="split", values="value")
            ax.plot(by_split, linestyle=":", linewidth=0.8, color=colour, alpha=0.6)
            ax.plot(by_split.mean(axis=1), linestyle="-", linewidth=2, color="black")
            ax.set_ylabel(CRITERION_NAMES.get(metric, "correct, %"), fontsize=9)
            ax.tick_params(labelsize=8)
            ax.set_title(plain(sample), loc="left", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("feature" if kind == "feature" else "subset of Table B.1")
    return fig


def accuracy_by_size(summary, method="mutual_information"):
    """Test accuracy against the number of features: points are subsets, lines their means by size.

    Parameters
    ----------
    summary : DataFrame
        As from :func:`nel1998.accuracy.summary`.
    method : str

    Returns
    -------
    matplotlib Figure
        One panel per sample.
    """
    ours = summary[summary["method"] == method]
    samples = ours["sample"].unique()
    rows = -(-len(samples) // 2)
    fig, axes = plt.subplots(rows, 2, figsize=(8.4, 2.1 * rows + 0.5), squeeze=False)
    for ax in axes.flat[len(samples) :]:
        ax.remove()
    for ax, sample in zip(axes.flat, samples, strict=False):
        for (classifier, name), style in zip(CLASSIFIER_NAMES.items(), series_styles(2), strict=True):
            part = ours[(ours["sample"] == sample) & (ours["classifier"] == classifier)]
            ax.plot(part["n_features"], part["test"], **{**style, "linestyle": "none"}, markersize=3, alpha=0.35)
            ax.plot(part.groupby("n_features")["test"].mean(), **{**style, "marker": ""}, label=f"{name}, mean")
            full = summary[(summary["method"] == "full") & (summary["sample"] == sample)]
            level = full.loc[full["classifier"] == classifier, "test"].iloc[0]
            ax.axhline(level, color=style["color"], linewidth=0.8, linestyle=":", label=f"{name}, all features")
        ax.set_title(plain(sample), loc="left", fontsize=10)
        ax.xaxis.get_major_locator().set_params(integer=True)
    for ax in axes[:, 0]:
        ax.set_ylabel("correct, %")
    for ax in axes.flat[max(len(samples) - 2, 0) : len(samples)]:
        ax.set_xlabel("features")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    return fig


def search_outcomes(searches):
    """Searches: percentage of runs that found the optimum against the number of subsets evaluated.

    Parameters
    ----------
    searches : DataFrame
        As from :func:`nel1998.searches.outcomes`.

    Returns
    -------
    matplotlib Figure
        One panel per criterion; one point per search and sample.
    """
    criteria = searches["criterion"].unique()
    names = [name for name in searches["search"].unique() if name != "exhaustive"]
    fig, axes = plt.subplots(1, len(criteria), figsize=(4.6 * len(criteria), 3.8), squeeze=False)
    for ax, criterion in zip(axes[0], criteria, strict=True):
        for name, style in zip(names, series_styles(len(names)), strict=True):
            part = searches[(searches["criterion"] == criterion) & (searches["search"] == name)]
            ax.plot(part["n_evaluations"], 100 * part["optimal"], **{**style, "linestyle": "none"}, label=name)
        ax.set(xscale="log", xlabel="subsets evaluated", title=criterion.replace("_", " "), ylim=(-5, 105))
    axes[0, 0].set_ylabel("runs that found the optimum, %")
    axes[0, -1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig
