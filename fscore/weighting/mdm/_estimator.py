"""Maximum distance minimization (MDM), Hocke and Martinetz 2014."""

from numbers import Real
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from fscore._validation import check_labelled
from fscore._warnings import warn_user
from fscore.weighting._base import FeatureWeighting
from fscore.weighting.mdm._certificate import HARD, certified, effective_price
from fscore.weighting.mdm._full import solve_full
from fscore.weighting.mdm._generation import continue_program, generate_rows, start_program
from fscore.weighting.mdm._task import Task

__all__ = ["MDM", "mdm_path"]


class ConstraintCount(NamedTuple):
    """Rows of the program: ``full`` without repetitions (eq. 10 counts n_samples**2), ``used`` to find its optimum."""

    full: int
    used: int


class MDM(FeatureWeighting):
    r"""Feature weights that draw each class together while classes keep their distance.

    The weights minimize the largest weighted distance between samples of one class, while samples of different classes
    keep at least distance one. That is a linear program in the weights [1]_:

    .. math:: \min_{w, r, \xi \ge 0} r + C \sum_i \xi_i \quad\text{s.t.}\quad
        \|x_i - x_j\|_w^2 \ge 1 \;\; (y_i \ne y_j), \qquad \|x_i - x_j\|_w^2 \le r + \xi_i \;\; (y_i = y_j)

    with :math:`\|z\|_w^2 = \sum_\mu w_\mu z_\mu^2`. Without :math:`\xi` the program is the hard one. The optimum does
    not depend on how the features are scaled.

    Parameters
    ----------
    C : float, default=None
        Price of slack, > 0. None (and ``nu`` None) is the hard program, and so is any ``C > 1/2``: a pair that is too
        long needs slack at both ends. ``C < 1/n_samples`` makes r zero (a warning says so).
    nu : float, default=None
        The readable alternative, in (0, 1]: ``C = 1 / (nu * n_samples)``. At most the fraction ``nu`` of the samples
        gets slack, and the objective is the mean, over the worst ``nu`` of the samples, of the distance to the
        farthest sample of their class.
    solver : {"constraints", "full"}, default="constraints"
        Two exact ways to one optimum. "constraints" starts from few pairs and adds those that the weights violate; its
        memory does not grow with the square of ``n_samples``. "full" writes the whole program in cvxpy and is there
        to check the other.
    duplicates : {"error", "drop"}, default="error"
        What to do with identical samples of different classes, which no weights can tell apart (the paper says that the
        program can always be fulfilled; this is the exception): refuse, or leave out the constraints of such pairs
        and report them in ``dropped_pairs_``.
    tol : float, default=1e-9
        Relative gap between the bounds on the optimum at which constraint generation ends.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        w of eq. (1). Zero for constant features. If several optima exist, one of them.
    r_ : float
        The radius; if several are optimal for these weights, the largest, which needs the fewest slacks.
    slacks_ : ndarray of shape (n_samples,)
        What each sample's farthest distance within its class exceeds ``r_`` by; zero in the hard program.
    objective_ : float
        Eq. (8) or (14), computed from the distances of all pairs.
    duality_gap_ : float
        ``objective_`` exceeds the full program's optimum at most by this fraction: a certificate computed from the
        multipliers.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the weighted variance, ``w_mu Var(x_mu)`` over its sum: unlike the weights, it does not
        depend on the scaling, so ``SelectFromModel(MDM(nu=0.2))`` does not either.
    n_constraints_ : tuple
        ``full``: rows of the full program (every pair once; same-class pairs twice in the soft one, ``C <= 1/2``, for
        each end may take slack); ``used``: rows that the solution way needed.
    n_rounds_ : int
        Rounds of adding rows and solving the program anew.
    solver_ : str
        The way taken.
    C_ : float or None
        The price of slack asked for.
    dropped_pairs_ : ndarray of shape (n_pairs, 2)
        Row numbers of identical samples of different classes.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Raises
    ------
    ValueError
        Both ``C`` and ``nu`` given, a single class, or identical samples of different classes.
    MemoryError
        If ``solver="full"`` needs more memory than the machine has.

    Warns
    -----
    UserWarning
        ``C < 1/n_samples``.
    ConvergenceWarning
        ``duality_gap_`` is above 1e-6.

    Notes
    -----
    Eq. (13) runs over ordered pairs: a pair that is too long takes slack from both of its samples. The rows of the soft
    program are not printed in the part of the paper at hand; they follow from eqs. (12)-(14).

    Without two samples of one class, and where features constant within classes can tell the classes apart, r is zero
    and every feasible w is optimal; one with few non-zero weights is returned.

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

    _parameter_constraints: ClassVar[dict] = {
        "C": [None, Interval(Real, 0, None, closed="neither")],
        "nu": [None, Interval(Real, 0, 1, closed="right")],
        "solver": [StrOptions({"constraints", "full"})],
        "duplicates": [StrOptions({"error", "drop"})],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, C=None, nu=None, *, solver="constraints", duplicates="error", tol=1e-9):
        self.C = C
        self.nu = nu
        self.solver = solver
        self.duplicates = duplicates
        self.tol = tol

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self : MDM
        """
        X, codes, _ = check_labelled(X, y, estimator=self)
        price = self._price(len(X))
        C = effective_price(price)
        task = Task(X, codes, self.duplicates)
        if self.solver == "full":
            solution, rows = solve_full(task.sample, C)
            extremes, way, n_rounds = task.sample.extremes(solution.w), "full program", 1
        else:
            program = start_program(task.sample, C, task.start)
            program, solution, extremes, n_rounds = generate_rows(program, self.tol)
            rows, way = program.rows, program.name
        best = _certified(task, rows, solution, C, extremes)
        self.r_, self.slacks_ = best.r, task.unsorted(best.slacks)
        self.objective_, self.duality_gap_ = best.objective, best.gap
        self._set_weights(task.unscaled(best.w), X)
        same, other = task.sample.n_pairs()
        full = same * (1 if C is None else 2) + other - len(task.dropped_pairs)
        self.n_constraints_ = ConstraintCount(full, rows.count())
        self.dropped_pairs_ = task.dropped_pairs
        self.C_, self.solver_, self.n_rounds_ = price, way, n_rounds
        return self

    def _price(self, n_samples):
        if self.C is not None and self.nu is not None:
            raise ValueError(
                f"C={self.C} and nu={self.nu} are both given; nu means C = 1 / (nu * n_samples), so give one."
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


def _certified(task, rows, solution, C, extremes):
    """The solution scaled to exact feasibility and certified, with a warning where the bounds on the optimum differ."""
    best = certified(task.sample, rows, solution, C, extremes)
    if best.gap > 1e-6:
        warn_user(
            f"The objective {best.objective:.6g} may exceed the optimum by a fraction of {best.gap:.1e}: "
            "samples of different classes are too close for the solver's precision.",
            ConvergenceWarning,
        )
    return best


@validate_params(
    {
        "X": ["array-like"],
        "y": ["array-like"],
        "nus": ["array-like"],
        **{name: MDM._parameter_constraints[name] for name in ("duplicates", "tol")},
    },
    prefer_skip_nested_validation=True,
)
def mdm_path(X, y, nus, *, duplicates="error", tol=1e-9):
    """Weights of soft MDM for a grid of ``nu``, each program warm-started with the rows and the basis of the last.

    Simplex walks from vertex to vertex as ``nu`` grows, over the rows that are nearly tight. On many samples a grid
    costs about as much as its dearest single fit; on few, where a program is solved as soon as the rows that it
    violates are found, a small multiple (``benchmarks/mdm.py`` has the ratios). A finer grid adds few steps. With far
    more features than samples the first program is solved by interior point, and features enter as they pay.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    nus : array-like of shape (n_nus,)
        Each in (0, 1]; solved in ascending order, whatever order they are given in.
    duplicates, tol
        As in :class:`MDM`.

    Returns
    -------
    weights : ndarray of shape (n_nus, n_features)
        ``weights[k]`` are the ``weights_`` of ``MDM(nu=nus[k])``.

    Warns
    -----
    ConvergenceWarning
        As in :class:`MDM`, for each ``nu`` whose gap is above 1e-6.
    """
    nus = np.asarray(nus, dtype=float)
    if nus.ndim != 1 or not np.all((nus > 0) & (nus <= 1)):
        raise ValueError(f"nus must be a sequence of numbers in (0, 1], got {nus.tolist()}.")
    X, codes, _ = check_labelled(X, y)
    task = Task(X, codes, duplicates)
    weights = np.empty((len(nus), X.shape[1]))
    program = solution = extremes = None
    for k in np.argsort(nus, kind="stable"):
        C = min(1 / (nus[k] * len(X)), HARD)
        if program is None:
            program = start_program(task.sample, C, task.start)
        else:
            continue_program(program, C, solution, extremes)
        program, solution, extremes, _ = generate_rows(program, tol)
        weights[k] = task.unscaled(_certified(task, program.rows, solution, C, extremes).w)
    return weights
