"""Figures of the comparison."""

import matplotlib.pyplot as plt

from comparison.orders import cliques, mean_ranks, wilcoxon_holm
from comparison.outcomes import BASELINE, accuracy, by_block
from compendium.style import COLOURS

__all__ = ["ranks"]


def ranks(tables):
    """Mean ranks of all methods; bars join groups that the tests can't tell apart.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `comparison.arena.Arena`.

    Returns
    -------
    matplotlib Figure
    """
    scores = by_block(tables, accuracy(tables))
    order = mean_ranks(scores)
    groups = cliques(order, wilcoxon_holm(scores))
    place = {name: k for k, name in enumerate(order.index)}
    fig, ax = plt.subplots(figsize=(7.2, 0.22 * len(order) + 1.2))
    for name, rank in order.items():
        bold = name == BASELINE
        colour = COLOURS[1] if bold else COLOURS[0]
        ax.plot([order.min(), rank], [place[name]] * 2, color=colour, linewidth=0.8, linestyle="-", alpha=0.5)
        ax.plot(rank, place[name], marker="s" if bold else "o", color=colour, linestyle="")
    step = (order.max() - order.min() or 1) * 0.03
    for k, group in enumerate(groups, start=1):
        x = order.max() + step * k
        ax.plot([x, x], [place[group[0]] - 0.2, place[group[-1]] + 0.2], color="black", linestyle="-", linewidth=3)
    ax.set_yticks(range(len(order)), order.index, fontsize=8)
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_xlabel("mean rank (lower is better)")
    return fig
