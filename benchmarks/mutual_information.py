"""Mutual information of the normal scores of features by kernel densities against scipy's `gaussian_kde`, wdbc."""

from itertools import combinations
from time import perf_counter

import numpy as np
from common import against
from scipy.stats import gaussian_kde, norm, rankdata, spearmanr
from sklearn.datasets import load_breast_cancer

from fscore.filters import pairwise_mutual_information

TIMED = 10  # pairs for which scipy is timed on the grid; its seconds are extrapolated to all


def at_samples(X, pairs):
    """Mean of ln p(x, z) / p(x) p(z) over the sample, a common shortcut with fewer points than the grid."""
    factor = len(X) ** (-1 / 6)
    single = np.log([gaussian_kde(x, factor)(x) for x in X.T])
    planes = (X[:, pair].T for pair in pairs)
    joint = np.log([gaussian_kde(plane, factor)(plane) for plane in planes])
    return [np.mean(j - single[a] - single[b]) for j, (a, b) in zip(joint, pairs, strict=True)]


def on_the_grid(x, z):
    """h(x) + h(z) - h(x, z) on our grids; the grid of the plane follows the regression of z on x."""
    factor = len(x) ** (-1 / 6)
    slope = np.cov(x, z)[0, 1] / np.var(x, ddof=1)
    grid_x, grid_rest, grid_z = (grid(v, np.std(v, ddof=1) * factor) for v in (x, z - slope * x, z))
    points = np.repeat(grid_x, 64), np.tile(grid_rest, 64) + slope * np.repeat(grid_x, 64)
    joint = gaussian_kde(np.vstack([x, z]), factor)(points).reshape(64, 64)
    area = (grid_x[1] - grid_x[0]) * (grid_rest[1] - grid_rest[0])
    return (
        entropy(joint.sum(axis=1), grid_x[1] - grid_x[0])
        + entropy(gaussian_kde(z, factor)(grid_z), grid_z[1] - grid_z[0])
        - entropy(joint, area)
    )


def grid(x, h):
    return np.linspace(x.min() - 5 * h, x.max() + 5 * h, 64)


def entropy(density, cell):
    p = density / density.sum()
    return np.log(cell) - np.sum(p * np.log(p + 1e-300))


def rows(quick=False, repeats=5):
    """Interleaved medians.

    "equal": the same estimator agrees to 0.01 nats (ours restores the mass of kernels that extend beyond the grid). The
    shortcut is a different estimator with an eighth of the points; "equal" means a Spearman correlation above 0.98, and
    there is no goal.
    """
    X, _ = load_breast_cancer(return_X_y=True)
    X = X[:, [np.unique(x, return_counts=True)[1].max() < 10 for x in X.T]]  # no values that count by frequency
    scores = norm.ppf((rankdata(X, axis=0) - 0.5) / len(X))
    pairs = list(combinations(range(X.shape[1]), 2))
    some = [pairs[p] for p in np.random.default_rng(0).permutation(len(pairs))[:TIMED]]
    seconds = {"ours": [], "samples": [], "grid": []}
    for _ in range(repeats):
        start = perf_counter()
        ours = pairwise_mutual_information(X)
        seconds["ours"].append(perf_counter() - start)
        start = perf_counter()
        shortcut = at_samples(scores, pairs)
        seconds["samples"].append(perf_counter() - start)
        start = perf_counter()
        integrals = [on_the_grid(scores[:, a], scores[:, b]) for a, b in some]
        seconds["grid"].append((perf_counter() - start) * len(pairs) / TIMED)
    alike = spearmanr(shortcut, [ours[p] for p in pairs]).statistic > 0.98
    same = np.abs(np.array(integrals) - [ours[p] for p in some]).max() < 0.01
    work = f"KDE mutual information, {len(pairs)} pairs of wdbc"
    yield against(work, "scipy gaussian_kde, same grid", seconds["grid"], seconds["ours"], same, goal=15)
    yield against(work, "scipy gaussian_kde, at the samples", seconds["samples"], seconds["ours"], alike)
