"""Programs with far more features than samples: interior point first, then simplex over its non-zero features.

Simplex alone is slow there: hundreds of features enter, all dense. The normal equations of the interior point method
only grow with the number of constraints.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from fscore.weighting.mdm._program import Program, Solution
from fscore.weighting.mdm._sample import Rows
from fscore.weighting.mdm._simplex import PricedProgram

STEP = 0.9995  # fraction of the largest step that keeps all variables non-negative


class Point(NamedTuple):
    """Primal ``v``, dual ``y``, reduced costs ``z``, and the relative gap reached."""

    v: np.ndarray
    y: np.ndarray
    z: np.ndarray
    gap: float


def interior_point(A, b, c, tolerance=1e-9, max_iter=100):
    """Minimize c.v subject to A v >= b, v >= 0.

    Each step solves normal equations with the matrix A (V/Z) A^T + S/Y of shape (n_rows, n_rows): one matrix product
    and one Cholesky factorization. The slack s = A v - b keeps it positive definite.

    Parameters
    ----------
    A : ndarray of shape (n_rows, n_columns)
    b : ndarray of shape (n_rows,)
    c : ndarray of shape (n_columns,)
    tolerance : float
        Bound on the relative residuals, and on the gap relative to the objective (or to 1e-4 of the largest ``b`` if
        that is larger).
    max_iter : int
        Number of iterations after which the best point is returned with its gap.

    Returns
    -------
    Point

    References
    ----------
    S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM J. Optimization 2 (1992) 575-601;
    S. Wright, "Primal-Dual Interior-Point Methods", SIAM 1997, chapter 10.
    """
    v, s, y, z = _starting_point(A, b, c)
    best = Point(v, y, z, np.inf)
    for _ in range(max_iter):
        primal, dual = b - A @ v + s, c - A.T @ y - z
        gap = max(
            np.abs(primal).max() / (1 + np.abs(b).max()),
            np.abs(dual).max() / (1 + np.abs(c).max()),
            (v @ z + s @ y) / max(abs(c @ v), 1e-4 * np.abs(b).max()),
        )
        if gap < best.gap:
            best = Point(v, y, z, gap)
        if gap <= tolerance:
            break
        try:
            newton = _NewtonStep(A, v, s, y, z, primal, dual)
        except np.linalg.LinAlgError:  # the limit of the normal equations' precision
            break

        dv, ds, dy, dz = newton.step(np.zeros_like(v), np.zeros_like(s))
        p, d = min(1, _largest_step(v, dv, s, ds)), min(1, _largest_step(z, dz, y, dy))
        n, products = len(v) + len(s), v @ z + s @ y
        predicted = (v + p * dv) @ (z + d * dz) + (s + p * ds) @ (y + d * dy)
        target = products / n * (predicted / products) ** 3

        dv, ds, dy, dz = newton.step(target - dv * dz, target - ds * dy)
        p, d = min(1, STEP * _largest_step(v, dv, s, ds)), min(1, STEP * _largest_step(z, dz, y, dy))
        v, s, y, z = v + p * dv, s + p * ds, y + d * dy, z + d * dz
    return best


class _NewtonStep:
    """The Newton system at a point, factored once for the predictor and the corrector."""

    def __init__(self, A, v, s, y, z, primal, dual):
        self.A, self.v, self.s, self.y, self.z, self.primal, self.dual = A, v, s, y, z, primal, dual
        self.scale = v / z
        half = A * np.sqrt(self.scale)
        normal = half @ half.T
        del half
        normal[np.diag_indices_from(normal)] += s / y
        self.factor = cho_factor(normal, lower=True, overwrite_a=True, check_finite=False)

    def step(self, vz, sy):
        """The step that leads, to first order, to V z = vz, S y = sy and zero residuals."""
        vz, sy = vz - self.v * self.z, sy - self.s * self.y
        residual = self.dual - vz / self.v
        right = self.primal + sy / self.y + self.A @ (self.scale * residual)
        dy = cho_solve(self.factor, right, check_finite=False)
        dv = self.scale * (self.A.T @ dy - residual)
        return dv, (sy - self.s * dy) / self.y, dy, (vz - self.z * dv) / self.v


def _largest_step(*pairs):
    """The largest step at which no value becomes negative."""
    step = np.inf
    for value, change in zip(pairs[::2], pairs[1::2], strict=True):
        falling = change < 0
        step = min(step, np.min(-value[falling] / change[falling], initial=np.inf))
    return step


def _starting_point(A, b, c):
    """Mehrotra's starting point: the least-squares solution, shifted into the interior."""
    normal = A @ A.T
    normal[np.diag_indices_from(normal)] += 1
    factor = cho_factor(normal, lower=True, overwrite_a=True)
    u = cho_solve(factor, b)
    v, s = A.T @ u, -u
    y = cho_solve(factor, A @ c)
    z = c - A.T @ y
    primal = max(-1.5 * min(v.min(), s.min()), 0) + 1e-3
    dual = max(-1.5 * min(z.min(), y.min()), 0) + 1e-3
    v, s, y, z = v + primal, s + primal, y + dual, z + dual
    product = (v @ z + s @ y) / 2
    primal, dual = product / (z.sum() + y.sum()), product / (v.sum() + s.sum())
    return v + primal, s + primal, y + dual, z + dual


class InteriorProgram(Program):
    """A :class:`Program` with dense columns for all features, solved only as accurately as each round needs.

    Parameters
    ----------
    sample : Sample
    C : float or None
    margin : float
        Lower bound on the distances between classes.
    """

    name = "constraint generation, interior point"
    first_accuracy, best_accuracy, sufficient_gap = 1e-3, 1e-9, 1e-6

    def __init__(self, sample, C, margin):
        self.sample, self.C, self.margin = sample, C, margin
        self.rows = Rows.empty()

    def add(self, rows):
        """Append constraints."""
        self.rows = self.rows.joined(rows)

    def set_C(self, C):
        """Change the penalty on the slacks."""
        self.C = C

    def solve(self, accuracy=0.0):
        """The optimum over the constraints found so far, to a relative ``accuracy`` (1e-9 at best).

        Rounding in the normal equations can end the iterations earlier, but within ``sufficient_gap``.
        """
        A, b, c, owners = self.standard_form()
        d, n_other = self.sample.n_features, len(self.rows.other)
        point = interior_point(A, b, c, max(accuracy, self.best_accuracy))
        slacks = np.zeros(self.sample.n_samples)
        slacks[owners] = point.v[d + 1 :]
        return Solution(point.v[:d], point.v[d], slacks, b @ point.y, point.y[n_other:], point.y[:n_other])

    def standard_form(self):
        """The program as: minimize c.v subject to A v >= b, v >= 0, where v is w, r, then slacks.

        Returns
        -------
        A : ndarray of shape (n_rows, n_columns)
            ``rows.other`` first, then ``rows.same``.
        b : ndarray of shape (n_rows,)
        c : ndarray of shape (n_columns,)
        owners : ndarray of shape (n_slacks,)
            The samples that have a slack: those that own a same-class constraint. The other slacks are zero.
        """
        (same, other), sample, soft = self.rows, self.sample, self.C is not None
        n_other, d = len(other), sample.n_features
        owners, owner = np.unique(same[:, 0], return_inverse=True) if soft else (np.empty(0, dtype=np.intp),) * 2
        A = np.zeros((self.rows.count(), d + 1 + len(owners)))
        A[:n_other, :d] = sample.differences(other)
        np.negative(sample.differences(same), out=A[n_other:, :d])
        A[n_other:, d] = 1
        if soft:
            A[n_other + np.arange(len(same)), d + 1 + owner] = 1
        b = np.r_[np.full(n_other, self.margin), np.zeros(len(same))]
        c = np.r_[np.zeros(d), 1.0, np.full(len(owners), self.C if soft else 0.0)]
        return A, b, c, owners

    def refined(self, solution):
        """The program that continues to a vertex, over the features whose weights are not nearly zero."""
        return PricedProgram(self, solution.w > 1e-6 * solution.w.max())
