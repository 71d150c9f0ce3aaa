"""How far each table is from print, as a figure: ours minus print in standard errors."""

import numpy as np
from matplotlib.figure import Figure

from compendium.papers import papers

EDGE = 5  # standard errors that the figure shows


def differences_figure(compared, whole, *, row=0.24, ink="black"):
    """A figure with one row per table.

    Parameters
    ----------
    compared : DataFrame
        As from `compendium.scoreboard.all_comparisons`.
    whole : DataFrame
        The rows, as from `compendium.scoreboard.as_a_whole`. One without a mean has a hollow square at zero, and its
        ``note`` beside it.
    row : float, default=0.24
        Height of a row, in inches.
    ink : str, default="black"
        Color of lines and text.

    Returns
    -------
    matplotlib Figure
    """
    compared = compared[compared["grade"].ne("input")]
    figure = Figure(figsize=(5.6, row * len(whole) + 0.8), layout="constrained")
    axes = figure.add_subplot()
    labels = []
    for place, table in enumerate(whole.itertuples()):
        own = compared["paper"].eq(table.paper) & compared["table"].eq(table.table)
        errors = compared.loc[own, "errors"].dropna().to_numpy(float).clip(-EDGE, EDGE)
        height = place + 0.3 * (np.arange(len(errors)) % 5 - 2) / 2  # so that equal numbers can be told apart
        axes.scatter(errors, height, s=5, color=ink, alpha=0.25, linewidths=0)
        labels.append(f"{papers()[table.paper].name.split()[0]} {table.table.removeprefix('Table ')}")
        if np.isnan(table.mean):
            axes.scatter(0, place, s=30, marker="s", facecolors="none", edgecolors=ink, zorder=3)
            axes.annotate(table.note, (0.25, place), color=ink, fontsize=8, va="center")
            continue
        axes.plot(np.clip([table.low, table.high], -EDGE, EDGE), [place] * 2, color=ink, linewidth=1.6, linestyle="-")
        axes.scatter(np.clip(table.mean, -EDGE, EDGE), place, s=34, marker="D", color=ink, zorder=3)
    axes.axvline(0, color=ink, linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(whole)), labels)
    axes.set_ylim(len(whole) - 0.4, -0.6)
    axes.set_xlim(-EDGE - 0.2, EDGE + 0.2)
    axes.set_xlabel("below print    (ours - print) / standard error    above print", color=ink, fontsize=10)
    axes.tick_params(labelsize=10, color=ink, labelcolor=ink)
    axes.spines[:].set_color(ink)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
