"""Figures of chapter 7 of Nel 1998, and of what we measured beyond it."""

import matplotlib.pyplot as plt
import numpy as np

from fscore.report.style import COLOURS, series_styles

__all__ = ["tracking"]

CRITERION_NAMES = {"mutual_information": "mutual information", "gamma_test": r"$\Gamma$"}


def tracking(table, criterion, classifier):
    """Figures 7.1 to 7.8: accuracy (left) and criterion (right), dotted for each split, solid for their mean.

    Parameters
    ----------
    table : DataFrame
        As from :func:`fscore.studies.nel1998.criteria_and_accuracy`.
    criterion : {"mutual_information", "gamma_test"}
    classifier : {"RANN", "kNN"}

    Returns
    -------
    matplotlib Figure
        A row for each sample.
    """
    kind = "feature" if criterion == "mutual_information" else "subset"
    ours = table[table["kind"] == kind]
    samples = ours["sample"].unique()
    fig, axes = plt.subplots(len(samples), 2, figsize=(8.4, 1.9 * len(samples) + 0.4), squeeze=False)
    for row, sample in zip(axes, samples, strict=True):
        part = ours[ours["sample"] == sample]
        for ax, metric, colour in ((row[0], classifier, COLOURS[0]), (row[1], criterion, COLOURS[1])):
            values = part[part["metric"] == metric].pivot_table(index="number", columns="split", values="value")
            ax.plot(values, linestyle=":", linewidth=0.8, color=colour, alpha=0.6)
            ax.plot(values.mean(axis=1), linestyle="-", linewidth=2, color="black")
            ax.set_ylabel(CRITERION_NAMES.get(metric, "correct, %"), fontsize=9)
            ax.tick_params(labelsize=8)
            ax.set_title(sample, loc="left", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("feature" if kind == "feature" else "subset of Table B.1")
    return fig
