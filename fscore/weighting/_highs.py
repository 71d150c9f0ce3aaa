"""Linear programs of squared differences that grow as constraints and features are found, solved by HiGHS."""

import numpy as np

FEASIBILITY = 1e-10  # the smallest tolerance that HiGHS accepts
ALL_FEATURES = 128  # up to this number, all features have rows from the start
NEW_FEATURES = 64  # otherwise, number of rows added at once
DUAL, PRIMAL = 1, 4  # HiGHS' simplex strategies


class GrowingDual:
    """A linear program for weights, solved in its dual: its constraints are columns, its features rows, added as found.

    HiGHS keeps its basis as columns and rows arrive. If there are many features, only those get a row whose dual
    constraint the multipliers violate; the others have weight zero. A subclass defines ``coefficients(features)`` of
    all columns, shape (n_columns, n_features), and ``excess(solution)``, by how much each feature's constraint is
    violated.

    Parameters
    ----------
    limits : ndarray of shape (n_features,)
        Right-hand sides of the features' rows.
    """

    def __init__(self, limits):
        import highspy

        self.limits = limits
        self.feature_row = np.full(len(limits), -1)
        self.highs = highspy.Highs()
        self.highs.silent()
        for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self.highs.setOptionValue(option, FEASIBILITY)
        self.highs.setOptionValue("presolve", "off")  # it would discard the basis, and gains little with dense rows
        self.highs.setOptionValue("small_matrix_value", 1e-12)  # smaller coefficients are dropped; ours are squares

    @property
    def features(self):
        """Those that have a row."""
        return np.flatnonzero(self.feature_row >= 0)

    def add_features(self, features):
        """Append a row for each."""
        Z = self.coefficients(features)
        self.feature_row[features] = self.highs.getNumRow() + np.arange(len(features))
        self.add_rows(Z.T, np.arange(len(Z)), upper=self.limits[features])

    def add_rows(self, values, at, upper):
        """Append rows that are at most ``upper``; ``at`` is the column number of each value."""
        n = len(values)
        self.highs.addRows(n, np.full(n, -np.inf), np.full(n, upper), *_non_zeros(values, at))

    def add_columns(self, values, at, cost, upper):
        """Append columns of multipliers between zero and ``upper``.

        Parameters
        ----------
        values : ndarray of shape (n_columns, n_values)
        at : ndarray that broadcasts to the same shape
            Row number of each value.
        cost, upper : float or ndarray of shape (n_columns,)
        """
        n = len(values)
        self.highs.addCols(n, np.full(n, cost), np.zeros(n), np.full(n, upper), *_non_zeros(values, at))

    def optimum(self):
        """HiGHS' solution for all features and the columns so far."""
        while True:
            solution = solve_model(self.highs)
            self.highs.setOptionValue("simplex_strategy", DUAL)
            missing = self.feature_row < 0
            if not missing.any():
                return solution
            excess = np.where(missing, self.excess(solution), 0.0)
            worst = np.argsort(-excess, kind="stable")[:NEW_FEATURES]
            if excess[worst[0]] <= 0:
                return solution
            self.add_features(worst[excess[worst] > 0])


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
