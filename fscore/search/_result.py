"""Which subset a search returns: the best so far if it was stopped, and the cheapest of nearly equal ones."""

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fscore._warnings import warn_user
from fscore.search._regularize import cheapest, regularize

__all__ = ["best_so_far", "cheapest_subset"]


def best_so_far(recorder, space, size, stopped):
    """The best subset of a search that was stopped, of the size asked for if there is one."""
    subset = recorder.best(size)
    if subset is None:
        subset = recorder.best()
        if subset is None:
            if stopped == "interrupt":
                raise KeyboardInterrupt("interrupted before a single subset was valued")
            remedy = "let the callback go on" if stopped == "callback" else f"raise max_{stopped}"
            raise ValueError(f"the search was stopped ({stopped}) before a single subset was valued; {remedy}.")
        warn_user(
            f"The search was stopped ({stopped}) before it reached {size + space.n_fixed} units; the best subset so "
            f"far has {len(subset) + space.n_fixed}.",
            ConvergenceWarning,
        )
    if stopped == "interrupt":  # unlike a budget, it was not asked for beforehand
        warn_user(
            f"The search was interrupted and keeps the best of the {recorder.n_evaluations} subsets valued so far; "
            "press Ctrl-C again to stop what comes after it, or fit again to resume from a checkpoint.",
            ConvergenceWarning,
        )
    return subset


def cheapest_subset(evaluator, subset, size, tau, costs):
    """The cheapest of the subsets whose values count as equal to the best (of one size).

    Parameters
    ----------
    evaluator : Evaluator
        After its search.
    subset : tuple of int
        The search's own result, returned if nothing was recorded.
    size : int or None
    tau : float or "1se"
    costs : ndarray of shape (n_features,) or None
        None if the size is the cost.
    """
    recorder, space = evaluator.recorder, evaluator.space
    rows = recorder.rows or [(s, v, 0) for s, v in recorder.best_of_size.values()]  # without a trace
    if not rows:
        return subset
    rows = [row for row in rows if size is None or len(row[0]) == size] or rows
    total = [len(s) if costs is None else costs[list(space.columns(s))].sum() for s, _, _ in rows]
    values = [v for _, v, _ in rows]
    if tau != "1se":
        return rows[regularize(values, tau, total)][0]
    best = int(np.argmax(values))
    lowest = values[best]
    if np.isfinite(lowest):
        lowest -= evaluator.standard_error(space.columns(rows[best][0]))
    return rows[cheapest(values, total, lowest)][0]
