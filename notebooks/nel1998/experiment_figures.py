"""Figures of chapter 7 of Nel 1998, and of what we measured beyond it."""

import matplotlib.pyplot as plt

from compendium.style import COLOURS, series_styles

__all__ = ["peaking", "search_outcomes", "tracking"]

CRITERION_NAMES = {"mutual_information": "mutual information", "gamma_test": r"$\Gamma$"}


def tracking(table, criterion, classifier):
    """Figures 7.1 to 7.8: accuracy (left) and criterion (right), dotted for each split, solid for their mean.

    Parameters
    ----------
    table : DataFrame
        As from :func:`nel1998.criteria_and_accuracy`.
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


def peaking(summary, method="mutual_information"):
    """Test accuracy against the number of features: points are subsets, lines their means by size.

    Parameters
    ----------
    summary : DataFrame
        As from :func:`nel1998.summary`.
    method : str

    Returns
    -------
    matplotlib Figure
        A panel for each sample.
    """
    ours = summary[summary["method"] == method]
    samples = ours["sample"].unique()
    fig, axes = plt.subplots(1, len(samples), figsize=(4.4 * len(samples), 3.8), squeeze=False)
    for ax, sample in zip(axes[0], samples, strict=True):
        for classifier, style in zip(("RANN", "kNN"), series_styles(2), strict=True):
            part = ours[(ours["sample"] == sample) & (ours["classifier"] == classifier)]
            name = {"RANN": "RANN", "kNN": "k-NN"}[classifier]
            ax.plot(part["n_features"], part["test"], **{**style, "linestyle": "none"}, markersize=3, alpha=0.35)
            ax.plot(part.groupby("n_features")["test"].mean(), **{**style, "marker": ""}, label=f"{name}, mean")
            full = summary[(summary["method"] == "full") & (summary["sample"] == sample)]
            level = full.loc[full["classifier"] == classifier, "test"].iloc[0]
            ax.axhline(level, color=style["color"], linewidth=0.8, linestyle=":", label=f"{name}, all features")
        ax.set(xlabel=f"features, {sample}", ylabel="correct on the test parts, %")
        ax.legend(fontsize=8)
    return fig


def search_outcomes(table):
    """What searches found against what they cost: percentage of runs that found the optimum over subsets valued.

    Parameters
    ----------
    table : DataFrame
        As from :func:`nel1998.printed.outcomes`.

    Returns
    -------
    matplotlib Figure
        A panel for each criterion; a point for each search and sample.
    """
    criteria = table["criterion"].unique()
    searches = [name for name in table["search"].unique() if name != "exhaustive"]
    fig, axes = plt.subplots(1, len(criteria), figsize=(4.6 * len(criteria), 3.8), squeeze=False)
    for ax, criterion in zip(axes[0], criteria, strict=True):
        for name, style in zip(searches, series_styles(len(searches)), strict=True):
            part = table[(table["criterion"] == criterion) & (table["search"] == name)]
            ax.plot(part["n_evaluations"], 100 * part["optimal"], **{**style, "linestyle": "none"}, label=name)
        ax.set(xscale="log", xlabel="subsets valued", title=criterion.replace("_", " "), ylim=(-5, 105))
    axes[0, 0].set_ylabel("runs that found the optimum, %")
    axes[0, -1].legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return fig
