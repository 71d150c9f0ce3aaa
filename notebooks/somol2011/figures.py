"""Figures of Somol et al. 2011, drawn from traces and tables of our runs."""

import matplotlib.pyplot as plt
import numpy as np

from compendium.style import COLOURS, series_styles

__all__ = ["courses", "fluctuation", "gains", "lambdas", "process", "taus"]


def process():
    """Figure 1: a search is a generator of subsets with criterion values, among which the best so far are kept.

    Returns
    -------
    matplotlib Figure
    """
    fig, ax = plt.subplots(figsize=(7.2, 3.2))
    box = {"boxstyle": "round,pad=0.5", "facecolor": "white", "edgecolor": "black"}
    places = {
        "search\nasks for a subset": (0.12, 0.5),
        "criterion\nvalues it": (0.45, 0.88),
        "trace: every subset\nwith its value, in order": (0.45, 0.12),
        "intermediate solutions:\nthe best so far": (0.84, 0.88),
        "result": (0.84, 0.12),
    }
    boxes = [ax.text(*place, name, ha="center", va="center", bbox=box) for name, place in places.items()]
    fig.canvas.draw()  # the boxes have their sizes now, where arrows end
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


def courses(course, dataset, size, delta):
    """Figure 2: subset size against iteration for SFS, SFFS, OS and DOS.

    Parameters
    ----------
    course : DataFrame
        As from :func:`somol2011.course`.
    dataset : str
    size, delta : int
        t and Delta of the run.

    Returns
    -------
    matplotlib Figure
    """
    table = course[course["dataset"] == dataset]
    fig, axes = plt.subplots(2, 2, figsize=(8.4, 6.0), sharey=True)
    for letter, ax, method in zip("abcd", axes.flat, ("SFS", "SFFS", "OS", "DOS"), strict=True):
        part = table[table["method"] == method]
        ax.plot(part["iteration"], part["size"], color=COLOURS[0], linewidth=1.5, drawstyle="steps-post")
        best = part.loc[part["value"].idxmax()] if len(part) else None
        if best is not None:
            ax.plot(best["iteration"], best["size"], **{"marker": "o", "color": COLOURS[1], "linestyle": "none"})
        if method == "DOS":
            lines = {"p": best["size"]} if best is not None else {}
        else:
            lines = {"t": size, "t+\\Delta": size + delta} | ({"t-\\Delta": size - delta} if method == "OS" else {})
        for name, height in lines.items():
            ax.axhline(height, color="0.6", linewidth=1, linestyle=":")
            ax.text(1.0, height, f"${name}$", transform=ax.get_yaxis_transform(), fontsize=9, va="center")
        ax.text(0.02, 0.95, f"{letter}) {method}", transform=ax.transAxes, va="top")
        ax.set(xlabel="iteration", ylabel="subset size")
        ax.set_ylim(0, None)
    return fig


def fluctuation(course, maximum, margin):
    """Figure 3: value, size and content of the subsets that a floating search passes; those near the maximum stand out.

    Parameters
    ----------
    course : DataFrame
        The steps of one search: iteration, size, value, near, features.
    maximum : float
        The best value of all subsets valued.
    margin : float
        What counts as near, relative.

    Returns
    -------
    matplotlib Figure
    """
    near = course["near"].astype(bool)
    fig, axes = plt.subplots(3, 1, figsize=(7.2, 7.2), sharex=True, height_ratios=(1, 1, 1.6))
    for ax, column, label in (axes[0], "value", "criterion value"), (axes[1], "size", "subset size"):
        ax.plot(course["iteration"], course[column], color="0.6", linewidth=1)
        ax.plot(
            *(course["iteration"][near], course[column][near]),
            **{"linestyle": "none", "marker": "o", "markersize": 4, "color": COLOURS[1]},
            label="near the maximum",
        )
        ax.set_ylabel(label)
    axes[0].axhline((1 - margin) * maximum, color="black", linewidth=1, linestyle=":")
    axes[0].legend(fontsize=9, loc="lower right")
    for row in course[near].to_dict("records"):
        features = [int(f) for f in row["features"].split()]
        axes[2].plot([row["iteration"]] * len(features), features, "s", color=COLOURS[0], markersize=2.5)
    axes[2].set(xlabel="iteration", ylabel="selected feature (column)")
    return fig


def taus(selected):
    """Size and test accuracy against tau, both relative to the standard result, a line for each search.

    Parameters
    ----------
    selected : DataFrame
        ``Fragility.selected`` of :func:`somol2011.fragility`.

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
    fig, axes = plt.subplots(1, 2, figsize=(8.4, 4.0 + 0.16 * len(groups)))
    for ax, (label, values) in zip(axes, panels.items(), strict=True):
        for group, style in zip(groups, series_styles(len(groups)), strict=True):
            line = values.loc[group]
            ax.plot(line.index, line, **{**style, "markersize": 4, "linewidth": 1.5}, label=", ".join(group))
        ax.set(xlabel="$\\tau$", ylabel=label)
    axes[0].set_ylim(0, 1.05)
    axes[1].axhline(0, color="0.5", linewidth=1)
    handles, labels = axes[0].get_legend_handles_labels()
    fig.legend(handles, labels, fontsize=8, ncols=3, loc="outside lower center")
    return fig


def gains(ours, printed):
    """What voting adds to rate, CW_rel and ATI of a single criterion, ours filled, printed hollow.

    Parameters
    ----------
    ours, printed : dict of str to DataFrame
        Way of voting to its gains: one row a data set; columns rate, cw_rel, ati.

    Returns
    -------
    matplotlib Figure
    """
    datasets = list(dict.fromkeys([*next(iter(ours.values())).index, *next(iter(printed.values())).index]))
    labels = {"rate": "gain in rate", "cw_rel": "gain in $CW_{rel}$", "ati": "gain in $ATI$"}
    fig, axes = plt.subplots(1, 3, figsize=(8.4, 1.6 + 0.32 * len(datasets)), sharey=True)
    rows = np.arange(len(datasets))
    for ax, (metric, label) in zip(axes, labels.items(), strict=True):
        for shift, colour, marker, method in (-0.18, COLOURS[0], "o", "order"), (0.18, COLOURS[1], "s", "weighted"):
            style = {"linestyle": "none", "marker": marker, "color": colour}
            line = ours[method][metric].reindex(datasets)
            ax.plot(line, rows + shift, **style, label=f"{method} voting, ours")
            line = printed[method][metric].reindex(datasets)
            ax.plot(line, rows + shift, **style, fillstyle="none", label=f"{method} voting, printed")
        ax.axvline(0, color="0.5", linewidth=1)
        ax.set(xlabel=label, yticks=rows, yticklabels=datasets)
    axes[0].invert_yaxis()
    fig.legend(*axes[0].get_legend_handles_labels(), fontsize=9, ncols=4, loc="outside lower center")
    return fig


def lambdas(hybrid):
    """Criterion value, test accuracy and wrapper evaluations against lambda, a line for each search.

    Parameters
    ----------
    hybrid : DataFrame
        As from :func:`somol2011.hybrid`.

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
    fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.8 + 0.12 * len(groups)))
    for ax, (metric, label) in zip(axes, panels.items(), strict=True):
        for group, style in zip(groups, series_styles(len(groups)), strict=True):
            line = means[metric].loc[group]
            ax.plot(line.index, line, **{**style, "markersize": 4, "linewidth": 1.5}, label=", ".join(group))
        ax.set(xlabel="$\\lambda$", ylabel=label)
    axes[2].set_yscale("log")
    fig.legend(*axes[0].get_legend_handles_labels(), fontsize=8, ncols=4, loc="outside lower center")
    return fig
