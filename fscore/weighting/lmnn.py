"""Large margin nearest neighbor classification (LMNN): a full metric, or feature weights by linear programming.

The linear program is solved in its dual by column generation: one column for each impostor found. The primal has the
weights and one slack for each triple (i, j, l) of sample, target and impostor,

    min_{w, xi >= 0} (1 - mu) c.w + mu sum_t xi_t   s.t.  z_t.w >= 1 - xi_t   for all t = (i, j, l),

with c the summed squared differences of the target pairs, and z_t = (x_i - x_l)^2 - (x_i - x_j)^2. In the dual,

    max_{0 <= alpha <= mu} sum_t alpha_t   s.t.  sum_t alpha_t z_t <= (1 - mu) c,

a triple is a column with two bounds, so the basis has the size of the number of features, however many impostors there
are. Where classes overlap in many samples, `Nearby` weights tell beforehand what most triples contribute, and the
program has the few others.
"""

from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.exceptions import ConvergenceWarning

from fscore._magnitudes import TOO_WIDE, WIDEST, wide_column
from fscore._sklearn import Interval, estimator_dataclass, fit_context
from fscore._typing import ArrayLike, Floats
from fscore._validation import check_new_samples
from fscore._warnings import warn_user
from fscore.weighting._base import FeatureWeighting, check_sample
from fscore.weighting._highs import ALL_FEATURES, GrowingDual
from fscore.weighting._targets import distances_in_blocks, loss_and_gradient, target_neighbors

__all__ = ["LMNN", "DiagonalLMNN"]

ROUNDINGS = (1.0, 0.1, 0.01, 0.001, 0.0)  # of the hinge, in this order: without them L-BFGS stalls at its corners
NARROW = 1e-6  # least over greatest mean square of the target differences: where less, they give the unit


@estimator_dataclass
class LMNN(ClassNamePrefixFeaturesOutMixin, FeatureWeighting):
    r"""A metric in which target neighbors are close and other classes are farther away by a margin.

    .. math:: (1 - \mu) \sum_{i, j \to i} d(i, j) + \mu \sum_{i, j \to i} \sum_{l: y_l \ne y_i}
        [1 + d(i, j) - d(i, l)]_+, \qquad d(i, j) = \|L (x_i - x_j)\|^2

    is minimized over all L, by L-BFGS with all impostors l at every step. The target neighbors j of i are its k nearest
    samples of the same class in the original features [1]_.

    ``weights_`` is the diagonal of the metric :math:`W = L^T L` of eq. (2) of [2]_: the squared length of a unit step
    along one feature. The distances come from ``transform``, which mixes the features; `DiagonalLMNN` learns a weight
    for each feature instead.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number k of target neighbors.
    mu : float, default=0.5
        Weight of the impostors, in (0, 1).
    n_components : int or None, default=None
        Number of rows of L; None means ``min(n_features, n_samples - 1)``. L starts from the leading principal
        components, that is, from Euclidean distances if it has all of them.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations for each of five roundings of the hinge.
    tol : float, default=1e-7
        L-BFGS stops when a step reduces the objective by less than this fraction of it, or of 1 if it is smaller. The
        objective has no unit: 1 is the margin.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        The diagonal of the metric. Zero for constant features.
    components_ : ndarray of shape (n_components, n_features)
        L.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum.
    objective_ : float
        Computed from the distances of all pairs.
    n_iter_ : int
        Total number of L-BFGS iterations.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Fewer than two classes, no class of two samples, only constant features, more components than features, or
        values so large or small that their squares overflow or underflow.

    Warns
    -----
    UserWarning
        A class has at most ``n_neighbors`` samples: its samples then have fewer target neighbors (a single sample has
        none, but can be an impostor). Or all weights are zero, which is the optimum if the distances to the targets
        outweigh the impostors.
    ConvergenceWarning
        L-BFGS reached ``max_iter``, or a column has outliers so far away that distances lose most of their digits; the
        message names the column.

    See Also
    --------
    DiagonalLMNN : One weight for each feature, by linear programming.

    Notes
    -----
    The target neighbors depend on the scaling of the features. Once they are chosen, the objective does not depend on
    it, but the starting point does.

    In L the objective is neither convex nor smooth, but with as many components as features its local minima are
    global. L-BFGS first minimizes it with a rounded hinge, then with less and less rounding, finally with none; in the
    tests the result is within 1e-4 of the optimum of the equivalent semidefinite program. On 240 random samples of 4 to
    17 rows it was within 3e-4, except for 5 where a direction had vanished too early: 0.1 to 0.8 percent above.
    Directions in which the training samples do not differ do not contribute to the metric.

    Identical samples of different classes are allowed; they are impostors in any metric. If several samples have the
    same distance, which is common in rounded data, rounding errors decide which of them are target neighbors, and these
    can depend on the order of the columns.

    Memory is O(n_samples (n_features + block)).

    References
    ----------
    .. [1] K. Q. Weinberger and L. K. Saul, "Distance metric learning for large margin nearest neighbor classification",
       JMLR 10 (2009) 207-244.
    .. [2] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.weighting import LMNN
    >>> LMNN().fit(*load_iris(return_X_y=True)).components_.shape
    (4, 4)
    """

    n_neighbors: int = 3
    _: KW_ONLY
    mu: float = 0.5
    n_components: int | None = None
    max_iter: int = 500
    tol: float = 1e-7

    _parameter_constraints: ClassVar[dict] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "mu": [Interval(Real, 0, 1, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : LMNN
        """
        X, codes, _ = check_sample(X, y, estimator=self, ranges="each")
        n_components = min(X.shape[1], len(X) - 1) if self.n_components is None else self.n_components
        if n_components > X.shape[1]:
            raise ValueError(
                f"n_components={self.n_components} exceeds the number of features, {X.shape[1]}. Lower it, or use None "
                "for all."
            )
        pairs = target_neighbors(X, codes, self.n_neighbors)
        varying, span, centered = _varying(X)
        if outliers := wide_column(X, self, TOO_WIDE):
            warn_user(f"Distances lose most of their digits.{outliers}", ConvergenceWarning)
        L = self._fit_components(centered, span, codes, pairs, n_components)
        self.components_ = np.zeros((len(L), X.shape[1]))
        self.components_[:, varying] = L
        self._set_weights(np.einsum("kf,kf->f", self.components_, self.components_), X)
        return self

    def _fit_components(self, X, span, codes, pairs, n_components):
        """Minimize over V = L T', where X = W T and W has unit covariance: L-BFGS then needs a tenth of the steps."""
        from scipy.optimize import minimize

        W, T, back = _in_target_units(*_whitened(X / span), pairs)
        T, back = T * span, back / span
        start = np.zeros((n_components, len(T)))
        principal = np.linalg.svd(X, full_matrices=False)[2][:n_components]
        start[: len(principal)] = principal @ T.T / pairs.unit(X)

        def objective(flat, rounding):
            V = flat.reshape(start.shape)
            loss, gradient = loss_and_gradient(W @ V.T, codes, pairs, 1 - self.mu, self.mu, rounding)
            return loss, (gradient.T @ W).ravel()

        options = {"maxiter": self.max_iter, "maxfun": 4 * self.max_iter, "ftol": self.tol, "gtol": 0.0, "maxcor": 20}
        V, self.n_iter_, was_cut_short = start.ravel(), 0, False
        for rounding in ROUNDINGS:
            before, _ = objective(V, rounding)
            result = minimize(objective, V, (rounding,), jac=True, method="L-BFGS-B", options=options)
            self.n_iter_ += result.nit
            was_cut_short |= result.status == 1
            if result.fun <= before:  # a line search that fails may end at a worse point
                V = result.x
        self.objective_ = float(min(result.fun, before))
        if was_cut_short:
            warn_user(
                f"L-BFGS did not converge in max_iter={self.max_iter} iterations (tol={self.tol}); increase either.",
                ConvergenceWarning,
            )
        elif result.status and self.objective_ > self.tol:
            warn_user(
                f"L-BFGS found no better point before it converged (objective {self.objective_:.3g}); classes that are "
                "very far apart do that. Compare DiagonalLMNN, whose optimum is exact.",
                ConvergenceWarning,
            )
        return V.reshape(start.shape) @ back

    def transform(self, X: ArrayLike) -> Floats:
        """Map samples to the space in which Euclidean distances are the learned distances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return check_new_samples(self, X) @ self.components_.T

    @property
    def _n_features_out(self):
        return len(self.components_)


@estimator_dataclass
class DiagonalLMNN(FeatureWeighting):
    r"""Feature weights with the objective of LMNN: target neighbors are close, other classes farther by a margin.

    .. math:: (1 - \mu) \sum_{i, j \to i} d(i, j) + \mu \sum_{i, j \to i} \sum_{l: y_l \ne y_i}
        [1 + d(i, j) - d(i, l)]_+, \qquad d(i, j) = \sum_\mu w_\mu (x_{i\mu} - x_{j\mu})^2

    is minimized over w >= 0 exactly, as a linear program. The target neighbors j of i are its k nearest samples of the
    same class in the original features [1]_.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number k of target neighbors.
    mu : float, default=0.5
        Weight of the impostors, in (0, 1).

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        w of eq. (1) of [2]_. Zero for constant features.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum.
    objective_ : float
        Computed from the distances of all pairs.
    duality_gap_ : float
        Upper bound on the fraction by which ``objective_`` exceeds the optimum, including rounding errors where they
        matter. If ``objective_`` is less than a millionth of that of weights of zero, as a fraction of this millionth.
    n_triples_ : int
        Number of triples (i, j, l) in the linear program. If there are many, it begins near its optimum, where most
        hinges are known to be positive or zero; what it finds misjudged is added.
    n_iter_ : int
        Number of linear programs solved.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Fewer than two classes, no class of two samples, only constant features, or values so large or small that their
        squares overflow or underflow. Or the linear program can't be solved, because a column has outliers that are too
        far away.

    Warns
    -----
    UserWarning
        A class has at most ``n_neighbors`` samples: its samples then have fewer target neighbors (a single sample has
        none, but can be an impostor). Or all weights are zero, which is the optimum if the distances to the targets
        outweigh the impostors.
    ConvergenceWarning
        ``duality_gap_`` is above 1e-6.

    See Also
    --------
    LMNN : A full metric, which mixes the features.

    Notes
    -----
    The target neighbors depend on the scaling of the features. Once they are chosen, the program does not depend on it.

    Identical samples of different classes are allowed; they are impostors under any weights. The weights can depend on
    the order of the columns in two cases. If several samples have the same distance, which is common in rounded data,
    rounding errors decide which of them are target neighbors. And if the linear program has several optima, the vertex
    that simplex reaches is returned.

    Memory is O(n_features) for each triple in the linear program.

    References
    ----------
    .. [1] K. Q. Weinberger and L. K. Saul, "Distance metric learning for large margin nearest neighbor classification",
       JMLR 10 (2009) 207-244.
    .. [2] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.weighting import DiagonalLMNN
    >>> DiagonalLMNN().fit(*load_iris(return_X_y=True)).duality_gap_ < 1e-9
    True
    """

    n_neighbors: int = 3
    _: KW_ONLY
    mu: float = 0.5

    _parameter_constraints: ClassVar[dict] = {name: LMNN._parameter_constraints[name] for name in ("n_neighbors", "mu")}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : DiagonalLMNN
        """
        X, codes, _ = check_sample(X, y, estimator=self, ranges="each")
        pairs = target_neighbors(X, codes, self.n_neighbors)
        varying, span, centered = _varying(X)
        w, self.objective_, self.duality_gap_, self.n_triples_, self.n_iter_ = solve_diagonal(
            centered / span, codes, pairs, self.mu, tol=1e-9
        )
        if self.duality_gap_ > 1e-6:
            warn_user(
                f"The objective {self.objective_:.6g} may exceed the optimum by a fraction of {self.duality_gap_:.1e}."
                f"{wide_column(X, self)}",
                ConvergenceWarning,
            )
        weights = np.zeros(X.shape[1])
        weights[varying] = w / span**2
        self._set_weights(weights, X)
        return self


def _varying(X):
    """Mask of the features that vary, their ranges, and their values, centered."""
    span = np.ptp(X, axis=0)
    varying = span > 0
    return varying, span[varying], (X - X.mean(axis=0))[:, varying]


def _whitened(X):
    """W, T and a right inverse of T, such that X = W T and the columns of W are orthogonal with mean square 1."""
    P, S, Q = np.linalg.svd(X, full_matrices=False)
    noise = S.max(initial=0.0) * max(X.shape) * np.finfo(float).eps
    rank = np.searchsorted(-S, -noise)
    S = S[:rank, None] / np.sqrt(len(X))
    return P[:, :rank] * np.sqrt(len(X)), S * Q[:rank], Q[:rank] / S


def _in_target_units(W, T, back, pairs):
    """W, T and back in coordinates in which target differences have unit mean square, if they are tiny in some.

    If classes are far apart, the variance of W is that between them, and L-BFGS would stop early.
    """
    differences = W[pairs.anchors] - W[pairs.targets]
    squares, directions = np.linalg.eigh(differences.T @ differences / len(differences))
    present = squares > squares[-1] * W.shape[1] * np.finfo(float).eps
    if not present.any() or squares[present][0] > NARROW * squares[-1]:
        return W, T, back
    units = np.sqrt(np.where(present, squares, 1.0))
    return W @ (directions / units), (directions * units).T @ T, (directions / units).T @ back


COLUMNS = 1024  # triples whose coefficients are computed at once
MANY = 250_000  # triples from which the program begins near its optimum
UNDECIDED = 5_000  # triples that it has then
NEGLIGIBLE = 1e-6  # objective beside that of weights of zero: optima that are less are zero but for rounding


class Nearby(NamedTuple):
    """Weights near the optimum, and what they decide: most hinges are far enough from their corner to stay there.

    Hinges above ``band`` are taken as positive, which fixes their multipliers at ``mu``, so that only the sum of their
    coefficients counts. Those below ``-band`` are taken as zero. The program has the others.
    """

    w: np.ndarray
    band: float
    n_fixed: int
    load: np.ndarray  # of the fixed triples, sum_t z_t
    undecided: np.ndarray


class ImpostorProgram(GrowingDual):
    """The linear program over the triples found so far, and over those that `Nearby` weights fix."""

    def __init__(self, U, pairs, mu, nearby=None):
        from highspy import ObjSense

        cost, self.n_fixed, self.n_ceilings = (1 - mu) * pairs.spread(U), 0, 0
        super().__init__(cost if nearby is None else cost - mu * nearby.load)
        self.U, self.pairs, self.mu, self.cost = U, pairs, mu, cost
        self.triples = np.empty(0, dtype=np.int64)  # pair number * n_samples + l
        self.binding = ()
        self.highs.changeObjectiveSense(ObjSense.kMaximize)
        if len(self.limits) <= ALL_FEATURES:
            self.add_features(np.arange(len(self.limits)))
        if nearby is not None:  # fixed hinges let weights grow without end: a multiplier for a ceiling of each
            self.n_fixed, self.n_ceilings = nearby.n_fixed, len(cost)
            self.ceiling = 4 * nearby.w + max(nearby.w.max(), 1 / len(cost))
            self.add_columns(-np.eye(len(cost)), self.feature_row, cost=-self.ceiling, upper=np.inf)

    def add(self, triples):
        """Append columns for the triples not known yet; return their number."""
        triples, features = np.setdiff1d(triples, self.triples), self.features
        Z = self._coefficients(triples, features)
        self.add_columns(Z, self.feature_row[features], cost=1.0, upper=self.mu)
        self.triples = np.concatenate([self.triples, triples])
        return len(triples)

    def release(self, triples):
        """Fix the multipliers of these triples no longer, and append columns for them; return how many are new."""
        triples = np.setdiff1d(triples, self.triples)
        if not len(triples):
            return 0
        self.n_fixed -= len(triples)
        self.limits = self.limits + self.mu * self._coefficients(triples, slice(None)).sum(axis=0)
        for row, limit in zip(self.feature_row, self.limits, strict=True):
            self.highs.changeRowBounds(int(row), -np.inf, float(limit))
        return self.add(triples)

    def coefficients(self, features):
        return self._coefficients(self.triples, features)

    def excess(self, solution):
        return self._load(np.asarray(solution.col_value)[self.n_ceilings :]) - self.limits - 1e-10 * self.limits.max()

    def solve(self):
        """Optimal weights for the triples found so far, and the optimal value, a lower bound for all triples.

        The bound is the dual objective, once the multipliers are reduced until they satisfy every constraint exactly:
        HiGHS satisfies them to a tolerance, and after dropping coefficients that are small beside others.
        """
        solution, features = self.optimum(), self.features
        w = np.zeros(len(self.limits))
        w[features] = np.maximum(np.asarray(solution.row_dual)[self.feature_row[features]], 0.0)
        self.binding = np.flatnonzero(np.asarray(solution.col_value)[: self.n_ceilings] > 0)
        alpha, free = np.clip(solution.col_value[self.n_ceilings :], 0.0, self.mu), self.cost == 0
        allowed = ~(self.coefficients(free) > 0).any(axis=1)  # by features without cost
        load = self._load(np.where(allowed, alpha, 0.0)) + (self.cost - self.limits)
        total = alpha[allowed].sum() + self.mu * self.n_fixed
        return w, total / np.max(load[~free] / self.cost[~free], initial=1.0)

    def raise_ceilings(self):
        """Raise the ceilings that bind in the last solution; return their number."""
        for column in self.binding:
            self.ceiling[column] *= 10
            self.highs.changeColCost(int(column), -float(self.ceiling[column]))
        return len(self.binding)

    def _load(self, alpha):
        """Left side of each feature's constraint, sum_t alpha_t z_t."""
        used, load = np.flatnonzero(alpha > 0), np.zeros(len(self.limits))
        for lo in range(0, len(used), COLUMNS):
            batch = used[lo : lo + COLUMNS]
            load += alpha[batch] @ self._coefficients(self.triples[batch], slice(None))
        return load

    def _coefficients(self, triples, features):
        """z_t restricted to some features, shape (n_triples, n_features)."""
        p, l = np.divmod(triples, len(self.U))
        U = self.U[:, features]
        anchors = U[self.pairs.anchors[p]]
        return (anchors - U[l]) ** 2 - (anchors - U[self.pairs.targets[p]]) ** 2


def hinges_in_blocks(U, codes, pairs, w):
    """Pairs p, and ``1 + d_ij - d_il`` of each with all samples l, of its own class -inf; block by block."""
    Z = U * np.sqrt(w)
    reach = pairs.squares(Z)
    for lo, distances in distances_in_blocks(Z):
        hi = lo + len(distances)
        p = np.arange(pairs.starts[lo], pairs.starts[hi])
        distances[codes[lo:hi, None] == codes] = np.inf
        yield p, 1 + reach[p][:, None] - distances[pairs.anchors[p] - lo]


class Hinges:
    """Sum of all hinges under some weights, and its rounding error, added block by block."""

    def __init__(self, U, pairs, w):
        self.norms, self.anchors = (w * U**2).sum(axis=1), pairs.anchors
        self.total = self.rounding = 0.0

    def add(self, p, hinges):
        positive = hinges > 0
        self.total += hinges[positive].sum()
        self.rounding += 2 * np.finfo(float).eps * (positive.sum(axis=1) @ self.norms[self.anchors[p]])


def worst_impostors(U, codes, pairs, w, m):
    """Sum of all hinges under ``w``, its rounding error, and up to ``m`` worst impostors of each pair, as triples."""
    n, under, triples = len(U), Hinges(U, pairs, w), []
    for p, hinges in hinges_in_blocks(U, codes, pairs, w):
        under.add(p, hinges)
        worst = np.argpartition(-hinges, min(m, n - 1), axis=1)[:, :m]
        triples.append((p[:, None] * n + worst)[np.take_along_axis(hinges, worst, axis=1) > 0])
    return under.total, under.rounding, np.concatenate(triples)


def misjudged(U, codes, pairs, w, nearby):
    """Sum of all hinges under ``w``, its rounding error, and the triples of which `Nearby` weights say the wrong thing.

    Returns
    -------
    total, rounding : float
    fixed, left_out : ndarray of int
        Triples whose hinges are zero and not positive, and the reverse.
    """
    n, under, fixed, left_out = len(U), Hinges(U, pairs, w), [], []
    blocks = zip(hinges_in_blocks(U, codes, pairs, w), hinges_in_blocks(U, codes, pairs, nearby.w), strict=True)
    for (p, hinges), (_, before) in blocks:
        under.add(p, hinges)
        fixed.append(_triples(p, n, (before > nearby.band) & (hinges < 0)))
        left_out.append(_triples(p, n, (before < -nearby.band) & (hinges > 0)))
    return under.total, under.rounding, np.concatenate(fixed), np.concatenate(left_out)


def _triples(p, n, chosen):
    """The triples of chosen places of a block."""
    row, l = np.nonzero(chosen)
    return p[row] * n + l


def smoothed_optimum(U, codes, pairs, mu):
    """The weights that are optimal for slightly rounded hinges, by L-BFGS."""
    from scipy.optimize import minimize

    def objective(w, rounding):
        roots = np.sqrt(np.maximum(w, 1e-12))
        loss, gradient = loss_and_gradient(U * roots, codes, pairs, 1 - mu, mu, rounding)
        return loss, np.einsum("ij,ij->j", gradient, U) / (2 * roots)

    n_features = U.shape[1]
    w, options = np.full(n_features, 1 / n_features), {"ftol": 1e-9, "gtol": 0.0, "maxcor": 20}
    for rounding in ROUNDINGS[:3]:
        w = minimize(objective, w, (rounding,), jac=True, bounds=[(0, None)] * n_features, options=options).x
    return w


def decided_by(w, U, codes, pairs):
    """What weights near the optimum decide.

    Returns
    -------
    Nearby
    """
    n, n_features = U.shape
    closest = np.empty(0)
    for _, hinges in hinges_in_blocks(U, codes, pairs, w):
        closest = np.concatenate([closest, np.abs(hinges[hinges > -np.inf])])
        closest = np.partition(closest, UNDECIDED)[:UNDECIDED] if len(closest) > UNDECIDED else closest
    band, n_fixed, load, undecided, squares = closest.max(), 0, np.zeros(n_features), [], U**2
    for p, hinges in hinges_in_blocks(U, codes, pairs, w):
        fixed = hinges > band
        n_fixed += np.count_nonzero(fixed)
        undecided.append(_triples(p, n, np.abs(hinges) <= band))
        load -= fixed.sum(axis=1) @ (U[pairs.anchors[p]] - U[pairs.targets[p]]) ** 2
        anchors, first = np.unique(pairs.anchors[p], return_index=True)
        if len(anchors):
            times = np.add.reduceat(fixed, first, axis=0, dtype=float)  # that each l is with each anchor
            load += times.sum(axis=1) @ squares[anchors] + times.sum(axis=0) @ squares
            load -= 2 * np.einsum("ij,ij->j", U[anchors], times @ U)
    return Nearby(w, band, n_fixed, load, np.concatenate(undecided))


def count_triples(codes, pairs):
    """Number of triples of a target pair and any sample of another class."""
    return (len(codes) - np.bincount(codes)[codes[pairs.anchors]]).sum()


def weights_near_optimum(U, codes, pairs, mu):
    """`Nearby` weights; None where there are few triples or few positive hinges, whose program is small anyway."""
    if count_triples(codes, pairs) <= MANY or U.shape[1] > ALL_FEATURES or pairs.spread(U).min() == 0:
        return None
    nearby = decided_by(smoothed_optimum(U, codes, pairs, mu), U, codes, pairs)
    return nearby if nearby.n_fixed > UNDECIDED else None


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
    # The typical difference of two targets, or the range where they don't differ or distances would lose digits.
    difference, span = np.sqrt(pairs.spread(U) / len(pairs.anchors)), np.ptp(U, axis=0)
    unit = np.where(difference > 0, np.maximum(difference, span / WIDEST), span)
    U = U / unit
    nearby = weights_near_optimum(U, codes, pairs, mu)
    program = ImpostorProgram(U, pairs, mu, nearby)
    if nearby is not None:
        triples = nearby.undecided
    else:
        tiny_weights = np.full(U.shape[1], 0.5 / (np.ptp(U, axis=0) ** 2).sum())  # all distances are below the margin
        *_, triples = worst_impostors(U, codes, pairs, tiny_weights, 1)
    least_scale = NEGLIGIBLE * mu * count_triples(codes, pairs)
    objective, n_rounds, m, fixed = np.inf, 0, 1, np.empty(0, dtype=np.int64)
    while True:
        added = program.release(fixed) + program.add(triples) or program.raise_ceilings()
        w, bound = program.solve()
        n_rounds, m = n_rounds + 1, min(2 * m, len(U))
        if nearby is not None:
            hinges, rounding, fixed, triples = misjudged(U, codes, pairs, w, nearby)
        else:
            hinges, rounding, triples = worst_impostors(U, codes, pairs, w, m)
        value = program.cost @ w + mu * hinges
        if value < objective:
            best, objective, error = w, value, mu * rounding
        scale = max(objective, least_scale)
        gap = (objective - bound) / scale
        if gap <= tol or (not added and (nearby is not None or m == len(U))):
            if error > tol * scale:
                gap = min(gap + error / scale, 1.0)
            return best / unit / unit, float(objective), max(float(gap), 0.0), len(program.triples), n_rounds
