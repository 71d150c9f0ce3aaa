"""MDM as a scikit-learn transformer, and its path over nu."""

from dataclasses import KW_ONLY
from numbers import Real
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fscore._columns import as_array
from fscore._magnitudes import check_scale, wide_column
from fscore._sklearn import Interval, StrOptions, estimator_dataclass, fit_context, validate_params
from fscore._typing import ArrayLike, Floats
from fscore._validation import check_labeled
from fscore._warnings import warn_user
from fscore.weighting._base import FeatureWeighting
from fscore.weighting.mdm._certificate import HARD_PENALTY, certify, effective_penalty, evaluate_scaled
from fscore.weighting.mdm._generation import generate_rows, initial_program
from fscore.weighting.mdm._program import solve_full
from fscore.weighting.mdm._sample import PreparedData


class ConstraintCount(NamedTuple):
    """Numbers of constraints: ``full`` without repetitions (eq. 10 counts n_samples**2), ``used`` to solve it."""

    full: int
    used: int


@estimator_dataclass
class MDM(FeatureWeighting):
    r"""Feature weights that make classes compact while keeping them apart.

    The weights minimize the largest weighted distance between samples of one class, while samples of different classes
    keep at least distance one. That is a linear program in the weights [1]_:

    .. math:: \min_{w, r, \xi \ge 0} r + C \sum_i \xi_i \quad\text{s.t.}\quad
        \|x_i - x_j\|_w^2 \ge 1 \;\; (y_i \ne y_j), \qquad \|x_i - x_j\|_w^2 \le r + \xi_i \;\; (y_i = y_j)

    with :math:`\|z\|_w^2 = \sum_\mu w_\mu z_\mu^2`. Without :math:`\xi` the program is the hard one. The optimum does
    not depend on the scaling of the features.

    Parameters
    ----------
    C : float, default=None
        Penalty on the slacks, > 0. None (with ``nu`` None) gives the hard program, and so does any ``C > 1/2``: a pair
        that is too far apart needs slack at both ends. ``C < 1/n_samples`` makes r zero, with a warning.
    nu : float, default=None
        Alternative to ``C`` in (0, 1] that is easier to interpret: ``C = 1 / (nu * n_samples)``. At most the fraction
        ``nu`` of the samples has slack, and the objective is the mean distance to the farthest sample of the same
        class over the worst fraction ``nu`` of the samples.
    solver : {"constraints", "full"}, default="constraints"
        Both find the same optimum. "constraints" starts from few pairs and adds those that the weights violate; its
        memory does not grow with the square of ``n_samples``. "full" solves the whole program by scipy, as a check.
    duplicates : {"error", "drop"}, default="error"
        What to do with identical samples of different classes: raise an error, or leave out the constraints of such
        pairs and report them in ``dropped_pairs_``. No weights can separate these samples: the paper says that the
        program is always feasible, and this is the exception.
    tol : float, default=1e-9
        Relative gap between the bounds on the optimum at which constraint generation stops.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        w of eq. (1). Zero for constant features. If there are several optima, one of them.
    r_ : float
        The radius; if several are optimal for these weights, the largest, which needs the fewest slacks.
    slacks_ : ndarray of shape (n_samples,)
        By how much each sample's largest distance within its class exceeds ``r_``; zero in the hard program.
    objective_ : float
        Eq. (8) or (14), computed from the distances of all pairs.
    duality_gap_ : float
        Upper bound on the fraction by which ``objective_`` exceeds the optimum of the full program, computed from the
        multipliers.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum. Unlike the weights, it does not
        depend on the scaling, so neither does ``SelectFromModel(MDM(nu=0.2))``.
    n_constraints_ : tuple
        ``full``: constraints of the full program (every pair once; same-class pairs twice in the soft program,
        ``C <= 1/2``, because each end may take slack); ``used``: constraints in the program that was solved.
    n_rounds_ : int
        Number of times that the program was solved.
    solver_ : str
        The method used: "full program" or "constraint generation".
    C_ : float or None
        The penalty given by ``C`` or ``nu``.
    dropped_pairs_ : ndarray of shape (n_pairs, 2)
        Row numbers of identical samples of different classes.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X; only if X has names that are all strings.

    Raises
    ------
    ValueError
        Both ``C`` and ``nu`` given, a single class, identical samples of different classes, or a column whose range is
        outside [1e-145, 1e145], so that its weight is not a float.

    Warns
    -----
    UserWarning
        ``C < 1/n_samples``.
    ConvergenceWarning
        ``duality_gap_`` is above 1e-6.

    Notes
    -----
    Eq. (13) runs over ordered pairs: a pair that is too far apart takes slack from both of its samples. The constraint
    matrix of the soft program is not printed in the part of the paper at hand; it follows from eqs. (12)-(14).

    If no class has two samples, or if features that are constant within each class separate the classes, r is zero and
    every feasible w is optimal; one with few non-zero weights is returned.

    References
    ----------
    .. [1] J. Hocke and T. Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
       52 (2014) 48-52, eqs. (1), (6)-(14).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from fscore.weighting import MDM
    >>> X, y = load_iris(return_X_y=True)
    >>> mdm = MDM().fit(X, y)
    >>> round(mdm.r_, 3)
    111.683
    >>> bool(abs(MDM().fit(X * [1, 10, 100, 1000], y).r_ - mdm.r_) < 1e-6)
    True
    """

    C: float | None = None
    nu: float | None = None
    _: KW_ONLY
    solver: Literal["constraints", "full"] = "constraints"
    duplicates: Literal["error", "drop"] = "error"
    tol: float = 1e-9

    _parameter_constraints: ClassVar[dict] = {
        "C": [None, Interval(Real, 0, None, closed="neither")],
        "nu": [None, Interval(Real, 0, 1, closed="right")],
        "solver": [StrOptions({"constraints", "full"})],
        "duplicates": [StrOptions({"error", "drop"})],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Find the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : MDM
        """
        X, codes, _ = check_labeled(X, y, estimator=self)
        check_scale(X, self, ranges="each")
        penalty = self._penalty(len(X))
        C = effective_penalty(penalty, len(X))
        data = PreparedData(X, codes, self.duplicates)
        if self.solver == "full":
            solution, rows = solve_full(data.sample, C)
            if solution is None:
                raise data.too_close()
            extremes, method, n_rounds = data.sample.extremes(solution.w), "full program", 1
        else:
            program = initial_program(data.sample, C, data.unweighted)
            solution, extremes, n_rounds = generate_rows(program, self.tol)
            rows, method = program.rows, "constraint generation"
        w, self.duality_gap_ = _certify_or_warn(data, rows, solution, C, extremes, X, self.tol, self)
        self.r_, slacks, self.objective_ = evaluate_scaled(extremes, C and penalty)
        self.slacks_ = data.in_input_order(slacks)
        self._set_weights(data.in_input_units(w), X)
        same, other = data.sample.n_pairs()
        full = same * (1 if C is None else 2) + other - len(data.dropped_pairs)
        self.n_constraints_ = ConstraintCount(full, rows.count())
        self.dropped_pairs_ = data.dropped_pairs
        self.C_, self.solver_, self.n_rounds_ = penalty, method, n_rounds
        return self

    def _penalty(self, n_samples):
        if self.C is not None and self.nu is not None:
            raise ValueError(
                f"C={self.C} and nu={self.nu} are both given, but nu sets C to 1 / (nu * n_samples). Give only one."
            )
        if self.nu is not None:
            return 1 / (self.nu * n_samples)
        if self.C is not None and self.C * n_samples < 1 - 1e-9:
            warn_user(
                f"C={self.C} is below 1/n_samples={1 / n_samples:.3g}: r is zero and the weights are those of nu=1. "
                "Choose nu in (0, 1] instead.",
                UserWarning,
            )
        return self.C


def _certify_or_warn(data, rows, solution, C, extremes, X, tol, estimator=None):
    """As :func:`certify`, with a warning if the gap is above 1e-6, which names its cause: ``tol``, or outliers."""
    w, gap = certify(data.sample, rows, solution, C, extremes)
    if gap > 1e-6:
        cause = "some samples are too close for the solver's precision." + wide_column(X, estimator)
        if gap <= tol:
            cause = f"tol={tol} allows it; lower tol to come closer."
        warn_user(f"The objective may exceed the optimum by a fraction of {gap:.1e}: {cause}", ConvergenceWarning)
    return w, gap


@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "nus": ["array-like"],
        **{name: MDM._parameter_constraints[name] for name in ("duplicates", "tol")},
    },
    prefer_skip_nested_validation=True,
)
def mdm_path(
    X: ArrayLike, y: ArrayLike, nus: ArrayLike, *, duplicates: Literal["error", "drop"] = "error", tol: float = 1e-9
) -> Floats:
    """Weights of soft MDM for a grid of ``nu``, each program warm-started with constraints and basis of the last.

    As ``nu`` grows, simplex continues from vertex to vertex over the constraints that were found before, so that a
    grid takes a fraction of the time of its single fits (``benchmarks/mdm.py`` measures it).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    nus : array-like of shape (n_nus,)
        Each in (0, 1], in any order; solved in ascending order.
    duplicates, tol
        As in :class:`MDM`.

    Returns
    -------
    weights : ndarray of shape (n_nus, n_features)
        ``weights[k]`` are the ``weights_`` of ``MDM(nu=nus[k])``.

    Raises
    ------
    ValueError
        ``nus`` is not a sequence of numbers in (0, 1]; otherwise as in :class:`MDM`.

    Warns
    -----
    ConvergenceWarning
        As in :class:`MDM`, for each ``nu`` whose gap is above 1e-6.
    """
    grid = as_array(nus)
    if grid.ndim != 1 or grid.dtype.kind not in "iuf" or not np.all((grid > 0) & (grid <= 1)):
        raise ValueError(f"nus must be a sequence of numbers in (0, 1], got {nus!r}.")
    X, codes, _ = check_labeled(X, y)
    check_scale(X, "mdm_path", ranges="each")
    data = PreparedData(X, codes, duplicates)
    weights = np.empty((len(grid), X.shape[1]))
    program = None
    for k in np.argsort(grid, kind="stable"):
        C = min(1 / (grid[k] * len(X)), HARD_PENALTY)
        if program is None:
            program = initial_program(data.sample, C, data.unweighted)
        else:
            program.set_C(C)
        solution, extremes, _ = generate_rows(program, tol)
        w, _ = _certify_or_warn(data, program.rows, solution, C, extremes, X, tol)
        weights[k] = data.in_input_units(w)
    return weights
