"""HiGHS models that grow by rows and columns of squared differences and are solved again from the last basis."""

import numpy as np

FEASIBILITY = 1e-10  # the smallest tolerance that HiGHS accepts
ALL_FEATURES = 128  # up to this number, all features have rows from the start
NEW_FEATURES = 64  # otherwise, number of rows added at once


def empty_model():
    """A silent model with the smallest tolerances."""
    import highspy

    highs = highspy.Highs()
    highs.silent()
    for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        highs.setOptionValue(option, FEASIBILITY)
    highs.setOptionValue("presolve", "off")  # it would discard the basis, and gains little with few, dense rows
    highs.setOptionValue("small_matrix_value", 1e-12)  # smaller coefficients are dropped; ours are squares
    return highs


def add_columns(highs, values, at, cost, upper):
    """Append columns of multipliers between zero and ``upper``.

    Parameters
    ----------
    values : ndarray of shape (n_columns, n_values)
    at : ndarray that broadcasts to the same shape
        Row number of each value.
    cost, upper : float or ndarray of shape (n_columns,)
    """
    n = len(values)
    highs.addCols(n, np.full(n, cost), np.zeros(n), np.full(n, upper), *_non_zeros(values, at))


def add_rows(highs, values, at, upper):
    """Append rows that are at most ``upper``; ``at`` is the column number of each value."""
    n = len(values)
    highs.addRows(n, np.full(n, -np.inf), np.full(n, upper), *_non_zeros(values, at))


def _non_zeros(values, at):
    """Count, position of each row's first, indices and values of the non-zeros: the sparse format of HiGHS."""
    present = values != 0
    counts = present.sum(axis=1)
    return (
        int(counts.sum()),
        (np.cumsum(counts) - counts).astype(np.int32),
        np.broadcast_to(at, values.shape)[present].astype(np.int32),
        values[present].astype(float),
    )


def solve_model(highs):
    """Solve the model, starting from the last basis.

    HiGHS perturbs costs to break ties and occasionally cannot remove the perturbation. Then the model is solved again
    from the basis that it ended with, and finally from scratch.
    """
    from highspy import HighsModelStatus

    for start in "last basis", "basis it ended with", "scratch":
        if start == "scratch":
            highs.clearSolver()
        highs.run()
        if highs.getModelStatus() == HighsModelStatus.kOptimal:
            return highs.getSolution()
    raise ValueError(
        f"The linear program can't be solved: HiGHS ended with status "
        f"{highs.modelStatusToString(highs.getModelStatus())!r}, probably for coefficients of very different size: "
        "take logarithms of the features, or clip or remove their outliers."
    )
