"""Target neighbors, and the loss of large margin nearest neighbor classification under a linear map."""

from typing import NamedTuple

import numpy as np

from fscore._magnitudes import large_offsets
from fscore._warnings import warn_user

BLOCK = 256  # samples whose distances to all others are computed at once


class Targets(NamedTuple):
    """Pairs (i, j): j is one of the k nearest samples of i's class, chosen before the metric is learned."""

    anchors: np.ndarray  # (n_pairs,), ascending
    targets: np.ndarray  # (n_pairs,)
    starts: np.ndarray  # (n_samples + 1,): the pairs of sample i are starts[i]:starts[i + 1]

    def squares(self, Z):
        """Squared distances d_ij of all pairs, computed from explicit differences."""
        return np.concatenate([s.sum(axis=1) for s in self._square_blocks(Z)])

    def spread(self, Z):
        """Sum over the pairs of the squared differences by feature, shape (n_features,)."""
        return sum(s.sum(axis=0) for s in self._square_blocks(Z))

    def unit(self, X):
        """The root of the mean squared distance of a pair, or, if all pairs coincide, of the total variance."""
        return np.sqrt(self.squares(X).mean() or X.var(axis=0).sum())

    def _square_blocks(self, Z):
        for lo in range(0, len(self.anchors), BLOCK):
            yield (Z[self.anchors[lo : lo + BLOCK]] - Z[self.targets[lo : lo + BLOCK]]) ** 2


def target_neighbors(X, codes, n_neighbors):
    """The ``n_neighbors`` nearest samples of the same class, for each sample.

    A class with too few samples gives all of them, with a warning.

    Returns
    -------
    Targets
    """
    from sklearn.neighbors import NearestNeighbors

    counts = np.bincount(codes)
    if counts.min() <= n_neighbors:
        warn_user(
            f"Samples of the smallest class, of size {counts.min()}, have {counts.min() - 1} target neighbors instead "
            f"of n_neighbors={n_neighbors}.",
            UserWarning,
        )
    X = X - large_offsets(X)
    degree = np.minimum(n_neighbors, counts - 1)[codes]
    starts = np.concatenate([[0], np.cumsum(degree)])
    targets = np.empty(starts[-1], dtype=np.intp)
    for c, count in enumerate(counts):
        if count > 1:
            members = np.flatnonzero(codes == c)
            near = NearestNeighbors(n_neighbors=degree[members[0]]).fit(X[members]).kneighbors(return_distance=False)
            targets[starts[members][:, None] + np.arange(near.shape[1])] = members[near]
    return Targets(np.repeat(np.arange(len(X)), degree), targets, starts)


def distances_in_blocks(Z):
    """The number of a first sample, and the squared distances of it and those after it to all; block by block."""
    norms = np.einsum("ij,ij->i", Z, Z)
    for lo in range(0, len(Z), BLOCK):
        distances = Z[lo : lo + BLOCK] @ Z.T
        distances *= -2
        distances += norms
        distances += norms[lo : lo + BLOCK, None]
        yield lo, distances


def loss_and_gradient(Z, codes, pairs, pull, push, rounding=0.0):
    """``pull sum_ij d_ij + push sum_ijl [1 + d_ij - d_il]_+`` over target pairs ij and l of other classes.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_components)
        Mapped samples; d are squared Euclidean distances between them.
    codes : ndarray of shape (n_samples,)
    pairs : Targets
    pull, push : float
    rounding : float, default=0.0
        Width over which the hinge is smoothed by a parabola.

    Returns
    -------
    loss : float
    gradient : ndarray of shape (n_samples, n_components)
        With respect to Z. For Z = X L' the gradient with respect to L is gradient' X.
    """
    from fscore.kernels.weighting import add_margin_gradient

    Z = np.ascontiguousarray(Z)
    reach, loss, gradient = pairs.squares(Z), 0.0, np.zeros_like(Z)
    for lo, distances in distances_in_blocks(Z):
        loss += add_margin_gradient(
            distances, lo, Z, codes, pairs.starts, pairs.targets, reach, pull, push, rounding, gradient
        )
    return loss, gradient
