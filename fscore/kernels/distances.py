"""Weighted distances from one sample to all others."""

import numpy as np

from fscore.kernels._compiled import kernel

__all__ = ["absolute_distances", "nearest_hit_and_miss", "squared_distances"]

# Vectorized over samples; features are added in order, so every processor gives the same bits.


@kernel
def squared_distances(XT, i, weights, out):
    """``out[j] = sum_f weights[f] (XT[f, j] - XT[f, i])**2``; features of weight zero are skipped."""
    out[:] = 0.0
    for f in range(XT.shape[0]):
        weight = weights[f]
        if weight != 0.0:
            row, x = XT[f], XT[f, i]
            for j in range(out.size):
                out[j] += weight * ((row[j] - x) * (row[j] - x))


@kernel
def absolute_distances(XT, i, weights, out):
    """``out[j] = sum_f weights[f] |XT[f, j] - XT[f, i]|``."""
    out[:] = 0.0
    for f in range(XT.shape[0]):
        weight = weights[f]
        if weight != 0.0:
            row, x = XT[f], XT[f, i]
            for j in range(out.size):
                out[j] += weight * abs(row[j] - x)


@kernel
def nearest_hit_and_miss(distances, y, i):
    """Nearest other sample of the class of ``i`` and of another class (-1 if none); ties go to the earlier sample."""
    hit, miss = -1, -1
    hit_distance, miss_distance = np.inf, np.inf
    for j in range(distances.size):
        if y[j] != y[i]:
            if distances[j] < miss_distance:
                miss, miss_distance = j, distances[j]
        elif j != i and distances[j] < hit_distance:
            hit, hit_distance = j, distances[j]
    return hit, miss
