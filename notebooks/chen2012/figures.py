"""What the figures of Chen 2012 share: one panel for each data set, and one look for each method."""

import matplotlib.pyplot as plt

from compendium.style import plain, series_styles

ORDER = ("GMLVQ", "IG", "Fisher", "Relieff", "GMLVQ_original_omega", "IG, equal scores at random")
STYLES = dict(zip(ORDER, series_styles(len(ORDER)), strict=True))  # a method looks the same in all figures


def panels(datasets, x, y, height=1.8):
    """Two columns of axes, one for each data set, titled with its name.

    Parameters
    ----------
    datasets : list of str
    x, y : str
        Labels of the outer axes.
    height : float, default=1.8
        Of a row, in inches.

    Returns
    -------
    fig : matplotlib Figure
    axes : dict of str to Axes
        By data set.
    """
    columns = min(2, len(datasets))
    rows = -(-len(datasets) // columns)
    fig, grid = plt.subplots(rows, columns, figsize=(max(4.2 * columns, 6.4), height * rows + 0.4), squeeze=False)
    for ax in grid.flat[len(datasets) :]:
        ax.remove()
    axes = dict(zip(datasets, grid.flat, strict=False))
    for number, (dataset, ax) in enumerate(axes.items()):
        ax.set_title(plain(dataset), loc="left", fontsize=10)
        if number % columns == 0:
            ax.set_ylabel(y)
        if number + columns >= len(datasets):
            ax.set_xlabel(x)
    return fig, axes
