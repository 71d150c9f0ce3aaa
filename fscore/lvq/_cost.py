"""The cost of generalized LVQ, and its metrics.

All parameters are in one vector: the prototypes ``W`` row by row, then the parameters of the metric. A metric computes
squared distances and, for weights ``a_ip = dF / dd_ip`` (sample i, prototype p), the gradient of ``F``. All sums over
samples are matrix products, so time is O(n m d) and memory O(n m) for m rows of Omega. Samples must be centered, as
distances are expanded as |a|^2 - 2 ab + |b|^2.
"""

import numpy as np


def _squared_distances(Z, z):
    """Squared distances between the rows of Z and of z."""
    D = np.einsum("ij,ij->i", Z, Z)[:, None] - 2 * (Z @ z.T) + np.einsum("ij,ij->i", z, z)
    return np.maximum(D, 0, out=D)


class Euclidean:
    """d = |x - w|^2 (GLVQ)."""

    nonnegative = False
    size = 0

    def distances(self, params, X, W):
        return _squared_distances(X, W), None

    def gradient(self, params, X, W, A, mapped):
        return -2 * (A.T @ X - A.sum(axis=0)[:, None] * W), np.empty(0)

    def project(self, params):
        pass


class Diagonal:
    """d = sum_k lambda_k (x_k - w_k)^2, where lambda is non-negative and sums to one (GRLVQ)."""

    nonnegative = True

    def __init__(self, n_features):
        self.size = n_features

    def distances(self, params, X, W):
        scale = np.sqrt(np.maximum(params, 0))
        return _squared_distances(X * scale, W * scale), None

    def gradient(self, params, X, W, A, mapped):
        sums, totals = A.T @ X, A.sum(axis=0)[:, None]
        squares = np.einsum("i,ij,ij->j", A.sum(axis=1), X, X)
        return -2 * params * (sums - totals * W), squares + (W * (totals * W - 2 * sums)).sum(axis=0)

    def project(self, params):
        np.maximum(params, 0, out=params)
        total = params.sum()
        params[:] = params / total if total > 0 else 1 / len(params)


class Matrix:
    """d = |Omega (x - w)|^2 with Omega of shape (m, d) and trace(Lambda) = sum of squares = 1 (GMLVQ)."""

    nonnegative = False

    def __init__(self, n_features, n_components):
        self.shape = n_components, n_features
        self.size = n_components * n_features

    def distances(self, params, X, W):
        Omega = params.reshape(self.shape)
        mapped = X @ Omega.T, W @ Omega.T
        return _squared_distances(*mapped), mapped

    def gradient(self, params, X, W, A, mapped):
        # u_ip = x_i - w_p: dF/dOmega = 2 sum a_ip (Omega u_ip) u_ip^T, dF/dw_p = -2 Omega^T sum_i a_ip Omega u_ip.
        Z, z = mapped
        attraction = A.T @ Z - A.sum(axis=0)[:, None] * z
        gradient = (Z * A.sum(axis=1)[:, None]).T @ X - z.T @ (A.T @ X) - attraction.T @ W
        return -2 * attraction @ params.reshape(self.shape), 2 * gradient.ravel()

    def project(self, params):
        params /= np.linalg.norm(params)

    def entropy(self, params):
        """Entropy in bits of diag(Lambda) / trace(Lambda), and its gradient.

        Lambda is divided by its trace, so the gradient is tangent to the constraint:
        ``-2 Omega_lm (log2 Lambda_mm + H)`` if the trace is one.
        """
        Omega = params.reshape(self.shape)
        relevances = np.einsum("lm,lm->m", Omega, Omega)
        trace = relevances.sum()
        p = relevances / trace
        bits = np.log2(np.maximum(p, np.finfo(float).tiny))
        H = -(p @ bits)
        return H, ((-2 / trace) * Omega * (bits + H)).ravel()


class RelativeDistanceCost:
    """F = sum_i (d_H - d_M) / (d_H + d_M) + alpha * entropy(diag Lambda): equations 40 and 61 of Chen (2012).

    ``d_H`` and ``d_M`` are the squared distances to the closest prototype of the sample's class and of another class.
    A sample that coincides with both contributes zero.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Centered.
    y : ndarray of shape (n_samples,)
    labels : ndarray of shape (n_prototypes,)
        Class numbers of the prototypes, ascending.
    metric : Euclidean, Diagonal or Matrix
    alpha : float, default=0.0
        Weight of the entropy; requires ``Matrix``.
    """

    def __init__(self, X, y, labels, metric, alpha=0.0):
        self.X, self.y, self.labels, self.metric, self.alpha = X, y, labels, metric, alpha
        self.prototype_shape = len(labels), X.shape[1]
        self.n_prototype_parameters = len(labels) * X.shape[1]
        self._rows = np.arange(len(X))
        self._other = y[:, None] != labels

    def split(self, theta):
        """Views of the prototypes and of the metric's parameters."""
        n = self.n_prototype_parameters
        return theta[:n].reshape(self.prototype_shape), theta[n:]

    def blocks(self):
        """Slices of the parameters that have their own step size."""
        n = self.n_prototype_parameters
        return [slice(0, n), slice(n, n + self.metric.size)][: 2 if self.metric.size else 1]

    def project(self, theta):
        """Restore the constraint of the metric in place."""
        self.metric.project(theta[self.n_prototype_parameters :])
        return theta

    def value(self, theta):
        """F at theta."""
        return self._evaluate(theta, False)

    def value_and_gradient(self, theta):
        """F and dF/dtheta, an array like theta."""
        return self._evaluate(theta, True)

    def class_distances(self, theta):
        """Squared distance of each sample to the closest prototype of each class."""
        W, params = self.split(theta)
        D, _ = self.metric.distances(params, self.X, W)
        return np.stack([D[:, self.labels == c].min(axis=1) for c in range(self.labels[-1] + 1)], axis=1)

    def _evaluate(self, theta, with_gradient):
        W, params = self.split(theta)
        D, mapped = self.metric.distances(params, self.X, W)
        hit = np.where(self._other, np.inf, D).argmin(axis=1)
        miss = np.where(self._other, D, np.inf).argmin(axis=1)
        d_hit, d_miss = D[self._rows, hit], D[self._rows, miss]
        total = d_hit + d_miss
        total[total == 0] = np.inf
        F = ((d_hit - d_miss) / total).sum()
        if self.alpha:
            H, dH = self.metric.entropy(params)
            F += self.alpha * H
        if not with_gradient:
            return F
        A = np.zeros_like(D)
        A[self._rows, hit] = 2 * d_miss / total**2
        A[self._rows, miss] = -2 * d_hit / total**2
        dW, dparams = self.metric.gradient(params, self.X, W, A, mapped)
        if self.alpha:
            dparams = dparams + self.alpha * dH
        return F, np.concatenate([dW.ravel(), dparams])
