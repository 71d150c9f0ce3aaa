"""Linear classifiers at the optimum of their loss, by Newton's method with a Hessian that is reused while it converges.

The loss of a sample a of the design A with weights W of shape (n_outputs, n_columns); the penalty is
``lambda/2 |W|^2`` over the columns that bear one:

====  =====================================================================
kind  loss
====  =====================================================================
0     ``ln(1 + exp(-y f))``, y = -1 or 1 and ``f = a . w``: logistic
1     ``-ln softmax(W a)[y]``, y = 0, 1, ...: multinomial logistic
2     ``max(0, 1 - y f)^2``, y = -1 or 1: squared hinge
====  =====================================================================
"""

import math

import numpy as np

from fscore.kernels._compiled import helper, kernel
from fscore.kernels._exponential import exponential


@kernel
def fit_linear(A, y, kind, penalty, n_penalized, W, tol, max_iter):
    """Move W to the minimum.

    Parameters
    ----------
    A : float64 array of shape (n_columns, n_samples)
        The columns that are not penalized come last.
    y : int64 array of shape (n_samples,)
        -1 and 1, or class numbers.
    kind : int
    penalty : float
    n_penalized : int
        Columns with a penalty.
    W : float64 array of shape (n_outputs, n_columns)
        Where to start; changed.
    tol : float
        Largest entry of the gradient of the mean loss at the end.
    max_iter : int

    Returns
    -------
    bool
        Whether the gradient became that small.
    """
    d, n = A.shape
    n_outputs = W.shape[0]
    size = n_outputs * d
    P = np.empty((n_outputs, n))
    G, D, T = np.empty((n_outputs, d)), np.empty((n_outputs, d)), np.empty((n_outputs, d))
    H = np.empty((size, size))
    value = _gradient(A, y, kind, penalty, n_penalized, W, P, G)
    largest = _largest(G)
    fresh, renew = False, True
    for _ in range(max_iter):
        if largest <= tol * n:
            return True
        if renew:
            _hessian(A, kind, penalty, n_penalized, P, H)
            if not _factor(H):
                return False
            fresh, renew = True, False
        _solve(H, G, D)
        step, moved = 1.0, False
        while step > 1e-9:
            for k in range(n_outputs):
                for c in range(d):
                    T[k, c] = W[k, c] - step * D[k, c]
            there = _gradient(A, y, kind, penalty, n_penalized, T, P, G)
            if there <= value + 1e-14 * abs(value):
                moved = True
                break
            if not fresh:
                break
            step /= 2
        if not moved:
            if fresh:  # rounding hides any further descent
                return largest <= 1e3 * tol * n
            value = _gradient(A, y, kind, penalty, n_penalized, W, P, G)
            renew = True
            continue
        for k in range(n_outputs):
            for c in range(d):
                W[k, c] = T[k, c]
        value, before = there, largest
        largest = _largest(G)
        fresh = False
        renew = largest > 0.3 * before
    return largest <= tol * n


@helper
def _largest(G):
    largest = 0.0
    for k in range(G.shape[0]):
        for c in range(G.shape[1]):
            largest = max(largest, abs(G[k, c]))
    return largest


@helper
def _gradient(A, y, kind, penalty, n_penalized, W, P, G):
    """The objective and its gradient G; P receives what the Hessian needs: probabilities, or margins."""
    d, n = A.shape
    n_outputs = W.shape[0]
    value = 0.0
    R = np.zeros((n_outputs, n))  # scores, then derivatives by them
    for k in range(n_outputs):
        r = R[k]
        for c in range(d):
            w, a = W[k, c], A[c]
            for i in range(n):
                r[i] += w * a[i]
    if kind == 1:
        value += _softmax(R, y, P)
    else:
        r, p = R[0], P[0]
        if kind == 0:
            for i in range(n):
                e = exponential(-abs(r[i]))
                p[i] = (1.0 if y[i] * r[i] < 0 else e) / (1 + e)  # probability of the other class
                value += math.log(1 + e) + max(0.0, -y[i] * r[i])
                r[i] = -y[i] * p[i]
        else:
            for i in range(n):
                p[i] = max(0.0, 1 - y[i] * r[i])
                value += p[i] * p[i]
                r[i] = -2 * y[i] * p[i]
    for k in range(n_outputs):
        for c in range(d):
            share = penalty * W[k, c] if c < n_penalized else 0.0
            value += 0.5 * W[k, c] * share
            G[k, c] = share + np.dot(R[k], A[c])
    return value


@helper
def _softmax(R, y, P):
    """Probabilities P of scores R, which become the derivatives of the loss; returns the loss."""
    n_outputs, n = R.shape
    top, total = np.empty(n), np.zeros(n)
    value = 0.0
    for i in range(n):
        value -= R[y[i], i]
        top[i] = R[0, i]
    for k in range(1, n_outputs):
        r = R[k]
        for i in range(n):
            top[i] = max(top[i], r[i])
    for k in range(n_outputs):
        r, p = R[k], P[k]
        for i in range(n):
            p[i] = exponential(r[i] - top[i])
            total[i] += p[i]
    for k in range(n_outputs):
        r, p = R[k], P[k]
        for i in range(n):
            p[i] /= total[i]
            r[i] = p[i]
    for i in range(n):
        value += math.log(total[i]) + top[i]
        R[y[i], i] -= 1
    return value


@helper
def _hessian(A, kind, penalty, n_penalized, P, H):
    """The lower triangle of the Hessian."""
    d, n = A.shape
    n_outputs = P.shape[0]
    s, t = np.empty(n), np.empty(n)
    for k in range(n_outputs):
        for m in range(k + 1):
            p, q = P[k], P[m]
            for i in range(n):
                if kind == 0:
                    s[i] = p[i] * (1 - p[i])
                elif kind == 1:
                    s[i] = p[i] * ((1.0 if k == m else 0.0) - q[i])
                else:
                    s[i] = 2.0 if p[i] > 0 else 0.0
            for a in range(d):
                row = A[a]
                for i in range(n):
                    t[i] = s[i] * row[i]
                for b in range(a + 1):
                    H[k * d + a, m * d + b] = H[k * d + b, m * d + a] = np.dot(t, A[b])
    for k in range(n_outputs):
        for a in range(n_penalized):
            H[k * d + a, k * d + a] += penalty
        if kind == 1:  # adding one column to those of all classes changes nothing, so any curvature works
            for a in range(n_penalized, d):
                for m in range(k + 1):
                    H[k * d + a, m * d + a] += n / n_outputs**2


@helper
def _factor(H):
    """Cholesky's factor in place of the lower triangle; False if H is not positive definite."""
    for r in range(H.shape[0]):
        for c in range(r + 1):
            total = H[r, c]
            for q in range(c):
                total -= H[r, q] * H[c, q]
            if r > c:
                H[r, c] = total / H[c, c]
            elif total > 0:
                H[r, r] = np.sqrt(total)
            else:
                return False
    return True


@helper
def _solve(L, G, D):
    """``L L' D = G``, with the entries of G and D in rows."""
    n_outputs, d = G.shape
    size = n_outputs * d
    x = np.empty(size)
    for r in range(size):
        total = G[r // d, r % d]
        for q in range(r):
            total -= L[r, q] * x[q]
        x[r] = total / L[r, r]
    for r in range(size - 1, -1, -1):
        total = x[r]
        for q in range(r + 1, size):
            total -= L[q, r] * x[q]
        x[r] = total / L[r, r]
        D[r // d, r % d] = x[r]
