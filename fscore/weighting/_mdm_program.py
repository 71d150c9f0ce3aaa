"""The linear program of maximum distance minimization: written out in full, and grown from few of its rows.

Everything here works on features scaled to unit range, samples sorted by class, and class numbers. The squared
coordinate differences of a pair, z = (x_i - x_j) o (x_i - x_j), are one row's coefficients of the weights [1]_.

References
----------
.. [1] Hocke and Martinetz, "Maximum distance minimization for feature weighting", Pattern Recognition Letters
   52 (2014), eqs. (6)-(14).
"""

import os
from typing import NamedTuple

import numpy as np

BLOCK = 64  # samples whose distances to all others are held at once: few enough for the cache
HARD = 0.75  # a price of slack above 1/2, at which soft programs have the optima of the hard one
BYTES_PER_COEFFICIENT = 300  # of the full program in cvxpy and HiGHS: measured on wdbc, 162k rows of 31


class Rows(NamedTuple):
    """Constraints by their pairs: ``same`` (i, j) bounds d_ij from above (on i's account), ``other`` from below."""

    same: np.ndarray  # (n, 2)
    other: np.ndarray  # (n, 2)

    @classmethod
    def empty(cls):
        """No constraints yet."""
        return cls(*np.empty((2, 0, 2), dtype=np.intp))

    def joined(self, rows):
        """These constraints, then ``rows``."""
        return Rows(np.concatenate([self.same, rows.same]), np.concatenate([self.other, rows.other]))

    def count(self):
        """Number of constraints."""
        return len(self.same) + len(self.other)


class Solution(NamedTuple):
    """An optimum of a program: variables, a bound from below on its value, and the multipliers of its rows."""

    w: np.ndarray
    r: float
    slacks: np.ndarray
    bound: float
    same_duals: np.ndarray
    other_duals: np.ndarray


class Extremes(NamedTuple):
    """What the weights do to each sample: its farthest friend and its nearest stranger."""

    farthest: np.ndarray  # sample numbers; a sample without a friend names itself
    farthest_distance: np.ndarray
    nearest: np.ndarray
    nearest_distance: np.ndarray


class Sample:
    """Labelled points sorted by class, and the distance questions asked of them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        In unit range, sorted by class.
    codes : ndarray of shape (n_samples,)
        Class numbers, ascending.
    identical : ndarray of shape (n_samples,) or None
        Equal numbers for identical points. Where given, identical points are under no constraint.
    """

    def __init__(self, X, codes, identical=None):
        self.X = X
        self.codes = codes
        self.identical = identical
        self.n_samples, self.n_features = X.shape
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        self.classes = [slice(lo, hi) for lo, hi in zip(first, [*first[1:], len(X)], strict=True)]

    def differences(self, pairs):
        """Squared coordinate differences, shape (n_pairs, n_features)."""
        return (self.X[pairs[:, 0]] - self.X[pairs[:, 1]]) ** 2

    def distances(self, pairs, w):
        """Squared weighted distances of pairs from explicit differences: no cancellation."""
        step = max(BLOCK, BLOCK * self.n_samples // max(1, self.n_features))
        return np.concatenate(
            [self.differences(pairs[k : k + step]) @ w for k in range(0, len(pairs), step)] or [np.empty(0)]
        )

    def all_pairs(self, ordered):
        """Every row of the full program; same-class pairs in both orders if ``ordered``."""
        i, j = np.triu_indices(self.n_samples, 1)
        label = np.repeat(np.arange(len(self.classes)), [c.stop - c.start for c in self.classes])
        pairs, friends = np.column_stack([i, j]), label[i] == label[j]
        same, other = pairs[friends], pairs[~friends]
        if self.identical is not None:
            other = other[self.identical[other[:, 0]] != self.identical[other[:, 1]]]
        return Rows(np.concatenate([same, same[:, ::-1]]) if ordered else same, other)

    def n_pairs(self):
        """Numbers of unordered same-class and different-class pairs."""
        sizes = np.array([c.stop - c.start for c in self.classes])
        same = int(np.sum(sizes * (sizes - 1)) // 2)
        return same, self.n_samples * (self.n_samples - 1) // 2 - same

    def extremes(self, w):
        """Farthest friend and nearest stranger of every sample under weights ``w``, in O(n_samples * BLOCK) memory.

        A matrix product finds the partners, explicit differences measure them.
        """
        used = w > 0
        Z = (self.X - self.X.mean(axis=0))[:, used] * np.sqrt(w[used])
        # |b|^2 - 2 a.b as one product; |a|^2 is constant along a row and moves no extreme
        left, right = np.column_stack([-2 * Z, np.ones(len(Z))]), np.column_stack([Z, np.einsum("ij,ij->i", Z, Z)])
        farthest, nearest = np.empty((2, self.n_samples), dtype=np.intp)
        for members in self.classes:
            for lo in range(members.start, members.stop, BLOCK):
                block = slice(lo, min(lo + BLOCK, members.stop))
                d = left[block] @ right.T
                farthest[block] = members.start + d[:, members].argmax(axis=1)
                d[:, members] = np.inf
                if self.identical is not None:
                    d[self.identical[block, None] == self.identical] = np.inf
                nearest[block] = d.argmin(axis=1)
        everyone = np.arange(self.n_samples)
        far, near = np.column_stack([everyone, farthest]), np.column_stack([everyone, nearest])
        near_distance = self.distances(near, w)
        if self.identical is not None:  # a point all of whose strangers are identical to it has no constraint
            near_distance[self.identical[near[:, 0]] == self.identical[near[:, 1]]] = np.inf
        return Extremes(farthest, self.distances(far, w), nearest, near_distance)


def effective_price(C):
    """The price of slack that the program needs to know: None, which makes it the hard one, where ``C > 1/2``.

    The pair farthest apart takes its excess over r from both of its samples, so a unit of it costs at least 2 C: more
    than the unit of r that would cover it. The two programs then have the same optima, and the large price would only
    swamp the solver's tolerances.
    """
    return None if C is None or C > 0.5 else C


def best_radius(farthest_distance, C):
    """The largest optimal r for given weights, and its slacks.

    ``min_r r + C sum_i max(f_i - r, 0)``, f_i the distance to the farthest friend, is attained at the ceil(1/C)-th
    largest f: MDM minimizes the conditional value at risk of f.
    """
    n = len(farthest_distance)
    rank = 1 if C is None else int(np.ceil(1 / C - 1e-9))
    if rank > n:
        r = 0.0
    else:
        r = float(np.partition(farthest_distance, n - rank)[n - rank])
    return r, np.maximum(farthest_distance - r, 0.0)


def objective(r, slacks, C):
    """Eq. (8), or eq. (14) where ``C`` is given."""
    return r if C is None else r + C * slacks.sum()


class Certified(NamedTuple):
    """Weights scaled to keep strangers at distance one, what they are worth, and how far at most from the optimum."""

    w: np.ndarray
    r: float
    slacks: np.ndarray
    objective: float
    gap: float


def relative_gap(upper, lower):
    """The gap as a fraction of the value; of 1e-4 (of the distance between classes) where the value is smaller."""
    return float((upper - lower) / max(upper, 1e-4)) if np.isfinite(upper) else np.inf


def worth(extremes, C):
    """Radius, slacks and objective of weights once scaled to keep strangers at distance one; infinite if they can't."""
    reach = extremes.nearest_distance.min()
    if reach == 0:
        return np.inf, np.zeros(len(extremes.farthest)), np.inf
    r, slacks = best_radius(extremes.farthest_distance / reach, C)
    return r, slacks, objective(r, slacks, C)


def certified(sample, rows, solution, C, extremes):
    """Make weights exactly feasible for all pairs, and bound their distance from the optimum by weak duality.

    Multipliers of any rows give a bound once they are feasible: same-class ones cut to sum_q beta_q <= 1 and
    sum_j beta_ij <= C, different-class ones scaled so that sum_p alpha_p z_p <= sum_q beta_q z_q holds in every
    feature. The bound is then sum_p alpha_p.
    """
    r, slacks, value = worth(extremes, C)
    beta = np.maximum(solution.same_duals, 0)
    if C is not None:
        load = np.bincount(rows.same[:, 0], weights=beta, minlength=sample.n_samples)
        beta = beta / np.maximum(load / C, 1)[rows.same[:, 0]]
    feasible = solution._replace(same_duals=beta / max(1.0, beta.sum()))
    push, pull = push_and_pull(sample, rows, feasible)
    held = push > 0
    bound = np.maximum(solution.other_duals, 0).sum() * min(1.0, np.min(pull[held] / push[held], initial=1.0))
    return Certified(
        solution.w / (extremes.nearest_distance.min() or 1.0), r, slacks, value, relative_gap(value, bound)
    )


def push_and_pull(sample, rows, solution):
    """What the multipliers of strangers say for each feature, and those of friends against it."""
    alpha, beta = np.maximum(solution.other_duals, 0), np.maximum(solution.same_duals, 0)
    tight_other, tight_same = alpha > 0, beta > 0
    push = alpha[tight_other] @ sample.differences(rows.other[tight_other])
    return push, beta[tight_same] @ sample.differences(rows.same[tight_same])


def full_program(sample, C=None):
    """Eqs. (6)-(8), or (12)-(14) where ``C`` is given, in cvxpy, with all rows.

    Returns
    -------
    problem : cvxpy.Problem
    variables : tuple
        w, r, and the slacks (None for the hard program).
    rows : Rows
    """
    import cvxpy as cp

    same, other = sample.n_pairs()
    n_rows = same * (1 if C is None else 2) + other
    need = n_rows * (sample.n_features + 1) * BYTES_PER_COEFFICIENT
    have = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 8e9
    if need > have:
        raise MemoryError(
            f"The full program of {sample.n_samples} samples has {n_rows} rows and {sample.n_features + 1} columns: "
            f"some {need / 1e9:.0f} GB in the solver; this machine has {have / 1e9:.0f}. Use solver='constraints'."
        )
    rows = sample.all_pairs(ordered=C is not None)
    w, r = cp.Variable(sample.n_features, nonneg=True), cp.Variable(nonneg=True)
    slacks = None if C is None else cp.Variable(sample.n_samples, nonneg=True)
    constraints = [sample.differences(rows.other) @ w >= 1]
    if len(rows.same):
        allowance = r if slacks is None else r + slacks[rows.same[:, 0]]
        constraints.append(sample.differences(rows.same) @ w <= allowance)
    goal = r if slacks is None else r + C * cp.sum(slacks)
    return cp.Problem(cp.Minimize(goal), constraints), (w, r, slacks), rows


def solve_full(sample, C=None):
    """Solve the full program with HiGHS; return ``(solution, rows)``."""
    import cvxpy as cp

    problem, (w, r, slacks), rows = full_program(sample, C)
    problem.solve(solver=cp.HIGHS)
    if problem.status != cp.OPTIMAL:
        raise RuntimeError(f"HiGHS ended with status {problem.status!r} on the full program.")
    other, same = problem.constraints[0], problem.constraints[1:]
    return Solution(
        np.maximum(w.value, 0),
        float(r.value),
        np.zeros(sample.n_samples) if slacks is None else slacks.value,
        problem.value,
        same[0].dual_value if same else np.empty(0),
        other.dual_value,
    ), rows
