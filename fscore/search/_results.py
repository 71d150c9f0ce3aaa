"""Results of a search: regularization and plots.

Regularization chooses among subsets of nearly equal score (Somol et al. 2011, Section 2). The plots show the course of
a search (Fig. 2) and the best score of each size.
"""

from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fscore._columns import as_array
from fscore._extras import extra
from fscore._sklearn import Interval, StrOptions, validate_params
from fscore._typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame


@validate_params(
    {
        "tau": [Interval(Real, 0, 1, closed="both")],
        "secondary": [StrOptions({"size"}), "array-like"],
        "rule": [StrOptions({"offline", "printed"})],
    },
    prefer_skip_nested_validation=True,
)
def regularize(
    trace: "DataFrame | ArrayLike",
    tau: float,
    secondary: Literal["size"] | ArrayLike = "size",
    *,
    rule: Literal["offline", "printed"] = "offline",
) -> int:
    """The row of a trace to select if values within ``(1 - tau)`` of the maximum count as equal.

    Parameters
    ----------
    trace : DataFrame or array-like of shape (n_subsets,)
        A search's ``trace_``, or the primary values J1 in the order they were evaluated.
    tau : float in [0, 1]
    secondary : {"size"} or array-like, default="size"
        The cost to be minimized, minus J2. "size" is the size in the trace. With a DataFrame an array holds the cost
        of each *feature* and a subset costs their sum (eq. 14); with an array of values it holds one cost per *row*.
    rule : {"offline", "printed"}, default="offline"
        "offline" chooses among all rows with ``J1 >= (1 - tau) max J1`` the one with the smallest cost, then the
        highest J1, then the earliest: J2 is monotone in tau. "printed" is the on-line update of Section 2.2.1, steps
        1-4, which keeps no history: if the chosen subset falls out of the margin as the maximum rises, an earlier one
        that is still in it is not restored.

    Returns
    -------
    position : int
        Row number in the trace.

    Raises
    ------
    ValueError
        If a value is NaN, the costs are not finite numbers, one for each, or a DataFrame lacks a column.

    Notes
    -----
    ``1 - tau`` is relative, as printed. For negative values (which accuracies and distances never are) the margin is
    ``max J1 - tau |max J1|``.

    Examples
    --------
    >>> from fscore.search import regularize
    >>> regularize([0.900, 0.895, 0.899, 0.907], 0.01, [5, 3, 4, 6])
    2
    >>> regularize([0.900, 0.895, 0.899, 0.907], 0.01, [5, 3, 4, 6], rule="printed")
    3
    """
    table: Any = trace if hasattr(trace, "columns") else None
    if table is not None:
        needed = {"value", "size" if isinstance(secondary, str) else "features"}
        if missing := needed.difference(table.columns):
            raise ValueError(
                f"trace has the columns {list(table.columns)!r:.200} and lacks {min(missing)!r}; give the trace_ of a "
                "search, or the values and their costs as two lists."
            )
    values = np.asarray(trace if table is None else table["value"], dtype=np.float64)
    if values.ndim != 1 or not len(values) or np.isnan(values).any():
        raise ValueError("trace must hold one value or more, none of them NaN; give the trace_ of a search.")
    cost = _costs_of_list(secondary, len(values)) if table is None else _costs_of_trace(secondary, table)
    return _cheapest(values, cost, _margin(values.max(), tau)) if rule == "offline" else _printed(values, cost, tau)


def _costs_of_list(secondary, n):
    """The given cost of each of n values."""
    if isinstance(secondary, str):
        raise ValueError("trace is a list of values, which has no sizes; pass one cost for each value as secondary.")
    return as_costs(secondary, n)


def _costs_of_trace(secondary, table):
    """The cost of each subset of a trace: its size, or the sum of the costs of its features."""
    if isinstance(secondary, str):
        return table["size"].to_numpy(dtype=np.float64)
    cost = as_costs(secondary)
    if len(cost) <= (last := max(max(f, default=0) for f in table["features"])):
        raise ValueError(f"secondary holds {len(cost)} costs, but the trace has the column {last}; give one for each.")
    return np.array([cost[list(f)].sum() for f in table["features"]])


def _cheapest(values, cost, lowest):
    """Of the rows with values of at least ``lowest``: smallest cost, then highest value, then earliest."""
    inside = np.flatnonzero(np.asarray(values) >= lowest)
    return int(min(inside, key=lambda q: (cost[q], -values[q], q)))


def cheapest_subset(evaluator, allowed, tau, costs):
    """The cheapest of the subsets whose values count as equal to the best (of one size, or of a range of sizes).

    Parameters
    ----------
    evaluator : Evaluator
        After its search.
    allowed : int, range or None
        Sizes of the result.
    tau : float or "1se"
    costs : ndarray of shape (n_features,) or None
        None if the size is the cost.
    """
    rows = [(s, value) for s, (value, _) in evaluator.rows.items()] or list(evaluator.best_of_size.values())
    sizes = [allowed] if isinstance(allowed, int) else allowed
    rows = [row for row in rows if sizes is None or len(row[0]) in sizes] or rows
    subsets, values = zip(*rows, strict=True)
    cost = [len(s) if costs is None else costs[list(evaluator.space.columns(s))].sum() for s in subsets]
    best = int(np.argmax(values))
    if tau != "1se":
        lowest = _margin(values[best], tau)
    elif np.isfinite(values[best]):
        lowest = values[best] - evaluator.standard_error(subsets[best])
    else:
        lowest = values[best]
    return subsets[_cheapest(values, cost, lowest)]


def as_costs(secondary, n=None):
    """Costs as an array of finite numbers; ``n`` of them, if it is given."""
    cost = as_array(secondary)
    if cost.ndim != 1 or cost.dtype.kind not in "biuf" or not np.isfinite(cost).all() or n not in (None, len(cost)):
        how_many = "" if n is None else f"{n} "
        raise ValueError(f"secondary={secondary!r} must be 'size' or {how_many}finite numbers.")
    return cost.astype(np.float64)


def _margin(top, tau):
    return top - tau * abs(top) if tau and np.isfinite(top) else top


def _printed(values, cost, tau):
    """Steps 1-4 of Section 2.2.1, J2 = -cost."""
    best = chosen = 0
    for q in range(1, len(values)):
        if values[q] > values[best]:  # steps 1 and 2
            best = q
            if values[chosen] < _margin(values[best], tau) or cost[chosen] >= cost[best]:  # step 3
                chosen = q
                continue
        if values[q] >= _margin(values[best], tau) and (
            cost[q] < cost[chosen] or (cost[q] == cost[chosen] and values[q] > values[chosen])
        ):  # step 4
            chosen = q
    return chosen


def plot_trace(search: Any, *, ax: "Axes | None" = None, value: bool = False, **kwargs: Any) -> "Axes":
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


def plot_size_curve(search: Any, *, ax: "Axes | None" = None, **kwargs: Any) -> "Axes":
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
    with extra("plot", "A plot"):
        import matplotlib.pyplot as plt

    return plt.subplots()[1]
