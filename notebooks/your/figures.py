"""Figures of the report and of its bench."""

import matplotlib.pyplot as plt

from compendium.style import COLOURS

__all__ = ["honesty", "sizes"]


def honesty(tables):
    """The score of the selection on the hold-out against what the report and what the search say, a point a file.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `your.data_bench.DataBench`.

    Returns
    -------
    matplotlib Figure
    """
    scores = tables.scores
    fig, ax = plt.subplots(figsize=(6.4, 5.4))
    said = [("reported", "what the search itself reports", "s"), ("honest", "honest score, 90 % interval", "o")]
    for (column, label, marker), colour in zip(said, (COLOURS[1], COLOURS[0]), strict=True):
        ax.plot(scores["holdout"], scores[column], linestyle="", marker=marker, markersize=4, color=colour, label=label)
    ax.vlines(scores["holdout"], scores["lower"], scores["upper"], color=COLOURS[0], linewidth=0.8, alpha=0.4)
    low, high = scores[["holdout", "lower"]].min().min(), 1.0
    ax.plot([low, high], [low, high], color="black", linewidth=1, linestyle="--", label="equal")
    ax.set_xlabel("score on the hold-out")
    ax.set_ylabel("score that the report states")
    ax.legend(loc="upper left", fontsize=9)
    return fig


def sizes(tables):
    """Cross-validated score against the number of columns, with the choice.

    Parameters
    ----------
    tables : namespace of DataFrame
        As from `your.data.Data`.

    Returns
    -------
    matplotlib Figure
    """
    curve = tables.sizes
    chosen = curve[curve["note"].str.contains("chosen")]
    knee = curve[curve["note"].str.contains("knee")]
    fig, ax = plt.subplots(figsize=(6.4, 3.6))
    ax.errorbar(curve["columns"], curve["score"], curve["standard_error"], color=COLOURS[0], marker="o", linestyle="-")
    ax.plot(chosen["columns"], chosen["score"], "o", markersize=11, color=COLOURS[1], label="chosen")
    ax.plot(
        knee["columns"], knee["score"], "s", markersize=15, fillstyle="none", color="black", linestyle="", label="knee"
    )
    ax.set_xscale("log", base=2)
    ax.set_xticks(curve["columns"], curve["columns"])
    ax.minorticks_off()
    ax.set_xlabel("number of columns")
    ax.set_ylabel(tables.scores["measure"].iloc[0])
    ax.legend(loc="lower right")
    return fig
