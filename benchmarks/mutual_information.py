"""Mutual information of features by kernel densities against scipy's `gaussian_kde`, wdbc."""

from itertools import combinations
from time import perf_counter

import numpy as np
from common import against
from scipy.stats import gaussian_kde, spearmanr
from sklearn.datasets import load_breast_cancer

from fscore.filters import pairwise_mutual_information

TIMED = 10  # pairs for which scipy is timed on the grid; its seconds are scaled to all


class ProductKDE(gaussian_kde):
    """Without the covariance of the two features, that is, with the kernels that we use."""

    def _compute_covariance(self):
        super()._compute_covariance()
        self.covariance = np.diag(np.diag(self.covariance))
        self.cho_cov = np.sqrt(self.covariance)
        self.log_det = 2 * np.log(np.diag(self.cho_cov * np.sqrt(2 * np.pi))).sum()


def at_samples(X, pairs):
    """Mean of ln p(x, z) / p(x) p(z) over the sample, the common shortcut: fewer points than the grid has."""
    factor = len(X) ** (-1 / 6)
    single = np.log([gaussian_kde(x, factor)(x) for x in X.T])
    planes = (X[:, pair].T for pair in pairs)
    joint = np.log([gaussian_kde(plane, factor)(plane) for plane in planes])
    return [np.mean(j - single[a] - single[b]) for j, (a, b) in zip(joint, pairs, strict=True)]


def on_the_grid(x, z):
    """The integral of equation 4.14 on the grid that we use."""
    h = np.array([np.std(v, ddof=1) * len(v) ** (-1 / 6) for v in (x, z)])
    axes = [np.linspace(v.min() - 3 * w, v.max() + 3 * w, 64) for v, w in zip((x, z), h, strict=True)]
    joint = ProductKDE(np.vstack([x, z]))(np.array(np.meshgrid(*axes, indexing="ij")).reshape(2, -1)).reshape(64, 64)
    joint /= joint.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return np.sum(joint * np.log((joint + 1e-300) / (product + 1e-300)))


def rows(quick=False, repeats=5):
    """Interleaved medians.

    "equal": the same estimator agrees to 0.01 nats (ours gives kernels that reach over the edge of the grid their mass
    back); the shortcut, another estimator, ranks the pairs alike (Spearman above 0.98).
    """
    X, _ = load_breast_cancer(return_X_y=True)
    pairs = list(combinations(range(30), 2))
    some = [pairs[p] for p in np.random.default_rng(0).permutation(435)[:TIMED]]
    seconds = {"ours": [], "samples": [], "grid": []}
    for _ in range(repeats):
        start = perf_counter()
        ours = pairwise_mutual_information(X)
        seconds["ours"].append(perf_counter() - start)
        start = perf_counter()
        shortcut = at_samples(X, pairs)
        seconds["samples"].append(perf_counter() - start)
        start = perf_counter()
        grid = [on_the_grid(X[:, a], X[:, b]) for a, b in some]
        seconds["grid"].append((perf_counter() - start) * 435 / TIMED)
    alike = spearmanr(shortcut, [ours[p] for p in pairs]).statistic > 0.98
    same = np.abs(np.array(grid) - [ours[p] for p in some]).max() < 0.01
    for peer, equal in (("samples", alike), ("grid", same)):
        name = f"scipy gaussian_kde, at the {peer}" if peer == "samples" else "scipy gaussian_kde, same grid"
        yield against("KDE mutual information, 435 pairs of wdbc", name, seconds[peer], seconds["ours"], equal, goal=15)
