"""Large margin nearest neighbour classification (LMNN): a full metric, or feature weights by linear programming."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from fscore._parameters import Interval, fit_context
from fscore._typing import Floats
from fscore._warnings import warn_user
from fscore.weighting._base import FeatureWeighting, check_sample
from fscore.weighting._highs import TOO_WIDE, naming_outliers, wide_column
from fscore.weighting._targets import loss_and_gradient, target_neighbors

__all__ = ["LMNN"]


ROUNDINGS = (1.0, 0.1, 0.01, 0.001, 0.0)  # of the hinge, in this order: without them L-BFGS stalls at its corners
NARROW = 1e-6  # least over greatest mean square of the target differences: where less, they give the unit


class LMNN(FeatureWeighting):
    r"""A metric in which target neighbours are close and other classes are farther away by a margin.

    .. math:: (1 - \mu) \sum_{i, j \to i} d(i, j) + \mu \sum_{i, j \to i} \sum_{l: y_l \ne y_i}
        [1 + d(i, j) - d(i, l)]_+, \qquad d(i, j) = \|L (x_i - x_j)\|^2

    is minimized over all L (by L-BFGS, all impostors l at every step), or, with ``diagonal=True``, over
    :math:`d(i, j) = \sum_\mu w_\mu (x_{i\mu} - x_{j\mu})^2`, w >= 0, as a linear program (exactly). The target
    neighbours j of i are its k nearest samples of the same class in the original features [1]_.

    ``weights_`` is w if ``diagonal``. Otherwise it is the diagonal of the metric :math:`W = L^T L` of eq. (2) of [2]_:
    the squared length of a unit step along one feature. The distances then come from ``transform``, which mixes the
    features.

    Parameters
    ----------
    n_neighbors : int, default=3
        Number k of target neighbours.
    mu : float, default=0.5
        Weight of the impostors, in (0, 1).
    diagonal : bool, default=False
        Feature weights instead of a full metric.
    n_components : int or None, default=None
        Number of rows of L; None means ``min(n_features, n_samples - 1)``. L starts from the leading principal
        components, that is, from Euclidean distances if it has all of them. Ignored if ``diagonal``.
    max_iter : int, default=500
        Maximum number of L-BFGS iterations for each of five roundings of the hinge.
    tol : float, default=1e-7
        L-BFGS stops when a step reduces the objective by less than this fraction. The linear program is always solved
        to a relative gap of 1e-9.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        w of eq. (1) of [2]_, or the diagonal of the metric. Zero for constant features.
    components_ : ndarray of shape (n_components, n_features)
        L; absent if ``diagonal``.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum.
    objective_ : float
        Computed from the distances of all pairs.
    duality_gap_ : float
        Upper bound on the fraction by which ``objective_`` exceeds the optimum, including rounding errors where they
        matter; only if ``diagonal``.
    n_triples_ : int
        Number of triples (i, j, l) in the linear program; only if ``diagonal``.
    n_iter_ : int
        Total number of L-BFGS iterations, or of linear programs solved.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Raises
    ------
    ValueError
        Fewer than two classes, no class of two samples, only constant features, more components than features, or
        values so large or small that their squares overflow or underflow. Or the linear program can't be solved,
        because a column has outliers that are too far away.

    Warns
    -----
    UserWarning
        A class has at most ``n_neighbors`` samples: its samples then have fewer target neighbours (a single sample has
        none, but can be an impostor). Or all weights are zero, which is the optimum if the distances to the targets
        outweigh the impostors.
    ConvergenceWarning
        L-BFGS reached ``max_iter``, ``duality_gap_`` is above 1e-6, or a column has outliers so far away that
        distances lose most of their digits; the message names the column.

    Notes
    -----
    The target neighbours depend on the scaling of the features. Once they are chosen, the diagonal program does not
    depend on it, and the full one only through its starting point.

    In L the objective is neither convex nor smooth, but with as many components as features its local minima are
    global. L-BFGS first minimizes it with a rounded hinge, then with less and less rounding, finally with none; in the
    tests the result is within 1e-4 of the optimum of the equivalent semidefinite program. Directions in which the
    training samples do not differ do not contribute to the metric.

    Identical samples of different classes are allowed; they are impostors in any metric.

    The weights can depend on the order of the columns in two cases. If several samples have the same distance, which is
    common in rounded data, rounding errors decide which of them are target neighbours. And if the linear program has
    several optima, the vertex that simplex reaches is returned.

    Memory is O(n_samples (n_features + block)) for L-BFGS, and O(n_features) for each triple in the linear program.

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
    >>> X, y = load_iris(return_X_y=True)
    >>> LMNN().fit(X, y).components_.shape
    (4, 4)
    >>> lmnn = LMNN(diagonal=True).fit(X, y)
    >>> lmnn.duality_gap_ < 1e-9
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "mu": [Interval(Real, 0, 1, closed="neither")],
        "diagonal": ["boolean"],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        mu: float = 0.5,
        diagonal: bool = False,
        n_components: int | None = None,
        max_iter: int = 500,
        tol: float = 1e-7,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.diagonal = diagonal
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol

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
        X, codes, _ = check_sample(X, y, estimator=self, each_column=True)
        for name in ("components_", "duality_gap_", "n_triples_"):  # attributes of the other kind of fit
            vars(self).pop(name, None)
        pairs = target_neighbors(X, codes, self.n_neighbors)
        span = np.ptp(X, axis=0)
        varying = span > 0
        centred = (X - X.mean(axis=0))[:, varying]
        if self.diagonal:
            weights = np.zeros(X.shape[1])
            weights[varying] = self._fit_weights(X, centred / span[varying], codes, pairs) / span[varying] ** 2
        else:
            if outliers := wide_column(X, self, TOO_WIDE):
                warn_user(f"Distances lose most of their digits.{outliers}", ConvergenceWarning)
            L = self._fit_components(centred, span[varying], codes, pairs, self._n_components(X))
            self.components_ = np.zeros((len(L), X.shape[1]))
            self.components_[:, varying] = L
            weights = np.einsum("kf,kf->f", self.components_, self.components_)
        self._set_weights(weights, X)
        return self

    def _n_components(self, X):
        if self.n_components is None:
            return min(X.shape[1], len(X) - 1)
        if self.n_components > X.shape[1]:
            raise ValueError(
                f"n_components={self.n_components} exceeds the {X.shape[1]} features. Lower it, or use None for all."
            )
        return self.n_components

    def _fit_weights(self, X, U, codes, pairs):
        from fscore.weighting._lmnn_program import solve_diagonal

        with naming_outliers(X, self):
            w, self.objective_, self.duality_gap_, self.n_triples_, self.n_iter_ = solve_diagonal(
                U, codes, pairs, self.mu, tol=1e-9
            )
        if self.duality_gap_ > 1e-6:
            warn_user(
                f"The objective {self.objective_:.6g} may exceed the optimum by a fraction of {self.duality_gap_:.1e}."
                f"{wide_column(X, self)}",
                ConvergenceWarning,
            )
        return w

    def _fit_components(self, X, span, codes, pairs, n_components):
        """Minimize over V = L T', where X = W T and W has unit covariance: L-BFGS then needs a tenth of the steps."""
        from scipy.optimize import minimize

        W, T, back = _in_target_units(*_whitened(X / span), pairs)
        T, back = T * span, back / span
        start = np.zeros((n_components, len(T)))
        principal = np.linalg.svd(X, full_matrices=False)[2][:n_components]
        unit = np.sqrt(pairs.squares(X).mean() or X.var(axis=0).sum())  # targets may coincide
        start[: len(principal)] = principal @ T.T / unit

        def objective(flat, rounding):
            V = flat.reshape(start.shape)
            loss, gradient = loss_and_gradient(W @ V.T, codes, pairs, 1 - self.mu, self.mu, rounding)
            return loss, (gradient.T @ W).ravel()

        options = {"maxiter": self.max_iter, "maxfun": 4 * self.max_iter, "ftol": self.tol, "gtol": 0.0, "maxcor": 20}
        V, self.n_iter_ = start.ravel(), 0
        for rounding in ROUNDINGS:
            found = minimize(objective, V, (rounding,), jac=True, method="L-BFGS-B", options=options)
            V, self.n_iter_ = found.x, self.n_iter_ + found.nit
        self.objective_ = float(found.fun)
        if found.status == 1:
            warn_user(
                f"L-BFGS did not converge in max_iter={self.max_iter} iterations (tol={self.tol}); increase either.",
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
        ndarray of shape (n_samples, n_components), or (n_samples, n_features) if ``diagonal``
        """
        if self.diagonal:
            return super().transform(X)
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64) @ self.components_.T

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Names of the features if ``diagonal``, else lmnn0, lmnn1, ...

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Used only if ``diagonal``.

        Returns
        -------
        ndarray of str
        """
        if self.diagonal:
            return super().get_feature_names_out(input_features)
        check_is_fitted(self)
        return np.array([f"lmnn{k}" for k in range(len(self.components_))], dtype=object)


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
