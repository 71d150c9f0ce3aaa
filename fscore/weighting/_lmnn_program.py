"""Diagonal LMNN as a linear program, solved in its dual by column generation: one column for each impostor found.

The primal has the weights and one slack for each triple (i, j, l) of sample, target and impostor,

    min_{w, xi >= 0} (1 - mu) c.w + mu sum_t xi_t   s.t.  z_t.w >= 1 - xi_t   for all t = (i, j, l),

with c the summed squared differences of the target pairs, and z_t = (x_i - x_l)^2 - (x_i - x_j)^2. In the dual,

    max_{0 <= alpha <= mu} sum_t alpha_t   s.t.  sum_t alpha_t z_t <= (1 - mu) c,

a triple is a column with two bounds, so the basis has the size of the number of features, however many impostors there
are.
"""

import numpy as np

from fscore.weighting._highs import WIDEST, empty_model, non_zeros, solve_model

ALL_FEATURES = 128  # up to this number, all features have rows from the start
NEW_FEATURES = 64  # otherwise, number of rows added at once
COLUMNS = 1024  # triples whose coefficients are computed at once
LARGEST = 1e6  # coefficient; the columns of larger ones are scaled
BLOCK = 64  # samples whose hinges over all others are computed at once, for each of their targets


class ImpostorProgram:
    """The triples found so far, as a HiGHS model that keeps its basis as columns and rows arrive.

    If there are many features, only those get a row whose dual constraint the multipliers violate; the others have
    weight zero.
    """

    def __init__(self, U, pairs, mu):
        from highspy import ObjSense

        self.U, self.pairs, self.mu = U, pairs, mu
        self.limit = (1 - mu) * pairs.spread(U)
        self.triples = np.empty(0, dtype=np.int64)  # pair number * n_samples + l
        self.scale = np.empty(0)  # of each triple: what its column is divided by
        self.wide = np.flatnonzero(np.ptp(U, axis=0) ** 2 > LARGEST)
        self.features = np.empty(0, dtype=np.intp)
        self.highs = empty_model()
        self.highs.changeObjectiveSense(ObjSense.kMaximize)
        if len(self.limit) <= ALL_FEATURES:
            self._add_features(np.arange(len(self.limit)))

    def add(self, triples):
        """Append columns for the triples not known yet; return their number."""
        triples = np.setdiff1d(triples, self.triples)
        for block in _blocks(triples):
            n, wide = len(block), np.abs(self._coefficients(block, self.wide))
            scale = np.maximum(wide.max(axis=1, initial=0.0) / LARGEST, 1.0)
            Z = self._coefficients(block, self.features) / scale[:, None]
            self.highs.addCols(n, 1 / scale, np.zeros(n), self.mu * scale, *non_zeros(Z, np.arange(Z.shape[1])))
            self.scale = np.concatenate([self.scale, scale])
        self.triples = np.concatenate([self.triples, triples])
        return len(triples)

    def solve(self):
        """Optimal weights for the triples found so far, and the optimal value, a lower bound for all triples."""
        while True:
            solution = solve_model(self.highs)
            alpha = np.asarray(solution.col_value) / self.scale
            violated = self._violated_features(alpha)
            if not len(violated):
                w = np.zeros(len(self.limit))
                w[self.features] = np.maximum(np.asarray(solution.row_dual), 0.0)
                return w, self._bound(alpha)
            self._add_features(violated)

    def _bound(self, alpha):
        """The dual objective of these multipliers, once reduced until they satisfy every constraint exactly.

        HiGHS satisfies them to a tolerance, and after dropping coefficients that are small beside others.
        """
        alpha = np.clip(alpha, 0.0, self.mu)
        used, free = alpha > 0, self.limit == 0
        load, total, all_features = np.zeros(len(self.limit)), 0.0, np.arange(len(self.limit))
        for block, a in zip(_blocks(self.triples[used]), _blocks(alpha[used]), strict=True):
            Z = self._coefficients(block, all_features)
            kept = ~(Z[:, free] > 0).any(axis=1)  # a feature without cost allows no multiplier of these
            load, total = load + a[kept] @ Z[kept], total + a[kept].sum()
        return total / np.max(load[~free] / self.limit[~free], initial=1.0)

    def _violated_features(self, alpha):
        """The features without a row whose constraints ``alpha`` violates most."""
        if len(self.features) == len(self.limit):
            return np.empty(0, dtype=np.intp)
        all_features, excess = np.arange(len(self.limit)), -self.limit
        used = alpha > 0
        for block, a in zip(_blocks(self.triples[used]), _blocks(alpha[used]), strict=True):
            excess = excess + a @ self._coefficients(block, all_features)
        excess[self.features] = 0.0
        worst = np.argsort(-excess, kind="stable")[:NEW_FEATURES]
        return worst[excess[worst] > 1e-10 * self.limit.max()]

    def _add_features(self, features):
        n = len(features)
        Z = [self._coefficients(block, features) for block in _blocks(self.triples)]
        Z = (np.concatenate(Z) / self.scale[:, None]).T if Z else np.empty((n, 0))
        self.highs.addRows(n, np.full(n, -np.inf), self.limit[features], *non_zeros(Z, np.arange(Z.shape[1])))
        self.features = np.concatenate([self.features, features])

    def _coefficients(self, triples, features):
        """z_t restricted to some features, shape (n_triples, n_features)."""
        p, l = np.divmod(triples, len(self.U))
        U = self.U[:, features]
        anchors = U[self.pairs.anchors[p]]
        return (anchors - U[l]) ** 2 - (anchors - U[self.pairs.targets[p]]) ** 2


def _blocks(values):
    return [values[lo : lo + COLUMNS] for lo in range(0, len(values), COLUMNS)]


def worst_impostors(U, codes, pairs, w, m):
    """Sum of all hinges under ``w``, its rounding error, and up to ``m`` worst impostors of each pair, as triples."""
    Z = U * np.sqrt(w)
    norms, reach = np.einsum("ij,ij->i", Z, Z), pairs.squares(Z)
    n, total, rounding, triples = len(U), 0.0, 0.0, []
    for lo in range(0, n, BLOCK):
        hi = min(lo + BLOCK, n)
        p = np.arange(pairs.starts[lo], pairs.starts[hi])
        distances = norms[lo:hi, None] + norms - 2 * (Z[lo:hi] @ Z.T)
        distances[codes[lo:hi, None] == codes] = np.inf
        hinges = 1 + reach[p][:, None] - distances[pairs.anchors[p] - lo]
        positive = hinges > 0
        total += hinges[positive].sum()
        rounding += 2 * np.finfo(float).eps * (positive.sum(axis=1) @ norms[pairs.anchors[p]])
        worst = np.argpartition(-hinges, min(m, n - 1), axis=1)[:, :m]
        triples.append((p[:, None] * n + worst)[np.take_along_axis(hinges, worst, axis=1) > 0])
    return total, rounding, np.concatenate(triples)


def solve_diagonal(U, codes, pairs, mu, tol):
    """The optimal weights and their certificate.

    Returns
    -------
    w : ndarray of shape (n_features,)
    objective : float
        Computed from the distances of all pairs.
    gap : float
        Relative gap to the lower bound.
    n_triples : int
        Number of columns in the last program.
    n_rounds : int
        Number of programs solved.
    """
    # The typical difference of two targets, unless distances would lose too many digits.
    unit = np.maximum(np.sqrt(pairs.spread(U) / len(pairs.anchors)), np.ptp(U, axis=0) / WIDEST)
    U = U / unit
    program, cost = ImpostorProgram(U, pairs, mu), (1 - mu) * pairs.spread(U)
    tiny_weights = np.full(U.shape[1], 0.5 / (np.ptp(U, axis=0) ** 2).sum())  # all distances are below the margin
    *_, triples = worst_impostors(U, codes, pairs, tiny_weights, 1)
    objective, n_rounds, m = np.inf, 0, 1
    while True:
        added = program.add(triples)
        w, bound = program.solve()
        n_rounds, m = n_rounds + 1, min(2 * m, len(U))
        hinges, rounding, triples = worst_impostors(U, codes, pairs, w, m)
        value = cost @ w + mu * hinges
        if value < objective:
            best, objective, error = w, value, mu * rounding
        gap = (objective - bound) / objective if objective > 0 else 0.0
        if gap <= tol or (not added and m == len(U)):
            if error > tol * objective:
                gap = min(gap + error / objective, 1.0)
            return best / unit / unit, float(objective), max(float(gap), 0.0), len(program.triples), n_rounds
