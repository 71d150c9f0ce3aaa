"""Result regularization: choose among subsets whose values are nearly equal (Somol et al. 2011, Section 2)."""

from numbers import Real
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["as_costs", "cheapest", "regularize"]


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

    Notes
    -----
    ``1 - tau`` is relative, as printed. For negative values (which accuracies and distances never are) the margin is
    ``max J1 - tau |max J1|``.

    Examples
    --------
    >>> regularize([0.900, 0.895, 0.899, 0.907], 0.01, [5, 3, 4, 6])
    2
    >>> regularize([0.900, 0.895, 0.899, 0.907], 0.01, [5, 3, 4, 6], rule="printed")
    3
    """
    values, cost = _columns(trace, secondary)
    if len(values) == 0:
        raise ValueError("the trace is empty; run the search first.")
    if not (isinstance(tau, Real) and 0 <= tau <= 1):
        raise ValueError(f"tau={tau!r} must be a number in [0, 1].")
    if not (values < np.inf).all():
        raise ValueError(f"the trace has the value {values[~(values < np.inf)][0]}; values must be numbers or -inf.")
    if rule == "offline":
        return cheapest(values, cost, _margin(values.max(), tau))
    if rule == "printed":
        return _printed(values, cost, tau)
    raise ValueError(f"rule={rule!r} is unknown; it is 'offline' or 'printed'.")


def cheapest(values, cost, lowest):
    """Of the rows with values of at least ``lowest``: smallest cost, then highest value, then earliest."""
    inside = np.flatnonzero(np.asarray(values) >= lowest)
    return int(min(inside, key=lambda q: (cost[q], -values[q], q)))


def as_costs(secondary):
    """Costs as an array of finite numbers."""
    try:
        cost = np.asarray(secondary, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"secondary={secondary!r} does not hold costs; give 'size' or an array of numbers.") from None
    if not np.isfinite(cost).all():
        raise ValueError(f"secondary holds {cost[~np.isfinite(cost)][0]}; costs must be finite numbers.")
    return cost


def _margin(top, tau):
    return top - tau * abs(top) if tau and np.isfinite(top) else top


def _columns(trace, secondary):
    """Primary values and costs of the rows."""
    if hasattr(trace, "columns"):
        values = trace["value"].to_numpy(dtype=np.float64)
        if isinstance(secondary, str):
            if secondary != "size":
                raise ValueError(f"secondary={secondary!r} is unknown; it is 'size' or an array of costs.")
            return values, trace["size"].to_numpy(dtype=np.float64)
        cost = as_costs(secondary)
        highest = max((max(f) for f in trace["features"]), default=-1)
        if cost.ndim != 1 or highest >= cost.size:
            raise ValueError(
                f"secondary has shape {cost.shape}, but the trace holds column {highest}; give each feature's cost."
            )
        return values, np.array([cost[list(f)].sum() for f in trace["features"]])
    try:
        values = np.asarray(trace, dtype=np.float64)
    except (TypeError, ValueError):
        values = None
    if values is None or values.ndim != 1:
        raise ValueError(
            f"trace={trace!r} is neither a table nor an array of values; if it is a search, pass its trace_."
        )
    if isinstance(secondary, str):
        raise ValueError("an array of values has no sizes; give the cost of each row as secondary.")
    cost = as_costs(secondary)
    if cost.shape != values.shape:
        raise ValueError(f"{len(values)} values, but secondary has shape {cost.shape}; give one cost per row.")
    return values, cost


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
