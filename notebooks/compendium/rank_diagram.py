"""Critical-difference diagrams of mean ranks."""

import matplotlib.pyplot as plt
import numpy as np

__all__ = ["critical_difference_diagram"]

LINE = 0.125  # inches of a line of text
ABOVE = 3.0  # lines above the axis, for its numbers and the critical difference


def critical_difference_diagram(panels, labels, emphasized=()):
    """Mean ranks on an axis; bars join methods whose ranks differ by less than the critical difference.

    Parameters
    ----------
    panels : list of (Series, float)
        Mean ranks indexed by method, and the critical difference.
    labels : list of str
        One label for each panel.
    emphasized : collection of str
        Methods to draw in bold.

    Returns
    -------
    matplotlib Figure
    """
    panels = [(ranks.sort_values(kind="stable"), reach) for ranks, reach in panels]
    groups = [connected_groups(ranks.to_numpy(), reach) for ranks, reach in panels]
    heights = [ABOVE + len(own) + 1 + (len(ranks) + 1) // 2 for (ranks, _), own in zip(panels, groups, strict=True)]
    fig, axes = plt.subplots(len(panels), 1, figsize=(8.4, LINE * sum(heights)), height_ratios=heights, squeeze=False)
    for ax, (ranks, reach), own, label in zip(axes[:, 0], panels, groups, labels, strict=True):
        _draw(ax, ranks, reach, own, label, emphasized)
    return fig


def _draw(ax, ranks, reach, groups, label, emphasized):
    n = len(ranks)
    first = len(groups) + 1.0  # height of the first name below the bars
    for place, (method, rank) in enumerate(ranks.items()):
        left = place < (n + 1) // 2
        depth = first + (place if left else n - 1 - place)
        edge = 0.7 if left else n + 0.3
        bold = method in emphasized
        ax.plot(
            [rank, rank, edge],
            [0, depth, depth],
            color="black",
            linestyle="-",
            linewidth=2 if bold else 0.8,
            solid_capstyle="butt",
        )
        name = f"{method}  {rank:.2f}"
        weight = "bold" if bold else "normal"
        ax.annotate(
            name,
            (edge, depth),
            (-4 if left else 4, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=9,
            fontweight=weight,
        )
    for height, (low, high) in enumerate(groups, start=1):
        ax.plot(
            [low - 0.04, high + 0.04],
            [height - 0.35] * 2,
            color="black",
            linestyle="-",
            linewidth=4,
            solid_capstyle="butt",
        )
    _draw_scale(ax, n, reach)
    ax.set(xlim=(0.7, n + 0.3), ylim=(first + (n + 1) // 2, -ABOVE))
    ax.set_axis_off()
    ax.annotate(label, (0.7, 0), (-4, 0), textcoords="offset points", ha="right", va="center", fontsize=10)


def _draw_scale(ax, n, reach):
    """Draw the numbered axis of ranks, and the critical difference as a bar above it."""
    thin = {"color": "black", "linestyle": "-", "linewidth": 1}
    ax.plot([1, n], [0, 0], **thin)
    for rank in range(1, n + 1):
        ax.plot([rank, rank], [0, -0.3], **thin)
        ax.text(rank, -0.45, str(rank), ha="center", va="bottom", fontsize=9)
    beyond = "" if reach <= n - 1 else ", beyond the axis"
    end = 1 + min(reach, n - 1)
    ax.plot([1, end], [-2.2, -2.2], marker="|", **thin)
    said = f"critical difference {reach:.2f}{beyond}"
    ax.annotate(said, (end, -2.2), (5, 0), textcoords="offset points", ha="left", va="center", fontsize=9)


def connected_groups(ranks, reach):
    """Maximal groups of two or more sorted ranks that span less than ``reach``, as (lowest, highest)."""
    runs = []
    for start in range(len(ranks)):
        end = np.searchsorted(ranks, ranks[start] + reach, side="left") - 1
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return [(ranks[start], ranks[end]) for start, end in runs]
