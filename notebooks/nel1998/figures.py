"""What several figures of Nel 1998 share: two classes in a plane, lines of Gamma Tests, accuracy by size."""

import matplotlib.pyplot as plt
import numpy as np

from compendium.style import COLOURS, plain, series_styles
from nel1998.printed import CLASSIFIERS


def scatter(ax, sample, first="feature_1", second="feature_2", **kwargs):
    """Two classes in a plane, distinguished by marker and color.

    Parameters
    ----------
    ax : matplotlib Axes
    sample : DataFrame
        Features and label.
    first, second : str
        Names of the features.
    **kwargs
        For ``ax.scatter``.
    """
    for label, marker, size in ((0, "x", 16), (1, "o", 12)):
        of_class = sample[sample["label"] == label]
        face = {} if marker == "x" else {"facecolors": "none"}
        style = {"marker": marker, "s": size, "color": COLOURS[label], "label": f"class {label + 1}"}
        ax.scatter(of_class[first], of_class[second], **style, **face, **kwargs)
    ax.set(xlabel=first.replace("_", " "), ylabel=second.replace("_", " "))


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
        label = f"{plain(line.name)}: {line.gamma:.4f}"
        ax.plot(ends, line.gamma + line.slope * ends, **{**style, "marker": ""}, linewidth=1.2, label=label)
    ax.set(xlabel=r"mean squared distance of neighbors $\Delta(p)$", ylabel=r"$\Gamma(p)$")
    ax.set_xlim(0, None)
    ax.legend(fontsize=8, title=r"intercept $\Gamma$")
    return fig


def accuracy_by_size(summary, method="mutual_information", printed=None):
    """Test accuracy against the number of features: points are subsets, lines their means by size.

    Parameters
    ----------
    summary : DataFrame
        As from :func:`nel1998.accuracy.summary`.
    method : str
    printed : DataFrame, optional
        Rows of ``data/published/nel1998.csv``; the accuracies of the method on test parts are crosses.

    Returns
    -------
    matplotlib Figure
        One panel per sample.
    """
    ours = summary[summary["method"] == method]
    in_print = {}
    if printed is not None:
        tested = printed[(printed["method"] == method) & (printed["metric"] == "test_acc_pct")]
        in_print = dict(list(tested.groupby(["dataset", "classifier"])))
    samples = ours["sample"].unique()
    rows = -(-len(samples) // 2)
    fig, axes = plt.subplots(rows, 2, figsize=(8.4, 2.1 * rows + 0.5), squeeze=False)
    for ax in axes.flat[len(samples) :]:
        ax.remove()
    for ax, sample in zip(axes.flat, samples, strict=False):
        for (classifier, name), style in zip(CLASSIFIERS.items(), series_styles(2), strict=True):
            shown = ours[(ours["sample"] == sample) & (ours["classifier"] == classifier)]
            ax.plot(shown["n_features"], shown["test"], **{**style, "linestyle": "none"}, markersize=3, alpha=0.35)
            ax.plot(shown.groupby("n_features")["test"].mean(), **{**style, "marker": ""}, label=f"{name}, mean")
            if (theirs := in_print.get((sample, classifier))) is not None:
                look = {"color": style["color"], "marker": "x", "linestyle": "none", "label": f"{name}, printed"}
                ax.plot(theirs["subset"].str.count("1"), theirs["value"].astype(float), **look)
            full = summary[(summary["method"] == "full") & (summary["sample"] == sample)]
            level = full.loc[full["classifier"] == classifier, "test"].iloc[0]
            ax.axhline(level, color=style["color"], linewidth=0.8, linestyle=":", label=f"{name}, all features")
        ax.set_title(plain(sample), loc="left", fontsize=10)
        ax.xaxis.get_major_locator().set_params(integer=True)
    for ax in axes[:, 0]:
        ax.set_ylabel("correct, %")
    for ax in axes.flat[max(len(samples) - 2, 0) : len(samples)]:
        ax.set_xlabel("features")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    return fig
