"""HiGHS for programs that grow: a model that keeps its basis while rows and columns of squared differences arrive."""

import numpy as np

FEASIBILITY = 1e-10  # the least that HiGHS accepts
AT_LOWER, BASIC, AT_UPPER = range(3)  # of a column or row, as HiGHS numbers them


def empty_model():
    """A silent model, as accurate as HiGHS can be."""
    import highspy

    highs = highspy.Highs()
    highs.silent()
    for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        highs.setOptionValue(option, FEASIBILITY)
    highs.setOptionValue("presolve", "off")  # it would throw the basis away, and finds little in few, dense rows
    highs.setOptionValue("small_matrix_value", 1e-12)  # HiGHS drops coefficients below: they are squares
    return highs


def non_zeros(values, at):
    """The non-zeros of rows (or columns) with ``values`` at the positions ``at``: their number, starts, places, values.

    That is how HiGHS takes them.
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
    """Where the columns and the rows are in the last basis: two arrays of the numbers above."""
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


def solved(highs):
    """The optimum, from the last basis on.

    HiGHS perturbs costs to leave ties, and now and then fails to find its way back. Once more from where it ended, or
    from no basis at all, it does.
    """
    from highspy import HighsModelStatus

    for start in "last basis", "where it ended", "no basis":
        if start == "no basis":
            highs.clearSolver()
        highs.run()
        if highs.getModelStatus() == HighsModelStatus.kOptimal:
            return highs.getSolution()
    raise RuntimeError(f"HiGHS ended with status {highs.modelStatusToString(highs.getModelStatus())!r}.")
