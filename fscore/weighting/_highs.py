"""HiGHS models that grow by rows and columns of squared differences and are solved again from the last basis."""

from contextlib import contextmanager

import numpy as np

from fscore._magnitudes import wide_column

FEASIBILITY = 1e-10  # the smallest tolerance that HiGHS accepts
BASIC = 1  # basis status of a column or row, as HiGHS numbers it


class SolverError(ValueError):
    """The solver found no optimum."""


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


def non_zeros(values, at):
    """The non-zeros of rows (or columns) in the sparse format of HiGHS.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_values)
    at : ndarray that broadcasts to the same shape
        Column number of each value.

    Returns
    -------
    count : int
    starts : ndarray of shape (n_rows,)
        Position of each row's first non-zero.
    indices, values : ndarray of shape (count,)
    """
    present = values != 0
    counts = present.sum(axis=1)
    return (
        int(counts.sum()),
        (np.cumsum(counts) - counts).astype(np.int32),
        np.broadcast_to(at, values.shape)[present].astype(np.int32),
        values[present].astype(float),
    )


def get_basis(highs):
    """Basis status of the columns and of the rows after the last solution, as two arrays."""
    basis = highs.getBasis()
    return [np.fromiter(map(int, status), dtype=np.int8) for status in (basis.col_status, basis.row_status)]


def set_basis(highs, columns, rows):
    """Start the next solution from this basis."""
    from highspy import HighsBasis, HighsBasisStatus

    named = list(HighsBasisStatus.__members__.values())
    basis = HighsBasis()
    basis.col_status, basis.row_status = ([named[number] for number in status] for status in (columns, rows))
    basis.valid = True
    highs.setBasis(basis)


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
    raise SolverError(
        f"The linear program can't be solved: HiGHS ended with status "
        f"{highs.modelStatusToString(highs.getModelStatus())!r}, probably for coefficients of very different size."
    )


@contextmanager
def naming_outliers(X, estimator=None):
    """Add :func:`fscore._magnitudes.wide_column` to the message if no optimum is found."""
    try:
        yield
    except SolverError as error:
        raise SolverError(f"{error}{wide_column(X, estimator)}") from None
