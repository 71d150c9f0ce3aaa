"""Figures of Somol et al. 2011, drawn from the tables of our runs."""

import matplotlib.pyplot as plt
import numpy as np

from compendium.features import numbers_in
from compendium.style import COLOURS, plain, series_styles
from somol2011 import claims

__all__ = ["courses", "fluctuation", "gains", "lambdas", "process", "taus"]


def process():
    """Figure 1: a search generates subsets with criterion values and keeps the best so far.

    Returns
    -------
    matplotlib Figure
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.2))
    box = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "black"}
    places = {
        "search\nproposes a subset": (0.12, 0.5),
        "criterion\nevaluates it": (0.45, 0.88),
        "trace: every subset\nwith its value, in order": (0.45, 0.12),
        "intermediate solutions:\nthe best so far": (0.84, 0.88),
        "result": (0.84, 0.12),
    }
    boxes = [ax.text(*place, name, ha="center", va="center", bbox=box) for name, place in places.items()]
    fig.canvas.draw()  # computes the sizes of the boxes, to which the arrows are attached
    arrows = [(0, 1, "subset"), (1, 2, "value"), (2, 0, "guides"), (2, 3, "regularized\nor not"), (3, 4, "last one")]
    for start, end, label in arrows:
        (x0, y0), (x1, y1) = boxes[start].get_position(), boxes[end].get_position()
        ends = {
            "patchA": boxes[start].get_bbox_patch(),
            "patchB": boxes[end].get_bbox_patch(),
            "shrinkA": 0,
            "shrinkB": 0,
        }
        style = {"arrowstyle": "-|>", "mutation_scale": 14, "linewidth": 1.5, "color": "black"}
        ax.annotate("", (x1, y1), xytext=(x0, y0), arrowprops=ends | style)
        label_box = {"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        ax.text((x0 + x1) / 2, (y0 + y1) / 2, label, fontsize=8, ha="center", va="center", bbox=label_box)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.axis("off")
    return fig


def courses(course, n_features_to_select, delta, depth):
    """Figure 2: subset size against iteration for SFS, SFFS, OS and DOS.

    Parameters
    ----------
    course : DataFrame
        Table ``course`` of `somol2011.course.Course`, for one data set.
    n_features_to_select, delta, depth : int
        Parameters of the run.

    Returns
    -------
    matplotlib Figure
    """
    t = n_features_to_select
    beyond = {"t": t, "t+\\Delta": t + delta}
    marked = {"SFS": beyond, "SFFS": beyond, "OS": {"t": t, "t+\\Delta": t + depth, "t-\\Delta": t - depth}}
    fig, axes = plt.subplots(2, 2, figsize=(8.4, 6.0), sharey=True)
    for letter, ax, method in zip("abcd", axes.flat, ("SFS", "SFFS", "OS", "DOS"), strict=True):
        part = course[course["method"] == method]
        best = part.loc[part["value"].idxmax()]
        ax.plot(part["iteration"], part["size"], color=COLOURS[0], linewidth=1.5, drawstyle="steps-post")
        ax.plot(best["iteration"], best["size"], marker="o", color=COLOURS[1], linestyle="none")
        for name, height in marked.get(method, {"p": best["size"]}).items():
            ax.axhline(height, color="0.6", linewidth=1, linestyle=":")
            ax.text(1.0, height, f"${name}$", transform=ax.get_yaxis_transform(), fontsize=9, va="center")
        ax.text(0.02, 0.95, f"{letter}) {method}", transform=ax.transAxes, va="top")
        ax.set(xlabel="iteration", ylabel="subset size")
        ax.set_ylim(0, None)
    return fig


def fluctuation(course, margin, preferred):
    """Figure 3: value, size and content of the subsets of a floating search; those near the maximum are highlighted.

    Parameters
    ----------
    course : DataFrame
        Table ``course`` of `somol2011.fragility.Fragility`.
    margin : float
        Relative distance from the maximum that counts as near.
    preferred : str
        Data set to draw; the first of the table if it is missing.

    Returns
    -------
    matplotlib Figure
        Of the first search on that data set, and empty if the table is.
    """
    fig, axes = plt.subplots(3, 1, figsize=(7.2, 7.2), sharex=True, height_ratios=(1, 1, 1.6))
    for ax, label in zip(axes, ("criterion value", "subset size", "selected feature"), strict=True):
        ax.set_ylabel(label)
    axes[2].set_xlabel("iteration")
    if course.empty:
        axes[0].text(0.5, 0.5, "no SFFS in this run", transform=axes[0].transAxes, ha="center", va="center")
        return fig

    name = preferred if preferred in set(course["dataset"]) else course["dataset"].iloc[0]
    course = course[course["dataset"] == name]
    course = course[(course["criterion"] == course["criterion"].iloc[0]) & (course["repeat"] == 0)]
    near = course["near"].astype(bool)
    for ax, column in (axes[0], "value"), (axes[1], "size"):
        ax.plot(course["iteration"], course[column], color="0.6", linewidth=1)
        ax.plot(
            *(course["iteration"][near], course[column][near]),
            **{"linestyle": "none", "marker": "o", "markersize": 4, "color": COLOURS[1]},
            label="near the maximum",
        )
    axes[0].axhline((1 - margin) * course["value"].max(), color="black", linewidth=1, linestyle=":")
    axes[0].legend(fontsize=9, loc="lower right")
    for row in course[near].to_dict("records"):
        features = numbers_in(row["features"])
        axes[2].plot([row["iteration"]] * len(features), features, "s", color=COLOURS[0], markersize=2.5)
    return fig


def taus(selected):
    """Size and test accuracy against tau, both relative to the standard result, one line per search.

    Parameters
    ----------
    selected : DataFrame
        Table of `somol2011.fragility.Fragility`.

    Returns
    -------
    matplotlib Figure
    """
    by = ["dataset", "search", "criterion"]
    means = selected.pivot_table(index=[*by, "tau"], columns="metric", values="value", sort=False)
    standard = means.groupby(by, sort=False).transform("first")
    panels = {
        "size / standard size": means["size"] / standard["size"],
        "test accuracy gained": means["test"] - standard["test"],
    }
    groups = list(dict.fromkeys(key[:3] for key in means.index))
    fig, axes = plt.subplots(1, 2, figsize=(8.4, 2.6 + 0.11 * len(groups)))
    for ax, (label, values) in zip(axes, panels.items(), strict=True):
        for group, style in zip(groups, series_styles(len(groups)), strict=True):
            line = values.loc[group]
            name = plain(", ".join(group))
            ax.plot(line.index, line, **{**style, "markersize": 4, "linewidth": 1.5}, label=name)
        ax.set(xlabel="$\\tau$", ylabel=label)
    axes[0].set_ylim(0, 1.05)
    axes[1].axhline(0, color="0.5", linewidth=1)
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, fontsize=8, ncols=3, loc="outside lower center")
    return fig


def gains(ensembles, printed):
    """Gains of voting over the single criterion in rate, CW_rel and ATI: ours filled, printed hollow.

    Parameters
    ----------
    ensembles : DataFrame
        Table of `somol2011.ensembles.Ensembles`.
    printed : DataFrame
        The same for the printed numbers, as from `somol2011.printed.as_measured`.

    Returns
    -------
    matplotlib Figure
    """
    methods = ("order", "weighted")
    ours, printed = ({method: claims.gains(table, method) for method in methods} for table in (ensembles, printed))
    datasets = list(dict.fromkeys([*ours["order"].index, *printed["order"].index]))
    labels = {"rate": "gain in rate", "cw_rel": "gain in $CW_{rel}$", "ati": "gain in $ATI$"}
    fig, axes = plt.subplots(1, 3, figsize=(8.4, 1.1 + 0.24 * len(datasets)), sharey=True)
    rows = np.arange(len(datasets))
    for ax, (metric, label) in zip(axes, labels.items(), strict=True):
        for shift, colour, marker, method in (-0.18, COLOURS[0], "o", "order"), (0.18, COLOURS[1], "s", "weighted"):
            style = {"linestyle": "none", "marker": marker, "color": colour}
            line = ours[method][metric].reindex(datasets)
            ax.plot(line, rows + shift, **style, label=f"{method} voting, ours")
            line = printed[method][metric].reindex(datasets)
            ax.plot(line, rows + shift, **style, fillstyle="none", label=f"{method} voting, printed")
        ax.axvline(0, color="0.5", linewidth=1)
        ax.set(xlabel=label, yticks=rows, yticklabels=[*map(plain, datasets)])
        ax.tick_params(labelsize=9)
    axes[0].invert_yaxis()
    fig.legend(*axes[0].get_legend_handles_labels(), fontsize=9, ncols=4, loc="outside lower center")
    return fig


def lambdas(hybrid):
    """Criterion value, test accuracy and wrapper evaluations against lambda, one line per search.

    A data set has a colour and a marker, a search a line: solid and filled, or dashed and hollow.

    Parameters
    ----------
    hybrid : DataFrame
        Table of `somol2011.hybrid.FilterWrapper`.

    Returns
    -------
    matplotlib Figure
    """
    means = hybrid.pivot_table(index=["dataset", "search", "lambda"], columns="metric", values="value", sort=False)
    groups = list(dict.fromkeys(key[:2] for key in means.index))
    panels = {
        "train": "criterion value",
        "test": "test accuracy",
        "wrapper_evaluations": "wrapper evaluations",
    }
    datasets, searches = (list(dict.fromkeys(names)) for names in zip(*groups, strict=True))
    colours = dict(zip(datasets, series_styles(len(datasets)), strict=True))
    lines = dict(zip(searches, ({"linestyle": "-"}, {"linestyle": "--", "fillstyle": "none"}), strict=False))
    fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.8 + 0.12 * len(groups)))
    for ax, (metric, label) in zip(axes, panels.items(), strict=True):
        for dataset, search in groups:
            line = means[metric].loc[dataset, search]
            style = {**colours[dataset], **lines[search], "markersize": 4, "linewidth": 1.5}
            ax.plot(line.index, line, **style, label=plain(f"{dataset}, {search}"))
        ax.set(xlabel="$\\lambda$", ylabel=label)
    axes[2].set_yscale("log")
    fig.legend(*axes[0].get_legend_handles_labels(), fontsize=8, ncols=4, loc="outside lower center")
    return fig
