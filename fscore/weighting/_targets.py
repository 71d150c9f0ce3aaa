"""Target neighbours, and the loss of large margin nearest neighbour classification for any linear map."""

from typing import NamedTuple

import numpy as np

from fscore._warnings import warn_user

__all__ = ["Targets", "loss_and_slope", "target_neighbors"]

BLOCK = 256  # samples whose distances to all others are held at once


class Targets(NamedTuple):
    """Pairs (i, j): j is one of the k nearest of i's class, fixed beforehand."""

    anchors: np.ndarray  # (n_pairs,), ascending
    targets: np.ndarray  # (n_pairs,)
    starts: np.ndarray  # (n_samples + 1,): the pairs of sample i are starts[i]:starts[i + 1]

    def squares(self, Z):
        """d_ij of every pair: squared distances from explicit differences."""
        return np.concatenate([s.sum(axis=1) for s in self._square_blocks(Z)])

    def spread(self, Z):
        """Sum over the pairs of squared differences, shape (n_features,)."""
        return sum(s.sum(axis=0) for s in self._square_blocks(Z))

    def _square_blocks(self, Z):
        for lo in range(0, len(self.anchors), BLOCK):
            yield (Z[self.anchors[lo : lo + BLOCK]] - Z[self.targets[lo : lo + BLOCK]]) ** 2


def target_neighbors(X, codes, n_neighbors):
    """The ``n_neighbors`` nearest samples of each sample's class; all of them, with a warning, in a smaller class."""
    from sklearn.neighbors import NearestNeighbors

    counts = np.bincount(codes)
    if counts.min() <= n_neighbors:
        warn_user(
            f"Each sample of the smallest class ({counts.min()} in all) has {counts.min() - 1} target neighbours "
            f"instead of n_neighbors={n_neighbors}.",
            UserWarning,
        )
    degree = np.minimum(n_neighbors, counts - 1)[codes]
    starts = np.concatenate([[0], np.cumsum(degree)])
    targets = np.empty(starts[-1], dtype=np.intp)
    for c, count in enumerate(counts):
        if count > 1:
            members = np.flatnonzero(codes == c)
            near = NearestNeighbors(n_neighbors=degree[members[0]]).fit(X[members]).kneighbors(return_distance=False)
            targets[starts[members][:, None] + np.arange(near.shape[1])] = members[near]
    return Targets(np.repeat(np.arange(len(X)), degree), targets, starts)


def loss_and_slope(Z, codes, pairs, pull, push, rounding=0.0):
    """``pull sum_ij d_ij + push sum_ijl [1 + d_ij - d_il]_+`` over target pairs ij and l of other classes.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_components)
        Mapped samples; d are squared Euclidean distances between them.
    codes : ndarray of shape (n_samples,)
    pairs : Targets
    pull, push : float
    rounding : float, default=0.0
        Width over which the corner of the hinge is rounded.

    Returns
    -------
    loss : float
    slope : ndarray of shape (n_samples, n_components)
        Its derivative by Z. For Z = X L' the derivative by L is slope' X.
    """
    from fscore.kernels.impostors import add_margin_slope

    Z = np.ascontiguousarray(Z)
    reach, norms = pairs.squares(Z), np.einsum("ij,ij->i", Z, Z)
    loss, slope = 0.0, np.zeros_like(Z)
    for lo in range(0, len(Z), BLOCK):
        distances = Z[lo : lo + BLOCK] @ Z.T
        distances *= -2
        distances += norms
        distances += norms[lo : lo + BLOCK, None]
        loss += add_margin_slope(
            distances, lo, Z, codes, pairs.starts, pairs.targets, reach, pull, push, rounding, slope
        )
    return loss, slope
