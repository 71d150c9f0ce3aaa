"""Plots of a search: its course (Fig. 2 of Somol et al.) and the best value of each size."""

from typing import TYPE_CHECKING, Any

from fscore._typing import Estimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_size_curve", "plot_trace"]


def plot_trace(search: Estimator, *, ax: "Axes | None" = None, value: bool = False, **kwargs: Any) -> "Axes":
    """Draw the course of a search: the size, or value, of the subset that each step returned.

    Parameters
    ----------
    search : fitted search
    ax : matplotlib Axes, optional
    value : bool, default=False
        Draw the criterion value instead of the subset size.
    **kwargs : dict
        For ``Axes.plot``.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = _axes(ax)
    path = search.path_
    ax.plot(path.index + 1, path["value" if value else "size"], **{"linewidth": 1.5, **kwargs})
    ax.set_xlabel("step")
    ax.set_ylabel("criterion value" if value else "subset size")
    return ax


def plot_size_curve(search: Estimator, *, ax: "Axes | None" = None, **kwargs: Any) -> "Axes":
    """Draw the best value found for each subset size and mark the selected subset.

    Parameters
    ----------
    search : fitted search
    ax : matplotlib Axes, optional
    **kwargs : dict
        For ``Axes.plot``.

    Returns
    -------
    ax : matplotlib Axes
    """
    ax = _axes(ax)
    best = search.best_per_size_
    (line,) = ax.plot(best.index, best["value"], **{"marker": ".", "linewidth": 1.5, **kwargs})
    size = search.size_
    ax.plot([size], [search.score_], marker="o", markersize=9, fillstyle="none", color=line.get_color())
    ax.set_xlabel("subset size")
    ax.set_ylabel("best criterion value")
    return ax


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]
