"""Support vector classification of many subsets: kernel rows shared by all folds, and libsvm's solution of the dual.

The tolerance of the solver leaves the solution undetermined in the third digit, and with it the class of samples near
the boundary. To predict what libsvm predicts, the solver makes the same steps in the same order, on the same numbers.
libsvm rounds the kernel to single precision. A kernel value that is computed another way rounds to the same number
unless it lies within its error bound of the middle between two; those few are computed as libsvm computes them.

References
----------
Fan, Chen, Lin (2005), Working set selection using second order information. Chang, Lin (2011), LIBSVM, Section 4.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from fscore.kernels._compiled import HELPER, helper, kernel
from fscore.kernels._exponential import EXP_ERROR, exponential

LINEAR, POLY, RBF, SIGMOID = range(4)
EPS = 2.0**-52
unsigned = np.uint64  # of indices, so that the compiler can vectorize
TAU = 1e-12  # replaces a curvature that is not positive


@intrinsic
def _larger(typing_context, a, b):
    """The larger of two numbers, neither of which is NaN: so the compiler can vectorize the maximum of an array."""

    def generate(context, builder, signature, arguments):
        flags = ("nnan", "nsz")
        return builder.select(builder.fcmp_ordered(">", *arguments, flags=flags), *arguments, flags=flags)

    return types.float64(types.float64, types.float64), generate


@helper
def _power(base, n):
    """``base**n`` by libsvm's order of multiplications."""
    result, factor = 1.0, base
    while n > 0:
        if n % 2 == 1:
            result *= factor
        factor *= factor
        n //= 2
    return result


@helper
def _from_product(product, kernel, gamma, coef0, degree):
    """The kernel as a function of the scalar product; not for `RBF`."""
    if kernel == LINEAR:
        return product
    if kernel == POLY:
        return _power(gamma * product + coef0, degree)
    return math.tanh(gamma * product + coef0)


class Gram(NamedTuple):
    """The kernel over one subset of columns: a base, from which some columns differ.

    Rows are computed when needed. Those of the base serve every subset that differs from it a little, those of the
    kernel all folds.
    """

    X: np.ndarray  # (n_features, n_samples)
    base: np.ndarray
    changed: np.ndarray  # columns added to the base, or removed from it
    sign: float  # 1.0: added; -1.0: removed
    samples: np.ndarray  # (n_samples, n_columns of the subset), the values of a sample contiguous
    radius: np.ndarray  # bounds on errors: the squared distance of i and j is within radius[i] + radius[j]
    base_rows: np.ndarray  # (n_samples, n_samples): squared distances for `RBF`, scalar products for the others
    base_known: np.ndarray
    rows: np.ndarray  # (n_samples, n_samples), float32
    known: np.ndarray
    kernel: int
    coef0: float
    degree: int


@helper
def _as_libsvm(gram, i, j, gamma):
    """The kernel of samples i and j, to the last bit; ``np.dot`` is the function that libsvm calls."""
    a, b = gram.samples[i], gram.samples[j]
    product = np.dot(a, b)
    if gram.kernel == RBF:
        return math.exp(-gamma * (np.dot(a, a) + np.dot(b, b) - 2 * product))
    return _from_product(product, gram.kernel, gamma, gram.coef0, gram.degree)


@helper
def _add_columns(gram, i, columns, sign, row):
    """Add the share of some columns in the squared distances of sample i, or in the scalar products with it."""
    for c in columns:
        column, x = gram.X[c], gram.X[c, i]
        if gram.kernel == RBF:
            for j in range(row.size):
                row[j] += sign * ((column[j] - x) * (column[j] - x))
        else:
            for j in range(row.size):
                row[j] += sign * (column[j] * x)


@helper
def _rounded(value, error):
    """A number in single precision, and whether its error might change that."""
    low, high = np.float32(value - error), np.float32(value + error)
    return low, low != high


@njit(fastmath={"contract"}, **HELPER)
def _rbf_row(work, gamma, near, radius, out):
    """The Gaussian kernel of squared distances; work is set to 1.0 where its single precision is uncertain, else 0.0.

    Products and sums may be contracted: errors only get smaller.
    """
    n_uncertain = 0
    for j in range(out.size):
        value = exponential(-gamma * work[j])
        error = value * (gamma * (near + radius[j]) + EXP_ERROR)
        out[j], uncertain = _rounded(value, error)
        work[j] = uncertain
        n_uncertain += uncertain
    return n_uncertain


@helper
def _compute_row(gram, i, gamma, work):
    """Fill ``gram.rows[i]`` with the kernel between sample i and all others, in single precision.

    Called only if the row is not known yet: passing on a Gram takes as long as a good part of a step.
    """
    out = gram.rows[i]
    gram.known[i] = True
    if gram.base.size > 0:
        if not gram.base_known[i]:
            gram.base_known[i] = True
            gram.base_rows[i] = 0.0
            _add_columns(gram, i, gram.base, 1.0, gram.base_rows[i])
        base_row = gram.base_rows[i]
        for j in range(work.size):
            work[j] = base_row[j]
    else:
        work[:] = 0.0
    _add_columns(gram, i, gram.changed, gram.sign, work)
    n_uncertain = 0
    radius, near = gram.radius, gram.radius[i]
    if gram.kernel == RBF:
        n_uncertain = _rbf_row(work, gamma, near, radius, out)
    elif gram.kernel == LINEAR:
        for j in range(out.size):
            value = work[j]
            out[j], uncertain = _rounded(value, near + radius[j] + 4 * EPS * abs(value))
            work[j] = uncertain
            n_uncertain += uncertain
    else:
        for j in range(out.size):
            argument = gamma * work[j] + gram.coef0
            error = gamma * (near + radius[j]) + 4 * EPS * (abs(argument) + abs(gram.coef0))
            value = _from_product(work[j], gram.kernel, gamma, gram.coef0, gram.degree)
            if gram.kernel == POLY:
                steep = gram.degree * _power(abs(argument) + error, gram.degree - 1) if gram.degree > 0 else 0.0
                error = 2 * steep * (error + EPS * abs(argument))
            elif gram.kernel == SIGMOID:
                error += 8 * EPS
            out[j], uncertain = _rounded(value, error)
            work[j] = uncertain
            n_uncertain += uncertain
    if n_uncertain > 0:
        for j in range(out.size):
            if work[j] != 0.0:
                out[j] = np.float32(_as_libsvm(gram, i, j, gamma))


@helper
def _left_out(t, u, rise, fall, first, second):
    """Whether variable t is at a bound, and far from leaving it."""
    if rise[t] == 0.0 and fall[t] == 0.0:
        return False
    return -u[t] > second if rise[t] == 0.0 else u[t] > first


@helper
def _reconstruct(gram, gamma, index, y, u, bar, alpha, C, active, work):
    """The gradient of the variables that were left out."""
    for k in range(active, y.size):
        u[k] = bar[k] + y[k]
    for s in range(active):
        if 0.0 < alpha[s] < C:
            if not gram.known[index[s]]:
                _compute_row(gram, index[s], gamma, work)
            row = gram.rows[index[s]]
            for k in range(active, y.size):
                u[k] -= row[unsigned(index[k])] * (y[s] * alpha[s])


@kernel
def solve(gram, gamma, index, y, alpha, C, tol, shrinking):
    """Solve the dual problem of two classes by sequential minimal optimization.

    Parameters
    ----------
    gram : Gram
    gamma : float
    index : int64 array of shape (n,)
        The samples; reordered.
    y : float64 array of shape (n,)
        Classes, 1.0 or -1.0; reordered with the samples.
    alpha : float64 array of shape (n,)
        Filled with the solution, in the final order of the samples.
    C, tol : float
    shrinking : bool

    Returns
    -------
    float
        rho, the negative intercept.

    Notes
    -----
    With G the gradient, ``u = -y G``. A variable is optimal if no u that may rise exceeds one that may fall. ``rise``
    and ``fall`` are 0 where this is possible and -inf where a bound forbids it.

    The gradient of variables that were left out is computed again from ``bar``, the share of the variables at C
    (libsvm's G_bar), which changes whenever one reaches C or leaves it.
    """
    n, rows, known = y.size, gram.rows, gram.known
    alpha[:] = 0.0
    u, bar = y.copy(), np.zeros(n)
    rise, fall, diagonal = np.zeros(n), np.zeros(n), np.ones(n)
    for s in range(n):
        (fall if y[s] > 0.0 else rise)[s] = -np.inf
        if gram.kernel != RBF:
            x = gram.samples[index[s]]
            diagonal[s] = _from_product(np.dot(x, x), gram.kernel, gamma, gram.coef0, gram.degree)
    work, ki, kj, gain = np.empty(gram.X.shape[1]), np.empty(n), np.empty(n), np.empty(n)
    active, unshrunk, final = n, False, False
    counter = min(n, 1000) + 1
    first, second = _extremes(u, rise, fall, active)
    while True:
        counter -= 1
        if counter == 0:
            counter = min(n, 1000)
            if shrinking:
                if not unshrunk and first + second <= 10 * tol:
                    unshrunk = True
                    if active < n:
                        _reconstruct(gram, gamma, index, y, u, bar, alpha, C, active, work)
                    active = n
                active = _shrink(index, y, u, bar, alpha, rise, fall, diagonal, active, first, second)
                first, second = _extremes(u, rise, fall, active)
        i, j = -1, -1
        if first + second >= tol:
            i = _last(u, rise, first, active)
            if not known[index[i]]:
                _compute_row(gram, index[i], gamma, work)
            _gather(rows[index[i]], index, active, ki)
            most = _gains(ki, diagonal[i], first, u, diagonal, fall, active, gain)
            j = _last(gain, fall, most, active) if most >= 0.0 else -1
        if j < 0:
            if final:
                break
            if active < n:
                _reconstruct(gram, gamma, index, y, u, bar, alpha, C, active, work)
            active, counter, final = n, 2, True
            first, second = _extremes(u, rise, fall, active)
            continue
        final = False
        if not known[index[j]]:
            _compute_row(gram, index[j], gamma, work)
        _gather(rows[index[j]], index, active, kj)
        old_i, old_j = alpha[i], alpha[j]
        curvature = diagonal[i] + diagonal[j] - 2.0 * ki[j]
        _step(i, j, y, u, alpha, C, curvature if curvature > 0.0 else TAU)
        by_i, by_j = y[i] * (alpha[i] - old_i), y[j] * (alpha[j] - old_j)
        for s, old, active_row in ((i, old_i, ki), (j, old_j, kj)):
            full = alpha[s] >= C
            may_rise, may_fall = (not full, alpha[s] > 0.0) if y[s] > 0 else (alpha[s] > 0.0, not full)
            rise[s] = 0.0 if may_rise else -np.inf
            fall[s] = 0.0 if may_fall else -np.inf
            if shrinking and full != (old >= C):
                row, weight = rows[index[s]], y[s] * C if full else -(y[s] * C)
                for k in range(active):
                    bar[k] -= active_row[k] * weight
                for k in range(active, n):
                    bar[k] -= row[unsigned(index[k])] * weight
        first, second = _update(ki, by_i, kj, by_j, active, u, rise, fall)
    return _rho(y, u, alpha, C)


@helper
def _shrink(index, y, u, bar, alpha, rise, fall, diagonal, active, first, second):
    """Move the variables that are left out to the end; return the number of the others."""
    s = 0
    while s < active:
        if _left_out(s, u, rise, fall, first, second):
            active -= 1
            while active > s and _left_out(active, u, rise, fall, first, second):
                active -= 1
            if active > s:
                index[s], index[active] = index[active], index[s]
                for a in (y, u, bar, alpha, rise, fall, diagonal):
                    a[s], a[active] = a[active], a[s]
        s += 1
    return active


@helper
def _extremes(u, rise, fall, n):
    """The largest u that may rise, and the largest -u that may fall."""
    first = second = -np.inf
    for t in range(n):
        first = _larger(u[t] + rise[t], first)
        second = _larger(fall[t] - u[t], second)
    return first, second


@helper
def _last(a, allowed, value, n):
    """The last position where ``a + allowed`` is ``value``, or -1."""
    for stop in range(n, 0, -64):
        start = max(stop - 64, 0)
        values, added = a[start:stop], allowed[start:stop]
        n_equal = 0
        for k in range(values.size):
            n_equal += values[k] + added[k] == value
        if n_equal > 0:
            last = values.size - 1
            while values[last] + added[last] != value:
                last -= 1
            return start + last
    return -1


@helper
def _gather(row, index, n, out):
    """out = row[index]."""
    for t in range(n):
        out[t] = row[unsigned(index[t])]


@helper
def _gains(ki, diagonal_i, first, u, diagonal, fall, n, out):
    """What each variable gains together with i to second order, or -1.0; return the most of those that may fall."""
    most = -np.inf
    for t in range(n):
        curvature = diagonal_i + diagonal[t] - 2.0 * ki[t]
        curvature = curvature if curvature > 0.0 else TAU
        difference = first - u[t]
        gain = difference * difference / curvature
        gain = gain if difference > 0.0 else -1.0
        out[t] = gain
        most = _larger(gain + fall[t], most)
    return most


@helper
def _update(ki, by_i, kj, by_j, n, u, rise, fall):
    """Update u after a step; return its new extremes."""
    first = second = -np.inf
    for t in range(n):
        value = u[t] - (ki[t] * by_i + kj[t] * by_j)
        u[t] = value
        first = _larger(value + rise[t], first)
        second = _larger(fall[t] - value, second)
    return first, second


@helper
def _step(i, j, y, u, alpha, C, curvature):
    """Move two variables to the minimum along the equality constraint, at most to a bound."""
    if y[i] != y[j]:
        step = (y[i] * u[i] + y[j] * u[j]) / curvature
        difference = alpha[i] - alpha[j]
        alpha[i] += step
        alpha[j] += step
        if difference > 0.0:
            if alpha[j] < 0.0:
                alpha[i], alpha[j] = difference, 0.0
            if alpha[i] > C:
                alpha[i], alpha[j] = C, C - difference
        else:
            if alpha[i] < 0.0:
                alpha[i], alpha[j] = 0.0, -difference
            if alpha[j] > C:
                alpha[i], alpha[j] = C + difference, C
    else:
        step = (y[j] * u[j] - y[i] * u[i]) / curvature
        total = alpha[i] + alpha[j]
        alpha[i] -= step
        alpha[j] += step
        if total > C:
            if alpha[i] > C:
                alpha[i], alpha[j] = C, total - C
            if alpha[j] > C:
                alpha[i], alpha[j] = total - C, C
        else:
            if alpha[j] < 0.0:
                alpha[i], alpha[j] = total, 0.0
            if alpha[i] < 0.0:
                alpha[i], alpha[j] = 0.0, total


@helper
def _rho(y, u, alpha, C):
    """The mean of y G over the free variables; if there are none, the middle of the feasible interval."""
    n_free, total, upper, lower = 0, 0.0, np.inf, -np.inf
    for t in range(y.size):
        if 0.0 < alpha[t] < C:
            n_free += 1
            total += -u[t]
        elif (alpha[t] >= C) == (y[t] > 0):
            lower = max(lower, -u[t])
        else:
            upper = min(upper, -u[t])
    return total / n_free if n_free > 0 else (upper + lower) / 2


@helper
def _in_double(gram, i, j, gamma):
    """The kernel of a support vector and a test sample, and a bound on its difference from libsvm's number."""
    if gram.kernel == RBF:
        distance, a, b = 0.0, gram.samples[i], gram.samples[j]
        for c in range(a.size):
            distance += (a[c] - b[c]) * (a[c] - b[c])
        value = math.exp(-gamma * distance)
        return value, value * EPS * (2 * (a.size + 4) * gamma * distance + 4)
    value = _as_libsvm(gram, i, j, gamma)
    return value, 4 * EPS * abs(value)


@helper
def _vote(gram, gamma, index, y, alpha, rho, test, first, second, votes, work):
    """Each test sample votes for one of two classes; False if rounding might decide a vote."""
    value, size, largest = np.full(test.size, -rho), np.full(test.size, abs(rho)), 0.0
    bounded, total = gram.kernel == RBF or gram.kernel == SIGMOID, 0.0  # by 1, and size by the sum of alpha
    for s in range(y.size):
        if alpha[s] > 0.0:
            if not gram.known[index[s]]:
                _compute_row(gram, index[s], gamma, work)
            largest = max(largest, gram.radius[index[s]])
            row, weight = gram.rows[index[s]], y[s] * alpha[s]
            for t in range(test.size):
                value[t] += weight * row[unsigned(test[t])]
            total += alpha[s]
            if not bounded:
                for t in range(test.size):
                    size[t] += alpha[s] * abs(row[unsigned(test[t])])
    if bounded:
        for t in range(size.size):
            size[t] += total
    for t in range(test.size):
        error = 2.0**-23
        if gram.kernel == RBF:  # libsvm expands the squares when it learns, and not when it predicts
            error += math.expm1(gamma * (largest + gram.radius[test[t]]))
        if not abs(value[t]) > error * size[t]:
            exact, error = -rho, 0.0
            for s in range(y.size):
                if alpha[s] > 0.0:
                    kernel, bound = _in_double(gram, index[s], test[t], gamma)
                    exact += y[s] * alpha[s] * kernel
                    error += alpha[s] * bound
            error += (y.size + 4) * EPS * size[t]
            if not abs(exact) > error:
                return False
            value[t] = exact
        votes[t, first if value[t] > 0.0 else second] += 1
    return True


@helper
def _list_class(learned, codes, label, samples):
    """List the samples of a class; return their number."""
    n = 0
    for i in learned:
        if codes[i] == label:
            samples[n] = i
            n += 1
    return n


@kernel
def subset_hits(gram, gammas, train, train_start, test, test_start, codes, n_classes, C, tol, shrinking, hits):
    """Correct predictions of a support vector classifier in each fold, one against one; -1 if rounding might decide.

    Parameters
    ----------
    gram : Gram
    gammas : float64 array of shape (n_folds,)
    train, test : int64 arrays
        The samples of all folds; those of fold f begin at ``train_start[f]`` and ``test_start[f]``.
    codes : int64 array of shape (n_samples,)
        Classes 0 to ``n_classes - 1``.
    C, tol : float
    shrinking : bool
    hits : int64 array of shape (n_folds,)
        Filled.
    """
    work, samples = np.empty(codes.size), np.empty(codes.size, np.int64)
    for f in range(gammas.size):
        if f > 0 and gammas[f] != gammas[f - 1]:
            gram.known[:] = False
        learned, asked = train[train_start[f] : train_start[f + 1]], test[test_start[f] : test_start[f + 1]]
        votes = np.zeros((asked.size, n_classes), dtype=np.int64)
        certain = True
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                n_a = _list_class(learned, codes, a, samples)
                n = n_a + _list_class(learned, codes, b, samples[n_a:])
                if certain and 0 < n_a < n:
                    index, y, alpha = samples[:n], np.ones(n), np.empty(n)
                    for s in range(n_a, n):
                        y[s] = -1.0
                    rho = solve(gram, gammas[f], index, y, alpha, C, tol, shrinking)
                    certain = _vote(gram, gammas[f], index, y, alpha, rho, asked, a, b, votes, work)
        hits[f] = 0 if certain else -1
        if certain:
            for t in range(asked.size):
                winner = 0
                for c in range(1, n_classes):
                    if votes[t, c] > votes[t, winner]:
                        winner = c
                hits[f] += winner == codes[asked[t]]
