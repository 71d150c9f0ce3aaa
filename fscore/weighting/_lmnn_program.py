"""Diagonal LMNN as a linear program: its dual, grown by one column for each impostor that the weights leave.

The primal has the weights and one slack for each triple (i, j, l) of sample, target and impostor,

    min_{w, xi >= 0} (1 - mu) c.w + mu sum_t xi_t   s.t.  z_t.w >= 1 - xi_t   for all t = (i, j, l),

with c the squared differences of the target pairs, summed, and z_t = (x_i - x_l)^2 - (x_i - x_j)^2. In the dual,

    max_{0 <= alpha <= mu} sum_t alpha_t   s.t.  sum_t alpha_t z_t <= (1 - mu) c,

a triple is a boxed column, so the basis stays as small as the number of features however many impostors there are.
"""

import numpy as np

BLOCK = 64  # samples whose hinges over all others are held at once, for each of their targets


class ImpostorProgram:
    """The triples found so far as a HiGHS model that keeps its basis while columns arrive."""

    def __init__(self, U, pairs, mu):
        import highspy

        self.U, self.pairs, self.mu = U, pairs, mu
        self.known = np.empty(0, dtype=np.int64)  # pair number * n_samples + l
        self.highs = highspy.Highs()
        self.highs.silent()
        for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self.highs.setOptionValue(option, 1e-10)
        self.highs.setOptionValue("small_matrix_value", 1e-12)  # HiGHS drops coefficients below: z is a square
        self.highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        empty = np.empty(0, dtype=np.int32)
        limit = (1 - mu) * pairs.spread(U)
        self.highs.addRows(
            len(limit), np.full(len(limit), -np.inf), limit, 0, np.zeros(len(limit), np.int32), empty, np.empty(0)
        )

    def add(self, triples):
        """Append columns, a block at a time."""
        triples = np.setdiff1d(triples, self.known)
        self.known = np.concatenate([self.known, triples])
        for lo in range(0, len(triples), 4096):
            p, l = np.divmod(triples[lo : lo + 4096], len(self.U))
            here = self.U[self.pairs.anchors[p]]
            Z = (here - self.U[l]) ** 2 - (here - self.U[self.pairs.targets[p]]) ** 2
            present = Z != 0
            self.highs.addCols(
                len(Z),
                np.ones(len(Z)),
                np.zeros(len(Z)),
                np.full(len(Z), self.mu),
                int(present.sum()),
                np.concatenate([[0], np.cumsum(present.sum(axis=1))[:-1]]).astype(np.int32),
                np.nonzero(present)[1].astype(np.int32),
                Z[present],
            )
        return len(triples)

    def solve(self):
        """Weights and value of the optimum over the triples found so far: a bound from below."""
        from highspy import HighsModelStatus

        self.highs.run()
        status = self.highs.getModelStatus()
        if status != HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS ended with status {self.highs.modelStatusToString(status)!r}.")
        duals = np.asarray(self.highs.getSolution().row_dual)
        return np.maximum(duals, 0.0), self.highs.getObjectiveValue()


def leave_impostors(U, codes, pairs, w, m):
    """Sum of all hinges under ``w``, and for each target pair its (at most) ``m`` worst impostors as triples."""
    Z = U * np.sqrt(w)
    norms, reach = np.einsum("ij,ij->i", Z, Z), pairs.squares(Z)
    n, total, triples = len(U), 0.0, []
    for lo in range(0, n, BLOCK):
        hi = min(lo + BLOCK, n)
        p = np.arange(pairs.starts[lo], pairs.starts[hi])
        distances = norms[lo:hi, None] + norms - 2 * (Z[lo:hi] @ Z.T)
        distances[codes[lo:hi, None] == codes] = np.inf
        hinges = 1 + reach[p][:, None] - distances[pairs.anchors[p] - lo]
        total += hinges[hinges > 0].sum()
        worst = np.argpartition(-hinges, min(m, n - 1), axis=1)[:, :m]
        triples.append((p[:, None] * n + worst)[np.take_along_axis(hinges, worst, axis=1) > 0])
    return total, np.concatenate(triples)


def solve_diagonal(U, codes, pairs, mu, tol):
    """The optimal weights, and how they were found.

    Returns
    -------
    w : ndarray of shape (n_features,)
    objective : float
        Computed from the distances of all pairs.
    gap : float
        Relative gap to the bound from below.
    n_triples : int
        Columns used.
    n_rounds : int
    """
    program, cost = ImpostorProgram(U, pairs, mu), (1 - mu) * pairs.spread(U)
    all_within_reach = np.full(U.shape[1], 0.5 / (np.ptp(U, axis=0) ** 2).sum())  # no distance reaches the margin
    _, triples = leave_impostors(U, codes, pairs, all_within_reach, 1)
    objective, n_rounds, m = np.inf, 0, 1
    while True:
        added = program.add(triples)
        w, bound = program.solve()
        n_rounds, m = n_rounds + 1, min(2 * m, len(U))
        hinges, triples = leave_impostors(U, codes, pairs, w, m)
        value = cost @ w + mu * hinges
        if value < objective:
            best, objective = w, value
        gap = (objective - bound) / objective if objective > 0 else 0.0
        if gap <= tol or (not added and m == len(U)):
            return best, float(objective), max(float(gap), 0.0), len(program.known), n_rounds
